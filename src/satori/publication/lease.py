"""The fenced lease: at most one live owner may change a codebase, and a fence outlives every owner.

The lease names its owner by pid, start time and a nonce (two threads of one process are two owners). Age never breaks
it; a dead or recycled pid does. Each acquisition raises the fence by one, and whoever activates checks under the same
lock that its fence is still the newest, so an owner that lost its lease can never activate. It does not wait politely:
callers choose how long.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from satori.errors import BusyError
from satori.publication.process import ProcessIdentity, own_identity
from satori.publication.state import FILE_MODE, CodebasePaths, make_directory, read_json, state_error, write_json

_POLL_SECONDS = 0.02


class Lease:
    """Held from `acquire` to `release`."""

    def __init__(self, paths: CodebasePaths, fence: int, nonce: str) -> None:
        self.fence = fence
        self._paths = paths
        self._nonce = nonce

    @contextlib.contextmanager
    def activation(self) -> Iterator[None]:
        """Run the one activating step while nobody can take the lease. Raises BusyError when it was lost before."""
        with _locked(self._paths.lease):
            document = read_json(self._paths.lease) or {}
            if document.get("fence") != self.fence or document.get("nonce") != self._nonce:
                raise BusyError(
                    "The lease of this codebase was taken over while this operation ran.", next_step="Run it again."
                )
            yield

    def release(self) -> None:
        """Give the lease up; the fence stays (unless the codebase was cleared)."""
        if not self._paths.lease.exists():
            return
        with contextlib.suppress(OSError), _locked(self._paths.lease):
            document = read_json(self._paths.lease) or {}
            if document.get("nonce") == self._nonce:
                write_json(self._paths.lease, {"fence": self.fence})


def acquire(paths: CodebasePaths, *, operation: str, version: str, wait_seconds: float = 0.0) -> Lease:
    """Take the lease of a prepared codebase directory.

    Raises BusyError naming the owner when it is still held after `wait_seconds`, StateError when it cannot be written.
    """
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            lease, owner = _try(paths, operation, version)
        except OSError as error:
            raise state_error(error, "take the lease of this codebase") from error
        if lease is not None:
            return lease
        if time.monotonic() >= deadline:
            raise _busy(owner, version)
        time.sleep(_POLL_SECONDS)


def owner_of(paths: CodebasePaths) -> dict[str, Any] | None:
    """The live owner's document (pid, start, operation, version, fence), or None."""
    document = read_json(paths.lease)
    return document if document is not None and _held(document) else None


def _try(paths: CodebasePaths, operation: str, version: str) -> tuple[Lease | None, dict[str, Any]]:
    with _locked(paths.lease):
        document = read_json(paths.lease) or {}
        if _held(document):
            return None, document
        fence = _number(document.get("fence")) + 1
        me = own_identity()
        nonce = os.urandom(8).hex()
        owner = {"fence": fence, "pid": me.pid, "start": me.start, "nonce": nonce}
        write_json(paths.lease, {**owner, "operation": operation, "version": version})
        return Lease(paths, fence, nonce), owner


def _held(document: dict[str, Any]) -> bool:
    pid, start = document.get("pid"), document.get("start")
    return isinstance(pid, int) and isinstance(start, str) and ProcessIdentity(pid, start).alive


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _busy(owner: dict[str, Any], version: str) -> BusyError:
    theirs = str(owner.get("version", ""))
    versions = f", version {theirs} (this runtime is {version})" if theirs and theirs != version else ""
    return BusyError(
        f"Another live process is changing this codebase: pid {owner.get('pid')}, "
        f"operation {owner.get('operation') or 'unknown'}{versions}.",
        next_step="Wait for it, or cancel that operation.",
    )


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """A short exclusive lock beside `path`; the kernel drops it with the process."""
    beside = path.with_name(path.name + ".lock")
    while True:
        make_directory(path.parent)
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, beside):
                yield
                return
        finally:
            os.close(descriptor)
        # The codebase was cleared while this waited: its directory is made again, and the lock with it.


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        here = path.stat()
    except FileNotFoundError:
        return False
    mine = os.fstat(descriptor)
    return (here.st_ino, here.st_dev) == (mine.st_ino, mine.st_dev)
