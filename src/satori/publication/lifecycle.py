"""The lifecycle of one codebase's Publications: create, sync, reindex, clear, and pinning what is served.

Every mutation registers its version, holds the fenced lease, records an operation with its outcome and activates by one
step; whatever fails before that step leaves what is served as it was. It runs in the calling process; to have it run
and supervised in a child, use `satori.publication.operations`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import satori
from satori.embedding.registry import SHIPPED, chosen, load_embedder
from satori.errors import DamagedError, IncompatibleError, NotIndexedError, SatoriError
from satori.publication import lease as leases
from satori.publication import operations
from satori.publication.builder import LISTING_WARNING, Build
from satori.publication.choice import SettingsChoice, remember, remembered
from satori.publication.damage import Damage, write_pointer
from satori.publication.embedders import earlier_embedder, fingerprint_of
from satori.publication.failures import failures
from satori.publication.fingerprint import Fingerprint
from satori.publication.generation import build_generation, staged_generation
from satori.publication.owners import refuse_other_versions, register
from satori.publication.pin import peek, pin
from satori.publication.pool import WorkerPool, shared_pool
from satori.publication.progress import Operation, Phase, Progress
from satori.publication.retention import (
    reclaim,
    sweep_files,
    sweep_generations,
    sweep_rows,
    worth_sweeping,
)
from satori.publication.schema import open_for_writing
from satori.publication.snapshot import PublicationInfo, Snapshot, known_manifest, read_manifest, remember_manifest
from satori.publication.stages import Stage, reach
from satori.publication.state import StateRoot, sync_directory
from satori.publication.status import CodebaseStatus, status_of
from satori.publication.sync import delta_is_due, stage_sync
from satori.publication.tables import sweep_tables, tables_of
from satori.publication.vectorstore import VectorStore
from satori.settings.choice import EmbedderChoice
from satori.settings.file import current as current_settings
from satori.source.freshness import Freshness, FreshnessState
from satori.source.listing import Listing
from satori.source.reading import SourceReader
from satori.source.scan import Changes, compare, list_files
from satori.source.settings import SourceSettings

if TYPE_CHECKING:
    from satori.embedding.port import Embedder

# A change of at most so many files may be published before a question is answered, when that takes no longer than this.
CATCH_UP_SECONDS = 0.3
CATCH_UP_FILES = 16
PATIENCE_SECONDS = 5.0
# When a codebase may be caught up with again, after it took too long; for all lifecycles of this process.
_PATIENT_UNTIL: dict[Path, float] = {}


@dataclass(frozen=True, slots=True)
class SyncSummary:
    """What a create, sync or reindex came to. `published` is False when nothing had changed; `changed` and `removed`
    are paths (for a full build: nothing, since everything is new); `seconds` is wall time."""

    operation_id: str
    action: str
    published: bool
    full: bool
    info: PublicationInfo
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Seen:
    """A complete look at the tree that was just taken against a pinned publication, to be published without another."""

    lineage: str
    sequence: int
    settings: dict[str, object]
    changes: Changes
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, info: PublicationInfo, changes: Changes) -> Seen:
        """The look `changes`, taken against the publication `info`."""
        told = tuple(message for code, message in info.warnings if code == LISTING_WARNING)
        return cls(info.lineage, info.sequence, info.settings, changes, told)

    def fits(self, current: PublicationInfo, build: Build) -> bool:
        """Whether it was taken against what is current, under the same settings and by this runtime's rules."""
        return (
            (self.lineage, self.sequence) == (current.lineage, current.sequence)
            and json.dumps(self.settings) == json.dumps(asdict(build.settings))
            and not current.fingerprint.differences(build.fingerprint)
            and self.changes.complete
        )


@dataclass(slots=True)
class _Mutation:
    lease: leases.Lease
    progress: Progress
    began: float = field(default_factory=time.perf_counter)


class Lifecycle:
    """One codebase, given by its state root and its canonical root (see `satori.source.root.resolve_root`).

    Cheap to make. Safe to use from several threads; mutations exclude each other through the lease. `pool` and `store`
    are lent processes that outlive a mutation; by default the pool is this process's and a store is made when needed.
    """

    def __init__(
        self,
        state_root: Path,
        root: Path,
        *,
        embedder: Embedder | None = None,
        version: str = satori.__version__,
        pool: WorkerPool | None = None,
        store: VectorStore | None = None,
    ) -> None:
        self.state = StateRoot(state_root)
        self.root = root
        self.paths = self.state.codebase(root)
        self.version = version
        self._embedder = embedder
        self._pool = pool
        self._store = store

    @property
    def choice(self) -> EmbedderChoice:
        """What the user's settings choose now; the shipped embedder where one was lent. Raises SettingsError."""
        return chosen() if self._embedder is None else SHIPPED

    @property
    def embedder(self) -> Embedder:
        """The embedder that publishes from now on. Raises EmbedderError, ModelError and SettingsError."""
        return load_embedder(self.choice) if self._embedder is None else self._embedder

    @property
    def fingerprint(self) -> Fingerprint:
        """What this runtime publishes."""
        return fingerprint_of(self.embedder)

    def settings(self) -> SourceSettings:
        """The settings that a freshness check or a sync uses now: the remembered choice over satori.toml."""
        return remembered(self.paths).resolve(self.root)

    def status(self) -> CodebaseStatus:
        """The state as it is on disk now."""
        return status_of(self.paths, self.root, self.fingerprint)

    def pin(self) -> Snapshot:
        """The served Publication, pinned, whichever of the user's embedders published it.

        Raises NotIndexedError, IncompatibleError or DamagedError.
        """
        return self.serve()[0]

    def serve(self) -> tuple[Snapshot, Embedder]:
        """The served Publication, pinned, and the embedder that made its vectors.

        That is the chosen one, or one that was chosen before: until what the new choice builds is active, the old
        Publication goes on being served. Raises as `pin` does.
        """
        embedder = self.embedder
        try:
            return pin(self.paths, fingerprint_of(embedder)), embedder
        except IncompatibleError:
            earlier = earlier_embedder(peek(self.paths).fingerprint, fingerprint_of(embedder))
            if earlier is None or self._embedder is not None:
                raise
            return pin(self.paths, fingerprint_of(earlier)), earlier

    def is_current(self, snapshot: Snapshot) -> bool:
        """Whether `pin` would give what `snapshot` already pins; False also when `pin` would refuse."""
        try:
            info = peek(self.paths)
        except (NotIndexedError, IncompatibleError, DamagedError):
            return False
        mine = snapshot.info
        return (info.lineage, info.sequence) == (mine.lineage, mine.sequence)

    def sync(
        self,
        choice: SettingsChoice | None = None,
        *,
        action: str = "sync",
        force: bool = False,
        wait_seconds: float = 0.0,
        operation_id: str = "",
        begun: Callable[[Progress], None] | None = None,
        listener: Callable[[Operation], None] | None = None,
        seen: Seen | None = None,
    ) -> SyncSummary:
        """Bring the Publication up to date with the tree: a full build when there is none or its fingerprint differs,
        else work proportional to the change. `force` rebuilds everything without reading the caches.

        `begun` is given the operation's Progress, to cancel it by; `seen` spares another look at the tree. Raises
        BusyError when another live process holds the lease for longer than `wait_seconds`; DamagedError when the stored
        state must not be read (reindex is the way out); BuildError, CancelledError, StateError and SourceError when it
        did not finish.
        """
        with self._mutation(action, wait_seconds, operation_id, begun, listener) as mutation:
            merged = (choice or SettingsChoice()).over(remembered(self.paths))
            settings = merged.resolve(self.root)
            if choice is not None:
                remember(self.paths, merged)
            current = self._current(force=force)
            build = self._build(mutation, settings, force=force)
            mutation.progress.enter(Phase.LISTING)
            if current is not None and seen is not None and not force and seen.fits(current, build):
                return self._publish_sync(mutation, build, current, seen)
            listing = list_files(self.root, settings)
            reach(Stage.LISTED)
            same = current is not None and not current.fingerprint.differences(build.fingerprint)
            if current is None or force or not same:
                return self._publish_generation(mutation, build, listing, current)
            return self._publish_sync(mutation, build, current, listing)

    def reindex(
        self,
        choice: SettingsChoice | None = None,
        *,
        wait_seconds: float = 0.0,
        operation_id: str = "",
        begun: Callable[[Progress], None] | None = None,
        listener: Callable[[Operation], None] | None = None,
    ) -> SyncSummary:
        """Build everything anew from the tree alone; what is served stays served until it is replaced.

        Also the way out of damaged state (not of one in a newer format). Raises as `sync` does.
        """
        return self.sync(
            choice,
            action="reindex",
            force=True,
            wait_seconds=wait_seconds,
            operation_id=operation_id,
            begun=begun,
            listener=listener,
        )

    def catch_up(self, snapshot: Snapshot, freshness: Freshness, seconds: float = CATCH_UP_SECONDS) -> bool:
        """Publish a small change before a question is answered; whether something newer than `snapshot` is now served.

        `freshness` is what a look at the tree just said about `snapshot`. False, with nothing changed, when there is
        nothing small to do, another owner is at work, or it does not end within `seconds`; after that it is not tried
        again for a while. When the delta is due to be folded, a sync in a child is started instead of waited for.
        Never raises for the state of the disk.
        """
        # The first question starts the worker that a later one needs at once.
        warm = (self._pool or shared_pool()).warm()
        embedder = self.embedder
        if embedder.connected or snapshot.info.fingerprint.differences(fingerprint_of(embedder)):
            # Asking a service, or building everything anew with another embedder, is not a moment's work.
            return False
        if not warm or freshness.state is not FreshnessState.CHANGED or freshness.changes is None:
            return False
        if len(freshness.changed_files) > CATCH_UP_FILES or time.monotonic() < _PATIENT_UNTIL.get(
            self.paths.directory, 0.0
        ):
            return False
        timer: threading.Timer | None = None

        def limit(progress: Progress) -> None:
            nonlocal timer
            timer = threading.Timer(seconds, progress.cancel)
            timer.daemon = True
            timer.start()

        try:
            if delta_is_due(snapshot):
                _PATIENT_UNTIL[self.paths.directory] = time.monotonic() + PATIENCE_SECONDS
                operations.start(self.state.path, self.root, "sync")
                return False
            # Whoever is at work may be publishing this very change (another question, a watcher).
            seen = Seen.of(snapshot.info, freshness.changes)
            done = self.sync(begun=limit, seen=seen, wait_seconds=seconds)
            return done.published or done.info.sequence > snapshot.info.sequence
        except SatoriError:
            _PATIENT_UNTIL[self.paths.directory] = time.monotonic() + PATIENCE_SECONDS
            return False
        finally:
            if timer is not None:
                timer.cancel()

    def clear(
        self,
        *,
        wait_seconds: float = 0.0,
        operation_id: str = "",
        begun: Callable[[Progress], None] | None = None,
    ) -> None:
        """Remove this codebase's state and nothing else, whether or not its root still exists."""
        if not self.paths.directory.exists():
            return
        with self._mutation("clear", wait_seconds, operation_id, begun, None) as mutation:
            mutation.progress.enter(Phase.CLEARING)
            drop_tables = tables_of(self.paths, current_settings().store)
            with mutation.lease.activation():
                self.paths.current.unlink(missing_ok=True)
                sync_directory(self.paths.directory)
                reach(Stage.CLEAR_UNLINKED)
                trash = self.paths.directory.with_name(f".cleared-{self.paths.id}-{os.urandom(4).hex()}")
                self.paths.directory.rename(trash)
            reach(Stage.CLEAR_HALF_REMOVED)
            drop_tables()
            _remove_cleared(self.paths.directory.parent)
            reach(Stage.CLEARED)

    @contextlib.contextmanager
    def _mutation(
        self,
        action: str,
        wait_seconds: float,
        operation_id: str,
        begun: Callable[[Progress], None] | None,
        listener: Callable[[Operation], None] | None,
    ) -> Iterator[_Mutation]:
        doing = f"{action} {self.root}"
        with failures(doing), register(self.state.path, self.version):
            refuse_other_versions(self.state.path, self.version)
            progress = Progress(self.paths, action, self.version, operation_id=operation_id, listener=listener)
            lease = leases.acquire(
                self.paths,
                operation=progress.operation.id,
                version=self.version,
                wait_seconds=wait_seconds,
            )
            try:
                self.paths.prepare(self.root)
                progress.begin()
                if begun is not None:
                    begun(progress)
                reach(Stage.LEASED)
                with failures(doing):
                    yield _Mutation(lease, progress)
            except BaseException as error:
                progress.end(error)
                raise
            else:
                progress.end(None)
            finally:
                lease.release()

    def _build(self, mutation: _Mutation, settings: SourceSettings, *, force: bool) -> Build:
        choice = self.choice
        embedder = load_embedder(choice) if self._embedder is None else self._embedder
        return Build(
            state=self.state,
            paths=self.paths,
            root=str(self.root),
            settings=settings,
            embedder=embedder,
            fingerprint=fingerprint_of(embedder),
            version=self.version,
            pool=self._pool or shared_pool(),
            progress=mutation.progress,
            store=self._store,
            choice=choice,
            stored_in=current_settings().store,
            read_caches=not force,
        )

    def _current(self, *, force: bool) -> PublicationInfo | None:
        """The stored publication row; None when there is none, or when `force` may pass over a damaged one."""
        try:
            return peek(self.paths)
        except (NotIndexedError, IncompatibleError):
            return None
        except DamagedError as error:
            if force and error.code != f"publication_{Damage.NEWER}":
                return None
            raise

    def _publish_generation(
        self, mutation: _Mutation, build: Build, listing: Listing, current: PublicationInfo | None
    ) -> SyncSummary:
        sequence = max(current.sequence + 1 if current else 1, mutation.lease.fence)
        number = max([0, *self.paths.generation_numbers()]) + 1
        with staged_generation(build, number) as generation:
            info = build_generation(build, generation, listing, sequence)
            mutation.progress.enter(Phase.ACTIVATING)
            with mutation.lease.activation():
                reach(Stage.BEFORE_ACTIVATION)
                write_pointer(self.paths, number)
        reach(Stage.AFTER_ACTIVATION)
        # From here on the new Publication is served: nothing that follows may make the operation fail.
        with contextlib.suppress(OSError):
            reach(Stage.SWEEPING)
            sweep_generations(self.paths, number)
            _remove_cleared(self.paths.directory.parent)
            sweep_tables(self.paths, build.stored_in)
            reach(Stage.SWEPT)
            build.write_caches()
        build.pool.shrink()
        return self._summary(mutation, info, published=True, full=True)

    def _publish_sync(
        self, mutation: _Mutation, build: Build, current: PublicationInfo, found: Listing | Seen
    ) -> SyncSummary:
        generation = self.paths.generation(current.generation)
        connection = open_for_writing(generation.database)
        held = contextlib.ExitStack()
        try:
            manifest = known_manifest(current.id) or read_manifest(connection, current)
            if isinstance(found, Seen):
                changes = found.changes
            else:
                with SourceReader(self.root) as reader:
                    changes = compare(found, manifest, reader)
            staged = stage_sync(build, generation, connection, current, manifest, found.warnings, changes, held)
            mutation.progress.enter(Phase.ACTIVATING)
            with mutation.lease.activation():
                reach(Stage.BEFORE_ACTIVATION)
                connection.execute("COMMIT")
            reach(Stage.AFTER_ACTIVATION)
            info = staged.info or current
            remember_manifest(info.id, staged.manifest)
            # From here on the new Publication is served: nothing that follows may make the operation fail.
            with contextlib.suppress(OSError, sqlite3.Error):
                # A sync without news sweeps too: it may follow one that was killed before it could.
                reach(Stage.SWEEPING)
                staged.sweep_vectors(generation)
                self._sweep(connection, info)
                if staged.store is not None:
                    sweep_tables(self.paths, build.stored_in, staged.store)
                reach(Stage.SWEPT)
                build.write_caches()
        finally:
            held.close()
            if connection.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            connection.close()
        published = staged.info is not None
        return self._summary(mutation, info, published=published, changed=staged.changed, removed=staged.removed)

    def _sweep(self, connection: sqlite3.Connection, info: PublicationInfo) -> None:
        generation = self.paths.generation(info.generation)
        if worth_sweeping(connection):
            connection.execute("BEGIN IMMEDIATE")
            sweep_rows(connection, generation, info.sequence)
            connection.execute("COMMIT")
        sweep_files(connection, generation)
        reclaim(connection)
        sweep_generations(self.paths, info.generation)
        _remove_cleared(self.paths.directory.parent)

    def _summary(
        self,
        mutation: _Mutation,
        info: PublicationInfo,
        *,
        published: bool,
        full: bool = False,
        changed: tuple[str, ...] = (),
        removed: tuple[str, ...] = (),
    ) -> SyncSummary:
        operation = mutation.progress.operation
        seconds = time.perf_counter() - mutation.began
        return SyncSummary(operation.id, operation.action, published, full, info, changed, removed, seconds)


def _remove_cleared(directory: Path) -> None:
    """Finish what clears of any codebase left over."""
    for entry in directory.glob(".cleared-*"):
        shutil.rmtree(entry, ignore_errors=True)
