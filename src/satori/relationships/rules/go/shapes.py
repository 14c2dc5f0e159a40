"""Go's types as values, and what an expression can mean. Pointers are seen through: a method set does not need them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from satori.relationships.meaning import External, Found, Unknown
from satori.relationships.unit import Ref

_SEPARATORS = frozenset("[]{}~^()|?")


@dataclass(frozen=True, slots=True)
class Named:
    """A type that the repository declares."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Outside:
    """A type from outside, or one that the language declares."""

    name: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A slice or an array."""

    item: Type


@dataclass(frozen=True, slots=True)
class Mapped:
    """A map."""

    key: Type
    item: Type


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel."""

    item: Type


@dataclass(frozen=True, slots=True)
class Function:
    """A function value."""

    results: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A type that is not known, and why."""

    why: str
    candidates: tuple[Ref, ...] = ()


Type = Named | Outside | Listed | Mapped | Channel | Function | Opaque


@dataclass(frozen=True, slots=True)
class Package:
    """A package of the repository: its directory and its name."""

    directory: str
    name: str


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a type; `how` is the word for where it comes from."""

    type: Type
    how: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method found on a value: of the type itself or promoted from an embedded one; perhaps asked for by an
    interface."""

    ref: Ref
    promoted: bool
    interface: bool


@dataclass(frozen=True, slots=True)
class Results:
    """What a call gives."""

    types: tuple[Type, ...]


Meaning = Found | External | Unknown | Package | Value | Method | Results


def parse(text: str, named: Callable[[str], Type]) -> Type:
    """The type that references write as `text`; `named` gives those that have a name."""
    return _parse(text, 0, named)[0]


def parse_results(text: str, named: Callable[[str], Type]) -> tuple[Type, ...]:
    """The types of results, joined by `|`."""
    found: list[Type] = []
    at = 0
    while at < len(text):
        item, at = _parse(text, at, named)
        found.append(item)
        at += 1
    return tuple(found)


def _parse(text: str, at: int, named: Callable[[str], Type]) -> tuple[Type, int]:
    first = text[at : at + 1]
    if first == "[":
        item, end = _parse(text, at + 2, named)
        return Listed(item), end
    if first == "~":
        item, end = _parse(text, at + 1, named)
        return Channel(item), end
    if first == "{":
        key, end = _parse(text, at + 1, named)
        item, end = _parse(text, end + 1, named)
        return Mapped(key, item), end
    if first == "^":
        results: list[Type] = []
        at += 1
        while text[at : at + 1] in ("(", "|"):
            item, at = _parse(text, at + 1, named)
            results.append(item)
            if text[at : at + 1] == ")":
                return Function(tuple(results)), at + 1
            if text[at : at + 1] != "|":
                break
        return Function(tuple(results)), at
    if first == "?" or not first:
        return Opaque("the type has no name"), at + 1
    end = at
    while end < len(text) and text[end] not in _SEPARATORS:
        end += 1
    return (named(text[at:end]), end) if end > at else (Opaque("the type has no name"), at + 1)
