"""A question, what answers it, and the JSON sets that hold such questions for one corpus.

A set that does not fit the tree it is run on is refused: every anchor must occur exactly once in its file. Nothing here
asks an engine anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from satori.errors import UsageError


class QuestionKind(StrEnum):
    """What a question tests."""

    SYMBOL = "symbol"
    BEHAVIOUR = "behaviour"
    REWORDED = "reworded"
    PROSE = "prose"
    STRADDLING = "straddling"
    UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class Target:
    """Lines (1-based, inclusive) that answer a question, and the symbol that owns them ("": any).

    `last_line` is where the owner ends, when a piece of it answers as well (0: only the whole of the lines does).
    """

    path: str
    start_line: int
    end_line: int
    symbol: str = ""
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `owner` is None only where nothing answers it; `alternatives` are as good or nearly so."""

    query: str
    kind: QuestionKind
    owner: Target | None = None
    alternatives: tuple[Target, ...] = ()

    @property
    def targets(self) -> tuple[Target, ...]:
        """Owner first, then the alternatives."""
        return (self.owner, *self.alternatives) if self.owner else ()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions over one corpus. `directory` is the part of the tree to index; `scope` is the search scope."""

    name: str
    questions: tuple[Question, ...]
    repository: str = ""
    revision: str = ""
    directory: str = ""
    scope: str = "runtime"


def load_set(file: Path, tree: Path) -> QuestionSet:
    """Read a set and find its anchors in `tree`.

    Raises UsageError when the file is no set, or the tree is not the one that it was written for.
    """
    try:
        raw = json.loads(file.read_text(encoding="utf-8"))
        fields = {key: str(raw.get(key, "")) for key in ("repository", "revision", "directory")}
        root = tree / fields["directory"]
        questions = tuple(_question(entry, root) for entry in raw["questions"])
        return QuestionSet(str(raw["name"]), questions, scope=str(raw.get("scope", "runtime")), **fields)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{file} is not a question set: {error}.", next_step="evals/README.md describes the format."
        ) from error


def _question(entry: Mapping[str, Any], root: Path) -> Question:
    kind = QuestionKind(entry["kind"])
    owner = _target(entry["owner"], root) if kind is not QuestionKind.UNANSWERABLE else None
    alternatives = tuple(_target(target, root) for target in entry.get("alternatives", ()))
    return Question(entry["query"], kind, owner, alternatives)


def _target(entry: Mapping[str, str], root: Path) -> Target:
    file = root / entry["path"]
    text = file.read_bytes().decode("utf-8", errors="replace") if file.is_file() else ""
    if text.count(entry["anchor"]) != 1:
        raise UsageError(
            f"{entry['path']} under {root} does not hold the text {entry['anchor']!r} exactly once.",
            next_step="Give the tree at the revision that the set names.",
        )
    line = text.count("\n", 0, text.index(entry["anchor"])) + 1
    last = _last_line(text.splitlines(), line) if entry["symbol"] else 0
    return Target(entry["path"], line, line, entry["symbol"], last)


def _last_line(lines: Sequence[str], first: int) -> int:
    """Return where the block that line `first` opens ends, by indentation; its closing lines belong to it."""
    depth = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    last = first
    for number, line in enumerate(lines[first:], first + 1):
        word = line.strip()
        if word and len(line) - len(line.lstrip()) <= depth and word[0] not in ")]}{":
            break
        last = number if word else last
    return last
