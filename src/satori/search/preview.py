"""The few lines that show why something was found.

A preview is a window of whole lines around the densest matches inside one chunk, sliced from published bytes and never
altered; masking of secrets is done where answers are made. It is bounded in lines and bytes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from satori.chunks.stem import stem
from satori.chunks.words import parts_of, words_in

MAX_LINES = 12
MAX_BYTES = 700
_LONGEST_LINE = 240


@dataclass(frozen=True, slots=True)
class Preview:
    """`text` is lines `start_line` to `end_line` of the file; `matched` are the question's words seen in the chunk."""

    start_line: int
    end_line: int
    text: str
    matched: tuple[str, ...]


def make_preview(data: bytes, start: int, end: int, first_line: int, stems: Collection[str]) -> Preview:
    """The best window of `data[start:end]`, which begins on `first_line`, for the question's stems."""
    lines = data[start:end].decode("utf-8", "replace").split("\n")
    wanted = set(stems)
    matched: dict[str, str] = {}
    weights = []
    for line in lines:
        seen = set()
        for word in words_in(line[:2000]):
            for part in parts_of(word):
                stemmed = stem(part)
                if stemmed in wanted:
                    seen.add(stemmed)
                    matched.setdefault(stemmed, part)
        weights.append(len(seen))
    low = _best_start(weights)
    shown: list[str] = []
    size = 0
    for line in lines[low : low + MAX_LINES]:
        cut = line.rstrip("\r")[:_LONGEST_LINE]
        size += len(cut.encode("utf-8", "surrogatepass")) + 1
        if shown and size > MAX_BYTES:
            break
        shown.append(cut)
    while len(shown) > 1 and not shown[-1].strip():
        shown.pop()
    order = [s for s in stems if s in matched]
    return Preview(
        first_line + low, first_line + low + len(shown) - 1, "\n".join(shown), tuple(matched[s] for s in order)
    )


def _best_start(weights: list[int]) -> int:
    """Where a window of `MAX_LINES` sees the most matches; the first such place, moved up to show its lead-in."""
    if len(weights) <= MAX_LINES:
        return 0
    total = sum(weights[:MAX_LINES])
    best, best_at = total, 0
    for at in range(1, len(weights) - MAX_LINES + 1):
        total += weights[at + MAX_LINES - 1] - weights[at - 1]
        if total > best:
            best, best_at = total, at
    return best_at
