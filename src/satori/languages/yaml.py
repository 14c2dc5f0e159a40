"""YAML: top-level keys, second-level keys that span lines, and named items of a top-level list.

Read line by line without a grammar: the one that ships overflows its own buffer on deep nesting, and templates break
it. Block scalars, flow collections and quoted text are skipped by their indentation. Anchors are not resolved, and
complex keys (`? key`) are not symbols.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from satori.languages.base import Capability, Language
from satori.languages.draft import Draft, Scan
from satori.languages.outline import DataLanguage, add_range
from satori.model.definition import SymbolKind

_KEY = re.compile(
    rb"""(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\n]|'')+)'|([^\s#,\[\]{}&*!|>'"%@`?:-][^\n]*?|[?:-][^\s][^\n]*?))"""
    rb"[ \t]*:(?=[ \t\r]|$)"
)
_ITEM = re.compile(rb"-[ \t]+")
_NAME = re.compile(
    rb"""(?:name|id)[ \t]*:[ \t]+(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'|>&*!\[{#][^\n]*?))[ \t]*(?:#[^\n]*)?\r?$"""
)
# What may stand between a key and a mapping on the lines below it.
_OPEN = re.compile(rb"[ \t]*(?:[&!][^\s]*[ \t]*)*(?:#[^\n]*)?\r?$")
_MARKER = re.compile(rb"(?:---|\.\.\.)(?=[ \t\r]|$)")


@dataclass(slots=True)
class _Line:
    """A line that is neither blank nor a comment."""

    start: int
    indent: int
    end: int


class YAML(DataLanguage, Language):
    """YAML streams."""

    name: ClassVar[str] = "yaml"
    capability: ClassVar[Capability] = Capability("outline")
    comments_align: ClassVar[bool] = True

    def collect(self, scan: Scan) -> None:
        """Each line at the margin begins a key or an item; what is deeper belongs to it."""
        lines = _lines(scan)
        index = 0
        keyed = False
        while index < len(lines):
            line = lines[index]
            if line.indent:
                index += 1
                continue
            if _MARKER.match(scan.data, line.start, line.end):
                keyed = False
                index += 1
                continue
            last = index
            is_item = _ITEM.match(scan.data, line.start, line.end) is not None
            while last + 1 < len(lines) and self._continues(scan, lines[last + 1], is_item=is_item):
                last += 1
            if is_item and not keyed:
                self._item(scan, lines[index : last + 1])
            elif not is_item:
                keyed = self._key(scan, lines[index : last + 1], top=True) or keyed
            index = last + 1

    @staticmethod
    def _continues(scan: Scan, line: _Line, *, is_item: bool) -> bool:
        if line.indent:
            return True
        # A list may stand at the margin of the key that holds it; a closing bracket too.
        first = scan.data[line.start : line.start + 2]
        return first[:1] in b"]}" or (not is_item and first in (b"- ", b"-\n", b"-\r"))

    def _key(self, scan: Scan, lines: list[_Line], *, top: bool) -> bool:
        first = lines[0]
        key = _KEY.match(scan.data, first.start, first.end)
        if key is None or b" #" in key.group():
            return False
        line = scan.data.find(b"\n", first.start, lines[-1].end)
        if not top and line < 0:
            return True
        name = key.span(key.lastindex or 3)
        draft = add_range(scan, SymbolKind.PROPERTY, (first.start, lines[-1].end), name)
        draft.head_end = line if line >= 0 else first.end
        rest = scan.data[key.end() : first.end].strip()
        if rest.startswith(b"{"):
            draft.kind = SymbolKind.SECTION
        inner = lines[1:]
        if inner and inner[0].indent > first.indent and _OPEN.match(scan.data, key.end(), first.end):
            self._members(scan, draft, inner, top=top)
        return True

    def _members(self, scan: Scan, owner: Draft, lines: list[_Line], *, top: bool) -> None:
        """The keys of the mapping that `lines` are, if they are one."""
        if not _KEY.match(scan.data, lines[0].start, lines[0].end):
            return
        owner.kind = SymbolKind.SECTION
        owner.body = lines[0].start
        if not top:
            return
        indent = lines[0].indent
        starts = [index for index, line in enumerate(lines) if self._begins_member(scan, line, indent)]
        for start, after in zip(starts, [*starts, len(lines)][1:], strict=True):
            self._key(scan, lines[start:after], top=False)

    @staticmethod
    def _begins_member(scan: Scan, line: _Line, indent: int) -> bool:
        # A list at its key's own margin continues the key.
        return line.indent == indent and not _ITEM.match(scan.data, line.start, line.end)

    def _item(self, scan: Scan, lines: list[_Line]) -> None:
        """`- name: ...` in a top-level list, the way playbooks name their plays."""
        first = lines[0]
        dash = _ITEM.match(scan.data, first.start, first.end)
        inside = dash.end() if dash is not None else first.start
        column = inside - first.start
        for line in lines:
            at = inside if line is first else line.start
            name = _NAME.match(scan.data, at, line.end) if line is first or line.indent == column else None
            if name is not None:
                draft = add_range(
                    scan, SymbolKind.SECTION, (first.start, lines[-1].end), name.span(name.lastindex or 3)
                )
                draft.body = draft.head_end = line.end
                return


def _lines(scan: Scan) -> list[_Line]:
    """The lines that say something; comments go to the scan, but not those inside block scalars."""
    data = scan.data
    lines: list[_Line] = []
    position = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    # The indentation that a block scalar's text must exceed; -1 outside one.
    scalar = -1
    while position < len(data):
        stop = data.find(b"\n", position)
        stop = len(data) if stop < 0 else stop
        line = data[position:stop]
        bare = line.strip(b" \t\r")
        start = position + len(line) - len(line.lstrip(b" \t"))
        indent, position = start - position, stop + 1
        if not bare:
            continue
        if scalar >= 0 and indent > scalar:
            lines[-1].end = start + len(bare)
            continue
        scalar = -1
        if bare.startswith(b"#"):
            scan.add_comment(start, start + len(bare))
            continue
        lines.append(_Line(start, indent, start + len(bare)))
        if _SCALAR.search(bare):
            scalar = indent
    return lines


_SCALAR = re.compile(rb"(?:^|[ \t:-])[|>](?:[+-]?\d?|\d[+-])[ \t]*(?:#[^\n]*)?$")
