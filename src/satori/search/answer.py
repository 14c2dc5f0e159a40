"""The shape of a search's answer, before any tool or command lays it out."""

from __future__ import annotations

from dataclasses import dataclass, field

from satori.model.span import Span
from satori.model.symbol import Symbol
from satori.search.owners import Candidate
from satori.search.preview import Preview
from satori.search.relevance import Relevance, Verdict


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the answer could have drawn on: files and chunks searched after filters, by language; files left out of the
    index, by skip reason; and how far `must:` was exhaustive."""

    files: int
    chunks: int
    languages: dict[str, int]
    skipped: dict[str, int]


@dataclass(frozen=True, slots=True)
class Group:
    """One shown result: an owner (`symbol`; kind file for text outside symbols), the chunk that carried it, a preview,
    and why it is here: `exact`, `lexical`, `dense` or `reranked`, with the words that matched."""

    file: str
    file_id: int
    language: str
    symbol: Symbol
    chunk: Span
    preview: Preview
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Ranked candidates (the frozen set) with the verdict about them.

    `available` counts what could have been ranked before `limit`; `must_total` is the exact number of owners that hold
    every `must:` literal, None when there was none. `read_as` are the English words that a question in another language
    was searched by. `reranker` says which of `absent`, `applied`, `failed`, `timeout`
    happened, `dense` whether similarity could be had at all. Candidates are turned into groups by the engine, so that
    a page costs only what it shows.
    """

    candidates: tuple[Candidate, ...]
    relevance: Relevance
    verdict: Verdict | None
    available: int
    operators: tuple[str, ...]
    must_total: int | None
    coverage: Coverage
    reranker: str
    stems: tuple[str, ...]
    read_as: str | None = None
    warnings: tuple[tuple[str, str], ...] = field(default=())
    dense: bool = True
