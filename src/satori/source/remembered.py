"""Freshness of one codebase, looked at again only when something may have happened.

A look at a large tree costs tens of milliseconds, and sessions ask for one with nearly every question. A complete look
is remembered while the kernel reports no event in any directory that it entered (`stillness`), for the same manifest
and settings, and never longer than `LASTS_SECONDS`: what the kernel does not report (memory maps, other machines,
ignore lists and git's index outside the tree) is then noticed all the same. Where nothing can be watched every
question looks.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

from satori.source.freshness import Freshness, FreshnessState, check
from satori.source.manifest import Manifest
from satori.source.scan import Changes
from satori.source.settings import SourceSettings
from satori.source.stillness import TreeWatch, watch_tree

LASTS_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Proof:
    """A complete look: what it compared with what, when it began, what it found."""

    manifest: Manifest
    settings: SourceSettings | None
    began: float
    found: Freshness


class RememberedFreshness:
    """`satori.source.freshness.check` for one canonical root, with a memory. One a codebase and process."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._watch: TreeWatch | None = None
        self._proof: _Proof | None = None
        self._closed = False

    def check(self, manifest: Manifest, settings: SourceSettings | None, budget_ms: float) -> Freshness:
        """How the tree relates to `manifest`; a look takes about `budget_ms` at most."""
        with self._lock:
            proof, watch = self._proof, self._watch
            still = watch is not None and watch.still()
            if (
                still
                and proof is not None
                and proof.manifest is manifest
                and proof.settings == settings
                and time.monotonic() - proof.began < LASTS_SECONDS
            ):
                return proof.found
            self._proof = None
            began = time.monotonic()
            found = check(self._root, manifest, settings, budget_ms)
            self._remember(_Proof(manifest, settings, began, found))
            return found

    def follow(self, found: Freshness, manifest: Manifest) -> None:
        """`manifest` was published after `found` was told: when it says just what that look saw, and nothing happened
        since, the tree is known to be as it says and need not be looked at again."""
        with self._lock:
            proof, self._proof = self._proof, None
            if proof is None or proof.found is not found or self._watch is None or not self._watch.still():
                return
            if _follows(proof.manifest, manifest, found.changes):
                known = replace(found, state=FreshnessState.VERIFIED, changed_files=(), changes=None, reason="")
                self._proof = _Proof(manifest, proof.settings, proof.began, known)

    def close(self) -> None:
        """Give up the watch; checks go on, each with a look."""
        with self._lock:
            self._closed = True
            self._forget()

    def _remember(self, proof: _Proof) -> None:
        """Keep the look when nothing happened meanwhile; watch what it entered when that is not watched yet."""
        if self._closed or proof.found.directories is None or proof.found.state is FreshnessState.UNVERIFIED:
            return
        if self._watch is None or self._watch.directories != proof.found.directories:
            self._forget()
            self._watch = watch_tree(self._root, proof.found.directories)
        elif self._watch.still():
            self._proof = proof

    def _forget(self) -> None:
        watch, self._watch, self._proof = self._watch, None, None
        if watch is not None:
            watch.close()


def _follows(before: Manifest, after: Manifest, changes: Changes | None) -> bool:
    """Whether `after` is `before` with exactly these changes, by the stamps that were seen."""
    if changes is None or changes.partial:
        return False
    seen = {file.path: file.stamp for file in (*changes.added, *changes.modified)}
    seen.update((entry.path, entry.stamp) for entry in changes.touched)
    old, new = before.by_path, after.by_path
    if len(new) != len(old) + len(changes.added) - len(changes.removed):
        return False
    if any(entry.path in new for entry in changes.removed):
        return False
    return all(old.get(path) is entry or seen.get(path) == entry.stamp for path, entry in new.items())
