"""Types of Scala: bases, linearisation, members, overloads by number of arguments, and what may replace a member.

The order of search is the linearisation. A concrete member is preferred to a declaration behind or before it. A virtual
call is proved only when no descendant, no other base of one, and no class without a name replaces the member.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import BindingKind, Signature
from satori.relationships.meaning import External, Found, Instance, Meaning, Overridden, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.scala.standard import ANY, EMPTY_BASES
from satori.relationships.unit import DECLARATION_ONLY, KINDS, Body, Ref, Unit

_CIRCULAR: Meaning = Unknown("the type descends from itself")
_ALIAS, _FIELD, _PARAMETER = int(BindingKind.ALIAS), int(BindingKind.FIELD), int(BindingKind.PARAMETER)
_PROPERTIES = {KINDS.index(SymbolKind.PROPERTY), KINDS.index(SymbolKind.CONSTANT)}
Order = tuple[Ref | External | Unknown, ...]


class Alternative(NamedTuple):
    """A method, the type that holds it, and how it is called."""

    ref: Ref
    holder: Ref | None
    signature: Signature | None
    declared: bool


class Types(ABC):
    """Types of one repository; how names get their meaning is the heir's."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    @abstractmethod
    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Meaning:
        """What a chain means in the scope `owner`."""

    @abstractmethod
    def type_named(self, unit: Unit, scope: int, text: str) -> Meaning:
        """The type that a name means there."""

    @abstractmethod
    def value_of(self, unit: Unit, scope: int, text: str) -> Meaning:
        """A value that is declared there to be of a type."""

    def bases(self, ref: Ref, how: str = "extends") -> Order:
        """What the type extends, in order; with `self`, what its self type names."""

        def compute() -> Order:
            unit = self.repository.unit(ref.path)
            found: list[Ref | External | Unknown] = []
            for base in unit.bases_of.get(ref.at, ()) if unit is not None else ():
                if unit is None or base.how != how:
                    continue
                meaning = self.type_named(unit, unit.outlines[ref.at].parent, base.text)
                if isinstance(meaning, Found):
                    found.append(meaning.ref)
                elif not isinstance(meaning, External):
                    found.append(Unknown(f"the base {base.text} is not known"))
                elif meaning.name not in EMPTY_BASES:
                    found.append(meaning)
            return tuple(found)

        default: Order = (Unknown("the type descends from itself"),)
        return self.repository.once(("scala-bases", ref, how), compute, default)

    def order(self, ref: Ref) -> Order:
        """The linearisation."""

        def compute() -> Order:
            found: list[Ref | External | Unknown] = []
            for base in reversed(self.bases(ref)):
                more: list[Ref | External | Unknown] = list(self.order(base)) if isinstance(base, Ref) else [base]
                found = [item for item in found if item not in more] + more
            return (ref, *(item for item in found if item != ref))

        default: Order = (Unknown("the type descends from itself"),)
        return self.repository.once(("scala-order", ref), compute, default)

    def unnamed(self, ref: Ref, name: str = "") -> tuple[Ref, ...]:
        """The bases of classes without a name inside the type; with a name, of those that give it a meaning."""

        def compute() -> tuple[Ref, ...]:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return ()
            found: dict[Ref, None] = {}
            for binding in unit.bound.get((ref.at, name), ()) if name else unit.bindings:
                if binding.scope == ref.at and binding.kind == _ALIAS and binding.value == "new":
                    meaning = self.type_named(unit, ref.at, binding.type)
                    if isinstance(meaning, Found):
                        found[meaning.ref] = None
            return tuple(found)

        return self.repository.once(("scala-unnamed", ref, name), compute, ())

    def marks(self, ref: Ref) -> list[str]:
        """The modifiers of a definition."""
        unit = self.repository.unit(ref.path)
        return unit.marks_of.get(ref.at, []) if unit is not None else []

    def is_object(self, ref: Ref) -> bool:
        """Whether the type has one instance."""
        unit = self.repository.unit(ref.path)
        if unit is None:
            return False
        return unit.outlines[ref.at].kind is SymbolKind.MODULE or "object" in unit.marks_of.get(ref.at, ())

    def methods(self, ref: Ref, name: str) -> tuple[Alternative, ...]:
        """The type's own methods of that name."""

        unit = self.repository.unit(ref.path)
        if unit is None or (ref.at, name) not in unit.members:
            return ()
        return tuple(alternative(unit, index, ref) for index in functions(unit, ref.at, name))

    def own_value(self, ref: Ref, name: str) -> Meaning | None:
        """What a value, a parameter or an object of that name in the type means; None when there is none."""
        place = (ref.at, name)
        unit = self.repository.unit(ref.path)
        if unit is None or not (place in unit.bound or place in unit.members):
            return None

        def compute() -> Meaning | None:
            for binding in unit.bound.get(place, ()):
                if binding.last or binding.kind not in (_FIELD, _PARAMETER):
                    continue
                if binding.type:
                    return self.value_of(unit, ref.at, binding.type)
                if not binding.value:
                    return Unknown("a value that is no name")
                meaning = self.evaluate(unit, None, ref.at, binding.value, -1)
                if isinstance(meaning, Instance) and meaning.exact and not self._is_fixed(unit, ref, name):
                    return Instance(meaning.ref, exact=False)
                return meaning
            return term_in(unit, ref.at, name)

        return self.repository.once(("scala-value", ref, name), compute, _CIRCULAR)

    def _is_fixed(self, unit: Unit, holder: Ref, name: str) -> bool:
        """Whether no heir can give the value another meaning."""
        if self.is_object(holder):
            return True
        indexes = unit.members.get((holder.at, name), ())
        return any(not {"private", "final"}.isdisjoint(unit.marks_of.get(index, ())) for index in indexes)

    def search(self, order: Order, name: str, arity: int) -> tuple[Meaning, Ref | None]:
        """The member that a call with so many arguments means, and the type that holds it."""
        before: External | Unknown | None = None
        blocked: External | Unknown | None = None
        found: list[Alternative] = []
        for item in order:
            if not isinstance(item, Ref):
                before = before or item
                continue
            own = self.methods(item, name)
            if own:
                blocked = blocked or (before if not found else None)
                found += own
            elif not found:
                value = self.own_value(item, name)
                if value is not None:
                    return value, item
        if found and blocked is not None:
            refs = tuple(one.ref for one in found)
            return Unknown("a base comes first that is not in the repository", refs), None
        if found:
            return chosen(self, found, arity)
        if name in ANY:
            return External(f"Any.{name}"), None
        if isinstance(before, External):
            return External(f"{before.name}.{name}"), None
        return before or Unknown(f"no member {name}"), None

    def inherited(self, ref: Ref, name: str, arity: int) -> Meaning:
        """The member of exactly this type."""

        def compute() -> Meaning:
            return self.search(self.order(ref), name, arity)[0]

        return self.repository.once(("scala-inherited", ref, name, arity), compute, _CIRCULAR)

    def after(self, ref: Ref, name: str, arity: int) -> Meaning:
        """What `super.name` means in the type: what follows it in the order of every heir."""

        def compute() -> Meaning:
            static, holder = self.search(self.order(ref)[1:], name, arity)
            if holder is None or not isinstance(static, Found):
                return static
            others = self._between(ref, static.ref, holder, whole=False)
            return Overridden(static.ref, others) if others else static

        return self.repository.once(("scala-after", ref, name, arity), compute, _CIRCULAR)

    def virtual(self, ref: Ref, name: str, arity: int) -> Meaning:
        """The member of a value of the type or of any that descends from it."""

        def compute() -> Meaning:
            static, holder = self.search(self.order(ref), name, arity)
            if static == Unknown(f"no member {name}"):
                for base in self.bases(ref, "self"):
                    if isinstance(base, External):
                        return External(f"{base.name}.{name}")
                    if isinstance(base, Ref):
                        found, held = self.search(self.order(base), name, arity)
                        if held is not None:
                            return self._replaceable(base, found, held)
                        if isinstance(found, Unknown) and found.candidates:
                            return found
            return static if holder is None else self._replaceable(ref, static, holder)

        return self.repository.once(("scala-virtual", ref, name, arity), compute, _CIRCULAR)

    def _replaceable(self, ref: Ref, static: Meaning, holder: Ref) -> Meaning:
        """The static target of a call on a value of the type, with what may replace it."""
        if not isinstance(static, Found) or not self.is_method(static.ref):
            return static
        if self.is_object(ref) or not {"private", "final"}.isdisjoint(self.marks(static.ref)):
            return static
        if "final" in self.marks(ref):
            return static
        others = self._between(ref, static.ref, holder, whole=True)
        return Overridden(static.ref, others) if others else static

    def is_method(self, ref: Ref) -> bool:
        """Whether the definition runs code of its own."""
        unit = self.repository.unit(ref.path)
        return unit is not None and unit.outlines[ref.at].is_function

    def _between(self, ref: Ref, method: Ref, holder: Ref, *, whole: bool) -> tuple[Ref, ...]:
        """The types whose own member some descendant of `ref` finds before that of `holder`: descendants themselves
        (only when `whole`), and what their other bases put in between."""
        unit = self.repository.unit(method.path)
        if unit is None:
            return ()
        name = unit.outlines[method.at].name
        wanted = alternative(unit, method.at, holder)
        below = self._below(ref)
        found = []
        for other in (ref, *self.repository.overriders(ref, name)):
            if whole and any(ref in self.order(base) for base in self.unnamed(other, name)):
                found.append(other)
                continue
            if other == ref or not self._replaces(other, name, wanted):
                continue
            if other in below:
                if whole:
                    found.append(other)
                continue
            for heir in below:
                order = self.order(heir)
                first = 0 if whole else order.index(ref)
                if holder in order and other in order[first : order.index(holder)]:
                    found.append(other)
                    break
        return tuple(found)

    def _below(self, ref: Ref) -> frozenset[Ref]:
        """The types that have the type in their linearisation."""

        def compute() -> frozenset[Ref]:
            return frozenset(heir for heir in self.repository.descendants(ref) if ref in self.order(heir))

        return self.repository.once(("scala-below", ref), compute, frozenset())

    def _replaces(self, other: Ref, name: str, wanted: Alternative) -> bool:
        own = self.methods(other, name)
        if not own:
            return self.own_value(other, name) is not None
        return any(
            "private" not in self.marks(one.ref)
            and (count(one) == count(wanted) or None in (count(one), count(wanted)))
            for one in own
        )


def alternative(unit: Unit, index: int, holder: Ref | None) -> Alternative:
    """The method at `index`."""
    declared = bool(unit.outlines[index].flags & DECLARATION_ONLY)
    return Alternative(Ref(unit.path, index), holder, unit.signature_of.get(index), declared)


def functions(unit: Unit, scope: int, name: str) -> list[int]:
    """The functions of that name directly in a scope: no extensions, no members of classes without a name."""
    found = []
    for index in unit.members.get((scope, name), ()):
        outline = unit.outlines[index]
        if outline.is_function and not outline.receiver and "unnamed" not in unit.marks_of.get(index, ()):
            found.append(index)
    return found


def term_in(unit: Unit, scope: int, name: str) -> Meaning | None:
    """The object, or the class that can be applied, of that name directly in a scope; an unknown value otherwise."""
    indexes = [i for i in unit.members.get((scope, name), ()) if "unnamed" not in unit.marks_of.get(i, ())]
    types = [index for index in indexes if unit.outlines[index].is_type]
    objects = [index for index in types if "object" in unit.marks_of.get(index, ())]
    found = objects or types
    if len(found) == 1:
        return Found(Ref(unit.path, found[0]))
    if found:
        return Unknown(f"defined {len(found)} times", tuple(Ref(unit.path, index) for index in found))
    if any(unit.outlines[index].kind_number in _PROPERTIES for index in indexes):
        return Unknown("a value that is no name")
    return None


def fits(one: Alternative, arity: int) -> bool:
    """Whether the method can take so many arguments in its first list."""
    signature = one.signature
    if arity < 0 or signature is None:
        return True
    if signature.least < 0:
        return False
    return signature.least <= arity and (signature.most < 0 or arity <= signature.most)


def count(one: Alternative) -> int | None:
    """The number of parameters in all lists, implicit ones left out; None when it is not known."""
    if one.signature is None:
        return None
    lists = [part for part in one.signature.parameters.split(";") if part and not part.startswith("?")]
    return sum(part.count(",") + 1 for part in lists)


def _shape(one: Alternative) -> str:
    if one.signature is None:
        return "?"
    lists = (part for part in one.signature.parameters.split(";") if not part.startswith("?"))
    return ";".join(",".join(text.partition(":")[2] for text in part.split(",")) for part in lists)


def chosen(types: Types, found: list[Alternative], arity: int) -> tuple[Meaning, Ref | None]:
    """The one of these, nearest first, that a call with so many arguments means."""
    fitting = [one for one in found if fits(one, arity)]
    if not fitting:
        if len(found) > 1:
            return Unknown("no alternative takes so many arguments", tuple(one.ref for one in found)), None
        fitting = found
    best = fitting[0]
    near = [one for one in fitting if one.holder == best.holder]
    if len(near) > 1:
        return Unknown(f"{len(near)} alternatives that types tell apart", tuple(one.ref for one in near)), None
    replacing = "override" in types.marks(best.ref)
    for other in fitting[1:]:
        equal = count(best) == count(other)
        if _shape(best) != _shape(other) and not (equal and (replacing or best.declared or other.declared)):
            return Unknown("a base has another alternative that types tell apart", (best.ref, other.ref)), None
        if best.declared and not other.declared:
            best = other
    return Found(best.ref), best.holder


def is_missing(meaning: Meaning) -> bool:
    """Whether a search ended with nothing."""
    return isinstance(meaning, Unknown) and meaning.why.startswith("no member ")
