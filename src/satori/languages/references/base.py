"""How references are read: one query over the tree that gave the definitions, and one method for each capture.

A reader turns a parse tree into `References`. It writes down what the source says and resolves nothing. Like a
`GrammarLanguage`, a reader names its query, whose capture names are the names of its own methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import ClassVar, NamedTuple

import tree_sitter

from satori.languages.references.owners import CODE_KINDS, Owners
from satori.model.definition import Definition, SymbolKind
from satori.model.reference import Base, Binding, CallSite, Export, Import, Mark, References, Signature


class Variable(NamedTuple):
    """A local variable as its declaration has it: the name, the declared type, the declarator, the first value."""

    name: tree_sitter.Node
    type: tree_sitter.Node | None
    declarator: tree_sitter.Node
    value: tree_sitter.Node | None


class Reading:
    """Everything one pass over one file writes down, and what its handlers look up.

    `owners` says whose execution a byte belongs to; `named` gives the definition whose name token starts at a byte.
    `texts` remembers chains by node range for readers that ask twice.
    """

    __slots__ = (
        "bases",
        "bindings",
        "data",
        "definitions",
        "exports",
        "imports",
        "later",
        "marks",
        "named",
        "notes",
        "owners",
        "package",
        "signatures",
        "sites",
        "spans",
        "variables",
    )

    def __init__(self, data: bytes, definitions: Sequence[Definition], owners: Owners) -> None:
        self.data = data
        self.definitions = definitions
        self.owners = owners
        self.named = {definition.name_start: index for index, definition in enumerate(definitions)}
        self.package = ""
        self.imports: list[Import] = []
        self.exports: list[Export] = []
        self.bases: list[Base] = []
        self.marks: list[Mark] = []
        self.signatures: list[Signature] = []
        self.bindings: list[Binding] = []
        self.sites: list[CallSite] = []
        # Whatever a language's handlers leave for its `finish`: facts, nodes by what they are, and blocks.
        self.notes: dict[str, set[tuple[int, str]]] = {}
        self.later: list[tuple[str, tree_sitter.Node]] = []
        self.spans: list[tuple[int, int]] = []
        # Local variables by name, for readers that look only at those that call sites begin with.
        self.variables: dict[str, list[Variable]] = {}

    def text(self, node: tree_sitter.Node) -> str:
        """The node's source text; bytes that are not UTF-8 become U+FFFD."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def references(self) -> References:
        """All of it, in source order."""
        return References(
            self.package,
            tuple(sorted(self.imports, key=_start)),
            tuple(sorted(self.exports, key=_start)),
            tuple(self.bases),
            tuple(self.marks),
            tuple(self.signatures),
            tuple(sorted(self.bindings, key=_start)),
            tuple(sorted(self.sites, key=_start)),
        )


def _place(node: tree_sitter.Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


def _start(record: Import | Export | Binding | CallSite) -> tuple[int, tuple[object, ...]]:
    return record.start, record


class ReferenceReader(ABC):
    """One language's reader. Instances are stateless between files, and one a process (see `registry`)."""

    query: ClassVar[str]
    # Which definitions run code, and whether their headers (decorators, defaults) run around them.
    owning: ClassVar[Collection[SymbolKind]] = CODE_KINDS
    owns_from_body: ClassVar[bool] = False
    # Captures whose handlers may see nodes in any order: what they write down is sorted at the end.
    unordered: ClassVar[Collection[str]] = ()

    def __init__(self, language: str) -> None:
        self.language = language
        self._query: tree_sitter.Query | None = None
        self._handlers: dict[str, Callable[[Reading, tree_sitter.Node], None]] = {}

    def read(
        self, grammar: tree_sitter.Language, root: tree_sitter.Node, data: bytes, definitions: Sequence[Definition]
    ) -> References:
        """The references of one file; may raise whatever a grammar or a handler raises."""
        if self._query is None:
            query = tree_sitter.Query(grammar, self.query)
            for index in range(query.capture_count):
                name = query.capture_name(index)
                self._handlers[name] = getattr(self, name)
            self._query = query
        reading = Reading(data, definitions, Owners(definitions, self.owning, from_body=self.owns_from_body))
        captures = tree_sitter.QueryCursor(self._query).captures(root)
        for name, handle in self._handlers.items():
            # The binding hands out nodes in an order that changes between runs.
            nodes = captures.get(name, ())
            for node in nodes if name in self.unordered else sorted(nodes, key=_place):
                handle(reading, node)
        self.finish(reading)
        return reading.references()

    @abstractmethod
    def finish(self, reading: Reading) -> None:
        """A last look after every handler: what is not needed can be dropped here."""
