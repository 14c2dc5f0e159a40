"""The symbols of one file, in source order, for a range of lines, page by page.

A page holds the symbols that begin in the range; symbols that began earlier and still enclose its first line are given
beside it, so that a reader in the middle of a class knows where they are without any symbol being shown twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.symbol import Symbol


def in_range(symbols: Sequence[Symbol], first: int, last: int) -> tuple[list[Symbol], list[Symbol]]:
    """Symbols that begin on lines `first` to `last`, and those that began before and reach into them."""
    within = [s for s in symbols if s.index and first <= s.span.start_line <= last]
    enclosing = [s for s in symbols if s.index and s.span.start_line < first <= s.span.end_line]
    return within, enclosing


def cut(within: Sequence[Symbol], limit: int) -> tuple[list[Symbol], int | None]:
    """At most `limit` (>= 1) of `within`, and the line where the next page begins (None: nothing is left).

    A page ends between lines, so that the next one can begin at a line and always moves on. Where more symbols begin
    on one line than a page holds, the rest of that line is passed over.
    """
    if len(within) <= limit:
        return list(within), None
    boundary = within[limit].span.start_line
    shown = [s for s in within[:limit] if s.span.start_line < boundary]
    if shown:
        return shown, boundary
    later = next((s.span.start_line for s in within if s.span.start_line > boundary), None)
    return list(within[:limit]), later


def members(symbols: Sequence[Symbol], owner: Symbol) -> list[Symbol]:
    """The direct members of `owner`."""
    return [s for s in symbols if s.parent == owner.index and s.index != owner.index]


def siblings(symbols: Sequence[Symbol], symbol: Symbol) -> list[Symbol]:
    """Symbols with the same owner, without itself."""
    return [s for s in symbols if s.index and s.parent == symbol.parent and s.index != symbol.index]
