"""Trees, lifecycles and the two processes that tests share (worker pool and vector store)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from satori.publication.lifecycle import Lifecycle
from satori.publication.vectorstore import VectorStore

FILES = {
    "app/store.py": (
        '"""Keeps things."""\n\n\nclass Store:\n    """A store of values."""\n\n    def put(self, key, value):\n'
        '        """Keep a value."""\n        self.values[key] = value\n\n    def get(self, key):\n'
        "        return self.values.get(key)\n"
    ),
    "app/retry.py": "def retry_later(task, delay):\n    return task.schedule(delay)\n\n\nLIMIT = 3\n",
    "web/client.js": "export function fetchUser(id) {\n  return fetch(`/users/${id}`);\n}\n",
    "web/types.ts": "export interface User {\n  id: number;\n  name: string;\n}\n",
    "cmd/main.go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("hello")\n}\n',
    "README.md": "# Sample\n\nA store of values with retries.\n\n## Usage\n\nCall `put`.\n",
    "settings.toml": "[server]\nport = 8080\n",
}


def write(root: Path, path: str, text: str | bytes, *, old: bool = True) -> Path:
    """Write a file; `old` sets its times an hour back, so that its stamp proves its content."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text if isinstance(text, bytes) else text.encode())
    if old:
        age(target)
    return target


_ages = iter(range(10**9))


def age(path: Path) -> None:
    """Give `path` a time of its own in the past."""
    moment = time.time_ns() - 3_600_000_000_000 + next(_ages) * 1_000_000
    os.utime(path, ns=(moment, moment))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small tree in several languages."""
    base = tmp_path / "project"
    for path, text in FILES.items():
        write(base, path, text)
    return base


@pytest.fixture(scope="session")
def store() -> Iterator[VectorStore]:
    """One vector store process for all tests: its import is the dearest part of a small build."""
    shared = VectorStore()
    yield shared
    shared.close()


@pytest.fixture
def open_lifecycle(tmp_path: Path, store: VectorStore) -> Callable[..., Lifecycle]:
    """Lifecycles on this test's state root."""

    def make(root: Path, **options: object) -> Lifecycle:
        return Lifecycle(tmp_path / "state", root, store=store, **options)  # type: ignore[arg-type]

    return make


@pytest.fixture
def lifecycle(root: Path, open_lifecycle: Callable[..., Lifecycle]) -> Lifecycle:
    """The lifecycle of `root`, nothing published yet."""
    return open_lifecycle(root)
