"""Damaged, missing, newer and foreign state: refused by kind, nothing erased, reindex is the way out."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satori.errors import DamagedError, IncompatibleError, SatoriError, StateError
from satori.publication import schema
from satori.publication.damage import write_pointer
from satori.publication.lifecycle import Lifecycle
from satori.publication.status import CodebaseState
from satori.publication.versions import STATE_FORMAT
from tests.publication.conftest import write
from tests.publication.unprivileged import run_unprivileged


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])


def _newer_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {STATE_FORMAT + 1}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


KINDS: dict[str, Callable[[Path], object]] = {
    "truncated": _truncate,
    "empty": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes(b"\x93\x01 not ours " * 4096),
    "newer": _newer_database,
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_damage_of_the_database_has_its_own_refusal(lifecycle: Lifecycle, kind: str) -> None:
    """Rule: pin, status and sync refuse with the code of the kind, and touch nothing."""
    lifecycle.sync()
    database = lifecycle.paths.generation(1).database
    KINDS[kind](database)
    _refused(lifecycle, f"publication_{kind}", database)


@pytest.mark.parametrize("kind", ["truncated", "empty", "garbage"])
def test_each_damage_of_the_pointer_has_its_own_refusal(lifecycle: Lifecycle, kind: str) -> None:
    """Rule: the pointer is checked as the database is."""
    lifecycle.sync()
    KINDS[kind](lifecycle.paths.current)
    _refused(lifecycle, f"publication_{kind}", lifecycle.paths.current)


def test_an_interrupted_checkpoint_is_not_damage(lifecycle: Lifecycle) -> None:
    """Rule: when folding the log into the database stopped after its first page (a full disk, a kill), the header
    promises more pages than the file has, and the log still holds them: everything is served."""
    lifecycle.sync()
    database = lifecycle.paths.generation(1).database
    for number in range(60):
        write(lifecycle.root, f"more/m{number}.py", f"def f{number}():\n    return {'1' * 2000}\n")
    holder = sqlite3.connect(database)
    holder.execute("BEGIN")
    holder.execute("SELECT count(*) FROM file").fetchone()
    before = database.read_bytes()
    lifecycle.sync()
    log = database.with_name(database.name + "-wal").read_bytes()
    holder.close()
    lifecycle.sync()
    checkpointed = database.read_bytes()
    assert len(checkpointed) > len(before)
    database.write_bytes(checkpointed[:4096] + before[4096:])
    database.with_name(database.name + "-wal").write_bytes(log)
    with lifecycle.pin() as snapshot:
        assert snapshot.info.counts.indexed == 67
        assert all(snapshot.content(row.file_id) for row in snapshot.files())


def test_another_codebases_state_is_refused(
    lifecycle: Lifecycle, tmp_path: Path, open_lifecycle: Callable[..., Lifecycle]
) -> None:
    """Rule: a database or a pointer that was copied from another codebase is foreign, whatever it holds."""
    write(tmp_path / "other", "a.py", "def a():\n    pass\n")
    other = open_lifecycle(tmp_path / "other")
    other.sync()
    lifecycle.sync()
    database = lifecycle.paths.generation(1).database
    shutil.copy(other.paths.generation(1).database, database)
    _refused(lifecycle, "publication_foreign", database)
    shutil.copy(other.paths.current, lifecycle.paths.current)
    _refused(lifecycle, "publication_foreign", lifecycle.paths.current)


def test_a_missing_generation_is_refused(lifecycle: Lifecycle) -> None:
    """Rule: a pointer to nothing is missing, not "not indexed"."""
    lifecycle.sync()
    shutil.rmtree(lifecycle.paths.generation(1).directory)
    _refused(lifecycle, "publication_missing", lifecycle.paths.current)


def test_the_five_refusals_are_distinguishable(lifecycle: Lifecycle) -> None:
    """Rule: five kinds of damage, five codes."""
    lifecycle.sync()
    database = lifecycle.paths.generation(1).database
    whole = database.read_bytes()
    codes = set()
    for damage in KINDS.values():
        damage(database)
        with pytest.raises(DamagedError) as caught:
            lifecycle.pin()
        codes.add(caught.value.code)
        database.write_bytes(whole)
    write_pointer(lifecycle.paths, 99)
    with pytest.raises(DamagedError) as caught:
        lifecycle.pin()
    codes.add(caught.value.code)
    assert len(codes) == 5


@pytest.mark.parametrize("kind", ["truncated", "empty", "garbage"])
def test_reindex_is_the_way_out_of_damage(lifecycle: Lifecycle, kind: str) -> None:
    """Rule: an explicit reindex replaces damaged state, with a sequence above every one before."""
    before = lifecycle.sync().info
    KINDS[kind](lifecycle.paths.generation(1).database)
    after = lifecycle.reindex().info
    assert after.sequence > before.sequence
    assert lifecycle.status().state is CodebaseState.READY
    with lifecycle.pin() as snapshot:
        assert snapshot.file("app/store.py") is not None


def test_a_newer_state_is_not_replaced_even_by_reindex(lifecycle: Lifecycle) -> None:
    """Rule: state of a newer format blocks every mutation, with both formats named."""
    lifecycle.sync()
    database = lifecycle.paths.generation(1).database
    _newer_database(database)
    before = database.read_bytes()
    with pytest.raises(DamagedError, match=f"format {STATE_FORMAT + 1}; this runtime reads format {STATE_FORMAT}"):
        lifecycle.reindex()
    assert database.read_bytes() == before


def test_an_older_state_format_is_rebuilt_by_the_next_sync(
    lifecycle: Lifecycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule: the ladder: an older format is never read; a sync builds anew."""
    lifecycle.sync()
    connection = sqlite3.connect(lifecycle.paths.generation(1).database)
    connection.execute("PRAGMA user_version = 0")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with pytest.raises(IncompatibleError) as caught:
        lifecycle.pin()
    assert caught.value.code == "state_format_older"
    assert lifecycle.sync().full


@pytest.mark.parametrize("damage", ["missing", "truncated", "flipped"])
@pytest.mark.parametrize("vectors", ["kept", "lost"])
def test_a_lost_base_segment_is_rebuilt_from_the_stores(lifecycle: Lifecycle, damage: str, vectors: str) -> None:
    """Rule: reads refuse while the base segment is damaged; the next sync rebuilds it from SQLite and LanceDB, or by
    embedding anew when the vectors are gone too, and the arrays are the same as before."""
    lifecycle.sync()
    write(lifecycle.root, "app/extra.py", "def extra():\n    return 1\n")
    info = lifecycle.sync().info
    generation = lifecycle.paths.generation(info.generation)
    base = generation.base(info.base_sequence)
    with lifecycle.pin() as snapshot:
        rows = {row.path: (row.file_id, row.content_hash, row.chunks) for row in snapshot.files()}
        vectors_before = _vectors(snapshot)
    data = base.read_bytes()
    base.unlink()
    if damage == "truncated":
        base.write_bytes(data[:-100])
    elif damage == "flipped":
        middle = len(data) // 2
        base.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    if vectors == "lost":
        shutil.rmtree(generation.vectors)
    with pytest.raises(DamagedError) as caught:
        lifecycle.pin()
    assert caught.value.code == ("publication_missing" if damage == "missing" else "segment_damaged")
    assert lifecycle.status().state is CodebaseState.REQUIRES_REINDEX
    repaired = lifecycle.sync()
    assert repaired.published and not repaired.full
    with lifecycle.pin() as snapshot:
        assert {row.path: (row.file_id, row.content_hash, row.chunks) for row in snapshot.files()} == rows
        assert _vectors(snapshot) == vectors_before


def test_a_read_only_state_root_still_answers(lifecycle: Lifecycle, tmp_path: Path) -> None:
    """Rule: without any right to write, Publications are readable and builds refuse with the reason.

    Runs as an unprivileged user in a child, since permissions do not bind root.
    """
    lifecycle.sync()
    with lifecycle.pin():
        pass

    def read_and_try_to_write() -> str:
        words = []
        with lifecycle.pin() as snapshot:
            row = snapshot.file("app/store.py")
            assert row is not None
            words.append(str(len(snapshot.content(row.file_id))))
        words.append(lifecycle.status().state.value)
        try:
            lifecycle.reindex()
        except StateError as error:
            words.append(error.code)
        return " ".join(words)

    answer = run_unprivileged(tmp_path, read_and_try_to_write, read_only=lifecycle.state.path)
    assert answer.split() == [str((lifecycle.root / "app/store.py").stat().st_size), "ready", "state_read_only"]


def _vectors(snapshot: object) -> dict[tuple[str, int], bytes]:
    from satori.publication.snapshot import Snapshot

    assert isinstance(snapshot, Snapshot)
    found = {}
    for segment in (snapshot.base, snapshot.delta):
        if segment is None:
            continue
        ids = segment["file_id"].tolist()
        for number, path in enumerate(segment.paths):
            if segment is snapshot.base and ids[number] in snapshot.dead:
                continue
            start, end = segment["file_chunks"][number : number + 2].tolist()
            for position in range(start, end):
                found[path, position - start] = segment["chunk_vector"][position].tobytes()
    return found


def _refused(lifecycle: Lifecycle, code: str, path: Path) -> None:
    before = path.read_bytes()
    for read in (lifecycle.pin, lifecycle.sync):
        with pytest.raises(DamagedError) as caught:
            read()
        assert caught.value.code == code
        assert caught.value.next_step
    status = lifecycle.status()
    assert (status.state, status.reason) == (CodebaseState.REQUIRES_REINDEX, code)
    assert path.read_bytes() == before
    assert not isinstance(caught.value, StateError)


@pytest.mark.parametrize(
    ("kind", "message", "code"),
    [
        (sqlite3.SQLITE_IOERR_READ, "disk I/O error", "state_unusable"),
        (sqlite3.SQLITE_FULL, "database or disk is full", "state_full"),
        (sqlite3.SQLITE_IOERR_SHORT_READ, "disk I/O error", "publication_garbage"),
    ],
)
def test_a_failing_disk_is_not_damage(
    lifecycle: Lifecycle, monkeypatch: pytest.MonkeyPatch, kind: int, message: str, code: str
) -> None:
    """Rule: what cannot be read for a moment is not called damaged (a file that ends too early is); pin, status and
    sync say the same, and when the disk works again everything is served as before."""
    lifecycle.sync()

    class Failing(sqlite3.Connection):
        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            if "document FROM publication" in arguments[0]:
                error = sqlite3.OperationalError(message)
                error.sqlite_errorcode = kind
                raise error
            return super().execute(*arguments)

    def connect(path: Path, mode: str, *, immutable: bool = False) -> sqlite3.Connection:
        return sqlite3.connect(
            f"file:{path}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False, factory=Failing
        )

    with monkeypatch.context() as patched:
        patched.setattr(schema, "_connect", connect)
        for act in (lifecycle.pin, lifecycle.sync):
            with pytest.raises(SatoriError) as caught:
                act()
            assert caught.value.code == code
        assert lifecycle.status().reason == code and not lifecycle.status().served
    lifecycle.sync()
    assert lifecycle.status().state is CodebaseState.READY and lifecycle.status().served
