"""What is asked of a search: the words, the scope, and how much of the answer is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """Which files may answer: `runtime` is implementation and configuration (tests rank below), `docs` is
    documentation, `mixed` is everything."""

    RUNTIME = "runtime"
    MIXED = "mixed"
    DOCS = "docs"


class GroupBy(StrEnum):
    """One result an owner symbol, or one a file."""

    SYMBOL = "symbol"
    FILE = "file"


class ResultMode(StrEnum):
    """Grouped by owner, or the ranked chunks themselves."""

    GROUPED = "grouped"
    RAW = "raw"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """`subdirectory` confines the answer to a directory (POSIX, relative to the root, "" for all of it); `alt_terms`
    are the caller's guesses at words of the code: they add recall and never displace what is found without them."""

    query: str
    scope: Scope = Scope.RUNTIME
    limit: int = 20
    group_by: GroupBy = GroupBy.SYMBOL
    result_mode: ResultMode = ResultMode.GROUPED
    alt_terms: tuple[str, ...] = ()
    subdirectory: str = ""
