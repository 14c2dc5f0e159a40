"""A trained table as the files that ship: int8 vectors, integer weights, vocabulary and manifest.

Each row is scaled by its largest component and the scale is folded into the token's weight, so that the quantised model
pools exactly as the trained one up to rounding. It measures nothing; the figures it records are handed to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satori.embedding.weights import FORMAT, VECTORS, VOCABULARY, WEIGHTS

__all__ = ["MAX_BYTES", "quantised", "write"]

MAX_BYTES = 16 * 1024 * 1024
"""The largest int8 table that may ship."""


def quantised(table: NDArray[np.float32], weights: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.uint16]]:
    """(vectors, weights) as the runtime's `TokenTable` takes them."""
    largest = np.maximum(np.abs(table).max(axis=1), 1e-12)
    vectors = np.rint(table / largest[:, None] * 127).astype(np.int8)
    pulled = weights * largest
    return vectors, np.maximum(np.rint(pulled / pulled.max() * 65_535), 1).astype(np.uint16)


def write(
    folder: Path,
    name: str,
    table: NDArray[np.float32],
    weights: NDArray[np.float32],
    vocabulary: Sequence[str],
    training: Mapping[str, Any],
) -> None:
    """Write the model's files; `training` (recipe, corpus and figures) is recorded in the manifest as it is."""
    vectors, integers = quantised(table, weights)
    if vectors.nbytes > MAX_BYTES:
        raise ValueError(f"{vectors.nbytes} bytes of vectors exceed {MAX_BYTES}")
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / VECTORS, vectors)
    np.save(folder / WEIGHTS, integers)
    (folder / VOCABULARY).write_text("".join(word + "\n" for word in vocabulary), "utf-8")
    files = {}
    for file in (VECTORS, VOCABULARY, WEIGHTS):
        data = (folder / file).read_bytes()
        files[file] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    manifest = {
        "format": FORMAT,
        "name": name,
        "tokens": len(vocabulary),
        "dimension": int(vectors.shape[1]),
        "files": files,
        "training": dict(training),
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", "utf-8")
