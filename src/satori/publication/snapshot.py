"""A Snapshot: one pinned, read-only Publication, safe to use from several threads.

Everything it returns belongs to one publication sequence, whatever builds and syncs run beside it. It holds a lock that
keeps its rows from being swept; close it (or use it as a context manager) when done. It never reads source files, and
it does not search: `base`, `delta` and `dead` are what `satori.search` works on.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from satori.model.chunk import Chunk
from satori.model.symbol import Symbol
from satori.publication.damage import Damage, damaged
from satori.publication.fingerprint import Fingerprint
from satori.publication.relationqueries import RelationQueries
from satori.publication.rows import load_path, stored_key, unpack_chunks, unpack_content, unpack_symbols
from satori.publication.schema import FILE_COLUMNS, LIVE
from satori.source.filetypes import Category
from satori.source.manifest import Manifest, ManifestEntry
from satori.source.profile import Profile
from satori.source.reading import Stamp
from satori.source.skip import SkipReason

if TYPE_CHECKING:
    from satori.publication.segment import Segment

_CACHED_OUTLINES = 512
_CACHED_MANIFESTS = 8
_CACHED_GENERATIONS = 4
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals of one Publication; `files` are all manifest rows, `indexed` those that are searched."""

    files: int = 0
    indexed: int = 0
    skipped: int = 0
    symbols: int = 0
    chunks: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class PublicationInfo:
    """The publication row. `activated_at` is seconds since the epoch; `warnings` are (code, message) pairs.

    `base_sequence` is the sequence that wrote the base segment and `lance_version` the version of the vectors table
    that holds the same chunks; later files are in the delta. `lineage` is random and common to the publications of one
    generation directory; within it, `next_file_id` was never used by any file version. `table` names the base's vectors
    in a store that is not the generation's own directory.
    """

    id: str
    sequence: int
    generation: int
    lineage: str
    codebase: str
    root: str
    profile: str
    policy: int
    settings: dict[str, Any]
    fingerprint: Fingerprint
    merkle_root: str
    counts: Counts
    activated_at: float
    runtime_version: str
    base_sequence: int
    lance_version: int
    next_file_id: int
    warnings: tuple[tuple[str, str], ...] = ()
    unreadable: tuple[str, ...] = ()
    table: str = ""

    @property
    def activated(self) -> str:
        """The activation time as ISO 8601 in UTC."""
        return datetime.fromtimestamp(self.activated_at, UTC).isoformat(timespec="milliseconds")

    def document(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {**asdict(self), "fingerprint": self.fingerprint.document()}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> PublicationInfo:
        """The inverse of `document`; raises KeyError, TypeError or ValueError on another shape."""
        values = dict(document)
        values["fingerprint"] = Fingerprint.from_document(values["fingerprint"])
        values["counts"] = Counts(**values["counts"])
        values["warnings"] = tuple((code, message) for code, message in values["warnings"])
        values["unreadable"] = tuple(values["unreadable"])
        return cls(**values)


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file of the manifest. `skip` is None when the file is indexed; `problem` names what the parser could not do
    (the file is then served as text). `lines`, `symbols` and `chunks` are counts, 0 for skipped files."""

    file_id: int
    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    recorded_ns: int
    content_hash: str
    language: str
    category: str
    skip: SkipReason | None
    problem: str
    lines: int
    symbols: int
    chunks: int

    @property
    def indexed(self) -> bool:
        """Whether the file's content is in this Publication."""
        return self.skip is None


@dataclass(slots=True)
class _Lazy:
    rows: tuple[FileRow, ...] | None = None
    by_path: dict[str, FileRow] | None = None
    by_id: dict[int, FileRow] | None = None
    manifest: Manifest | None = None
    outlines: OrderedDict[int, list[Symbol]] = field(default_factory=OrderedDict)


class Snapshot(RelationQueries):
    """One pinned Publication; made by `satori.publication.pin.pin`."""

    def __init__(
        self,
        info: PublicationInfo,
        connection: sqlite3.Connection,
        base: Segment,
        delta: Segment | None,
        dead: frozenset[int],
        lock: int | None,
    ) -> None:
        self.info = info
        self.base = base
        self.delta = delta
        self.dead = dead
        self._connection = connection
        self._lock_descriptor = lock
        self._guard = threading.RLock()
        self._lazy = _Lazy()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Give up the pin; may be called twice. Reads afterwards raise sqlite3.ProgrammingError."""
        with self._guard:
            self._connection.close()
            if self._lock_descriptor is not None:
                os.close(self._lock_descriptor)
                self._lock_descriptor = None

    def __del__(self) -> None:
        # A snapshot that was dropped without being closed must not keep its rows from being swept for ever.
        with contextlib.suppress(Exception):
            self.close()

    def files(self) -> Sequence[FileRow]:
        """Every manifest row, skipped files included, ordered by path."""
        with self._guard:
            if self._lazy.rows is None:
                self._lazy.rows = self._read_files()
            return self._lazy.rows

    def _read_files(self) -> tuple[FileRow, ...]:
        """The rows by path: those of the publication that this process looked at last, without what died since and with
        what was born since (making thousands of them is what costs; their time stamps may be older than the stored
        ones), else all of them anew."""
        with _ROWS_GUARD:
            last = _ROWS.get(self.info.lineage)
        rows = self._rows_after(*last) if last is not None and last[0] <= self.info.sequence else None
        if rows is None:
            query = f"SELECT {FILE_COLUMNS} FROM file WHERE {LIVE}"  # noqa: S608 (constant columns)
            found = self._query(query, {"sequence": self.info.sequence})
            rows = tuple(sorted(map(_file_row, found), key=_path_of))
        with _ROWS_GUARD:
            _ROWS[self.info.lineage] = (self.info.sequence, rows)
            _ROWS.move_to_end(self.info.lineage)
            while len(_ROWS) > _CACHED_GENERATIONS:
                _ROWS.popitem(last=False)
        return rows

    def _rows_after(self, sequence: int, before: tuple[FileRow, ...]) -> tuple[FileRow, ...] | None:
        """The rows from those of an earlier publication; None when some that died were swept, so that nothing tells
        which they were: what lives is always found, so a wrong count is the only sign there can be."""
        at = {"sequence": self.info.sequence, "before": sequence}
        gone = {
            row[0] for row in self._query("SELECT file_id FROM file WHERE died > :before AND died <= :sequence", at)
        }
        query = f"SELECT {FILE_COLUMNS} FROM file WHERE born > :before AND {LIVE}"  # noqa: S608 (constant columns)
        born = [_file_row(row) for row in self._query(query, at)]
        rows = [row for row in before if row.file_id not in gone] + born
        if len(rows) != self.info.counts.files:
            return None
        return tuple(sorted(rows, key=_path_of))

    def file(self, path: str) -> FileRow | None:
        """The row of the file at `path` (relative to the root, forward slashes), skipped or not."""
        with self._guard:
            if self._lazy.by_path is None:
                self._lazy.by_path = {row.path: row for row in self.files()}
            return self._lazy.by_path.get(path)

    def file_by_id(self, file_id: int) -> FileRow | None:
        """The row of a file id, when that version of the file is in this Publication."""
        with self._guard:
            if self._lazy.by_id is None:
                self._lazy.by_id = {row.file_id: row for row in self.files()}
            return self._lazy.by_id.get(file_id)

    def skip_counts(self) -> dict[str, int]:
        """How many rows are skipped for which reason, by reason."""
        query = f"SELECT skip, count(*) FROM file WHERE skip IS NOT NULL AND {LIVE} GROUP BY skip ORDER BY skip"  # noqa: S608
        return dict(self._query(query, {"sequence": self.info.sequence}))

    def content(self, file_id: int) -> bytes:
        """The bytes that were published for an indexed file. Raises KeyError for a file that has none."""
        packed = self._one("SELECT content FROM stored WHERE file_id = :file_id", file_id)
        return self._intact(unpack_content, packed[0])

    def symbols(self, file_id: int) -> list[Symbol]:
        """The file's symbols in source order; index 0 is the file's own. Raises KeyError for a file without any."""
        with self._guard:
            known = self._lazy.outlines.get(file_id)
            if known is None:
                row = self.file_by_id(file_id)
                packed = self._one("SELECT symbols FROM stored WHERE file_id = :file_id", file_id)
                if row is None:
                    raise KeyError(file_id)
                known = self._intact(lambda data: unpack_symbols(data, row.path), packed[0])
                self._lazy.outlines[file_id] = known
                if len(self._lazy.outlines) > _CACHED_OUTLINES:
                    self._lazy.outlines.popitem(last=False)
            return list(known)

    def chunks(self, file_id: int) -> list[Chunk]:
        """The file's chunks in source order. Raises KeyError for a file without any."""
        packed = self._one("SELECT chunks FROM stored WHERE file_id = :file_id", file_id)
        return self._intact(unpack_chunks, packed[0])

    def symbol_by_key(self, key: str) -> Symbol | None:
        """The one symbol with this key, or None."""
        found = self._symbols_at("SELECT file_id, position FROM symbol_key WHERE key = :value", stored_key(key))
        return found[0] if found else None

    def symbols_named(self, name: str) -> list[Symbol]:
        """Every symbol with exactly this name, ordered by path and place."""
        return self._symbols_at("SELECT file_id, position FROM symbol_name WHERE name = :value", name)

    def manifest(self) -> Manifest:
        """The source manifest, to compare with the files on disk."""
        with self._guard:
            if self._lazy.manifest is None:
                self._lazy.manifest = known_manifest(self.info.id) or read_manifest(self._connection, self.info)
                remember_manifest(self.info.id, self._lazy.manifest)
            return self._lazy.manifest

    def _symbols_at(self, query: str, value: str | bytes) -> list[Symbol]:
        with self._guard:
            places = self._query(query, {"value": value})
            live = [(row, place[1]) for place in places if (row := self.file_by_id(place[0])) is not None]
            live.sort(key=lambda item: (item[0].path, item[1]))
            return [self.symbols(row.file_id)[position] for row, position in live]

    def _one(self, query: str, file_id: int) -> tuple[Any, ...]:
        rows = self._query(query, {"file_id": file_id})
        if not rows:
            raise KeyError(file_id)
        return rows[0]

    def _query(self, query: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        with self._guard:
            try:
                return self._connection.execute(query, values).fetchall()
            except sqlite3.ProgrammingError:
                raise
            except sqlite3.DatabaseError as error:
                raise self._garbage(str(error)) from error

    def _intact(self, unpack: Callable[[bytes], _Value], packed: bytes) -> _Value:
        try:
            return unpack(packed)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise self._garbage(str(error)) from error

    def _garbage(self, detail: str) -> Exception:
        return damaged(f"the database of generation {self.info.generation}", Damage.GARBAGE, detail)


_SKIPS: dict[str | None, SkipReason | None] = {None: None, **{reason.value: reason for reason in SkipReason}}
# By lineage, the publication whose rows were made last, and its rows.
_ROWS: OrderedDict[str, tuple[int, tuple[FileRow, ...]]] = OrderedDict()
_ROWS_GUARD = threading.Lock()
_path_of = attrgetter("path")


def _file_row(row: tuple[Any, ...]) -> FileRow:
    values: tuple[Any, ...] = (row[0], load_path(row[1]), *row[2:10], _SKIPS[row[10]], *row[11:])
    return FileRow(*values)


_ENTRY_COLUMNS = "path, size, mtime_ns, ctime_ns, inode, content_hash, language, category, skip, recorded_ns"
_MANIFESTS: OrderedDict[str, Manifest] = OrderedDict()
_MANIFESTS_GUARD = threading.Lock()


def read_manifest(connection: sqlite3.Connection, info: PublicationInfo) -> Manifest:
    """The manifest of a publication, from its rows. Raises sqlite3.Error."""
    query = f"SELECT {_ENTRY_COLUMNS} FROM file WHERE {LIVE}"  # noqa: S608 (constant columns)
    entries = [
        ManifestEntry(
            load_path(path),
            Stamp(*stamp),
            content_hash,
            language,
            Category(category),
            None if skip is None else SkipReason(skip),
            recorded_ns,
        )
        for path, *stamp, content_hash, language, category, skip, recorded_ns in connection.execute(
            query, {"sequence": info.sequence}
        )
    ]
    return Manifest.of(entries, Profile(info.profile), info.policy)


def known_manifest(publication_id: str) -> Manifest | None:
    """A manifest that this process has at hand. Its stamps may be older than the stored ones, which costs a hash."""
    with _MANIFESTS_GUARD:
        return _MANIFESTS.get(publication_id)


def remember_manifest(publication_id: str, manifest: Manifest) -> None:
    """Keep the manifests of the last few publications at hand."""
    with _MANIFESTS_GUARD:
        _MANIFESTS[publication_id] = manifest
        _MANIFESTS.move_to_end(publication_id)
        while len(_MANIFESTS) > _CACHED_MANIFESTS:
            _MANIFESTS.popitem(last=False)
