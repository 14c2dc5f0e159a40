"""What one way of working spent on one task, and whether it got there. The same judge for both ways."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from evals.agent.task import Line, Wanted


@dataclass(frozen=True, slots=True)
class Named:
    """A symbol that an answer named: its file, its own name, its first and last line."""

    file: str
    name: str
    first: int
    last: int


@dataclass(slots=True)
class Outcome:
    """`bytes` are those of the answers read; `steps` says what was called; `seen` are the source lines shown."""

    calls: int = 0
    bytes: int = 0
    solved: bool = False
    steps: list[str] = field(default_factory=list)
    seen: set[Line] = field(default_factory=set)
    named: set[Named] = field(default_factory=set)

    def add(self, step: str, size: int, lines: Iterable[Line], named: Iterable[Named] = ()) -> None:
        """One call and what it showed."""
        self.calls += 1
        self.bytes += size
        self.steps.append(f"{step} [{size:,}]")
        self.seen.update(lines)
        self.named.update(named)

    def missing(self, wanted: Iterable[Wanted]) -> list[Wanted]:
        """The places that were not shown, or whose caller is not known."""
        return [one for one in wanted if not (one.lines & self.seen and self._knows_caller(one))]

    def _knows_caller(self, wanted: Wanted) -> bool:
        if not wanted.caller or wanted.begins & self.seen:
            return True
        return any(
            named.name == wanted.caller and named.file == file and named.first <= line <= named.last
            for file, line in wanted.begins
            for named in self.named
        )
