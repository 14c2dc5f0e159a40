"""How much of a result is shown, and which lines."""

from __future__ import annotations

from itertools import pairwise

from satori.chunks.stem import stem
from satori.search.preview import FAR, FIRST, NEAR, make_preview, preview_size

SOURCE = "\n".join(f"line {number} plain" if number != 40 else "the retry happens here" for number in range(1, 81))


def test_the_window_holds_the_match_and_keeps_to_its_size() -> None:
    """Whole lines around the densest match, at most as many lines and bytes as the size allows, sliced exactly."""
    data = SOURCE.encode()
    for size in (FIRST, NEAR, FAR):
        preview = make_preview(data, 0, len(data), 1, [stem("retry")], size)
        lines = SOURCE.split("\n")[preview.start_line - 1 : preview.end_line]
        assert preview.text == "\n".join(lines)
        assert len(lines) <= size.lines
        assert len(preview.text.encode()) <= size.bytes
        assert "the retry happens here" in lines
        assert preview.matched == ("retry",)


def test_later_results_show_less() -> None:
    """The first is shown nearly whole, later ones only to be told apart."""
    sizes = [preview_size(rank) for rank in range(1, 9)]
    assert sizes[0] is FIRST
    assert all(a.lines >= b.lines and a.bytes >= b.bytes for a, b in pairwise(sizes))
    assert sizes[-1] is FAR
