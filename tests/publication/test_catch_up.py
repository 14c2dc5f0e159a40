"""Publishing a small change before a question is answered: when, how fast, and when not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from satori.publication import sync as sync_module
from satori.publication.lifecycle import CATCH_UP_FILES, Lifecycle
from satori.publication.pool import WorkerPool
from satori.publication.snapshot import Snapshot
from satori.publication.stages import Stage, forget, observe
from satori.publication.status import CodebaseState
from satori.source.freshness import Freshness, check
from tests.publication.conftest import write


@pytest.fixture
def warm(root: Path, open_lifecycle: Callable[..., Lifecycle]) -> Iterator[Lifecycle]:
    """A published codebase with a worker that stands ready."""
    pool = WorkerPool(1)
    lifecycle = open_lifecycle(root, pool=pool)
    lifecycle.sync()
    yield lifecycle
    pool.close()


def _look(lifecycle: Lifecycle, snapshot: Snapshot) -> Freshness:
    return check(lifecycle.root, snapshot.manifest(), lifecycle.settings(), 10_000)


def test_a_small_change_is_published_before_the_answer(warm: Lifecycle) -> None:
    """Rule: after an edit the newer Publication is served, without a second look, and equals a plain sync."""
    with warm.pin() as snapshot:
        assert not warm.catch_up(snapshot, _look(warm, snapshot), seconds=30)
        write(warm.root, "app/retry.py", "def fresh_retry():\n    return 1\n", old=False)
        (warm.root / "web/types.ts").unlink()
        assert warm.catch_up(snapshot, _look(warm, snapshot), seconds=30)
    with warm.pin() as snapshot:
        assert snapshot.symbols_named("fresh_retry") and snapshot.file("web/types.ts") is None
        assert not warm.catch_up(snapshot, _look(warm, snapshot), seconds=30)
    assert not warm.sync().published


def test_a_look_at_another_publication_is_not_used(warm: Lifecycle) -> None:
    """Rule: a comparison with a publication that is no longer current is taken again."""
    with warm.pin() as snapshot:
        write(warm.root, "app/one.py", "def one():\n    return 1\n", old=False)
        look = _look(warm, snapshot)
        write(warm.root, "app/two.py", "def two():\n    return 2\n", old=False)
        warm.sync()
        warm.catch_up(snapshot, look, seconds=30)
    with warm.pin() as snapshot:
        assert snapshot.symbols_named("one") and snapshot.symbols_named("two")


def test_a_large_change_is_left_to_a_sync(warm: Lifecycle) -> None:
    """Rule: many changed files are not published in passing."""
    with warm.pin() as snapshot:
        for number in range(CATCH_UP_FILES + 1):
            write(warm.root, f"many/m{number}.py", "x = 1\n", old=False)
        assert not warm.catch_up(snapshot, _look(warm, snapshot), seconds=30)
        assert warm.is_current(snapshot)


def test_the_limit_holds_and_is_not_tried_again_at_once(warm: Lifecycle) -> None:
    """Rule: what does not end in time is cancelled, what is served stays, and the next question does not wait again."""

    def slow(stage: Stage) -> None:
        if stage is Stage.ROWS_WRITTEN:
            time.sleep(0.6)

    with warm.pin() as snapshot:
        write(warm.root, "app/retry.py", "def fresh_retry():\n    return 1\n", old=False)
        observe(slow)
        try:
            assert not warm.catch_up(snapshot, _look(warm, snapshot), seconds=0.2)
        finally:
            forget(slow)
        assert warm.is_current(snapshot)
        assert warm.status().state is CodebaseState.READY
        assert not warm.catch_up(snapshot, _look(warm, snapshot), seconds=30)
    assert warm.sync().changed == ("app/retry.py",)


def test_a_due_fold_runs_beside_the_question(warm: Lifecycle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule: when the delta is due to be folded, a child does it and the question is answered from what is pinned."""
    monkeypatch.setattr(sync_module, "DELTA_FILES", 0)
    monkeypatch.setattr(sync_module, "DELTA_SHARE", 0.0)
    with warm.pin() as snapshot:
        write(warm.root, "app/retry.py", "def fresh_retry():\n    return 1\n", old=False)
        assert not warm.catch_up(snapshot, _look(warm, snapshot), seconds=30)
        deadline = time.monotonic() + 60
        while warm.is_current(snapshot) and time.monotonic() < deadline:
            time.sleep(0.05)
    with warm.pin() as snapshot:
        assert snapshot.symbols_named("fresh_retry")
