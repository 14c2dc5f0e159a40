"""The rows of a base segment whose LanceDB table is on an object store: read once, then searched in memory.

Reading is done by the store's own process, which is ended afterwards: LanceDB stays out of the serving one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from satori.embedding.similarity import operand
from satori.errors import BuildError, StoreError
from satori.publication.stores import Backend
from satori.publication.vectorstore import VectorStore


class LanceSource:
    """See `satori.publication.segment.VectorSource`."""

    def __init__(self, backend: Callable[[], Backend], table: str, version: int, ids: NDArray[np.int64]) -> None:
        self._backend = backend
        self._table = table
        self._version = version
        self._ids = ids
        self._guard = threading.Lock()
        self._rows: NDArray[np.int8] | None = None
        self._operand: NDArray[np.float32] | None = None

    def dots(self, query: NDArray[np.int8]) -> NDArray[np.int64]:
        """The exact dot product of every row with the query. Raises StoreError until the table could be read once."""
        rows = self.rows()
        if self._operand is None:
            self._operand = operand(rows)
        return (self._operand @ query.astype(np.float32)).astype(np.int64)

    def rows(self) -> NDArray[np.int8]:
        """Every row. Raises StoreError."""
        with self._guard:
            if self._rows is None:
                self._rows = self._read()
            return self._rows

    def _read(self) -> NDArray[np.int8]:
        backend = self._backend()
        store = VectorStore(backend, limit_seconds=backend.seconds)
        try:
            ids, vectors = store.read_rows(self._table, self._version)
        except BuildError as error:
            raise _refusal(error, backend, self._table) from error
        finally:
            store.close()
        order, wanted = np.argsort(ids, kind="stable"), np.argsort(self._ids, kind="stable")
        if not np.array_equal(ids[order], self._ids[wanted]):
            raise StoreError(
                f"The table {self._table} gave {len(ids)} rows and not the {len(self._ids)} that were published.",
                next_step="Restore it, or build anew: satori index --force PATH.",
                code="store_incomplete",
            )
        rows = np.empty_like(vectors)
        rows[wanted] = vectors[order]
        return rows


def _refusal(error: BuildError, backend: Backend, table: str) -> StoreError:
    if error.code == "store_stalled":
        return StoreError(
            f"{backend.uri} did not give the table {table} within {backend.seconds:g} seconds.",
            next_step="Ask again; raise store.seconds when this repeats.",
            code="store_timeout",
        )
    text = error.message.lower()
    if "was not found" in text or "does not exist" in text or "not found:" in text:
        return StoreError(
            f"{backend.uri} has lost the table {table} of the served Publication.",
            next_step="Restore it, or build anew: satori index --force PATH.",
            code="store_collection_missing",
        )
    return StoreError(
        f"{backend.uri} cannot be read: {error.message}",
        next_step="Check store.uri, store.endpoint and store.key_file; nothing is built anew by itself.",
        code="store_unreachable",
    )
