"""Whether anything in a tree was touched since it was last looked at, as the kernel tells it: inotify, on Linux.

A file's change is queued before the call that made it returns, so an empty queue proves that no process of this
machine created, wrote, renamed, removed or re-stamped anything in the directories watched. It does not see writes
through memory maps, other machines' writes to a shared file system, or anything outside these directories; who trusts
it must not do so for long. Elsewhere `watch_tree` gives None, and nothing is known without looking. It reads no file
and starts no thread.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

MAXIMUM_DIRECTORIES = 20_000
_NONBLOCK, _CLOEXEC = os.O_NONBLOCK, getattr(os, "O_CLOEXEC", 0)
# modify, attrib, close after write, moved from and to, create, delete, the directory's own end; a directory, no link.
_MASK = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x01000000 | 0x02000000
_BUFFER = 1 << 16


@cache
def _libc() -> ctypes.CDLL | None:
    """The C library with inotify, or None."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        library = ctypes.CDLL(None, use_errno=True)
        library.inotify_init1.argtypes = [ctypes.c_int]
        library.inotify_add_watch.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32]
    except (OSError, AttributeError):
        return None
    return library


class TreeWatch:
    """A watch on directories; `directories` are those given, relative to the root. Made by `watch_tree`."""

    def __init__(self, root: str, directories: tuple[str, ...], descriptor: int) -> None:
        self.directories = directories
        self._root = root
        self._identity = _identity(root)
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def still(self) -> bool:
        """Whether nothing happened since the last call (or since the watch was made). False for ever after `close`."""
        with self._lock:
            if self._descriptor < 0:
                return False
            quiet = True
            while True:
                try:
                    events = os.read(self._descriptor, _BUFFER)
                except BlockingIOError:
                    break
                except OSError:
                    return False
                quiet = quiet and not events
            # An ancestor that was renamed moves the tree without a word; the path then leads elsewhere.
            return quiet and self._identity is not None and _identity(self._root) == self._identity

    def close(self) -> None:
        """Give the descriptor back; may be called again."""
        with self._lock:
            descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def watch_tree(root: str, directories: Iterable[str]) -> TreeWatch | None:
    """A watch on these directories below the canonical `root` ("" is the root); None when the system lends none.

    What happened before it returns is not seen: look at the tree afterwards.
    """
    library = _libc()
    wanted = tuple(directories)
    if library is None or len(wanted) > MAXIMUM_DIRECTORIES:
        return None
    descriptor = library.inotify_init1(_NONBLOCK | _CLOEXEC)
    if descriptor < 0:
        return None
    watch = TreeWatch(root, wanted, descriptor)
    base = os.fsencode(root.rstrip("/") or "/")
    for directory in wanted:
        path = base + b"/" + os.fsencode(directory.rstrip("/")) if directory else base
        if library.inotify_add_watch(descriptor, path, _MASK) < 0:
            watch.close()
            return None
    return watch


def _identity(root: str) -> tuple[int, int] | None:
    try:
        status = Path(root).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
