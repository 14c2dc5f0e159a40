"""Is what was published still what the tree says? Asked before answering, within a small budget of time.

It only looks; bringing a codebase up to date is `publication`'s task.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from enum import StrEnum

from satori.errors import SourceError
from satori.source.manifest import Manifest
from satori.source.reading import SourceReader
from satori.source.scan import Changes, compare, list_files
from satori.source.settings import SourceSettings


class FreshnessState(StrEnum):
    """What the look could prove."""

    VERIFIED = "verified"
    CHANGED = "changed"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class Freshness:
    """`changed_files` are sorted paths (of changes seen before the budget ran out, if it did).

    `changes` is the whole comparison when the look was complete, for a sync that follows at once; `reason` says why
    nothing could be verified. `directories` are those that a complete look entered, None for any other.
    """

    state: FreshnessState
    changed_files: tuple[str, ...] = ()
    changes: Changes | None = None
    reason: str = ""
    directories: tuple[str, ...] | None = None


def check(
    root: str | os.PathLike[str], manifest: Manifest, settings: SourceSettings | None = None, budget_ms: float = 200.0
) -> Freshness:
    """Compare the tree below the canonical `root` with `manifest`, taking about `budget_ms` milliseconds at most.

    Never raises for the state of the disk: a root that is gone, or a part that cannot be read, is unverified.
    """
    ends = time.monotonic() + budget_ms / 1000
    try:
        listing = list_files(root, settings, time_limit=budget_ms / 1000)
        with SourceReader(root) as reader:
            changes = compare(listing, manifest, reader, time_limit=max(0.0, ends - time.monotonic()))
    except SourceError as error:
        return Freshness(FreshnessState.UNVERIFIED, reason=error.message)
    paths = changes.content_paths
    if not changes.complete:
        if paths:
            return Freshness(FreshnessState.CHANGED, paths, reason="Only a part of the tree was looked at.")
        return Freshness(FreshnessState.UNVERIFIED, reason=f"Looking took longer than {budget_ms:g} ms.")
    if paths:
        return Freshness(FreshnessState.CHANGED, paths, changes, directories=listing.directories)
    if changes.partial:
        return Freshness(FreshnessState.UNVERIFIED, (), changes, f"{changes.unreadable[0]!r} cannot be read.")
    return Freshness(FreshnessState.VERIFIED, (), changes, directories=listing.directories)
