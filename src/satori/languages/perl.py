"""Perl: packages, subroutines, methods, constants, package variables, attributes by `has`, subtests.

Read line by line without a grammar: the one that ships overflows its own buffer on some hundred nested interpolations
and takes the process with it. A block ends at the closing bracket at its own margin, which is how Perl is written;
POD, here-documents and what follows `__END__` are not code. A package statement holds everything to the next one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from satori.languages.base import Capability, Language
from satori.languages.draft import Draft, Scan
from satori.languages.outline import DataLanguage, add_range, trim_end
from satori.model.definition import DefinitionFlag, SymbolKind

_POD = re.compile(rb"=[a-zA-Z]")
_HEREDOC = re.compile(rb"<<(~?)(?:\"([A-Za-z_]\w*)\"|'([A-Za-z_]\w*)'|([A-Z_][A-Z0-9_]*)\b)")
_STRING = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|(?<![$\\\w])#[^\n]*|\\.")
_PACKAGE = re.compile(rb"(package|class)\s+([A-Za-z_][\w:]*)[^;{\n]*([;{])")
_SUB = re.compile(
    rb"(?:(?:my|our|state|async)\s+)*(?:sub\s+|(?:method|func?)\s+(?=\w+\s*[({]))([A-Za-z_][\w:']*)\s*([({:;]|$)"
)
_CONSTANT = re.compile(rb"use\s+constant\s+(?:([A-Za-z_]\w*)\s*(?:=>|,)|(\{))")
_PAIR = re.compile(rb"(?:^|[{,])\s*([A-Za-z_]\w*)\s*=>")
_VARIABLE = re.compile(rb"(our|my)\s+[$@%]([A-Za-z_]\w*)\s*=(?![=~])\s*(sub\b)?")
_HAS = re.compile(rb"has\s+(?:\(\s*)?(?:([A-Za-z_]\w*)\s*=>|'\+?([A-Za-z_]\w*)'|\"([A-Za-z_]\w*)\")")
_SUBTEST = re.compile(rb"subtest\s+(?:'([^'\n]+)'|\"([^\"\n]+)\")\s*(?:=>|,)\s*sub\b")
_OWNERS = (SymbolKind.MODULE, SymbolKind.CLASS)


@dataclass(slots=True)
class _Line:
    """A line of code: where its text starts and ends, and the white space before it."""

    start: int
    end: int
    margin: bytes


class Perl(DataLanguage, Language):
    """Perl 5."""

    name: ClassVar[str] = "perl"
    capability: ClassVar[Capability] = Capability(
        "outline",
        tests=True,
    )

    def collect(self, scan: Scan) -> None:
        """Each line may begin a definition; its block is found by its margin."""
        lines, limit = _lines(scan)
        opened: list[Draft] = []
        for index, line in enumerate(lines):
            text = scan.data[line.start : line.end]
            package = _PACKAGE.match(text)
            if package is not None:
                kind = SymbolKind.CLASS if package.group(1) == b"class" else SymbolKind.MODULE
                draft = self._add(scan, kind, line, package.span(2), DefinitionFlag.EXPORTED)
                draft.segment = draft.name.replace("::", ".")
                draft.head_end = line.start + package.end(2)
                if opened:
                    opened.pop().end = trim_end(scan.data, 0, line.start)
                if package.group(3) == b"{":
                    draft.end = _block_end(scan.data, lines, index)
                    draft.body = line.start + package.end() - 1
                else:
                    opened.append(draft)
            else:
                self._statement(scan, lines, index, text)
        for draft in opened:
            draft.end = trim_end(scan.data, draft.start, limit)

    def _statement(self, scan: Scan, lines: list[_Line], index: int, text: bytes) -> None:
        line = lines[index]
        first = text[:1]
        if first in b"smfa" and (sub := _SUB.match(text)) is not None:
            self._sub(scan, lines, index, sub)
        elif first == b"u" and (constant := _CONSTANT.match(text)) is not None:
            self._constants(scan, lines, index, constant)
        elif first in b"om" and (variable := _VARIABLE.match(text)) is not None:
            hidden = variable.group(1) == b"my"
            flags = DefinitionFlag.NONE if hidden else DefinitionFlag.EXPORTED
            kind = SymbolKind.FUNCTION if variable.group(3) else SymbolKind.CONSTANT
            draft = self._add(scan, kind, line, variable.span(2), flags)
            draft.end = _statement_end(scan.data, lines, index)
        elif first == b"h" and (has := _HAS.match(text)) is not None:
            draft = self._add(scan, SymbolKind.PROPERTY, line, has.span(has.lastindex or 1), DefinitionFlag.EXPORTED)
            draft.end = _statement_end(scan.data, lines, index)
        elif first == b"s" and (subtest := _SUBTEST.match(text)) is not None:
            draft = self._add(scan, SymbolKind.TEST, line, subtest.span(subtest.lastindex or 1), DefinitionFlag.TEST)
            draft.end = _statement_end(scan.data, lines, index)
            draft.head_end = draft.name_end + 1

    def _add(self, scan: Scan, kind: SymbolKind, line: _Line, name: tuple[int, int], flags: int) -> Draft:
        draft = add_range(scan, kind, (line.start, line.end), (line.start + name[0], line.start + name[1]))
        draft.flags = flags
        return draft

    def _sub(self, scan: Scan, lines: list[_Line], index: int, found: re.Match[bytes]) -> None:
        """`sub name {`; `sub Other::name {` belongs to Other; `sub name;` declares."""
        draft = self._add(scan, SymbolKind.FUNCTION, lines[index], found.span(1), DefinitionFlag.EXPORTED)
        if found.group(2) == b";":
            draft.flags |= DefinitionFlag.DECLARATION_ONLY
            draft.end = draft.name_end
        else:
            draft.end = _block_end(scan.data, lines, index)
            brace = scan.data.find(b"{", draft.name_end, draft.end)
            draft.body = brace if brace >= 0 else -1
        if "::" in draft.name:
            receiver, _, last = draft.name.rpartition("::")
            if last:
                draft.receiver, draft.name = receiver.replace("::", "."), last
                draft.name_start = draft.name_end - len(last)
        if draft.name.startswith("_"):
            draft.flags &= ~DefinitionFlag.EXPORTED

    def _constants(self, scan: Scan, lines: list[_Line], index: int, found: re.Match[bytes]) -> None:
        """`use constant NAME => ...`, `use constant { A => 1, B => 2 }`."""
        line = lines[index]
        end = _statement_end(scan.data, lines, index)
        if found.group(1):
            self._add(scan, SymbolKind.CONSTANT, line, found.span(1), DefinitionFlag.EXPORTED).end = end
            return
        for row in lines[index:]:
            if row.start >= end:
                break
            for pair in _PAIR.finditer(scan.data, row.start, min(row.end, end)):
                draft = add_range(scan, SymbolKind.CONSTANT, pair.span(1), pair.span(1))
                draft.leads, draft.flags = False, DefinitionFlag.EXPORTED
                draft.head, draft.head_end = row.start, row.end

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Subroutines of classes are methods; values inside subroutines are locals."""
        if draft.kind in (SymbolKind.CONSTANT, SymbolKind.PROPERTY):
            return owner is None or owner.kind in _OWNERS
        if draft.kind is SymbolKind.FUNCTION and owner is not None and owner.kind is SymbolKind.CLASS:
            draft.kind = SymbolKind.METHOD
        return True


def _lines(scan: Scan) -> tuple[list[_Line], int]:
    """The lines of code, and where code ends; comments and POD go to the scan."""
    data = scan.data
    found: list[_Line] = []
    position = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    pod = -1
    while position < len(data):
        stop = data.find(b"\n", position)
        stop = len(data) if stop < 0 else stop
        begin, position = position, stop + 1
        text = data[begin:stop].rstrip()
        if pod >= 0:
            if text == b"=cut" or text.startswith(b"=cut "):
                scan.add_comment(pod, begin + len(text))
                pod = -1
            continue
        if _POD.match(text):
            pod = begin
            continue
        bare = text.lstrip()
        if bare in (b"__END__", b"__DATA__"):
            return found, begin
        start = begin + len(text) - len(bare)
        if bare.startswith(b"#"):
            scan.add_comment(start, begin + len(text))
        elif bare:
            found.append(_Line(start, begin + len(text), data[begin:start]))
            if b"<<" in bare:
                position = _after_heredocs(data, bare, position)
    if pod >= 0:
        scan.add_comment(pod, len(data))
    return found, len(data)


def _after_heredocs(data: bytes, line: bytes, position: int) -> int:
    """Where code goes on after the here-documents that `line` opens."""
    for heredoc in _HEREDOC.finditer(line):
        tag = heredoc.group(heredoc.lastindex or 4)
        margin = rb"[ \t]*" if heredoc.group(1) else rb""
        close = re.compile(rb"^" + margin + tag + rb"\r?$", re.MULTILINE).search(data, position)
        if close is None:
            break
        position = close.end() + 1
    return position


def _balance(text: bytes) -> int:
    """Opening minus closing brackets of a line, without those in plain strings and comments."""
    bare = _STRING.sub(b"", text)
    return sum(bare.count(opening) for opening in (b"{", b"(", b"[")) - sum(
        bare.count(closing) for closing in (b"}", b")", b"]")
    )


def _block_end(data: bytes, lines: list[_Line], index: int) -> int:
    """The end of the block that begins on a line: on it, or at the closing bracket at the same margin."""
    line = lines[index]
    text = data[line.start : line.end]
    if b"}" in text and _balance(text) <= 0:
        return line.start + text.rindex(b"}") + 1
    for later in lines[index + 1 :]:
        if later.margin == line.margin:
            if data.startswith(b"}", later.start):
                return later.start + 1
            if not data.startswith((b"{", b")", b"("), later.start):
                break
    return _unclosed_end(data, lines, index)


def _statement_end(data: bytes, lines: list[_Line], index: int) -> int:
    """The end of the statement that begins on a line: its semicolon, or that of the closing bracket at the margin."""
    line = lines[index]
    text = data[line.start : line.end]
    if _balance(text) <= 0:
        code = _STRING.sub(lambda found: b" " * len(found.group()), text).rstrip()
        if code.endswith(b";") or index + 1 >= len(lines) or len(lines[index + 1].margin) <= len(line.margin):
            return line.start + max(code.rfind(b";") + 1, len(code) if not code.endswith(b";") else 0)
    for later in lines[index + 1 :]:
        if later.margin == line.margin and data[later.start : later.start + 1] in b"})]":
            return later.end
        if len(later.margin) <= len(line.margin):
            break
    return _unclosed_end(data, lines, index)


def _unclosed_end(data: bytes, lines: list[_Line], index: int) -> int:
    """Where something ends that its margin does not close: before the next line at its margin."""
    end = lines[index].end
    for later in lines[index + 1 :]:
        if len(later.margin) <= len(lines[index].margin):
            break
        end = later.end
    return end
