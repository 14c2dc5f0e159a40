"""What a name or an expression can stand for, as far as rules can prove it.

Meanings are values: equal meanings compare equal, so several bindings that agree can be told from those that do not.
"""

from __future__ import annotations

from dataclasses import dataclass

from satori.relationships.unit import Ref


@dataclass(frozen=True, slots=True)
class Found:
    """A definition in the repository: exactly this function, type or value."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Instance:
    """A value of the type `ref`; `exact` when it was made right here and can be of no type that descends from it."""

    ref: Ref
    exact: bool


@dataclass(frozen=True, slots=True)
class Subtype:
    """The type `ref` or one that descends from it, as a value (Python's `cls`)."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Parent:
    """What stands after the type `ref` in the order of bases (`super()`)."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Module:
    """A file, or a directory that can be imported."""

    path: str


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the repository, under its full name as far as the source gives it."""

    name: str


@dataclass(frozen=True, slots=True)
class Overridden:
    """The static target of a virtual call, and the types in the repository that replace it."""

    target: Ref
    others: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not provable: why, and the definitions it may be."""

    why: str
    candidates: tuple[Ref, ...] = ()


Meaning = Found | Instance | Subtype | Parent | Module | External | Overridden | Unknown
