"""Overloads of C++: which declarations and definitions are one function, and which of several a call may mean.

A declaration and a definition are one function when their parameters' types agree by their last names, or when each is
the only one of its arity; what one file declares or defines twice so are two (`const`, `&` and `&&` may tell them
apart, or the preprocessor). What `template <>` specializes is none of its own. The target of a call is the one
definition; when there are several (alternatives of platforms) or none, the declaration, unless that is one of several
alternatives in its file. Types of arguments decide nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from satori.relationships.repository import Repository
from satori.relationships.unit import DECLARATION_ONLY, Ref, Unit


class Overload(NamedTuple):
    """One function: from `least` to `most` arguments (-1: any number), where it is declared and where defined."""

    least: int
    most: int
    types: tuple[str, ...]
    declared: tuple[Ref, ...]
    defined: tuple[Ref, ...]

    @property
    def target(self) -> Ref | None:
        """The symbol that stands for it; None when several definitions do."""
        if len(self.defined) == 1:
            return self.defined[0]
        if {ref.path for ref in self.declared} & {ref.path for ref in self.defined}:
            return None
        return self.declared[0] if self.declared else None

    @property
    def refs(self) -> tuple[Ref, ...]:
        """Every place."""
        return (*self.declared, *self.defined)

    def takes(self, arity: int) -> bool:
        """Whether it can be called with that many arguments (-1: not known)."""
        return arity < 0 or (self.least <= arity and (self.most < 0 or arity <= self.most))


def overloads(repository: Repository, refs: tuple[Ref, ...]) -> list[Overload]:
    """The functions that these declarations and definitions are."""
    groups: dict[tuple[str, ...], list[Overload]] = {}
    for ref in refs:
        unit = repository.unit(ref.path)
        if unit is not None and "specialized" not in unit.marks_of.get(ref.at, ()):
            item = _single(unit, ref)
            groups.setdefault(item.types, []).append(item)
    found: list[Overload] = []
    for items in groups.values():
        files = Counter((item.refs[0].path, bool(item.defined)) for item in items)
        if max(files.values()) > 1:
            found += items
            continue
        one = items[0]
        for item in items[1:]:
            one = _merged(one, item)
        found.append(one)
    return _paired(found)


def _single(unit: Unit, ref: Ref) -> Overload:
    only = unit.outlines[ref.at].flags & DECLARATION_ONLY
    declared, defined = ((ref,), ()) if only else ((), (ref,))
    signature = unit.signature_of.get(ref.at)
    if signature is None:
        # C, or a header that was not read: any number, and one function whatever the types.
        return Overload(0, -1, ("?",), declared, defined)
    types = tuple(_last(text.partition(":")[2]) for text in signature.parameters.split(",")) if signature.most else ()
    return Overload(signature.least, signature.most, types, declared, defined)


def _last(chain: str) -> str:
    return chain.rpartition("::")[2]


def _merged(one: Overload, other: Overload) -> Overload:
    return Overload(
        min(one.least, other.least),
        one.most,
        one.types,
        (*one.declared, *other.declared),
        (*one.defined, *other.defined),
    )


def _paired(items: list[Overload]) -> list[Overload]:
    """Declarations without a definition and definitions without a declaration, when there is one each of an arity."""
    found = list(items)
    for item in items:
        if item.defined or not item.declared:
            continue
        alike = [other for other in found if not other.defined and other.most == item.most and other.declared]
        bodies = [other for other in found if not other.declared and other.most == item.most]
        if len(alike) == 1 and len(bodies) == 1:
            found.remove(item)
            found.remove(bodies[0])
            found.append(_merged(item, bodies[0]))
    return found
