"""What failed at the boundary to the disk and to SQLite, as one of Satori's errors with its reason kept.

`failures` wraps a mutation: whatever the operating system or the database raise inside comes out as StateError with the
code of what happened. It handles nothing and hides nothing.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

from satori.errors import SatoriError, StateError
from satori.publication.state import NEXT_STEP, state_error

_CODES = {
    sqlite3.SQLITE_FULL: ("state_full", "the disk that holds Satori's state is full"),
    sqlite3.SQLITE_READONLY: ("state_read_only", "Satori's state cannot be written"),
    sqlite3.SQLITE_CANTOPEN: ("state_read_only", "Satori's state cannot be opened"),
    sqlite3.SQLITE_IOERR: ("state_unusable", "an input/output error"),
}


@contextlib.contextmanager
def failures(doing: str) -> Iterator[None]:
    """Turn OSError and sqlite3.Error into StateError; Satori's own errors pass."""
    try:
        yield
    except SatoriError:
        raise
    except OSError as error:
        raise state_error(error, doing) from error
    except sqlite3.Error as error:
        raise database_error(error, doing) from error


def database_error(error: sqlite3.Error, doing: str) -> StateError:
    """A failure of SQLite as StateError; the extended result code's last byte is its kind."""
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
    code, why = _CODES.get(kind, ("state_unusable", str(error)))
    return StateError(f"Could not {doing}: {why}.", next_step=NEXT_STEP, code=code)
