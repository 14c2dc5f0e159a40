"""Pinning: from the pointer on disk to a Snapshot that nothing can change or sweep.

A reader holds a shared lock (flock) on the file of the publication sequence that it reads; whoever sweeps takes the
same lock exclusively and leaves alone what it cannot get. The kernel drops a lock with its process, so no reader can be
forgotten and none that lives can be missed. This module refuses what must not be read; it repairs nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import sqlite3
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from satori.errors import DamagedError, IncompatibleError, NotIndexedError, SatoriError
from satori.publication.damage import Damage, check_database, damaged, read_pointer
from satori.publication.failures import database_error
from satori.publication.fingerprint import Fingerprint
from satori.publication.schema import LIVE, open_for_reading
from satori.publication.segment import Segment, build_segment
from satori.publication.snapshot import PublicationInfo, Snapshot
from satori.publication.state import CodebasePaths, GenerationPaths
from satori.publication.stores import open_source
from satori.publication.versions import STATE_FORMAT

_ATTEMPTS = 20
_CACHED_SEGMENTS = 4
_VERIFIED_BYTES = 64 << 20
# A log that cannot be read without the right to write, a busy database or a failing disk say nothing about what is
# stored; a file that ends too early does.
_NOT_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
    }
)
_Value = TypeVar("_Value")


class _Moved(Exception):  # noqa: N818 (a signal, not an error)
    """What was being pinned was swept meanwhile; look at the pointer again."""


def pin(paths: CodebasePaths, runtime: Fingerprint) -> Snapshot:
    """The served Publication, pinned.

    Raises NotIndexedError (nothing was ever activated), IncompatibleError (fingerprint or older state format),
    DamagedError (one code for each kind of damage) and StateError (the state may not be read at all).
    """
    return _from_served(paths, lambda generation: _pin_generation(paths, generation, runtime))


def _from_served(paths: CodebasePaths, read: Callable[[GenerationPaths], _Value]) -> _Value:
    """`read` of the served generation; again when another one was activated meanwhile and this one swept."""
    moved = 0
    while True:
        number = read_pointer(paths)
        if number is None:
            root = paths.root()
            raise NotIndexedError(
                f"Nothing is indexed for {root or paths.id}.",
                next_step=f"Index it: `satori index {shlex.quote(str(root)) if root else 'PATH'}`.",
            )
        try:
            return read(_checked_generation(paths, number))
        except (DamagedError, _Moved) as error:
            moved += 1
            if isinstance(error, DamagedError) and read_pointer(paths) == number:
                raise
            if moved > _ATTEMPTS:
                raise damaged(f"generation {number}", Damage.MISSING) from error


def _checked_generation(paths: CodebasePaths, number: int) -> GenerationPaths:
    generation = paths.generation(number)
    if not generation.directory.is_dir():
        raise damaged(f"generation {number}", Damage.MISSING)
    found = check_database(generation.database, f"the database of generation {number}")
    if found < STATE_FORMAT:
        raise IncompatibleError(
            f"The Publication was stored in state format {found}; this runtime reads format {STATE_FORMAT}.",
            next_step="Rebuild it: `satori index --force PATH`.",
            code="state_format_older",
        )
    return generation


def read_info(connection: sqlite3.Connection, paths: CodebasePaths, generation: GenerationPaths) -> PublicationInfo:
    """The newest publication row. Raises DamagedError when there is none, or it is another codebase's."""
    what = f"the database of generation {generation.number}"
    try:
        row = connection.execute("SELECT document FROM publication ORDER BY sequence DESC LIMIT 1").fetchone()
        if row is None:
            raise damaged(what, Damage.EMPTY)
        info = PublicationInfo.from_document(json.loads(row[0]))
    except sqlite3.DatabaseError as error:
        raise _refusal(error, generation) from error
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(what, Damage.GARBAGE, "its publication row") from error
    if info.codebase != paths.id:
        raise damaged(what, Damage.FOREIGN, info.root)
    return info


def peek(paths: CodebasePaths) -> PublicationInfo:
    """The served publication row without pinning or comparing fingerprints; raises as `pin` does otherwise."""

    def read(generation: GenerationPaths) -> PublicationInfo:
        connection = _open(generation)
        try:
            return read_info(connection, paths, generation)
        finally:
            connection.close()

    return _from_served(paths, read)


def _open(generation: GenerationPaths) -> sqlite3.Connection:
    try:
        return open_for_reading(generation.database)
    except sqlite3.DatabaseError as error:
        raise _refusal(error, generation) from error


def _refusal(error: sqlite3.DatabaseError, generation: GenerationPaths) -> SatoriError:
    """What a failing read means: the state cannot be read now, or what is stored is damaged."""
    code = getattr(error, "sqlite_errorcode", 0)
    if code & 0xFF in _NOT_DAMAGE and code != sqlite3.SQLITE_IOERR_SHORT_READ:
        return database_error(error, "read the Publication")
    return damaged(f"the database of generation {generation.number}", Damage.GARBAGE, str(error))


def refuse_differences(info: PublicationInfo, runtime: Fingerprint) -> None:
    """Raise IncompatibleError naming each differing fingerprint field with both values."""
    differences = info.fingerprint.differences(runtime)
    if differences:
        named = "; ".join(str(difference) for difference in differences)
        raise IncompatibleError(
            f"The Publication cannot be read by this runtime: {named}.",
            next_step=f"Rebuild it: `satori index {shlex.quote(info.root)}`.",
        )


def _pin_generation(paths: CodebasePaths, generation: GenerationPaths, runtime: Fingerprint) -> Snapshot:
    connection = _open(generation)
    lock: int | None = None
    try:
        info = read_info(connection, paths, generation)
        refuse_differences(info, runtime)
        lock = _share(generation.reader(info.sequence))
        # The row is looked for again under the lock: from here on no sweep can take it.
        held = connection.execute("SELECT 1 FROM publication WHERE sequence = ?", (info.sequence,)).fetchone()
        if held is None or not generation.directory.is_dir():
            raise _Moved
        base, delta, dead = _segments(connection, generation, info)
        return Snapshot(info, connection, base, delta, dead, lock)
    except BaseException as error:
        connection.close()
        if lock is not None:
            os.close(lock)
        if isinstance(error, sqlite3.DatabaseError):
            raise _refusal(error, generation) from error
        raise


def _share(path: Path) -> int | None:
    """A descriptor with a shared lock on `path`; None when the state root is read-only and has no such file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError as error:
        if os.access(path.parent, os.W_OK):
            raise _Moved from error
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        here = path.stat()
        mine = os.fstat(descriptor)
        if (here.st_ino, here.st_dev) != (mine.st_ino, mine.st_dev):
            raise _Moved
    except (BlockingIOError, FileNotFoundError) as error:
        os.close(descriptor)
        raise _Moved from error
    except _Moved:
        os.close(descriptor)
        raise
    return descriptor


def _segments(
    connection: sqlite3.Connection, generation: GenerationPaths, info: PublicationInfo
) -> tuple[Segment, Segment | None, frozenset[int]]:
    base = open_base(generation, info)
    at = {"sequence": info.sequence, "base": info.base_sequence}
    dead = frozenset(
        file_id
        for (file_id,) in connection.execute(
            "SELECT file_id FROM superseded WHERE born <= :base AND died > :base AND died <= :sequence", at
        )
    )
    rows = [
        (file_id, zlib.decompress(data))
        for file_id, data in connection.execute(
            f"SELECT file_id, data FROM part NATURAL JOIN file WHERE born > :base AND {LIVE} ORDER BY file_id",  # noqa: S608
            at,
        )
    ]
    delta = build_segment(rows, int(info.fingerprint.embedding_dimension)) if rows else None
    return base, delta, dead


_BASES: OrderedDict[tuple[str, int, int], Segment] = OrderedDict()
_BASES_GUARD = threading.Lock()


def open_base(generation: GenerationPaths, info: PublicationInfo) -> Segment:
    """The base segment of a publication; a bare one asks the store that the user's settings name."""
    base = load_base(generation.base(info.base_sequence))
    if base.bare_dimension and base.source is None:
        base.source = open_source(info.table, info.lance_version, base)
    return base


def load_base(path: Path) -> Segment:
    """The mapped base segment at `path`; the last few are shared, since syncs keep their base."""
    try:
        status = path.stat()
    except OSError as error:
        raise damaged(f"the base segment {path.name}", Damage.MISSING) from error
    key = (str(path), status.st_ino, status.st_mtime_ns)
    with _BASES_GUARD:
        found = _BASES.get(key)
        if found is not None:
            _BASES.move_to_end(key)
            return found
    # Once a process and file every byte is checked, where that costs a few hundredths of a second at most.
    segment = Segment.load(path, verify=status.st_size <= _VERIFIED_BYTES)
    with _BASES_GUARD:
        _BASES[key] = segment
        while len(_BASES) > _CACHED_SEGMENTS:
            _BASES.popitem(last=False)
    return segment
