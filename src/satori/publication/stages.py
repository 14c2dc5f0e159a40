"""Named moments of a mutation, announced to whoever attacks them.

In normal use nobody observes and a call costs one comparison. The crash harness kills, fails or starves a process at
these names; it is how "killed at any instant" is tested at the instants that matter most.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class Stage(StrEnum):
    """In the order in which a create, a sync, a reindex and a clear pass them."""

    LEASED = "leased"
    LISTED = "listed"
    DATABASE_CREATED = "database_created"
    ROWS_HALF_WRITTEN = "rows_half_written"
    ROWS_WRITTEN = "rows_written"
    RELATIONS_WRITTEN = "relations_written"
    SEGMENT_WRITTEN = "segment_written"
    VECTORS_WRITTEN = "vectors_written"
    PUBLICATION_ROW_WRITTEN = "publication_row_written"
    DATABASE_FINISHED = "database_finished"
    VERIFIED = "verified"
    BEFORE_ACTIVATION = "before_activation"
    AFTER_ACTIVATION = "after_activation"
    SWEEPING = "sweeping"
    SWEPT = "swept"
    CACHED = "cached"
    CLEAR_UNLINKED = "clear_unlinked"
    CLEAR_HALF_REMOVED = "clear_half_removed"
    CLEARED = "cleared"


_observers: list[Callable[[Stage], None]] = []


def reach(stage: Stage) -> None:
    """Announce that `stage` is reached."""
    if _observers:
        for observer in list(_observers):
            observer(stage)


def observe(observer: Callable[[Stage], None]) -> None:
    """Call `observer` at every stage of this process from now on; it may raise, and then the mutation fails there."""
    _observers.append(observer)


def forget(observer: Callable[[Stage], None]) -> None:
    """The end of `observe`."""
    _observers.remove(observer)
