"""Rust's types as values, and what a path or an expression can mean. References are seen through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from satori.relationships.meaning import External, Found, Unknown
from satori.relationships.unit import Ref

_SEPARATORS = frozenset("<>,()[]=")


@dataclass(frozen=True, slots=True)
class Adt:
    """A struct, enum, union or trait that the repository declares, with its type arguments as far as given."""

    ref: Ref
    args: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class Outside:
    """A type from outside, with its type arguments; `[]` is a slice or array."""

    name: str
    args: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class Param:
    """A type parameter of a definition; `Self` of a trait."""

    ref: Ref
    name: str


@dataclass(frozen=True, slots=True)
class Dyn:
    """Some type that has a trait."""

    trait: Type


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple."""

    items: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A type that is not known, and why."""

    why: str


Type = Adt | Outside | Param | Dyn | Tuple | Opaque


@dataclass(frozen=True, slots=True)
class Mod:
    """A module: the whole file (-1), or a block of it."""

    path: str
    at: int


@dataclass(frozen=True, slots=True)
class Kind:
    """A type, where a path means one that is no plain definition (`Self`, a parameter, `<T as R>`)."""

    type: Type
    trait: Ref | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a type; `how` is the word for where it comes from."""

    type: Type
    how: str


@dataclass(frozen=True, slots=True)
class Member:
    """A function of an impl block or a trait, found on the type `on`. `virtual` when implementations may replace it,
    `default` when it is a trait's own."""

    ref: Ref
    on: Type
    virtual: bool = False
    default: bool = False


Meaning = Found | External | Unknown | Mod | Kind | Value | Member


def parse(text: str, named: Callable[[str, tuple[Type, ...]], Type]) -> Type:
    """The type that references write as `text`; `named` gives what a path with type arguments means."""
    return _parse(text, 0, named)[0]


def _parse(text: str, at: int, named: Callable[[str, tuple[Type, ...]], Type]) -> tuple[Type, int]:
    if text.startswith("dyn ", at):
        held, end = _parse(text, at + 4, named)
        return (held if isinstance(held, Outside) and held.name == "Iter" else Dyn(held)), end
    first = text[at : at + 1]
    if first == "[":
        held, end = _parse(text, at + 1, named)
        return Outside("[]", (held,)), end + 1
    if first == "(":
        items, end = _listed(text, at + 1, ")", named)
        return Tuple(items), end
    if first == "<":
        # `<T as R>::A`: what it is depends on an implementation.
        depth, end = 0, at
        while end < len(text):
            depth += (text[end] == "<") - (text[end] == ">")
            end += 1
            if not depth:
                break
        while end < len(text) and text[end] not in _SEPARATORS:
            end += 1
        return Opaque("an associated type"), end
    end = at
    while end < len(text) and text[end] not in _SEPARATORS:
        end += 1
    name = text[at:end]
    if not name or name == "?":
        return Opaque("the type has no name"), max(end, at + 1)
    args: tuple[Type, ...] = ()
    if text[end : end + 1] == "<":
        args, end = _listed(text, end + 1, ">", named)
    elif text[end : end + 1] == "=":
        # `Item=T` of a trait.
        return _parse(text, end + 1, named)
    return named(name, args), end


def _listed(
    text: str, at: int, close: str, named: Callable[[str, tuple[Type, ...]], Type]
) -> tuple[tuple[Type, ...], int]:
    items: list[Type] = []
    while at < len(text) and text[at] != close:
        held, at = _parse(text, at, named)
        items.append(held)
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != close:
            break
    return tuple(items), at + 1


def substituted(held: Type, given: Mapping[tuple[Ref, str], Type]) -> Type:
    """The type with its parameters replaced by what is given for them."""
    if not given:
        return held
    if isinstance(held, Param):
        return given.get((held.ref, held.name), held)
    if isinstance(held, Adt):
        return Adt(held.ref, tuple(substituted(item, given) for item in held.args))
    if isinstance(held, Outside):
        return Outside(held.name, tuple(substituted(item, given) for item in held.args))
    if isinstance(held, Dyn):
        return Dyn(substituted(held.trait, given))
    if isinstance(held, Tuple):
        return Tuple(tuple(substituted(item, given) for item in held.items))
    return held
