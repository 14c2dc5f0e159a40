from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from satori.chunks.lines import LineIndex
from satori.navigation.window import MAX_LINES, line_window, span_window


def test_a_window_is_exactly_its_lines() -> None:
    """Bytes, lines and text of a window agree, with CRLF, BOM and astral characters kept as they are."""
    data = "\ufeffa = 1\r\nb = '𝕏'\r\nc\r\nd".encode()
    window = line_window(data, LineIndex(data), 2, 3, 10_000)
    assert window.text == "b = '𝕏'\r\nc\r\n"
    assert data[window.start : window.end] == window.text.encode()
    assert (window.start_line, window.end_line, window.total_lines, window.next_line) == (2, 3, 4, None)


def test_a_window_holds_at_most_its_lines_and_says_where_to_go_on() -> None:
    """Longer requests are cut at a line and continued at the next."""
    data = b"x\n" * (MAX_LINES + 5)
    window = line_window(data, LineIndex(data), 1, MAX_LINES + 5, 1_000_000)
    assert (window.end_line, window.next_line) == (MAX_LINES, MAX_LINES + 1)


def test_one_line_larger_than_the_bound_is_clipped_between_characters() -> None:
    """A megabyte on one line shows its beginning, never half a character, and counts the rest."""
    data = ("é" * 500_000).encode()
    window = line_window(data, LineIndex(data), 1, 1, 1_001)
    assert set(window.text) == {"é"}
    assert window.clipped == len(data) - len(window.text.encode())
    assert data[window.start : window.end] == window.text.encode()


def test_a_span_window_shows_nothing_else_on_its_lines() -> None:
    """Two functions on one line: only the one asked for is shown."""
    data = b"def a(): return 1; \ndef b(): return 2\n"
    index = LineIndex(data)
    window = span_window(data, index, index.span(4, 17), 1_000)
    assert window.text == "a(): return 1"


@given(st.binary(max_size=2_000), st.integers(1, 60), st.integers(1, 60), st.integers(16, 900))
def test_windows_cover_a_range_without_gap_or_overlap(data: bytes, a: int, b: int, bound: int) -> None:
    """Following next_line shows every byte of the range once, each page within its bound, whatever the bytes."""
    index = LineIndex(data)
    first, last = min(a, b, len(index)), min(max(a, b), len(index))
    at, line, shown = index.start_of(first), first, 0
    while True:
        window = line_window(data, index, line, last, bound)
        assert window.start == at
        assert len(json.dumps(window.text, ensure_ascii=False).encode()) - 2 <= bound
        shown += window.end - window.start + window.clipped
        at = window.end + window.clipped
        if window.next_line is None:
            break
        assert window.next_line == window.end_line + 1
        line = window.next_line
    assert shown == index.end_of(last) - index.start_of(first)
