"""The naive baseline as typed parts, loaded from its one source: `examples/naive_rag.py`.

The algorithm is not repeated here. A wheel carries that very file beside this module; a checkout has it in
`examples/`. Nothing of it is used to answer anybody's question: only to measure against.
"""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Protocol, cast

from satori.errors import UsageError

_NAME = "naive_rag"


class Passage(Protocol):
    """Characters `start` to `end` (exclusive) of one file; `name` of a definition, else empty."""

    path: str
    start: int
    end: int
    name: str


class FailureQuestion(Protocol):
    """One of the four questions: its kind, its words and the passages that answer it."""

    kind: str
    text: str
    answers: tuple[Passage, ...]

    def answered_by(self, hit: Passage) -> bool:
        """Whether one hit holds one whole answer."""


class Rag(Protocol):
    """A directory's windows and vectors in memory."""

    documents: dict[str, str]
    windows: list[Passage]

    def text_of(self, passage: Passage) -> str:
        """Return the passage's own characters."""

    def search(self, question: str, k: int) -> list[tuple[float, Passage]]:
        """Return the `k` nearest windows with their cosines, best first."""


class BaselineModule(Protocol):
    """What this package uses of `naive_rag.py`."""

    def NaiveRag(self, root: Path) -> Rag:  # noqa: N802  (the module's class, seen as a function)
        """Read and embed every text file under `root`."""

    def definitions(self, documents: dict[str, str]) -> list[tuple[Passage, Passage]]:
        """Return first line and whole of what looks like a definition."""

    def windows_of(self, path: str, text: str) -> list[Passage]:
        """Cut a text into the baseline's windows."""

    def failure_questions(self, rag: Rag, k: int) -> list[FailureQuestion]:
        """Pick the four questions for a directory."""


@cache
def load_baseline() -> BaselineModule:
    """Return the baseline's module.

    Raises UsageError when neither the package nor a checkout around it has `naive_rag.py`.
    """
    here = Path(__file__).resolve().parent
    for place in (here / f"{_NAME}.py", here.parents[2] / "examples" / f"{_NAME}.py"):
        if place.is_file():
            spec = importlib.util.spec_from_file_location(_NAME, place)
            if spec is None or spec.loader is None:
                continue
            module = importlib.util.module_from_spec(spec)
            sys.modules[_NAME] = module
            spec.loader.exec_module(module)
            return cast(BaselineModule, module)
    raise UsageError(
        "The naive baseline (naive_rag.py) is not part of this installation.",
        next_step="Install satori-code from a wheel, or run from a checkout that has examples/naive_rag.py.",
    )
