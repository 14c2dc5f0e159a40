"""The tables of one generation's database, and how it is opened.

Rows are versioned, not locked: a file row lives from the publication that `born` it until the one in which it `died`,
every version of a file has a file id of its own, and everything else hangs on that id and never changes. A reader of
publication `s` sees the files with born <= s < died, in any number of separate statements, so no reader ever holds a
transaction open and the write-ahead log can always be reset.

All that one file version holds stands in one row (`stored`), the short and often wanted before the long: the last page
of a long row is half empty, so four rows of a file would waste four halves. `digest`, `interface` and `body` are the
file's unit for resolution, NULL where its language has none.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

from satori.publication import relationrows
from satori.publication.damage import APPLICATION_ID
from satori.publication.versions import STATE_FORMAT

BUSY_SECONDS = 10.0
# Half of SQLite's own choice: a fortieth less of unused ends, for rows of a few thousand bytes.
_PAGE_BYTES = 2048
_JOURNAL_LIMIT_BYTES = 1 << 20

TABLES = """
CREATE TABLE publication (sequence INTEGER PRIMARY KEY, document TEXT NOT NULL);
CREATE TABLE file (
    file_id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    born INTEGER NOT NULL,
    died INTEGER,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    recorded_ns INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    language TEXT NOT NULL,
    category TEXT NOT NULL,
    skip TEXT,
    problem TEXT NOT NULL,
    lines INTEGER NOT NULL,
    symbols INTEGER NOT NULL,
    chunks INTEGER NOT NULL
);
CREATE TABLE stored (file_id INTEGER PRIMARY KEY, chunks BLOB NOT NULL, digest BLOB, symbols BLOB NOT NULL,
    interface BLOB, body BLOB, content BLOB NOT NULL);
CREATE TABLE part (file_id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE superseded (file_id INTEGER PRIMARY KEY, born INTEGER NOT NULL, died INTEGER NOT NULL);
CREATE TABLE symbol_key (key BLOB NOT NULL, file_id INTEGER NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (key, file_id, position)) WITHOUT ROWID;
CREATE TABLE symbol_name (name TEXT NOT NULL, file_id INTEGER NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (name, file_id, position)) WITHOUT ROWID;
"""
INDEXES = """
CREATE INDEX file_path ON file (path, born);
CREATE INDEX file_died ON file (died) WHERE died IS NOT NULL;
"""
FILE_COLUMNS = (
    "file_id, path, size, mtime_ns, ctime_ns, inode, recorded_ns, content_hash, language, category, skip, problem, "
    "lines, symbols, chunks"
)
LIVE = "born <= :sequence AND (died IS NULL OR died > :sequence)"


def create_database(path: Path) -> sqlite3.Connection:
    """A new database in a generation that is not served yet: no journal, since a failed build throws it away."""
    path.touch(mode=0o600, exist_ok=False)
    connection = _connect(path, "rw")
    connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {STATE_FORMAT}")
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -65536")
    connection.executescript(TABLES)
    connection.executescript(relationrows.TABLES)
    return connection


def finish_database(connection: sqlite3.Connection) -> None:
    """Add what is cheaper to build at the end, and switch to the log that readers and syncs share."""
    connection.executescript(INDEXES)
    connection.executescript(relationrows.INDEXES)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA journal_mode = WAL")


def open_for_writing(path: Path) -> sqlite3.Connection:
    """The served database, for a sync: a commit is durable when it returns."""
    connection = _connect(path, "rw")
    connection.execute("PRAGMA synchronous = FULL")
    # Checkpoints are run once after each sync, by name; SQLite's own would add their cost at random.
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_LIMIT_BYTES}")
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """The served database, for reads from any thread; works on a read-only state root too.

    Raises sqlite3.Error when the file cannot be read as a database.
    """
    try:
        connection = _connect(path, "ro")
        connection.execute("SELECT 1 FROM publication LIMIT 1").fetchone()
        return connection
    except sqlite3.OperationalError:
        # A log-mode database in a directory that we cannot write to needs an index file that we cannot make. When
        # no log is left over the file alone is the whole truth, and nobody without write access can change it.
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size > 0:
            raise
        connection = _connect(path, "ro", immutable=True)
        connection.execute("SELECT 1 FROM publication LIMIT 1").fetchone()
        return connection


def _connect(path: Path, mode: str, *, immutable: bool = False) -> sqlite3.Connection:
    uri = f"file:{quote(str(path))}?mode={mode}{'&immutable=1' if immutable else ''}"
    return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
