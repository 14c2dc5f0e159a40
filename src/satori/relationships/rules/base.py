"""What a language's rules must answer, and the shapes they answer in.

Rules are pure: equal units and equal answers of the repository give equal outcomes. They look at other files only
through `Repository`, decide nothing by an offset in another file, and prove or abstain; a guess is a defect.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from satori.model.relationship import ClaimStatus, RelationKind
from satori.relationships.repository import Repository
from satori.relationships.unit import TEST, Body, Ref, Unit


class Outcome(NamedTuple):
    """How one call site ends. `targets` are the target (and, for a construction, the constructor that runs) or the
    candidates; `total` is the number of candidates; `note` is the proof, the external name, or why not."""

    status: ClaimStatus
    rule: str
    targets: tuple[Ref, ...]
    total: int
    note: str


class Link(NamedTuple):
    """An import or export: the bytes `start:end` of the file lead to `target`."""

    kind: RelationKind
    target: Ref
    start: int
    end: int
    line: int
    rule: str
    note: str


class Rules(ABC):
    """One language's rules over one repository; made anew for each resolution, so they may remember conclusions."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    @abstractmethod
    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """The types in the repository that the type `at` of `unit` directly descends from, in its own order."""

    @abstractmethod
    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site of the body, in their order."""

    @abstractmethod
    def links(self, unit: Unit) -> Sequence[Link]:
        """What the file imports and exports, as far as it lies in the repository, in source order."""

    def is_test_file(self, unit: Unit) -> bool:
        """Whether the whole file is a test by its language's convention."""
        return False

    def is_test(self, unit: Unit, at: int) -> bool:
        """Whether the definition is, or stands in, a test."""
        while at >= 0:
            if unit.outlines[at].flags & TEST:
                return True
            at = unit.outlines[at].parent
        return False


def resolved(rule: str, note: str, *targets: Ref) -> Outcome:
    """A proved target."""
    return Outcome(ClaimStatus.RESOLVED, rule, targets, len(targets), note)


def external(name: str) -> Outcome:
    """A call that leaves the repository."""
    return Outcome(ClaimStatus.EXTERNAL, "", (), 0, name)


def ambiguous(why: str, candidates: Sequence[Ref]) -> Outcome:
    """Several targets, or one that something may replace."""
    return Outcome(ClaimStatus.AMBIGUOUS, "", tuple(candidates), len(candidates), why)


def unresolved(why: str) -> Outcome:
    """No target could be named."""
    return Outcome(ClaimStatus.UNRESOLVED, "", (), 0, why)
