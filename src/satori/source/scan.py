"""Looking at a codebase again: list what is there, and say exactly which files must be read.

A file counts as unchanged only if its stamp is equal *and* proves equality (git's racily-clean rule, see
`ManifestEntry.racy`); every other file is hashed. What cannot be looked at keeps its previous entry. Reading the
files that changed, and storing the new manifest, is the caller's part; `read_entry` makes one entry.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from satori.errors import SourceError
from satori.source.content import judge
from satori.source.filetypes import HEAD_BYTES, Category, FileType, classify, classify_name
from satori.source.listing import ListedFile, Listing
from satori.source.manifest import NO_STAMP, POLICY_VERSION, Manifest, ManifestEntry, content_hash
from satori.source.profile import Profile
from satori.source.reading import MissingFileError, SourceReader
from satori.source.settings import FILE_NAME, SourceSettings, make_settings
from satori.source.skip import SkipReason
from satori.source.walk import Walk


@dataclass(frozen=True, slots=True)
class Changes:
    """How the tree differs from a manifest; all tuples sorted by path.

    `added` and `modified` must be read (those with a `skip` only recorded); `removed` are entries that are gone.
    `touched` are new entries for files whose bytes are the same and whose stamp is not (or did not prove it): they
    change no answer, but recording them spares the next look a hash. `kept` are entries of what could not be looked
    at, named in `unreadable`; `partial` says that there is such. `unchanged` counts what the stamps prove.
    """

    added: tuple[ListedFile, ...]
    modified: tuple[ListedFile, ...]
    removed: tuple[ManifestEntry, ...]
    touched: tuple[ManifestEntry, ...]
    kept: tuple[ManifestEntry, ...]
    unreadable: tuple[str, ...]
    unchanged: int
    complete: bool = True

    @property
    def partial(self) -> bool:
        """Whether something could not be looked at."""
        return bool(self.unreadable) or not self.complete

    @property
    def is_empty(self) -> bool:
        """Whether the tree says what the manifest says (time stamps apart)."""
        return not (self.added or self.modified or self.removed)

    @property
    def content_paths(self) -> tuple[str, ...]:
        """The paths whose change can change an answer's content, sorted; not what is and was skipped by name."""
        paths = {file.path for file in self.added if file.skip is None}
        paths.update(file.path for file in self.modified)
        paths.update(entry.path for entry in self.removed if entry.skip is None)
        return tuple(sorted(paths))


def load_settings(
    root: str | os.PathLike[str],
    *,
    profile: str | None = None,
    include: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
) -> SourceSettings:
    """The settings for a canonical root: its satori.toml, if any, with the call's own arguments on top."""
    toml: bytes | None = None
    warning = ""
    with SourceReader(root) as reader:
        try:
            result = reader.read(FILE_NAME, limit=64 * 1024)
        except MissingFileError:
            pass
        except SourceError as error:
            warning = f"{FILE_NAME} was not used: {error.message}"
        else:
            if isinstance(result, SkipReason):
                warning = f"{FILE_NAME} was not used: {result.explanation}"
            else:
                toml = result.data
    settings = make_settings(toml, profile=profile, include=include, ignore=ignore)
    return replace(settings, warnings=(warning, *settings.warnings)) if warning else settings


def list_files(
    root: str | os.PathLike[str], settings: SourceSettings | None = None, *, time_limit: float | None = None
) -> Listing:
    """Every path below the canonical `root` that is not ignored, by names and stat alone.

    `time_limit` is in seconds; beyond it the listing ends with `complete` False. Raises SourceError when the root
    itself cannot be opened.
    """
    deadline = None if time_limit is None else time.monotonic() + time_limit
    return Walk(os.fspath(root), settings or SourceSettings(), deadline).run()


def look_at(root: str | os.PathLike[str], paths: Iterable[str], settings: SourceSettings | None = None) -> Listing:
    """The listing of these paths alone: what a whole listing would say about them, without a whole walk.

    For files that are read beside a manifest (untracked, edited): only those listed without a `skip` may be shown.
    Paths that are ignored, lie in what is not entered or do not exist are not in the listing.
    """
    return Walk(os.fspath(root), settings or SourceSettings(), only=paths).run()


def compare(
    listing: Listing, previous: Manifest | None, reader: SourceReader, *, time_limit: float | None = None
) -> Changes:
    """How the tree differs from `previous` (None: nothing was recorded); hashes what stamps cannot prove.

    With `time_limit` (seconds) hashing ends at the limit and `complete` is False: files not looked at are then in
    none of the tuples.
    """
    deadline = None if time_limit is None else time.monotonic() + time_limit
    previous = previous if previous is not None else Manifest((), listing.profile)
    same_policy = previous.policy == POLICY_VERSION and previous.profile == listing.profile
    before = previous.by_path
    proven, outside = (previous.proven, previous.proven_outside) if same_policy else ({}, {})
    added: list[ListedFile] = []
    modified: list[ListedFile] = []
    touched: list[ManifestEntry] = []
    kept: list[ManifestEntry] = []
    unreadable = list(listing.unreadable)
    gone: set[str] = set()
    unchanged = 0
    complete = listing.complete
    for file in listing.files:
        path = file.path
        if file.skip is None and (proven.get(path) == file.stamp or outside.get(path) == (file.stamp, file.included)):
            unchanged += 1
            continue
        entry = before.get(path)
        if entry is None:
            added.append(file)
        elif file.skip is not None:
            if file.skip is entry.skip:
                unchanged += 1
            else:
                modified.append(file)
        elif not entry.content_hash and entry.skip is not SkipReason.UNREADABLE:
            modified.append(file)
        elif deadline is not None and time.monotonic() > deadline:
            complete = False
        else:
            try:
                fresh = read_entry(reader, file, listing.profile)[0]
            except MissingFileError:
                gone.add(path)
            except SourceError:
                unreadable.append(path)
                kept.append(entry)
            else:
                if fresh.says == entry.says:
                    touched.append(fresh)
                else:
                    modified.append(file)
    seen = {file.path for file in listing.files} - gone
    removed: list[ManifestEntry] = []
    blind = _Blind(listing.unreadable)
    for entry in previous.entries if listing.complete else ():
        if entry.path not in seen:
            (kept if blind.covers(entry.path) else removed).append(entry)
    return Changes(
        tuple(added),
        tuple(modified),
        tuple(removed),
        tuple(touched),
        tuple(sorted(kept, key=lambda entry: entry.path)),
        tuple(sorted(set(unreadable))),
        unchanged,
        complete,
    )


class _Blind:
    """The paths that could not be looked at and everything below them."""

    def __init__(self, unreadable: tuple[str, ...]) -> None:
        self._exact = frozenset(unreadable)
        self._prefixes = tuple(path for path in unreadable if path.endswith("/") or not path)

    def covers(self, path: str) -> bool:
        return path in self._exact or (bool(self._prefixes) and path.startswith(self._prefixes))


def read_entry(reader: SourceReader, file: ListedFile, profile: Profile) -> tuple[ManifestEntry, bytes]:
    """The manifest entry of a listed file, and its bytes (empty when it is skipped).

    The entry describes exactly the returned bytes. Raises MissingFileError when the file is gone and other
    SourceErrors when it cannot be read: keep the previous entry then, or record `unread_entry` if there is none.
    """
    if file.skip is not None:
        return _skipped(file.path, file.skip, file), b""
    result = reader.read(file.path)
    if isinstance(result, SkipReason):
        return _skipped(file.path, result, file), b""
    data = result.data
    kind = classify(file.path, data[:HEAD_BYTES])
    skip = judge(data, kind.language, kind.category)
    if skip is None and not file.included and not profile.admits(kind.category, len(data)):
        skip = SkipReason.NOT_IN_PROFILE
    entry = ManifestEntry(
        file.path, result.stamp, content_hash(data), kind.language, kind.category, skip, result.recorded_ns
    )
    return entry, data if skip is None else b""


def unread_entry(path: str) -> ManifestEntry:
    """The entry of a file that could not be read now and was never read before."""
    return _skipped(path, SkipReason.UNREADABLE, None)


def _skipped(path: str, reason: SkipReason, file: ListedFile | None) -> ManifestEntry:
    kind = (None if path.endswith("/") else classify_name(path)) or FileType("text", Category.OTHER)
    stamp = file.stamp if file is not None else NO_STAMP
    return ManifestEntry(path, stamp, "", kind.language, kind.category, reason, 0)
