"""One search result as a library caller sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """`path` is relative to the root, lines are 1-based and inclusive: those of an owner that was named, else
    of the chunk that matched. `symbol` is the owner's qualified name ("" for text outside symbols), `symbol_id` opens
    exactly that symbol in the tools, `why` holds exact, lexical, dense or reranked."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    language: str
    why: tuple[str, ...]
    symbol_id: str
