"""The walk over a tree: every rule about which paths count, applied without opening a single source file.

Directories are opened relative to their parent and never through a link; ignored ones are not entered. Only ignore
lists are read. Contents are read and judged elsewhere (`reading`, `content`), and so is what changed (`scan`).
"""

from __future__ import annotations

import errno
import os
import time
from dataclasses import dataclass, replace

from satori.source.denied import denied_name
from satori.source.filetypes import BINARY, classify_name
from satori.source.ignore import LIST_LIMIT, parse, parse_lines, subject
from satori.source.listing import ListedFile, Listing
from satori.source.manifest import NO_STAMP
from satori.source.profile import Profile
from satori.source.reading import FILE_LIMIT, Stamp, UnstableFileError, open_directory, open_root, read_entry_at
from satori.source.repository import (
    Repository,
    info_exclude,
    is_submodule_of,
    locate,
    preferences,
    read_bounded,
    repository_at,
)
from satori.source.rules import BoundList, Frame, Layer, RuleSet
from satori.source.settings import SourceSettings
from satori.source.skip import SkipReason
from satori.source.tracking import tracks
from satori.source.trees import MARKERS, is_dependency_tree

#: Directories nested deeper than this are not entered; each level of the walk holds one open descriptor.
DEPTH_LIMIT = 100
_SPECIAL_NAMES = frozenset({".git", ".gitignore", ".satoriignore"}) | MARKERS
_GONE = frozenset({errno.ENOENT, errno.ESTALE})
_LINK = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EMLINK})
_MEMORY_LIMIT = 200_000
#: What a file's name alone decides, by profile: remembered, since a codebase is looked at again and again.
_name_decisions: dict[Profile, dict[str, SkipReason | None]] = {profile: {} for profile in Profile}


class _TimeOverError(Exception):
    """The walk's time limit has passed."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What holds for a directory and, unless replaced, below it."""

    rules: RuleSet
    git_lists: tuple[BoundList, ...]
    own_lists: tuple[BoundList, ...]
    repository: Repository | None


def decide_by_name(name: str, profile: Profile) -> SkipReason | None:
    """The reason to skip a file of this name, as far as the name tells."""
    reason = denied_name(name)
    if reason is None:
        kind = classify_name(name)
        if kind is BINARY:
            reason = SkipReason.BINARY
        elif kind is not None and not profile.covers(kind.category):
            reason = SkipReason.NOT_IN_PROFILE
    return reason


class Walk:
    """One walk over the tree below a canonical root."""

    def __init__(self, root: str, settings: SourceSettings, deadline: float | None = None) -> None:
        """`deadline` is on the clock of `time.monotonic`."""
        self._root = root
        self._settings = settings
        self._deadline = deadline
        self._found: list[ListedFile] = []
        self._unreadable: list[str] = []
        self._ignored_files = 0
        self._ignored_directories = 0
        self._decisions = _name_decisions[settings.profile]
        if len(self._decisions) > _MEMORY_LIMIT:
            self._decisions.clear()
        self._git = preferences(root)

    def run(self) -> Listing:
        """Walk. Raises SourceError only when the root itself cannot be opened."""
        descriptor = open_root(self._root)
        complete = True
        try:
            scope = self._first_scope()
            self._directory(descriptor, "", "", scope, scope.rules.root_frame(""), 0, False)
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
        )

    def _first_scope(self) -> _Scope:
        repository = locate(self._root)
        own: tuple[BoundList, ...] = ()
        if self._settings.ignore:
            own += (BoundList(parse_lines(self._settings.ignore), Layer.SETTINGS),)
        if self._settings.include:
            lifted = [pattern[1:] if pattern.startswith("!") else "!" + pattern for pattern in self._settings.include]
            own += (BoundList(parse_lines(lifted), Layer.SETTINGS),)
        lists = self._repository_lists(repository)
        return _Scope(RuleSet(lists + own), lists, own, repository)

    def _repository_lists(self, repository: Repository | None) -> tuple[BoundList, ...]:
        """The lists that hold at the root of the walk: excludesFile, info/exclude, and .gitignore files above it."""
        fold = self._git.ignore_case
        lead = ""
        if repository is not None:
            inside = self._root[len(repository.top.rstrip("/")) :].strip("/")
            lead = subject(inside) + "/" if inside else ""
        lists = [BoundList(parse(self._git.excludes, fold), Layer.GIT, lead=lead)]
        if repository is not None:
            lists.append(BoundList(parse(info_exclude(repository), fold), Layer.GIT, lead=lead))
            directory = repository.top.rstrip("/")
            while lead:
                data = read_bounded(directory + "/.gitignore", LIST_LIMIT, follow=False)
                lists.append(BoundList(parse(data, fold), Layer.GIT, lead=lead))
                part, _, lead = lead.partition("/")
                directory += "/" + os.fsdecode(part.encode("latin-1"))
        return tuple(bound for bound in lists if bound.patterns.patterns)

    def _submodule_scope(self, scope: _Scope, repository: Repository, directory: str) -> _Scope:
        """Inside a submodule git's rules start afresh; the user's own go on."""
        fold = self._git.ignore_case
        cut = len(directory)
        lists = tuple(
            BoundList(patterns, Layer.GIT, cut)
            for patterns in (parse(self._git.excludes, fold), parse(info_exclude(repository), fold))
            if patterns.patterns
        )
        return _Scope(RuleSet(lists + scope.own_lists), lists, scope.own_lists, repository)

    def _directory(
        self, descriptor: int, path: str, directory: str, scope: _Scope, frame: Frame, depth: int, lifted: bool
    ) -> None:
        """Walk one open directory; `path` and its subject `directory` are empty or end with a slash."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise _TimeOverError
        try:
            with os.scandir(descriptor) as iterator:
                entries = list(iterator)
        except OSError as error:
            if error.errno not in _GONE:
                self._unreadable.append(path)
            return
        special = {entry.name for entry in entries if entry.name in _SPECIAL_NAMES}
        if special:
            if depth:
                reason, scope, frame = self._recognise(path, directory, special, scope, frame, lifted)
                if reason is not None:
                    self._found.append(ListedFile(path, NO_STAMP, reason))
                    return
            if ".gitignore" in special or ".satoriignore" in special:
                scope, frame = self._with_lists(descriptor, path, directory, special, scope, frame)
        below: list[tuple[str, bool]] = []
        trees: list[str] = []
        found, decisions, may_match = self._found, self._decisions, frame.may_match
        for entry in entries:
            name = entry.name
            text = name if name.isascii() else subject(name)
            try:
                is_directory = entry.is_dir(follow_symlinks=False)
                included = lifts = False
                if may_match(text):
                    verdict = frame.verdict(directory, text, is_directory)
                    if verdict is not None:
                        if verdict.ignored:
                            if not is_directory:
                                self._ignored_files += 1
                            elif name != ".git":
                                self._ignored_directories += 1
                            continue
                        lifts = verdict.layer is not Layer.GIT
                        included = verdict.layer is Layer.SETTINGS
                if is_directory:
                    reason = denied_name(name, True)
                    if reason is None:
                        if not lifts and is_dependency_tree(name):
                            trees.append(name)
                        else:
                            below.append((name, lifts))
                    elif reason is not SkipReason.VCS_INTERNAL:
                        found.append(ListedFile(_spelled(path + name + "/"), NO_STAMP, reason))
                    continue
                if not entry.is_file(follow_symlinks=False):
                    kind = SkipReason.SYMLINK if entry.is_symlink() else SkipReason.NOT_REGULAR
                    found.append(ListedFile(_spelled(path + name), NO_STAMP, kind))
                    continue
                try:
                    decision = decisions[name]
                except KeyError:
                    decision = decisions[name] = decide_by_name(name, self._settings.profile)
                    if not name.isascii() and _spelled(name) != name:
                        decision = decisions[name] = decision or SkipReason.UNDECODABLE_NAME
                if decision is not None and not (included and decision is SkipReason.NOT_IN_PROFILE):
                    if decision is not SkipReason.VCS_INTERNAL:
                        found.append(ListedFile(_spelled(path + name), NO_STAMP, decision))
                    continue
                status = entry.stat(follow_symlinks=False)
            except OSError as error:
                if error.errno not in _GONE:
                    self._unreadable.append(_spelled(path + name))
                continue
            stamp = Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            if status.st_size > FILE_LIMIT:
                found.append(ListedFile(path + name, stamp, SkipReason.TOO_LARGE))
            else:
                found.append(ListedFile(path + name, stamp, None, included))
        if trees:
            below += self._tracked(path, trees, scope)
        for name, lifts in below:
            self._below(descriptor, name, path, directory, scope, frame, depth + 1, lifts)

    def _below(
        self, parent: int, name: str, path: str, directory: str, scope: _Scope, frame: Frame, depth: int, lifts: bool
    ) -> None:
        inner = path + name + "/"
        if not name.isascii() and _spelled(name) != name:
            self._found.append(ListedFile(_spelled(inner), NO_STAMP, SkipReason.UNDECODABLE_NAME))
            return
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
            shown = directory + (name if name.isascii() else subject(name)) + "/"
            self._directory(descriptor, inner, shown, scope, scope.rules.descend(frame, shown), depth, lifts)
        finally:
            os.close(descriptor)

    def _recognise(
        self, path: str, directory: str, special: set[str], scope: _Scope, frame: Frame, lifted: bool
    ) -> tuple[SkipReason | None, _Scope, Frame]:
        """What the directory is by what lies in it: a repository of its own, a submodule, a marked cache."""
        absolute = f"{self._root}/{path}".rstrip("/")
        if ".git" in special:
            nested = repository_at(absolute)
            if nested is not None:
                if not is_submodule_of(nested, scope.repository):
                    return SkipReason.NESTED_REPOSITORY, scope, frame
                scope = self._submodule_scope(scope, nested, directory)
                frame = scope.rules.root_frame(directory)
        if special & MARKERS and not lifted and not tracks(scope.repository, [absolute]):
            return SkipReason.DEPENDENCY_TREE, scope, frame
        return None, scope, frame

    def _with_lists(
        self, descriptor: int, path: str, directory: str, special: set[str], scope: _Scope, frame: Frame
    ) -> tuple[_Scope, Frame]:
        """The scope and frame with the directory's own lists added."""
        added: list[BoundList] = []
        git_lists, own_lists = scope.git_lists, scope.own_lists
        for name, layer in ((".gitignore", Layer.GIT), (".satoriignore", Layer.SATORIIGNORE)):
            if name not in special:
                continue
            try:
                result = read_entry_at(descriptor, name, LIST_LIMIT)
            except (OSError, UnstableFileError):
                self._unreadable.append(path + name)
                continue
            if isinstance(result, SkipReason):
                continue
            bound = BoundList(parse(result[0], self._git.ignore_case), layer, len(directory))
            if bound.patterns.patterns:
                added.append(bound)
                if layer is Layer.GIT:
                    git_lists += (bound,)
                else:
                    own_lists += (bound,)
        if not added:
            return scope, frame
        scope = replace(scope, rules=RuleSet(git_lists + own_lists), git_lists=git_lists, own_lists=own_lists)
        return scope, scope.rules.extend(frame, directory, tuple(added))

    def _tracked(self, path: str, names: list[str], scope: _Scope) -> list[tuple[str, bool]]:
        """Those of the dependency and build trees that git tracks something in; the others become rows."""
        absolute = {f"{self._root}/{path}{name}": name for name in names}
        tracked = tracks(scope.repository, list(absolute))
        kept = []
        for place, name in absolute.items():
            if place in tracked:
                kept.append((name, False))
            else:
                self._found.append(ListedFile(_spelled(path + name + "/"), NO_STAMP, SkipReason.DEPENDENCY_TREE))
        return kept


def _spelled(path: str) -> str:
    """A path that can be stored and shown: bytes that are not UTF-8 as backslash escapes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    return path
