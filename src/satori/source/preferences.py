"""What git's configuration says about ignoring: core.excludesFile (the user's or the system's) and core.ignoreCase.

Asking git costs a process, and a codebase is looked at before every answer, so the answer is kept while every
configuration file that git read, the well-known ones and the checked-out branch stay the same, for half a minute.
The excludes file itself is read each time. A repository's own core.excludesFile never counts.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

from satori.source.git import GitError, run_git
from satori.source.ignore import LIST_LIMIT
from satori.source.repository import Repository, read_bounded

_SECONDS = 30.0
_MOST = 64
_State = tuple[tuple[str, int, int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class GitPreferences:
    """The bytes of the excludes file (empty: none) and whether patterns ignore letter case."""

    excludes: bytes = b""
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class _Asked:
    excludes_file: str
    ignore_case: bool
    files: tuple[str, ...]
    state: _State
    at: float


_lock = threading.Lock()
_answers: dict[tuple[str, str, str], _Asked] = {}


def git_preferences(directory: str, repository: Repository | None) -> GitPreferences:
    """The preferences for a directory. Without git, or when it refuses the directory, the defaults hold."""
    home = os.environ.get("HOME", "")
    configuration = os.environ.get("XDG_CONFIG_HOME") or (home + "/.config" if home else "")
    key = (repository.top if repository is not None else directory, home, configuration)
    with _lock:
        known = _answers.get(key)
    if known is None or time.monotonic() - known.at > _SECONDS or _state(known.files) != known.state:
        known = _ask(directory, repository, home, configuration)
        with _lock:
            if len(_answers) >= _MOST:
                _answers.clear()
            _answers[key] = known
    # A relative name would mean a file of the repository, which has no say here.
    excludes = read_bounded(known.excludes_file, LIST_LIMIT) if known.excludes_file.startswith("/") else b""
    return GitPreferences(excludes, known.ignore_case)


def _ask(directory: str, repository: Repository | None, home: str, configuration: str) -> _Asked:
    files = ["/etc/gitconfig", home + "/.gitconfig", configuration + "/git/config"]
    files += [os.environ[name] for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM") if name in os.environ]
    if repository is not None:
        files += [repository.common_directory + "/config", repository.git_directory + "/HEAD"]
        files.append(repository.git_directory + "/config.worktree")
    at = time.monotonic()
    before = _state(tuple(files))
    excludes_file = configuration + "/git/ignore" if configuration else ""
    ignore_case = False
    try:
        output = run_git(directory, ["config", "--list", "--show-scope", "--show-origin", "-z"])
    except GitError:
        output = b""
    fields = output.split(b"\0")
    origins = []
    for scope, origin, setting in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if origin.startswith(b"file:"):
            origins.append(os.path.join(directory, os.fsdecode(origin[5:])))  # noqa: PTH118 - bytes survive
        key, newline, value = setting.partition(b"\n")
        if key == b"core.ignorecase" and scope != b"command":
            ignore_case = not newline or value.lower() in (b"true", b"yes", b"on", b"1")
        elif key == b"core.excludesfile" and scope in (b"system", b"global"):
            excludes_file = os.path.expanduser(os.fsdecode(value))  # noqa: PTH111 - bytes survive
    if _state(tuple(files)) != before:
        at = float("-inf")
    every = tuple(dict.fromkeys([*files, *origins]))
    return _Asked(excludes_file, ignore_case, every, _state(every), at)


def _state(files: tuple[str, ...]) -> _State:
    found: list[tuple[str, int, int, int] | None] = []
    for file in files:
        try:
            status = os.stat(file)  # noqa: PTH116
        except OSError:
            found.append(None)
        else:
            found.append((file, status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(found)
