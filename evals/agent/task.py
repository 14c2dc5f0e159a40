"""The tasks: a question about a tree, and the places in it that whoever answers must have seen.

A place is one line of one file, written as its exact text; where the text stands several times, any of them will do. A
place may name its caller: whoever answers must then also know in which function it stands, by having been told the
symbol or by having seen the line where that function begins. It reads the task file and the trees, and runs nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TASKS = Path(__file__).parent / "tasks.json"
Line = tuple[str, int]


class TreeError(ValueError):
    """A tree is not the one that the tasks were written for."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A repository at a commit; `name` is the directory it is laid out in."""

    name: str
    repository: str
    commit: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """The lines any of which shows the place; the caller's name and the lines where it begins, if one is asked for."""

    lines: frozenset[Line]
    caller: str = ""
    begins: frozenset[Line] = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """A file, relative to the tree, the exact text of a line in it, and (name, exact first line) of its caller."""

    file: str
    text: str
    caller: tuple[str, str] | None = None

    def wanted(self, root: Path) -> Wanted:
        """Where it stands, lines counted from 1. Raises TreeError when it stands nowhere."""
        lines = self._lines(root, self.text)
        if self.caller is None:
            return Wanted(lines)
        return Wanted(lines, self.caller[0], self._lines(root, self.caller[1]))

    def _lines(self, root: Path, wanted: str) -> frozenset[Line]:
        path = root / self.file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        found = frozenset((self.file, at) for at, line in enumerate(text.split("\n"), 1) if line == wanted)
        if not found:
            raise TreeError(f"{path} has no line {wanted!r}: lay out the commit that tasks.json names.")
        return found


@dataclass(frozen=True, slots=True)
class Task:
    """`kind` is owner, trace, breaks or nothing; `symbol` is (file, label) where the question names one."""

    id: str
    kind: str
    tree: str
    question: str
    places: tuple[Place, ...]
    symbol: tuple[str, str] | None = None

    def wanted(self, root: Path) -> tuple[Wanted, ...]:
        """What must have been seen, place by place."""
        return tuple(place.wanted(root) for place in self.places)


def load_tasks(file: Path = TASKS) -> tuple[dict[str, Tree], tuple[Task, ...]]:
    """The trees by name, and the tasks in their order."""
    document = json.loads(file.read_text(encoding="utf-8"))
    trees = {name: Tree(name, one["repository"], one["commit"]) for name, one in document["trees"].items()}
    tasks = tuple(
        Task(
            id=one["id"],
            kind=one["kind"],
            tree=one["tree"],
            question=one["question"],
            places=tuple(_place(place) for place in one["places"]),
            symbol=(one["symbol"]["file"], one["symbol"]["label"]) if "symbol" in one else None,
        )
        for one in document["tasks"]
    )
    return trees, tasks


def _place(one: dict[str, Any]) -> Place:
    caller = one.get("caller")
    return Place(one["file"], one["text"], (caller["name"], caller["text"]) if caller else None)
