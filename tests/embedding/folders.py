"""A model2vec folder made from the shipped table: the real format with real vectors, small and without any download."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordLevel

from satori.embedding.weights import DATA


def write_tensors(path: Path, tensors: dict[str, NDArray[Any]]) -> None:
    """A safetensors file, as its specification says: header length, JSON header, arrays."""
    names = {"float32": "F32", "float16": "F16", "float64": "F64", "int64": "I64", "int8": "I8"}
    header: dict[str, Any] = {"__metadata__": {"format": "np"}}
    offset, blocks = 0, []
    for name, array in tensors.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": names[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(raw)],
        }
        offset += len(raw)
        blocks.append(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(blocks))


def shipped_tokens(count: int) -> tuple[list[str], NDArray[np.float32]]:
    """The first tokens of the shipped table and their weighted vectors."""
    words = (DATA / "vocabulary.txt").read_text("utf-8").split("\n")[:count]
    vectors = np.load(DATA / "vectors.npy", mmap_mode="r")[:count].astype(np.float32)
    weights = np.load(DATA / "weights.npy")[:count].astype(np.float32)
    return words, vectors * (weights / weights.max())[:, np.newaxis]


def write_model(
    folder: Path, count: int = 4000, *, mapped: bool = False, dtype: str = "float32", name: str = "embeddings"
) -> Path:
    """A folder that model2vec reads as well: one unknown token, then the shipped table's first `count`; `mapped` uses
    the newer layout with a vector for several tokens and a weight for each."""
    folder.mkdir(parents=True, exist_ok=True)
    words, vectors = shipped_tokens(count)
    tokens = ["[UNK]", *words]
    tokenizer = Tokenizer(WordLevel({token: at for at, token in enumerate(tokens)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation("removed")]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    table = np.concatenate([np.zeros((1, vectors.shape[1]), np.float32), vectors]).astype(dtype)
    tensors: dict[str, NDArray[Any]] = {name: table}
    if mapped:
        norms = np.linalg.norm(table.astype(np.float64), axis=1)
        tensors[name] = (table / np.maximum(norms, 1e-9)[:, np.newaxis]).astype(dtype)
        tensors["weights"] = norms
        tensors["mapping"] = np.arange(len(tokens), dtype=np.int64)
    write_tensors(folder / "model.safetensors", tensors)
    config = {"model_type": "model2vec", "architectures": ["StaticModel"], "normalize": True, "embedding_dtype": dtype}
    (folder / "config.json").write_text(json.dumps(config))
    return folder
