"""The scenes of the crash harness: a tree before and after, the state before, and what must be served afterwards."""

from __future__ import annotations

import mmap
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.equality import description
from satori.embedding.registry import load_embedder
from satori.errors import NotIndexedError
from satori.publication import sync as sync_module
from satori.publication.analysis import analyse_file
from satori.publication.background import Background
from satori.publication.jobs import FileJob, FileResult, WorkSettings
from satori.publication.lifecycle import Lifecycle
from satori.publication.pool import WorkerPool
from satori.publication.stages import Stage
from satori.publication.vectorstore import Answer, VectorStore
from satori.publication.worker import FileWorker
from satori.relationships.unit import Body, Unit, pack_unit
from satori.relationships.whole import resolve_all

_FILES = 24
_SAMPLES = (
    ("a.py", "python", b"import b\n\n\ndef f(x):\n    return f(x)\n"),
    ("a.ts", "typescript", b"export function f(x: number) { return f(x); }\n"),
    ("a.go", "go", b"package main\n\nfunc F() int {\n\treturn F()\n}\n"),
    ("a.md", "markdown", b"# A\n\nText.\n"),
)
_CLEAR = (Stage.CLEAR_UNLINKED, Stage.CLEAR_HALF_REMOVED, Stage.CLEARED)
_FULL_ONLY = (Stage.DATABASE_CREATED, Stage.DATABASE_FINISHED, Stage.VERIFIED)
_BASE = (Stage.SEGMENT_WRITTEN, Stage.VECTORS_WRITTEN)


class LocalPool(WorkerPool):
    """The workers' own code in this process, so that a forked process need not start any."""

    def run(
        self, jobs: Sequence[FileJob], settings: WorkSettings, check: Callable[[], None] = lambda: None
    ) -> Iterator[FileResult]:
        """As the pool does."""
        worker = FileWorker(settings, load_embedder())
        for job in jobs:
            check()
            yield worker.result(job)
        worker.close()


class WatchedStore(VectorStore):
    """The store, with a count of its open questions that survives whoever asked: one that holds no answer for a killed
    process can go on serving."""

    def __init__(self) -> None:
        super().__init__()
        # Shared with every process that is forked from this one.
        self._open = mmap.mmap(-1, 1)

    @property
    def owes(self) -> bool:
        """Whether it may still hold, or be making, an answer."""
        return self._open[0] != 0

    def _ask(self, request: tuple[Any, ...]) -> Answer:
        self._open[0] += 1
        return super()._ask(request)

    def _wait(self, answer: Answer, check: Callable[[], None] | None) -> Any:
        value = super()._wait(answer, check)
        self._open[0] -= 1
        return value


@dataclass(frozen=True, slots=True)
class Scene:
    """One action with the trees and the state that it starts from."""

    name: str
    action: str
    stages: tuple[Stage, ...]
    fresh_state: bool = False
    small_delta: bool = False


SCENES = (
    Scene("create", "sync", tuple(s for s in Stage if s not in _CLEAR), fresh_state=True),
    Scene("sync", "sync", tuple(s for s in Stage if s not in (*_CLEAR, *_FULL_ONLY, *_BASE))),
    Scene("sync with a new base", "sync", tuple(s for s in Stage if s not in (*_CLEAR, *_FULL_ONLY)), small_delta=True),
    Scene("reindex", "reindex", tuple(s for s in Stage if s not in _CLEAR)),
    Scene("clear", "clear", (Stage.LEASED, *_CLEAR)),
)


class Theatre:
    """Where the scenes are played: one root and one state root, restored before each round."""

    def __init__(self, home: Path) -> None:
        self.home = home
        # One vector store for all rounds: forked processes inherit its pipes, and half a second of imports is spared.
        self.store = WatchedStore()
        self.store.start()
        warm()
        self.root = home / "tree"
        self.state = home / "state"
        self._kept = home / "kept"

    def prepare(self) -> None:
        """Build the trees, the state before, and what the two trees' Publications say. Runs in a process of its own."""
        write_tree(self.root, changed=False)
        self.lifecycle().sync()
        shutil.copytree(self.state, self._kept)

    def restore(self, scene: Scene) -> None:
        """The tree and the state that `scene` starts from."""
        shutil.rmtree(self.state, ignore_errors=True)
        if not scene.fresh_state:
            shutil.copytree(self._kept, self.state, copy_function=shutil.copy)
        write_tree(self.root, changed=scene.action != "clear")

    def renew_store(self) -> None:
        """Begin with another vector store when the last one may hold an answer for somebody who was killed."""
        if self.store.owes:
            self.store.close()
            self.store = WatchedStore()
            self.store.start()

    def lifecycle(self) -> Lifecycle:
        """A lifecycle as a fresh process makes it."""
        return Lifecycle(self.state, self.root, pool=LocalPool(1), store=self.store)

    def act(self, scene: Scene) -> None:
        """What is interrupted."""
        sync_module.DELTA_FILES = 2 if scene.small_delta else 64
        lifecycle = self.lifecycle()
        if scene.action == "clear":
            lifecycle.clear()
        elif scene.action == "reindex":
            lifecycle.reindex()
        else:
            lifecycle.sync()

    def served(self) -> dict[str, Any] | None:
        """What is served now, or None; anything else that `pin` raises is a violation."""
        try:
            with self.lifecycle().pin() as snapshot:
                return description(snapshot)
        except NotIndexedError:
            return None

    def litter(self) -> list[str]:
        """What a following sync must have swept and did not."""
        paths = self.lifecycle().paths
        found = [f"generation {number}" for number in paths.generation_numbers()[:-1]]
        found += [entry.name for entry in paths.generations.iterdir() if entry.name.startswith(".")]
        found += [entry.name for entry in paths.directory.parent.iterdir() if entry.name.startswith(".")]
        current = paths.generation(paths.generation_numbers()[-1])
        found += [path.name for path in sorted(current.directory.glob("base-*"))[:-1]]
        return found


def warm() -> None:
    """Import what every forked process will need, once, and load the model: nothing of this touches any state."""
    embedder = load_embedder()
    Background(embedder)(np.zeros((1, embedder.dimension), np.int8))
    for path, language, text in _SAMPLES:
        analysis = analyse_file(path, language, "source", text, embedder=embedder)
        unit = pack_unit(analysis.symbols, analysis.facts)
        if unit is not None:
            known = Unit(path, language, unit.interface)
            resolve_all([path], {path: known}, {path: Body(unit.body)})


def write_tree(root: Path, *, changed: bool) -> None:
    """The sample tree, before or after the change: edits, one deletion, one rename, one addition."""
    shutil.rmtree(root, ignore_errors=True)
    for number in range(_FILES):
        path = root / f"lib/module_{number}.py"
        if changed and number == 3:
            continue
        if changed and number == 4:
            path = root / "moved/module_4.py"
        version = 1 if changed and number < 3 else 0
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_module(number, version), encoding="utf-8")
    (root / "README.md").write_text("# Values\n\nHow do I call put?\n", encoding="utf-8")
    (root / "client.ts").write_text("export function fetchUser(id: number) { return id; }\n", encoding="utf-8")
    if changed:
        (root / "added.go").write_text("package main\n\nfunc Added() int {\n\treturn 1\n}\n", encoding="utf-8")
    # Old enough that stamps prove contents, else every look would hash.
    past = time.time() - 3_600
    for path in root.rglob("*"):
        if path.is_file():
            os.utime(path, (past + (1 if changed else 0), past + (1 if changed else 0)))


def _module(number: int, version: int) -> str:
    return "\n\n".join(
        f'def combine_{number}_{i}(first, second):\n    """Combine {number} and {i}, version {version}."""\n'
        f"    return first + second * {i}\n"
        for i in range(6)
    )
