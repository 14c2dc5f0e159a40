"""Nested ranges of a file (blocks, functions without a name), and which of them is innermost at an offset."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable


class Stretches:
    """The innermost of nested ranges at an offset; (0, 0) outside of all."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self.starts = [-1]
        self.ranges = [(0, 0)]
        open_: list[tuple[int, int]] = []
        for start, end in sorted(set(ranges), key=lambda item: (item[0], -item[1])):
            while open_ and open_[-1][1] <= start:
                self._close(open_)
            self._mark(start, (start, end))
            open_.append((start, end))
        while open_:
            self._close(open_)

    def _close(self, open_: list[tuple[int, int]]) -> None:
        _, end = open_.pop()
        self._mark(end, open_[-1] if open_ else (0, 0))

    def _mark(self, at: int, span: tuple[int, int]) -> None:
        self.starts.append(at)
        self.ranges.append(span)

    def at(self, offset: int) -> tuple[int, int]:
        """The innermost range."""
        return self.ranges[bisect_right(self.starts, offset) - 1]
