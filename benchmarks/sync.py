"""How long a change takes to become an answer, and how large the state is: on a copy of a real tree, in a warm process.

    python benchmarks/sync.py TREE [--edits 60] [--output FILE]

Measured: the first build; a sync without changes; a sync after every file was touched; for each of a number of one-file
edits the time from the write to a ranked answer that contains the new function (sync, pin, engine, query), then the
same through the search tool of a warm server, which publishes the change before it answers (answers without the new
function, because that took longer than the tool waits, are counted apart); the state as a multiple of the indexed
source, before and after these syncs. Wall time depends on what else the machine does, so processor time of this process
stands beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from satori.embedding.registry import load_embedder
from satori.publication.lifecycle import PATIENCE_SECONDS, Lifecycle
from satori.publication.pool import shared_pool
from satori.publication.snapshot import Snapshot
from satori.publication.status import disk_bytes
from satori.search.engine import SearchEngine
from satori.search.request import SearchRequest
from satori.server.sessions import Session
from satori.server.tools import ToolContext, call_tool
from satori.server.workbench import Workbench
from satori.source.root import resolve_root

_QUIET = 8


def main() -> int:
    """Measure one tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--edits", type=int, default=60)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="satori-sync-") as home:
        root = Path(home) / arguments.tree.name
        shutil.copytree(arguments.tree, root, symlinks=True)
        report = measure(resolve_root(root), Path(home) / "state", arguments.edits)
    text = json.dumps({"tree": arguments.tree.name, **report}, indent=2)
    print(text)
    if arguments.output:
        arguments.output.write_text(text + "\n", encoding="utf-8")
    return 0


def measure(root: Path, state: Path, edits: int) -> dict[str, object]:
    """All figures for one tree; times in milliseconds unless the name says otherwise."""
    lifecycle = Lifecycle(state, root)
    began = time.perf_counter()
    first = lifecycle.sync()
    build_seconds = time.perf_counter() - began
    counts = first.info.counts
    clean = disk_bytes(lifecycle.paths.directory)
    caches = disk_bytes(lifecycle.state.cache)
    unchanged = [_timed(lifecycle.sync) for _ in range(_QUIET)]
    with lifecycle.pin() as snapshot:
        for row in snapshot.files():
            if not row.path.endswith("/"):
                os.utime(root / row.path)
    touched, _ = _timed(lifecycle.sync)
    again = lifecycle.sync()
    published = again.published or again.info.id != first.info.id
    edited = _edits(lifecycle, root, edits)
    grown = disk_bytes(lifecycle.paths.directory)
    asked, late = _asked(lifecycle, root, edits)
    return {
        "files": counts.files,
        "indexed": counts.indexed,
        "symbols": counts.symbols,
        "chunks": counts.chunks,
        "source megabytes": round(counts.bytes / 1e6, 1),
        "first build seconds (warm process)": round(build_seconds, 2),
        "sync without changes": _spread(unchanged),
        "sync after touching every file": round(touched),
        "touching published something": published,
        "edit to answer": _spread(edited),
        "edit to answer, through the tool": _spread(asked) if asked else {},
        "answers before the change was published": late,
        "state, clean build, times source": round(clean / counts.bytes, 2),
        "caches, times source": round(caches / counts.bytes, 2),
        f"state after {edits} syncs, times clean": round(grown / clean, 2),
    }


def _editable(snapshot: Snapshot) -> list[str]:
    return [
        row.path
        for row in snapshot.files()
        if row.indexed and row.symbols > 3 and row.path.endswith((".py", ".ts", ".go"))
    ]


def _edits(lifecycle: Lifecycle, root: Path, edits: int) -> list[tuple[float, float]]:
    snapshot = lifecycle.pin()
    paths = _editable(snapshot)
    found = []
    for number in range(edits):
        path = root / paths[number * 7919 % len(paths)]
        name = f"freshly_written_{number}"
        before = path.read_bytes()

        def edit(path: Path = path, before: bytes = before, name: str = name) -> bool:
            nonlocal snapshot
            path.write_bytes(before + f"\n\ndef {name}(first):\n    return first\n".encode())
            lifecycle.sync()
            fresh = lifecycle.pin()
            snapshot.close()
            snapshot = fresh
            engine = SearchEngine(fresh, load_embedder())
            answer = engine.answer(SearchRequest(query=name))
            groups = engine.render(answer, answer.candidates[:1])
            return bool(groups) and root / groups[0].file == path

        wall, processor = _timed(edit)
        found.append((wall, processor))
    snapshot.close()
    return found


def _asked(lifecycle: Lifecycle, root: Path, edits: int) -> tuple[list[tuple[float, float]], int]:
    """(times of answers that hold the edit, how many answers do not)."""
    workbench = Workbench(lifecycle.state.path, catches_up=True)
    context = ToolContext(Session(unrestricted=True), workbench)
    with lifecycle.pin() as snapshot:
        paths = _editable(snapshot)

    def ask(query: str) -> str:
        groups = call_tool("search_codebase", {"path": str(root), "query": query}, context).get("groups")
        return str(groups[0]["file"]) if groups else ""

    while not shared_pool().warm():
        time.sleep(0.05)
    for query in ("where is it", "how is it done", "who does it"):
        ask(query)
    found, late = [], 0
    for number in range(edits):
        path = root / paths[(number * 7919 + 1) % len(paths)]
        name = f"asked_for_{number}"
        path.write_bytes(path.read_bytes() + f"\n\ndef {name}(first):\n    return first\n".encode())
        answers: list[str] = []
        times = _timed(lambda answers=answers, name=name: answers.append(ask(name)))  # type: ignore[misc]
        if answers == [path.relative_to(root).as_posix()]:
            found.append(times)
        else:
            late += 1
            lifecycle.sync(wait_seconds=60)
            # After one that came late (a fold, a busy machine) questions do not wait for a while.
            time.sleep(PATIENCE_SECONDS)
    workbench.close()
    return found, late


def _timed(function: Callable[[], object]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    assert function() is not False, "the answer does not hold the edit"
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3


def _spread(times: list[tuple[float, float]]) -> dict[str, int]:
    wall = sorted(time for time, _ in times)
    return {
        "p50": round(statistics.median(wall)),
        "p95": round(wall[min(len(wall) - 1, int(len(wall) * 0.95))]),
        "p50 processor": round(statistics.median(time for _, time in times)),
    }


if __name__ == "__main__":
    sys.exit(main())
