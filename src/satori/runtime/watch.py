"""Watching the codebases that sessions use, where the user has switched that on: a change starts a sync by itself.

Only the directories that the source rules enter are watched, each by itself, so ignored trees cost nothing; an event
counts only if the same rules would list its path. A burst is waited out (but not for ever), and after a sync comes a
rest that grows with what it took: a file that never stops changing is published now and then, and costs a share of
the time at most. Without a watcher, or when the system lends none, everything converges all the same: questions look
for themselves. Deliberately absent: any decision about what a sync does.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from satori.errors import BusyError, NotIndexedError, SatoriError, SourceError
from satori.publication.lifecycle import CATCH_UP_FILES, Lifecycle, Seen
from satori.publication.pin import peek
from satori.publication.snapshot import known_manifest
from satori.publication.state import write_json
from satori.publication.sync import delta_is_due
from satori.source.freshness import FreshnessState, check
from satori.source.scan import list_files, look_at
from satori.source.settings import FILE_NAME

if TYPE_CHECKING:
    from satori.source.manifest import Manifest

logger = logging.getLogger(__name__)

EXTRA = "watch"
QUIET_MS = 300
"""A burst has ended when nothing happened for so long."""
PATIENCE_MS = 2_000
"""A burst that does not end is looked at after so long all the same."""
REST_SECONDS = 1.0
REST_FACTOR = 4.0
"""After a sync that took t seconds the next one begins REST_SECONDS or REST_FACTOR x t later, whichever is more."""
MAXIMUM_DIRECTORIES = 20_000
MAXIMUM_CODEBASES = 16
_TICK_MS = 1_000
_EXAMINED_PATHS = 1_000
_LOOK_MS = 30_000.0
_RETRY_SECONDS = (2.0, 60.0)
_VANISHED_TRIES = 5
_LISTS = frozenset({".gitignore", ".satoriignore", FILE_NAME})


@dataclass(frozen=True, slots=True)
class WatchState:
    """One codebase: `reason` says why it is not watched, "" while it is. `looks` at the tree followed events that could
    matter, `syncs` published something."""

    root: str
    watched: bool
    reason: str = ""
    directories: int = 0
    looks: int = 0
    syncs: int = 0


class Watcher:
    """All watches of one runtime. `blocked` says whether state must not be changed just now; `record` is the file in
    which other processes find what is watched. Cheap until `watch` is called."""

    def __init__(self, state_root: Path, record: Path, blocked: Callable[[], bool] = lambda: False) -> None:
        self._state_root = state_root
        self._record = record
        self._blocked = blocked
        self._watches: dict[str, _Watch] = {}
        self._lock = threading.Lock()
        self._tell()

    def watch(self, root: str) -> None:
        """Watch the codebase at this canonical root from now on; nothing when it is watched already, or cannot be."""
        with self._lock:
            before = self._watches.get(root)
            if before is not None and not before.was_cleared:
                return
            if before is None and len(self._watches) >= MAXIMUM_CODEBASES:
                return
            watch = self._watches[root] = _Watch(Lifecycle(self._state_root, Path(root)), self._blocked, self._tell)
        watch.start()

    def forget(self, root: str) -> None:
        """Stop watching a codebase."""
        with self._lock:
            watch = self._watches.pop(root, None)
        if watch is not None:
            watch.stop()
            self._tell()

    def states(self) -> list[WatchState]:
        """What is watched, by root."""
        with self._lock:
            return [watch.state for _, watch in sorted(self._watches.items())]

    def close(self) -> None:
        """Stop watching everything; a sync that is running goes on in its own thread."""
        with self._lock:
            watches, self._watches = list(self._watches.values()), {}
        for watch in watches:
            watch.stop()
        self._record.unlink(missing_ok=True)

    def _tell(self) -> None:
        try:
            write_json(self._record, {"codebases": [asdict(state) for state in self.states()]})
        except OSError:
            logger.exception("what is watched could not be recorded")


class _Watch(threading.Thread):
    """One codebase's watch."""

    def __init__(self, lifecycle: Lifecycle, blocked: Callable[[], bool], tell: Callable[[], None]) -> None:
        super().__init__(name=f"watch {lifecycle.root}", daemon=True)
        self.state = WatchState(str(lifecycle.root), watched=False)
        self._lifecycle = lifecycle
        self._root = str(lifecycle.root)
        self._private = str(lifecycle.state.path.resolve()) + "/"
        self._blocked = blocked
        self._tell = tell
        self._ended = threading.Event()
        # A codebase is looked at once when its watch begins: what happened before nobody has told.
        self._due = True
        self.was_cleared = False
        self._not_before = 0.0
        self._failures = 0
        self._looks = 0
        self._syncs = 0

    def stop(self) -> None:
        """End soon."""
        self._ended.set()

    def run(self) -> None:
        """Watch until stopped, or until watching is impossible."""
        if importlib.util.find_spec("watchfiles") is None:
            self._say(reason=f"watchfiles is not installed: pip install 'satori-code[{EXTRA}]'")
            return
        vanished = 0
        while not self._ended.is_set():
            try:
                self._watch_directories()
                vanished = 0
            except FileNotFoundError as error:
                # A directory went between listing and watching it.
                vanished += 1
                if vanished > _VANISHED_TRIES or not Path(self._root).is_dir():
                    self._say(reason=f"its directories keep vanishing: {error}")
                    return
                self._ended.wait(QUIET_MS / 1000)
            except NotIndexedError:
                self.was_cleared = True
                self._say(reason="it is not indexed any more")
                return
            except (OSError, RuntimeError, SourceError) as error:
                self._say(reason=f"the system does not watch it: {error}")
                return

    def _watch_directories(self) -> None:
        """Watch the directories that there are now, until stopped or until there are others."""
        from watchfiles import watch

        directories = self._directories()
        if len(directories) > MAXIMUM_DIRECTORIES:
            raise OSError(f"{len(directories)} directories are more than {MAXIMUM_DIRECTORIES}")
        self._say(watched=True, directories=len(directories))
        # A tick follows within a second of the system's watching: what happened before it is looked for then.
        for changes in watch(
            *(os.path.join(self._root, path) for path in directories),  # noqa: PTH118 (thousands of strings)
            watch_filter=None,
            debounce=PATIENCE_MS,
            step=QUIET_MS,
            stop_event=self._ended,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            recursive=False,
            # True would also pass over the limit on watches, in silence; what may not be read is not among these.
            ignore_permission_denied=False,
        ):
            self._due = self._due or self._matters({path for _, path in changes}, directories)
            if not self._due or time.monotonic() < self._not_before or self._ended.is_set() or self._blocked():
                continue
            self._bring_up()
            if self._directories() != directories:
                self._due = True
                return

    def _directories(self) -> frozenset[str]:
        entered = list_files(self._root, self._lifecycle.settings()).directories
        return frozenset(path for path in entered if not self._is_private(f"{self._root}/{path}"))

    def _is_private(self, path: str) -> bool:
        return f"{path.rstrip('/')}/".startswith(self._private)

    def _matters(self, paths: Iterable[str], directories: frozenset[str]) -> bool:
        """Whether a look at the tree could find something: by the rules that decide what is published."""
        start = len(self._root.rstrip("/")) + 1
        inside = sorted({path[start:] for path in paths if len(path) > start and not self._is_private(path)})
        if len(inside) > _EXAMINED_PATHS:
            return True
        try:
            known = self._manifest().by_path
            unknown = []
            for path in inside:
                entry = known.get(path)
                if (entry is not None and entry.skip is None) or f"{path}/" in directories:
                    return True
                if path.rpartition("/")[2] in _LISTS:
                    return True
                unknown.append(path)
            if not unknown:
                return False
            listing = look_at(self._root, unknown, self._lifecycle.settings())
        except NotIndexedError:
            raise
        except SatoriError:
            return True
        wanted = set(unknown)
        return any(file.skip is None for file in listing.files) or any(
            path.rstrip("/") in wanted for path in listing.directories
        )

    def _manifest(self) -> Manifest:
        known = known_manifest(peek(self._lifecycle.paths).id)
        if known is not None:
            return known
        with self._lifecycle.pin() as snapshot:
            return snapshot.manifest()

    def _bring_up(self) -> None:
        """One look and, when it finds a change, one sync; a failure is tried again later."""
        began = time.monotonic()
        self._looks += 1
        try:
            published = self._sync()
        except NotIndexedError:
            raise
        except SatoriError as error:
            least, most = _RETRY_SECONDS
            wait = least if isinstance(error, BusyError) else min(most, least * 2**self._failures)
            self._failures += 1
            self._not_before = time.monotonic() + wait
            logger.warning("%s was not brought up to date: %s", self._root, error.message)
            return
        self._due = False
        self._failures = 0
        took = time.monotonic() - began
        self._not_before = time.monotonic() + max(REST_SECONDS, REST_FACTOR * took)
        self._syncs += published
        self._say(watched=True, directories=self.state.directories)

    def _sync(self) -> bool:
        from satori.publication import operations

        lifecycle = self._lifecycle
        with lifecycle.pin() as snapshot:
            found = check(self._root, snapshot.manifest(), lifecycle.settings(), _LOOK_MS)
            if found.state is not FreshnessState.CHANGED:
                return False
            if snapshot.info.fingerprint.differences(lifecycle.fingerprint):
                # Another embedder was chosen since: a whole build may cost money, and is a person's to start.
                return False
            small = len(found.changed_files) <= CATCH_UP_FILES and not delta_is_due(snapshot)
            seen = Seen.of(snapshot.info, found.changes) if found.changes is not None else None
        if small:
            return lifecycle.sync(seen=seen).published
        # In a process of its own, so that questions do not wait for the interpreter meanwhile.
        running = operations.start(lifecycle.state.path, lifecycle.root, "sync")
        while running.process.poll() is None and not self._ended.is_set():
            running.wait(QUIET_MS / 1000)
        return running.process.poll() == 0

    def _say(self, *, watched: bool = False, reason: str = "", directories: int = 0) -> None:
        state = WatchState(self._root, watched, reason, directories, self._looks, self._syncs)
        if state != self.state:
            self.state = state
            if reason:
                logger.warning("%s is not watched: %s", self._root, reason)
            self._tell()
