"""One repository as a library object: sync it, search it, close it.

It runs the same code as the tools do and adds nothing to their answers; it starts no process and watches nothing. One
instance may be used from several threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from satori.codebase.hit import Hit
from satori.codebase.place import find_place
from satori.errors import UsageError
from satori.publication.lifecycle import Lifecycle
from satori.publication.state import StateRoot
from satori.search.engine import SearchEngine
from satori.search.request import Scope, SearchRequest
from satori.search.rerankers.registry import load_policy
from satori.settings.file import current
from satori.source.root import resolve_root

if TYPE_CHECKING:
    from satori.publication.choice import SettingsChoice
    from satori.publication.lifecycle import SyncSummary
    from satori.publication.progress import Operation
    from satori.publication.status import CodebaseStatus
    from satori.search.answer import Group, SearchAnswer


class Codebase:
    """A repository and its Publication; a context manager."""

    def __init__(self, root: Path, subdirectory: str, state_root: StateRoot) -> None:
        self.root = root
        self.subdirectory = subdirectory
        self._lifecycle = Lifecycle(state_root.path, root)
        self._lock = threading.RLock()
        self._served: _Served | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str], state_root: str | os.PathLike[str] | None = None) -> Codebase:
        """The codebase of a directory; nothing is read or written yet.

        A directory inside an indexed codebase opens that codebase, and searches are confined to the directory.
        `state_root` defaults to `SATORI_STATE_ROOT`, else ~/.satori. Raises SourceError for a path that is missing or
        no directory, DeniedPathError for `/` and the home directory.
        """
        state = StateRoot.default() if state_root is None else StateRoot(Path(state_root))
        asked = str(resolve_root(path))
        known = [str(root) for paths in state.codebases() if (root := paths.root()) is not None]
        place = find_place(asked, known)
        return cls(Path(place.root or asked), place.prefix if place.indexed else "", state)

    def __enter__(self) -> Codebase:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def sync(
        self,
        choice: SettingsChoice | None = None,
        listener: Callable[[Operation], None] | None = None,
        *,
        force: bool = False,
    ) -> SyncSummary:
        """Publish the tree as it is now: a first build, or what has changed since. `force` builds everything anew;
        `choice` overrides satori.toml and is remembered; `listener` hears of progress.

        Raises BuildError (BusyError, CancelledError) and StateError; whatever was published before is still served.
        """
        return self._lifecycle.sync(choice, force=force, listener=listener)

    def status(self) -> CodebaseStatus:
        """State, running operation, counts and reasons."""
        return self._lifecycle.status()

    def search(self, query: str, limit: int = 10, scope: str = "runtime") -> list[Hit]:
        """Ranked owners for a question or an identifier; empty when nothing here answers it.

        Raises PublicationError when nothing can be served and UsageError for an empty query or an unknown scope.
        """
        with self.serving() as engine:
            answer = engine.answer(self._request(query, limit, scope))
            return [_hit(group) for group in engine.render(answer, answer.candidates)]

    def answer(self, query: str, limit: int = 20, scope: str = "runtime") -> SearchAnswer:
        """The whole answer: candidates, the relevance verdict and coverage."""
        with self.serving() as engine:
            return engine.answer(self._request(query, limit, scope))

    def _request(self, query: str, limit: int, scope: str) -> SearchRequest:
        if scope not in {known.value for known in Scope}:
            raise UsageError(f"There is no scope {scope!r}.", next_step="Use runtime, mixed or docs.")
        return SearchRequest(query=query, limit=limit, scope=Scope(scope), subdirectory=self.subdirectory)

    @contextmanager
    def serving(self) -> Iterator[SearchEngine]:
        """The engine over the newest Publication, which stays pinned until the block ends."""
        with self._lock:
            if self._served is None or not self._lifecycle.is_current(self._served.engine.snapshot):
                snapshot, embedder = self._lifecycle.serve()
                fresh = _Served(SearchEngine(snapshot, embedder, load_policy(current().reranker)))
                self._retire()
                self._served = fresh
            served = self._served
            served.users += 1
        try:
            yield served.engine
        finally:
            with self._lock:
                served.users -= 1
                if served is not self._served and not served.users:
                    served.engine.snapshot.close()

    def close(self) -> None:
        """Give up the pinned Publication; the object may be used again afterwards."""
        with self._lock:
            self._retire()

    def _retire(self) -> None:
        served, self._served = self._served, None
        if served is not None and not served.users:
            served.engine.snapshot.close()


@dataclass(slots=True)
class _Served:
    """An engine and how many questions are running on it."""

    engine: SearchEngine
    users: int = 0


def _hit(group: Group) -> Hit:
    symbol = group.symbol
    whole = symbol.index > 0 and "exact" in group.why
    span = symbol.span if whole else group.chunk
    return Hit(
        path=group.file,
        start_line=span.start_line,
        end_line=span.end_line,
        symbol=symbol.qualified_name,
        kind=symbol.kind.value,
        language=group.language,
        why=group.why,
        symbol_id=symbol.symbol_id,
    )
