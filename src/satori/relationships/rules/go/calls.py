"""Calls, imports and exports of Go files.

A method that an interface asks for is a target only while no type of the repository has a method of that name; else it
is a candidate, with those of the types that have all that the interface asks for. Function values, conversions and what
the language declares (`len`, `string`) are no calls of definitions.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.reference import CallSite, SiteForm
from satori.model.relationship import RelationKind
from satori.relationships.meaning import External, Found, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules, ambiguous, external, resolved, unresolved
from satori.relationships.rules.go.names import Names, tests_of
from satori.relationships.rules.go.shapes import Meaning, Method, Named, Package, Value
from satori.relationships.unit import Body, Ref, Unit

_DYNAMIC = int(SiteForm.DYNAMIC)


class GoRules(Rules):
    """Go."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.names = Names(repository)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """The types of the repository that the type embeds."""
        embedded = self.names.embedded(Ref(unit.path, at))
        return [held.ref for held in embedded if isinstance(held, Named)]

    def is_test_file(self, unit: Unit) -> bool:
        """What the go command takes for tests."""
        return unit.path.endswith("_test.go")

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        return [self._call(unit, body, site) for site in body.sites]

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        names = self.names
        if site.form == _DYNAMIC:
            return unresolved("the callee is an expression")
        if not site.receiver:
            if site.form:
                return unresolved("the receiver is an expression")
            meaning = names.name(unit, body, site.owner, site.name, site.start)
            other = self.repository.unit(meaning.ref.path) if isinstance(meaning, Found) else None
            if other is None or other.package == unit.package:
                return self._outcome(meaning, "package-function", "declared in the package")
            return self._outcome(meaning, "dot-imported-function", f"of the package {other.package}")
        receiver = names.evaluate(unit, body, site.owner, site.receiver, site.start)
        meaning = names.attribute(receiver, site.name, tests=tests_of(unit))
        return self._outcome(meaning, _word(receiver, meaning), f"{site.receiver} is {self._said(receiver)}")

    def _outcome(self, meaning: Meaning, word: str, proof: str) -> Outcome:
        if isinstance(meaning, External):
            return external(meaning.name)
        if isinstance(meaning, Method):
            if meaning.interface:
                return self._asked(meaning.ref, proof)
            return resolved(f"go.{word}", proof, meaning.ref)
        if isinstance(meaning, Found):
            unit = self.repository.unit(meaning.ref.path)
            if unit is not None and unit.outlines[meaning.ref.at].is_function:
                return resolved(f"go.{word}", proof, meaning.ref)
            return unresolved("a conversion")
        if isinstance(meaning, Unknown):
            return ambiguous(meaning.why, meaning.candidates) if meaning.candidates else unresolved(meaning.why)
        return unresolved("a function value")

    def _asked(self, ref: Ref, proof: str) -> Outcome:
        """A call through an interface."""
        unit = self.repository.unit(ref.path)
        name = unit.outlines[ref.at].name if unit is not None else ""
        count = self.names.count_methods(name)
        if count:
            word = "method" if count == 1 else "methods"
            candidates = (ref, *self.names.implementers(ref))
            return ambiguous(f"{count} {word} of that name may stand behind the interface", candidates)
        return resolved("go.interface-method", proof, ref)

    def _said(self, receiver: Meaning) -> str:
        if isinstance(receiver, Package):
            return f"the package {receiver.directory or receiver.name}"
        held = self.names.type_of(receiver)
        ref = receiver.ref if isinstance(receiver, Found) else held.ref if isinstance(held, Named) else None
        unit = self.repository.unit(ref.path) if ref is not None else None
        return f"of type {unit.outlines[ref.at].name}" if unit is not None and ref is not None else ""

    def links(self, unit: Unit) -> Sequence[Link]:
        """Imports of packages, as the file that stands for each, and exported names."""
        links: list[Link] = []
        for item in unit.imports:
            directory = self.names.packages.directory(unit, item.module)
            face = self.names.packages.face(directory) if directory is not None else None
            if face is not None:
                place = (Ref(face, -1), item.start, item.end, item.line)
                links.append(Link(RelationKind.IMPORTS, *place, "go.import", item.module))
        if self.is_test_file(unit):
            return links
        for offered in unit.exports:
            place = (Ref(unit.path, int(offered.local[1:])), offered.start, offered.end, offered.line)
            links.append(Link(RelationKind.EXPORTS, *place, "go.export", offered.name))
        return links


def _word(receiver: Meaning, meaning: Meaning) -> str:
    """The word for how a receiver proves its member."""
    if isinstance(receiver, Package):
        return "imported-function"
    if isinstance(meaning, Method) and meaning.promoted:
        return "promoted-method"
    if isinstance(receiver, Found):
        return "method-expression"
    return f"{receiver.how}-method" if isinstance(receiver, Value) else "typed-method"
