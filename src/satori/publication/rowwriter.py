"""Writing one publication's new file versions into a generation's database, in bulk.

It collects rows and writes them a few hundred at a time with one prepared statement a table; the two symbol indexes are
written once, sorted, at the end, which is several times cheaper than keeping them up row by row. It commits nothing.
"""

from __future__ import annotations

import sqlite3
import zlib
from typing import Any

from satori.publication.jobs import FileResult
from satori.publication.relationbuild import NewUnit
from satori.publication.relationrows import packed_unit, write_unit_names
from satori.publication.rows import store_path, stored_key
from satori.publication.snapshot import Counts
from satori.source.manifest import ManifestEntry

_BATCH_FILES = 200
_FILE_COLUMNS = (
    "file_id, path, born, size, mtime_ns, ctime_ns, inode, recorded_ns, content_hash, language, category, skip, "
    "problem, lines, symbols, chunks"
)


class RowWriter:
    """New file versions of publication `born`; `keep_parts` stores segment parts too (for files after the base)."""

    def __init__(self, connection: sqlite3.Connection, born: int, *, keep_parts: bool) -> None:
        self._connection = connection
        self._born = born
        self._keep_parts = keep_parts
        self._files: list[tuple[Any, ...]] = []
        self._stored: list[tuple[Any, ...]] = []
        self._parts: list[tuple[int, bytes]] = []
        self._keys: list[tuple[bytes, int, int]] = []
        self._names: list[tuple[str, int, int]] = []
        self.units: list[NewUnit] = []

    def add(self, file_id: int, entry: ManifestEntry, result: FileResult | None) -> None:
        """One file version: `result` is None for a skipped file."""
        lines = symbols = chunks = 0
        problem = ""
        if result is not None:
            lines, symbols, chunks, problem = result.lines, len(result.keys), result.chunk_count, result.problem
            unit = (None, None, None) if result.unit is None else packed_unit(result.unit)
            self._stored.append((file_id, result.chunks, unit[0], result.symbols, *unit[1:], result.content))
            if result.unit is not None:
                self.units.append(NewUnit(file_id, entry.path, entry.language, result.unit))
            if self._keep_parts:
                self._parts.append((file_id, zlib.compress(result.part, 1)))
            self._keys.extend((stored_key(key), file_id, position) for position, key in enumerate(result.keys))
            self._names.extend((name, file_id, position) for position, name in enumerate(result.names, start=1))
        stamp = entry.stamp
        self._files.append(
            (
                file_id,
                store_path(entry.path),
                self._born,
                *stamp,
                entry.recorded_ns,
                entry.content_hash,
                entry.language,
                str(entry.category),
                None if entry.skip is None else str(entry.skip),
                problem,
                lines,
                symbols,
                chunks,
            )
        )
        if len(self._files) >= _BATCH_FILES:
            self.flush()

    def flush(self) -> None:
        """Write what was collected, except the symbol indexes."""
        execute = self._connection.executemany
        execute(f"INSERT INTO file ({_FILE_COLUMNS}) VALUES ({','.join('?' * 16)})", self._files)  # noqa: S608
        execute("INSERT INTO stored VALUES (?, ?, ?, ?, ?, ?, ?)", self._stored)
        execute("INSERT INTO part VALUES (?, ?)", self._parts)
        for rows in (self._files, self._stored, self._parts):
            rows.clear()

    def finish(self) -> None:
        """Write everything that is left."""
        self.flush()
        self._keys.sort()
        self._names.sort()
        self._connection.executemany("INSERT INTO symbol_key VALUES (?, ?, ?)", self._keys)
        self._connection.executemany("INSERT INTO symbol_name VALUES (?, ?, ?)", self._names)
        self._keys.clear()
        self._names.clear()
        write_unit_names(self._connection, ((unit.file_id, unit.language, unit.packed) for unit in self.units))


def supersede(connection: sqlite3.Connection, file_ids: list[int], died: int) -> None:
    """End file versions with publication `died`."""
    rows = [(died, file_id) for file_id in file_ids]
    connection.executemany("UPDATE file SET died = ? WHERE file_id = ?", rows)
    connection.executemany(
        "INSERT INTO superseded (file_id, born, died) SELECT file_id, born, ? FROM file WHERE file_id = ?", rows
    )


def restamp(connection: sqlite3.Connection, entries: list[tuple[int, ManifestEntry]]) -> None:
    """New stat values for file versions whose content is the same: nothing that a reader answers with."""
    connection.executemany(
        "UPDATE file SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, recorded_ns = ? WHERE file_id = ?",
        [(*entry.stamp, entry.recorded_ns, file_id) for file_id, entry in entries],
    )


def counts_at(connection: sqlite3.Connection, sequence: int) -> Counts:
    """Totals of the files that live at `sequence`, as the rows say."""
    row = connection.execute(
        "SELECT count(*), sum(skip IS NULL), sum(skip IS NOT NULL), sum(symbols), sum(chunks), "
        "sum(CASE WHEN skip IS NULL THEN size ELSE 0 END) FROM file "
        "WHERE born <= :sequence AND (died IS NULL OR died > :sequence)",
        {"sequence": sequence},
    ).fetchone()
    return Counts(*(int(value or 0) for value in row))
