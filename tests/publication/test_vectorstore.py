"""The LanceDB table: the same vectors as the segment, old versions swept, a stalled write ended with its reason."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from satori.errors import BuildError, StateError
from satori.publication.lifecycle import Lifecycle
from satori.publication.status import CodebaseState, disk_bytes
from satori.publication.vectors import POSITION_BITS, chunk_ids
from satori.publication.vectorstore import VectorStore
from tests.publication.conftest import write

_STALLING = "import sys, time\nsys.stdin.buffer.read(8)\ntime.sleep(600)\n"


def test_the_table_holds_what_the_segment_holds(lifecycle: Lifecycle, store: VectorStore) -> None:
    """Rule: one row a chunk and one identity row a file, under ids of file and position, byte for byte."""
    info = lifecycle.sync().info
    rows = store.read(str(lifecycle.paths.generation(info.generation).vectors), info.lance_version)
    with lifecycle.pin() as snapshot:
        segment = snapshot.base
        ids, _ = chunk_ids(segment)
        assert set(ids.tolist()) == set(rows) and len(rows) == info.counts.chunks + info.counts.indexed
        for number, file_id in enumerate(segment["file_id"].tolist()):
            start, end = segment["file_chunks"][number : number + 2].tolist()
            for position in range(end - start):
                assert (
                    rows[(file_id << POSITION_BITS) | position] == segment["chunk_vector"][start + position].tobytes()
                )
            assert rows[(file_id << POSITION_BITS) | (end - start)] == segment["file_vector"][number].tobytes()


def test_old_versions_are_swept(lifecycle: Lifecycle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule: new bases do not pile up vectors."""
    monkeypatch.setattr("satori.publication.sync.DELTA_FILES", 0)
    lifecycle.sync()
    vectors = lifecycle.paths.generation(1).vectors
    first = disk_bytes(vectors)
    for number in range(6):
        write(lifecycle.root, "app/retry.py", f"def retry_{number}():\n    return {number}\n")
        lifecycle.sync()
    assert disk_bytes(vectors) < 2 * first
    assert len(list(vectors.rglob("*.lance"))) == 2


def test_a_stalled_write_ends_the_build_and_keeps_what_is_served(
    lifecycle: Lifecycle, open_lifecycle: Callable[..., Lifecycle], root: Path
) -> None:
    """Rule: a store that hangs in a write is ended after its limit, the operation fails as store_stalled, and the
    Publication before is served."""
    before = lifecycle.sync().info
    stalled = VectorStore(limit_seconds=1.0, command=[sys.executable, "-c", _STALLING])
    hurt = open_lifecycle(root)
    hurt._store = stalled
    began = time.monotonic()
    with pytest.raises(BuildError) as caught:
        hurt.reindex()
    assert caught.value.code == "store_stalled" and time.monotonic() - began < 20
    status = lifecycle.status()
    assert (status.state, status.reason, status.served) == (CodebaseState.FAILED, "store_stalled", True)
    with lifecycle.pin() as snapshot:
        assert snapshot.info.id == before.id


def test_a_store_that_dies_fails_the_build(open_lifecycle: Callable[..., Lifecycle], root: Path) -> None:
    """Rule: the store's death is a refusal with a reason."""
    lifecycle = open_lifecycle(root)
    lifecycle._store = VectorStore(command=[sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(BuildError) as caught:
        lifecycle.sync()
    assert caught.value.code == "store_failed"


def test_a_full_disk_in_the_store_is_called_by_its_name(open_lifecycle: Callable[..., Lifecycle], root: Path) -> None:
    """Rule: no space in the store's process is `state_full`, as anywhere else."""
    program = (
        "import runpy, sys\nfrom satori.publication.segment import Segment\n"
        "def full(self, path):\n    raise OSError(28, 'No space left on device')\n"
        "Segment.save = full\nrunpy.run_module('satori.publication.vectorstore', run_name='__main__')\n"
    )
    lifecycle = open_lifecycle(root)
    lifecycle._store = VectorStore(command=[sys.executable, "-c", program])
    try:
        with pytest.raises(StateError) as caught:
            lifecycle.sync()
    finally:
        lifecycle._store.close()
    assert caught.value.code == "state_full"
