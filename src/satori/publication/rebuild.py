"""The one rebuild that starts by itself: after an upgrade, when the stored fingerprint is not this runtime's.

It is offline, safe (what is stored stays until its successor is whole) and bounded: three attempts for one pair of
fingerprints, and none after a failure that would only repeat itself. Damage is never a reason; that needs a person.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from satori.embedding.registry import is_connected
from satori.errors import DamagedError, IncompatibleError, NotIndexedError
from satori.publication import operations
from satori.publication.fingerprint import Fingerprint
from satori.publication.pin import peek
from satori.publication.progress import OperationState, read_operation
from satori.publication.state import CodebasePaths, StateRoot, read_json, write_json
from satori.settings.choice import StoreChoice

if TYPE_CHECKING:
    from satori.publication.operations import RunningOperation

MAXIMUM_ATTEMPTS = 3
# Failures of the machine or of the moment; any other failure of a rebuild would fail the same way again.
_PASSING = frozenset(
    {"state_full", "state_unusable", "store_stalled", "no_progress", "interrupted", "lease_held", "worker_failed"}
)


def needs_rebuild(paths: CodebasePaths, runtime: Fingerprint) -> bool:
    """Whether what is stored was published under another fingerprint or an older state format."""
    try:
        return bool(peek(paths).fingerprint.differences(runtime))
    except IncompatibleError:
        return True
    except (NotIndexedError, DamagedError):
        return False


def rebuild_if_incompatible(state_root: Path, root: Path, runtime: Fingerprint) -> RunningOperation | None:
    """Start the rebuild in a supervised child when it is due; None when it is not, already runs, or must not be tried.

    Raises as `operations.start` does.
    """
    paths = StateRoot(state_root).codebase(root)
    # A service costs money or waits for somebody to start it: that is a person's decision.
    connected = is_connected(runtime.embedding_provider) or runtime.vector_store_provider != StoreChoice().name
    if connected or not needs_rebuild(paths, runtime):
        return None
    last = read_operation(paths)
    if last is not None and last.running:
        return None
    record = read_json(paths.rebuild) or {}
    pair = _pair(paths, runtime)
    attempts = record.get("attempts", 0) if record.get("pair") == pair else 0
    if attempts >= MAXIMUM_ATTEMPTS:
        return None
    if attempts and last is not None and last.state is OperationState.FAILED and last.code not in _PASSING:
        return None
    if attempts and last is not None and last.state is OperationState.CANCELLED:
        return None
    write_json(paths.rebuild, {"pair": pair, "attempts": attempts + 1, "started_at": time.time()})
    return operations.start(state_root, root, "sync")


def _pair(paths: CodebasePaths, runtime: Fingerprint) -> str:
    try:
        stored = peek(paths).fingerprint.document()
    except IncompatibleError as error:
        stored = {"format": error.message}
    text = json.dumps([stored, runtime.document()], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
