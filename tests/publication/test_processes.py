"""Many processes and many versions on one state root."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.equality import description, differences
from satori.codebase.codebase import Codebase
from satori.errors import BusyError, StateError
from satori.publication import lease as leases
from satori.publication import operations
from satori.publication.lifecycle import Lifecycle
from satori.publication.owners import owners, register
from satori.publication.pool import WorkerPool
from satori.publication.process import own_identity
from satori.publication.progress import OperationState
from satori.publication.state import read_json, write_json
from satori.server.sessions import Session
from satori.server.tools import ToolContext, call_tool
from satori.server.workbench import Workbench
from satori.source.freshness import check
from tests.publication.conftest import write

_SYNCING = """
import random, sys, time
from pathlib import Path
from satori.errors import BusyError
from satori.publication.lifecycle import Lifecycle
lifecycle = Lifecycle(Path(sys.argv[1]), Path(sys.argv[2]))
until = time.monotonic() + float(sys.argv[3])
while time.monotonic() < until:
    try:
        lifecycle.sync(wait_seconds=random.random() * 0.2)
    except BusyError:
        pass
    with lifecycle.pin() as snapshot:
        for row in snapshot.files():
            if row.indexed:
                assert len(snapshot.content(row.file_id)) == row.size
                assert len(snapshot.symbols(row.file_id)) == row.symbols
lifecycle.sync(wait_seconds=60)
"""


def test_many_processes_that_sync_while_files_change_end_equal_to_a_clean_build(
    lifecycle: Lifecycle, open_lifecycle: Callable[..., Lifecycle], tmp_path: Path
) -> None:
    """Rule: eight processes sync and read one codebase while files change; nobody fails or reads a mix, and the end
    equals a clean build."""
    lifecycle.sync()
    arguments = [str(lifecycle.state.path), str(lifecycle.root), "3.0"]
    children = [subprocess.Popen([sys.executable, "-c", _SYNCING, *arguments]) for _ in range(8)]
    number = 0
    while any(child.poll() is None for child in children) and number < 400:
        write(lifecycle.root, f"busy/m{number % 7}.py", f"def changing_{number}():\n    return {number}\n", old=False)
        if number % 5 == 0:
            (lifecycle.root / f"busy/m{(number + 3) % 7}.py").unlink(missing_ok=True)
        number += 1
        time.sleep(0.02)
    assert [child.wait(60) for child in children] == [0] * 8
    lifecycle.sync(wait_seconds=30)
    clean = Lifecycle(tmp_path / "clean", lifecycle.root)
    clean.sync()
    with lifecycle.pin() as mine, clean.pin() as theirs:
        assert differences(description(mine), description(theirs)) == []


def test_the_next_question_sees_what_another_process_published(lifecycle: Lifecycle) -> None:
    """Rule: while a server holds a Publication, a sync and a reindex of other processes are served by its next request,
    and what it holds meanwhile does not change."""
    lifecycle.sync()
    with Codebase(lifecycle.root, "", lifecycle.state) as codebase:
        with codebase.serving() as engine:
            held = engine.snapshot
            write(lifecycle.root, "app/fresh.py", "def written_meanwhile():\n    return 1\n")
            for action in ("sync", "reindex"):
                ended = operations.start(lifecycle.state.path, lifecycle.root, action).wait(60)
                assert ended is not None and ended.state is OperationState.COMPLETED
                assert not held.symbols_named("written_meanwhile")
                with codebase.serving() as again:
                    assert again.snapshot is not held and again.snapshot.symbols_named("written_meanwhile")
                    assert again.snapshot.info.sequence == lifecycle.status().publication.sequence  # type: ignore[union-attr]
        assert [hit.symbol for hit in codebase.search("written_meanwhile")][:1] == ["written_meanwhile"]


def test_a_question_beside_a_sync_waits_for_its_result(lifecycle: Lifecycle) -> None:
    """Rule: when somebody publishes the very change that a question would publish first, the question uses that."""
    pool = WorkerPool(1)
    mine = Lifecycle(lifecycle.state.path, lifecycle.root, pool=pool)
    mine.sync()
    try:
        with mine.pin() as snapshot:
            while not pool.warm():
                time.sleep(0.05)
            write(lifecycle.root, "app/fresh.py", "def written_meanwhile():\n    return 1\n", old=False)
            look = check(mine.root, snapshot.manifest(), mine.settings(), 10_000)
            lease = leases.acquire(lifecycle.paths, operation="op-other", version=lifecycle.version)
            threading.Timer(0.3, lease.release).start()
            assert mine.catch_up(snapshot, look, seconds=30)
        with mine.pin() as fresh:
            assert fresh.symbols_named("written_meanwhile")
    finally:
        pool.close()


def test_an_unchanged_tree_costs_nothing_however_often_it_is_asked(lifecycle: Lifecycle) -> None:
    """Rule: while no file changes, questions, looks and evictions publish nothing, start nothing and keep no memory."""
    lifecycle.sync()
    before = lifecycle.status()
    workbench = Workbench(lifecycle.state.path, catches_up=True)
    session = Session(unrestricted=True)
    context = ToolContext(session, workbench)

    def ask(times: int) -> int:
        for number in range(times):
            answer = call_tool(
                "search_codebase", {"path": str(lifecycle.root), "query": f"put value {number}"}, context
            )
            assert answer["status"] != "error"
            workbench.evict_idle(0.0 if number % 10 == 0 else 300.0)
        return _resident_bytes()

    try:
        settled = ask(60)
        assert ask(120) - settled < 6 << 20
    finally:
        workbench.close()
    after = lifecycle.status()
    assert after.publication == before.publication and after.operation == before.operation


def _resident_bytes() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_threads_of_one_process_exclude_each_other(lifecycle: Lifecycle) -> None:
    """Rule: the lease is per owner, not per process."""
    lifecycle.sync()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                lifecycle.sync(wait_seconds=30)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(20):
        write(lifecycle.root, f"t/m{number % 3}.py", f"x = {number}\n", old=False)
    for thread in threads:
        thread.join()
    assert failures == []


def test_age_never_breaks_a_lease_and_death_does(lifecycle: Lifecycle) -> None:
    """Rule: a live owner keeps the lease however old it is; a dead or recycled pid loses it; the fence only grows."""
    lifecycle.paths.prepare(lifecycle.root)
    first = leases.acquire(lifecycle.paths, operation="op-a", version="1")
    os.utime(lifecycle.paths.lease, (0, 0))
    with pytest.raises(BusyError, match="op-a"):
        leases.acquire(lifecycle.paths, operation="op-b", version="1")
    document = read_json(lifecycle.paths.lease)
    assert document is not None
    write_json(lifecycle.paths.lease, {**document, "start": "another:1"})
    second = leases.acquire(lifecycle.paths, operation="op-b", version="1")
    assert second.fence == first.fence + 1
    with pytest.raises(BusyError, match="taken over"), first.activation():
        raise AssertionError("an owner without the lease activated")
    first.release()
    with second.activation():
        pass
    second.release()
    assert leases.acquire(lifecycle.paths, operation="op-c", version="1").fence == first.fence + 2


def test_an_owner_of_another_version_blocks_mutations_by_name(
    lifecycle: Lifecycle, open_lifecycle: Callable[..., Lifecycle]
) -> None:
    """Rule: while a runtime of another version lives on the state root, mutations are refused with both versions, reads
    are answered; a dead owner blocks nothing."""
    lifecycle.sync()
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        from satori.publication.process import start_time

        path = lifecycle.state.owners / "other.json"
        write_json(path, {"pid": sleeper.pid, "start": start_time(sleeper.pid), "version": "9.9.9"})
        with pytest.raises(StateError, match=r"9\.9\.9.*0\.1") as caught:
            lifecycle.sync()
        assert caught.value.code == "runtime_version_conflict"
        with lifecycle.pin() as snapshot:
            assert snapshot.files()
    finally:
        sleeper.kill()
        sleeper.wait()
    lifecycle.sync()
    assert not path.exists()


def test_registration_lasts_as_long_as_its_block(lifecycle: Lifecycle) -> None:
    """Rule: nested registrations of one process are one owner, gone at the end of the outermost."""
    with register(lifecycle.state.path, "1.0"):
        with register(lifecycle.state.path, "1.0"):
            pass
        assert [owner.pid for owner in owners(lifecycle.state.path)] == [own_identity().pid]
    assert owners(lifecycle.state.path) == ()
