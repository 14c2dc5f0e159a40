"""Workers: a file that hangs or crashes its parser costs only itself; workers are kept, and end with their owner."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from satori.errors import BuildError
from satori.publication.lifecycle import Lifecycle
from satori.publication.pool import WorkerPool
from satori.publication.process import ProcessIdentity, start_time
from tests.publication.conftest import write

_HOSTILE = """
import ctypes, runpy, sys
import satori.facts.extract as extraction
real = extraction.extract_facts
def extract(language, data):
    if b"HANG" in data:
        while True:
            pass
    if b"CRASH" in data:
        ctypes.string_at(0)
    if b"RAISE" in data:
        raise RuntimeError("a fault of ours")
    if b"EXIT" in data:
        import os
        os._exit(3)
    return real(language, data)
extraction.extract_facts = extract
if {deadly}:
    import satori.publication.jobs as jobs
    plain = jobs.text_only_facts
    def deadly(language, problem):
        if problem:
            import os
            os._exit(4)
        return plain(language, problem)
    jobs.text_only_facts = deadly
sys.argv = ["worker"]
runpy.run_module("satori.publication.worker", run_name="__main__", alter_sys=False)
"""


@pytest.fixture
def hostile() -> Iterator[WorkerPool]:
    """A pool whose parser hangs, crashes or exits on marked files."""
    pool = WorkerPool(2, file_seconds=1.0, command=[sys.executable, "-c", _HOSTILE.format(deadly=False)])
    yield pool
    pool.close()


@pytest.mark.parametrize(
    ("mark", "problem"), [("HANG", "parse_timeout"), ("CRASH", "parser_crashed"), ("RAISE", "parser_crashed")]
)
def test_a_file_that_defeats_its_parser_is_served_as_text_and_named(
    open_lifecycle: Callable[..., Lifecycle], root: Path, hostile: WorkerPool, mark: str, problem: str
) -> None:
    """Rule: only that file loses its symbols; it is searchable text, and its row says why; all others are whole."""
    for number in range(60):
        write(root, f"many/m{number:02}.py", f"def f{number}():\n    return {number}\n")
    write(root, "many/m30b.py", f"# {mark}\ndef lost():\n    pass\n")
    lifecycle = open_lifecycle(root, pool=hostile)
    info = lifecycle.sync().info
    with lifecycle.pin() as snapshot:
        bad = snapshot.file("many/m30b.py")
        assert bad is not None
        assert (bad.problem, bad.symbols, bad.indexed) == (problem, 1, True)
        assert bad.chunks > 0 and mark.encode() in snapshot.content(bad.file_id)
        assert {row.path: row.problem for row in snapshot.files() if row.problem} == {bad.path: problem}
        assert len(snapshot.symbols_named("f31")) == 1 and snapshot.symbols_named("lost") == []
    assert info.counts.indexed == 68


def test_the_verdict_is_cached_until_the_extractor_changes(
    open_lifecycle: Callable[..., Lifecycle], root: Path, hostile: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule: the same bytes do not hang a second build; under another extractor version they are tried again."""
    write(root, "bad.py", "# HANG\ndef lost():\n    pass\n")
    first = open_lifecycle(root, pool=hostile)
    first.sync()
    write(root, "elsewhere/copy.py", "# HANG\ndef lost():\n    pass\n")
    began = time.monotonic()
    first.sync()
    assert time.monotonic() - began < 1.0
    monkeypatch.setattr("satori.facts.versions.EXTRACTOR_VERSION", 4_711)
    patched = open_lifecycle(root)
    patched.sync()
    with patched.pin() as snapshot:
        row = snapshot.file("bad.py")
        assert row is not None and row.problem == "" and snapshot.symbols_named("lost")


def test_a_file_that_kills_even_as_text_is_left_out_and_reported(
    open_lifecycle: Callable[..., Lifecycle], root: Path
) -> None:
    """Rule: two deaths for one file: it is recorded as unreadable, the build goes on and warns."""
    write(root, "bad.py", "# EXIT\n")
    pool = WorkerPool(1, file_seconds=2.0, command=[sys.executable, "-c", _HOSTILE.format(deadly=True)])
    try:
        lifecycle = open_lifecycle(root, pool=pool)
        info = lifecycle.sync().info
    finally:
        pool.close()
    assert info.unreadable == ("bad.py",)
    assert [code for code, _ in info.warnings] == ["partial_scan"]
    with lifecycle.pin() as snapshot:
        row = snapshot.file("bad.py")
        assert row is not None and row.skip is not None
        assert snapshot.symbols_named("retry_later")


def test_workers_that_cannot_start_fail_the_build_with_a_reason(
    open_lifecycle: Callable[..., Lifecycle], root: Path
) -> None:
    """Rule: a pool whose workers die at once ends in a refusal, not in a loop."""
    pool = WorkerPool(1, command=[sys.executable, "-c", "raise SystemExit(1)"])
    try:
        with pytest.raises(BuildError, match="die as soon as they start"):
            open_lifecycle(root, pool=pool).sync()
    finally:
        pool.close()


def test_a_small_run_keeps_one_worker_and_close_ends_it(open_lifecycle: Callable[..., Lifecycle], root: Path) -> None:
    """Rule: syncs of a few files reuse one process; after close nothing runs."""
    pool = WorkerPool(2)
    lifecycle = open_lifecycle(root, pool=pool)
    lifecycle.sync()
    pids = pool.pids()
    write(root, "app/new.py", "x = 1\n")
    lifecycle.sync()
    assert pool.pids() == pids and len(pids) == 1
    identity = ProcessIdentity(pids[0], start_time(pids[0]) or "")
    assert identity.alive and pids[0] != os.getpid()
    pool.close()
    assert not identity.alive
