"""Cuts a file into chunks along its symbols.

A leaf symbol is one chunk up to `MAX_BYTES`, then split on line boundaries with a stated overlap. A container is a
header chunk, and its members are chunks of their own; text between members forms further chunks of the container;
text outside all symbols belongs to the file. The union of all chunks covers every non-blank byte, and no byte is in
two chunks except the overlap. Short fields, constants, aliases and prototypes stay inside their container's text:
a forty-byte chunk retrieves badly, and the innermost symbol around a match is found again when an answer is made.

It never looks at what the text says; that is the projections' work.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.chunks.lines import LineIndex
from satori.model.chunk import Chunk, ChunkKind
from satori.model.definition import DefinitionFlag, SymbolKind
from satori.model.symbol import Symbol

# File rank hardly depends on the bound between 800 and 2,400 bytes (docs/retrieval.md);
# 1,500 keeps most functions whole.
MAX_BYTES = 1500
# A container up to this size is one chunk: its members are too short to stand alone.
SMALL_CONTAINER_BYTES = 600
# Members below this size of the kinds in `_FOLDED` stay in their container's text.
FOLD_BYTES = 300
OVERLAP_BYTES = 160
# A stretch of a line this long (minified code, data) is cut inside the line, at a UTF-8 boundary.
_LONG_LINE = MAX_BYTES

_FOLDED = frozenset({SymbolKind.PROPERTY, SymbolKind.CONSTANT, SymbolKind.TYPE, SymbolKind.MACRO})
_WORD_BYTES = bytes(range(48, 58)) + bytes(range(65, 91)) + bytes(range(97, 123)) + bytes(range(128, 256)) + b"_"


def chunk_file(symbols: Sequence[Symbol], data: bytes, lines: LineIndex | None = None) -> list[Chunk]:
    """Chunks of one file in source order; `symbols[0]` is the file's own symbol, as `identify` gives them."""
    lines = lines or LineIndex(data)
    members: list[list[int]] = [[] for _ in symbols]
    for symbol in symbols[1:]:
        if not _is_folded(symbol):
            members[_chunked_parent(symbols, symbol)].append(symbol.index)
    cutter = _Cutter(symbols, members, data, lines)
    cutter.cut(0)
    return cutter.finished()


def _is_folded(symbol: Symbol) -> bool:
    size = symbol.span.end - symbol.span.start
    if size > FOLD_BYTES:
        return False
    return symbol.kind in _FOLDED or bool(symbol.flags & DefinitionFlag.DECLARATION_ONLY)


def _chunked_parent(symbols: Sequence[Symbol], symbol: Symbol) -> int:
    parent = symbol.parent
    while parent > 0 and _is_folded(symbols[parent]):
        parent = symbols[parent].parent
    return max(parent, 0)


class _Cutter:
    """Walks the symbol forest with an explicit stack, so that nesting depth is bounded by memory only."""

    def __init__(self, symbols: Sequence[Symbol], members: list[list[int]], data: bytes, lines: LineIndex) -> None:
        self.symbols = symbols
        self.members = members
        self.data = data
        self.lines = lines
        self.chunks: list[Chunk] = []
        self._pending = -1

    def cut(self, root: int) -> None:
        # A work item is a symbol to open, or a stretch of text (owner, kind, start, end) to emit.
        work: list[int | tuple[int, ChunkKind, int, int]] = [root]
        while work:
            item = work.pop()
            if isinstance(item, tuple):
                self._emit(*item)
                continue
            symbol = self.symbols[item]
            start, end = symbol.span.start, symbol.span.end
            inner = self.members[item]
            size = end - start
            opens = inner and (
                item == 0 or size > MAX_BYTES or (symbol.kind.is_container and size > SMALL_CONTAINER_BYTES)
            )
            if not opens:
                self._emit(item, ChunkKind.TEXT if item == 0 else ChunkKind.LEAF, start, end)
                continue
            parts: list[int | tuple[int, ChunkKind, int, int]] = []
            position, kind = start, ChunkKind.TEXT if item == 0 else ChunkKind.HEADER
            for member in inner:
                span = self.symbols[member].span
                if span.start > position:
                    parts.append((item, kind, position, span.start))
                parts.append(member)
                position, kind = max(position, span.end), ChunkKind.TEXT if item == 0 else ChunkKind.BETWEEN
            if end > position:
                parts.append((item, kind, position, end))
            work.extend(reversed(parts))

    def finished(self) -> list[Chunk]:
        """All chunks; a file of brackets alone is one chunk of text."""
        if not self.chunks and self._pending >= 0:
            self.chunks.append(Chunk(0, ChunkKind.TEXT, self.lines.span(*self._trim(self._pending, len(self.data)))))
        return self.chunks

    def _emit(self, owner: int, kind: ChunkKind, start: int, end: int) -> None:
        start, end = self._trim(start, end)
        if start >= end:
            return
        if kind in (ChunkKind.TEXT, ChunkKind.BETWEEN, ChunkKind.HEADER) and not self._has_words(start, end):
            # Brackets and rules alone: they join the chunk before them, or wait for the one after.
            if self.chunks:
                last = self.chunks[-1]
                self.chunks[-1] = Chunk(
                    last.owner, last.kind, self.lines.span(last.span.start, max(end, last.span.end))
                )
            elif self._pending < 0:
                self._pending = start
            return
        if self._pending >= 0:
            start, self._pending = self._pending, -1
        pieces = split(self.data, start, end, self.lines)
        if len(pieces) > 1 and kind is ChunkKind.LEAF:
            kind = ChunkKind.PART
        self.chunks.extend(Chunk(owner, kind, self.lines.span(low, high)) for low, high in pieces)

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        piece = self.data[start:end]
        stripped = piece.lstrip()
        if not stripped:
            return start, start
        # The first line keeps its indentation, so that a preview reads as written.
        low = start + len(piece) - len(stripped)
        line_start = self.lines.start_of(self.lines.line_at(low))
        low = max(start, line_start) if not self.data[line_start:low].strip() else low
        return low, start + len(piece.rstrip())

    def _has_words(self, start: int, end: int) -> bool:
        piece = self.data[start:end]
        return len(piece) - len(piece.translate(None, _WORD_BYTES)) >= 2


def split(data: bytes, start: int, end: int, lines: LineIndex) -> list[tuple[int, int]]:
    """Ranges of at most `MAX_BYTES` that cover `start:end`, cut on line boundaries with `OVERLAP_BYTES` of overlap.

    A cut prefers a blank line in the last part of the window, then any line boundary; a line longer than the bound is
    cut inside, at a UTF-8 boundary and without overlap.
    """
    pieces: list[tuple[int, int]] = []
    position = start
    while end - position > MAX_BYTES:
        limit = position + MAX_BYTES
        cut = _cut_point(data, position, limit)
        pieces.append((position, cut))
        position = _next_start(data, position, cut, lines)
    # A short rest joins the piece before it, unless that would pass the bound by much.
    if pieces and end - position < OVERLAP_BYTES and end - pieces[-1][0] <= MAX_BYTES + OVERLAP_BYTES:
        pieces[-1] = (pieces[-1][0], end)
    elif end > position:
        pieces.append((position, end))
    return pieces


def _cut_point(data: bytes, position: int, limit: int) -> int:
    blank = data.rfind(b"\n\n", position + MAX_BYTES // 2, limit)
    if blank != -1:
        return blank + 1
    line_break = data.rfind(b"\n", position + 1, limit)
    if line_break != -1 and line_break > position + MAX_BYTES // 4:
        return line_break + 1
    # Inside a long line: step back from a continuation byte (10xxxxxx) to the start of its character.
    cut = limit
    while cut > position + 1 and data[cut] & 0xC0 == 0x80:
        cut -= 1
    return cut


def _next_start(data: bytes, position: int, cut: int, lines: LineIndex) -> int:
    if data[cut - 1 : cut] != b"\n":
        return cut
    line = lines.line_at(cut - 1)
    start = cut
    while line > 0 and cut - lines.start_of(line) <= OVERLAP_BYTES and lines.start_of(line) > position:
        start = lines.start_of(line)
        line -= 1
    return start if start > position else cut
