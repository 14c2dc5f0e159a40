"""A stretch of one file, in bytes and in lines.

Bytes are half-open offsets into the file as stored (UTF-8, BOM and CRLF included); lines are 1-based and inclusive.
It does not hold text and does not know files.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """`data[start:end]`, on lines `start_line` to `end_line`."""

    start: int
    end: int
    start_line: int
    end_line: int

    def contains(self, other: Span) -> bool:
        """Whether `other` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end
