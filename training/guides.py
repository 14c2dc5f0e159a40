"""Pairs from documentation pages: a section's title and opening, and the code it shows; a title and its prose.

Reads Markdown alone. Sections of change logs, indexes and link lists are dropped by the same test as comments are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from training.mine import MAX_CODE, MIN_CODE, Pair
from training.prose import first_paragraph, is_description

__all__ = ["guides"]

_HEADING = re.compile(r"^(#{1,5})[ \t]+(.+?)[ \t#]*$", re.M)
_FENCE = re.compile(r"^(```+|~~~+)[ \t]*\{?\.?(\w*)[^\n]*\n(.*?)^\1[ \t]*$", re.M | re.S)
_NOT_CODE = frozenset(
    "sh bash shell console text txt json yaml yml toml html css diff log plaintext md markdown mermaid xml ini "
    "http".split()
)
_CHANGES = re.compile(r"changelog|changes|history|release|news|migrat|upgrad|contributing|code_of_conduct", re.I)
_VERSION = re.compile(r"\d+\.\d+|^\[?v?\d")


def guides(repository: str, path: str, data: bytes) -> Iterator[Pair]:
    """Pairs of kinds `guide` (opening -> code sample) and `section` (title -> prose) from one page, in order."""
    if _CHANGES.search(path):
        return
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    plain = _FENCE.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    starts = [(m.start(), m.end(), len(m.group(1)), m.group(2)) for m in _HEADING.finditer(plain)]
    if plain.count("\n") != text.count("\n"):
        return
    lines, plain_lines = text.split("\n"), plain.split("\n")
    trail: list[str] = []
    for number, (_, end, depth, title) in enumerate(starts):
        trail = [*trail[: depth - 1], first_paragraph(title)]
        if _VERSION.search(title):
            continue
        first = plain.count("\n", 0, end) + 1
        last = plain.count("\n", 0, starts[number + 1][0]) if number + 1 < len(starts) else len(lines)
        prose = "\n".join(plain_lines[first:last]).strip()
        opening = first_paragraph(prose)
        asked = f"{trail[-1]}. {opening}" if is_description(opening) else " ".join(t for t in trail[-2:] if t)
        for fence in _FENCE.finditer("\n".join(lines[first:last])):
            code = fence.group(3).strip()
            if fence.group(2).lower() not in _NOT_CODE and len(code) >= MIN_CODE and is_description(asked):
                yield Pair("guide", repository, "markdown", asked, path, "", code[:MAX_CODE])
                break
        heading = " ".join(t for t in trail[-2:] if t)
        if len(prose) >= 200 and is_description(heading):
            yield Pair("section", repository, "markdown", heading, path, "", prose[:MAX_CODE])
