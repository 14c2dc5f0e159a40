"""A ColBERT model's folder in the ONNX layout that PyLate's exporters write: which files, and what they configure.

    model_int8.onnx or model.onnx    transformer, projection and normalisation: a vector for each token
    tokenizer.json                   with the prefixes as tokens of its own
    onnx_config.json                 lengths, prefixes, expansion, words left out (wins over the next one)
    config_sentence_transformers.json
    satori-model.json                SHA-256 of each file, written when the folder was provisioned

Missing values are PyLate's own defaults (`pylate.models.ColBERT`). Nothing is loaded or fetched here.
"""

from __future__ import annotations

import hashlib
import json
import string
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from satori.errors import RerankerError

MODEL_FILES = ("model_int8.onnx", "model.onnx")
TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILES = ("config_sentence_transformers.json", "onnx_config.json")
MANIFEST_FILE = "satori-model.json"
_LONGEST = 8192
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class ColbertConfig:
    """How texts become token vectors. Lengths are in tokens, special ones and the prefix included; an id of -1 is
    looked up in the tokenizer."""

    query_prefix: str = "[Q] "
    document_prefix: str = "[D] "
    query_length: int = 32
    document_length: int = 180
    do_query_expansion: bool = True
    attend_to_expansion_tokens: bool = False
    do_lower_case: bool = False
    skiplist_words: tuple[str, ...] = tuple(string.punctuation)
    mask_token_id: int = -1
    query_prefix_id: int = -1
    document_prefix_id: int = -1

    @classmethod
    def read(cls, directory: Path) -> ColbertConfig:
        """What the folder's files say. Raises RerankerError for a file that is no JSON object, or a value of another
        kind than the field's."""
        config = cls()
        for name in CONFIG_FILES:
            path = directory / name
            if path.is_file():
                config = config.over(read_object(path), str(path))
        return config

    def over(self, document: dict[str, Any], where: str) -> ColbertConfig:
        """These values with those of `document` in their place."""
        changes: dict[str, Any] = {}
        for field in fields(self):
            value = document.get(field.name)
            if value is None:
                continue
            mine = getattr(self, field.name)
            if isinstance(mine, tuple):
                if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
                    raise _wrong(where, f"{field.name} is no list of words")
                value = tuple(value)
            elif type(value) is not type(mine):
                raise _wrong(where, f"{field.name} is {value!r}")
            changes[field.name] = value
        config = replace(self, **changes)
        for name in ("query_length", "document_length"):
            if not 4 <= getattr(config, name) <= _LONGEST:
                raise _wrong(where, f"{name} is {getattr(config, name)}, not between 4 and {_LONGEST}")
        return config


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that holds what a ColBERT model needs; `digest` is of the model file, eight hexadecimal digits."""

    directory: Path
    model: Path
    config: ColbertConfig
    digest: str

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's file."""
        return self.directory / TOKENIZER_FILE

    @classmethod
    def open(cls, directory: Path) -> ModelFolder:
        """The folder, its files verified against its manifest when it has one. Raises RerankerError."""
        if not directory.is_dir():
            raise RerankerError(
                f"There is no reranker model at {directory}.",
                next_step="Set reranker.path to a ColBERT folder in the ONNX layout, or provision one.",
                code="reranker_missing",
            )
        model = next((directory / name for name in MODEL_FILES if (directory / name).is_file()), None)
        if model is None or not (directory / TOKENIZER_FILE).is_file():
            wanted = f"{TOKENIZER_FILE} and {' or '.join(MODEL_FILES)}"
            raise RerankerError(
                f"{directory} holds no ColBERT model in the ONNX layout: {wanted} are needed.",
                next_step="Export the model with pylate-onnx-export, or choose another folder.",
                code="reranker_missing",
            )
        digest = _verify(directory, model)
        return cls(directory, model, ColbertConfig.read(directory), digest[:8])


def write_manifest(directory: Path, source: str) -> dict[str, str]:
    """Record the SHA-256 of each file of a folder, and where it came from; what was recorded."""
    hashes = {path.name: sha256(path) for path in sorted(directory.iterdir()) if _counts(path)}
    document = {"source": source, "sha256": hashes}
    (directory / MANIFEST_FILE).write_text(json.dumps(document, indent=1, sort_keys=True), "utf-8")
    return hashes


def sha256(path: Path) -> str:
    """The hash of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises RerankerError."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise _wrong(str(path), str(error)) from error
    if not isinstance(document, dict):
        raise _wrong(str(path), "it holds no object")
    return document


def _counts(path: Path) -> bool:
    return path.is_file() and path.name != MANIFEST_FILE


def _verify(directory: Path, model: Path) -> str:
    """The model file's hash, after every file that the manifest names was found to have its recorded one."""
    manifest = directory / MANIFEST_FILE
    if not manifest.is_file():
        return sha256(model)
    recorded = read_object(manifest).get("sha256")
    if not isinstance(recorded, dict) or model.name not in recorded:
        raise _damaged(manifest)
    for name, expected in recorded.items():
        path = directory / name
        if Path(name).name != name or not path.is_file() or sha256(path) != expected:
            raise _damaged(path)
    return str(recorded[model.name])


def _damaged(path: Path) -> RerankerError:
    return RerankerError(
        f"The reranker's file {path} is not the one that was provisioned.",
        next_step="Provision the model again.",
        code="reranker_damaged",
    )


def _wrong(where: str, what: str) -> RerankerError:
    return RerankerError(
        f"The reranker's configuration {where} cannot be used: {what}.",
        next_step="Export the model again, or choose another folder.",
        code="reranker_damaged",
    )
