"""What languages read for their outline share: a table of definition nodes, bounds for data files, clause merging.

An `OutlineLanguage` names its definition nodes in a table instead of one method a node. A language that needs no
grammar subclasses `Language` itself and fills the scan from its own line or token scanner. Nothing here knows a
language.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from tree_sitter import Node

from satori.languages.assembly import assemble
from satori.languages.base import GrammarLanguage, Language, ParserGaveUpError
from satori.languages.draft import Draft, Scan
from satori.model.definition import DefinitionFlag, FileFacts, SymbolKind

# A data file of thousands of keys is a table, not an outline: its first keys by depth are kept.
MAX_DATA_SYMBOLS = 2_000
# Lock files, fixtures and exports: parsing them costs more than their keys tell.
MAX_DATA_BYTES = 1 << 20

# Every byte but line breaks becomes a space, so that offsets and lines stay.
BLANK = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))

TYPES_WITH_METHODS = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.INTERFACE,
        SymbolKind.TRAIT,
        SymbolKind.ENUM,
        SymbolKind.STRUCT,
        SymbolKind.TYPE,
    }
)


@dataclass(frozen=True, slots=True)
class Outline:
    """How one node type is a definition.

    `name` and `body` are paths of field names or child types joined by "/"; an empty `body` means none.
    """

    kind: SymbolKind
    name: str = "name"
    body: str = ""
    flags: DefinitionFlag = DefinitionFlag.NONE


class OutlineLanguage(GrammarLanguage):
    """A language whose definitions are a table from node type to `Outline`.

    `patterns` are further query patterns, with methods of their own. `comment_types` are the grammar's comment nodes.
    """

    outlines: ClassVar[Mapping[str, Outline]]
    patterns: ClassVar[str] = ""
    comment_types: ClassVar[tuple[str, ...]] = ("comment",)

    def __init_subclass__(cls) -> None:
        """Write the one query of the language from its table."""
        super().__init_subclass__()
        nodes = " ".join(f"({kind})" for kind in cls.outlines)
        comments = " ".join(f"({kind}) @comment" for kind in cls.comment_types)
        cls.query = f"{cls.patterns}\n{f'[{nodes}] @outline' if nodes else ''}\n{comments}\n"

    def outline(self, scan: Scan, node: Node) -> Draft | None:
        """One definition of the table; None when its name is missing."""
        rule = self.outlines[node.type]
        name = descend(node, rule.name)
        if name is None or name.start_byte >= name.end_byte:
            return None
        body = descend(node, rule.body) if rule.body else None
        return trimmed(scan, scan.add(rule.kind, node, name, body=body, flags=rule.flags))


def descend(node: Node, path: str) -> Node | None:
    """The node at the end of a path of field names or named-child types; None when a step is missing."""
    found: Node | None = node
    for step in path.split("/"):
        if found is None:
            return None
        found = found.child_by_field_name(step) or child_of_type(found, step)
    return found


def child_of_type(node: Node, *types: str) -> Node | None:
    """The first child of one of the types, named or not."""
    for child in node.children:
        if child.type in types:
            return child
    return None


def first_named(node: Node | None) -> Node | None:
    """The first named child, if there is one."""
    return node.named_child(0) if node is not None and node.named_child_count else None


def last_named(node: Node | None) -> Node | None:
    """The last named child, if there is one."""
    return node.named_child(node.named_child_count - 1) if node is not None and node.named_child_count else None


def blanked(match: re.Match[bytes]) -> bytes:
    """As many spaces as the match has bytes, line breaks kept: for `re.sub` over what a grammar cannot read."""
    return match.group().translate(BLANK)


def trimmed(scan: Scan, draft: Draft) -> Draft:
    """The same draft without white space at its end (grammars that are ruled by layout put some there)."""
    draft.end = trim_end(scan.data, draft.start, draft.end)
    if draft.body > draft.end:
        draft.body = draft.end
    return draft


def trim_end(data: bytes, start: int, end: int) -> int:
    """`end` moved back over white space, not before `start`."""
    while end > start and data[end - 1] in b" \t\r\n\f\v":
        end -= 1
    return end


def add_range(scan: Scan, kind: SymbolKind, span: tuple[int, int], name: tuple[int, int]) -> Draft:
    """A draft from byte ranges, for scanners that have no nodes."""
    text = scan.data[name[0] : name[1]].decode("utf-8", "replace")
    draft = Draft(kind, text, name[0], name[1], span[0], span[1], span[0])
    scan.drafts.append(draft)
    return draft


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: where its line starts and ends, its rank (1 outermost), and the bytes of its text."""

    start: int
    end: int
    level: int
    name_start: int
    name_end: int
    text: str = ""


def add_sections(scan: Scan, headings: list[Heading]) -> None:
    """A section for each heading, up to the next heading of its rank or a higher one; nested by rank."""
    data = scan.data
    ends = [len(data)] * len(headings)
    opened: list[int] = []
    for index, heading in enumerate(headings):
        while opened and headings[opened[-1]].level >= heading.level:
            ends[opened.pop()] = heading.start
        opened.append(index)
    for heading, end in zip(headings, ends, strict=True):
        if heading.name_start >= heading.name_end:
            continue
        span = (heading.start, max(trim_end(data, heading.start, end), heading.name_end))
        draft = add_range(scan, SymbolKind.SECTION, span, (heading.name_start, heading.name_end))
        draft.body = draft.head_end = min(heading.end, span[1])
        draft.leads = False
        if heading.text:
            draft.name = heading.text


def merge_clauses(scan: Scan, drafts: Iterable[Draft], key: Callable[[Draft], Hashable]) -> None:
    """Make one definition of drafts that follow one another with nothing but white space, comments and leads between.

    Clauses and equations of one function are one symbol; the first draft stays, in `scan.drafts`, and grows.
    """
    ranges = sorted(scan.comments + scan.leads)
    ends = [end for _, end in ranges]
    gone: set[int] = set()
    last: Draft | None = None
    for draft in sorted(drafts, key=lambda each: (each.start, -each.end)):
        if last is not None and key(last) == key(draft) and _is_gap(scan.data, ranges, ends, last.end, draft.start):
            if draft.flags & DefinitionFlag.DECLARATION_ONLY == 0:
                if last.flags & DefinitionFlag.DECLARATION_ONLY:
                    last.body = draft.body
                last.flags &= ~DefinitionFlag.DECLARATION_ONLY
            last.end = draft.end
            gone.add(id(draft))
        else:
            last = draft
    if gone:
        scan.drafts = [draft for draft in scan.drafts if id(draft) not in gone]


def _is_gap(data: bytes, ranges: list[tuple[int, int]], ends: list[int], start: int, end: int) -> bool:
    """Whether `data[start:end]` holds white space, separators of clauses and the given ranges, and nothing else."""
    position = start
    for index in range(bisect_left(ends, start), len(ranges)):
        low, high = ranges[index]
        if low >= end:
            break
        if low >= position:
            if data[position:low].strip(b" \t\r\n;"):
                return False
            position = high
    return end >= position and not data[position:end].strip(b" \t\r\n;")


def text_only(language: Language, problem: str) -> FileFacts:
    """Facts of a file that is served as text, with the reason."""
    return FileFacts(language.name, (), parsed=False, problem=problem)


class DataLanguage(Language):
    """Mixed into languages of data files: bounds what one file may cost.

    Above `MAX_DATA_BYTES` the file is served as text; above `MAX_DATA_SYMBOLS` the outermost definitions are kept, in
    source order. Both are said in `problem`.
    """

    max_bytes: ClassVar[int] = MAX_DATA_BYTES
    max_symbols: ClassVar[int] = MAX_DATA_SYMBOLS

    def extract(self, data: bytes) -> FileFacts:
        """Facts of one file within the bounds."""
        if len(data) > self.max_bytes:
            return text_only(self, f"{self.name} files above {self.max_bytes:,} bytes are served as text only")
        scan = Scan(data)
        try:
            self.collect(scan)
        except ParserGaveUpError as error:
            return text_only(self, error.message)
        count = len(scan.drafts)
        if count <= self.max_symbols:
            return self.with_references(scan, assemble(self, scan))
        scan.drafts = _outermost(scan.drafts, self.max_symbols)
        problem = f"{count:,} definitions; the outermost {self.max_symbols:,} are kept as symbols"
        return replace(assemble(self, scan), problem=problem)


def _outermost(drafts: list[Draft], limit: int) -> list[Draft]:
    """The first `limit` drafts by depth, then by place."""
    drafts.sort(key=lambda draft: (draft.start, -draft.end))
    ranked: list[tuple[int, int]] = []
    ends: list[int] = []
    for index, draft in enumerate(drafts):
        while ends and ends[-1] <= draft.start:
            ends.pop()
        ranked.append((len(ends), index))
        ends.append(draft.end)
    return [drafts[index] for _, index in sorted(ranked)[:limit]]
