"""How paths, symbols, chunks and file contents are stored: columns of JSON and source text, compressed.

A file's symbols are read together, so they are one value; what can be derived (index, breadcrumbs, path) is not stored.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b32encode
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from satori.model.chunk import Chunk, ChunkKind
from satori.model.definition import DefinitionFlag, SymbolKind
from satori.model.span import Span
from satori.model.symbol import Symbol

# Level 6 writes a tenth less than level 1 and costs 5 ms more for a thousand files; higher levels gain nothing.
LEVEL = 6
_KEY_CHARACTERS = 15
_HASH_CHARACTERS = 8
_KEY_BYTES = 10
_KEY = re.compile(r"s[a-z2-7]{15}")
# Base32 as keys spell it, to the digits that int() reads.
_TO_DIGITS = str.maketrans("abcdefghijklmnopqrstuvwxyz234567", "0123456789abcdefghijklmnopqrstuv")
_WHOLE = "="


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


def stored_key(key: str) -> bytes:
    """A symbol's key as it is indexed: 10 bytes for 16 characters (`s` and 15 of base32).

    Text that is no key gives bytes that are no symbol's.
    """
    if len(key) != _KEY_CHARACTERS + 1 or not _KEY.fullmatch(key):
        return key.encode("utf-8", "surrogatepass")
    return int(key[1:].translate(_TO_DIGITS), 32).to_bytes(_KEY_BYTES, "big")


def loaded_key(stored: bytes) -> str:
    """The inverse of `stored_key` for a key."""
    return (
        "s" + b32encode((int.from_bytes(stored, "big") << 5).to_bytes(_KEY_BYTES, "big"))[:-1].decode("ascii").lower()
    )


def pack_content(data: bytes) -> bytes:
    """A file's bytes as stored."""
    return zlib.compress(data, LEVEL)


def unpack_content(packed: bytes) -> bytes:
    """The inverse of `pack_content`; raises ValueError on damaged bytes (zlib carries its own checksum)."""
    try:
        return zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError(f"stored content is damaged: {error}") from error


def pack_symbols(symbols: Sequence[Symbol]) -> bytes:
    """One file's symbols, in order: places as distances, qualified names by what stands between their parts."""
    columns = [
        [s.parent for s in symbols],
        [s.kind.value for s in symbols],
        [s.name for s in symbols],
        [_qualifier(s, symbols) for s in symbols],
        distances([s.span.start for s in symbols]),
        [s.span.end - s.span.start for s in symbols],
        distances([s.span.start_line for s in symbols]),
        [s.span.end_line - s.span.start_line for s in symbols],
        [s.name_start - s.span.start for s in symbols],
        [s.name_end - s.name_start for s in symbols],
        [s.body_start - s.span.start for s in symbols],
        [s.signature for s in symbols],
        [s.documentation for s in symbols],
        [int(s.flags) for s in symbols],
        [s.receiver for s in symbols],
    ]
    keys = "".join(s.key[1:] for s in symbols)
    hashes = "".join(s.text_hash for s in symbols)
    return _packed([symbols[0].language if symbols else "", keys, hashes, *columns])


def unpack_symbols(packed: bytes, path: str) -> list[Symbol]:
    """The inverse of `pack_symbols` for the file at `path`; raises ValueError on damaged bytes."""
    language, keys, hashes, *columns = _load(packed)
    columns[4], columns[6] = places(columns[4]), places(columns[6])
    symbols: list[Symbol] = []
    for index, row in enumerate(zip(*columns, strict=True)):
        parent, kind, name, qualifier, start, length, first, lines, name_at, name_length, body, *said = row
        owner = symbols[parent] if parent > 0 else None
        if qualifier.startswith(_WHOLE):
            qualified_name = qualifier[1:]
        else:
            qualified_name = f"{owner.qualified_name if owner else ''}{qualifier}{name}"
        symbols.append(
            Symbol(
                path=path,
                language=language,
                index=index,
                parent=parent,
                kind=_KINDS[kind],
                name=name,
                qualified_name=qualified_name,
                breadcrumbs=(*owner.breadcrumbs, owner.name) if owner else (),
                span=Span(start, start + length, first, first + lines),
                name_start=start + name_at,
                name_end=start + name_at + name_length,
                body_start=start + body,
                signature=said[0],
                documentation=said[1],
                flags=_flag(said[2]),
                receiver=said[3],
                key="s" + keys[index * _KEY_CHARACTERS : (index + 1) * _KEY_CHARACTERS],
                text_hash=hashes[index * _HASH_CHARACTERS : (index + 1) * _HASH_CHARACTERS],
            )
        )
    return symbols


def _qualifier(symbol: Symbol, symbols: Sequence[Symbol]) -> str:
    """What stands between the owner's qualified name and the name in a symbol's own, else all of it, marked."""
    before = symbols[symbol.parent].qualified_name if symbol.parent > 0 else ""
    whole, name = symbol.qualified_name, symbol.name
    if len(whole) >= len(before) + len(name) and whole.startswith(before) and whole.endswith(name):
        between = whole[len(before) : len(whole) - len(name)]
        if not between.startswith(_WHOLE):
            return between
    return _WHOLE + whole


def pack_chunks(chunks: Sequence[Chunk]) -> bytes:
    """One file's chunks, in order."""
    columns = [
        [c.owner for c in chunks],
        [c.kind.value for c in chunks],
        distances([c.span.start for c in chunks]),
        [c.span.end - c.span.start for c in chunks],
        distances([c.span.start_line for c in chunks]),
        [c.span.end_line - c.span.start_line for c in chunks],
    ]
    return _packed(columns)


def unpack_chunks(packed: bytes) -> list[Chunk]:
    """The inverse of `pack_chunks`; raises ValueError on damaged bytes."""
    owners, kinds, starts, lengths, firsts, lines = _load(packed)
    return [
        Chunk(owner, ChunkKind(kind), Span(start, start + length, first, first + more))
        for owner, kind, start, length, first, more in zip(
            owners, kinds, places(starts), lengths, places(firsts), lines, strict=True
        )
    ]


def distances(values: Sequence[int]) -> list[int]:
    """Each value's distance from the one before: small numbers, many of them equal."""
    return [value - before for before, value in zip((0, *values), values, strict=False)]


def places(steps: Sequence[int]) -> list[int]:
    """The inverse of `distances`."""
    return list(accumulate(steps))


_KINDS = {kind.value: kind for kind in SymbolKind}
_FLAGS: dict[int, DefinitionFlag] = {}


def _flag(bits: int) -> DefinitionFlag:
    flag = _FLAGS.get(bits)
    if flag is None:
        flag = _FLAGS[bits] = DefinitionFlag(bits)
    return flag


def _packed(columns: list[Any]) -> bytes:
    return zlib.compress(json.dumps(columns, ensure_ascii=True, separators=(",", ":")).encode("ascii"), LEVEL)


def _load(packed: bytes) -> list[Any]:
    try:
        loaded = json.loads(zlib.decompress(packed))
    except (zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"stored rows are damaged: {error}") from error
    if not isinstance(loaded, list):
        raise ValueError("stored rows are damaged: not a list of columns")
    return loaded
