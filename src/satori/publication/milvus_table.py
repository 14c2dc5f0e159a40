"""Milvus: one collection for each base segment, written whole before anything names it, and asked for similarities.

Fields: chunk_id (primary key), file_id, path, language, vector (float32: the int8 components as they are), under a FLAT
index with inner product. A dot product of such vectors is an integer below 2^24 and exact in float32 whatever the order
of summation, so what Milvus answers equals what is computed here. A search asks for *every* row of a range of ids, and
an answer that lacks one is refused: an approximate index cannot pass for an exact one.

pymilvus takes half a second to import and is imported when a collection is first used. Its errors become StoreError.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from satori.errors import StoreError
from satori.publication.segment import Segment
from satori.publication.stores import Backend
from satori.publication.vectors import POSITION_BITS, all_rows, chunk_ids

INSTALL = 'Install it: pip install "satori-code[milvus]"'
# Milvus answers at most so many rows to one search or query.
MOST_ROWS = 16_384
_INSERT_ROWS = 2_000
_READ_ROWS = 4_096
_PATH_BYTES = 4_096
_WRITE_SECONDS = 60.0
_NO_COLLECTION = 100
_NOT_LOADED = 101
_Value = TypeVar("_Value")


class MilvusTables:
    """The collections of one backend, for whoever builds."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def write(self, table: str, segment: Segment) -> int:
        """Write every row of `segment` to the collection `table`, replacing what a build that died left of it; 0."""
        return guarded(self._backend, table, lambda: self._write(table, segment))

    def _write(self, table: str, segment: Segment) -> int:
        pymilvus = import_pymilvus()
        client = connect(self._backend)
        if client.has_collection(table):
            client.drop_collection(table)
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("chunk_id", pymilvus.DataType.INT64, is_primary=True)
        schema.add_field("file_id", pymilvus.DataType.INT64)
        schema.add_field("path", pymilvus.DataType.VARCHAR, max_length=_PATH_BYTES)
        schema.add_field("language", pymilvus.DataType.VARCHAR, max_length=64)
        schema.add_field("vector", pymilvus.DataType.FLOAT_VECTOR, dim=segment.dimension)
        indexes = client.prepare_index_params()
        indexes.add_index("vector", index_type="FLAT", metric_type="IP")
        client.create_collection(table, schema=schema, index_params=indexes, consistency_level="Strong")
        ids, files = chunk_ids(segment)
        vectors = all_rows(segment).astype(np.float32)
        languages = [segment.languages[number] for number in segment["file_language"]]
        for first in range(0, len(ids), _INSERT_ROWS):
            rows = [
                {
                    "chunk_id": int(ids[row]),
                    "file_id": int(ids[row]) >> POSITION_BITS,
                    "path": _bounded(segment.paths[files[row]]),
                    "language": languages[files[row]],
                    "vector": vectors[row],
                }
                for row in range(first, min(first + _INSERT_ROWS, len(ids)))
            ]
            client.insert(table, rows, timeout=_WRITE_SECONDS)
        client.flush(table, timeout=_WRITE_SECONDS)
        client.load_collection(table, timeout=_WRITE_SECONDS)
        found = count_rows(client, table, _WRITE_SECONDS)
        if found != len(ids):
            raise _incomplete(table, found, len(ids))
        return 0

    def read(self, table: str, version: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """(chunk ids, vectors) of a collection; it has one version."""
        backend = self._backend
        return guarded(backend, table, lambda: read_rows(connect(backend), table, backend.seconds))

    def sweep(self, table: str, version: int) -> None:
        """A collection has one version: nothing to do."""

    def names(self, prefix: str) -> list[str]:
        """The collections that begin with `prefix`."""
        found = guarded(self._backend, f"{prefix}*", lambda: connect(self._backend).list_collections())
        return [name for name in found if name.startswith(prefix)]

    def drop(self, table: str) -> None:
        """Remove a collection."""
        guarded(self._backend, table, lambda: connect(self._backend).drop_collection(table))


class MilvusSource:
    """The rows of one collection, asked at each question; see `satori.publication.segment.VectorSource`."""

    def __init__(self, backend: Callable[[], Backend], table: str, ids: NDArray[np.int64]) -> None:
        """`ids` are the chunk ids of the rows in their order; `backend` is asked for when first needed."""
        self._backend = backend
        self._table = table
        self._order = np.argsort(ids, kind="stable")
        self._ids = ids[self._order]

    def dots(self, query: NDArray[np.int8]) -> NDArray[np.int64]:
        """The exact dot product of every row with the query. Raises StoreError."""
        backend = self._backend()
        deadline = time.monotonic() + backend.seconds
        asked = query.astype(np.float32)
        dots = np.zeros(len(self._ids), np.int64)
        for first in range(0, len(self._ids), MOST_ROWS):
            ids = self._ids[first : first + MOST_ROWS]
            dots[self._order[first : first + len(ids)]] = self._range(backend, asked, ids, deadline)
        return dots

    def rows(self) -> NDArray[np.int8]:
        """Every row. Raises StoreError."""
        backend = self._backend()
        ids, vectors = guarded(backend, self._table, lambda: read_rows(connect(backend), self._table, backend.seconds))
        order = np.argsort(ids, kind="stable")
        if not np.array_equal(ids[order], self._ids):
            raise _incomplete(self._table, len(ids), len(self._ids))
        rows = np.empty_like(vectors)
        rows[self._order] = vectors[order]
        return rows

    def _range(
        self, backend: Backend, query: NDArray[np.float32], ids: NDArray[np.int64], deadline: float
    ) -> NDArray[np.int64]:
        """Dot products of the rows with these ascending ids."""

        def ask() -> Any:
            left = deadline - time.monotonic()
            if left <= 0:
                raise _slow(self._table, backend)
            found = connect(backend).search(
                self._table,
                data=[query],
                anns_field="vector",
                limit=len(ids),
                filter=f"chunk_id >= {ids[0]} and chunk_id <= {ids[-1]}",
                output_fields=["chunk_id"],
                search_params={"metric_type": "IP"},
                timeout=left,
            )
            return found[0]

        hits = guarded(backend, self._table, ask)
        got = np.asarray(hits.ids, np.int64)
        values = np.rint(np.asarray(hits.distances, np.float64)).astype(np.int64)
        order = np.argsort(got, kind="stable")
        if not np.array_equal(got[order], ids):
            raise _incomplete(self._table, len(np.unique(got)), len(ids))
        ordered: NDArray[np.int64] = values[order]
        return ordered


def import_pymilvus() -> Any:
    """The package, with its own log off: it writes a traceback for each error that it also raises."""
    try:
        import pymilvus
    except ImportError as error:
        raise StoreError(
            f"The Milvus store needs pymilvus: {error}.", next_step=INSTALL, code="store_unreachable"
        ) from error
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
    return pymilvus


_CLIENTS: dict[Backend, Any] = {}
_CLIENTS_GUARD = threading.Lock()


def connect(backend: Backend) -> Any:
    """This process's client for a backend."""
    pymilvus = import_pymilvus()
    with _CLIENTS_GUARD:
        client = _CLIENTS.get(backend)
        if client is None:
            token = dict(backend.options).get("token", "")
            client = pymilvus.MilvusClient(uri=backend.uri, token=token, timeout=backend.seconds)
            _CLIENTS[backend] = client
        return client


def guarded(backend: Backend, table: str, ask: Callable[[], _Value]) -> _Value:
    """What `ask` returns; a collection that is there and not loaded (the server was restarted) is loaded first."""
    try:
        try:
            return ask()
        except Exception as error:
            if _code(error) != _NOT_LOADED and "not loaded" not in str(error):
                raise
            connect(backend).load_collection(table, timeout=backend.seconds)
            return ask()
    except StoreError:
        raise
    except Exception as error:  # pymilvus lets gRPC's errors through beside its own
        raise as_store_error(error, table, backend) from error


def count_rows(client: Any, table: str, seconds: float) -> int:
    """How many rows a collection has."""
    return int(client.query(table, filter="", output_fields=["count(*)"], timeout=seconds)[0]["count(*)"])


def read_rows(client: Any, table: str, seconds: float) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """(chunk ids, vectors) of every row."""
    ids: list[int] = []
    vectors: list[NDArray[np.float32]] = []
    rows = client.query_iterator(
        table, batch_size=_READ_ROWS, filter="chunk_id >= 0", output_fields=["chunk_id", "vector"], timeout=seconds
    )
    while batch := rows.next():
        ids += [row["chunk_id"] for row in batch]
        vectors.append(np.array([row["vector"] for row in batch], np.float32))
    rows.close()
    if not ids:
        return np.zeros(0, np.int64), np.zeros((0, 0), np.int8)
    return np.array(ids, np.int64), np.rint(np.concatenate(vectors)).astype(np.int8)


def as_store_error(error: BaseException, table: str, backend: Backend) -> StoreError:
    """What pymilvus or gRPC raised, as a refusal with its reason."""
    text = " ".join(str(getattr(error, "message", "") or error).split())[:300]
    if _code(error) == _NO_COLLECTION or "collection not found" in text.lower():
        return StoreError(
            f"Milvus at {backend.uri} has lost the collection {table} of the served Publication.",
            next_step="Restore it, or build anew: satori index --force PATH.",
            code="store_collection_missing",
        )
    if "DEADLINE_EXCEEDED" in text or "timeout" in text.lower() or isinstance(error, TimeoutError):
        return _slow(table, backend)
    token = dict(backend.options).get("token")
    if token:
        text = text.replace(token, "[key]")
    return StoreError(
        f"Milvus at {backend.uri} cannot be asked: {text}.",
        next_step="Start it or check store.uri and store.key_file; nothing is built anew by itself.",
        code="store_unreachable",
    )


def _code(error: BaseException) -> Any:
    return getattr(error, "code", None)


def _slow(table: str, backend: Backend) -> StoreError:
    return StoreError(
        f"Milvus at {backend.uri} did not answer within {backend.seconds:g} seconds ({table}).",
        next_step="Ask again; raise store.seconds when this repeats.",
        code="store_timeout",
    )


def _incomplete(table: str, found: int, expected: int) -> StoreError:
    return StoreError(
        f"The collection {table} gave {found} of the {expected} rows that were published.",
        next_step="Restore it, or build anew: satori index --force PATH.",
        code="store_incomplete",
    )


def _bounded(path: str) -> str:
    """A path that the collection's field takes; it is for people who look into Milvus, nothing reads it."""
    return path.encode("utf-8", "replace")[:_PATH_BYTES].decode("utf-8", "ignore")
