"""Definitions that a syntax error swallowed, found again by their header line and their braces.

A parser that loses its way inside a type gives up the type, though its header and its end are plain to see. For
languages with braces, a header at the beginning of a line inside an error region, whose braces balance, is a
definition marked IN_ERROR. It does not guess: no body, no balance or a header inside a comment means nothing is found.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping

from satori.languages.draft import IN_ERROR, Draft, Scan
from satori.model.definition import SymbolKind

# Strings and comments hide braces; a quote that closes within a few characters is a character literal.
_TOKEN = re.compile(
    rb'//[^\n]*|/\*.*?\*/|"""(?:.*?)"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.[^\'\n]{0,8}|[^\'\\\n])\'|`[^`\n]*`|[{}();]',
    re.DOTALL,
)
# A header longer than this is no header.
_HEADER_BYTES = 4_000


def brace_pairs(scan: Scan) -> dict[int, int]:
    """Offset of every opening brace to the offset after the brace that closes it; once a file."""
    if scan.braces is None:
        scan.braces = {}
        opened: list[int] = []
        for token in _TOKEN.finditer(scan.data):
            text = token.group()
            if text == b"{":
                opened.append(token.start())
            elif text == b"}" and opened:
                scan.braces[opened.pop()] = token.end()
    return scan.braces


def opening_brace(data: bytes, start: int) -> int:
    """The offset of the brace that opens the body of the header at `start`, or -1 when something else comes first."""
    depth = 0
    for token in _TOKEN.finditer(data, start, start + _HEADER_BYTES):
        text = token.group()
        if text == b"(":
            depth += 1
        elif text == b")":
            depth -= 1
        elif not depth and text == b"{":
            return token.start()
        elif text in (b"}", b";") and not depth:
            return -1
    return -1


def is_balanced(scan: Scan, draft: Draft) -> bool:
    """Whether the draft's body is in braces that close where it ends."""
    return draft.body >= 0 and brace_pairs(scan).get(draft.body) == draft.end


def recover(scan: Scan, header: re.Pattern[bytes], kinds: Mapping[bytes, SymbolKind]) -> None:
    """Add drafts for headers in error regions: `header` names its groups `keyword` and `name`; no keyword is b""."""
    data = scan.data
    made = set(kinds.values())
    for draft in scan.drafts:
        if draft.body < 0 and draft.kind in made:
            _regain_body(scan, draft)
    taken = {draft.name_start for draft in scan.drafts}
    comments = sorted(scan.comments)
    starts = [start for start, _ in comments]
    for first, last in _outermost(scan.errors):
        line = data.rfind(b"\n", 0, first) + 1
        for found in header.finditer(data, line, last):
            name_start, name_end = found.span("name")
            inside = bisect_right(starts, name_start) - 1
            if name_start in taken or (inside >= 0 and comments[inside][1] > name_start):
                continue
            opening = opening_brace(data, found.end())
            end = brace_pairs(scan).get(opening, -1)
            if end < 0:
                continue
            start = found.start() + len(found.group()) - len(found.group().lstrip())
            name = data[name_start:name_end].decode("utf-8", "replace")
            kind = kinds[found["keyword"] or b""]
            if kind is SymbolKind.FUNCTION and data[end - 2 : end - 1] != b"\n":
                # Conditional compilation may unbalance a function's braces; one that ends at the margin is whole.
                continue
            scan.drafts.append(Draft(kind, name, name_start, name_end, start, end, start, opening, flags=IN_ERROR))
            taken.add(name_start)


def _regain_body(scan: Scan, draft: Draft) -> None:
    """Give a type its body back when the parser read its header and lost its way behind the brace."""
    rest = scan.data[draft.end : draft.end + 80]
    opening = draft.end + len(rest) - len(rest.lstrip())
    end = brace_pairs(scan).get(opening)
    if end is not None:
        draft.body, draft.end = opening, end
        draft.flags |= IN_ERROR


def _outermost(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges, key=lambda one: (one[0], -one[1])):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found
