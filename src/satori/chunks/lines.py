"""From byte offsets to line numbers of one file.

A line ends after `\\n`; a lone `\\r` does not end one, as in git and in editors' default reading of such files.
"""

from __future__ import annotations

from bisect import bisect_right

from satori.model.span import Span


class LineIndex:
    """Line starts of one file's bytes; lines are 1-based."""

    __slots__ = ("size", "starts")

    def __init__(self, data: bytes) -> None:
        starts = [0]
        position = data.find(b"\n")
        while position != -1:
            starts.append(position + 1)
            position = data.find(b"\n", position + 1)
        if len(starts) > 1 and starts[-1] == len(data):
            starts.pop()
        self.starts = starts
        self.size = len(data)

    def __len__(self) -> int:
        return len(self.starts)

    def line_at(self, offset: int) -> int:
        """The line that holds the byte at `offset`."""
        return bisect_right(self.starts, offset)

    def start_of(self, line: int) -> int:
        """The first byte of `line`."""
        return self.starts[line - 1]

    def end_of(self, line: int) -> int:
        """One past the last byte of `line`, its line break included."""
        return self.starts[line] if line < len(self.starts) else self.size

    def span(self, start: int, end: int) -> Span:
        """The span of `start:end`; an empty stretch lies on the line of its start."""
        return Span(start, end, self.line_at(start), self.line_at(max(start, end - 1)))
