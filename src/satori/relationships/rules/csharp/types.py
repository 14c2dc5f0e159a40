"""Types of C#: bases, members, and which methods something may replace.

A method's slot is what overrides replace: a call means a slot, and the slot's nearest method is its target. A base
outside the repository may offer methods of its own; an interface outside offers nothing to a class. By the convention
that all of .NET follows, an interface's name begins with I and another capital.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import Binding
from satori.relationships.meaning import External, Found, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.csharp.spaces import Spaces, is_type
from satori.relationships.rules.csharp.values import CIRCULAR, Value
from satori.relationships.unit import DECLARATION_ONLY, KINDS, Ref, Unit

_INTERFACE, _STRUCT = KINDS.index(SymbolKind.INTERFACE), KINDS.index(SymbolKind.STRUCT)
_VALUES = {KINDS.index(kind) for kind in (SymbolKind.PROPERTY, SymbolKind.CONSTANT)}
_OUTSIDE_INTERFACE = re.compile(r"(?:.*\.)?I[A-Z]\w*(?:`\d+)?")
# What every object has: name, number of arguments.
_OBJECT = {"Equals": (1, 2), "ToString": (0,), "GetHashCode": (0,), "GetType": (0,), "ReferenceEquals": (2,)}
_Bases = tuple[Ref | External | Unknown, ...]


class Slot(NamedTuple):
    """A method that a call may mean: its nearest definition and the type that holds it, how many arguments it takes,
    the number of its type parameters and its parameters' types. `open` says that heirs may override it, `rooted` that
    what it overrides is in the repository."""

    ref: Ref
    holder: Ref
    least: int
    most: int
    types: tuple[str, ...]
    open: bool
    rooted: bool
    static: bool
    private: bool

    def takes(self, arity: int) -> bool:
        """Whether it can be called with so many arguments."""
        return self.least <= arity and (self.most < 0 or arity <= self.most)


class Slots(NamedTuple):
    """The methods of a name on a type, and the bases outside that may have more."""

    slots: tuple[Slot, ...]
    outside: tuple[External | Unknown, ...]


class Member(NamedTuple):
    """What is called so in a type: methods (of `holder` or its bases), nested types, or a field and what binds it."""

    holder: Ref
    methods: bool
    types: tuple[Ref, ...]
    fields: tuple[tuple[Ref, Binding], ...]


def better(slots: list[Slot], arity: int) -> list[Slot]:
    """Those that win whatever the arguments' types are: of methods that take the same types for so many arguments, one
    without `params` before one with, then the one with fewest parameters left out."""
    found: list[Slot] = []
    alike: dict[tuple[str, ...], list[Slot]] = {}
    for slot in slots:
        alike.setdefault(slot.types[: arity + 1], []).append(slot)
    for items in alike.values():
        plain = [slot for slot in items if slot.most >= 0] or items
        shortest = min(len(slot.types) for slot in plain)
        found += [slot for slot in plain if len(slot.types) == shortest]
    return found


class Types(ABC):
    """Types of one repository; how names get their meaning is the heir's."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.spaces = Spaces(repository)

    @abstractmethod
    def type_named(self, unit: Unit, owner: int, chain: str) -> Value:
        """The type that a chain names in the scope `owner`."""

    def first(self, ref: Ref) -> Ref:
        """The part that stands for the whole type."""
        return self.spaces.parts(ref)[0]

    def is_interface(self, ref: Ref) -> bool:
        """Whether the type is an interface."""
        unit = self.repository.unit(ref.path)
        return unit is not None and unit.outlines[ref.at].kind_number == _INTERFACE

    def is_sealed(self, ref: Ref) -> bool:
        """Whether nothing can descend from the type."""
        for part in self.spaces.parts(ref):
            unit = self.repository.unit(part.path)
            if unit is None:
                return False
            marks = unit.marks_of.get(part.at, ())
            if unit.outlines[part.at].kind_number == _STRUCT or "sealed" in marks or "static" in marks:
                return True
        return False

    def bases(self, ref: Ref) -> _Bases:
        """What all parts of a type name as their bases."""

        def compute() -> _Bases:
            found: dict[Ref | External | Unknown, None] = {}
            for part in self.spaces.parts(ref):
                unit = self.repository.unit(part.path)
                for base in unit.bases_of.get(part.at, ()) if unit is not None else ():
                    if unit is None:
                        continue
                    value = self.type_named(unit, unit.outlines[part.at].parent, base.text) if base.text else CIRCULAR
                    if isinstance(value, Found):
                        if self.first(value.ref) != ref:
                            found[self.first(value.ref)] = None
                    else:
                        found[value if isinstance(value, External) else Unknown("a base is not known")] = None
            return tuple(found)

        default: _Bases = (Unknown("the type descends from itself"),)
        return self.repository.once(("csharp-bases", ref), compute, default)

    def inherited(self, ref: Ref) -> tuple[list[Ref], list[External | Unknown]]:
        """(the bases that give members, those outside that may): for a class no interfaces."""
        interface = self.is_interface(ref)
        inside: list[Ref] = []
        outside: list[External | Unknown] = []
        for base in self.bases(ref):
            if isinstance(base, Ref):
                if interface or not self.is_interface(base):
                    inside.append(base)
            elif interface or isinstance(base, Unknown) or not _OUTSIDE_INTERFACE.fullmatch(base.name):
                outside.append(base)
        return inside, outside

    def slots(self, ref: Ref, name: str) -> Slots:
        """The methods called `name` on a type."""

        def compute() -> Slots:
            inside, outside = self.inherited(ref)
            below: list[Slot] = []
            for base in inside:
                got = self.slots(base, name)
                below += got.slots
                outside += got.outside
            found: list[Slot] = []
            for part in self.spaces.parts(ref):
                unit = self.repository.unit(part.path)
                for index in unit.members.get((part.at, name), ()) if unit is not None else ():
                    if unit is None or not unit.outlines[index].is_function:
                        continue
                    marks = unit.marks_of.get(index, ())
                    if "explicit" in marks:
                        continue
                    slot = self._slot(unit, Ref(part.path, index), marks, ref)
                    alike = [item for item in below if item.types == slot.types]
                    if "override" in marks:
                        slot = slot._replace(rooted=any(item.rooted for item in alike))
                    below = [item for item in below if item.types != slot.types]
                    found.append(slot)
            return Slots((*self._bodies(found), *dict.fromkeys(below)), tuple(dict.fromkeys(outside)))

        default = Slots((), (Unknown("the type descends from itself"),))
        return self.repository.once(("csharp-slots", ref, name), compute, default)

    def _slot(self, unit: Unit, ref: Ref, marks: list[str] | tuple[()], holder: Ref) -> Slot:
        signature = unit.signature_of.get(ref.at)
        replaceable = self.is_interface(holder) or not {"virtual", "override", "abstract"}.isdisjoint(marks)
        open_ = replaceable and "sealed" not in marks
        arity = f"`{self.spaces.arity(unit, ref.at)}"
        if signature is None:
            return Slot(ref, holder, 0, -1, (arity,), open_, rooted=True, static=False, private=False)
        types = tuple(text.partition(":")[2].rpartition(".")[2] for text in signature.parameters.split(","))
        return Slot(
            ref,
            holder,
            signature.least,
            signature.most,
            (arity, *types),
            open_,
            rooted=True,
            static="static" in marks,
            private="private" in marks,
        )

    def _bodies(self, slots: list[Slot]) -> list[Slot]:
        """A partial method's declaration gives way to its body."""
        found = []
        for slot in slots:
            unit = self.repository.unit(slot.ref.path)
            only = unit is not None and unit.outlines[slot.ref.at].flags & DECLARATION_ONLY
            partial = unit is not None and "partial" in unit.marks_of.get(slot.ref.at, ())
            if only and partial and any(other.types == slot.types and other.ref != slot.ref for other in slots):
                continue
            found.append(slot)
        return found

    def object_takes(self, name: str, arity: int) -> bool:
        """Whether every object has a method of that name and number of arguments."""
        return arity in _OBJECT.get(name, ())

    def replacing(self, ref: Ref, slot: Slot, name: str, arity: int) -> list[Ref]:
        """The types that may replace a slot on a value of the type `ref`."""
        above = {ref, *self.above(ref)}
        found = []
        interface = self.is_interface(ref)
        for part in self.spaces.parts(ref):
            for other in self.repository.overriders(part, name):
                if self.first(other) not in above and self._replaces(other, name, arity, any_=interface):
                    found.append(self.first(other))
        return list(dict.fromkeys(found))

    def _replaces(self, other: Ref, name: str, arity: int, *, any_: bool) -> bool:
        unit = self.repository.unit(other.path)
        for index in unit.members.get((other.at, name), ()) if unit is not None else ():
            if unit is None or not unit.outlines[index].is_function:
                continue
            if not any_ and "override" not in unit.marks_of.get(index, ()):
                continue
            signature = unit.signature_of.get(index)
            if signature is None or (signature.least <= arity and (signature.most < 0 or arity <= signature.most)):
                return True
        return False

    def above(self, ref: Ref) -> tuple[Ref, ...]:
        """Everything in the repository that a type descends from, interfaces included."""

        def compute() -> tuple[Ref, ...]:
            found: dict[Ref, None] = {}
            for base in self.bases(ref):
                if isinstance(base, Ref):
                    found[base] = None
                    found.update(dict.fromkeys(self.above(base)))
            return tuple(found)

        return self.repository.once(("csharp-above", ref), compute, ())

    def member(self, ref: Ref, name: str, arity: int = 0) -> Member | External | Unknown | None:
        """What is called `name` in a type or its bases; None when nothing. `arity` counts type parameters."""

        def compute() -> Member | External | Unknown | None:
            methods = False
            types: list[Ref] = []
            fields: list[tuple[Ref, Binding]] = []
            named = False
            for part in self.spaces.parts(ref):
                unit = self.repository.unit(part.path)
                if unit is None:
                    continue
                for index in unit.members.get((part.at, name), ()):
                    outline = unit.outlines[index]
                    if outline.is_function:
                        methods = methods or "explicit" not in unit.marks_of.get(index, ())
                    elif is_type(unit, index):
                        if self.spaces.arity(unit, index) == arity:
                            types.append(Ref(part.path, index))
                    elif outline.kind_number in _VALUES:
                        named = True
                fields += [(part, binding) for binding in unit.bound.get((part.at, name), ())]
            if methods or types or fields or named:
                return Member(ref, methods, tuple(types), tuple(fields))
            inside, outside = self.inherited(ref)
            found: dict[Member | External | Unknown, None] = {}
            for base in inside:
                got = self.member(base, name, arity)
                if isinstance(got, Member):
                    found[got] = None
                elif got is not None:
                    outside.append(got)
            if len(found) == 1:
                return next(iter(found))
            if found:
                return Unknown("several bases have it")
            if outside:
                one = outside[0]
                return External(f"{one.name}.{name}") if isinstance(one, External) else one
            return None

        return self.repository.once(("csharp-member", ref, name, arity), compute, CIRCULAR)

    def constructors(self, ref: Ref) -> list[Slot]:
        """The instance constructors that a type declares."""

        def compute() -> list[Slot]:
            found = []
            for part in self.spaces.parts(ref):
                unit = self.repository.unit(part.path)
                name = unit.outlines[part.at].name if unit is not None else ""
                for index in unit.members.get((part.at, name), ()) if unit is not None else ():
                    if unit is not None and unit.outlines[index].is_function:
                        marks = unit.marks_of.get(index, ())
                        if "static" not in marks:
                            found.append(self._slot(unit, Ref(part.path, index), (), ref))
            return found

        return self.repository.once(("csharp-constructors", ref), compute, [])
