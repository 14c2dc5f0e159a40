"""Meanings that only Java's and Kotlin's rules know, beside those of `satori.relationships.meaning`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from satori.relationships.meaning import External, Meaning, Unknown
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
