"""From the path in a request to the codebase that answers it and the part of it that was asked about.

The nearest indexed ancestor answers, unless a repository or worktree of its own lies between: content of one tree is
never served for another. A submodule is no repository of its own here, since it is indexed with the one around it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from satori.source.repository import is_submodule_of, locate, repository_at


@dataclass(frozen=True, slots=True)
class Place:
    """`effective` is the requested path with links followed. `root` is the indexed codebase around it, or empty; then
    `suggested` is the directory worth indexing. `prefix` is the path of `effective` inside `root`, "" for all of it."""

    effective: str
    root: str
    suggested: str

    @property
    def indexed(self) -> bool:
        """Whether an indexed codebase answers for this place."""
        return bool(self.root)

    @property
    def prefix(self) -> str:
        """POSIX path of the effective directory relative to the root; "" for the root itself."""
        return "" if self.effective == self.root else self.effective[len(self.root.rstrip("/")) + 1 :]

    def covers(self, file: str) -> bool:
        """Whether the repository-relative `file` lies inside the effective directory."""
        return not self.prefix or file == self.prefix or file.startswith(self.prefix + "/")


def find_place(resolved: str, known_roots: Iterable[str]) -> Place:
    """The place of a canonical path that policy admitted."""
    known = frozenset(known_roots)
    for candidate in (Path(resolved), *Path(resolved).parents):
        directory = str(candidate)
        if directory in known:
            return Place(resolved, directory, directory)
        if _is_own_repository(directory):
            return Place(resolved, "", directory)
    return Place(resolved, "", _directory(resolved))


def _is_own_repository(directory: str) -> bool:
    own = repository_at(directory)
    if own is None:
        return False
    above = os.path.dirname(directory)  # noqa: PTH120 - keeps bytes as they are
    return above == directory or not is_submodule_of(own, locate(above))


def _directory(resolved: str) -> str:
    return resolved if Path(resolved).is_dir() else str(Path(resolved).parent)
