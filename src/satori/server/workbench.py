"""What all sessions of one process share: the state root, and one pinned engine for each codebase in use.

A Publication stays pinned while a request uses it; the next request after an activation gets the new one, whoever
published it. It holds no session's state and decides no contents.
"""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from satori.codebase.place import Place, find_place
from satori.errors import IncompatibleError, NotIndexedError, SatoriError, StateError
from satori.publication.state import CodebasePaths, StateRoot
from satori.server import consent
from satori.server.failures import RebuildingError
from satori.server.policy import Policy
from satori.server.sessions import Session

if TYPE_CHECKING:
    from satori.codebase.codebase import Codebase
    from satori.embedding.port import Embedder
    from satori.publication.fingerprint import Fingerprint
    from satori.publication.lifecycle import Lifecycle
    from satori.publication.snapshot import Snapshot
    from satori.search.engine import SearchEngine
    from satori.source.remembered import RememberedFreshness

IDLE_SECONDS = 300.0

MutationBlock = Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class Pinned:
    """One codebase's engine over its served Publication, for the length of one request. `successor` says what is
    chosen instead of the embedder that published it, "" when that is still the chosen one. `freshness` looks at the
    tree, and remembers."""

    engine: SearchEngine
    lifecycle: Lifecycle
    freshness: RememberedFreshness
    successor: str = ""

    @property
    def snapshot(self) -> Snapshot:
        """The pinned Publication."""
        return self.engine.snapshot


@dataclass(slots=True)
class _Open:
    codebase: Codebase
    freshness: RememberedFreshness
    used: float
    users: int = 0

    def close(self) -> None:
        self.freshness.close()
        self.codebase.close()


@dataclass(slots=True)
class Workbench:
    """One a process. `mutation_block` says why this process must not change state just now, or None.

    `lasting` is False for a process that ends after one call: it waits for the operations that it starts, since they
    would end with it, and starts none by itself. `catches_up` lets questions about a whole directory publish a small
    change first (see `satori.server.view`). `on_use` hears the root of every codebase that is asked about.
    """

    state_root: Path
    mutation_block: MutationBlock | None = None
    lasting: bool = True
    catches_up: bool = False
    on_use: Callable[[str], None] | None = None
    _open: dict[str, _Open] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def state(self) -> StateRoot:
        """The state root's layout."""
        return StateRoot(self.state_root)

    def known_roots(self) -> dict[str, CodebasePaths]:
        """Every codebase with state, by canonical root."""
        known = {}
        for paths in self.state.codebases():
            root = paths.root()
            if root is not None:
                known[str(root)] = paths
        return known

    def policy(self, session: Session) -> Policy:
        """What this session may name now."""
        if session.unrestricted:
            return Policy.build(self.state_root, None)
        return Policy.build(self.state_root, [*session.workspaces, *consent.granted(self.state_root)])

    def place(self, session: Session, path: str) -> Place:
        """The place of a requested path. Raises DeniedPathError before anything at it is looked at."""
        return find_place(self.policy(session).admit_resolved(path), self.known_roots())

    def lifecycle(self, root: str) -> Lifecycle:
        """The lifecycle of the codebase at a canonical root."""
        from satori.publication.lifecycle import Lifecycle

        return Lifecycle(self.state_root, Path(root))

    @contextmanager
    def pinned(self, root: str) -> Iterator[Pinned]:
        """The served Publication of an indexed root. Raises PublicationError."""
        entry = self._enter(root)
        try:
            with ExitStack() as stack:
                try:
                    engine = stack.enter_context(entry.codebase.serving())
                except NotIndexedError as error:
                    raise self._why_not_indexed(root, error) from error
                except IncompatibleError as error:
                    raise self._rebuilding(root, error) from error
                if self.on_use is not None:
                    self.on_use(root)
                lifecycle = self.lifecycle(root)
                yield Pinned(engine, lifecycle, entry.freshness, self._successor(lifecycle, engine.embedder))
        finally:
            with self._lock:
                entry.users -= 1
                entry.used = time.monotonic()

    def forget(self, root: str) -> None:
        """Give up what is pinned of a codebase, before its state is cleared."""
        with self._lock:
            entry = self._open.pop(root, None)
        if entry is not None:
            entry.close()

    def refuse_blocked(self) -> None:
        """Raise StateError (`several_owners`) when this process must not change state."""
        why = self.mutation_block() if self.mutation_block is not None else None
        if why is not None:
            raise StateError(why, next_step="End the other runtimes: satori terminate", code="several_owners")

    def evict_idle(self, seconds: float = IDLE_SECONDS) -> None:
        """Give up Publications that nobody used for a while."""
        limit = time.monotonic() - seconds
        with self._lock:
            idle = [root for root, entry in self._open.items() if not entry.users and entry.used < limit]
        for root in idle:
            self.forget(root)

    def close(self) -> None:
        """Give up everything pinned and end the operations that this process started."""
        for root in list(self._open):
            self.forget(root)
        import sys

        # Only when something was started is there anything to end; importing it just for that would cost start-up.
        operations = sys.modules.get("satori.publication.operations")
        if operations is not None:
            operations.stop_all(seconds=0.5)

    def fingerprint(self) -> Fingerprint:
        """What this runtime can read."""
        return self.lifecycle("/").fingerprint

    def _why_not_indexed(self, root: str, error: NotIndexedError) -> NotIndexedError:
        """Why nothing is published: a first build runs, the only one failed, or none was started."""
        from satori.publication.progress import OperationState, read_operation

        operation = read_operation(self.state.codebase(Path(root)))
        if operation is not None and operation.running:
            done = f" ({operation.done:,} of {operation.total:,})" if operation.total else ""
            return NotIndexedError(
                f"The first build of {root} is running: {operation.phase.value}{done}.",
                next_step="Ask for its status in a few seconds.",
                code="first_build",
            )
        if operation is not None and operation.state in (OperationState.FAILED, OperationState.INTERRUPTED):
            return NotIndexedError(
                f"The build of {root} failed: {operation.message}", next_step="Build it again.", code="build_failed"
            )
        return error

    def _rebuilding(self, root: str, error: IncompatibleError) -> IncompatibleError:
        """The refusal; a rebuild is started when one is due, the only change of state that happens by itself."""
        from satori.publication.rebuild import rebuild_if_incompatible

        if not self.lasting or (self.mutation_block is not None and self.mutation_block() is not None):
            return error
        try:
            running = rebuild_if_incompatible(self.state_root, Path(root), self.fingerprint())
        except SatoriError:
            return error
        if running is None:
            return error
        return RebuildingError(
            f"{error.message} A rebuild has started as {running.id}.",
            next_step="Ask again when it is done.",
            code=error.code,
        )

    def _successor(self, lifecycle: Lifecycle, serving: Embedder) -> str:
        """What is said when an earlier embedder's Publication answers; its rebuild is started when it is due."""
        chosen = lifecycle.embedder
        if (chosen.provider, chosen.model) == (serving.provider, serving.model):
            return ""
        command = f"satori index {shlex.quote(str(lifecycle.root))}"
        self._rebuilding(str(lifecycle.root), IncompatibleError(""))
        return f"{serving.model} published what answers; {chosen.model} is chosen now. Rebuild: {command}"

    def _enter(self, root: str) -> _Open:
        from satori.codebase.codebase import Codebase
        from satori.source.remembered import RememberedFreshness

        with self._lock:
            entry = self._open.get(root)
            if entry is None:
                codebase = Codebase(Path(root), "", self.state)
                entry = self._open[root] = _Open(codebase, RememberedFreshness(root), time.monotonic())
            entry.users += 1
            return entry
