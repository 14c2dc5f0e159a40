"""Sweeping what no reader can see any more: file versions, publication rows, base segments, whole generations.

Only the lease's holder sweeps. A publication is kept while it is current or while anybody holds its reader's lock; the
lock is taken exclusively here, without waiting, and what cannot be had is left for next time. Nothing here decides
what is current.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from satori.publication.relationrows import delete_unit_names, sweep_relations
from satori.publication.rows import stored_key, unpack_symbols
from satori.publication.state import CodebasePaths, GenerationPaths, make_directory

# File versions may pile up to this many before they are swept in a transaction of their own.
PATIENCE_FILES = 32
_VACUUM_SHARE = 0.1


def add_reader_file(generation: GenerationPaths, sequence: int) -> None:
    """The file that readers of `sequence` lock; made before the publication can be seen."""
    make_directory(generation.readers)
    generation.reader(sequence).touch(mode=0o600)


def sweep_rows(connection: sqlite3.Connection, generation: GenerationPaths, current: int) -> int:
    """Delete what only publications before `current` without readers could see; how many file versions went.

    Runs inside the caller's transaction.
    """
    with _unread(connection, generation, current) as unread:
        if unread:
            connection.executemany("DELETE FROM publication WHERE sequence = ?", [(number,) for number in unread])
        dead = connection.execute(
            "SELECT file_id, path FROM file WHERE died IS NOT NULL AND NOT EXISTS (SELECT 1 FROM publication "
            "WHERE sequence >= file.born AND sequence < file.died)"
        ).fetchall()
        for file_id, path in dead:
            _delete_names(connection, file_id, path)
        ids = [(file_id,) for file_id, _ in dead]
        for table in ("stored", "part", "file"):
            connection.executemany(f"DELETE FROM {table} WHERE file_id = ?", ids)  # noqa: S608 (constant names)
        sweep_relations(connection)
        oldest = connection.execute("SELECT min(json_extract(document, '$.base_sequence')) FROM publication").fetchone()
        if oldest[0] is not None:
            connection.execute("DELETE FROM superseded WHERE died <= ?", oldest)
            connection.execute(
                "DELETE FROM part WHERE file_id IN (SELECT file_id FROM file NATURAL JOIN part WHERE born <= ?)",
                oldest,
            )
        return len(dead)


def worth_sweeping(connection: sqlite3.Connection) -> bool:
    """Whether what no publication but earlier ones needs is more than the next sync may find: many file versions, or a
    base segment."""
    died = connection.execute("SELECT count(*) FROM file WHERE died IS NOT NULL").fetchone()[0]
    bases = connection.execute("SELECT count(DISTINCT json_extract(document, '$.base_sequence')) FROM publication")
    return bool(died > PATIENCE_FILES or bases.fetchone()[0] > 1)


def reclaim(connection: sqlite3.Connection) -> None:
    """Fold the log into the file and give back free pages when they are many. Outside any transaction."""
    free = connection.execute("PRAGMA freelist_count").fetchone()[0]
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    if free > pages * _VACUUM_SHARE:
        connection.execute("PRAGMA incremental_vacuum").fetchall()
    connection.execute("PRAGMA busy_timeout = 0")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def sweep_files(connection: sqlite3.Connection, generation: GenerationPaths) -> None:
    """Remove base segments that no publication row names. Mapped ones stay readable for whoever mapped them."""
    named = {
        f"base-{row[0]}.segment"
        for row in connection.execute("SELECT DISTINCT json_extract(document, '$.base_sequence') FROM publication")
    }
    for path in generation.directory.glob("base-*.segment*"):
        if path.name not in named:
            path.unlink(missing_ok=True)
    known = {str(row[0]) for row in connection.execute("SELECT sequence FROM publication")}
    for path in generation.readers.iterdir():
        if path.name not in known:
            with _exclusive(path) as mine:
                if mine:
                    path.unlink(missing_ok=True)


def sweep_generations(paths: CodebasePaths, current: int | None) -> None:
    """Remove every generation but `current` that nobody reads."""
    for number in paths.generation_numbers():
        if number == current:
            continue
        generation = paths.generation(number)
        with contextlib.ExitStack() as stack:
            readers = list(generation.readers.iterdir()) if generation.readers.is_dir() else []
            if all(stack.enter_context(_exclusive(path)) for path in readers):
                # Renamed first, so that a crash in between leaves no directory that looks like a generation.
                trash = generation.directory.with_name(f".swept-{number}-{os.urandom(4).hex()}")
                with contextlib.suppress(FileNotFoundError):
                    generation.directory.rename(trash)
    with contextlib.suppress(FileNotFoundError):
        for entry in list(paths.generations.iterdir()):
            if entry.name.startswith(".swept-"):
                shutil.rmtree(entry, ignore_errors=True)


@contextlib.contextmanager
def _unread(connection: sqlite3.Connection, generation: GenerationPaths, current: int) -> Iterator[list[int]]:
    """Publications before `current` that nobody reads. Their lock files go at once: a reader that was about to pin one
    finds its file gone and looks for the newest publication again, even when the caller's transaction ends later."""
    unread: list[int] = []
    with contextlib.ExitStack() as stack:
        rows = connection.execute("SELECT sequence FROM publication WHERE sequence < ?", (current,)).fetchall()
        for (number,) in rows:
            path = generation.reader(number)
            if stack.enter_context(_exclusive(path)):
                path.unlink(missing_ok=True)
                unread.append(number)
        yield unread


@contextlib.contextmanager
def _exclusive(path: Path) -> Iterator[bool]:
    """Whether the lock could be had; held inside."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield True
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _delete_names(connection: sqlite3.Connection, file_id: int, path: str) -> None:
    row = connection.execute("SELECT symbols, interface FROM stored WHERE file_id = ?", (file_id,)).fetchone()
    if row is None:
        return
    symbols = unpack_symbols(row[0], path)
    if row[1] is not None:
        delete_unit_names(connection, file_id, row[1])
    connection.executemany(
        "DELETE FROM symbol_key WHERE key = ? AND file_id = ?",
        [(stored_key(symbol.key), file_id) for symbol in symbols],
    )
    connection.executemany(
        "DELETE FROM symbol_name WHERE name = ? AND file_id = ?", [(symbol.name, file_id) for symbol in symbols]
    )
