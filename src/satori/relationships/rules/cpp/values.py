"""What a C++ name or expression can stand for, beside the meanings that all languages share."""

from __future__ import annotations

from dataclasses import dataclass

from satori.relationships.meaning import External, Found, Instance, Unknown
from satori.relationships.unit import Ref


@dataclass(frozen=True, slots=True)
class Space:
    """A namespace of the repository, by its full name without inline parts."""

    name: str


@dataclass(frozen=True, slots=True)
class Functions:
    """All functions that a name may mean: members of the type `holder`, or of a namespace (None)."""

    refs: tuple[Ref, ...]
    holder: Ref | None


@dataclass(frozen=True, slots=True)
class Pointer:
    """What leads to a value through `->`; `smart` when `.` leads to something else."""

    to: Value
    smart: bool


Value = Found | Instance | Pointer | Space | Functions | External | Unknown
CIRCULAR: Value = Unknown("the name is defined by itself")
OPEN: Value = Unknown("depends on a parameter of a template")
