"""Recognising state that must not be read, before anything of it is interpreted.

Five kinds of damage give five refusals (`truncated`, `empty`, `garbage`, `newer`, `foreign`); a file that is gone is
`missing`. Nothing here repairs, erases or migrates.
"""

from __future__ import annotations

import hashlib
import json
import struct
from enum import StrEnum
from pathlib import Path

from satori.errors import DamagedError
from satori.publication.state import CodebasePaths, write_atomically
from satori.publication.versions import STATE_FORMAT

APPLICATION_ID = 0x53415431
_SQLITE_MAGIC = b"SQLite format 3\0"
_SQLITE_HEADER_BYTES = 100
_POINTER_MAGIC = b"satori-current "
_REBUILD = "Build it anew with `satori index --force PATH`; nothing is erased before the new Publication is served."
_UPGRADE = "Upgrade Satori, or set SATORI_STATE_ROOT to another directory."


class Damage(StrEnum):
    """What is wrong; the refusal's code is `publication_` and this word."""

    MISSING = "missing"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    GARBAGE = "garbage"
    NEWER = "newer"
    FOREIGN = "foreign"


_WORDS = {
    Damage.MISSING: "is missing",
    Damage.EMPTY: "is empty",
    Damage.TRUNCATED: "is cut short",
    Damage.GARBAGE: "holds bytes that Satori did not write",
    Damage.NEWER: "was written in a newer state format",
    Damage.FOREIGN: "belongs to another codebase",
}


def damaged(what: str, damage: Damage, detail: str = "") -> DamagedError:
    """The refusal for `damage` of `what` ("publication.sqlite of generation 3")."""
    return DamagedError(
        f"The stored state cannot be read: {what} {_WORDS[damage]}{f' ({detail})' if detail else ''}.",
        next_step=_UPGRADE if damage is Damage.NEWER else _REBUILD,
        code=f"publication_{damage.value}",
    )


def newer_detail(found: int) -> str:
    """Both format numbers, for the refusal of a newer state."""
    return f"format {found}; this runtime reads format {STATE_FORMAT}"


def write_pointer(paths: CodebasePaths, generation: int) -> None:
    """Activate `generation`: one durable atomic rename."""
    document = {"format": STATE_FORMAT, "codebase": paths.id, "generation": generation}
    body = json.dumps(document, sort_keys=True).encode("ascii")
    check = hashlib.blake2b(body, digest_size=8).hexdigest().encode("ascii")
    write_atomically(paths.current, _POINTER_MAGIC + check + b" " + body + b"\n", durable=True)


def read_pointer(paths: CodebasePaths) -> int | None:
    """The served generation's number; None when nothing was ever activated. Raises DamagedError."""
    what = "its pointer `current`"
    try:
        data = paths.current.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise damaged(what, Damage.GARBAGE, error.strerror or "") from error
    if not data:
        raise damaged(what, Damage.EMPTY)
    if not data.startswith(_POINTER_MAGIC):
        raise damaged(what, Damage.TRUNCATED if _POINTER_MAGIC.startswith(data) else Damage.GARBAGE)
    if not data.endswith(b"\n"):
        raise damaged(what, Damage.TRUNCATED)
    check, _, body = data[len(_POINTER_MAGIC) : -1].partition(b" ")
    try:
        document = json.loads(body)
        found, codebase, generation = document["format"], document["codebase"], document["generation"]
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(what, Damage.GARBAGE) from error
    if isinstance(found, int) and found > STATE_FORMAT:
        raise damaged(what, Damage.NEWER, newer_detail(found))
    if hashlib.blake2b(body, digest_size=8).hexdigest().encode("ascii") != check or not isinstance(generation, int):
        raise damaged(what, Damage.GARBAGE)
    if codebase != paths.id:
        raise damaged(what, Damage.FOREIGN, f"{codebase}")
    return generation


def _has_log(path: Path) -> bool:
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        return False


def check_database(path: Path, what: str) -> int:
    """The state format of the database at `path`, read from its header alone. Raises DamagedError.

    The header is written when the file is made and never changes in the fields read here, whatever the log holds.
    """
    try:
        with path.open("rb") as file:
            header = file.read(_SQLITE_HEADER_BYTES)
            size = file.seek(0, 2)
    except FileNotFoundError as error:
        raise damaged(what, Damage.MISSING) from error
    except OSError as error:
        raise damaged(what, Damage.GARBAGE, error.strerror or "") from error
    if not header:
        raise damaged(what, Damage.EMPTY)
    if not header.startswith(_SQLITE_MAGIC[: len(header)]):
        raise damaged(what, Damage.GARBAGE)
    if len(header) < _SQLITE_HEADER_BYTES:
        raise damaged(what, Damage.TRUNCATED)
    page_size = struct.unpack_from(">H", header, 16)[0]
    pages, version, application = (struct.unpack_from(">I", header, at)[0] for at in (28, 60, 68))
    if application != APPLICATION_ID:
        raise damaged(what, Damage.GARBAGE)
    if version > STATE_FORMAT:
        raise damaged(what, Damage.NEWER, newer_detail(version))
    # While a log is there, folding it in may have been interrupted after the header's page: its pages still count.
    if size < pages * (65536 if page_size == 1 else page_size) and not _has_log(path):
        raise damaged(what, Damage.TRUNCATED, f"{size} bytes")
    return int(version)
