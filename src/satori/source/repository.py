"""Where a directory's git repository is, and what it says about ignoring and tracking.

`locate` reads `.git` entries itself and runs nothing. A nested directory with a `.git` of its own is told apart as a
submodule of the surrounding repository (indexed with it) or as a repository or worktree of its own (not indexed with
it). Matching patterns is `ignore`'s and `rules`' task.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from satori.source.git import GitError, run_git
from satori.source.ignore import LIST_LIMIT

_POINTER_LIMIT = 16 * 1024


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree: its `top` directory, its `git_directory` and the `common_directory` shared by its worktrees."""

    top: str
    git_directory: str
    common_directory: str


def locate(directory: str) -> Repository | None:
    """The repository whose work tree holds `directory`: its own or the nearest above it."""
    current = directory
    while True:
        found = repository_at(current)
        if found is not None:
            return found
        above = os.path.dirname(current)  # noqa: PTH120 - keeps bytes as they are
        if above == current:
            return None
        current = above


def repository_at(directory: str) -> Repository | None:
    """The repository whose work tree's top is `directory`, if there is one (`.git` a directory, link or file)."""
    entry = _join(directory, ".git")
    try:
        mode = os.stat(entry).st_mode  # noqa: PTH116
    except OSError:
        return None
    if stat.S_ISREG(mode):
        pointer = read_bounded(entry, _POINTER_LIMIT)
        if not pointer.startswith(b"gitdir:"):
            return None
        target = os.fsdecode(pointer[7:].strip(b" \r\n"))
        entry = os.path.realpath(_join(directory, target))
    elif not stat.S_ISDIR(mode):
        return None
    common = entry
    pointer = read_bounded(_join(entry, "commondir"), _POINTER_LIMIT).rstrip(b"\r\n")
    if pointer:
        common = os.path.realpath(_join(entry, os.fsdecode(pointer)))
    if not _exists(_join(entry, "HEAD")) or not os.path.isdir(_join(common, "objects")):  # noqa: PTH112
        return None
    return Repository(directory, entry, common)


def is_submodule_of(nested: Repository, outer: Repository | None) -> bool:
    """Whether the repository found below `outer`'s work tree is a submodule of it, checked out in place."""
    if outer is None:
        return False
    modules = _join(os.path.realpath(outer.common_directory), "modules") + "/"
    own = _join(os.path.realpath(outer.git_directory), "modules") + "/"
    place = os.path.realpath(nested.git_directory) + "/"
    if place.startswith((modules, own)):
        return True
    if os.path.dirname(place.rstrip("/")) == nested.top:  # noqa: PTH120 - an old submodule keeps its .git inside
        relative = nested.top[len(outer.top) :].strip("/")
        try:
            listed = run_git(outer.top, ["ls-files", "-s", "-z", "--", relative], work_tree=outer.top)
        except GitError:
            return False
        return listed.startswith(b"160000 ")
    return False


def info_exclude(repository: Repository) -> bytes:
    """The repository's own info/exclude; empty when there is none."""
    return read_bounded(_join(repository.common_directory, "info/exclude"), LIST_LIMIT)


def tracked_directories(repository: Repository, directories: list[str]) -> set[str]:
    """Those of `directories` (absolute, in the work tree) in which git tracks at least one file."""
    relative = {directory[len(repository.top) :].strip("/"): directory for directory in directories}
    try:
        arguments = ["ls-files", "-z", "--", *relative]
        listed = os.fsdecode(run_git(repository.top, arguments, work_tree=repository.top)).split("\0")
    except GitError:
        return set()
    listed.sort()
    found = set()
    for name, directory in relative.items():
        if any(path.startswith(name + "/") for path in listed):
            found.add(directory)
    return found


def read_bounded(path: str, limit: int, follow: bool = True) -> bytes:
    """The bytes of a regular file of git's own (links are followed, as git does); empty when there is none.

    Without `follow` the last component must not be a link, as git wants it for ignore files in the tree.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        descriptor = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
    except OSError:
        return b""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return b""
        with os.fdopen(os.dup(descriptor), "rb") as stream:
            return stream.read(limit)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _join(directory: str, name: str) -> str:
    return os.path.join(directory, name)  # noqa: PTH118 - paths here are strings, so that bytes survive


def _exists(path: str) -> bool:
    return os.path.lexists(path)
