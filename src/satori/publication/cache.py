"""Caches shared by all codebases of a state root: facts by content, vectors by projection.

A cache is never state: a miss, a damaged file or a full disk costs time and nothing else, so every failure here is
swallowed and a damaged cache file is thrown away. Both are bounded in bytes; what was used longest ago goes first.
Keys carry every version that decides the value, so nothing in them can be stale.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from satori.publication.state import make_directory

CACHE_BYTES = 256 << 20
_KEY_BYTES = 16
# A hit renews an entry's place in the queue at most once a day: reads must not become writes.
_RENEW_SECONDS = 86_400
_EVICT_SHARE = 0.25
_BUSY_SECONDS = 2.0
_QUERY_KEYS = 500
# As far as deflate looks back.
_WINDOW_BYTES = 32_768
# Not WITHOUT ROWID: such a table puts all but the beginning of a long value into pages of its own, half of each empty.
_TABLE = "CREATE TABLE IF NOT EXISTS entry (key BLOB PRIMARY KEY, used INTEGER NOT NULL, value BLOB NOT NULL)"
_PAGE_BYTES = 2048


class BlobCache:
    """Bytes under 16-byte keys in one SQLite file. One connection, one thread at a time."""

    def __init__(self, path: Path, *, limit_bytes: int = CACHE_BYTES, writable: bool = True) -> None:
        self._path = path
        self._limit = limit_bytes
        self._writable = writable
        self._connection: sqlite3.Connection | None = None
        self._opened = False
        self._renew: dict[bytes, int] = {}

    def close(self) -> None:
        """Let the file go."""
        if self._connection is not None:
            self._connection.close()
        self._connection, self._opened = None, False

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values of those keys that are known."""
        found: dict[bytes, bytes] = {}
        connection = self._open()
        if connection is None:
            return found
        now = int(time.time())
        try:
            for at in range(0, len(keys), _QUERY_KEYS):
                some = keys[at : at + _QUERY_KEYS]
                query = f"SELECT key, value, used FROM entry WHERE key IN ({','.join('?' * len(some))})"  # noqa: S608
                for key, value, used in connection.execute(query, some):
                    found[key] = value
                    if used < now - _RENEW_SECONDS:
                        self._renew[key] = now
        except sqlite3.DatabaseError as error:
            self._failed(error)
        return found

    def put_many(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Store entries, renew what was read, and stay within the limit."""
        rows = sorted(dict(entries).items())
        renewed, self._renew = self._renew, {}
        if not self._writable or not (rows or renewed):
            return
        connection = self._open()
        if connection is None:
            return
        now = int(time.time())
        try:
            with _transaction(connection):
                connection.executemany("UPDATE entry SET used = ? WHERE key = ?", [(now, key) for key in renewed])
                connection.executemany(
                    "INSERT OR REPLACE INTO entry (key, used, value) VALUES (?, ?, ?)",
                    [(key, now, value) for key, value in rows],
                )
            self._bound(connection)
        except sqlite3.DatabaseError as error:
            self._failed(error)

    def size_bytes(self) -> int:
        """Bytes in use."""
        connection = self._open()
        if connection is None:
            return 0
        try:
            return _used_bytes(connection)
        except sqlite3.DatabaseError as error:
            self._failed(error)
            return 0

    def renewals(self) -> list[bytes]:
        """Keys whose place in the queue a writer should renew; for readers that may not write. Clears the list."""
        keys, self._renew = list(self._renew), {}
        return keys

    def renew(self, keys: Iterable[bytes]) -> None:
        """Renew these keys with the next `put_many`."""
        self._renew.update((key, 0) for key in keys)

    def _bound(self, connection: sqlite3.Connection) -> None:
        if _used_bytes(connection) <= self._limit:
            return
        count = connection.execute("SELECT count(*) FROM entry").fetchone()[0]
        with _transaction(connection):
            connection.execute(
                "DELETE FROM entry WHERE key IN (SELECT key FROM entry ORDER BY used, key LIMIT ?)",
                (max(1, int(count * _EVICT_SHARE)),),
            )
        if _used_bytes(connection) > self._limit:
            self._bound(connection)
            return
        connection.execute("PRAGMA incremental_vacuum").fetchall()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _open(self) -> sqlite3.Connection | None:
        if self._opened:
            return self._connection
        self._opened = True
        try:
            if self._writable:
                make_directory(self._path.parent)
                self._path.touch(mode=0o600)
            elif not self._path.exists():
                # A worker may start before the first build wrote the cache: look again next time.
                self._opened = False
                return None
            connection = sqlite3.connect(
                self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection = connection
            connection.execute("PRAGMA synchronous = NORMAL" if self._writable else "PRAGMA query_only = ON")
            if self._writable:
                connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA journal_size_limit = 4194304")
                connection.execute(_TABLE)
        except (sqlite3.DatabaseError, OSError) as error:
            self._failed(error)
        return self._connection

    def _failed(self, error: Exception) -> None:
        """Go on without the cache; a file that is no database is thrown away, to be made anew by the next build."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
        if (
            self._writable
            and isinstance(error, sqlite3.DatabaseError)
            and not isinstance(error, sqlite3.OperationalError)
        ):
            for suffix in ("", "-wal", "-shm"):
                with contextlib.suppress(OSError):
                    self._path.with_name(self._path.name + suffix).unlink()


class Caches:
    """The two caches of a state root."""

    def __init__(self, directory: Path, *, writable: bool, limit_bytes: int = CACHE_BYTES) -> None:
        self.facts = BlobCache(directory / "facts.sqlite", limit_bytes=limit_bytes, writable=writable)
        self.vectors = BlobCache(directory / "vectors.sqlite", limit_bytes=limit_bytes, writable=writable)

    def close(self) -> None:
        """Let both files go."""
        self.facts.close()
        self.vectors.close()


def facts_key(content_hash: str, language: str, versions: str) -> bytes:
    """The key of one file's facts; `versions` names the parser and the extractor."""
    return _key(b"facts", content_hash, language, versions)


def vector_key(projection: bytes, model: str) -> bytes:
    """The key of one projection's vector; `model` names the model, its dimension and the projection's version."""
    return _key(b"vector", projection.hex(), model)


def pack_value(value: bytes, source: bytes) -> bytes:
    """Facts, compressed to a quarter: they repeat much of the file that they were read from."""
    packer = zlib.compressobj(1, zdict=source[-_WINDOW_BYTES:])
    return packer.compress(value) + packer.flush()


def unpack_value(value: bytes, source: bytes) -> bytes | None:
    """The inverse of `pack_value` for the same source, or None when the bytes are damaged."""
    unpacker = zlib.decompressobj(zdict=source[-_WINDOW_BYTES:])
    try:
        found = unpacker.decompress(value)
    except zlib.error:
        return None
    return found if unpacker.eof else None


def _key(person: bytes, *parts: str) -> bytes:
    return blake2b("\0".join(parts).encode("utf-8"), digest_size=_KEY_BYTES, person=person).digest()


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _used_bytes(connection: sqlite3.Connection) -> int:
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    free = connection.execute("PRAGMA freelist_count").fetchone()[0]
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    return int((pages - free) * size)
