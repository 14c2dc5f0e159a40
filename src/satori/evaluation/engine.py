"""Two engines behind one question: Satori through its library, and the naive baseline.

An engine indexes a directory once and answers with line ranges. How an answer is judged is elsewhere (`judge`).
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from satori.evaluation.baseline import Passage, Rag, load_baseline


@dataclass(frozen=True, slots=True)
class Found:
    """One result: lines (1-based, inclusive) of a file, and the symbol it claims to be ("": claims none)."""

    path: str
    start_line: int
    end_line: int
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Response:
    """An engine's answer: ranked results, whether it declined to answer, and how long it took."""

    results: tuple[Found, ...]
    refused: bool
    milliseconds: float


class Engine(Protocol):
    """Something that has indexed a directory and can be asked."""

    name: str
    index_seconds: float

    def ask(self, query: str, limit: int = 10, scope: str = "runtime") -> Response:
        """Answer `query` with at most `limit` results."""

    def close(self) -> None:
        """Release what indexing took."""


class NaiveEngine:
    """The baseline: nearest windows, never a refusal, no notion of scope."""

    name = "naive"

    def __init__(self, root: Path) -> None:
        started = time.perf_counter()
        self.rag: Rag = load_baseline().NaiveRag(root)
        self.index_seconds = time.perf_counter() - started

    def ask(self, query: str, limit: int = 10, scope: str = "runtime") -> Response:
        """Return the `limit` nearest windows, as the lines that they touch."""
        started = time.perf_counter()
        hits = self.rag.search(query, limit)
        elapsed = (time.perf_counter() - started) * 1e3
        return Response(tuple(self.lines_of(hit) for _, hit in hits), refused=False, milliseconds=elapsed)

    def lines_of(self, passage: Passage) -> Found:
        """Return the lines that a passage touches, a line cut in two included: lenient toward the baseline."""
        text = self.rag.documents[passage.path]
        first = text.count("\n", 0, passage.start) + 1
        return Found(passage.path, first, first + text.count("\n", passage.start, max(passage.start, passage.end - 1)))

    def close(self) -> None:
        """Nothing outlives the object."""


class SatoriEngine:
    """Satori as a library, indexed from scratch in a state root of its own that goes with the engine."""

    name = "satori"

    def __init__(self, root: Path) -> None:
        from satori.codebase.codebase import Codebase

        self._state = tempfile.TemporaryDirectory(prefix="satori-eval-")
        self._root = root
        started = time.perf_counter()
        self.codebase = Codebase.open(root, state_root=Path(self._state.name))
        self.codebase.sync()
        self.index_seconds = time.perf_counter() - started

    def ask(self, query: str, limit: int = 10, scope: str = "runtime") -> Response:
        """Return the ranked hits; refused when the relevance verdict is none."""
        started = time.perf_counter()
        hits = self.codebase.search(query, limit=limit, scope=scope)
        elapsed = (time.perf_counter() - started) * 1e3
        found = tuple(Found(hit.path, hit.start_line, hit.end_line, hit.symbol) for hit in hits)
        return Response(found, refused=not found, milliseconds=elapsed)

    def sync(self) -> tuple[int, int]:
        """Publish what changed; return how many files were read into it anew, of how many indexed ones."""
        summary = self.codebase.sync()
        indexed = summary.info.counts.indexed
        return (indexed if summary.full else len(summary.changed)), indexed

    def age(self) -> str:
        """Say when the served Publication was activated and whether the tree still is what it says."""
        from satori.source.freshness import check

        with self.codebase.serving() as served:
            freshness = check(self._root, served.snapshot.manifest(), budget_ms=10_000)
            seconds = time.time() - served.snapshot.info.activated_at
        changed = f", {len(freshness.changed_files)} changed since" if freshness.changed_files else ""
        return f"published {seconds:.1f} s ago, {freshness.state.value}{changed}"

    def index_neighbour(self, root: Path) -> None:
        """Index another directory into the same state root, as a codebase of its own."""
        from satori.codebase.codebase import Codebase

        with Codebase.open(root, state_root=Path(self._state.name)) as neighbour:
            neighbour.sync()

    def close(self) -> None:
        """Close the codebase and drop its state."""
        self.codebase.close()
        self._state.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
