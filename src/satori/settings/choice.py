"""What settings come to for one part of Satori: plain frozen values that can be compared, sent and kept.

They hold names, places and numbers, never a secret. What a provider's own defaults are is the provider's business.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """Which embedder, and how it is reached. Empty text and 0 mean the provider's own default."""

    name: str = "static"
    model: str = ""
    path: str = ""
    endpoint: str = ""
    dimension: int = 0
    key_file: str = ""
    query_prefix: str = ""
    document_prefix: str = ""
    concurrency: int = 4
    query_seconds: float = 3.0
    price: float = -1.0
    proxy: str = ""


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """Which reranker, if any, and what a question may wait for it."""

    name: str = "none"
    model: str = ""
    path: str = ""
    endpoint: str = ""
    key_file: str = ""
    seconds: float = 2.0
    proxy: str = ""


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """Where vectors are kept; `endpoint` and `region` are an object store's, `seconds` bounds one read."""

    name: str = "lancedb"
    uri: str = ""
    key_file: str = ""
    endpoint: str = ""
    region: str = ""
    seconds: float = 10.0
