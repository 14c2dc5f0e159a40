"""What a language is: a grammar, one combined query, and one method for each capture of the query.

`Language.extract` turns one file's bytes into `FileFacts`. A subclass of `GrammarLanguage` names its grammar, writes
one query whose capture names are the names of its own methods, and says in `place` what a definition is once its owner
is known. Everything that must hold for every language (forest, leading comments, lines, signatures) is in
`satori.languages.assembly`. Nothing here reads files, knows paths, or catches failures: `satori.facts.extract` does.
"""

from __future__ import annotations

import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from operator import attrgetter
from typing import ClassVar

import tree_sitter

from satori.errors import SatoriError
from satori.languages.assembly import assemble
from satori.languages.draft import Draft, Scan
from satori.languages.recovery import recover
from satori.languages.references.registry import reader_for
from satori.model.definition import FileFacts, SymbolKind

_FUNCTION_LIKE = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.TEST, SymbolKind.COMPONENT, SymbolKind.HOOK}
)
_VALUE_LIKE = frozenset({SymbolKind.PROPERTY, SymbolKind.CONSTANT})
_OWNS_METHODS = frozenset(
    {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.ENUM, SymbolKind.STRUCT}
)


_START = attrgetter("start_byte")


@dataclass(frozen=True, slots=True)
class Capability:
    """What a language declares about itself; `satori status` prints it.

    `symbols` is "deep" (every kind the language has), "outline" (what its grammar gives cheaply) or "text" (none);
    `tests` whether tests are told apart. Figures stand in `satori.languages.measured`, calls in `satori.relationships`.
    """

    symbols: str
    tests: bool = False


@dataclass(frozen=True, slots=True)
class Grammar:
    """Where a grammar comes from: a wheel's module and function. `Grammar.bundled(name)` is the bundled pack's."""

    module: str
    function: str = "language"
    argument: str = ""

    @classmethod
    def bundled(cls, name: str) -> Grammar:
        """The grammar called `name` in tree-sitter-language-pack, which ships its parsers."""
        return cls("tree_sitter_language_pack", "get_language", name)

    def load(self) -> tree_sitter.Language:
        """The loaded grammar, one a process; raises ImportError when the wheel is absent."""
        return _load(self)


@cache
def _load(grammar: Grammar) -> tree_sitter.Language:
    entry = getattr(importlib.import_module(grammar.module), grammar.function)
    loaded = entry(grammar.argument) if grammar.argument else entry()
    return loaded if isinstance(loaded, tree_sitter.Language) else tree_sitter.Language(loaded)


class Language(ABC):
    """One language. Instances are stateless between files, and one a process (see `registry`)."""

    name: ClassVar[str]
    capability: ClassVar[Capability]
    # A comment leads a definition only from the same column: true where indentation decides what a comment is about.
    comments_align: ClassVar[bool] = False
    # Openings of comments that are about what they stand in, never about the definition after them.
    inner_comments: ClassVar[tuple[bytes, ...]] = ()

    def extract(self, data: bytes) -> FileFacts:
        """Facts of one file; may raise whatever a grammar or a handler raises."""
        scan = Scan(data)
        self.collect(scan)
        return assemble(self, scan)

    def with_references(self, scan: Scan, facts: FileFacts) -> FileFacts:
        """The same facts with the file's references, for languages that have a tree."""
        return facts

    @abstractmethod
    def collect(self, scan: Scan) -> None:
        """Fill `scan` with drafts, comments and error regions; order does not matter."""

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Adjust a draft to its innermost owner (None: the file); False drops it, and its members move up.

        By default a value inside a function is a local variable, not a symbol, and a function inside a type is a
        method. Owners are placed before their members.
        """
        if owner is None:
            return True
        if draft.kind in _VALUE_LIKE:
            return owner.kind not in _FUNCTION_LIKE
        if draft.kind is SymbolKind.FUNCTION and owner.kind in _OWNS_METHODS:
            draft.kind = SymbolKind.METHOD
        return True


# Parser operations for a byte of source: of 2,363 real files in 35 languages none needs more than 3.1, with or without
# syntax errors; error recovery on noise needs 1,000 to 4,000, minutes for 20 kB. A count gives the same facts on every
# machine, which a clock does not.
_OPERATIONS_A_BYTE = 20
_OPERATIONS_AT_LEAST = 20_000
# tree-sitter reports once for so many operations.
_OPERATIONS_A_REPORT = 100
# After a look past the end of the file the parser reads anew from where it is. The binding keeps every piece it was
# ever given, so pieces are short, and the same for the same place.
_PIECE_BYTES = 512


class ParserGaveUpError(SatoriError):
    """A file would cost its parser far more than source ever does."""

    default_code = "parser_gave_up"


def _parse(parser: tree_sitter.Parser, source: bytes) -> tree_sitter.Tree:
    """The tree of `source`; raises ParserGaveUpError when the parser exceeds its operations."""
    budget = max(_OPERATIONS_AT_LEAST, _OPERATIONS_A_BYTE * len(source)) // _OPERATIONS_A_REPORT
    reports = 0
    pieces: dict[int, bytes] = {0: source}

    def read(offset: int, _: object) -> bytes:
        piece = pieces.get(offset)
        if piece is None:
            piece = pieces[offset] = source[offset : offset + _PIECE_BYTES]
        return piece

    def is_over(_offset: int, _has_error: bool) -> bool:
        nonlocal reports
        reports += 1
        return reports > budget

    try:
        return parser.parse(read, progress_callback=is_over)
    except ValueError as error:
        raise ParserGaveUpError("the parser gave up: error recovery on noise costs it too much") from error


@dataclass(slots=True)
class _Tools:
    """What a grammar needs in one process: built on first use, kept by its language."""

    parser: tree_sitter.Parser
    query: tree_sitter.Query
    handlers: dict[str, Callable[[Scan, tree_sitter.Node], None]] = field(default_factory=dict)


class GrammarLanguage(Language):
    """A language with a tree-sitter grammar.

    Each capture name in `query` is the name of a method `(scan, node) -> None`, called for every captured node in
    source order, capture names in the order of first mention in the query. Reserved capture names: `comment`
    (comments, collected here), `lead` (attributes that stand before a definition as siblings), and names that begin
    with an underscore (ignored). Put wrappers (decorators, export statements) first: their handlers call `scan.widen`.
    A capture may be reported although the pattern's later steps then fail, so a handler checks what it relies on.
    """

    grammar: ClassVar[Grammar]
    query: ClassVar[str]
    # For languages with braces: how a type's header line looks (groups `keyword` and `name`), and what it makes.
    type_header: ClassVar[re.Pattern[bytes] | None] = None
    header_kinds: ClassVar[Mapping[bytes, SymbolKind]] = {}

    def __init__(self) -> None:
        self._tools: _Tools | None = None

    def tools(self) -> _Tools:
        """Parser, compiled query and handlers of this process."""
        if self._tools is None:
            grammar = self.grammar.load()
            query = tree_sitter.Query(grammar, self.query + "\n(ERROR) @_error\n(MISSING) @_missing\n")
            tools = _Tools(tree_sitter.Parser(grammar), query)
            for index in range(query.capture_count):
                name = query.capture_name(index)
                if not name.startswith("_"):
                    tools.handlers[name] = getattr(self, name)
            self._tools = tools
        return self._tools

    def extract(self, data: bytes) -> FileFacts:
        """Facts of one file, with its references where the language has a reader of them.

        Text only, with the reason, when the parser gives up on it. A reader that fails loses the references, not the
        definitions, and the facts say so.
        """
        scan = Scan(data)
        try:
            self.collect(scan)
        except ParserGaveUpError as error:
            return FileFacts(self.name, (), parsed=False, problem=error.message)
        return self.with_references(scan, assemble(self, scan))

    def with_references(self, scan: Scan, facts: FileFacts) -> FileFacts:
        """The same facts with the references that the language's reader finds in the tree, if there is one."""
        reader = reader_for(self.name)
        if reader is None or scan.tree is None:
            return facts
        try:
            references = reader.read(self.grammar.load(), scan.tree.root_node, scan.data, facts.definitions)
        except Exception as error:
            return replace(facts, problem=f"references were not read: {type(error).__name__}: {error}"[:200])
        return replace(facts, references=references)

    def collect(self, scan: Scan) -> None:
        """Parse, run the one query, and give each captured node to its handler."""
        tools = self.tools()
        try:
            tree = scan.tree = _parse(tools.parser, self.source(scan))
        except ParserGaveUpError:
            # A parser that was stopped keeps what it had built, a hundred megabytes and more.
            tools.parser = tree_sitter.Parser(self.grammar.load())
            raise
        captures = tree_sitter.QueryCursor(tools.query).captures(tree.root_node)
        errors = captures.get("_error", [])
        scan.errors = [(node.start_byte, node.end_byte) for node in errors]
        root = tree.root_node
        read = root.child(root.child_count - 1).end_byte if root.child_count else 0
        if root.has_error and scan.data[read:].strip():
            # Some scanners end a file early: what is after the last node was not read.
            scan.errors.append((read, len(scan.data)))
        scan.missing = [node.start_byte for node in captures.get("_missing", [])]
        for name, handle in tools.handlers.items():
            # The binding gives nodes in no order that lasts.
            for node in sorted(captures.get(name, ()), key=_START):
                handle(scan, node)
        if scan.errors and self.type_header is not None:
            recover(scan, self.type_header, self.header_kinds)
        self.finish(scan)

    def source(self, scan: Scan) -> bytes:
        """What the parser is given: the file, or as many bytes with what the grammar cannot read blanked out."""
        return scan.data

    def finish(self, scan: Scan) -> None:
        """A last look at all drafts of a file, after every handler; nothing by default."""

    def comment(self, scan: Scan, node: tree_sitter.Node) -> None:
        """A comment: a range that may lead the definition after it."""
        scan.add_comment(node.start_byte, node.end_byte)

    def lead(self, scan: Scan, node: tree_sitter.Node) -> None:
        """An attribute that stands before its definition: part of the span, not documentation."""
        scan.leads.append((node.start_byte, node.end_byte))
