"""Named arrays in one block of bytes: what workers send, what deltas store, what readers map.

Layout: magic, header length, header hash, JSON header (array table and a free `meta` object), then arrays at 64-byte
boundaries, little-endian. Reading copies nothing, so a file that is memory-mapped costs its touched pages only.
It checks the header and the sizes; `verify` also checks the content hash. It does not know what the arrays mean.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satori.errors import DamagedError

_MAGIC = b"SATORI01"
_ALIGN = 64
_HASH_BYTES = 16
_HEADER_AT = len(_MAGIC) + 8 + _HASH_BYTES

Arrays = dict[str, NDArray[Any]]


def pack(arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> bytes:
    """One block; equal input gives equal bytes."""
    table: dict[str, list[Any]] = {}
    offset = 0
    blocks: list[bytes] = []
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        raw = array.tobytes()
        padding = -offset % _ALIGN
        offset += padding
        table[name] = [array.dtype.str, list(array.shape), offset, len(raw)]
        blocks.append(b"\0" * padding + raw)
        offset += len(raw)
    body = b"".join(blocks)
    digest = blake2b(body, digest_size=_HASH_BYTES).hexdigest()
    header = json.dumps({"arrays": table, "meta": meta, "size": len(body), "hash": digest}, sort_keys=True).encode()
    header += b" " * (-(_HEADER_AT + len(header)) % _ALIGN)
    head_hash = blake2b(header, digest_size=_HASH_BYTES).digest()
    return _MAGIC + len(header).to_bytes(8, "little") + head_hash + header + body


def unpack(
    block: bytes | memoryview | mmap.mmap, *, name: str = "block", verify: bool = False
) -> tuple[Arrays, dict[str, Any]]:
    """Views into `block` and its `meta`; DamagedError when the header, a size or (with `verify`) a byte is wrong."""
    view = memoryview(block)
    if len(view) < _HEADER_AT or bytes(view[: len(_MAGIC)]) != _MAGIC:
        raise _damaged(name, "it is not an array block")
    length = int.from_bytes(view[len(_MAGIC) : len(_MAGIC) + 8], "little")
    header = bytes(view[_HEADER_AT : _HEADER_AT + length])
    if len(header) != length or blake2b(header, digest_size=_HASH_BYTES).digest() != bytes(
        view[len(_MAGIC) + 8 : _HEADER_AT]
    ):
        raise _damaged(name, "its header is damaged")
    table = json.loads(header)
    body = view[_HEADER_AT + length :]
    if len(body) != table["size"]:
        raise _damaged(name, f"it holds {len(body)} bytes instead of {table['size']}")
    if verify and blake2b(body, digest_size=_HASH_BYTES).hexdigest() != table["hash"]:
        raise _damaged(name, "its content does not match its hash")
    arrays: Arrays = {}
    for key, (dtype, shape, offset, size) in table["arrays"].items():
        count = size // np.dtype(dtype).itemsize
        arrays[key] = np.frombuffer(body, dtype=dtype, count=count, offset=offset).reshape(shape)
    return arrays, table["meta"]


def map_file(path: Path, *, verify: bool = False) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a file, memory-mapped read-only."""
    try:
        with path.open("rb") as handle:
            mapped = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _damaged(path.name, "it cannot be mapped") from error
    return unpack(mapped, name=path.name, verify=verify)


def _damaged(name: str, what: str) -> DamagedError:
    return DamagedError(
        f"The stored arrays {name} cannot be used: {what}.",
        next_step="Rebuild them with `satori index --force PATH`.",
        code="segment_damaged",
    )
