"""Calls, imports and exports of Python files.

A call of a class has the class as its target, and the `__init__` that then runs beside it when that is provable.
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
from satori.relationships.rules.python.names import Names
from satori.relationships.unit import Body, Ref, Unit

_DYNAMIC = int(SiteForm.DYNAMIC)


class PythonRules(Rules):
    """Python."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.names = Names(repository)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """The bases that are in the repository."""
        return [base for base in self.names.bases(Ref(unit.path, at)) if isinstance(base, Ref)]

    def is_test_file(self, unit: Unit) -> bool:
        """What pytest and unittest collect, and everything in a directory of tests."""
        *directories, name = unit.path.split("/")
        if name.startswith("test_") or name.endswith("_test.py") or name in ("tests.py", "conftest.py"):
            return True
        return "tests" in directories or "test" in directories

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        return [self._call(unit, body, site) for site in body.sites]

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        if site.form == _DYNAMIC:
            return unresolved("the callee is an expression")
        names = self.names
        if not site.receiver:
            if site.form != _BARE:
                return unresolved("the receiver is an expression")
            meaning, how = names.name(unit, body, site.owner, site.name, site.start)
            return self._outcome(meaning, how or "module", f"{how} {site.name}")
        receiver, how = names.trace(unit, body, site.owner, site.receiver, site.start)
        meaning = names.attribute(receiver, site.name)
        return self._outcome(meaning, _receiver_word(receiver, how), f"{site.receiver} is {self._said(receiver)}")

    def _outcome(self, meaning: Meaning, how: str, proof: str) -> Outcome:
        if isinstance(meaning, External):
            return external(meaning.name)
        if isinstance(meaning, Found):
            return self._target(meaning.ref, how, proof)
        if isinstance(meaning, Unknown):
            if meaning.candidates:
                return ambiguous(meaning.why, meaning.candidates)
            return unresolved(meaning.why)
        if isinstance(meaning, Overridden):
            count = len(meaning.others)
            word = "type" if count == 1 else "types"
            return ambiguous(f"{count} {word} in the repository may replace the static target", (meaning.target,))
        if isinstance(meaning, Subtype):
            heirs = self.names.repository.descendants(meaning.ref)
            if heirs:
                return ambiguous(f"one of {len(heirs)} classes that descend from it may be meant", (meaning.ref,))
            return self._target(meaning.ref, how, proof)
        if isinstance(meaning, Instance):
            return self._outcome(self.names.attribute(meaning, "__call__"), "call-operator", proof)
        return unresolved("a module is not called")

    def _target(self, ref: Ref, how: str, proof: str) -> Outcome:
        unit = self.repository.unit(ref.path)
        if unit is None:
            return unresolved("its definition is not known")
        outline = unit.outlines[ref.at]
        decorated = self.names.replaces(unit, ref.at)
        if decorated is not None:
            return ambiguous(f"decorated with {decorated}", (ref,))
        if outline.is_function:
            return resolved(f"python.{how}-function", proof, ref)
        if not outline.is_type:
            return unresolved("the value of a name is called")
        if self.names.metacall(ref):
            return ambiguous("its metaclass decides what calling it means", (ref,))
        constructor = self.names.constructor(ref)
        targets = (ref,) if constructor is None else (ref, constructor)
        return resolved(f"python.{how}-class", proof, *targets)

    def _said(self, receiver: Meaning) -> str:
        if isinstance(receiver, Module):
            return f"the module {receiver.path}"
        if isinstance(receiver, Found | Instance | Subtype | Parent):
            unit = self.repository.unit(receiver.ref.path)
            name = unit.outlines[receiver.ref.at].name if unit is not None else ""
            if isinstance(receiver, Found):
                return f"the class {name}"
            return f"what follows {name}" if isinstance(receiver, Parent) else f"of type {name}"
        return ""

    def links(self, unit: Unit) -> Sequence[Link]:
        """Imports of modules and of their names, and the names that `__all__` or a package's `__init__` offers."""
        links: list[Link] = []
        barrel = unit.path.endswith("__init__.py")
        for item in unit.imports:
            source = self.names.modules.imported(unit, item.module)
            star = item.name == "*"
            meaning = source if star or not item.name else self.names.member_of(source, item.name)
            ref = self._linked(meaning) or self._linked(source)
            if ref is None:
                continue
            place = (ref, item.start, item.end, item.line)
            said = f"{item.module} {item.name}".rstrip()
            links.append(Link(RelationKind.IMPORTS, *place, "python.import", said))
            offers = barrel and item.scope == -1 and item.name and not star and not item.alias.startswith("_")
            if offers and ref.at >= 0 and not unit.exports:
                links.append(Link(RelationKind.EXPORTS, *place, "python.package-export", said))
        for offered in unit.exports:
            found = self.names.module_name(unit, offered.local)
            ref = self._linked(found.meaning) if found is not None else None
            if ref is None:
                values = unit.members.get((-1, offered.local), ())
                ref = Ref(unit.path, values[0]) if len(values) == 1 else None
            if ref is not None and ref.at >= 0:
                place = (ref, offered.start, offered.end, offered.line)
                links.append(Link(RelationKind.EXPORTS, *place, "python.all", offered.name))
        return links

    def _linked(self, meaning: Meaning) -> Ref | None:
        if isinstance(meaning, Found):
            return meaning.ref
        if isinstance(meaning, Module) and meaning.path.endswith(".py"):
            return Ref(meaning.path, -1)
        return None


_BARE = int(SiteForm.BARE)


def _receiver_word(receiver: Meaning, how: str) -> str:
    """The word for how a receiver proves its member."""
    if isinstance(receiver, Module):
        return "module-attribute"
    if isinstance(receiver, Found):
        return "class-attribute"
    if isinstance(receiver, Parent):
        return "super"
    if isinstance(receiver, Subtype):
        return "self" if how == "self" else "class-attribute"
    if isinstance(receiver, Instance):
        if how == "self":
            return "constructed-field" if receiver.exact else "self"
        return "constructed" if receiver.exact else "typed"
    return how or "receiver"
