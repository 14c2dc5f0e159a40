"""Classes, interfaces, traits and enums of PHP: members, order of search, and what may replace a member.

A class's own members come first, then those of its traits, of what it extends, and of what it implements. Names of
methods have no case. A private or final method, and any of a final class, cannot be replaced.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, BindingKind
from satori.relationships.meaning import External, Found, Instance, Meaning, Overridden, Unknown
from satori.relationships.repository import Repository
from satori.relationships.unit import DECLARATION_ONLY, EXPORTED, KINDS, Body, Ref, Unit

_CIRCULAR: Meaning = Unknown("the class descends from itself")
_ALIAS, _FIELD = int(BindingKind.ALIAS), int(BindingKind.FIELD)
_PROPERTY = KINDS.index(SymbolKind.PROPERTY)
_HOWS = ("uses", "extends", "implements")
Order = tuple[Ref | External | Unknown, ...]


class Classes(ABC):
    """Classes of one repository; how names get their meaning is the heir's."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    @abstractmethod
    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Meaning:
        """What a chain means in the scope `owner`."""

    @abstractmethod
    def class_named(self, unit: Unit, owner: int, text: str) -> Meaning:
        """The class that a name means there."""

    @abstractmethod
    def instance_of(self, unit: Unit, owner: int, text: str) -> Meaning:
        """A value that is declared there to be of a type."""

    def bases(self, ref: Ref) -> Order:
        """Traits, what is extended and what is implemented, in this order."""

        def compute() -> Order:
            unit = self.repository.unit(ref.path)
            written = unit.bases_of.get(ref.at, ()) if unit is not None else ()
            found: list[Ref | External | Unknown] = []
            for how in _HOWS:
                for base in written:
                    if base.how != how or unit is None:
                        continue
                    meaning = self.class_named(unit, unit.outlines[ref.at].parent, base.text)
                    if isinstance(meaning, Found):
                        found.append(meaning.ref)
                    elif isinstance(meaning, External):
                        found.append(meaning)
                    else:
                        found.append(Unknown(f"the base {base.text} is not known"))
            return tuple(found)

        default: Order = (Unknown("the class descends from itself"),)
        return self.repository.once(("php-bases", ref), compute, default)

    def unnamed(self, ref: Ref, name: str = "") -> tuple[Ref, ...]:
        """What the classes without a name inside the type have as bases; with a name, those that have such a method."""

        def compute() -> tuple[Ref, ...]:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return ()
            bindings = unit.bound.get((ref.at, name), ()) if name else unit.bindings
            found: dict[Ref, None] = {}
            for binding in bindings:
                if binding.scope == ref.at and binding.kind == _ALIAS and binding.value == "new":
                    meaning = self.class_named(unit, unit.outlines[ref.at].parent, binding.type)
                    if isinstance(meaning, Found):
                        found[meaning.ref] = None
            return tuple(found)

        return self.repository.once(("php-unnamed", ref, name), compute, ())

    def parent(self, ref: Ref) -> Ref | External | Unknown:
        """What the class extends."""
        unit = self.repository.unit(ref.path)
        for base in unit.bases_of.get(ref.at, ()) if unit is not None else ():
            if base.how == "extends" and unit is not None:
                meaning = self.class_named(unit, unit.outlines[ref.at].parent, base.text)
                if isinstance(meaning, Found):
                    return meaning.ref
                return meaning if isinstance(meaning, External) else Unknown(f"the base {base.text} is not known")
        return Unknown("a class that extends nothing has no parent")

    def order(self, ref: Ref) -> Order:
        """The class and everything it gets members from, in the order in which they are looked up."""

        def compute() -> Order:
            found: list[Ref | External | Unknown] = [ref]
            for base in self.bases(ref):
                for item in self.order(base) if isinstance(base, Ref) else (base,):
                    if item not in found:
                        found.append(item)
            return tuple(found)

        default: Order = (Unknown("the class descends from itself"),)
        return self.repository.once(("php-order", ref), compute, default)

    def kind(self, ref: Ref) -> SymbolKind | None:
        """What kind of definition it is."""
        unit = self.repository.unit(ref.path)
        return unit.outlines[ref.at].kind if unit is not None and ref.at >= 0 else None

    def is_marked(self, ref: Ref, mark: str) -> bool:
        """Whether the definition has the modifier."""
        unit = self.repository.unit(ref.path)
        return unit is not None and mark in unit.marks_of.get(ref.at, ())

    def own_method(self, ref: Ref, name: str) -> Meaning | None:
        """The type's own method of that name; None when it has none."""

        def compute() -> Meaning | None:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return None
            lower = name.lower()
            indexes = [at for at in unit.members.get((ref.at, lower), ()) if unit.outlines[at].is_function]
            for binding in unit.bound.get((ref.at, lower), ()):
                if binding.kind == _ALIAS and binding.value != "new":
                    if not binding.value:
                        return Unknown("a trait's method that the class names anew")
                    indexes.append(int(binding.value[1:]))
            if not indexes:
                return None
            if len(indexes) > 1:
                refs = tuple(Ref(ref.path, at) for at in indexes)
                return Unknown(f"defined {len(refs)} times in its class", refs)
            return Found(Ref(ref.path, indexes[0]))

        return self.repository.once(("php-own", ref, name), compute, None)

    def search(self, order: Order, name: str) -> tuple[Meaning, Ref | None]:
        """The first method of that name, and the type that holds it. A declaration yields to a body behind it."""
        before: External | Unknown | None = None
        declared: tuple[Meaning, Ref | None] | None = None
        for item in order:
            if not isinstance(item, Ref):
                before = before or item
                continue
            method = self.own_method(item, name)
            if method is None:
                continue
            if before is not None and declared is None:
                if isinstance(before, External) and self.kind(item) is SymbolKind.INTERFACE:
                    # What comes from outside may be its body.
                    return External(f"{before.name}::{name}"), None
                candidates = (method.ref,) if isinstance(method, Found) else ()
                return Unknown("a base comes first that is not in the repository", candidates), None
            if not self._is_declaration(method):
                return (method, item) if before is None else declared or (method, item)
            declared = declared or (method, item)
        if declared is not None:
            return declared
        if isinstance(before, External):
            return External(f"{before.name}::{name}"), None
        if before is not None:
            return before, None
        for magic in ("__call", "__callStatic"):
            if any(isinstance(item, Ref) and self.own_method(item, magic) is not None for item in order):
                return Unknown(f"answered by {magic}"), None
        return Unknown("no method of that name in the class or its bases"), None

    def _is_declaration(self, method: Meaning) -> bool:
        if not isinstance(method, Found):
            return False
        unit = self.repository.unit(method.ref.path)
        return unit is not None and bool(unit.outlines[method.ref.at].flags & DECLARATION_ONLY)

    def inherited(self, ref: Ref, name: str) -> Meaning:
        """The static meaning of a method of exactly this class."""

        def compute() -> Meaning:
            return self.search(self.order(ref), name)[0]

        return self.repository.once(("php-inherited", ref, name), compute, _CIRCULAR)

    def virtual(self, ref: Ref, name: str, inside: Ref | None) -> Meaning:
        """The method on a value of the type or of any that descends from it, called in the class `inside`."""

        def compute() -> Meaning:
            static, holder = self.search(self.order(ref), name)
            if holder is None or not isinstance(static, Found):
                return static
            if self.is_marked(static.ref, "private"):
                if inside == holder:
                    return static
                if inside is not None and self.kind(holder) is SymbolKind.TRAIT:
                    return Overridden(static.ref, others) if (others := self._replacing(ref, name, holder)) else static
                return Unknown("a private method of another class", (static.ref,))
            if self.is_sealed(ref) or self.is_marked(static.ref, "final"):
                return static
            others = self._replacing(ref, name, holder)
            return Overridden(static.ref, others) if others else static

        return self.repository.once(("php-virtual", ref, name, inside), compute, _CIRCULAR)

    def is_sealed(self, ref: Ref) -> bool:
        """Whether nothing can descend from the type."""
        return self.kind(ref) is SymbolKind.ENUM or self.is_marked(ref, "final")

    def _replacing(self, ref: Ref, name: str, holder: Ref) -> tuple[Ref, ...]:
        """The types whose own method some descendant of `ref` finds before that of `holder`."""
        below = self.repository.descendants(ref)
        found = []
        for other in (ref, *self.repository.overriders(ref, name.lower())):
            if any(base == ref or base in below for base in self.unnamed(other, name.lower())):
                found.append(other)
                continue
            if other == ref or self.own_method(other, name) is None:
                continue
            if other in below:
                found.append(other)
                continue
            for heir in below:
                order = self.order(heir)
                if other in order and holder in order and order.index(other) < order.index(holder):
                    found.append(other)
                    break
        return tuple(found)

    def field(self, ref: Ref, name: str) -> Meaning:
        """What a property (with its `$`) or a case of an enum holds on a value of the type."""

        def compute() -> Meaning:
            for item in self.order(ref):
                if not isinstance(item, Ref):
                    return External(f"{item.name}::{name}") if isinstance(item, External) else item
                unit = self.repository.unit(item.path)
                bindings = [b for b in unit.bound.get((item.at, name), ()) if b.kind == _FIELD] if unit else []
                if unit is not None and bindings:
                    return self._held(unit, item, name, bindings)
            return Unknown(f"no {name} in the class or its bases")

        return self.repository.once(("php-field", ref, name), compute, _CIRCULAR)

    def _held(self, unit: Unit, holder: Ref, name: str, bindings: list[Binding]) -> Meaning:
        values = [binding for binding in bindings if binding.value != "None" and not binding.type]
        open_ = any(
            unit.outlines[at].kind_number == _PROPERTY and unit.outlines[at].flags & EXPORTED
            for at in unit.members.get((holder.at, name.lstrip("$")), ())
        )
        declared = next((b for b in bindings if b.type), None)
        assigned: Meaning = Unknown("assigned something that is no name")
        if not open_ and values and len(values) <= 4 and not self.repository.overriders(holder, name):
            meanings = {
                self.evaluate(unit, None, binding.owner, binding.value, -1) if binding.value else assigned
                for binding in values
            }
            assigned = merged(meanings)
        if declared is None:
            return assigned if values and not open_ else Unknown("a property without a type")
        if isinstance(assigned, Instance) and assigned.exact and declared.value == "None":
            return assigned
        return self.instance_of(unit, declared.owner, declared.type)


def merged(meanings: set[Meaning]) -> Meaning:
    """What several bindings mean, when they mean one thing."""
    if len(meanings) == 1:
        return next(iter(meanings))
    refs = {meaning.ref for meaning in meanings if isinstance(meaning, Instance)}
    if len(refs) == 1 and all(isinstance(meaning, Instance) for meaning in meanings):
        return Instance(refs.pop(), exact=False)
    return Unknown("bound to different things")
