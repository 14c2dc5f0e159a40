"""Fields and methods of Go's types, found as selectors are: breadth first through embedded fields.

What an embedded type from outside offers is not known, so a deeper member of that name proves nothing. A type that
several files define (build constraints) has no members that prove anything.
"""

from __future__ import annotations

import posixpath
from abc import ABC, abstractmethod

from satori.model.definition import SymbolKind
from satori.model.reference import Base
from satori.relationships.meaning import External, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.go.shapes import Meaning, Method, Named, Opaque, Outside, Type, Value
from satori.relationships.unit import KINDS, Ref, Unit

_STRUCT = KINDS.index(SymbolKind.STRUCT)
_CIRCULAR = Unknown("the type is made of itself")
_MAX_DEPTH = 8


class Types(ABC):
    """Types of one repository; how a type's text gets its meaning is the heir's."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    @abstractmethod
    def declared(self, unit: Unit, owner: int, text: str) -> Type:
        """The type that is written `text` outside of all bodies, in the scope `owner`."""

    def select(self, held: Type, name: str, *, tests: str | None) -> Meaning:
        """What `.name` of a value of the type means; `tests` is the directory whose test files count."""
        if isinstance(held, Outside):
            return External(f"{held.name}.{name}")
        if isinstance(held, Opaque):
            return Unknown(held.why, held.candidates)
        if not isinstance(held, Named):
            return Unknown("the type has no methods")
        ref = held.ref

        def compute() -> Meaning:
            return self._search(ref, name, tests=tests)

        return self.repository.once(("go-select", ref, name, tests), compute, _CIRCULAR)

    def _search(self, ref: Ref, name: str, *, tests: str | None) -> Meaning:
        level: list[Type] = [Named(ref)]
        seen: set[Type] = set(level)
        outside: External | Unknown | None = None
        for depth in range(_MAX_DEPTH):
            found: list[Meaning] = []
            following: list[Type] = []
            beyond: External | Unknown | None = None
            for held in level:
                if isinstance(held, Named):
                    member = self._own(held.ref, name, promoted=depth > 0, tests=tests)
                    if member is not None:
                        found.append(member)
                    following += [item for item in self.embedded(held.ref) if item not in seen]
                    seen.update(following)
                elif isinstance(held, Outside):
                    beyond = beyond or External(f"{held.name}.{name}")
                else:
                    beyond = beyond or Unknown("a type that is not known is embedded")
            if found:
                if len(found) > 1:
                    refs = tuple(sorted({item.ref for item in found if isinstance(item, Method)}))
                    return Unknown("offered by several embedded types", refs)
                (one,) = found
                if outside is not None and isinstance(one, Method):
                    return Unknown("an embedded type that is not in the repository comes first", (one.ref,))
                return one if outside is None else Unknown("an embedded type from outside comes first")
            outside = outside or beyond
            level = following
            if not level:
                break
        return outside or Unknown(f"no member {name}")

    def _own(self, ref: Ref, name: str, *, promoted: bool, tests: str | None) -> Meaning | None:
        """The member of that name at this depth: a field, a method of the type, or one that an interface asks for."""
        unit = self.repository.unit(ref.path)
        if unit is None:
            return None
        outline = unit.outlines[ref.at]
        inside = self._inside(unit, ref.at)
        if inside is not None:
            held, at = inside
            for index in held.members.get((at, name), ()):
                if held.outlines[index].is_function:
                    return Method(Ref(held.path, index), promoted, True)
                fields = held.bound.get((at, name), ())
                if not fields:
                    return Value(Opaque("a field of a type without methods"), "typed")
                return Value(self.declared(held, held.outlines[at].parent, fields[0].type), "typed")
            if held.outlines[at].kind_number == _STRUCT:
                for base in held.bases_of.get(at, ()):
                    if base.how == "embeds" and base.text.rpartition(".")[2] == name:
                        return Value(self.declared(held, held.outlines[at].parent, base.text), "typed")
        if outline.parent >= 0:
            return None
        methods = self.methods(unit, outline.name, name, tests=tests)
        if not methods:
            return None
        if len(methods) > 1:
            return Unknown(f"defined {len(methods)} times", methods)
        return Method(methods[0], promoted, False)

    def placed(self, directory: str, name: str) -> tuple[Ref, ...]:
        """The outermost definitions of that name in the Go files of a directory."""

        def compute() -> dict[str, tuple[Ref, ...]]:
            found: dict[str, list[Ref]] = {}
            for ref in self.repository.named(name):
                if ref.path.endswith(".go"):
                    found.setdefault(posixpath.dirname(ref.path), []).append(ref)
            return {place: tuple(refs) for place, refs in found.items()}

        # By directory, once: a name that thousands of packages have is not looked through for each of them.
        return self.repository.once(("go-placed", name), compute).get(directory, ())

    def methods(self, unit: Unit, type_name: str, name: str, *, tests: str | None) -> tuple[Ref, ...]:
        """The methods of that name of a type of the unit's package."""
        directory = posixpath.dirname(unit.path)
        found = []
        for ref in self.placed(directory, name):
            if ref.path.endswith("_test.go") and directory != tests:
                continue
            other = self.repository.unit(ref.path)
            if other is None or other.package != unit.package:
                continue
            if other.outlines[ref.at].receiver == type_name:
                found.append(ref)
        return tuple(found)

    def count_methods(self, name: str) -> int:
        """How many types of the repository have a method of that name."""

        def compute() -> int:
            count = 0
            for ref in self.repository.named(name):
                unit = self.repository.unit(ref.path)
                if unit is not None and unit.language == "go" and unit.outlines[ref.at].receiver:
                    count += 1
            return count

        return self.repository.once(("go-methods", name), compute, 1)

    def implementers(self, asked: Ref) -> tuple[Ref, ...]:
        """The methods that may run for the one that an interface asks for: of types that have all it asks for, by name,
        or that embed what may have the rest."""

        def compute() -> tuple[Ref, ...]:
            unit = self.repository.unit(asked.path)
            if unit is None:
                return ()
            name = unit.outlines[asked.at].name
            wanted = sorted(self._asked_by(Ref(asked.path, unit.outlines[asked.at].parent)) - {name})
            found = []
            for ref in self.repository.named(name):
                other = self.repository.unit(ref.path)
                type_name = other.outlines[ref.at].receiver if other is not None and other.language == "go" else ""
                if other is None or not type_name:
                    continue
                home = posixpath.dirname(ref.path)
                if all(self.methods(other, type_name, each, tests=home) for each in wanted) or self._embeds(
                    other, home, type_name
                ):
                    found.append(ref)
            return tuple(found)

        return self.repository.once(("go-implementers", asked), compute, ())

    def _asked_by(self, ref: Ref) -> frozenset[str]:
        """The names that an interface asks for, those of embedded interfaces of the repository included."""

        def compute() -> frozenset[str]:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return frozenset()
            names = {outline.name for outline in unit.outlines if outline.parent == ref.at and outline.is_function}
            for held in self.embedded(ref):
                if isinstance(held, Named):
                    names |= self._asked_by(held.ref)
            return frozenset(names)

        return self.repository.once(("go-asked-by", ref), compute, frozenset())

    def _embeds(self, unit: Unit, directory: str, type_name: str) -> bool:
        """Whether a type of the unit's package embeds another, which may give it more methods."""
        for ref in self.placed(directory, type_name):
            other = self.repository.unit(ref.path)
            bases = other.bases_of.get(ref.at, ()) if other is not None and other.package == unit.package else ()
            if any(base.how == "embeds" for base in bases):
                return True
        return False

    def _inside(self, unit: Unit, at: int) -> tuple[Unit, int] | None:
        """The struct or interface that holds the members of a type: its own, or that of what it is defined as."""

        def compute() -> tuple[str, int] | None:
            bases = [base for base in unit.bases_of.get(at, ()) if base.how == "is"]
            if not bases:
                return unit.path, at
            held = self.declared(unit, unit.outlines[at].parent, bases[0].text)
            if not isinstance(held, Named):
                return None
            other = self.repository.unit(held.ref.path)
            inner = self._inside(other, held.ref.at) if other is not None else None
            return (inner[0].path, inner[1]) if inner is not None else None

        found = self.repository.once(("go-inside", unit.path, at), compute)
        other = self.repository.unit(found[0]) if found is not None else None
        return (other, found[1]) if other is not None and found is not None else None

    def embedded(self, ref: Ref) -> tuple[Type, ...]:
        """The types that a type embeds, in order."""

        def compute() -> tuple[Type, ...]:
            unit = self.repository.unit(ref.path)
            inside = self._inside(unit, ref.at) if unit is not None else None
            if inside is None:
                return ()
            held, at = inside
            bases: list[Base] = held.bases_of.get(at, [])
            parent = held.outlines[at].parent
            return tuple(self.declared(held, parent, base.text) for base in bases if base.how == "embeds")

        return self.repository.once(("go-embedded", ref), compute, ())
