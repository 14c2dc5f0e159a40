"""The shipped model's files: found in the package, checked against their manifest, mapped read-only.

`manifest.json` names each file with its size and SHA-256. Sizes are checked on every load; the hashes of the vocabulary
and the weights too, being small. The vectors' hash is checked by `verify` alone: reading them whole on every start
would cost more than it tells. It never repairs or replaces a file.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from satori.embedding.static import StaticEmbedder, TokenTable
from satori.embedding.tokens import Tokenizer
from satori.errors import EmbedderError

__all__ = ["DATA", "Manifest", "load_static", "verify"]

DATA = Path(__file__).with_name("data")
"""The directory of the shipped model."""

FORMAT = 1
VECTORS, WEIGHTS, VOCABULARY = "vectors.npy", "weights.npy", "vocabulary.txt"
_ADVICE = "Reinstall satori-code: its model files are part of the package."


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the model is made of: name, shape, and (bytes, SHA-256) of each file."""

    name: str
    tokens: int
    dimension: int
    files: dict[str, tuple[int, str]]

    @property
    def content_hash(self) -> str:
        """The first 8 hexadecimal digits of the hash over the files' hashes: changes whenever any vector can change."""
        joined = "\n".join(f"{name} {digest}" for name, (_, digest) in sorted(self.files.items()))
        return hashlib.sha256(joined.encode()).hexdigest()[:8]


def _manifest(folder: Path) -> Manifest:
    try:
        raw: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
        if raw["format"] != FORMAT:
            raise EmbedderError(f"The model's format is {raw['format']}, not {FORMAT}.", next_step=_ADVICE)
        files = {name: (int(entry["bytes"]), str(entry["sha256"])) for name, entry in raw["files"].items()}
        return Manifest(str(raw["name"]), int(raw["tokens"]), int(raw["dimension"]), files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderError(f"The model's manifest cannot be read: {error}.", next_step=_ADVICE) from error


def _check(folder: Path, manifest: Manifest, name: str, *, hashed: bool) -> None:
    try:
        size, digest = manifest.files[name]
        path = folder / name
        if path.stat().st_size != size or (hashed and hashlib.sha256(path.read_bytes()).hexdigest() != digest):
            raise EmbedderError(f"The model file {name} is damaged.", next_step=_ADVICE)
    except (OSError, KeyError) as error:
        raise EmbedderError(f"The model file {name} cannot be read: {error}.", next_step=_ADVICE) from error


def verify(folder: Path = DATA) -> None:
    """Check every file of the model against its recorded hash; raises EmbedderError naming the first that differs."""
    manifest = _manifest(folder)
    for name in (VOCABULARY, WEIGHTS, VECTORS):
        _check(folder, manifest, name, hashed=True)


def load_static(folder: Path = DATA) -> StaticEmbedder:
    """The embedder of a model directory, its vectors mapped rather than read; raises EmbedderError."""
    manifest = _manifest(folder)
    for name in (VOCABULARY, WEIGHTS, VECTORS):
        _check(folder, manifest, name, hashed=name != VECTORS)
    try:
        vectors = np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False)
        weights = np.load(folder / WEIGHTS, allow_pickle=False)
        vocabulary = (folder / VOCABULARY).read_text("utf-8").split("\n")[:-1]
    except (OSError, ValueError) as error:
        raise EmbedderError(f"The model cannot be read: {error}.", next_step=_ADVICE) from error
    shape = (manifest.tokens, manifest.dimension)
    if vectors.shape != shape or vectors.dtype != np.int8 or weights.shape != shape[:1] or len(vocabulary) != shape[0]:
        raise EmbedderError("The model's files do not fit together.", next_step=_ADVICE)
    name = f"{manifest.name}@{manifest.content_hash}"
    return StaticEmbedder(name, TokenTable(np.asarray(vectors), weights), Tokenizer(vocabulary))
