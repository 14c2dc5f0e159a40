"""A comparison's changed files with the symbols they touch, under the same rules as everything that is shown.

Content is looked at only when the file is indexed, or would be by the same rules; both sides are then extracted as the
index does. What cannot be mapped is named with the reason. Callers are not looked for here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from satori.errors import SourceError
from satori.facts.extract import extract_facts
from satori.model.symbol import Symbol
from satori.navigation.changes import Side, Touched, map_hunks
from satori.navigation.diff import ChangeStatus, Comparison, FileChange, Hunk, read_blobs
from satori.navigation.live import open_live
from satori.source.content import judge
from satori.source.denied import denied_path
from satori.source.filetypes import classify
from satori.source.reading import FILE_LIMIT, SourceReader
from satori.source.scan import look_at, read_entry
from satori.source.settings import SourceSettings
from satori.symbols.identify import identify

if TYPE_CHECKING:
    from satori.publication.snapshot import Snapshot

MOST_FILES = 2_000
SECONDS = 6.0
_HEAD_BYTES = 8_192


@dataclass(frozen=True, slots=True)
class Mapped:
    """One changed file. `why` is empty when it was mapped, else the reason why not; `new` and `old` are its symbols."""

    change: FileChange
    touched: Touched
    new: Sequence[Symbol]
    old: Sequence[Symbol]
    why: str = ""

    def is_new(self, symbol: Symbol) -> bool:
        """Whether the old text has no symbol of this key."""
        return all(symbol.key != other.key for other in self.old)


class Changeset:
    """Maps the files of one comparison over one pinned Publication."""

    def __init__(self, root: str, snapshot: Snapshot, settings: SourceSettings, comparison: Comparison) -> None:
        self.root = root
        self.snapshot = snapshot
        self.settings = settings
        self.comparison = comparison

    def map(self, changes: Sequence[FileChange]) -> list[Mapped]:
        """Every change in order, mapped or with the reason. Bounded in files and in time."""
        ends = time.monotonic() + SECONDS
        wanted = [change for change in changes[:MOST_FILES] if not _unmappable(change)]
        names = [change.old_blob for change in wanted if change.old_path]
        if self.comparison.head:
            names += [change.new_blob for change in wanted if change.new_path]
        blobs = read_blobs(self.root, [name for name in names if name.strip("0")], FILE_LIMIT)
        mapped = []
        with SourceReader(self.root) as reader:
            admit = self._admitted(wanted)
            for at, change in enumerate(changes):
                if at >= MOST_FILES or time.monotonic() > ends:
                    mapped.append(_not(change, "beyond what one answer looks at"))
                else:
                    mapped.append(self._one(change, blobs, reader, admit))
        return mapped

    def _one(
        self, change: FileChange, blobs: dict[str, bytes], reader: SourceReader, admit: Callable[[str], str]
    ) -> Mapped:
        why = _unmappable(change)
        if why:
            return _not(change, why)
        new: Side | None = None
        if change.new_path:
            found = self._new_side(change, blobs, reader, admit)
            if isinstance(found, str):
                return _not(change, found)
            new = found
        old: Side | None = None
        if change.old_path:
            data = blobs.get(change.old_blob)
            if data is None:
                return _not(change, "its old content is not available here")
            refused = self._judged(change.old_path, data) if new is None else ""
            if refused:
                return _not(change, refused)
            # Under its new path, so that keys of both sides compare.
            old = _side(change.path, data)
        hunks = change.hunks
        if change.status is ChangeStatus.UNTRACKED and new is not None:
            hunks = (Hunk(0, 0, 1, len(new.lines)),)
        touched = map_hunks(old, new, hunks)
        return Mapped(change, touched, new.symbols if new else (), old.symbols if old else ())

    def _new_side(
        self, change: FileChange, blobs: dict[str, bytes], reader: SourceReader, admit: Callable[[str], str]
    ) -> Side | str:
        """The new text and its symbols, or the reason why it is not looked at."""
        path = change.new_path
        row = self.snapshot.file(path)
        if self.comparison.head:
            data = blobs.get(change.new_blob)
            if data is None:
                return "its content is not available here"
            return self._judged(path, data) or _side(path, data)
        try:
            if row is not None and row.skip is None:
                live = open_live(self.snapshot, reader, row)
                return Side(live.data, live.symbols, live.lines)
            refused = admit(path)
            if refused:
                return refused
            listing = look_at(self.root, [path], self.settings)
            entry, data = read_entry(reader, listing.files[0], listing.profile)
        except SourceError as error:
            return error.message
        return entry.skip.value if entry.skip is not None else _side(path, data)

    def _admitted(self, changes: Sequence[FileChange]) -> Callable[[str], str]:
        """Whether files that the Publication does not hold would be indexed by the same rules; the reason if not."""
        unknown = []
        for change in changes:
            row = self.snapshot.file(change.new_path) if change.new_path else None
            if change.new_path and (row is None or row.skip is not None):
                unknown.append(change.new_path)
        listed = {}
        if unknown and not self.comparison.head:
            listed = {file.path: file.skip for file in look_at(self.root, unknown, self.settings).files}

        def admit(path: str) -> str:
            if path not in listed:
                return "ignored"
            skip = listed[path]
            return skip.value if skip is not None else ""

        return admit

    def _judged(self, path: str, data: bytes) -> str:
        """Why content that is only in git would not be indexed; empty when it would."""
        denied = denied_path(path)
        if denied is not None:
            return denied.value
        kind = classify(path, data[:_HEAD_BYTES])
        skip = judge(data, kind.language, kind.category)
        if skip is not None:
            return skip.value
        row = self.snapshot.file(path)
        indexed = row is not None and row.skip is None
        return "" if indexed or self.settings.profile.admits(kind.category, len(data)) else "not_in_profile"


def untracked(path: str) -> FileChange:
    """The change that an untracked file is."""
    return FileChange(ChangeStatus.UNTRACKED, "", path, "", "", False, False, False, ())


def spread(mapped: Sequence[Mapped], limit: int) -> list[tuple[Mapped, int]]:
    """(file, seed's symbol index), at most `limit`: one of each file before the second of any."""
    rounds: list[tuple[int, int, Mapped, int]] = []
    for at, one in enumerate(mapped):
        rounds += [(place, at, one, index) for place, index in enumerate(one.touched.seeds)]
    rounds.sort(key=lambda item: item[:2])
    return [(one, index) for _, _, one, index in rounds[:limit]]


def _unmappable(change: FileChange) -> str:
    if change.submodule:
        return "a submodule"
    if change.link:
        return "a symbolic link"
    if change.binary:
        return "binary"
    if change.status is ChangeStatus.UNMERGED:
        return "unmerged"
    return ""


def _not(change: FileChange, why: str) -> Mapped:
    return Mapped(change, Touched(), (), (), why)


def _side(path: str, data: bytes) -> Side:
    language = classify(path, data[:_HEAD_BYTES]).language
    facts = extract_facts(language, data)
    return Side.of(data, identify(path, facts, data))
