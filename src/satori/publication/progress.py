"""The record of a codebase's last operation: live progress while it runs, its outcome afterwards.

One small file replaced atomically, at most a few times a second, so that every process sees the same truth. A record
whose owner is dead is an interrupted operation; its progress is never shown as if it still ran.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from satori.errors import BuildError, CancelledError
from satori.publication.process import ProcessIdentity, own_identity
from satori.publication.state import CodebasePaths, read_json, write_json

_WRITE_SECONDS = 0.2
_CANCEL_POLL_SECONDS = 0.25


class OperationState(StrEnum):
    """Where an operation is; `interrupted` means that its process is gone without an outcome."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


class Phase(StrEnum):
    """What a running operation is at."""

    STARTING = "starting"
    LISTING = "listing"
    ANALYSING = "analysing"
    EMBEDDING = "embedding"
    WRITING = "writing"
    VERIFYING = "verifying"
    ACTIVATING = "activating"
    CLEARING = "clearing"


@dataclass(frozen=True, slots=True)
class Operation:
    """`done` never exceeds `total`; `total` is 0 while unknown. Times are seconds since the epoch. `code` and `message`
    say why it failed."""

    id: str
    action: str
    pid: int
    start: str
    version: str
    state: OperationState
    phase: Phase
    done: int
    total: int
    started_at: float
    updated_at: float
    code: str = ""
    message: str = ""

    @property
    def running(self) -> bool:
        """Whether it runs now, in a process that lives."""
        return self.state is OperationState.RUNNING


def read_operation(paths: CodebasePaths) -> Operation | None:
    """The last operation's record as it is true now, or None."""
    document = read_json(paths.operation)
    if document is None:
        return None
    try:
        operation = Operation(
            **{**document, "state": OperationState(document["state"]), "phase": Phase(document["phase"])}
        )
    except (TypeError, ValueError, KeyError):
        return None
    if operation.running and not ProcessIdentity(operation.pid, operation.start).alive:
        return replace(
            operation,
            state=OperationState.INTERRUPTED,
            code="interrupted",
            message=f"The process that ran {operation.action} (pid {operation.pid}) ended before it was done.",
        )
    return operation


def new_operation_id() -> str:
    """Twelve random hexadecimal characters after `op-`."""
    return f"op-{os.urandom(6).hex()}"


class Progress:
    """The writing side, for the one process that runs the operation. Safe to use from several threads."""

    def __init__(
        self,
        paths: CodebasePaths,
        action: str,
        version: str,
        *,
        operation_id: str = "",
        listener: Callable[[Operation], None] | None = None,
    ) -> None:
        me = own_identity()
        now = time.time()
        self._paths = paths
        self._listener = listener
        self._guard = threading.RLock()
        self._unwritten = False
        self._ended = threading.Event()
        self._checked = 0.0
        self._cancelled = threading.Event()
        self.operation = Operation(
            operation_id or new_operation_id(),
            action,
            me.pid,
            me.start,
            version,
            OperationState.RUNNING,
            Phase.STARTING,
            0,
            0,
            now,
            now,
        )

    def begin(self) -> None:
        """Make the operation visible. Raises OSError when its record cannot be written."""
        with self._guard:
            self._write()
        threading.Thread(target=self._keep_written, daemon=True).start()

    def enter(self, phase: Phase, total: int = 0) -> None:
        """Start a phase; raises CancelledError when somebody asked to stop."""
        self._update(replace(self.operation, phase=phase, done=0, total=total, updated_at=time.time()))
        self.check()

    def advance(self, done: int) -> None:
        """`done` things of this phase are done; raises CancelledError when somebody asked to stop."""
        operation = self.operation
        done = min(done, operation.total) if operation.total else done
        self._update(replace(operation, done=done, updated_at=time.time()))
        self.check()

    def cancel(self) -> None:
        """Ask this operation to stop, from any thread or signal handler."""
        self._cancelled.set()

    def check(self) -> None:
        """Raise CancelledError when somebody asked to stop; looks at the disk four times a second at most."""
        now = time.monotonic()
        if not self._cancelled.is_set() and now - self._checked > _CANCEL_POLL_SECONDS:
            self._checked = now
            if cancel_path(self._paths, self.operation.id).exists():
                self._cancelled.set()
        if self._cancelled.is_set():
            raise CancelledError(
                f"The operation {self.operation.id} was cancelled.",
                next_step="What was served before is still served; start it again when you want it.",
            )

    def end(self, error: BaseException | None) -> None:
        """Record the outcome; failures to record are swallowed, since the outcome itself stands."""
        state, code, message = OperationState.COMPLETED, "", ""
        if isinstance(error, CancelledError):
            state, code, message = OperationState.CANCELLED, error.code, error.message
        elif error is not None:
            state = OperationState.FAILED
            code = getattr(error, "code", "") or BuildError.default_code
            message = str(error) or type(error).__name__
        with self._guard:
            self._ended.set()
            self.operation = replace(self.operation, state=state, code=code, message=message, updated_at=time.time())
            with contextlib.suppress(OSError):
                self._write()
            with contextlib.suppress(OSError):
                cancel_path(self._paths, self.operation.id).unlink(missing_ok=True)

    def _update(self, operation: Operation) -> None:
        with self._guard:
            self.operation = operation
            self._unwritten = True

    def _keep_written(self) -> None:
        """Write what changed, a few times a second: a quick operation then writes its beginning and its end only."""
        while not self._ended.wait(_WRITE_SECONDS):
            with self._guard:
                if self._unwritten and not self._ended.is_set():
                    # Progress that cannot be written (a full disk) must not end a build that may need no more space.
                    with contextlib.suppress(OSError):
                        self._write()

    def _write(self) -> None:
        self._unwritten = False
        document: dict[str, Any] = asdict(self.operation)
        write_json(self._paths.operation, document)
        if self._listener is not None:
            self._listener(self.operation)


def cancel_path(paths: CodebasePaths, operation_id: str) -> Any:
    """The file whose existence asks exactly this operation to stop."""
    return paths.directory / f"cancel-{operation_id}"
