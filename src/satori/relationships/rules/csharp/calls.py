"""Calls, imports and exports of C# files.

A construction has the type as its target, and beside it the constructor when one alone takes so many arguments. An
extension method is called when the receiver's type has no method of the name, and one alone in sight fits the type.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.reference import CallSite, SiteForm
from satori.model.relationship import RelationKind
from satori.relationships.meaning import External, Found, Instance, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules, ambiguous, external, resolved, unresolved
from satori.relationships.rules.csharp.names import Names
from satori.relationships.rules.csharp.standard import EVERYDAY, METHODS, has, plain
from satori.relationships.rules.csharp.types import Slot, better
from satori.relationships.rules.csharp.values import Awaited, Items, Local, Methods, Space, Value
from satori.relationships.unit import Body, Ref, Unit

_BARE, _CONSTRUCT, _DYNAMIC = int(SiteForm.BARE), int(SiteForm.CONSTRUCT), int(SiteForm.DYNAMIC)
_SELF, _SUPER = int(SiteForm.SELF), int(SiteForm.SUPER)
_TEST_DIRECTORIES = {"test", "tests", "unittests"}
_TEST_PROJECTS = (".test", ".tests", ".unittests", ".unittest", ".specs", ".integrationtests")
_TEST_ENDINGS = ("Test", "Tests", "Fixture", "Fixtures", "Specs", "Spec")


class CSharpRules(Rules):
    """C#."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.names = Names(repository)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """All parts of the bases that any part of the type names."""
        names = self.names
        found: list[Ref] = []
        for base in names.bases(names.first(Ref(unit.path, at))):
            if isinstance(base, Ref):
                found += names.spaces.parts(base)
        return list(dict.fromkeys(found))

    def is_test_file(self, unit: Unit) -> bool:
        """Files of a project or directory of tests, or named after them."""
        *directories, name = unit.path.split("/")
        lower = [directory.lower() for directory in directories]
        inside = any(item in _TEST_DIRECTORIES or item.endswith(_TEST_PROJECTS) for item in lower)
        return inside or name.rpartition(".")[0].endswith(_TEST_ENDINGS)

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        return [self._call(unit, body, site) for site in body.sites]

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        names = self.names
        if site.form == _DYNAMIC:
            return unresolved("the callee is an expression")
        if site.form == _CONSTRUCT:
            return self._construction(names.type_named(unit, site.owner, site.receiver), site)
        if not site.receiver:
            if site.form in (_SELF, _SUPER):
                return self._chained(unit, site)
            if site.form != _BARE:
                return unresolved("the receiver is an expression")
            value = names.find(unit, body, site.owner, site.name, site.start)
            if isinstance(value, Methods):
                inside = Instance(value.ref, exact=False)
                return self._method(unit, site, value, "self", inside)
            if isinstance(value, External) and not value.name.endswith("." + site.name):
                return unresolved("a value is called")
            return self._value(value, site)
        receiver = names.evaluate(unit, body, site.owner, site.receiver, site.start)
        if isinstance(receiver, Instance):
            how = {"this": "self", "base": "base"}.get(site.receiver, "constructed" if receiver.exact else "typed")
            value = names.step(unit, receiver, site.name)
            return self._method(unit, site, value, how, receiver)
        if isinstance(receiver, Found):
            value = names.step(unit, receiver, site.name)
            return self._method(unit, site, value, "static", None)
        if isinstance(receiver, External):
            return self._outside(unit, site, receiver)
        if isinstance(receiver, Space):
            return external(f"{receiver.written}.{site.name}")
        if isinstance(receiver, Items):
            name = receiver.name or "Array"
            found = None if has(name, site.name) else self._extension(unit, site, receiver)
            return found or external(f"{name}.{site.name}")
        if isinstance(receiver, Awaited):
            return external(f"Task.{site.name}")
        if isinstance(receiver, Unknown):
            return ambiguous(receiver.why, receiver.candidates) if receiver.candidates else unresolved(receiver.why)
        return unresolved("the receiver is a method")

    def _value(self, value: Value, site: CallSite) -> Outcome:
        if isinstance(value, Local):
            return resolved("csharp.local-function", "a function of the method", value.ref)
        if isinstance(value, External):
            return external(value.name)
        if isinstance(value, Space):
            return external(site.name)
        if isinstance(value, Unknown):
            return ambiguous(value.why, value.candidates) if value.candidates else unresolved(value.why)
        return unresolved("the value of a name is called")

    def _method(self, unit: Unit, site: CallSite, value: Value, how: str, receiver: Instance | None) -> Outcome:
        if not isinstance(value, Methods):
            return self._value(value, site)
        names = self.names
        got = names.slots(value.ref, value.name)
        inside = {scope.type for scope in names.around(unit, site.owner) if scope.type is not None}
        seen = [slot for slot in got.slots if self._may_call(slot, how, inside)]
        fitting = better([slot for slot in seen if slot.takes(site.arity)], site.arity)
        if not fitting:
            if got.outside:
                first = got.outside[0]
                refs = [slot.ref for slot in seen]
                if refs:
                    return ambiguous("a base outside the repository may take so many arguments", refs)
                return external(f"{first.name}.{site.name}") if isinstance(first, External) else unresolved(first.why)
            if receiver is not None and site.receiver and not names.object_takes(site.name, site.arity):
                found = self._extension(unit, site, receiver)
                if found is not None:
                    return found
            if names.object_takes(site.name, site.arity):
                return external(f"object.{site.name}")
            if not got.slots:
                return unresolved(f"no method {site.name} was found")
            return ambiguous(
                f"none of {len(got.slots)} overloads takes {site.arity} arguments", [s.ref for s in got.slots]
            )
        if len(fitting) > 1:
            return ambiguous(f"{len(fitting)} overloads take so many arguments", [slot.ref for slot in fitting])
        slot = fitting[0]
        note = self._said(value.ref)
        if names.object_takes(site.name, site.arity) and not self._overrides(slot):
            return ambiguous("every object has such a method too", (slot.ref,))
        if any(isinstance(base, Unknown) for base in got.outside):
            return ambiguous("a base that is not known may have such methods too", (slot.ref,))
        if not slot.rooted or any(isinstance(base, External) and _likely(base, site.name) for base in got.outside):
            return ambiguous("a base outside the repository has such methods too", (slot.ref,))
        if receiver is not None and not receiver.exact and slot.open and not names.is_sealed(receiver.ref):
            others = names.replacing(receiver.ref, slot, site.name, site.arity)
            if others:
                word = "type" if len(others) == 1 else "types"
                return ambiguous(f"{len(others)} {word} in the repository may replace the static target", (slot.ref,))
        return resolved(f"csharp.{how}-method", note, slot.ref)

    def _may_call(self, slot: Slot, how: str, inside: set[Ref]) -> bool:
        """Whether the way of calling allows the method: by a type, by a value, from where its access reaches."""
        if slot.private and slot.holder not in inside:
            return False
        return how == "self" or slot.static is (how == "static")

    def _overrides(self, slot: Slot) -> bool:
        unit = self.repository.unit(slot.ref.path)
        return unit is not None and "override" in unit.marks_of.get(slot.ref.at, ())

    def _outside(self, unit: Unit, site: CallSite, receiver: External) -> Outcome:
        """A method of a type outside, or an extension of the repository to one that is known to have no such method."""
        if not has(receiver.name, site.name):
            found = self._extension(unit, site, receiver)
            if found is not None:
                return found
        return external(f"{receiver.name}.{site.name}")

    def _extension(self, unit: Unit, site: CallSite, receiver: Instance | Items | External) -> Outcome | None:
        """The extension method that a call means on the receiver; None when there is none."""
        names = self.names
        opened = names.opened(unit, site.owner)
        inside = {scope.type for scope in names.around(unit, site.owner) if scope.type is not None}
        slots: list[Slot] = []
        for holder in self.repository.definers(site.name):
            other = self.repository.unit(holder.path)
            if other is None or other.language != "csharp" or names.spaces.placed(other)[holder.at] not in opened:
                continue
            first = names.first(holder)
            for slot in names.slots(first, site.name).slots:
                home = self.repository.unit(slot.ref.path)
                if home is None or "extension" not in home.marks_of.get(slot.ref.at, ()):
                    continue
                fits = slot.takes(site.arity + 1) and (not slot.private or first in inside) and slot not in slots
                if fits and self._extends(home, slot.ref.at, receiver):
                    slots.append(slot)
        fitting = better(slots, site.arity + 1)
        if not fitting:
            return None
        if len(fitting) > 1:
            return ambiguous(f"{len(fitting)} extension methods fit", [slot.ref for slot in fitting])
        return resolved("csharp.extension-method", "the one extension in sight that fits the receiver", fitting[0].ref)

    def _extends(self, unit: Unit, at: int, receiver: Instance | Items | External) -> bool:
        """Whether an extension method is one of the receiver's type, of its bases, or of anything."""
        signature = unit.signature_of.get(at)
        said = signature.parameters.partition(",")[0].partition(":")[2] if signature is not None else ""
        if said.startswith("?") or said in ("object", "Object", "dynamic"):
            return True
        value = self.names.declared(unit, at, said)
        if isinstance(value, Unknown):
            return True
        if isinstance(receiver, Items):
            return isinstance(value, Items) and (value.name in (receiver.name, "IEnumerable") or not receiver.name)
        if isinstance(receiver, External):
            return isinstance(value, External) and plain(value.name) == plain(receiver.name)
        return isinstance(value, Instance) and (
            value.ref == receiver.ref or value.ref in self.names.above(receiver.ref)
        )

    def _construction(self, value: Value, site: CallSite) -> Outcome:
        if not isinstance(value, Found):
            return self._value(value, site)
        unit = self.repository.unit(value.ref.path)
        if unit is None or self.names.is_delegate(value.ref):
            return unresolved("a delegate is made of a method")
        return resolved(
            "csharp.construction", f"the type {unit.outlines[value.ref.at].name}", *self._made(value.ref, site)
        )

    def _made(self, ref: Ref, site: CallSite) -> tuple[Ref, ...]:
        """The part of the type that has the constructor, or constructors, or is the first; and the constructor."""
        slots = self.names.constructors(ref)
        fitting = better([slot for slot in slots if slot.takes(site.arity)], site.arity)
        holder = (fitting or slots)[0].ref if slots else None
        unit = self.repository.unit(holder.path) if holder is not None else None
        part = Ref(holder.path, unit.outlines[holder.at].parent) if holder is not None and unit is not None else ref
        return (part, fitting[0].ref) if len(fitting) == 1 else (part,)

    def _chained(self, unit: Unit, site: CallSite) -> Outcome:
        """`: base(...)` and `: this(...)`."""
        names = self.names
        around = next((scope.type for scope in names.around(unit, site.owner) if scope.type is not None), None)
        if around is None:
            return unresolved("a constructor outside of a type")
        if site.form == _SELF:
            return resolved("csharp.construction", "a constructor of the same type", *self._made(around, site))
        inside, outside = names.inherited(around)
        if len(inside) == 1 and not outside:
            return resolved("csharp.construction", "a constructor of the base", *self._made(inside[0], site))
        first = outside[0] if outside else External("object")
        return external(first.name) if isinstance(first, External) else unresolved(first.why)

    def _said(self, ref: Ref) -> str:
        unit = self.repository.unit(ref.path)
        return f"the member of {unit.outlines[ref.at].name}" if unit is not None else ""

    def links(self, unit: Unit) -> Sequence[Link]:
        """Usings that mean one type, or a namespace that one file declares; public types."""
        links: list[Link] = []
        for item in unit.imports:
            target = self.names.used(unit, item)
            ref = target.ref if isinstance(target, Found) else None
            if ref is not None:
                place = (ref, item.start, item.end, item.line)
                links.append(Link(RelationKind.IMPORTS, *place, "csharp.using", item.module))
        for offered in unit.exports:
            for index in sorted(unit.outermost):
                outline = unit.outlines[index]
                if outline.name == offered.name and outline.start <= offered.start < outline.end and outline.is_type:
                    place = (Ref(unit.path, index), offered.start, offered.end, offered.line)
                    links.append(Link(RelationKind.EXPORTS, *place, "csharp.public", offered.name))
        return links


def _likely(base: External, name: str) -> bool:
    """Whether a base outside has methods of that name, as far as it is known."""
    return name in EVERYDAY if plain(base.name) not in METHODS else has(base.name, name)
