"""Meanings that only Java's and Kotlin's rules know, beside those of `satori.relationships.meaning`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from satori.relationships.meaning import External, Found, Instance, Meaning, Parent, Unknown
from satori.relationships.repository import Repository
from satori.relationships.unit import Ref


@dataclass(frozen=True, slots=True)
class Bounded:
    """A value whose static type is the type `ref` or one that descends from it: a type variable was replaced."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Outside:
    """A value of a type outside the repository, or of a primitive type."""

    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """An array of such values, or the type of one."""

    item: Value


Value = Meaning | Bounded | Outside | Array


class Named(NamedTuple):
    """A meaning, and how its name got it: the word that rules are named with."""

    meaning: Value
    how: str


class Methods(NamedTuple):
    """The methods of a name that a type has, inherited ones included, and the first base that is not known; `skipped`
    is such a base of a class nearer to the call that has no method of the name in the repository."""

    refs: tuple[Ref, ...]
    outside: External | Unknown | None
    skipped: External | Unknown | None = None


Order = tuple[Ref | External | Unknown, ...]


def said_of(repository: Repository, value: object) -> str:
    """How a note names what a receiver is; "" for what no type of the repository stands behind."""
    if not isinstance(value, Found | Instance | Bounded | Parent):
        return ""
    unit = repository.unit(value.ref.path)
    name = unit.outlines[value.ref.at].name if unit is not None and value.ref.at >= 0 else ""
    if isinstance(value, Parent):
        return f"what {name} extends"
    return f"the type {name}" if isinstance(value, Found) else f"of type {name}"
