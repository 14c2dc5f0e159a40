"""The walk over a tree: every rule about which paths count, applied without opening a single source file.

Directories are opened relative to their parent and never through a link; ignored ones are not entered. Only ignore
lists are read. Contents are read and judged elsewhere (`reading`, `content`), and so is what changed (`scan`).
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable
from enum import IntEnum

from satori.source.ignore import subject
from satori.source.listing import ListedFile, Listing
from satori.source.manifest import NO_STAMP
from satori.source.names import DIRECTORIES, FILES, spelled
from satori.source.preferences import git_preferences
from satori.source.reading import FILE_LIMIT, Stamp, open_directory, open_root
from satori.source.repository import is_submodule_of, locate, repository_at
from satori.source.rules import Frame, Layer
from satori.source.scope import Scope, extended_scope, root_scope, submodule_scope
from satori.source.settings import SourceSettings
from satori.source.skip import SkipReason
from satori.source.tracking import tracks
from satori.source.trees import MARKERS

#: Directories nested deeper than this are not entered; each level of the walk holds one open descriptor.
DEPTH_LIMIT = 100
_LISTS = frozenset({".gitignore", ".satoriignore"})
_SPECIAL_NAMES = _LISTS | MARKERS | {".git", "HEAD"}
_BARE_REPOSITORY = frozenset({"HEAD", "objects", "refs"})
_GONE = frozenset({errno.ENOENT, errno.ESTALE})
_LINK = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EMLINK})
#: Making named tuples this way spares a call for each of thousands of files.
_make = tuple.__new__


class _Lift(IntEnum):
    """Where the default skip of dependency trees does not apply: nowhere, for one directory, or all the way down."""

    NONE = 0
    HERE = 1
    BELOW = 2


class _TimeOverError(Exception):
    """The walk's time limit has passed."""


class Walk:
    """One walk over the tree below a canonical root."""

    def __init__(
        self,
        root: str,
        settings: SourceSettings,
        deadline: float | None = None,
        only: Iterable[str] | None = None,
    ) -> None:
        """`deadline` is on the clock of `time.monotonic`; with `only`, nothing but these paths is looked at."""
        self._root = root
        self._settings = settings
        self._deadline = deadline
        self._found: list[ListedFile] = []
        self._unreadable: list[str] = []
        self._directories: list[str] = []
        self._ignored_files = 0
        self._ignored_directories = 0
        self._decisions = FILES[settings.profile]
        self._wanted = None if only is None else _with_parents(only)

    def run(self) -> Listing:
        """Walk. Raises SourceError only when the root itself cannot be opened."""
        descriptor = open_root(self._root)
        complete = True
        try:
            repository = locate(self._root)
            scope = root_scope(self._root, self._settings, repository, git_preferences(self._root, repository))
            self._directory(descriptor, "", "", scope, scope.rules.root_frame(""), 0, _Lift.NONE)
        except _TimeOverError:
            complete = False
        finally:
            os.close(descriptor)
        self._found.sort()
        return Listing(
            tuple(self._found),
            self._settings.profile,
            tuple(sorted(self._unreadable)),
            self._ignored_files,
            self._ignored_directories,
            complete,
            self._settings.warnings,
            tuple(self._directories),
        )

    def _directory(
        self, descriptor: int, path: str, directory: str, scope: Scope, frame: Frame, depth: int, lift: _Lift
    ) -> None:
        """Walk one open directory; `path` and its subject `directory` are empty or end with a slash."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise _TimeOverError
        try:
            entries = list(os.scandir(descriptor))
        except OSError as error:
            if error.errno not in _GONE:
                self._unreadable.append(path)
            return
        names = [entry.name for entry in entries]
        if not _SPECIAL_NAMES.isdisjoint(names):
            special = _SPECIAL_NAMES.intersection(names)
            if depth:
                if "HEAD" in special and _BARE_REPOSITORY.issubset(names):
                    self._found.append(ListedFile(path, NO_STAMP, SkipReason.VCS_INTERNAL))
                    return
                reason, scope, frame, lift = self._recognise(path, directory, special, scope, frame, lift)
                if reason is not None:
                    self._found.append(ListedFile(path, NO_STAMP, reason))
                    return
            if not _LISTS.isdisjoint(special):
                scope, frame, failed = extended_scope(scope, frame, descriptor, directory, special)
                if failed:
                    # What the list would say is unknown, so nothing below may be taken for wanted.
                    self._unreadable += [path, *(path + name for name in failed)]
                    return
        self._directories.append(path)
        if self._wanted is not None:
            entries = [entry for entry in entries if path + entry.name in self._wanted]
            names = [entry.name for entry in entries]
        below: list[tuple[str, _Lift]] = []
        inherited = lift if lift is _Lift.BELOW else _Lift.NONE
        trees: list[str] = []
        found, decisions, may_match = self._found, self._decisions, frame.may_match
        for name, entry in zip(names, entries, strict=True):
            try:
                is_directory = entry.is_dir(follow_symlinks=False)
                included = lifts = False
                if may_match[name]:
                    verdict = frame.verdict(directory, name, is_directory)
                    if verdict is not None:
                        if verdict.ignored:
                            self._count_ignored(name, is_directory)
                            continue
                        lifts = verdict.layer is not Layer.GIT
                        included = verdict.layer is Layer.SETTINGS
                if is_directory:
                    reason = DIRECTORIES[name]
                    if reason is None:
                        below.append((name, inherited or _Lift(lifts)))
                    elif reason is SkipReason.DEPENDENCY_TREE:
                        if lifts or inherited:
                            below.append((name, _Lift.BELOW))
                        else:
                            trees.append(name)
                    elif reason is not SkipReason.VCS_INTERNAL:
                        found.append(ListedFile(spelled(path + name + "/"), NO_STAMP, reason))
                    continue
                reason = decisions[name]
                if not entry.is_file(follow_symlinks=False):
                    reason = SkipReason.SYMLINK if entry.is_symlink() else SkipReason.NOT_REGULAR
                elif included and reason is SkipReason.NOT_IN_PROFILE:
                    reason = None
                if reason is not None:
                    if name != ".git":
                        found.append(_make(ListedFile, (spelled(path + name), NO_STAMP, reason, False)))
                    continue
                status = entry.stat(follow_symlinks=False)
            except OSError as error:
                if error.errno not in _GONE:
                    self._unreadable.append(spelled(path + name))
                continue
            size = status.st_size
            stamp = _make(Stamp, (size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino))
            reason = SkipReason.TOO_LARGE if size > FILE_LIMIT else None
            found.append(_make(ListedFile, (path + name, stamp, reason, included)))
        if trees:
            below += self._tracked(path, trees, scope)
        for name, lift in below:
            self._below(descriptor, name, path, directory, scope, frame, depth + 1, lift)

    def _count_ignored(self, name: str, is_directory: bool) -> None:
        if not is_directory:
            self._ignored_files += 1
        elif name != ".git":
            self._ignored_directories += 1

    def _below(
        self, parent: int, name: str, path: str, directory: str, scope: Scope, frame: Frame, depth: int, lift: _Lift
    ) -> None:
        inner = f"{path}{name}/"
        if depth > DEPTH_LIMIT:
            self._found.append(ListedFile(inner, NO_STAMP, SkipReason.TOO_DEEP))
            return
        try:
            descriptor = open_directory(parent, name)
        except OSError as error:
            if error.errno in _LINK:
                self._found.append(ListedFile(path + name, NO_STAMP, SkipReason.SYMLINK))
            elif error.errno not in _GONE:
                self._unreadable.append(inner)
            return
        try:
            shown = inner if inner.isascii() else subject(inner)
            self._directory(descriptor, inner, shown, scope, scope.rules.descend(frame, shown), depth, lift)
        finally:
            os.close(descriptor)

    def _recognise(
        self, path: str, directory: str, special: frozenset[str], scope: Scope, frame: Frame, lift: _Lift
    ) -> tuple[SkipReason | None, Scope, Frame, _Lift]:
        """What the directory is by what lies in it: a repository of its own, a submodule, a marked cache."""
        absolute = f"{self._root}/{path}".rstrip("/")
        if ".git" in special:
            nested = repository_at(absolute)
            if nested is not None:
                if not is_submodule_of(nested, scope.repository):
                    return SkipReason.NESTED_REPOSITORY, scope, frame, lift
                scope = submodule_scope(scope, nested, directory)
                frame = scope.rules.root_frame(directory)
        if special & MARKERS:
            if lift is not _Lift.NONE:
                lift = _Lift.BELOW
            elif not tracks(scope.repository, [absolute]):
                return SkipReason.DEPENDENCY_TREE, scope, frame, lift
        return None, scope, frame, lift

    def _tracked(self, path: str, names: list[str], scope: Scope) -> list[tuple[str, _Lift]]:
        """Those of the dependency and build trees that git tracks something in; the others become rows."""
        absolute = {f"{self._root}/{path}{name}": name for name in names}
        tracked = tracks(scope.repository, absolute)
        kept = []
        for place, name in absolute.items():
            if place in tracked:
                kept.append((name, _Lift.NONE))
            else:
                self._found.append(ListedFile(path + name + "/", NO_STAMP, SkipReason.DEPENDENCY_TREE))
        return kept


def _with_parents(paths: Iterable[str]) -> set[str]:
    wanted = set()
    for path in paths:
        current = path.rstrip("/")
        while current and current not in wanted:
            wanted.add(current)
            current = current.rpartition("/")[0]
    return wanted
