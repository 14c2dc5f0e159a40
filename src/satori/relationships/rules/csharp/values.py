"""What a C# name or expression can stand for, beside the meanings that all languages share."""

from __future__ import annotations

from dataclasses import dataclass

from satori.relationships.meaning import External, Found, Instance, Unknown
from satori.relationships.unit import Ref


@dataclass(frozen=True, slots=True)
class Space:
    """A namespace, if it is one: the full names that are meant, nearest first, and the name as written."""

    names: tuple[str, ...]
    written: str


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods of a name on the type `ref`: asked of its members when it is called."""

    ref: Ref
    name: str


@dataclass(frozen=True, slots=True)
class Local:
    """A local function."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Items:
    """What holds values of one kind: an array (without a name), or a collection of the standard library."""

    item: Value
    name: str


@dataclass(frozen=True, slots=True)
class Awaited:
    """What gives a value when it is awaited."""

    value: Value


Value = Found | Instance | Space | Methods | Local | Items | Awaited | External | Unknown
CIRCULAR: Value = Unknown("the name is defined by itself")
OPEN: Value = Unknown("depends on a type parameter")
