"""Reading a file that must be its user's alone: settings that choose addresses, and keys.

What is checked is what was opened, so that nothing can be swapped in between; a FIFO or a device is never waited for.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path


class UnsafeFileError(Exception):
    """The file must not be used; the text says why, to stand behind its name."""


def read_private(path: Path, *, forbidden: int, limit: int) -> bytes:
    """The file's bytes, at most `limit`. `forbidden` are the mode bits that make it unsafe.

    Raises OSError, and UnsafeFileError when it is no regular file, too large, somebody else's or open to others.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise UnsafeFileError("is no regular file")
        if found.st_uid != os.geteuid():
            raise UnsafeFileError("belongs to somebody else")
        if found.st_mode & forbidden:
            raise UnsafeFileError(f"is open to others (mode {stat.S_IMODE(found.st_mode):04o})")
        if found.st_size > limit:
            raise UnsafeFileError(f"is larger than {limit} bytes")
        return os.read(descriptor, limit)
    finally:
        os.close(descriptor)
