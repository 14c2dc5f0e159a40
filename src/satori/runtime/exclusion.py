"""One runtime a directory: its lock, its socket, its log. Light, because every contender pays for it.

Of several processes started at once one gets the lock and goes on to import the server; the others end. Deliberately
absent: asyncio, and anything about sessions.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from satori.errors import StateError
from satori.publication.state import make_directory
from satori.runtime.paths import RuntimeDirectory

LOG_LIMIT = 1 << 20
BACKLOG = 128


@contextlib.contextmanager
def exclusive(directory: RuntimeDirectory) -> Iterator[bool]:
    """Hold the directory's lock; yields False when another process holds it.

    Raises:
        StateError: the directory cannot be used.
    """
    try:
        make_directory(directory.run)
        directory.run.chmod(0o700)
        descriptor = os.open(directory.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StateError(
            f"The runtime cannot use {directory.run}: {error.strerror}.",
            next_step="Fix its permissions, or free space.",
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


def bind(directory: RuntimeDirectory) -> socket.socket:
    """Listen on the directory's socket, mode 0600. The caller holds the lock, so an old socket file is a leftover."""
    directory.socket.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    # A Unix socket's address holds 104 to 108 bytes; from its own directory the name is short.
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(directory.run)
        listener.bind(directory.socket.name)
        listener.listen(BACKLOG)
    finally:
        os.fchdir(here)
        os.close(here)
        os.umask(mask)
    listener.setblocking(False)
    return listener


def listening(directory: RuntimeDirectory) -> bool:
    """Whether somebody answers on the directory's socket."""
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(directory.run)
        end.connect(directory.socket.name)
    except OSError:
        return False
    finally:
        os.fchdir(here)
        os.close(here)
        end.close()
    return True


def trim_log(log: Path) -> None:
    """Keep the last half of a log that grew beyond 1 MiB; the open descriptor appends on."""
    with contextlib.suppress(OSError):
        if log.stat().st_size > LOG_LIMIT:
            kept = log.read_bytes()[-LOG_LIMIT // 2 :]
            os.truncate(log, 0)
            sys.stderr.buffer.write(kept)
            sys.stderr.flush()
