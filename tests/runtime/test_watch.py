"""Watching: what starts a sync, what does not, and that a change is never lost for want of a watcher."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from satori.publication.lifecycle import CATCH_UP_FILES, Lifecycle
from satori.publication.state import read_json
from satori.publication.vectorstore import VectorStore
from satori.runtime import watch as watching
from satori.runtime.paths import RuntimeDirectory
from satori.runtime.service import WATCH_SETTING, Watching
from satori.runtime.watch import REST_SECONDS, Watcher, WatchState
from satori.settings.file import VARIABLE

# `make soak` rewrites a file for half a minute.
REWRITE_SECONDS = float(os.environ.get("SATORI_WATCH_SECONDS", "3"))
_PATIENCE = 30.0


@pytest.fixture(scope="module")
def store() -> Iterator[VectorStore]:
    """One vector store process: its import is the dearest part of a small build."""
    shared = VectorStore()
    yield shared
    shared.close()


@pytest.fixture
def lifecycle(tmp_path: Path, store: VectorStore) -> Lifecycle:
    """A published tree; its state root lies inside it, as an unlucky setting may have it."""
    root = tmp_path / "project"
    (root / "app").mkdir(parents=True)
    (root / "app" / "store.py").write_text("def keep(value):\n    return value\n")
    (root / ".gitignore").write_text("build/\n*.log\n.state/\n")
    made = Lifecycle(root / ".state", root, store=store)
    made.sync()
    return made


@pytest.fixture
def watcher(lifecycle: Lifecycle, tmp_path: Path) -> Iterator[Watcher]:
    """A watcher of that tree that has had its first look."""
    made = Watcher(lifecycle.state.path, tmp_path / "watches.json")
    made.watch(str(lifecycle.root))
    wait_for(lambda: state(made).looks == 1)
    yield made
    made.close()


def wait_for(met: Callable[[], object], seconds: float = _PATIENCE) -> None:
    """Until `met` says so."""
    ends = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.05)


def state(watcher: Watcher) -> WatchState:
    """Of the only watch."""
    [found] = watcher.states()
    return found


def defines(lifecycle: Lifecycle, name: str) -> bool:
    """Whether the served Publication has a symbol of that name."""
    with lifecycle.pin() as snapshot:
        return bool(snapshot.symbols_named(name))


def test_a_change_is_published_by_itself(lifecycle: Lifecycle, watcher: Watcher) -> None:
    """Rule: an edit, a file in a new directory and a deletion are served without anybody asking for a sync."""
    (lifecycle.root / "app" / "store.py").write_text("def keep_longer(value):\n    return value\n")
    wait_for(lambda: defines(lifecycle, "keep_longer"))
    (lifecycle.root / "lib" / "deep").mkdir(parents=True)
    (lifecycle.root / "lib" / "deep" / "late.py").write_text("def arrived_late():\n    return 1\n")
    wait_for(lambda: defines(lifecycle, "arrived_late"))
    (lifecycle.root / "lib" / "deep" / "late.py").write_text("def changed_there():\n    return 1\n")
    wait_for(lambda: defines(lifecycle, "changed_there"))
    shutil.rmtree(lifecycle.root / "lib")
    wait_for(lambda: not defines(lifecycle, "changed_there"))
    assert not lifecycle.sync(wait_seconds=_PATIENCE).published


def test_a_file_that_never_stops_changing_neither_starves_nor_loops(lifecycle: Lifecycle, watcher: Watcher) -> None:
    """Rule: rewritten every 100 ms, it is published now and then, rarely enough, and its last content at the end."""
    before, began = state(watcher).looks, time.monotonic()
    number = published_meanwhile = 0
    # On a busy machine the first sync may take longer than the rewriting was to last.
    while (lasted := time.monotonic() - began) < REWRITE_SECONDS or (not published_meanwhile and lasted < _PATIENCE):
        number += 1
        (lifecycle.root / "app" / "store.py").write_text(f"def keep_{number}(value):\n    return value\n")
        time.sleep(0.1)
        published_meanwhile = state(watcher).syncs
    assert published_meanwhile >= 1, "starved"
    wait_for(lambda: defines(lifecycle, f"keep_{number}"))
    wait_for(lambda: not lifecycle.sync(wait_seconds=_PATIENCE).published)
    looks = state(watcher).looks
    assert looks - before <= (time.monotonic() - began) / REST_SECONDS + 1, "looped"
    time.sleep(REST_SECONDS + 1.5)
    assert state(watcher).looks <= looks + 1, "it goes on although nothing changes"


def test_what_no_rule_lists_causes_nothing(lifecycle: Lifecycle, watcher: Watcher) -> None:
    """Rule: ignored files and trees, secrets, editors' leftovers, the state root and time stamps start no look."""
    root = lifecycle.root
    (root / "build").mkdir()
    for number in range(5):
        (root / "build" / f"made_{number}.py").write_text("x = 1\n")
        (root / "app" / f"run_{number}.log").write_text("line\n")
        (root / f".env.{number}").write_text("PASSWORD=1\n")
        (root / "app" / "4913").write_text("")
        (root / "app" / "4913").unlink()
        (lifecycle.state.path / f"scratch_{number}.py").write_text("y = 2\n")
    time.sleep(1.5)
    assert (state(watcher).looks, state(watcher).syncs) == (1, 0)


def test_a_change_of_rules_is_heeded(lifecycle: Lifecycle, watcher: Watcher) -> None:
    """Rule: an edited ignore list changes what is published, and what is watched from then on."""
    root = lifecycle.root
    (root / "build").mkdir()
    (root / "build" / "made.py").write_text("def was_ignored():\n    return 1\n")
    (root / ".gitignore").write_text("*.log\n.state/\n")
    (root / ".satoriignore").write_text("!build/\n")
    wait_for(lambda: defines(lifecycle, "was_ignored"))
    wait_for(lambda: state(watcher).directories == 3)
    (root / "build" / "made.py").write_text("def now_watched():\n    return 1\n")
    wait_for(lambda: defines(lifecycle, "now_watched"))


def test_a_large_change_is_published_by_a_process_of_its_own(lifecycle: Lifecycle, watcher: Watcher) -> None:
    """Rule: a branch switch's worth of files converges too."""
    for number in range(CATCH_UP_FILES * 3):
        (lifecycle.root / "app" / f"many_{number}.py").write_text(f"def many_{number}():\n    return 1\n")
    wait_for(lambda: defines(lifecycle, f"many_{CATCH_UP_FILES * 3 - 1}"))


def test_a_blocked_or_busy_state_is_tried_again(lifecycle: Lifecycle, tmp_path: Path) -> None:
    """Rule: while another version owns the state nothing is changed; afterwards the change is still known."""
    blocked = True
    watcher = Watcher(lifecycle.state.path, tmp_path / "watches.json", lambda: blocked)
    watcher.watch(str(lifecycle.root))
    try:
        wait_for(lambda: state(watcher).watched)
        (lifecycle.root / "app" / "store.py").write_text("def waited_for(value):\n    return value\n")
        time.sleep(1.5)
        assert not defines(lifecycle, "waited_for")
        blocked = False
        wait_for(lambda: defines(lifecycle, "waited_for"))
    finally:
        watcher.close()


def test_another_embedder_is_not_built_by_a_watcher(
    lifecycle: Lifecycle, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a change of embedder a watcher publishes nothing: a whole build with a service may cost money."""
    config = tmp_path / "config.toml"
    config.write_text('[embedder]\nname = "ollama"\nendpoint = "http://127.0.0.1:9"\n')
    config.chmod(0o600)
    monkeypatch.setenv(VARIABLE, str(config))
    looks = state(watcher).looks
    (lifecycle.root / "app" / "later.py").write_text("def later():\n    return 1\n")
    wait_for(lambda: state(watcher).looks > looks)
    time.sleep(0.5)
    assert state(watcher).syncs == 0 and lifecycle.status().operation.state.value == "completed"  # type: ignore[union-attr]
    monkeypatch.undo()
    assert not defines(lifecycle, "later")


def test_a_cleared_codebase_stays_cleared(lifecycle: Lifecycle, watcher: Watcher, tmp_path: Path) -> None:
    """Rule: watching never builds an index that is not there; one that is built again is watched again when used."""
    lifecycle.clear(wait_seconds=_PATIENCE)
    (lifecycle.root / "app" / "store.py").write_text("def after_clear(value):\n    return value\n")
    wait_for(lambda: not state(watcher).watched)
    assert state(watcher).reason == "it is not indexed any more" and not lifecycle.paths.current.exists()
    lifecycle.sync(wait_seconds=_PATIENCE)
    watcher.watch(str(lifecycle.root))
    (lifecycle.root / "app" / "store.py").write_text("def watched_again(value):\n    return value\n")
    wait_for(lambda: defines(lifecycle, "watched_again"))
    record = read_json(tmp_path / "watches.json")
    assert record is not None and [one["watched"] for one in record["codebases"]] == [True]


_UNWATCHED = """
import sys, time
from pathlib import Path
from satori.runtime.watch import Watcher
watcher = Watcher(Path(sys.argv[1]), Path(sys.argv[3]))
watcher.watch(sys.argv[2])
ends = time.monotonic() + 20
while not watcher.states()[0].reason and time.monotonic() < ends:
    time.sleep(0.05)
print(watcher.states()[0].reason)
"""


def test_a_system_without_watches_left_is_said_and_everything_converges(lifecycle: Lifecycle, tmp_path: Path) -> None:
    """Rule: ENOSPC of inotify (a real limit, in a user namespace) leaves the codebase unwatched, with the reason."""
    limit = "/proc/sys/user/max_inotify_watches"
    arguments = [str(lifecycle.state.path), str(lifecycle.root), str(tmp_path / "watches.json")]
    script = f'echo 1 > {limit} && exec "$@"'
    done = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", script, "sh", sys.executable, "-c", _UNWATCHED, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode:
        pytest.skip(f"no user namespace with limits of its own can be made here: {done.stderr[-200:]}")
    assert "limit" in done.stdout
    record = read_json(tmp_path / "watches.json")
    assert record is not None and "limit" in record["codebases"][0]["reason"]
    (lifecycle.root / "app" / "store.py").write_text("def unwatched(value):\n    return value\n")
    assert lifecycle.sync(wait_seconds=_PATIENCE).published and defines(lifecycle, "unwatched")


def test_more_directories_than_are_reasonable_are_not_watched(
    lifecycle: Lifecycle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule: a tree too wide for the system's watches is left unwatched, and the reason names both numbers."""
    monkeypatch.setattr(watching, "MAXIMUM_DIRECTORIES", 1)
    watcher = Watcher(lifecycle.state.path, tmp_path / "watches.json")
    watcher.watch(str(lifecycle.root))
    try:
        wait_for(lambda: state(watcher).reason)
        assert "2 directories are more than 1" in state(watcher).reason
    finally:
        watcher.close()


def test_nothing_is_watched_unless_the_user_says_so(
    lifecycle: Lifecycle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule: off by default; the user's own setting switches it on, and off again while the runtime lives."""
    table, _, name = WATCH_SETTING.partition(".")
    settings = tmp_path / "config.toml"
    monkeypatch.setenv(VARIABLE, str(settings))
    directory = RuntimeDirectory(lifecycle.state.path / "runtimes" / "0-test")
    directory.run.mkdir(parents=True)
    held = Watching(directory)
    root = str(lifecycle.root)
    try:
        held.use(root)
        assert not directory.watches.exists()
        settings.write_text(f'[{table}]\n{name} = "on"\n')
        settings.chmod(0o600)
        held.use(root)
        wait_for(lambda: any(one["watched"] for one in json.loads(directory.watches.read_text())["codebases"]))
        settings.write_text(f'[{table}]\n{name} = "off"\n')
        held.heed_settings()
        assert not directory.watches.exists()
    finally:
        held.close()
