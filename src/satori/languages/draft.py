"""A definition while its file is being read, and the notebook that handlers write into.

Drafts are mutable and have no owner yet; `satori.languages.assembly` gives owners and makes them `Definition`s.
Offsets are bytes. Nothing here knows a language.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node, Tree

from satori.model.definition import DefinitionFlag, SymbolKind

# A draft's flags are a plain integer: enum arithmetic would cost more than everything else a handler does.
EXPORTED = int(DefinitionFlag.EXPORTED)
TEST = int(DefinitionFlag.TEST)
GENERATED = int(DefinitionFlag.GENERATED)
DECLARATION_ONLY = int(DefinitionFlag.DECLARATION_ONLY)
IN_ERROR = int(DefinitionFlag.IN_ERROR)
ABSTRACT = int(DefinitionFlag.ABSTRACT)


@dataclass(slots=True, eq=False)
class Draft:
    """One definition as a handler saw it.

    `start:end` is the definition with decorators and export keyword, without leading comments. `head` is where the
    signature begins (after decorators); it ends at `head_end`, by default where the body begins. `body` is where the
    body begins, -1 for none. `segment` is what the definition adds to the qualified name of its owner (default: its
    name, with the receiver before it); `scope` is what its members hang on instead of its own qualified name. A `peer`
    lies inside its owner but is named beside it (the second name of `typedef struct a {...} b`).
    `documentation` given here wins over leading comments. `leads` says whether comments above belong to it.
    `held` marks a definition inside a literal, which is a symbol only when something other than a function holds it.
    """

    kind: SymbolKind
    name: str
    name_start: int
    name_end: int
    start: int
    end: int
    head: int
    body: int = -1
    head_end: int = -1
    flags: int = 0
    receiver: str = ""
    segment: str = ""
    scope: str = ""
    documentation: str | None = None
    leads: bool = True
    held: bool = False
    peer: bool = False
    prefix: str = ""
    qualified_name: str = ""
    members_on: str = ""
    index: int = -1


class Scan:
    """Everything one pass over one file found."""

    __slots__ = (
        "braces",
        "comments",
        "data",
        "drafts",
        "errors",
        "labels",
        "leads",
        "missing",
        "module_doc",
        "names",
        "notes",
        "seen",
        "tree",
        "widened",
    )

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.drafts: list[Draft] = []
        self.comments: list[tuple[int, int]] = []
        self.leads: list[tuple[int, int]] = []
        self.errors: list[tuple[int, int]] = []
        self.missing: list[int] = []
        self.widened: dict[int, tuple[int, int, int]] = {}
        # None: the leading comment of the file, if it is not a definition's; a language may say otherwise.
        self.module_doc: str | None = None
        # Notes that a language's handlers leave for its `finish`.
        self.notes: dict[str, list[int]] = {}
        self.names: set[str] = set()
        self.labels: dict[int, str] = {}
        self.seen: set[int] = set()
        # Pairs of braces, for `recovery`, in a file with errors.
        self.braces: dict[int, int] | None = None
        # The parse tree, for whoever reads more from it than definitions.
        self.tree: Tree | None = None

    def text(self, node: Node) -> str:
        """The node's source text; bytes that are not UTF-8 become U+FFFD."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def first_time(self, node: Node) -> bool:
        """Whether this node was not asked about before: several patterns may capture one node."""
        if node.id in self.seen:
            return False
        self.seen.add(node.id)
        return True

    def add_comment(self, start: int, end: int) -> None:
        """Record a comment; a line break at its end (some grammars include it) is not part of it."""
        while end > start and self.data[end - 1] in b"\r\n":
            end -= 1
        if end > start:
            self.comments.append((start, end))

    def widen(self, wrapper: Node, inner: Node, flags: int = 0) -> None:
        """Let the definition made from `inner` cover `wrapper` (decorators, `export`, `template<>`), with `flags`.

        Wrappers nest: call it outermost first, which is the order captures arrive in.
        """
        start, end, outer = self.widened.get(wrapper.id, (wrapper.start_byte, wrapper.end_byte, 0))
        self.widened[inner.id] = (start, end, outer | flags)

    def add(
        self,
        kind: SymbolKind,
        node: Node,
        name: Node,
        *,
        body: Node | None = None,
        flags: int = 0,
        receiver: str = "",
        head: int = -1,
        text: str = "",
    ) -> Draft:
        """A draft that covers `node` and its wrappers, named by the token `name` (or by `text`, when given)."""
        start, end = node.start_byte, node.end_byte
        name_start, name_end = name.start_byte, name.end_byte
        if not text:
            text = self.data[name_start:name_end].decode("utf-8", "replace")
        if head < 0:
            head = start
        wide = self.widened.get(node.id)
        if wide is not None:
            start, end, outer = wide
            flags |= outer
        draft = Draft(
            kind,
            text,
            name_start,
            name_end,
            start,
            end,
            head,
            -1 if body is None else body.start_byte,
            flags=flags,
            receiver=receiver,
        )
        self.drafts.append(draft)
        return draft

    def add_part(self, kind: SymbolKind, statement: Node, name: Node, *, flags: int = 0) -> Draft:
        """One of several names that `statement` binds: the span is the name alone, the signature the statement."""
        draft = self.add(kind, name, name, flags=flags, head=statement.start_byte)
        draft.head_end = statement.end_byte
        draft.leads = False
        return draft
