"""A base segment whose vectors are kept elsewhere: what stays behind, and how it is made whole again.

A bare segment holds the squared lengths of its rows in their place (`chunk_square`, `file_square`), so that a cosine
needs only dot products from the store. Rows have the order of `chunk_ids`: chunks, then each file's identity. Where
they are kept and how they are asked for is decided in `satori.publication.stores`.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from satori.embedding.similarity import squares
from satori.publication.segment import Segment

POSITION_BITS = 20
_VECTORS = {"chunk_vector": "chunk_square", "file_vector": "file_square"}


def chunk_ids(segment: Segment) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(chunk id, file row) of every chunk of a segment, then of every file's identity vector."""
    counts = np.diff(segment["file_chunks"])
    files = np.repeat(np.arange(len(counts)), counts)
    positions = np.arange(len(files)) - np.repeat(segment["file_chunks"][:-1], counts)
    file_ids = segment["file_id"].astype(np.int64)
    chunks = (file_ids[files] << POSITION_BITS) | positions
    identities = (file_ids << POSITION_BITS) | counts
    return np.concatenate([chunks, identities]), np.concatenate([files, np.arange(len(counts))])


def all_rows(segment: Segment) -> NDArray[np.int8]:
    """Every vector of a segment that holds them, in the order of `chunk_ids`."""
    return np.concatenate([segment["chunk_vector"], segment["file_vector"]])


def strip(path: Path) -> None:
    """Replace a saved segment by its bare form, in one step."""
    segment = Segment.load(path)
    arrays = {name: array for name, array in segment.arrays.items() if name not in _VECTORS}
    for name, square in _VECTORS.items():
        arrays[square] = squares(segment[name]).astype(np.int32)
    bare = Segment(arrays, {**segment.meta(), "bare_dimension": segment.dimension})
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    bare.save(temporary)
    temporary.replace(path)


def whole(segment: Segment) -> Segment:
    """The segment with its vectors, read from where they are kept. Raises StoreError."""
    if segment.source is None:
        return segment
    rows = segment.source.rows()
    arrays = {name: array for name, array in segment.arrays.items() if name not in _VECTORS.values()}
    arrays["chunk_vector"], arrays["file_vector"] = rows[: segment.chunk_count], rows[segment.chunk_count :]
    return Segment(arrays, {**segment.meta(), "bare_dimension": 0})
