"""Ways to hurt a process that is changing state: kill it, fail its calls, or take its disk away.

Everything here works inside a process that was forked for it and never returns from there.
"""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from satori.publication import schema, state
from satori.publication.stages import Stage, observe


def kill_at(stage: Stage) -> None:
    """SIGKILL this process when it reaches `stage`."""
    observe(lambda reached: os.kill(os.getpid(), signal.SIGKILL) if reached is stage else None)


class CallCounter:
    """Fails the n-th call that touches the disk, counted over files and SQLite alike (0: only counts)."""

    def __init__(self, fail_at: int, code: int) -> None:
        self.calls = 0
        self.fail_at = fail_at
        self.code = code

    def touch(self) -> bool:
        """Whether this call must fail."""
        self.calls += 1
        return self.calls == self.fail_at

    def install(self) -> None:
        """Put the counter in front of opens for writing, renames, flushes, links and every SQLite statement."""
        real_open = os.open

        def opened(path: Any, flags: int, *rest: Any, **named: Any) -> int:
            if flags & (os.O_WRONLY | os.O_RDWR) and self.touch():
                raise OSError(self.code, os.strerror(self.code), str(path))
            return real_open(path, flags, *rest, **named)

        os.open = opened
        for module, name in ((os, "fsync"), (os, "unlink"), (Path, "replace"), (Path, "rename"), (Path, "touch")):
            setattr(module, name, self._guarded(getattr(module, name)))
        for name in ("mkdir", "write_bytes"):
            setattr(Path, name, self._guarded(getattr(Path, name)))
        counter = self

        class Failing(sqlite3.Connection):
            """A connection whose statements count."""

            def execute(self, *arguments: Any) -> sqlite3.Cursor:
                counter.check_statement()
                return super().execute(*arguments)

            def executemany(self, *arguments: Any) -> sqlite3.Cursor:
                counter.check_statement()
                return super().executemany(*arguments)

        def connect(path: Path, mode: str, *, immutable: bool = False) -> sqlite3.Connection:
            uri = f"file:{path}?mode={mode}{'&immutable=1' if immutable else ''}"
            return sqlite3.connect(
                uri, uri=True, timeout=5, isolation_level=None, check_same_thread=False, factory=Failing
            )

        schema._connect = connect

    def check_statement(self) -> None:
        """Raise SQLite's own error for a full or failing disk when this statement's turn has come."""
        if self.touch():
            full = self.code == errno.ENOSPC
            error = sqlite3.OperationalError("database or disk is full" if full else "disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL if full else sqlite3.SQLITE_IOERR
            raise error

    def _guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if self.touch():
                raise OSError(self.code, os.strerror(self.code))
            return function(*arguments, **named)

        return call


class SmallDisk:
    """A tmpfs of a given size over a directory; needs the right to mount (root, or a user namespace)."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.mounted = False

    def mount(self, size: int) -> bool:
        """Whether it could be mounted."""
        state.make_directory(self.directory)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(self.directory)],
            capture_output=True,
            check=False,
        )
        self.mounted = done.returncode == 0
        return self.mounted

    def used(self) -> int:
        """Bytes in use, in whole pages, with one page to spare."""
        status = os.statvfs(self.directory)
        return (status.f_blocks - status.f_bfree + 1) * status.f_frsize

    def resize(self, size: int) -> None:
        """Give it another size."""
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.directory)], capture_output=True, check=True)

    def unmount(self) -> None:
        """Take it away again."""
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.directory)], capture_output=True, check=True)
            self.mounted = False
