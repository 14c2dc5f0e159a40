"""From hunks to the symbols they touch: exactly those, no more.

A changed line touches the innermost symbol around it; a removed line touches the innermost symbol of the old text,
which lives on under its key or by its text, or was deleted. Blank lines touch nothing, a pure rename touches nothing,
and lines outside all symbols are the file's own. It reads nothing: it is given both texts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from satori.chunks.lines import LineIndex
from satori.model.symbol import Symbol
from satori.navigation.diff import Hunk
from satori.navigation.relocate import Located, locate


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a file: its bytes, its symbols, its lines."""

    data: bytes
    symbols: Sequence[Symbol]
    lines: LineIndex

    @classmethod
    def of(cls, data: bytes, symbols: Sequence[Symbol]) -> Side:
        """A side of these bytes."""
        return cls(data, symbols, LineIndex(data))


@dataclass(slots=True)
class Touched:
    """`seeds` are symbols of the new text in source order, with the new lines that touch them (none: only removals).

    `deleted` are symbols of the old text that are gone, without those inside another deleted one. `outside` counts
    hunks that touch no symbol at all: code between symbols, or nothing but blank lines.
    """

    seeds: dict[int, list[int]] = field(default_factory=dict)
    deleted: list[Symbol] = field(default_factory=list)
    outside: int = 0


def map_hunks(old: Side | None, new: Side | None, hunks: Iterable[Hunk]) -> Touched:
    """The symbols that `hunks` touch. `old` is None for an added file, `new` for a deleted one."""
    touched = Touched()
    gone: dict[int, Symbol] = {}
    for hunk in hunks:
        hit = False
        if new is not None:
            for line, index in touched_by(new, hunk.new_start, hunk.new_count):
                touched.seeds.setdefault(index, []).append(line)
                hit = True
        if old is not None:
            for _, index in touched_by(old, hunk.old_start, hunk.old_count):
                hit = True
                symbol = old.symbols[index]
                found = locate(old.symbols, new.symbols, symbol.key) if new is not None else None
                if isinstance(found, Located):
                    if found.symbol.index:
                        touched.seeds.setdefault(found.symbol.index, [])
                else:
                    gone[index] = symbol
        touched.outside += not hit
    inside = {index for index in gone if _within_deleted(old, gone, index)}
    touched.deleted = [gone[index] for index in sorted(gone) if index not in inside]
    touched.seeds = {index: sorted(set(lines)) for index, lines in sorted(touched.seeds.items())}
    return touched


def touched_by(side: Side, first: int, count: int) -> list[tuple[int, int]]:
    """(line, symbol index) for every non-blank line of a range and every innermost symbol on it, the file excepted."""
    starts = [symbol.span.start for symbol in side.symbols]
    found: list[tuple[int, int]] = []
    for line in range(max(1, first), min(first + count, len(side.lines) + 1)):
        begin, end = side.lines.start_of(line), side.lines.end_of(line)
        text = side.data[begin:end]
        if not text.strip():
            continue
        begin += len(text) - len(text.lstrip())
        end -= len(text) - len(text.rstrip())
        at = begin
        while at < end:
            index, until = _innermost(side.symbols, starts, at)
            if index and (not found or found[-1] != (line, index)):
                found.append((line, index))
            at = max(at + 1, until)
    return found


def _innermost(symbols: Sequence[Symbol], starts: Sequence[int], at: int) -> tuple[int, int]:
    """The innermost symbol around the byte at `at`, and the byte where that may change."""
    place = bisect_right(starts, at) - 1
    following = symbols[place + 1].span.start if place + 1 < len(symbols) else symbols[0].span.end
    index = max(place, 0)
    while index > 0 and symbols[index].span.end <= at:
        index = symbols[index].parent
    until = symbols[index].span.end if index else following
    return max(index, 0), min(following, until) if following > at else until


def _within_deleted(old: Side | None, gone: dict[int, Symbol], index: int) -> bool:
    if old is None:
        return False
    parent = old.symbols[index].parent
    while parent > 0:
        if parent in gone:
            return True
        parent = old.symbols[parent].parent
    return False
