"""Operations in supervised children: visible at once, cancelled exactly, ended by watchdog, gone with their parent."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from satori.errors import BusyError, NotIndexedError, UsageError
from satori.publication import operations
from satori.publication.lifecycle import Lifecycle
from satori.publication.process import ProcessIdentity, start_time
from satori.publication.progress import OperationState, Phase, Progress, read_operation
from satori.publication.stages import Stage, forget, observe
from satori.publication.status import CodebaseState
from tests.publication.conftest import write

_SLOW_CHILD = """
import runpy, sys, time
from satori.publication.stages import Stage, observe
def wait(stage):
    if stage is Stage.{stage}:
        {action}
observe(wait)
sys.argv = ["child", *sys.argv[1:]]
runpy.run_module("satori.publication.child", run_name="__main__")
"""


def _many(root: Path, count: int = 300) -> None:
    for number in range(count):
        body = "\n".join(f"def f{number}_{i}(a, b):\n    return a + b + {i}\n" for i in range(40))
        write(root, f"lib/m{number}.py", body)


def test_a_create_in_a_child_ends_ready(lifecycle: Lifecycle) -> None:
    """Rule: the record is visible when `start` returns, and the Publication is served when it is completed."""
    running = operations.start(lifecycle.state.path, lifecycle.root, "create")
    first = operations.operation_of(lifecycle.paths, running.id)
    assert first is not None and first.action == "create"
    done = running.wait(60)
    assert done is not None and done.state is OperationState.COMPLETED, done
    assert lifecycle.status().state is CodebaseState.READY
    with lifecycle.pin() as snapshot:
        assert snapshot.info.counts.indexed == 7


def test_clear_in_a_child_leaves_nothing(lifecycle: Lifecycle) -> None:
    """Rule: after a clear there is no state and no record of it."""
    lifecycle.sync()
    running = operations.start(lifecycle.state.path, lifecycle.root, "clear")
    assert running.wait(60) is None
    assert running.process.returncode == 0
    assert lifecycle.status().state is CodebaseState.NOT_INDEXED


def test_progress_is_true_and_states_agree_while_it_runs(lifecycle: Lifecycle) -> None:
    """Rule: done never exceeds total nor goes back within a phase; until something is served the state is indexing."""
    _many(lifecycle.root)
    running = operations.start(lifecycle.state.path, lifecycle.root, "create")
    seen: list[tuple[Phase, int, int]] = []
    while running.process.poll() is None:
        status = lifecycle.status()
        operation = status.operation
        if operation is not None and operation.running:
            assert status.state in (CodebaseState.INDEXING, CodebaseState.READY)
            assert operation.done <= operation.total or operation.total == 0
            seen.append((operation.phase, operation.done, operation.total))
        time.sleep(0.02)
    for before, after in itertools.pairwise(seen):
        if before[0] is after[0]:
            assert before[1] <= after[1]
    assert {phase for phase, _, _ in seen} & {Phase.ANALYSING, Phase.LISTING}
    assert lifecycle.status().state is CodebaseState.READY


def test_cancel_ends_exactly_that_operation_within_two_seconds(lifecycle: Lifecycle) -> None:
    """Rule: a cancelled create publishes nothing, another id cancels nothing, and the next create works."""
    _many(lifecycle.root)
    running = operations.start(lifecycle.state.path, lifecycle.root, "create")
    with pytest.raises(UsageError):
        operations.cancel(lifecycle.paths, "op-000000000000")
    began = time.monotonic()
    ended = operations.cancel(lifecycle.paths, running.id)
    assert time.monotonic() - began < 2.5
    assert ended.state is OperationState.CANCELLED
    running.process.wait(3)
    with pytest.raises(NotIndexedError):
        lifecycle.pin()
    assert lifecycle.status().state is CodebaseState.NOT_INDEXED
    with pytest.raises(UsageError):
        operations.cancel(lifecycle.paths, running.id)
    done = operations.start(lifecycle.state.path, lifecycle.root, "create").wait(60)
    assert done is not None and done.state is OperationState.COMPLETED


def test_a_child_that_does_not_listen_is_killed(lifecycle: Lifecycle) -> None:
    """Rule: cancel takes two seconds also when the operation hangs in a call that checks nothing."""
    process = _child(lifecycle, "create", Stage.SEGMENT_WRITTEN, "time.sleep(600)")
    identifier = _wait_for_stage(lifecycle, Phase.WRITING)
    began = time.monotonic()
    ended = operations.cancel(lifecycle.paths, identifier)
    assert time.monotonic() - began < 2.5
    assert ended.state is OperationState.CANCELLED
    assert process.wait(3) != 0
    assert lifecycle.sync().published


def test_the_watchdog_ends_a_child_without_progress(lifecycle: Lifecycle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule: no progress for the limit: ended, failed with reason no_progress; what was served stays served."""
    lifecycle.sync()
    write(lifecycle.root, "app/new.py", "def new():\n    pass\n")
    process = _child(lifecycle, "sync", Stage.PUBLICATION_ROW_WRITTEN, "time.sleep(600)")
    identifier = _wait_for_stage(lifecycle, Phase.WRITING)
    running = operations.RunningOperation(identifier, process, lifecycle.paths)
    operations.supervise(running, 1.0)
    status = lifecycle.status()
    assert (status.state, status.reason, status.served) == (CodebaseState.FAILED, "no_progress", True)
    assert lifecycle.sync().changed == ("app/new.py",)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_cancels_the_child(lifecycle: Lifecycle, number: signal.Signals) -> None:
    """Rule: SIGTERM and SIGINT end the child within five seconds, the operation cancelled."""
    process = _child(lifecycle, "create", Stage.LISTED, "time.sleep(1.0)")
    _wait_for_stage(lifecycle, Phase.LISTING)
    process.send_signal(number)
    assert process.wait(5) == 2
    operation = read_operation(lifecycle.paths)
    assert operation is not None and operation.state is OperationState.CANCELLED


def test_nothing_is_left_when_the_parent_is_killed(lifecycle: Lifecycle) -> None:
    """Rule: five seconds after the starter of an operation was killed, neither child nor workers run."""
    _many(lifecycle.root, 400)
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom satori.publication import operations\n"
        "operations.start(Path(sys.argv[1]), Path(sys.argv[2]), 'create')\ntime.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program, str(lifecycle.state.path), str(lifecycle.root)])
    deadline = time.monotonic() + 20
    while (operation := read_operation(lifecycle.paths)) is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert operation is not None
    family = _descendants(parent.pid)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and any(identity.alive for identity in family):
        time.sleep(0.1)
    assert not [identity for identity in family if identity.alive]


def test_a_second_owner_is_refused_while_the_first_lives(lifecycle: Lifecycle) -> None:
    """Rule: a mutation beside a running one is refused as busy and changes nothing of its record."""
    _child(lifecycle, "create", Stage.LISTED, "time.sleep(3)")
    identifier = _wait_for_stage(lifecycle, Phase.LISTING)
    with pytest.raises(BusyError, match=identifier):
        lifecycle.sync()
    operation = read_operation(lifecycle.paths)
    assert operation is not None and operation.id == identifier and operation.running
    operations.cancel(lifecycle.paths, identifier)


def test_an_interrupted_operation_is_not_shown_as_running(lifecycle: Lifecycle) -> None:
    """Rule: after its process was killed, a record's progress is never shown as if it still ran."""
    process = _child(lifecycle, "create", Stage.LISTED, "time.sleep(600)")
    _wait_for_stage(lifecycle, Phase.LISTING)
    process.kill()
    process.wait()
    status = lifecycle.status()
    assert status.running is None
    assert (status.state, status.reason) == (CodebaseState.FAILED, "interrupted")
    assert lifecycle.sync().published


def test_cancelling_in_this_process(lifecycle: Lifecycle) -> None:
    """Rule: an operation in the calling process stops at its next check when somebody asks by its id."""
    held: list[Progress] = []

    def ask(stage: Stage) -> None:
        if stage is Stage.ROWS_HALF_WRITTEN:
            (lifecycle.paths.directory / f"cancel-{held[0].operation.id}").touch()
            time.sleep(0.3)

    observe(ask)
    try:
        with pytest.raises(Exception, match="was cancelled"):
            lifecycle.sync(begun=held.append)
    finally:
        forget(ask)
    assert lifecycle.status().state is CodebaseState.NOT_INDEXED
    assert lifecycle.sync().published


def test_a_recycled_pid_is_another_process() -> None:
    """Rule: the same pid with another start time is not the same process."""
    assert ProcessIdentity(os.getpid(), start_time(os.getpid()) or "").alive
    assert not ProcessIdentity(os.getpid(), "someone:else").alive


def _child(lifecycle: Lifecycle, action: str, stage: Stage, then: str) -> subprocess.Popen[bytes]:
    """The child module with something happening at a stage of its."""
    program = _SLOW_CHILD.format(stage=stage.name, action=then)
    arguments = ["--state-root", str(lifecycle.state.path), "--root", str(lifecycle.root), "--action", action]
    arguments += ["--operation", f"op-test-{stage.value}"]
    return subprocess.Popen([sys.executable, "-c", program, *arguments], stdin=subprocess.PIPE)


def _wait_for_stage(lifecycle: Lifecycle, phase: Phase) -> str:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        operation = read_operation(lifecycle.paths)
        if operation is not None and operation.running and operation.action != "" and operation.phase is phase:
            time.sleep(0.3)
            return operation.id
        time.sleep(0.02)
    raise AssertionError(f"never reached {phase}: {read_operation(lifecycle.paths)}")


def _descendants(pid: int) -> list[ProcessIdentity]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        for child in parents.get(todo.pop(), []):
            found.append(ProcessIdentity(child, start_time(child) or ""))
            todo.append(child)
    return found
