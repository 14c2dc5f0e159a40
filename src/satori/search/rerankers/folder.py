"""A ColBERT model's folder in the ONNX layout that PyLate's exporters write: which files, and what they configure.

    model_int8.onnx or model.onnx    transformer, projection and normalisation: a vector for each token
    tokenizer.json                   with the prefixes as tokens of its own
    onnx_config.json                 lengths, prefixes, expansion, words left out (wins over the next one)
    config_sentence_transformers.json

A provisioned folder (`satori.remote.modelfolder`) also has the hash of each file, and every one is checked. Missing
values are PyLate's own defaults (`pylate.models.ColBERT`). Nothing is loaded or fetched here.
"""

from __future__ import annotations

import json
import string
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from satori.errors import RerankerError
from satori.remote.modelfolder import MANIFEST, file_digest, open_folder

# What `satori install` fetches when no model is named: 17 million parameters, trained for code.
DEFAULT_MODEL = "lightonai/LateOn-Code-edge"
MODEL_FILES = ("model_int8.onnx", "model.onnx")
TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILES = ("config_sentence_transformers.json", "onnx_config.json")
_LONGEST = 8192


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
class ColbertFolder:
    """A folder that holds what a ColBERT model needs; `digest` is eight hexadecimal digits of all provisioned files, or
    of the model file of a folder that was not provisioned."""

    directory: Path
    model: Path
    config: ColbertConfig
    digest: str

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's file."""
        return self.directory / TOKENIZER_FILE

    @classmethod
    def open(cls, directory: Path) -> ColbertFolder:
        """The folder, all files verified when it was provisioned. Raises RerankerError, and ModelError for a file that
        is not what it was."""
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
        return cls(directory, model, ColbertConfig.read(directory), _digest(directory, model))


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises RerankerError."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise _wrong(str(path), str(error)) from error
    if not isinstance(document, dict):
        raise _wrong(str(path), "it holds no object")
    return document


def _digest(directory: Path, model: Path) -> str:
    if not (directory / MANIFEST).is_file():
        return file_digest(model)[:8]
    provisioned = open_folder(directory)
    provisioned.verify()
    return provisioned.digest


def _wrong(where: str, what: str) -> RerankerError:
    return RerankerError(
        f"The reranker's configuration {where} cannot be used: {what}.",
        next_step="Export the model again, or choose another folder.",
        code="reranker_damaged",
    )
