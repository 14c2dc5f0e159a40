"""Calls, imports and exports of JavaScript and TypeScript files.

`new T()` has the class as its target, and its constructor beside it when that is provable; `super()` likewise the class
that is extended.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.reference import CallSite, SiteForm
from satori.model.relationship import RelationKind
from satori.relationships.meaning import (
    External,
    Found,
    Instance,
    Meaning,
    Module,
    Overridden,
    Parent,
    Subtype,
    Unknown,
)
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules, ambiguous, external, resolved, unresolved
from satori.relationships.rules.javascript.names import Names
from satori.relationships.unit import Body, Ref, Unit

_DYNAMIC, _SUPER, _CONSTRUCT = int(SiteForm.DYNAMIC), int(SiteForm.SUPER), int(SiteForm.CONSTRUCT)
_WITHOUT_RECEIVER = {int(SiteForm.BARE), _CONSTRUCT}
_TEST_DIRECTORIES = {"test", "tests", "__tests__", "spec", "specs", "e2e"}


class JavaScriptRules(Rules):
    """JavaScript, TypeScript and their JSX forms."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.names = Names(repository)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """What the type extends or implements in the repository."""
        found = self.names.bases(Ref(unit.path, at), implemented=True)
        return [base for base in found if isinstance(base, Ref)]

    def is_test_file(self, unit: Unit) -> bool:
        """Files named `*.test.*` and `*.spec.*`, and everything in a directory of tests."""
        *directories, name = unit.path.split("/")
        return ".test." in name or ".spec." in name or not _TEST_DIRECTORIES.isdisjoint(directories)

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        return [self._call(unit, body, site) for site in body.sites]

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        names = self.names
        if site.form == _DYNAMIC:
            return unresolved("the callee is an expression")
        if site.form == _SUPER and site.name == "super":
            return self._super(unit, site)
        made = site.form == _CONSTRUCT
        if not site.receiver:
            if site.form not in _WITHOUT_RECEIVER:
                return unresolved("the receiver is an expression")
            meaning, how = names.name(unit, body, site.owner, site.name, site.start, types=False)
            return self._outcome(meaning, how or "module", f"{how} {site.name}", made=made)
        receiver, how = names.trace(unit, body, site.owner, site.receiver, site.start)
        meaning = names.attribute(receiver, site.name)
        return self._outcome(meaning, _word(receiver, how), f"{site.receiver} is {self._said(receiver)}", made=made)

    def _super(self, unit: Unit, site: CallSite) -> Outcome:
        parent = self.names.evaluate(unit, None, site.owner, "super", -1, types=False)
        order = self.names.order(parent.ref)[1:] if isinstance(parent, Parent) else ()
        base = order[0] if order else None
        if isinstance(base, Ref):
            constructor = self.names.constructor(base)
            targets = (base,) if constructor is None else (base, constructor)
            return resolved("javascript.super-class", "the class that is extended", *targets)
        return external(base.name) if isinstance(base, External) else unresolved("what is extended is not known")

    def _outcome(self, meaning: Meaning, how: str, proof: str, *, made: bool) -> Outcome:
        if isinstance(meaning, External):
            return external(meaning.name)
        if isinstance(meaning, Found):
            return self._target(meaning.ref, how, proof, made=made)
        if isinstance(meaning, Overridden):
            count = len(meaning.others)
            word = "type" if count == 1 else "types"
            return ambiguous(f"{count} {word} in the repository may replace the static target", (meaning.target,))
        if isinstance(meaning, Unknown):
            return ambiguous(meaning.why, meaning.candidates) if meaning.candidates else unresolved(meaning.why)
        if isinstance(meaning, Subtype):
            heirs = self.repository.descendants(meaning.ref)
            if heirs:
                return ambiguous(f"one of {len(heirs)} classes that descend from it may be meant", (meaning.ref,))
            return self._target(meaning.ref, how, proof, made=made)
        return unresolved("a value is called" if isinstance(meaning, Instance) else "a module is called")

    def _target(self, ref: Ref, how: str, proof: str, *, made: bool) -> Outcome:
        unit = self.repository.unit(ref.path)
        if unit is None or ref.at < 0:
            return unresolved("its definition is not known")
        outline = unit.outlines[ref.at]
        marks = unit.marks_of.get(ref.at, ())
        if any(mark.startswith("@") for mark in marks):
            return ambiguous("decorated", (ref,))
        if outline.is_function:
            return resolved(f"javascript.{how}-function", proof, ref)
        if not outline.is_type or not made:
            return unresolved("the value of a name is called")
        constructor = self.names.constructor(ref)
        targets = (ref,) if constructor is None else (ref, constructor)
        return resolved(f"javascript.{how}-class", proof, *targets)

    def _said(self, receiver: Meaning) -> str:
        if isinstance(receiver, Module):
            return f"the module {receiver.path}"
        if isinstance(receiver, Found | Instance | Subtype | Parent):
            unit = self.repository.unit(receiver.ref.path)
            name = unit.outlines[receiver.ref.at].name if unit is not None and receiver.ref.at >= 0 else ""
            if isinstance(receiver, Found):
                return name
            return f"what {name} extends" if isinstance(receiver, Parent) else f"of type {name}"
        return ""

    def links(self, unit: Unit) -> Sequence[Link]:
        """Imports of files and of what they offer, and exports, re-exports included."""
        links: list[Link] = []
        for item in unit.imports:
            source = self.names.modules.imported(unit, item.module)
            ref = None
            if item.name and item.name != "*":
                ref = _linked(self.names.offered(source, item.name, types=False))
                ref = ref or _linked(self.names.offered(source, item.name, types=True))
            ref = ref or _linked(source)
            if ref is not None:
                said = f"{item.module} {item.name}".rstrip()
                place = (ref, item.start, item.end, item.line)
                links.append(Link(RelationKind.IMPORTS, *place, "javascript.import", said))
        for offered in unit.exports:
            if offered.name == "*":
                source = self.names.modules.imported(unit, offered.module) if offered.module else Unknown("spread")
                ref = _linked(source)
                if ref is not None:
                    place = (ref, offered.start, offered.end, offered.line)
                    links.append(Link(RelationKind.IMPORTS, *place, "javascript.import", offered.module))
                continue
            ref = None
            for types in (False, True):
                ref = ref or _linked(self.names.exported_by(unit, offered.local, offered.module, types=types))
            if ref is None and not offered.module:
                values = unit.members.get((-1, offered.local), ())
                ref = Ref(unit.path, values[0]) if len(values) == 1 else None
            if ref is not None and ref.at >= 0:
                place = (ref, offered.start, offered.end, offered.line)
                links.append(Link(RelationKind.EXPORTS, *place, "javascript.export", offered.name))
        return links


def _linked(meaning: Meaning) -> Ref | None:
    if isinstance(meaning, Found):
        return meaning.ref
    return Ref(meaning.path, -1) if isinstance(meaning, Module) else None


def _word(receiver: Meaning, how: str) -> str:
    """The word for how a receiver proves its member."""
    if isinstance(receiver, Module):
        return "module-attribute"
    if isinstance(receiver, Found):
        return "object-member" if how != "this" else "this"
    if isinstance(receiver, Parent):
        return "super"
    if how == "this":
        return "constructed-field" if isinstance(receiver, Instance) and receiver.exact else "this"
    if isinstance(receiver, Instance):
        return "constructed" if receiver.exact else "typed"
    return how or "receiver"
