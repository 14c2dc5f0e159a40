"""Every whole-identifier occurrence of a name in published source: a textual fact, never a proof of a call.

All eligible files are scanned before any limit applies, so totals are exact. What an occurrence is (declaration,
import, member, identifier, string or comment) is read off the syntax tree, only for those that are shown. Nothing is
resolved: two things of one name are not told apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from satori.chunks.lines import LineIndex
from satori.model.span import Span
from satori.model.symbol import Symbol

if TYPE_CHECKING:
    import tree_sitter

    from satori.publication.snapshot import FileRow, Snapshot

# What continues an identifier in the languages served: ASCII word characters, `$`, and anything beyond ASCII.
_WORD = frozenset(range(0x80, 0x100)) | frozenset(b"$_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_TEXT = re.compile(r"comment|string|char_literal|character_literal|heredoc|regex|rune_literal|quoted|template_literal")
_CODE_AGAIN = re.compile(r"interpolation|substitution|format_expression|embedded")
_IMPORT = re.compile(r"^(import|use|using|include|require|preproc_include|extern_crate|namespace_use)")


class ReferenceKind(StrEnum):
    """What an occurrence is; `text` where no grammar can say."""

    DECLARATION = "declaration"
    IMPORT = "import"
    MEMBER = "member"
    IDENTIFIER = "identifier"
    STRING_OR_COMMENT = "string_or_comment"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence: `start:end` in the published bytes of `row`."""

    row: FileRow
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reference:
    """An occurrence that is shown; `owner` is the innermost symbol (index 0: the file), `line` its whole first line."""

    row: FileRow
    span: Span
    owner: Symbol
    kind: ReferenceKind
    line: bytes


@dataclass(frozen=True, slots=True)
class Found:
    """`occurrences` are all, by path and place; `scanned` counts the files looked at."""

    occurrences: tuple[Occurrence, ...]
    scanned: int


def find_occurrences(
    snapshot: Snapshot, name: str, wanted: Callable[[str], bool], may_hold: Collection[int] | None = None
) -> Found:
    """All whole-identifier occurrences of `name` in indexed files whose path is wanted.

    Files that are not in `may_hold` (file ids; None: any may) are known to hold none; they count as scanned unread.
    """
    needle = name.encode("utf-8", "surrogatepass")
    found: list[Occurrence] = []
    scanned = 0
    for row in snapshot.files():
        if row.skip is not None or not wanted(row.path):
            continue
        scanned += 1
        if may_hold is not None and row.file_id not in may_hold:
            continue
        data = snapshot.content(row.file_id)
        found.extend(Occurrence(row, at, at + len(needle)) for at in _places(data, needle))
    return Found(tuple(found), scanned)


def _places(data: bytes, needle: bytes) -> Iterator[int]:
    """Where `needle` stands in `data` as a whole identifier."""
    at = data.find(needle)
    while at != -1:
        end = at + len(needle)
        if (at == 0 or data[at - 1] not in _WORD) and (end == len(data) or data[end] not in _WORD):
            yield at
        at = data.find(needle, at + 1)


def describe(snapshot: Snapshot, occurrences: Sequence[Occurrence], most: int) -> list[Reference]:
    """Lines, owners and kinds of the first `most` occurrences; each file is parsed once."""
    described: list[Reference] = []
    at = 0
    while at < len(occurrences) and len(described) < most:
        row = occurrences[at].row
        end = at
        while end < len(occurrences) and occurrences[end].row.file_id == row.file_id:
            end += 1
        described.extend(_of_file(snapshot, row, occurrences[at:end]))
        at = end
    return described[:most]


def _of_file(snapshot: Snapshot, row: FileRow, occurrences: Sequence[Occurrence]) -> list[Reference]:
    data = snapshot.content(row.file_id)
    symbols = snapshot.symbols(row.file_id)
    lines = LineIndex(data)
    declared = {(symbol.name_start, symbol.name_end) for symbol in symbols[1:]}
    root = _parse(row, data)
    starts = [symbol.span.start for symbol in symbols]
    references = []
    for occurrence in occurrences:
        span = lines.span(occurrence.start, occurrence.end)
        first, last = lines.start_of(span.start_line), lines.end_of(span.start_line)
        kind = _kind(root, data, occurrence.start, occurrence.end, declared)
        owner = _innermost(symbols, starts, occurrence.start, occurrence.end)
        references.append(Reference(row, span, owner, kind, data[first:last].rstrip(b"\r\n")))
    return references


def _parse(row: FileRow, data: bytes) -> tree_sitter.Node | None:
    from satori.languages.base import GrammarLanguage
    from satori.languages.registry import language_for

    served = language_for(row.language)
    if row.problem or not isinstance(served, GrammarLanguage):
        return None
    return served.tools().parser.parse(data).root_node


def _innermost(symbols: Sequence[Symbol], starts: Sequence[int], start: int, end: int) -> Symbol:
    """The innermost symbol around `start:end`: parents come before children, so the last that starts before is near."""
    at = max(0, bisect_right(starts, start) - 1)
    while at > 0 and symbols[at].span.end < end:
        at = symbols[at].parent
    return symbols[max(at, 0)]


def _kind(
    root: tree_sitter.Node | None, data: bytes, start: int, end: int, declared: set[tuple[int, int]]
) -> ReferenceKind:
    if (start, end) in declared:
        return ReferenceKind.DECLARATION
    if root is None:
        return ReferenceKind.TEXT
    node = root.descendant_for_byte_range(start, end)
    while node is not None:
        name = node.type
        if _CODE_AGAIN.search(name):
            break
        if _TEXT.search(name) and node.parent is not None:
            return ReferenceKind.STRING_OR_COMMENT
        if _IMPORT.match(name) and node.is_named:
            return ReferenceKind.IMPORT
        node = node.parent
    before = data[:start].rstrip(b" \t\r\n")[-3:]
    if before.endswith((b"->", b"::", b"?.")) or (before.endswith(b".") and not before.endswith(b"..")):
        return ReferenceKind.MEMBER
    return ReferenceKind.IDENTIFIER
