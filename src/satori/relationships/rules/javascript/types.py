"""Classes, interfaces, and objects with members, of JavaScript and TypeScript.

A class has one base; an interface may have several. What a class implements is above it too (its members may stand for
the interface's), but gives it nothing. Functions and object literals have members where the file writes them: in the
literal, on the prototype, or assigned to the name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, BindingKind
from satori.relationships.meaning import External, Found, Instance, Meaning, Overridden, Unknown
from satori.relationships.repository import Repository
from satori.relationships.unit import DECLARATION_ONLY, KINDS, Body, Ref, Unit

_CIRCULAR: Meaning = Unknown("the type descends from itself")
_ATTRIBUTE = int(BindingKind.ATTRIBUTE)
_PROPERTY = KINDS.index(SymbolKind.PROPERTY)
_CONSTANT = KINDS.index(SymbolKind.CONSTANT)
Order = tuple[Ref | External | Unknown, ...]


class Types(ABC):
    """Types of one repository; how names get their meaning is the heir's."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    @abstractmethod
    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int, *, types: bool) -> Meaning:
        """What a chain means in the scope `owner`."""

    @abstractmethod
    def instance_of(self, declared: Meaning) -> Meaning:
        """A value declared to be of the type."""

    def bases(self, ref: Ref, *, implemented: bool) -> Order:
        """The direct bases of a type, in order; with `implemented`, what it implements as well."""

        def compute() -> Order:
            unit = self.repository.unit(ref.path)
            found: list[Ref | External | Unknown] = []
            for base in unit.bases_of.get(ref.at, ()) if unit is not None else ():
                if unit is None or (base.how != "extends" and not implemented):
                    continue
                around = unit.outlines[ref.at].parent
                meaning = self.evaluate(unit, None, around, base.text, -1, types=False)
                if not self.is_type(meaning) or meaning == External(base.text):
                    meaning = self.evaluate(unit, None, around, base.text, -1, types=True)
                if isinstance(meaning, Found) and self.is_type(meaning):
                    found.append(meaning.ref)
                elif isinstance(meaning, External):
                    found.append(meaning)
                else:
                    found.append(Unknown(f"the base {base.text or 'expression'} is not known"))
            return tuple(found)

        default: Order = (Unknown("the type descends from itself"),)
        return self.repository.once(("javascript-bases", ref, implemented), compute, default)

    def is_type(self, meaning: Meaning) -> bool:
        """Whether the meaning is a type, or comes from outside."""
        if isinstance(meaning, External):
            return True
        if not isinstance(meaning, Found):
            return False
        unit = self.repository.unit(meaning.ref.path)
        return unit is not None and meaning.ref.at >= 0 and unit.outlines[meaning.ref.at].is_type

    def order(self, ref: Ref) -> Order:
        """The type and what it extends, nearest first."""

        def compute() -> Order:
            found: list[Ref | External | Unknown] = [ref]
            for base in self.bases(ref, implemented=False):
                for item in self.order(base) if isinstance(base, Ref) else (base,):
                    if item not in found:
                        found.append(item)
            return tuple(found)

        default: Order = (Unknown("the type descends from itself"),)
        return self.repository.once(("javascript-order", ref), compute, default)

    def member(self, ref: Ref, name: str) -> Meaning | None:
        """What the type, object or function itself makes of the name; None when nothing."""

        def compute() -> Meaning | None:
            unit = self.repository.unit(ref.path)
            if unit is None or ref.at < 0:
                return None
            outline = unit.outlines[ref.at]
            indexes = list(unit.members.get((ref.at, name), ()))
            if not outline.is_type:
                indexes += [
                    index
                    for index in unit.members.get((outline.parent, name), ())
                    if unit.outlines[index].receiver == outline.name
                ]
            defined = [index for index in indexes if unit.outlines[index].kind_number not in (_PROPERTY, _CONSTANT)]
            values = [index for index in indexes if unit.outlines[index].kind_number == _CONSTANT]
            bindings = [b for b in unit.bound.get((ref.at, name), ()) if b.value != "None" or b.type]
            if not outline.is_type:
                chain = f"{outline.name}.{name}"
                bindings = [b for b in unit.bindings if b.kind == _ATTRIBUTE and b.name == chain]
            if any({"get", "set"}.intersection(unit.marks_of.get(index, ())) for index in defined):
                return Unknown("an accessor")
            refs = [Ref(ref.path, index) for index in defined]
            if refs and bindings:
                return Unknown("assigned anew", tuple(refs))
            if refs:
                proper = [item for item in refs if not unit.outlines[item.at].flags & DECLARATION_ONLY] or refs[:1]
                if len(proper) == 1:
                    return Found(proper[0])
                return Unknown(f"defined {len(proper)} times", tuple(proper))
            if bindings:
                return self._field(unit, bindings)
            if len(values) == 1:
                return Found(Ref(ref.path, values[0]))
            return Unknown("a value that is not known") if indexes or unit.bound.get((ref.at, name)) else None

        return self.repository.once(("javascript-member", ref, name), compute, _CIRCULAR)

    def _field(self, unit: Unit, bindings: list[Binding]) -> Meaning:
        declared = [binding for binding in bindings if binding.type]
        if declared:
            binding = declared[0]
            return self.instance_of(self.evaluate(unit, None, binding.owner, binding.type, -1, types=True))
        if len(bindings) > 4:
            return Unknown("assigned more than four times")
        meanings: set[Meaning] = set()
        for binding in bindings:
            if binding.value:
                meanings.add(self.evaluate(unit, None, binding.owner, binding.value, -1, types=False))
            else:
                meanings.add(Unknown("assigned something that is no name"))
        return meanings.pop() if len(meanings) == 1 else Unknown("assigned different things")

    def search(self, order: Order, name: str) -> tuple[Meaning, Ref | None]:
        """The first member of that name, and the type that holds it."""
        before: External | Unknown | None = None
        for item in order:
            if isinstance(item, Ref):
                member = self.member(item, name)
                if member is None:
                    continue
                if before is not None:
                    candidates = (member.ref,) if isinstance(member, Found) else ()
                    return Unknown("a base comes first that is not in the repository", candidates), None
                return member, item
            before = before or item
        if isinstance(before, External):
            return External(f"{before.name}.{name}"), None
        return before or Unknown(f"no member {name}"), None

    def inherited(self, ref: Ref, name: str) -> Meaning:
        """The static meaning of a member."""
        return self.search(self.order(ref), name)[0]

    def virtual(self, ref: Ref, name: str) -> Meaning:
        """What the name means on a value of the type or of any that descends from it."""

        def compute() -> Meaning:
            order = self.order(ref)
            static, holder = self.search(order, name)
            if holder is None:
                return static
            others = tuple(other for other in self.repository.overriders(ref, name) if other not in order)
            if not others or (isinstance(static, Instance) and not static.exact):
                return static
            if isinstance(static, Found):
                return Overridden(static.ref, others)
            return Unknown(f"{len(others)} types give {name} another meaning")

        return self.repository.once(("javascript-virtual", ref, name), compute, _CIRCULAR)

    def constructor(self, ref: Ref) -> Ref | None:
        """The constructor that runs for `new`, when it is provably one in the repository."""
        found = self.inherited(ref, "constructor")
        return found.ref if isinstance(found, Found) else None
