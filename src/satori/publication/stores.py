"""Where a codebase's vectors are kept, from the user's choice: which backend, under which name, and how search asks.

The default is a LanceDB table in each generation's directory, and base segments that hold their vectors. With Milvus,
or LanceDB on an object store, base segments are bare and a question's similarities come from the store. Each base has a
table of its own, `satori_<owner>_<lineage>_<sequence>`, which the publication row that activates it names. `owner` is
drawn once for a codebase's state directory, so that several machines may share one store; what begins with it and is
named by no publication row is left over and swept.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from satori.errors import SettingsError
from satori.publication.state import CodebasePaths, write_atomically
from satori.settings.choice import StoreChoice

if TYPE_CHECKING:
    from satori.publication.segment import Segment, VectorSource

TABLE_PREFIX = "satori_"
_OWNER_BYTES = 6
_OBJECT_SCHEMES = ("s3",)


@dataclass(frozen=True, slots=True)
class Backend:
    """A store as its adapter needs it. `uri` is empty for this machine's directory; `options` may hold secrets and go
    to this package's own processes only; `seconds` bounds one read."""

    name: str = "lancedb"
    uri: str = ""
    seconds: float = 10.0
    options: tuple[tuple[str, str], ...] = field(default=(), repr=False)


def is_remote(choice: StoreChoice) -> bool:
    """Whether vectors are kept outside the generation's directory."""
    return choice.name != "lancedb" or bool(choice.uri)


def provider_of(choice: StoreChoice) -> str:
    """The fingerprint's word for a choice: what decides whether a Publication's vectors can be found."""
    return "lancedb-remote" if choice.name == "lancedb" and choice.uri else choice.name


@lru_cache(maxsize=8)
def backend_of(choice: StoreChoice) -> Backend:
    """The chosen backend with its key. Raises SettingsError for an address that it does not take, RemoteError for a key
    that cannot be used or would be exposed."""
    if not is_remote(choice):
        return Backend()
    scheme = urlsplit(choice.uri).scheme
    if choice.name == "milvus":
        if scheme not in ("http", "https"):
            raise SettingsError(
                "store.uri must be the http or https address of a Milvus server.",
                next_step="A file of Milvus Lite can be opened by one process only; serve it: milvus-lite server.",
            )
        return Backend("milvus", choice.uri, choice.seconds, _options(choice, choice.uri, ("token",)))
    if scheme not in _OBJECT_SCHEMES:
        raise SettingsError(
            "store.uri of LanceDB must be s3://BUCKET/PREFIX.", next_step="Unset it to keep vectors on this machine."
        )
    options = _options(choice, choice.endpoint, ("aws_access_key_id", "aws_secret_access_key"))
    if choice.endpoint:
        options += (("aws_endpoint", choice.endpoint),)
        options += (("allow_http", "true"),) if urlsplit(choice.endpoint).scheme == "http" else ()
    options += (("aws_region", choice.region),) if choice.region else ()
    return Backend("lancedb", choice.uri.rstrip("/"), choice.seconds, options)


def _options(choice: StoreChoice, address: str, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The key under the adapter's names; a key of two parts is written ID:SECRET."""
    from satori.errors import RemoteError
    from satori.remote.address import is_loopback
    from satori.remote.keys import find_key

    key = find_key(choice.name, choice.key_file)
    if key is None:
        return ()
    if urlsplit(address).scheme == "http" and not is_loopback(address):
        raise RemoteError(
            f"The key for {choice.name} would travel in the clear to {address}.",
            next_step="Use an https address.",
            code="key_exposed",
        )
    parts = key.reveal().split(":", len(names) - 1)
    if len(parts) != len(names):
        raise RemoteError(
            f"What {key.source} holds is no key for {choice.name} on an object store.",
            next_step="Write ACCESS_KEY_ID:SECRET_ACCESS_KEY there.",
            code="key_unreadable",
        )
    return tuple(zip(names, parts, strict=True))


def open_source(table: str, version: int, segment: Segment) -> VectorSource:
    """How the rows of a bare segment are asked for, as the settings say at each question; nothing is opened yet."""
    from satori.publication.vectors import chunk_ids
    from satori.settings.file import current

    ids, _ = chunk_ids(segment)
    if current().store.name == "milvus":
        from satori.publication.milvus_table import MilvusSource

        return MilvusSource(lambda: backend_of(current().store), table, ids)
    from satori.publication.lance_source import LanceSource

    return LanceSource(lambda: backend_of(current().store), table, version, ids)


def table_name(paths: CodebasePaths, lineage: str, sequence: int) -> str:
    """The table of the base that publication `sequence` writes."""
    return f"{table_prefix(paths)}{lineage}_{sequence}"


def has_tables(paths: CodebasePaths) -> bool:
    """Whether this codebase ever had a table in a store outside this machine."""
    return (paths.directory / "tables").exists()


def table_prefix(paths: CodebasePaths) -> str:
    """What all tables of this codebase's state begin with; drawn and kept when first asked for. Raises OSError."""
    path = paths.directory / "tables"
    with contextlib.suppress(FileNotFoundError):
        return f"{TABLE_PREFIX}{path.read_text('ascii').strip()}_"
    write_atomically(path, os.urandom(_OWNER_BYTES).hex().encode("ascii"), durable=True)
    return table_prefix(paths)


def named_tables(paths: CodebasePaths) -> set[str]:
    """Every table that a publication row of any generation on disk names: served, or still read by somebody."""
    named: set[str] = set()
    for number in paths.generation_numbers():
        database = paths.generation(number).database
        if database.exists():
            with contextlib.closing(_read_only(database)) as connection:
                rows = connection.execute("SELECT DISTINCT json_extract(document, '$.table') FROM publication")
                named.update(row[0] for row in rows if row[0])
    return named


def _read_only(path: Path) -> sqlite3.Connection:
    from satori.publication.schema import open_for_reading

    return open_for_reading(path)
