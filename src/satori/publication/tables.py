"""Removing tables of a store outside this machine that no Publication names any more.

What a build that died left there goes with them. A store that is away keeps them until the next time; nothing here can
fail an operation. Tables in this machine's generation directories are swept by `retention`.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Collection

from satori.errors import SatoriError
from satori.publication.state import CodebasePaths
from satori.publication.stores import (
    TABLE_PREFIX,
    Backend,
    backend_of,
    has_tables,
    is_remote,
    named_tables,
    table_prefix,
)
from satori.publication.vectorstore import VectorStore
from satori.settings.choice import StoreChoice

# What the store's process may take to start and import its package, on a busy machine.
_START_SECONDS = 20.0


def list_tables(backend: Backend) -> list[str]:
    """Every table of Satori's in a store. Raises BuildError when it cannot be asked."""
    store = VectorStore(backend, limit_seconds=_START_SECONDS + 2 * backend.seconds)
    try:
        return store.names(TABLE_PREFIX)
    finally:
        store.close()


def sweep_tables(paths: CodebasePaths, choice: StoreChoice, store: VectorStore | None = None) -> None:
    """Drop this codebase's tables that no publication row on disk names; through `store` when it is at work anyway.

    Only the lease's holder may.
    """
    if not is_remote(choice):
        return
    with contextlib.suppress(OSError, sqlite3.Error, SatoriError):
        if store is not None:
            store.drop_others(table_prefix(paths), named_tables(paths))
        else:
            _drop(choice, table_prefix(paths), named_tables(paths))


def tables_of(paths: CodebasePaths, choice: StoreChoice) -> Callable[[], None]:
    """What drops every table of this codebase, to be called once its state is gone."""
    if not is_remote(choice) or not has_tables(paths):
        return lambda: None
    prefix = table_prefix(paths)
    return lambda: _drop(choice, prefix, ())


def _drop(choice: StoreChoice, prefix: str, keep: Collection[str]) -> None:
    with contextlib.suppress(SatoriError):
        store = VectorStore(backend_of(choice), limit_seconds=_START_SECONDS + 2 * choice.seconds)
        try:
            store.drop_others(prefix, keep)
        finally:
            store.close()
