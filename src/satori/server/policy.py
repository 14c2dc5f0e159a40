"""Which paths a session may ask about, decided before anything at the path is opened or listed.

Two steps: `admit` judges the words of the path alone; `admit_resolved` judges it again once symbolic links are
followed, so that a link out of a permitted place is refused too. Which files inside a codebase may be read is not
decided here: that is the source manifest's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from satori.errors import DeniedPathError
from satori.server.words import clip


def real_and_given(paths: Iterable[str | Path]) -> tuple[str, ...]:
    """Each absolute path in its given form and with its links followed; relative and empty ones are ignored."""
    forms: list[str] = []
    for path in paths:
        given = str(path)
        if given.startswith("/"):
            forms += [_normal(given), os.path.realpath(given)]
    return tuple(dict.fromkeys(forms))


@dataclass(frozen=True, slots=True)
class Policy:
    """What one session may name.

    `forbidden` are never allowed as such (`/`, the home directory and what holds it); `closed` neither as such nor
    anything below them (the state root). `allowed` are the trees inside which a path may lie; None allows every other
    path, which is right only for the person at the shell.
    """

    forbidden: tuple[str, ...]
    closed: tuple[str, ...]
    allowed: tuple[str, ...] | None

    @classmethod
    def build(cls, state_root: Path, allowed: Iterable[str | Path] | None, home: str | None = None) -> Policy:
        """The policy of a session with these workspaces and codebases; `home` defaults to the user's."""
        homes = real_and_given([home if home is not None else os.path.expanduser("~")])  # noqa: PTH111
        forbidden: list[str] = ["/"]
        for directory in homes:
            forbidden += [directory, *(str(parent) for parent in Path(directory).parents)]
        trees = None
        if allowed is not None:
            trees = tuple(path for path in real_and_given(allowed) if path not in forbidden)
        return cls(tuple(dict.fromkeys(forbidden)), real_and_given([state_root]), trees)

    def admit(self, path: str) -> str:
        """The normalised path, judged by its words alone. Raises DeniedPathError; performs no I/O."""
        normal = _normal(path)
        if normal in self.forbidden:
            what = "the file system's root" if normal == "/" else "the home directory or a directory above it"
            raise _denied(path, f"is {what}", "Name a project's own directory.")
        if any(_inside(normal, tree) for tree in self.closed):
            raise _denied(path, "is inside Satori's own state", "Name a project's own directory.")
        if self.allowed is not None and not any(_inside(normal, tree) for tree in self.allowed):
            raise _denied(
                path,
                "is outside this session's workspaces and in no codebase that was indexed from the shell",
                "Run `satori index` on it in a shell, or open it as a workspace.",
            )
        return normal

    def admit_resolved(self, path: str) -> str:
        """The path with symbolic links followed, judged before and after. Raises DeniedPathError."""
        normal = self.admit(path)
        resolved = os.path.realpath(normal)
        if resolved != normal:
            try:
                self.admit(resolved)
            except DeniedPathError as error:
                raise _denied(path, "leads out of the permitted directories", error.next_step) from error
        return resolved


def _normal(path: str) -> str:
    normal = os.path.normpath(path)
    return normal[1:] if normal.startswith("//") else normal


def _inside(path: str, tree: str) -> bool:
    """Whole components only: /repo-evil is not inside /repo."""
    return path == tree or path.startswith(tree.rstrip("/") + "/")


def _denied(path: str, why: str, next_step: str) -> DeniedPathError:
    return DeniedPathError(f"The path '{clip(path, 200)}' {why}.", next_step=next_step)
