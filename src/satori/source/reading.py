"""The one place where source files are opened: bound to descriptors, bounded, never blocking.

A `SourceReader` walks from the file system's root down to the file one component at a time, none of them a symbolic
link, and opens regular files only. Secrets and version control internals are refused by name before any I/O. What
was read is known to be one state of one file: a file that changes or is replaced meanwhile is read again. Whether
the content is text worth indexing is decided in `content`.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from satori.errors import DeniedPathError, SourceError
from satori.source.denied import denied_path
from satori.source.skip import SkipReason

#: The cap for one file, in bytes.
FILE_LIMIT = 8 * 1024 * 1024
_ATTEMPTS = 3
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
#: A symbolic link (or something else) stands where a directory or file was expected.
_REPLACED = frozenset({errno.ELOOP, errno.EMLINK, errno.ENOTDIR})


class Stamp(NamedTuple):
    """What stat says about one state of a file; times in nanoseconds since the epoch.

    A named tuple, because thousands are made and compared on every look at a codebase.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file's bytes with the stamp of exactly these bytes; `recorded_ns` is the moment before they were read."""

    path: str
    data: bytes
    stamp: Stamp
    recorded_ns: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.stamp.size

    @property
    def mtime_ns(self) -> int:
        """Last modification, nanoseconds since the epoch."""
        return self.stamp.mtime_ns


class MissingFileError(SourceError):
    """The file is not there (any more)."""

    default_code = "source_missing"


class UnstableFileError(SourceError):
    """The file kept changing while it was read."""

    default_code = "source_unstable"


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp of a stat result."""
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def open_root(root: str | os.PathLike[str]) -> int:
    """A descriptor of the directory at the canonical path `root`, no component of which is a symbolic link.

    Raises SourceError. The caller closes the descriptor.
    """
    text = os.fspath(root)
    try:
        return _open_below(None, [part for part in text.split("/") if part])
    except OSError as error:
        if error.errno in _REPLACED:
            message = f"The root {text!r} or a directory above it was replaced."
        else:
            message = f"The root {text!r} cannot be opened: {error.strerror}."
        raise SourceError(message, next_step="Check that the directory exists and is readable.") from error


def open_directory(parent: int, name: str) -> int:
    """A descriptor of the directory `name` in the directory `parent`; raises OSError, ELOOP or ENOTDIR for a link."""
    return os.open(name, _DIRECTORY, dir_fd=parent)


def _open_below(start: int | None, parts: list[str]) -> int:
    descriptor = os.open("/", _DIRECTORY) if start is None else os.dup(start)
    try:
        for part in parts:
            below = os.open(part, _DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def read_entry_at(directory: int, name: str, limit: int) -> tuple[bytes, Stamp, int] | SkipReason:
    """The bytes, stamp and moment of the regular file `name` in the open directory, in one consistent state.

    Returns a reason for links, special files and files above `limit`. Raises OSError from the system and
    UnstableFileError when the file does not hold still.
    """
    for _ in range(_ATTEMPTS):
        # The kind is looked at before opening: opening some devices has effects even when nothing is read.
        before = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if not stat.S_ISREG(before.st_mode):
            return SkipReason.SYMLINK if stat.S_ISLNK(before.st_mode) else SkipReason.NOT_REGULAR
        recorded = time.time_ns()
        descriptor = os.open(name, _FILE, dir_fd=directory)
        try:
            opened = os.fstat(descriptor)
            if not stat.S_ISREG(opened.st_mode):
                return SkipReason.NOT_REGULAR
            if opened.st_size > limit:
                return SkipReason.TOO_LARGE
            data = _read_up_to(descriptor, limit + 1, opened.st_size)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        there = os.stat(name, dir_fd=directory, follow_symlinks=False)
        stamp = stamp_of(opened)
        whole = len(data) == opened.st_size
        if whole and stamp_of(after) == stamp and stamp_of(there) == stamp and there.st_dev == opened.st_dev:
            return data, stamp, recorded
    raise UnstableFileError(f"{name!r} kept changing while it was read.", next_step="Try again in a moment.")


def _read_up_to(descriptor: int, most: int, expected: int) -> bytes:
    # One byte more than expected, so that a file which grew is noticed without another call.
    parts = []
    left = most
    size = min(expected + 1, most)
    while left > 0:
        part = os.read(descriptor, min(size, left))
        if not part:
            break
        parts.append(part)
        left -= len(part)
        size = 65536
    return parts[0] if len(parts) == 1 else b"".join(parts)


class SourceReader:
    """Reads files below one root; use as a context manager, for one operation, since it pins the directory."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """`root` is canonical (`resolve_root`). Raises SourceError when it cannot be opened."""
        self.root = Path(root)
        self._descriptor = open_root(root)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the root; closing twice is fine."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def read(self, path: str, limit: int = FILE_LIMIT) -> SourceFile | SkipReason:
        """The file `path` (POSIX, relative to the root), or the reason why such a file is not read.

        Raises DeniedPathError for a path that is not plainly below the root, MissingFileError, UnstableFileError,
        and SourceError for permissions and I/O errors.
        """
        parts = path_parts(path)
        denied = denied_path(path)
        if denied is not None:
            return denied
        try:
            directory = _open_below(self._descriptor, parts[:-1])
            try:
                result = read_entry_at(directory, parts[-1], limit)
            finally:
                os.close(directory)
        except (FileNotFoundError, IsADirectoryError) as error:
            raise MissingFileError(f"There is no file {path!r}.", next_step="Check the path.") from error
        except OSError as error:
            if error.errno in _REPLACED:
                return SkipReason.SYMLINK
            raise SourceError(
                f"{path!r} cannot be read: {error.strerror}.", next_step="Check the file's permissions."
            ) from error
        if isinstance(result, SkipReason):
            return result
        data, stamp, recorded = result
        return SourceFile(path, data, stamp, recorded)


def path_parts(path: str) -> list[str]:
    """The components of a relative POSIX path; raises DeniedPathError for any other (absolute, `..`, empty parts)."""
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise DeniedPathError(
            f"{path!r} is not a plain path below the root.", next_step="Give a path relative to the root."
        )
    return parts
