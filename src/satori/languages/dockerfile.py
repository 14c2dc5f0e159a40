"""Dockerfiles: build stages, build arguments, environment variables.

Read line by line without a grammar: continuation lines, comments between them and here-documents are part of their
instruction. A stage reaches to its last instruction and is called by its alias, or by its image.
"""

from __future__ import annotations

import re
from typing import ClassVar

from satori.languages.base import Capability, Language
from satori.languages.draft import Draft, Scan
from satori.languages.outline import DataLanguage, add_range, trim_end
from satori.model.definition import SymbolKind

_INSTRUCTION = re.compile(rb"[ \t]*([A-Za-z]+)[ \t]+")
_FROM = re.compile(rb"(?:--\S+[ \t]+)*(\S+)(?:[ \t]+[Aa][Ss][ \t]+(\S+))?")
_NAME = re.compile(rb"[A-Za-z_][\w.\-]*")
_PAIR = re.compile(rb"""([A-Za-z_][\w.\-]*)=(?:"(?:[^"\\]|\\.)*"|'[^']*'|(?:[^\s\\"']|\\.)*)+""", re.DOTALL)
_HEREDOC = re.compile(rb"<<-?[ \t]*([\"']?)([A-Za-z_]\w*)\1")
_ESCAPE = re.compile(rb"\A(?:#[^\n]*\n)*?#[ \t]*escape[ \t]*=[ \t]*`", re.IGNORECASE)


class Dockerfile(DataLanguage, Language):
    """Dockerfiles and Containerfiles."""

    name: ClassVar[str] = "dockerfile"
    capability: ClassVar[Capability] = Capability("outline")

    def collect(self, scan: Scan) -> None:
        """Go through instructions; a stage takes every instruction up to the next `FROM`."""
        stage: Draft | None = None
        for start, end in _instructions(scan):
            text = scan.data[start:end]
            word = _INSTRUCTION.match(text)
            keyword = word.group(1).upper() if word is not None else b""
            at = word.end() if word is not None else 0
            if keyword == b"FROM":
                image = _FROM.match(text, at)
                if image is None:
                    continue
                group = 2 if image.group(2) else 1
                name = (start + image.start(group), start + image.end(group))
                stage = add_range(scan, SymbolKind.SECTION, (start, end), name)
                stage.body = stage.head_end = end
                continue
            if stage is not None:
                stage.end = end
            if keyword == b"ARG" or (keyword == b"ENV" and not _PAIR.match(text, at)):
                found = _NAME.match(text, at)
                if found is not None:
                    add_range(scan, SymbolKind.PROPERTY, (start, end), (start + found.start(), start + found.end()))
            elif keyword == b"ENV":
                self._pairs(scan, start, end, at)

    def _pairs(self, scan: Scan, start: int, end: int, at: int) -> None:
        pairs = list(_PAIR.finditer(scan.data, start + at, end))
        for pair in pairs:
            span = (start, end) if len(pairs) == 1 else pair.span(1)
            draft = add_range(scan, SymbolKind.PROPERTY, span, pair.span(1))
            if len(pairs) > 1:
                draft.leads = False
                draft.head, draft.head_end = start, end

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """A variable before the first stage is a constant of the file."""
        if draft.kind is SymbolKind.PROPERTY and owner is None:
            draft.kind = SymbolKind.CONSTANT
        return True


def _instructions(scan: Scan) -> list[tuple[int, int]]:
    """Ranges of instructions with their continuation lines and here-documents; comments go to the scan."""
    data = scan.data
    mark = b"`" if _ESCAPE.match(data[:512]) else b"\\"
    found: list[tuple[int, int]] = []
    start = end = -1
    position = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    while position < len(data):
        stop = data.find(b"\n", position)
        stop = len(data) if stop < 0 else stop
        line = data[position:stop]
        bare = line.strip()
        first = position + len(line) - len(line.lstrip())
        position = stop + 1
        if bare.startswith(b"#"):
            scan.add_comment(first, first + len(bare))
            continue
        if not bare:
            continue
        start = first if start < 0 else start
        end = first + len(bare)
        if bare.endswith(mark):
            continue
        for heredoc in _HEREDOC.finditer(data, start, end):
            close = re.compile(rb"^[ \t]*" + heredoc.group(2) + rb"[ \t]*\r?$", re.MULTILINE).search(data, position)
            if close is None:
                break
            end, position = trim_end(data, start, close.end()), close.end() + 1
        found.append((start, end))
        start = -1
    if start >= 0:
        found.append((start, end))
    return found
