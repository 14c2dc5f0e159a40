"""The providers' wire formats as their servers speak them, for loopback: requests are checked, vectors are made up.

A vector follows from the text alone (words are hashed into components), so that similar texts are similar and two
formats that are given the same text can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from tests.remote.loopback import Reply, Request


def vector_of(text: str, dimension: int) -> list[float]:
    """Words hashed into components, each with a sign; never all zeros."""
    found = [0.0] * dimension
    for word in re.findall(r"[a-z]+", text.lower()) or ["nothing"]:
        digest = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
        found[digest % dimension] += 1.0 if digest >> 63 else -1.0
    if not any(found):
        found[0] = 1.0
    return found


def _ollama(request: Request, dimension: int) -> Reply:
    assert request.path == "/api/embed" and "authorization" not in request.headers
    body = request.body
    assert set(body) <= {"model", "input", "truncate", "dimensions"} and body["truncate"] is True
    if body["model"] == "absent":
        return Reply(404, {"error": 'model "absent" not found, try pulling it first'})
    vectors = [vector_of(text, dimension) for text in body["input"]]
    return Reply(body={"model": body["model"], "embeddings": vectors, "total_duration": 1, "prompt_eval_count": 9})


def _openai(request: Request, dimension: int) -> Reply:
    assert request.path == "/v1/embeddings"
    body = request.body
    assert set(body) <= {"model", "input", "encoding_format", "dimensions"} and body["encoding_format"] == "float"
    rows = [
        {"object": "embedding", "index": at, "embedding": vector_of(text, body.get("dimensions", dimension))}
        for at, text in enumerate(body["input"])
    ]
    # The order is by index, not by place.
    return Reply(body={"object": "list", "data": rows[::-1], "model": body["model"], "usage": {"total_tokens": 9}})


def _voyage(request: Request, dimension: int) -> Reply:
    assert request.path == "/v1/embeddings"
    body = request.body
    assert body["input_type"] in ("query", "document") and body["output_dtype"] == "float" and body["truncation"]
    rows = [
        {"object": "embedding", "embedding": vector_of(text, body.get("output_dimension", dimension)), "index": at}
        for at, text in enumerate(body["input"])
    ]
    return Reply(body={"object": "list", "data": rows, "model": body["model"], "usage": {"total_tokens": 9}})


def _gemini(request: Request, dimension: int) -> Reply:
    found = re.fullmatch(r"/v1beta/models/([\w.-]+):batchEmbedContents", request.path)
    assert found is not None
    rows = []
    for one in request.body["requests"]:
        assert one["model"] == f"models/{found[1]}"
        assert one["taskType"] in ("CODE_RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT")
        text = one["content"]["parts"][0]["text"]
        rows.append({"values": vector_of(text, one.get("outputDimensionality", dimension))})
    return Reply(body={"embeddings": rows})


def error_of(provider: str, status: int, message: str) -> dict[str, Any]:
    """An error as that provider's server words it."""
    if provider == "ollama":
        return {"error": message}
    if provider == "voyage":
        return {"detail": message}
    if provider == "gemini":
        return {"error": {"code": status, "message": message, "status": "RESOURCE_EXHAUSTED", "details": []}}
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": "some_code"}}


def texts_of(provider: str, body: Any) -> list[str]:
    """The texts of a request."""
    if provider == "gemini":
        return [one["content"]["parts"][0]["text"] for one in body["requests"]]
    return list(body["input"])


SPOKEN: dict[str, Callable[[Request, int], Reply]] = {
    "ollama": _ollama,
    "openai": _openai,
    "voyage": _voyage,
    "gemini": _gemini,
}
BASES = {"ollama": "", "openai": "/v1", "voyage": "/v1", "gemini": "/v1beta"}
MODELS = {
    "ollama": "nomic-embed-text",
    "openai": "text-embedding-3-small",
    "voyage": "voyage-code-3",
    "gemini": "gemini-embedding-001",
}
