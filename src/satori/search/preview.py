"""The few lines that show why something was found.

A preview is a window of whole lines around the densest matches inside one chunk, sliced from published bytes and never
altered; masking of secrets is done where answers are made. It is bounded in lines and bytes, by its rank: what comes
first is likely read next and shown nearly whole, what comes late is there to be told apart.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from satori.chunks.stem import stem
from satori.chunks.words import parts_of, words_in

_LONGEST_LINE = 240


@dataclass(frozen=True, slots=True)
class PreviewSize:
    """At most so many lines and bytes; a first line that is longer is shown all the same, cut at 240 characters."""

    lines: int
    bytes: int


FIRST = PreviewSize(24, 1_200)
NEAR = PreviewSize(12, 700)
FAR = PreviewSize(5, 320)


def preview_size(rank: int) -> PreviewSize:
    """How much of the result with this rank (from 1) is shown."""
    return FIRST if rank == 1 else NEAR if rank <= 3 else FAR


@dataclass(frozen=True, slots=True)
class Preview:
    """`text` is lines `start_line` to `end_line` of the file; `matched` are the question's words seen in the chunk."""

    start_line: int
    end_line: int
    text: str
    matched: tuple[str, ...]


def make_preview(
    data: bytes, start: int, end: int, first_line: int, stems: Collection[str], most: PreviewSize = NEAR
) -> Preview:
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
    low = _best_start(weights, most.lines)
    shown: list[str] = []
    size = 0
    for line in lines[low : low + most.lines]:
        cut = line.rstrip("\r")[:_LONGEST_LINE]
        size += len(cut.encode("utf-8", "surrogatepass")) + 1
        if shown and size > most.bytes:
            break
        shown.append(cut)
    while len(shown) > 1 and not shown[-1].strip():
        shown.pop()
    order = [s for s in stems if s in matched]
    return Preview(
        first_line + low, first_line + low + len(shown) - 1, "\n".join(shown), tuple(matched[s] for s in order)
    )


def _best_start(weights: list[int], window: int) -> int:
    """Where a window of so many lines sees the most matches; the first such place."""
    if len(weights) <= window:
        return 0
    total = sum(weights[:window])
    best, best_at = total, 0
    for at in range(1, len(weights) - window + 1):
        total += weights[at + window - 1] - weights[at - 1]
        if total > best:
            best, best_at = total, at
    return best_at
