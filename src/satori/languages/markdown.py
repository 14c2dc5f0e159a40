"""Markdown: sections by headings, nested by rank.

Read line by line without a grammar: the one that ships overflows its own buffer on deep block quotes and takes the
process with it. Only headings that stand in the document itself count, not those in lists, quotes, code, comments or
front matter. Inline markup stays in the name as written. Code blocks are text.
"""

from __future__ import annotations

import re
from typing import ClassVar

from satori.languages.base import Capability, Language
from satori.languages.draft import Scan
from satori.languages.outline import DataLanguage, Heading, add_sections

_FRONT = re.compile(rb"\A(?:\xef\xbb\xbf)?(---|\+\+\+)[ \t]*\r?\n")
_FENCE = re.compile(rb"[ ]{0,3}(`{3,}|~{3,})([^\n]*)")
# A fence may also open in a list item or a quote; its contents are then indented, but not always.
_NESTED_FENCE = re.compile(rb"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*[ \t]*(`{3,}|~{3,})([^\n]*)")
_ATX = re.compile(rb"[ ]{0,3}(#{1,6})(?=[ \t\r]|$)")
_SETEXT = re.compile(rb"[ ]{0,3}(=+|-+)[ \t]*\r?$")
_NOT_PARAGRAPH = re.compile(
    rb"[ ]{0,3}(?:[-+*][ \t]|\d{1,9}[.)][ \t]|>|#{1,6}(?:[ \t]|$)|\||<(?=[/!?a-zA-Z]))|[ ]{4}|\t"
)
# Blocks of HTML whose text is not Markdown, and what ends them.
_RAW = (
    (re.compile(rb"[ ]{0,3}<!--"), re.compile(rb"-->")),
    (re.compile(rb"[ ]{0,3}<(?:pre|script|style|textarea)(?=[\s>])", re.IGNORECASE),
     re.compile(rb"</(?:pre|script|style|textarea)>", re.IGNORECASE)),
)  # fmt: skip


class Markdown(DataLanguage, Language):
    """CommonMark and GitHub's dialect."""

    name: ClassVar[str] = "markdown"
    capability: ClassVar[Capability] = Capability("outline")

    def collect(self, scan: Scan) -> None:
        """Sections from the headings."""
        add_sections(scan, _headings(scan.data))


def _headings(data: bytes) -> list[Heading]:
    found: list[Heading] = []
    position = _after_front_matter(data)
    fence = b""
    raw: re.Pattern[bytes] | None = None
    # Where the paragraph that a setext underline would make a heading starts; -1 outside one.
    paragraph = -1
    while position < len(data):
        stop = data.find(b"\n", position)
        stop = len(data) if stop < 0 else stop
        start, position = position, stop + 1
        line = data[start:stop]
        if fence:
            if line.strip(b" \t\r>").startswith(fence) and not line.strip(b" \t\r>").strip(fence[:1]):
                fence = b""
            continue
        if raw is not None:
            raw = None if raw.search(line) else raw
            continue
        opened = _FENCE.match(line) or _NESTED_FENCE.match(line)
        if opened is not None and not (opened.group(1)[:1] == b"`" and b"`" in opened.group(2)):
            fence, paragraph = opened.group(1), -1
            continue
        for opening, closing in _RAW:
            begun = opening.match(line)
            if begun is not None:
                raw = None if closing.search(line, begun.end()) else closing
                paragraph = -1
                break
        else:
            paragraph = _line(data, start, line, paragraph, found)
    return found


def _line(data: bytes, start: int, line: bytes, paragraph: int, found: list[Heading]) -> int:
    """Read one line of text; appends a heading if it is or ends one; where the open paragraph starts, or -1."""
    if not line.strip():
        return -1
    atx = _ATX.match(line)
    if atx is not None:
        text = line[atx.end() :].rstrip()
        bare = text.rstrip(b"#")
        text = (bare if bare[-1:] in (b" ", b"\t") else text if bare else b"").rstrip()
        lead = len(text) - len(text.lstrip())
        name_start, name_end = start + atx.end() + lead, start + atx.end() + len(text)
        if name_start < name_end:
            end = start + len(line.rstrip())
            found.append(Heading(start + atx.start(1), end, len(atx.group(1)), name_start, name_end))
        return -1
    setext = _SETEXT.match(line) if paragraph >= 0 else None
    if setext is not None:
        title = data[paragraph:start].split(b"\n", 1)[0].rstrip()
        name_start = paragraph + len(title) - len(title.lstrip())
        level = 1 if setext.group(1)[:1] == b"=" else 2
        found.append(Heading(name_start, start + len(line.rstrip()), level, name_start, paragraph + len(title)))
        return -1
    if paragraph >= 0:
        return paragraph if not _NOT_PARAGRAPH.match(line.lstrip()) else -1
    return -1 if _NOT_PARAGRAPH.match(line) else start


def _after_front_matter(data: bytes) -> int:
    """Where the document begins: after a closed block of metadata, or after a byte order mark."""
    front = _FRONT.match(data)
    if front is not None:
        closing = re.compile(rb"^" + re.escape(front.group(1)) + rb"[ \t]*\r?$", re.MULTILINE).search(data, front.end())
        if closing is not None:
            return closing.end()
    return 3 if data.startswith(b"\xef\xbb\xbf") else 0
