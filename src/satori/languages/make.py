"""Make: targets with their recipes, variables, `define`d macros.

Read line by line without a grammar. Special targets (`.PHONY`) and additions (`+=`) are not symbols; conditionals are
read as if every branch were taken.
"""

from __future__ import annotations

import re
from typing import ClassVar

from satori.languages.base import Capability, Language
from satori.languages.draft import Draft, Scan
from satori.languages.outline import DataLanguage, add_range
from satori.model.definition import SymbolKind

_VARIABLE = re.compile(rb"(?:(?:export|override|private)[ \t]+)*([A-Za-z_][\w.\-/%]*)[ \t]*(?:\?|:{1,3}|!)?=(?!=)")
_DEFINE = re.compile(rb"(?:override[ \t]+)?define[ \t]+([^\s=]+)")
_RULE = re.compile(rb"([^\s#=:][^#=:\n]*?)[ \t]*(::?)(?![:=])([^\n]*)")
_ASSIGNS = re.compile(rb"[ \t]*[\w.\-]+[ \t]*(?:\?|:{1,3}|\+|!)?=")
_CALL = re.compile(rb"\$\((?:info|warning|error|eval|call|shell|foreach|if|and|or)\b")
_CONDITIONAL = re.compile(rb"[ \t]*(?:if(?:n?eq|n?def)|else|endif|include|-include|sinclude|unexport|vpath)\b")


class Make(DataLanguage, Language):
    """GNU and BSD makefiles."""

    name: ClassVar[str] = "make"
    capability: ClassVar[Capability] = Capability("outline")

    def collect(self, scan: Scan) -> None:
        """Go through logical lines; a recipe belongs to the rule above it."""
        rule: Draft | None = None
        macro: Draft | None = None
        for start, end in _logical_lines(scan.data):
            line = scan.data[start:end]
            if macro is not None:
                if line.strip().startswith(b"endef"):
                    macro.end = start + len(line.rstrip())
                    macro = None
                continue
            if line.startswith(b"\t"):
                if rule is not None and line.strip():
                    rule.end = start + len(line.rstrip())
                continue
            bare = line.lstrip(b" ")
            start += len(line) - len(bare)
            if not bare.strip():
                continue
            if bare.startswith(b"#"):
                scan.add_comment(start, start + len(bare.rstrip()))
                continue
            defined = _DEFINE.match(bare)
            if defined is not None:
                macro = self._add(scan, SymbolKind.MACRO, start, bare, defined.span(1))
                rule = None
            elif not _CONDITIONAL.match(bare):
                rule = self._statement(scan, start, bare)

    def _statement(self, scan: Scan, start: int, line: bytes) -> Draft | None:
        variable = _VARIABLE.match(line)
        if variable is not None:
            self._add(scan, SymbolKind.CONSTANT, start, line, variable.span(1))
            return None
        rule = _RULE.match(line)
        if rule is None or _CALL.match(line) or _ASSIGNS.match(rule.group(3)):
            return None
        names = list(re.finditer(rb"[^\s&]+", rule.group(1)))
        first: Draft | None = None
        for name in names:
            if name.group().startswith(b".") and name.group()[1:].isupper():
                continue
            if first is None:
                first = self._add(scan, SymbolKind.FUNCTION, start, line, name.span())
                first.head_end = start + rule.end()
            else:
                span = (start + name.start(), start + name.end())
                other = add_range(scan, SymbolKind.FUNCTION, span, span)
                other.leads, other.peer = False, True
        return first

    def _add(self, scan: Scan, kind: SymbolKind, start: int, line: bytes, name: tuple[int, int]) -> Draft:
        span = (start, start + len(line.rstrip()))
        return add_range(scan, kind, span, (start + name[0], start + name[1]))


def _logical_lines(data: bytes) -> list[tuple[int, int]]:
    """Ranges of lines, joined where a line ends with a backslash; without their line breaks."""
    lines: list[tuple[int, int]] = []
    position = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    while position < len(data):
        start = position
        while True:
            stop = data.find(b"\n", position)
            stop = len(data) if stop < 0 else stop
            position = stop + 1
            if position >= len(data) or not data[max(start, stop - 2) : stop].rstrip(b"\r").endswith(b"\\"):
                break
        lines.append((start, stop))
    return lines
