"""Bounded windows over one file's lines: which lines to show, how to show them, and where to go on.

It reads nothing: it is given bytes. Text is decoded as UTF-8 with replacement, secrets masked, offsets those of the
stored bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from satori.chunks.lines import LineIndex
from satori.model.span import Span
from satori.navigation.secrets import mask

MAX_LINES = 1_000


@dataclass(frozen=True, slots=True)
class Window:
    """Lines `start_line` to `end_line` (1-based, inclusive) of a file of `total_lines`.

    `text` is the shown text and `start:end` its byte range; `clipped` is how many bytes of the last line are not
    shown because that line alone is larger than the bound. `next_line` is where to go on, or None at the end of what
    was asked for. `undecodable` says that some bytes were no UTF-8 and are shown as U+FFFD.
    """

    start_line: int
    end_line: int
    total_lines: int
    start: int
    end: int
    text: str
    masked: int
    clipped: int
    next_line: int | None
    undecodable: bool


def line_window(data: bytes, index: LineIndex, first: int, last: int, max_bytes: int) -> Window:
    """Lines `first` to `last` of `data`, at most `MAX_LINES` lines and `max_bytes` bytes as shown in JSON.

    `first` must lie within the file; `last` is clamped to it. At least one line is always shown, if need be clipped.
    """
    last = min(last, len(index))
    return _window(data, index, index.span(index.start_of(first), index.end_of(last)), max_bytes)


def span_window(data: bytes, index: LineIndex, span: Span, max_bytes: int) -> Window:
    """The same for exactly the bytes of `span`: what else stands on its first and last line is not shown."""
    return _window(data, index, span, max_bytes)


def _window(data: bytes, index: LineIndex, span: Span, max_bytes: int) -> Window:
    first, asked, total = span.start_line, span.end_line, len(index)

    def end_of(line: int) -> int:
        return min(index.end_of(line), span.end)

    end_line = min(asked, first + MAX_LINES - 1)
    start = span.start
    # Text in JSON is never smaller than its bytes, so lines beyond the bound need not be looked at.
    end_line = max(first, min(end_line, index.line_at(min(start + max_bytes, len(data)))))
    end = end_of(end_line)
    clipped = 0
    masked = mask(data, start, end)
    text = masked.data.decode("utf-8", "replace")
    if _shown_size(text) > max_bytes:
        low, high = first, end_line
        while low < high:
            middle = (low + high + 1) // 2
            part = masked.data[: end_of(middle) - start].decode("utf-8", "replace")
            if _shown_size(part) <= max_bytes:
                low = middle
            else:
                high = middle - 1
        end_line, end = low, end_of(low)
        text = masked.data[: end - start].decode("utf-8", "replace")
        if _shown_size(text) > max_bytes:
            end, text = _clip_line(masked.data[: end - start], start, max_bytes)
            clipped = end_of(end_line) - end
    return Window(
        first,
        end_line,
        total,
        start,
        end,
        text,
        masked.count,
        clipped,
        end_line + 1 if end_line < asked else None,
        "\ufffd" in text and "\ufffd".encode() not in data[start:end],
    )


def _clip_line(line: bytes, start: int, max_bytes: int) -> tuple[int, str]:
    """The longest prefix of one line that fits, cut between characters."""
    low, high = 0, min(len(line), max_bytes)
    while low < high:
        middle = (low + high + 1) // 2
        if _shown_size(line[:middle].decode("utf-8", "replace")) <= max_bytes:
            low = middle
        else:
            high = middle - 1
    while low and low < len(line) and line[low] & 0xC0 == 0x80:
        low -= 1
    return start + low, line[:low].decode("utf-8", "replace")


def _shown_size(text: str) -> int:
    """Bytes of the text inside JSON, where quotes, backslashes and control characters take more than one."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8")) - 2
