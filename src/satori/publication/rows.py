"""How paths, symbols, chunks and file contents are stored: columns of JSON and source text, compressed.

A file's symbols are read together, so they are one value; what can be derived (index, breadcrumbs, path) is not stored.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any

from satori.model.chunk import Chunk, ChunkKind
from satori.model.definition import DefinitionFlag, SymbolKind
from satori.model.span import Span
from satori.model.symbol import Symbol

# Level 1 costs a third of level 6 and its output is a tenth larger; contents are the bulk of the state, so they get 3.
_ROWS_LEVEL = 1
_CONTENT_LEVEL = 3


def store_path(path: str) -> str | bytes:
    """A path as SQLite can hold it: names that are not UTF-8 (always skipped files) are stored as their bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogateescape")
    return path


def load_path(stored: str | bytes) -> str:
    """The inverse of `store_path`."""
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogateescape")


def pack_content(data: bytes) -> bytes:
    """A file's bytes as stored."""
    return zlib.compress(data, _CONTENT_LEVEL)


def unpack_content(packed: bytes) -> bytes:
    """The inverse of `pack_content`; raises ValueError on damaged bytes (zlib carries its own checksum)."""
    try:
        return zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError(f"stored content is damaged: {error}") from error


def pack_symbols(symbols: Sequence[Symbol]) -> bytes:
    """One file's symbols, in order."""
    columns = [
        [s.parent for s in symbols],
        [s.kind.value for s in symbols],
        [s.name for s in symbols],
        [s.qualified_name for s in symbols],
        [s.span.start for s in symbols],
        [s.span.end for s in symbols],
        [s.span.start_line for s in symbols],
        [s.span.end_line for s in symbols],
        [s.name_start for s in symbols],
        [s.name_end for s in symbols],
        [s.body_start for s in symbols],
        [s.signature for s in symbols],
        [s.documentation for s in symbols],
        [int(s.flags) for s in symbols],
        [s.receiver for s in symbols],
        [s.key for s in symbols],
        [s.text_hash for s in symbols],
    ]
    text = json.dumps([symbols[0].language if symbols else "", *columns], ensure_ascii=True, separators=(",", ":"))
    return zlib.compress(text.encode("ascii"), _ROWS_LEVEL)


def unpack_symbols(packed: bytes, path: str) -> list[Symbol]:
    """The inverse of `pack_symbols` for the file at `path`; raises ValueError on damaged bytes."""
    language, *columns = _load(packed)
    symbols: list[Symbol] = []
    for row in zip(*columns, strict=True):
        parent = row[0]
        owner = symbols[parent] if parent > 0 else None
        symbols.append(
            Symbol(
                path=path,
                language=language,
                index=len(symbols),
                parent=parent,
                kind=_KINDS[row[1]],
                name=row[2],
                qualified_name=row[3],
                breadcrumbs=(*owner.breadcrumbs, owner.name) if owner else (),
                span=Span(row[4], row[5], row[6], row[7]),
                name_start=row[8],
                name_end=row[9],
                body_start=row[10],
                signature=row[11],
                documentation=row[12],
                flags=_flag(row[13]),
                receiver=row[14],
                key=row[15],
                text_hash=row[16],
            )
        )
    return symbols


def pack_chunks(chunks: Sequence[Chunk]) -> bytes:
    """One file's chunks, in order."""
    columns = [
        [c.owner for c in chunks],
        [c.kind.value for c in chunks],
        [c.span.start for c in chunks],
        [c.span.end for c in chunks],
        [c.span.start_line for c in chunks],
        [c.span.end_line for c in chunks],
    ]
    return zlib.compress(json.dumps(columns, separators=(",", ":")).encode("ascii"), _ROWS_LEVEL)


def unpack_chunks(packed: bytes) -> list[Chunk]:
    """The inverse of `pack_chunks`; raises ValueError on damaged bytes."""
    return [
        Chunk(owner, ChunkKind(kind), Span(start, end, first, last))
        for owner, kind, start, end, first, last in zip(*_load(packed), strict=True)
    ]


_KINDS = {kind.value: kind for kind in SymbolKind}
_FLAGS: dict[int, DefinitionFlag] = {}


def _flag(bits: int) -> DefinitionFlag:
    flag = _FLAGS.get(bits)
    if flag is None:
        flag = _FLAGS[bits] = DefinitionFlag(bits)
    return flag


def _load(packed: bytes) -> list[Any]:
    try:
        loaded = json.loads(zlib.decompress(packed))
    except (zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"stored rows are damaged: {error}") from error
    if not isinstance(loaded, list):
        raise ValueError("stored rows are damaged: not a list of columns")
    return loaded
