"""What a create, a sync, a reindex and a clear do, seen from outside."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from satori.errors import BuildError, IncompatibleError, NotIndexedError, StateError
from satori.publication import state as state_module
from satori.publication.choice import SettingsChoice
from satori.publication.lifecycle import Lifecycle
from satori.publication.stages import Stage, forget, observe
from satori.publication.status import CodebaseState, disk_bytes
from satori.publication.sync import DELTA_FILES
from tests.publication.conftest import FILES, write


def test_a_first_sync_publishes_every_eligible_file_whole(lifecycle: Lifecycle) -> None:
    """Rule: after a create each file's content, symbols and chunks are served, and symbols slice their files."""
    summary = lifecycle.sync()
    assert summary.published and summary.full
    with lifecycle.pin() as snapshot:
        assert {row.path for row in snapshot.files() if row.indexed} == set(FILES)
        for row in snapshot.files():
            data = snapshot.content(row.file_id)
            assert data == FILES[row.path].encode()
            symbols = snapshot.symbols(row.file_id)
            assert symbols[0].span.end == len(data)
            assert len(symbols) == row.symbols
            for symbol in symbols[1:]:
                assert data[symbol.name_start : symbol.name_end].decode() == symbol.name
                assert snapshot.symbol_by_key(symbol.key) == symbol
                assert symbol in snapshot.symbols_named(symbol.name)
            for chunk in snapshot.chunks(row.file_id):
                assert 0 <= chunk.owner < len(symbols)
                assert 0 <= chunk.span.start < chunk.span.end <= len(data)
        assert snapshot.info.counts.indexed == len(FILES)
        assert snapshot.base.chunk_count == snapshot.info.counts.chunks > 0
        assert snapshot.delta is None and not snapshot.dead


def test_nothing_changed_publishes_nothing(lifecycle: Lifecycle) -> None:
    """Rule: a sync of an unchanged tree keeps id and sequence, also after every file was touched."""
    first = lifecycle.sync().info
    for path in FILES:
        os.utime(lifecycle.root / path)
    again = lifecycle.sync()
    assert not again.published
    assert (again.info.id, again.info.sequence) == (first.id, first.sequence)
    third = lifecycle.sync()
    assert not third.published


def test_an_edit_of_the_same_size_and_time_is_seen(lifecycle: Lifecycle) -> None:
    """Rule: rewriting a file at once with equal size and a restored mtime is seen by the next sync."""
    path = write(lifecycle.root, "one.py", "x=1\n", old=False)
    lifecycle.sync()
    stamp = path.stat()
    path.write_bytes(b"x=2\n")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert lifecycle.sync().changed == ("one.py",)
    with lifecycle.pin() as snapshot:
        row = snapshot.file("one.py")
        assert row is not None
        assert snapshot.content(row.file_id) == b"x=2\n"


def test_time_going_backwards_is_a_change(lifecycle: Lifecycle) -> None:
    """Rule: other bytes with an older mtime (a checkout, an unpacked archive) are seen."""
    path = write(lifecycle.root, "app/retry.py", FILES["app/retry.py"])
    lifecycle.sync()
    path.write_text("def other():\n    pass\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert lifecycle.sync().changed == ("app/retry.py",)


def test_deleted_and_renamed_files_leave_nothing_behind(lifecycle: Lifecycle) -> None:
    """Rule: after a deletion or a rename no row, symbol, name or live segment file of the old path remains."""
    lifecycle.sync()
    (lifecycle.root / "web/types.ts").unlink()
    (lifecycle.root / "app/store.py").rename(lifecycle.root / "app/storage.py")
    summary = lifecycle.sync()
    assert summary.removed == ("app/store.py", "web/types.ts")
    assert summary.changed == ("app/storage.py",)
    with lifecycle.pin() as snapshot:
        assert snapshot.file("web/types.ts") is None and snapshot.file("app/store.py") is None
        assert snapshot.symbols_named("User") == []
        assert {symbol.path for symbol in snapshot.symbols_named("Store")} == {"app/storage.py"}
        live = {
            snapshot.base.paths[i]
            for i, file_id in enumerate(snapshot.base["file_id"].tolist())
            if file_id not in snapshot.dead
        }
        assert not live & {"web/types.ts", "app/store.py"}
        assert snapshot.delta is not None and snapshot.delta.paths == ["app/storage.py"]


def test_a_rename_parses_and_embeds_only_what_is_new(lifecycle: Lifecycle) -> None:
    """Rule: facts come from the cache by content; only the projections with the new path are embedded."""
    lifecycle.sync()
    (lifecycle.root / "app/store.py").rename(lifecycle.root / "app/storage.py")
    from satori.publication.cache import Caches

    before = Caches(lifecycle.state.cache, writable=False)
    facts = before.facts.size_bytes()
    before.close()
    lifecycle.sync()
    after = Caches(lifecycle.state.cache, writable=False)
    assert after.facts.size_bytes() == facts
    after.close()


def test_a_pinned_snapshot_never_changes(lifecycle: Lifecycle) -> None:
    """Rule: what was pinned before a sync, a reindex and a sweep reads the same afterwards, row for row."""
    lifecycle.sync()
    pinned = lifecycle.pin()
    before = _everything(pinned)
    for number in range(4):
        write(lifecycle.root, "app/store.py", f"def changed_{number}():\n    return {number}\n")
        (lifecycle.root / "README.md").write_text(f"# Other {number}\n")
        lifecycle.sync()
    lifecycle.reindex()
    write(lifecycle.root, "new.py", "def brand_new():\n    pass\n")
    lifecycle.sync()
    assert _everything(pinned) == before
    assert not lifecycle.is_current(pinned)
    pinned.close()
    with lifecycle.pin() as fresh:
        assert lifecycle.is_current(fresh)
        assert _everything(fresh) != before


def test_pinned_in_the_middle_of_syncs(lifecycle: Lifecycle) -> None:
    """Rule: every one of several pins, taken between syncs, keeps its own generation, delta and dead set."""
    lifecycle.sync()
    pins = []
    for number in range(6):
        pins.append(lifecycle.pin())
        write(lifecycle.root, f"gen/m{number % 3}.py", f"def f{number}():\n    return {number}\n")
        lifecycle.sync()
    seen = [_everything(pin) for pin in pins]
    lifecycle.sync()
    assert [_everything(pin) for pin in pins] == seen
    assert len({pin.info.sequence for pin in pins}) == len(pins)
    for pin in pins:
        pin.close()


def test_a_large_delta_becomes_a_new_base(lifecycle: Lifecycle) -> None:
    """Rule: beyond its threshold the delta is folded; the new base then holds exactly the live files."""
    lifecycle.sync()
    with lifecycle.pin() as before:
        for number in range(DELTA_FILES + 1):
            write(lifecycle.root, f"many/m{number}.py", f"def f{number}():\n    return {number}\n")
        (lifecycle.root / "README.md").unlink()
        info = lifecycle.sync().info
        assert info.base_sequence == info.sequence
        with lifecycle.pin() as snapshot:
            assert snapshot.delta is None and not snapshot.dead
            assert sorted(snapshot.base.paths) == sorted(row.path for row in snapshot.files() if row.indexed)
            assert snapshot.base.chunk_count == info.counts.chunks
        assert before.file("README.md") is not None
        assert before.base.paths


def test_no_eligible_file_is_ready_with_a_warning(tmp_path: Path, open_lifecycle: Callable[..., Lifecycle]) -> None:
    """Rule: an empty directory publishes, and says that nothing in it is eligible."""
    (tmp_path / "empty").mkdir()
    lifecycle = open_lifecycle(tmp_path / "empty")
    info = lifecycle.sync().info
    assert [code for code, _ in info.warnings] == ["no_eligible_files"]
    with lifecycle.pin() as snapshot:
        assert snapshot.files() == ()
    assert lifecycle.status().state is CodebaseState.READY


def test_settings_converge_by_a_sync(lifecycle: Lifecycle) -> None:
    """Rule: the call's arguments are remembered, beat satori.toml, and a change of either converges."""
    lifecycle.sync()
    assert lifecycle.sync(SettingsChoice(ignore=("web/",))).removed == ("web/client.js", "web/types.ts")
    assert not lifecycle.sync().published
    write(lifecycle.root, "satori.toml", 'profile = "minimal"\n')
    info = lifecycle.sync().info
    assert info.profile == "minimal"
    with lifecycle.pin() as snapshot:
        indexed = {row.path for row in snapshot.files() if row.indexed}
    assert "settings.toml" not in indexed and "web/client.js" not in indexed and "app/store.py" in indexed
    lifecycle.sync(SettingsChoice(profile="default", ignore=()))
    with lifecycle.pin() as snapshot:
        assert {"web/client.js", "settings.toml"} <= {row.path for row in snapshot.files() if row.indexed}


@pytest.mark.parametrize("stage", [stage for stage in Stage if not stage.value.startswith("clear")])
def test_a_failure_at_any_stage_leaves_what_is_served(lifecycle: Lifecycle, stage: Stage) -> None:
    """Rule: an exception in any step is recorded with its reason and the Publication before is still served; after the
    activating step it is the new one."""
    old = lifecycle.sync().info
    write(lifecycle.root, "app/retry.py", "def other():\n    return 1\n")

    def fail(reached: Stage) -> None:
        if reached is stage:
            raise OSError(5, "Input/output error")

    late = (Stage.AFTER_ACTIVATION, Stage.SWEEPING, Stage.SWEPT, Stage.CACHED)
    for mutate in (lifecycle.sync, lifecycle.reindex):
        with lifecycle.pin() as snapshot:
            served = snapshot.info.id
        failed = False
        observe(fail)
        try:
            mutate()
        except StateError as error:
            failed = True
            status = lifecycle.status()
            assert status.state is CodebaseState.FAILED and status.served
            assert "nput/output error" in status.message and "nput/output error" in str(error)
        finally:
            forget(fail)
        with lifecycle.pin() as snapshot:
            assert (snapshot.symbols_named("other") != []) == (snapshot.info.sequence > old.sequence)
            if failed and stage not in late:
                assert snapshot.info.id == served
    lifecycle.sync()
    assert lifecycle.status().state is CodebaseState.READY
    with lifecycle.pin() as snapshot:
        assert snapshot.symbols_named("other")


@pytest.mark.parametrize("first", [True, False])
def test_a_flush_that_fails_after_the_activating_rename_takes_nothing_away(
    lifecycle: Lifecycle, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    """Rule: once the pointer names the new generation it is served, whatever fails then; nothing that is named goes."""
    if not first:
        lifecycle.sync()
    real = state_module.sync_directory

    def failing(path: Path) -> None:
        if path == lifecycle.paths.directory:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path)

    def arm(stage: Stage) -> None:
        if stage is Stage.BEFORE_ACTIVATION:
            monkeypatch.setattr(state_module, "sync_directory", failing)

    observe(arm)
    try:
        with pytest.raises(StateError) as caught:
            lifecycle.reindex()
    finally:
        forget(arm)
        monkeypatch.undo()
    assert caught.value.code == "state_full"
    with lifecycle.pin() as snapshot:
        assert {row.path for row in snapshot.files() if row.indexed} == set(FILES)
    assert not lifecycle.sync().published
    assert lifecycle.status().state is CodebaseState.READY


def test_the_state_names_a_failed_first_build(lifecycle: Lifecycle) -> None:
    """Rule: failed without a current Publication: state failed, reads say not_indexed."""

    def fail(reached: Stage) -> None:
        if reached is Stage.SEGMENT_WRITTEN:
            raise BuildError("It broke.", code="broken")

    observe(fail)
    try:
        with pytest.raises(BuildError):
            lifecycle.sync()
    finally:
        forget(fail)
    status = lifecycle.status()
    assert (status.state, status.reason, status.served) == (CodebaseState.FAILED, "broken", False)
    with pytest.raises(NotIndexedError):
        lifecycle.pin()
    assert lifecycle.paths.generation_numbers() == []


def test_clear_removes_this_codebase_and_nothing_else(
    lifecycle: Lifecycle, tmp_path: Path, open_lifecycle: Callable[..., Lifecycle]
) -> None:
    """Rule: clear works also when the root is gone, and a second codebase keeps everything."""
    other_root = tmp_path / "other"
    write(other_root, "a.py", "def a():\n    pass\n")
    other = open_lifecycle(other_root)
    other.sync()
    lifecycle.sync()
    lifecycle.root.rename(tmp_path / "moved")
    lifecycle.clear()
    assert not lifecycle.paths.directory.exists()
    assert lifecycle.status().state is CodebaseState.NOT_INDEXED
    with other.pin() as snapshot:
        assert snapshot.file("a.py") is not None
    lifecycle.clear()


def test_fifty_syncs_stay_near_a_clean_build(lifecycle: Lifecycle, open_lifecycle: Callable[..., Lifecycle]) -> None:
    """Rule: after fifty syncs, under a reader that always holds the newest, state is at most 1.25 x a clean build's."""
    for number in range(120):
        write(lifecycle.root, f"lib/module_{number}.py", _module(number, 0))
    lifecycle.sync()
    reader = lifecycle.pin()
    for number in range(50):
        write(lifecycle.root, f"lib/module_{number % 40}.py", _module(number, number))
        lifecycle.sync()
        reader.close()
        reader = lifecycle.pin()
    reader.close()
    grown = disk_bytes(lifecycle.paths.directory)
    lifecycle.reindex()
    lifecycle.sync()
    clean = disk_bytes(lifecycle.paths.directory)
    assert grown <= 1.25 * clean, f"{grown / clean:.2f}"


_BUILD_READ_ONLY = """
import sys
from pathlib import Path
from satori.publication.lifecycle import Lifecycle
root = Path(sys.argv[2])
try:
    (root / "probe").touch()
except OSError:
    lifecycle = Lifecycle(Path(sys.argv[1]), root)
    print(lifecycle.sync().published, lifecycle.sync().published, lifecycle.status().state.value)
"""


def test_a_read_only_repository_is_indexed_and_left_as_it_is(root: Path, tmp_path: Path) -> None:
    """Rule: a tree on a file system that cannot be written is published whole, and nothing in it changes."""
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in root.rglob("*")}
    mounting = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
    build = [sys.executable, "-c", _BUILD_READ_ONLY, str(tmp_path / "state"), str(root)]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", mounting, "sh", str(root), *build],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    if done.returncode and "Traceback" not in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr[-200:]}")
    assert done.stdout.split() == ["True", "False", "ready"], done.stderr
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in root.rglob("*")} == before


def test_a_fingerprint_of_another_extractor_is_refused_by_name(
    lifecycle: Lifecycle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule: a differing field is named with both values, nothing is read, and the next sync rebuilds."""
    lifecycle.sync()
    monkeypatch.setattr("satori.facts.versions.EXTRACTOR_VERSION", 9_999)
    with pytest.raises(IncompatibleError, match=r"extractorVersion is .* and 9999"):
        lifecycle.pin()
    status = lifecycle.status()
    assert status.state is CodebaseState.REQUIRES_REINDEX
    assert [difference.field for difference in status.differences] == ["extractorVersion"]
    assert lifecycle.sync().full
    assert lifecycle.status().state is CodebaseState.READY


def _module(number: int, version: int) -> str:
    body = "\n\n".join(
        f'def function_{number}_{i}(first, second):\n    """Combine {number} and {i}, version {version}."""\n'
        f"    return first * {i} + second - {version}\n"
        for i in range(12)
    )
    return f'"""Module {number}."""\n\n{body}'


def _everything(snapshot: object) -> list[object]:
    from satori.publication.snapshot import Snapshot

    assert isinstance(snapshot, Snapshot)
    rows = [
        (row, snapshot.content(row.file_id), snapshot.symbols(row.file_id), snapshot.chunks(row.file_id))
        for row in snapshot.files()
        if row.indexed
    ]
    delta = [] if snapshot.delta is None else snapshot.delta.paths
    return [snapshot.info, rows, list(snapshot.base.paths), list(delta), sorted(snapshot.dead)]
