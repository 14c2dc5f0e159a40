"""The root of a codebase: one canonical directory, refused when it is not one that a person would index.

Nothing is walked here. A root reached through links, `..` or another spelling is the same codebase as its target.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from satori.errors import DeniedPathError, SourceError
from satori.source.denied import denied_name
from satori.source.skip import SkipReason

_PSEUDO_FILE_SYSTEMS = ("/proc", "/sys", "/dev")


def resolve_root(path: str | os.PathLike[str]) -> Path:
    """The canonical absolute path of the directory `path`.

    Raises DeniedPathError for the file system's root, the home directory and what holds it, pseudo file systems,
    version control internals, bare repositories and names that no answer could carry; SourceError for what is
    missing, is not a directory or cannot be searched.
    """
    text = os.fspath(path)
    if not text or "\0" in text:
        raise DeniedPathError("The path is empty or holds a NUL byte.", next_step="Give the path of a directory.")
    try:
        canonical = os.path.realpath(os.path.expanduser(text), strict=True)  # noqa: PTH111 - keeps bytes as they are
        mode = os.stat(canonical).st_mode  # noqa: PTH116
    except FileNotFoundError as error:
        raise SourceError(
            f"There is no directory {text!r}.", next_step="Check the spelling.", code="root_missing"
        ) from error
    except OSError as error:
        raise SourceError(
            f"The directory {text!r} cannot be reached: {error.strerror}.",
            next_step="Check its permissions.",
        ) from error
    if not stat.S_ISDIR(mode):
        raise SourceError(f"{text!r} is not a directory.", next_step="Give the directory that holds the file.")
    _refuse(canonical, text)
    if all(os.path.exists(f"{canonical}/{name}") for name in ("HEAD", "objects", "refs")):  # noqa: PTH110
        raise DeniedPathError(
            f"{text!r} is a bare git repository: no files are checked out in it.",
            next_step="Give a work tree; `git worktree add` makes one.",
        )
    if not os.access(canonical, os.R_OK | os.X_OK):
        raise SourceError(f"The directory {text!r} cannot be read.", next_step="Check its permissions.")
    return Path(canonical)


def _refuse(canonical: str, text: str) -> None:
    choose = "Give the directory of one project instead."
    homes = {os.path.realpath(home) for home in (os.path.expanduser("~"), os.environ.get("HOME")) if home}  # noqa: PTH111
    if canonical == "/" or any(home == canonical or home.startswith(canonical + "/") for home in homes):
        raise DeniedPathError(f"{text!r} holds far more than one codebase.", next_step=choose)
    if any(canonical == place or canonical.startswith(place + "/") for place in _PSEUDO_FILE_SYSTEMS):
        raise DeniedPathError(f"{text!r} is not a directory of files.", next_step=choose)
    if any(denied_name(part, is_directory=True) is SkipReason.VCS_INTERNAL for part in canonical.split("/")):
        raise DeniedPathError(f"{text!r} lies inside version control storage.", next_step=choose)
    try:
        canonical.encode()
    except UnicodeEncodeError as error:
        raise DeniedPathError(
            f"The name {text!r} is not valid UTF-8.", next_step="Rename the directory, no answer could carry its name."
        ) from error
