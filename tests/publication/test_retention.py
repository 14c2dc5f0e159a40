"""What is swept, and what a living reader keeps."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from satori.errors import NotIndexedError
from satori.publication.lifecycle import Lifecycle
from satori.publication.schema import open_for_reading
from satori.publication.snapshot import Snapshot
from tests.publication.conftest import write

_READER = """
import sys
from pathlib import Path
from satori.publication.lifecycle import Lifecycle
snapshot = Lifecycle(Path(sys.argv[1]), Path(sys.argv[2])).pin()
print("pinned", flush=True)
sys.stdin.readline()
rows = [row for row in snapshot.files() if row.indexed]
print(sum(len(snapshot.content(row.file_id)) + len(snapshot.symbols(row.file_id)) for row in rows), flush=True)
"""


def _reader(lifecycle: Lifecycle) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", _READER, str(lifecycle.state.path), str(lifecycle.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None and child.stdout.readline() == "pinned\n"
    return child


def _total(lifecycle: Lifecycle) -> int:
    with lifecycle.pin() as snapshot:
        rows = [row for row in snapshot.files() if row.indexed]
        return sum(len(snapshot.content(row.file_id)) + len(snapshot.symbols(row.file_id)) for row in rows)


def _finish(child: subprocess.Popen[str]) -> int:
    answer, _ = child.communicate("go\n", timeout=30)
    assert child.returncode == 0
    return int(answer)


def test_a_reader_in_another_process_keeps_its_generation(lifecycle: Lifecycle) -> None:
    """Rule: reindex leaves a generation that somebody reads; the next mutation after the reader's end removes it."""
    lifecycle.sync()
    total = _total(lifecycle)
    child = _reader(lifecycle)
    write(lifecycle.root, "app/store.py", "x = 1\n")
    lifecycle.reindex()
    assert lifecycle.paths.generation_numbers() == [1, 2]
    assert _finish(child) == total
    lifecycle.sync()
    assert lifecycle.paths.generation_numbers() == [2]


def test_a_reader_in_another_process_keeps_its_rows(lifecycle: Lifecycle) -> None:
    """Rule: syncs sweep no row that a pinned publication sees, and sweep them once the reader is gone."""
    lifecycle.sync()
    total = _total(lifecycle)
    child = _reader(lifecycle)
    for number in range(5):
        write(lifecycle.root, "app/store.py", f"x = {number}\n")
        lifecycle.sync()
    assert _rows(lifecycle, "app/store.py") >= 2
    assert _finish(child) == total
    for number in range(5, 8):
        write(lifecycle.root, "app/store.py", f"x = {number}\n")
        lifecycle.sync()
    assert _rows(lifecycle, "app/store.py") <= 2


def test_a_killed_reader_holds_nothing(lifecycle: Lifecycle) -> None:
    """Rule: a reader that was killed is forgotten at once."""
    lifecycle.sync()
    child = _reader(lifecycle)
    child.kill()
    child.communicate()
    lifecycle.reindex()
    assert lifecycle.paths.generation_numbers() == [2]


def test_the_log_is_folded_in_after_each_sync_under_a_reader(lifecycle: Lifecycle) -> None:
    """Rule: a reader that never lets go does not let the write-ahead log grow."""
    lifecycle.sync()
    with lifecycle.pin():
        for number in range(10):
            write(lifecycle.root, "app/store.py", f"x = {number}\n")
            lifecycle.sync()
        log = lifecycle.paths.generation(1).database.with_name("publication.sqlite-wal")
        assert not log.exists() or log.stat().st_size == 0


def test_clear_under_a_reader_lets_it_finish(
    lifecycle: Lifecycle, open_lifecycle: Callable[..., Lifecycle], root: Path
) -> None:
    """Rule: what a reader has pinned stays readable for it when the codebase is cleared, and for nobody else."""
    lifecycle.sync()
    total = _total(lifecycle)
    child = _reader(lifecycle)
    lifecycle.clear()
    with pytest.raises(NotIndexedError):
        open_lifecycle(root).pin()
    assert _finish(child) == total


def _rows(lifecycle: Lifecycle, path: str) -> int:
    connection = open_for_reading(lifecycle.paths.generation(1).database)
    found = connection.execute("SELECT count(*) FROM file WHERE path = ?", (path,)).fetchone()[0]
    connection.close()
    return int(found)


def test_a_snapshot_that_was_forgotten_holds_nothing(lifecycle: Lifecycle) -> None:
    """Rule: one that nobody refers to any more is closed, and its rows are swept."""
    lifecycle.sync()
    forgotten: Snapshot | None = lifecycle.pin()
    assert forgotten is not None
    generation = lifecycle.paths.generation(forgotten.info.generation)
    first = forgotten.info.sequence
    for number in range(2):
        write(lifecycle.root, "app/store.py", f"def store_{number}():\n    return {number}\n")
        lifecycle.sync()
    assert generation.reader(first).exists()
    forgotten = None
    gc.collect()
    write(lifecycle.root, "app/store.py", "def store_at_last():\n    return 1\n")
    lifecycle.sync()
    assert not generation.reader(first).exists()
