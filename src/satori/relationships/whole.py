"""Resolving every file of a repository from nothing: what a full build does, and what an incremental one must equal."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from satori.relationships.memory import MemoryStore
from satori.relationships.repository import Repository
from satori.relationships.resolve import Bases, Resolution, Resolver
from satori.relationships.unit import Body, Ref, Unit


def resolve_all(
    paths: Collection[str], units: Mapping[str, Unit], bodies: Mapping[str, Body]
) -> tuple[dict[str, Bases], dict[str, Resolution]]:
    """Both stages of every unit, by path. `paths` are all indexed files, `bodies` has one for each unit."""
    store = MemoryStore(paths, units)
    first = Resolver(Repository(store))
    bases = {path: first.bases(unit) for path, unit in sorted(units.items())}
    store.set_bases((Ref(path, at), found) for path, stage in bases.items() for at, found in stage.rows)
    # Nothing that was concluded before the types' descendants were known may live on.
    resolver = Resolver(Repository(store))
    return bases, {path: resolver.resolve(unit, bodies[path]) for path, unit in sorted(units.items())}
