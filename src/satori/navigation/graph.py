"""Walks over proved relationships: callers, callees, and one shortest path. Breadth first, in a fixed order, bounded.

Only edges that a rule proved are walked. What abstained is counted and listed beside them, never turned into an edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from satori.model.relationship import Claim, ClaimCounts, ClaimStatus, Relation, RelationKind
from satori.model.symbol import Symbol

MOST_WALKED = 5_000


class Relations(Protocol):
    """What a Publication tells of relationships; `Snapshot` does."""

    def relations_from(self, key: str, kinds: Sequence[RelationKind] = ...) -> list[Relation]:
        """Edges that begin at a symbol, by place."""
        ...

    def relations_to(self, key: str, kinds: Sequence[RelationKind] = ...) -> list[Relation]:
        """Edges that end at a symbol, by path and place."""
        ...

    def candidates_for(self, key: str) -> list[Relation]:
        """Ambiguous sites that name the symbol among their candidates."""
        ...

    def claims(self, file_id: int) -> list[Claim]:
        """Every call site of a file, in source order."""
        ...

    def claim_counts(self, file_id: int | None = None) -> ClaimCounts:
        """How call sites ended, in a file or everywhere."""
        ...

    def symbol_by_key(self, key: str) -> Symbol | None:
        """The symbol with this key."""
        ...


class Direction(StrEnum):
    """Which way to walk."""

    CALLERS = "callers"
    CALLEES = "callees"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Step:
    """One edge as it was met: `depth` 1 is direct, `direction` says which way the walk went."""

    relation: Relation
    depth: int
    direction: Direction


@dataclass(slots=True)
class Walk:
    """`steps` in breadth-first order, callers before callees at each depth; `cycles` are edges back to a symbol on the
    way there, as (source, target) keys. `cut` says that the walk was ended by its bound."""

    steps: list[Step] = field(default_factory=list)
    depths: dict[str, int] = field(default_factory=dict)
    cycles: list[tuple[str, str]] = field(default_factory=list)
    cut: bool = False


def walk_calls(relations: Relations, start: str, direction: Direction, depth: int) -> Walk:
    """Every call edge within `depth` of the symbol `start`, at most `MOST_WALKED`."""
    walk = Walk(depths={start: 0})
    for way in (Direction.CALLERS, Direction.CALLEES):
        if direction in (way, Direction.BOTH):
            _walk(relations, start, way, depth, walk)
    walk.steps.sort(key=lambda step: step.depth)
    return walk


def _walk(relations: Relations, start: str, way: Direction, depth: int, walk: Walk) -> None:
    seen = {start}
    parents: dict[str, str] = {}
    level = [start]
    edges: set[tuple[str, str, str, int]] = set()
    for distance in range(1, depth + 1):
        following: list[str] = []
        for key in level:
            found = relations.relations_to(key) if way is Direction.CALLERS else relations.relations_from(key)
            for relation in found:
                identity = (relation.source, relation.target, relation.path, relation.start)
                if identity in edges:
                    continue
                if len(walk.steps) >= MOST_WALKED:
                    walk.cut = True
                    return
                edges.add(identity)
                walk.steps.append(Step(relation, distance, way))
                other = relation.source if way is Direction.CALLERS else relation.target
                if other == key or _on_the_way(parents, key, other):
                    walk.cycles.append((relation.source, relation.target))
                elif other not in seen:
                    seen.add(other)
                    parents[other] = key
                    walk.depths.setdefault(other, distance)
                    following.append(other)
        level = following


def _on_the_way(parents: dict[str, str], key: str, other: str) -> bool:
    while key in parents:
        key = parents[key]
        if key == other:
            return True
    return False


@dataclass(frozen=True, slots=True)
class Trace:
    """`path` are the edges from source to target, None when none was found within the bounds that `cut_by` names."""

    path: tuple[Relation, ...] | None
    cut_by: str
    visited: int
    traversed: int


def trace(
    relations: Relations,
    source: str,
    target: str,
    kinds: Sequence[RelationKind],
    *,
    max_depth: int,
    max_nodes: int,
    max_edges: int,
) -> Trace:
    """One shortest path along proved edges, the first in the fixed order."""
    if source == target:
        return Trace((), "", 1, 0)
    reached: dict[str, Relation | None] = {source: None}
    level = [source]
    traversed = 0
    for _ in range(max_depth):
        following: list[str] = []
        for key in level:
            for relation in relations.relations_from(key, kinds):
                traversed += 1
                if traversed > max_edges:
                    return Trace(None, "maxTraversedEdges", len(reached), max_edges)
                if relation.target in reached:
                    continue
                if len(reached) >= max_nodes:
                    return Trace(None, "maxVisitedNodes", len(reached), traversed)
                reached[relation.target] = relation
                if relation.target == target:
                    return Trace(_back(reached, target), "", len(reached), traversed)
                following.append(relation.target)
        level = following
        if not level:
            return Trace(None, "", len(reached), traversed)
    return Trace(None, "maxDepth", len(reached), traversed)


def _back(reached: dict[str, Relation | None], target: str) -> tuple[Relation, ...]:
    path: list[Relation] = []
    step = reached[target]
    while step is not None:
        path.append(step)
        step = reached[step.source]
    return tuple(reversed(path))


@dataclass(frozen=True, slots=True)
class Impact:
    """A symbol that a change can reach: `path` are keys from the seed to it, caller by caller."""

    key: str
    distance: int
    path: tuple[str, ...]
    via: Relation


def impact(relations: Relations, seeds: Sequence[str], depth: int, limit: int) -> tuple[list[Impact], bool]:
    """Callers of the seeds, nearest first, each once with its causal path; and whether the bound ended the walk."""
    seen = set(seeds)
    level: list[tuple[str, tuple[str, ...]]] = [(seed, (seed,)) for seed in dict.fromkeys(seeds)]
    found: list[Impact] = []
    for distance in range(1, depth + 1):
        following: list[tuple[str, tuple[str, ...]]] = []
        for key, path in level:
            for relation in relations.relations_to(key):
                if relation.source in seen:
                    continue
                if len(found) >= limit:
                    return found, True
                seen.add(relation.source)
                way = (*path, relation.source)
                found.append(Impact(relation.source, distance, way, relation))
                following.append((relation.source, way))
        level = following
    return found, False


def abstained(claims: Sequence[Claim], owner: int) -> list[Claim]:
    """The call sites of one symbol that are no edges although they may call something of this repository."""
    return [
        claim
        for claim in claims
        if claim.owner == owner
        and claim.status in (ClaimStatus.AMBIGUOUS, ClaimStatus.UNRESOLVED, ClaimStatus.UNSUPPORTED)
    ]
