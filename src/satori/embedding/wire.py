"""How each provider is asked for vectors and how it answers: request bodies, headers, limits, nothing of transport.

Formats: Ollama `/api/embed`; OpenAI `/embeddings`, also spoken by vLLM, llama.cpp, LM Studio, TEI and others; Voyage
`/embeddings` with `input_type`; Gemini `models/MODEL:batchEmbedContents` with `taskType`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from satori.embedding.models import Model


class Purpose(StrEnum):
    """Whether a text asks or answers: providers that can tell make other vectors of them."""

    QUERY = "query"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Asked:
    """One batch for one model."""

    name: str
    model: Model
    texts: Sequence[str]
    purpose: Purpose

    @property
    def dimensions(self) -> dict[str, int]:
        """The dimension, where the model must be told it."""
        return {"dimensions": self.model.dimension} if self.model.shortens else {}


@dataclass(frozen=True, slots=True)
class Wire:
    """`path` takes the model's name as {model}; `batch_texts` and `batch_tokens` bound one request."""

    endpoint: str
    path: str
    body: Callable[[Asked], dict[str, Any]]
    rows: Callable[[Any], list[Any]]
    batch_texts: int
    batch_tokens: int
    needs_key: bool = True
    key_header: str = "Authorization"
    key_form: str = "Bearer {}"
    loopback: bool = False


def _ollama_body(asked: Asked) -> dict[str, Any]:
    return {"model": asked.name, "input": list(asked.texts), "truncate": True, **asked.dimensions}


def _openai_body(asked: Asked) -> dict[str, Any]:
    return {"model": asked.name, "input": list(asked.texts), "encoding_format": "float", **asked.dimensions}


def _voyage_body(asked: Asked) -> dict[str, Any]:
    shortened = {"output_dimension": asked.model.dimension} if asked.model.shortens else {}
    return {
        "model": asked.name,
        "input": list(asked.texts),
        "input_type": asked.purpose.value,
        "truncation": True,
        "output_dtype": "float",
        **shortened,
    }


_GEMINI_TASKS = {Purpose.QUERY: "CODE_RETRIEVAL_QUERY", Purpose.DOCUMENT: "RETRIEVAL_DOCUMENT"}


def _gemini_body(asked: Asked) -> dict[str, Any]:
    shortened = {"outputDimensionality": asked.model.dimension} if asked.model.shortens else {}
    return {
        "requests": [
            {
                "model": f"models/{asked.name}",
                "content": {"parts": [{"text": text}]},
                "taskType": _GEMINI_TASKS[asked.purpose],
                **shortened,
            }
            for text in asked.texts
        ]
    }


def _ollama_rows(document: Any) -> list[Any]:
    return list(document["embeddings"])


def _indexed_rows(document: Any) -> list[Any]:
    """OpenAI and Voyage number their rows; some compatible servers leave that out and keep the order."""
    rows = document["data"]
    places = [row.get("index", at) for at, row in enumerate(rows)]
    if sorted(places) != list(range(len(rows))):
        raise ValueError("its rows are not numbered from 0")
    ordered: list[Any] = [None] * len(rows)
    for place, row in zip(places, rows, strict=True):
        ordered[place] = row["embedding"]
    return ordered


def _gemini_rows(document: Any) -> list[Any]:
    return [row["values"] for row in document["embeddings"]]


WIRES = {
    "ollama": Wire(
        "http://127.0.0.1:11434", "/api/embed", _ollama_body, _ollama_rows, 32, 16_000, needs_key=False, loopback=True
    ),
    "openai": Wire("https://api.openai.com/v1", "/embeddings", _openai_body, _indexed_rows, 256, 100_000),
    "voyage": Wire("https://api.voyageai.com/v1", "/embeddings", _voyage_body, _indexed_rows, 256, 60_000),
    "gemini": Wire(
        "https://generativelanguage.googleapis.com/v1beta",
        "/models/{model}:batchEmbedContents",
        _gemini_body,
        _gemini_rows,
        100,
        20_000,
        key_header="x-goog-api-key",
        key_form="{}",
    ),
}
