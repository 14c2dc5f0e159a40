"""Jupyter notebooks: one section a cell, and what code cells define, with spans in the notebook file.

Source in a notebook is JSON: a span there is the exact file bytes, quotes and escapes included. Names and signatures
are those of the code. Outputs are text. Cells of a language that has no module of its own are sections only.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import ClassVar

from tree_sitter import Node, Parser

from satori.languages.base import Capability, Grammar, Language
from satori.languages.draft import Scan
from satori.languages.outline import MAX_DATA_SYMBOLS, blanked, first_named, text_only
from satori.languages.registry import language_for
from satori.model.definition import Definition, FileFacts, SymbolKind
from satori.model.span import Span

_ESCAPE = re.compile(rb'\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])')
_PLAIN = {
    b'\\"': b'"',
    b"\\\\": b"\\",
    b"\\/": b"/",
    b"\\b": b" ",
    b"\\f": b" ",
    b"\\n": b"\n",
    b"\\r": b"\r",
    b"\\t": b"\t",
}
# IPython's own lines are not code to the cell's language; blanking them out keeps every offset.
_MAGIC = re.compile(rb"^[ \t]*[%!?][^\n]*", re.MULTILINE)
_NAME_BYTES = 80


@dataclass(slots=True)
class _Cell:
    """A cell's source as text, and where each piece of that text stands in the file."""

    kind: str
    start: int
    end: int
    pieces: list[bytes] = field(default_factory=list)
    # Parallel: where a piece starts in the text, where it starts and ends in the file.
    texts: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    size: int = 0

    def add(self, piece: bytes, start: int, end: int) -> None:
        """Append text that stands at `start:end` in the file."""
        if piece:
            self.pieces.append(piece)
            self.texts.append(self.size)
            self.files.append(start)
            self.ends.append(end)
            self.size += len(piece)

    def start_of(self, offset: int) -> int:
        """The file offset of the text byte at `offset`."""
        index = bisect_right(self.texts, offset) - 1
        inside = offset - self.texts[index]
        return min(self.files[index] + inside, self.ends[index])

    def end_of(self, offset: int) -> int:
        """The file offset just after the text byte before `offset`."""
        index = bisect_right(self.texts, offset - 1) - 1
        if len(self.pieces[index]) != self.ends[index] - self.files[index]:
            return self.ends[index]
        return self.files[index] + offset - self.texts[index]


class Notebook(Language):
    """`.ipynb`, format 4."""

    name: ClassVar[str] = "notebook"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("json")
    max_bytes: ClassVar[int] = 4 << 20

    def collect(self, scan: Scan) -> None:
        """Nothing: cells are made into definitions by `extract`."""

    def extract(self, data: bytes) -> FileFacts:
        """Sections and definitions of one notebook."""
        if len(data) > self.max_bytes:
            return text_only(self, f"{self.name} files above {self.max_bytes:,} bytes are served as text only")
        root = Parser(self.grammar.load()).parse(data).root_node
        members = _members(data, first_named(root))
        cells = _cells(data, members.get(b"cells"))
        host = language_for(_kernel(data, members.get(b"metadata")))
        lines = _Lines(data)
        definitions: list[Definition] = []
        for cell in cells:
            if len(definitions) < MAX_DATA_SYMBOLS:
                _define(data, cell, host, lines, definitions)
        return FileFacts(self.name, tuple(definitions), error_ranges=int(root.has_error))


class _Lines:
    """1-based line numbers of offsets."""

    def __init__(self, data: bytes) -> None:
        self.starts = [0] + [match.end() for match in re.finditer(rb"\n", data)]

    def span(self, start: int, end: int) -> Span:
        return Span(start, end, bisect_right(self.starts, start), bisect_right(self.starts, end - 1))


def _members(data: bytes, node: Node | None) -> dict[bytes, Node]:
    """The values of an object by raw key."""
    found: dict[bytes, Node] = {}
    for pair in node.named_children if node is not None and node.type == "object" else ():
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if pair.type == "pair" and key is not None and value is not None:
            found.setdefault(data[key.start_byte + 1 : key.end_byte - 1], value)
    return found


def _kernel(data: bytes, metadata: Node | None) -> str:
    """The language of the code cells; Python when the notebook does not say."""
    members = _members(data, metadata)
    for holder, key in ((b"kernelspec", b"language"), (b"language_info", b"name")):
        value = _members(data, members.get(holder)).get(key)
        if value is not None:
            return data[value.start_byte + 1 : value.end_byte - 1].decode("utf-8", "replace").lower()
    return "python"


def _cells(data: bytes, array: Node | None) -> list[_Cell]:
    """Every cell with source."""
    cells: list[_Cell] = []
    for item in array.named_children if array is not None and array.type == "array" else ():
        members = _members(data, item)
        kind, source = members.get(b"cell_type"), members.get(b"source")
        if kind is None or source is None:
            continue
        strings = [source] if source.type == "string" else [s for s in source.named_children if s.type == "string"]
        strings = [string for string in strings if string.end_byte - string.start_byte > 2]
        if not strings:
            continue
        word = data[kind.start_byte + 1 : kind.end_byte - 1].decode("utf-8", "replace")
        cell = _Cell(word, strings[0].start_byte, strings[-1].end_byte)
        for string in strings:
            _unescape(data, string.start_byte + 1, string.end_byte - 1, cell)
        cells.append(cell)
    return cells


def _unescape(data: bytes, start: int, end: int, cell: _Cell) -> None:
    position = start
    for escape in _ESCAPE.finditer(data, start, end):
        cell.add(data[position : escape.start()], position, escape.start())
        raw = escape.group()
        plain = _PLAIN.get(raw)
        if plain is None:
            plain = chr(int(raw[2:], 16)).encode("utf-8", "replace")
        cell.add(plain, *escape.span())
        position = escape.end()
    cell.add(data[position:end], position, end)


def _define(data: bytes, cell: _Cell, host: Language | None, lines: _Lines, definitions: list[Definition]) -> None:
    """The section of a cell, and what its code defines."""
    text = b"".join(cell.pieces)
    bare = text.lstrip(b" \t\r\n#%")
    if not bare:
        return
    name_start = cell.start_of(len(text) - len(bare))
    name_end = name_start
    limit = min(cell.end - 1, name_start + _NAME_BYTES)
    while name_end < limit and data[name_end] not in b'\\"\n':
        name_end += 1
    while name_end > name_start + 1 and name_end < len(data) and data[name_end] & 0xC0 == 0x80:
        name_end -= 1
    name_end = name_start + len(data[name_start:name_end].rstrip())
    if name_end <= name_start:
        return
    name = data[name_start:name_end].decode("utf-8", "replace")
    section = len(definitions)
    span = lines.span(cell.start, cell.end)
    definitions.append(Definition(SymbolKind.SECTION, name, name, -1, span, name_start, name_end, cell.start, name, ""))
    if cell.kind != "code" or host is None:
        return
    facts = host.extract(_MAGIC.sub(blanked, text))
    for inner in facts.definitions:
        start, end = cell.start_of(inner.span.start), cell.end_of(inner.span.end)
        definitions.append(
            Definition(
                inner.kind,
                inner.name,
                inner.qualified_name,
                section if inner.parent < 0 else section + 1 + inner.parent,
                lines.span(start, end),
                cell.start_of(inner.name_start),
                cell.end_of(inner.name_end),
                min(end, cell.start_of(inner.body_start)) if inner.body_start < inner.span.end else end,
                inner.signature,
                inner.documentation,
                inner.flags,
                inner.receiver,
            )
        )
