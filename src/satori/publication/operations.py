"""Starting, following and ending operations in supervised child processes.

A child is this interpreter running `satori.publication.child` with an argument list; it inherits no descriptors but a
pipe whose closing (also by the death of whoever started it) cancels it. A watchdog ends a child that makes no progress.
The operation's record on disk is the truth that every process shares; nothing is kept here that a restart would lose.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from satori.errors import BuildError, UsageError
from satori.publication.choice import SettingsChoice
from satori.publication.process import ProcessIdentity, child_environment
from satori.publication.progress import (
    Operation,
    OperationState,
    cancel_path,
    new_operation_id,
    read_operation,
)
from satori.publication.state import CodebasePaths, StateRoot, make_directory, state_error, write_json
from satori.remote.keys import environment_counts

STALL_SECONDS = 120.0
_START_SECONDS = 10.0
_CANCEL_GRACE_SECONDS = 1.2
_POLL_SECONDS = 0.05
_WATCH_SECONDS = 1.0
_LOG_BYTES = 1 << 20
ACTIONS = ("create", "sync", "reindex", "clear")


@dataclass(eq=False, slots=True)
class RunningOperation:
    """A child that this process started."""

    id: str
    process: subprocess.Popen[bytes]
    paths: CodebasePaths

    def wait(self, seconds: float) -> Operation | None:
        """The operation's record once the child ended, or after `seconds` as it is then."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=seconds)
        return operation_of(self.paths, self.id)


_CHILDREN: dict[str, RunningOperation] = {}


def start(
    state_root: Path, root: Path, action: str, choice: SettingsChoice | None = None, *, stall: float = STALL_SECONDS
) -> RunningOperation:
    """Start `action` (create, sync, reindex or clear) on the canonical `root`; returns once its record is visible.

    `choice` None means what was chosen before. Raises UsageError for another action, StateError when
    the state root cannot be written, BuildError when the child dies before it says anything.
    """
    if action not in ACTIONS:
        raise UsageError(f"There is no operation {action!r}.", next_step=f"Choose one of: {', '.join(ACTIONS)}.")
    paths = StateRoot(state_root).codebase(root)
    identifier = new_operation_id()
    arguments = [sys.executable, "-P", "-m", "satori.publication.child"]
    arguments += ["--state-root", str(state_root), "--root", str(root), "--action", action, "--operation", identifier]
    if choice is not None:
        arguments += ["--choice", json.dumps(choice.document())]
    if environment_counts():
        arguments.append("--shell")
    try:
        make_directory(StateRoot(state_root).logs)
        log = _open_log(StateRoot(state_root).logs / "operations.log")
    except OSError as error:
        raise state_error(error, "write the log of this operation") from error
    try:
        process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd="/", env=child_environment()
        )
    except OSError as error:
        raise BuildError(f"The operation could not be started: {error}.", next_step="Run it again.") from error
    finally:
        os.close(log)
    running = RunningOperation(identifier, process, paths)
    _CHILDREN[identifier] = running
    threading.Thread(target=supervise, args=(running, stall), daemon=True).start()
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if operation_of(paths, identifier) is not None:
            return running
        if process.poll() is not None:
            break
        time.sleep(_POLL_SECONDS / 5)
    # A clear that is already done has taken its own record with it.
    cleared = action == "clear" and process.poll() == 0
    if operation_of(paths, identifier) is None and process.poll() is not None and not cleared:
        raise BuildError(
            f"The operation ended before it began (exit status {process.returncode}).",
            next_step=f"See {StateRoot(state_root).logs / 'operations.log'}.",
        )
    return running


def operation_of(paths: CodebasePaths, operation_id: str) -> Operation | None:
    """The record of exactly this operation, when it is still the last one."""
    operation = read_operation(paths)
    return operation if operation is not None and operation.id == operation_id else None


def cancel(paths: CodebasePaths, operation_id: str, *, seconds: float = 2.0) -> Operation:
    """End exactly this operation, whoever runs it, within `seconds`; what was served before stays served.

    Raises UsageError when no such operation runs.
    """
    operation = operation_of(paths, operation_id)
    if operation is None or not operation.running:
        raise UsageError(
            f"No operation {operation_id!r} is running here.", next_step="Ask for the status to see what runs."
        )
    deadline = time.monotonic() + seconds
    grace = time.monotonic() + min(_CANCEL_GRACE_SECONDS, seconds * 0.6)
    request = cancel_path(paths, operation_id)
    try:
        request.touch(mode=0o600)
    except OSError as error:
        raise state_error(error, "ask the operation to stop") from error
    killed = False
    while time.monotonic() < deadline:
        now = operation_of(paths, operation_id)
        if now is None or not now.running:
            break
        if not killed and time.monotonic() > grace and _is_child(operation):
            _kill(operation)
            killed = True
        time.sleep(_POLL_SECONDS)
    request.unlink(missing_ok=True)
    return _record_end(paths, operation, OperationState.CANCELLED, "cancelled", f"{operation_id} was cancelled.")


def any_running() -> bool:
    """Whether a child that this process started still runs; a runtime then does not idle out."""
    return any(running.process.poll() is None for running in list(_CHILDREN.values()))


def stop_all(seconds: float = 2.0) -> None:
    """End every child that this process started: for shutting down."""
    for running in list(_CHILDREN.values()):
        if running.process.poll() is None:
            with contextlib.suppress(OSError):
                running.process.terminate()
    deadline = time.monotonic() + seconds
    for running in list(_CHILDREN.values()):
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.process.wait(timeout=max(0.0, deadline - time.monotonic()))
        if running.process.poll() is None:
            running.process.kill()


def _is_child(operation: Operation) -> bool:
    """Whether the operation runs in a process of its own, which may be killed without harm to anything else."""
    try:
        words = Path(f"/proc/{operation.pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return operation.id in _CHILDREN
    return operation.id.encode() in words


def _kill(operation: Operation) -> None:
    if ProcessIdentity(operation.pid, operation.start).alive:
        with contextlib.suppress(OSError):
            os.kill(operation.pid, signal.SIGKILL)


def _record_end(
    paths: CodebasePaths, operation: Operation, state: OperationState, code: str, message: str
) -> Operation:
    """What the operation came to: its own words when it had any, else these."""
    last = operation_of(paths, operation.id)
    if last is None:
        return replace(operation, state=state, code=code, message=message)
    if last.state is OperationState.INTERRUPTED:
        last = replace(last, state=state, code=code, message=message, updated_at=time.time())
        with contextlib.suppress(OSError):
            write_json(paths.operation, asdict(last))
    return last


def supervise(running: RunningOperation, stall: float) -> None:
    """Wait for the child; end it and record the failure when it makes no progress for `stall` seconds."""
    while running.process.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.process.wait(timeout=_WATCH_SECONDS)
            break
        operation = operation_of(running.paths, running.id)
        if operation is not None and operation.running and time.time() - operation.updated_at > stall:
            _kill(operation)
            running.process.wait()
            message = f"{operation.action} made no progress for {stall:.0f} seconds ({operation.phase}) and was ended."
            _record_end(running.paths, operation, OperationState.FAILED, "no_progress", message)
    with contextlib.suppress(OSError):
        assert running.process.stdin is not None
        running.process.stdin.close()
    _CHILDREN.pop(running.id, None)


def _open_log(path: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_size > _LOG_BYTES:
            path.replace(path.with_suffix(".log.1"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
