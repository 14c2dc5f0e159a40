"""Calls and imports of Scala files.

A construction, and the application of a case class, has the class as its target; with `new`, a constructor `this` that
alone takes so many arguments stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.reference import CallSite, Import, SiteForm
from satori.model.relationship import RelationKind
from satori.relationships.meaning import External, Found, Instance, Meaning, Module, Overridden, Parent, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules, ambiguous, external, resolved, unresolved
from satori.relationships.rules.scala.names import Names
from satori.relationships.rules.scala.types import alternative, fits, functions
from satori.relationships.unit import Body, Ref, Unit

_BARE, _CONSTRUCT, _DYNAMIC = int(SiteForm.BARE), int(SiteForm.CONSTRUCT), int(SiteForm.DYNAMIC)
_TEST_NAMES = ("Test.scala", "Tests.scala", "Spec.scala", "Specs.scala", "Suite.scala")
_TEST_DIRECTORIES = {"test", "tests", "it"}


class ScalaRules(Rules):
    """Scala 2 and 3."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.names = Names(repository)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """What the type extends in the repository. What classes without a name inside it extend is counted too, so that
        their members are found among those that may replace others."""
        ref = Ref(unit.path, at)
        found = [base for base in self.names.bases(ref) if isinstance(base, Ref)]
        return list(dict.fromkeys((*found, *(base for base in self.names.unnamed(ref) if base != ref))))

    def is_test_file(self, unit: Unit) -> bool:
        """Files in a directory of tests, and those named after what runs them."""
        *directories, name = unit.path.split("/")
        return name.endswith(_TEST_NAMES) or not _TEST_DIRECTORIES.isdisjoint(directories)

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        return [self._call(unit, body, site) for site in body.sites]

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        names = self.names
        if site.form == _DYNAMIC:
            return unresolved("the callee is an expression")
        if site.form == _CONSTRUCT:
            text = f"{site.receiver}.{site.name}" if site.receiver else site.name
            return self._made(names.type_named(unit, site.owner, text), site.arity)
        if not site.receiver:
            if site.form != _BARE:
                return unresolved("the receiver is an expression")
            if site.name == "this":
                return self._own_constructor(unit, site)
            named = names.name(unit, body, site.owner, site.name, site.start, site.arity)
            return self._outcome(named.meaning, named.how or "local", f"{named.how} {site.name}", site.arity)
        receiver, how = names.trace(unit, body, site.owner, site.receiver, site.start)
        meaning = names.member(receiver, site.name, site.arity)
        if _is_assignment(site.name) and meaning == Unknown(f"no member {site.name}"):
            # `a += b` is `a = a + b` where there is no `+=`.
            meaning = names.member(receiver, site.name[:-1], site.arity)
        own = site.receiver == "this" or site.receiver.endswith(".this")
        return self._outcome(
            meaning, _word(receiver, how, own=own), f"{site.receiver} is {self._said(receiver)}", site.arity
        )

    def _made(self, meaning: Meaning, arity: int) -> Outcome:
        if isinstance(meaning, Found):
            unit = self.repository.unit(meaning.ref.path)
            targets = [meaning.ref]
            if unit is not None and not fits(alternative(unit, meaning.ref.at, None), arity):
                others = [alternative(unit, index, None) for index in functions(unit, meaning.ref.at, "this")]
                taking = [one.ref for one in others if fits(one, arity)]
                targets += taking if len(taking) == 1 else []
            return resolved("scala.new-class", "the name leads to one class", *targets)
        return self._outcome(meaning, "new", "", arity)

    def _own_constructor(self, unit: Unit, site: CallSite) -> Outcome:
        scope = site.owner
        while scope >= 0 and not unit.outlines[scope].is_type:
            scope = unit.outlines[scope].parent
        if scope < 0 or unit.outlines[site.owner].name != "this":
            return unresolved("applies the instance around")
        return self._made(Found(Ref(unit.path, scope)), site.arity)

    def _outcome(self, meaning: Meaning, how: str, proof: str, arity: int) -> Outcome:
        if isinstance(meaning, External):
            return external(meaning.name)
        if isinstance(meaning, Overridden):
            count = len(meaning.others)
            word = "type" if count == 1 else "types"
            return ambiguous(f"{count} {word} in the repository may replace the static target", (meaning.target,))
        if isinstance(meaning, Unknown):
            return ambiguous(meaning.why, meaning.candidates) if meaning.candidates else unresolved(meaning.why)
        if isinstance(meaning, Instance):
            called = self.names.member(meaning, "apply", arity)
            if isinstance(called, Found):
                return resolved("scala.apply-method", f"{proof}, a value with apply", called.ref)
            return self._outcome(called, how, proof, arity) if not isinstance(called, Instance) else _value()
        if not isinstance(meaning, Found):
            return unresolved("a package is called")
        unit = self.repository.unit(meaning.ref.path)
        if unit is None:
            return unresolved("its definition is not known")
        outline = unit.outlines[meaning.ref.at]
        if outline.is_function:
            if "implicit" in unit.marks_of.get(meaning.ref.at, ()) and not unit.signature_of[meaning.ref.at].parameters:
                return _value()
            return resolved(f"scala.{how}-method", proof, meaning.ref)
        if not outline.is_type:
            return _value()
        if not self.names.is_object(meaning.ref):
            return resolved(f"scala.{how}-class", proof, meaning.ref)
        called = self.names.apply(meaning.ref, arity)
        if isinstance(called, Found) and called.ref != meaning.ref:
            inner = self.repository.unit(called.ref.path)
            if inner is not None and inner.outlines[called.ref.at].is_function:
                return resolved(f"scala.{how}-apply", f"{proof}, an object with apply", called.ref)
            return resolved(f"scala.{how}-class", f"{proof}, beside its class", called.ref)
        return self._outcome(called, how, proof, arity) if not isinstance(called, Found | Instance) else _value()

    def _said(self, receiver: Meaning) -> str:
        if isinstance(receiver, Module):
            return f"the package {receiver.path}"
        if isinstance(receiver, Found | Instance | Parent):
            unit = self.repository.unit(receiver.ref.path)
            name = unit.outlines[receiver.ref.at].name if unit is not None else ""
            if isinstance(receiver, Parent):
                return f"what {name} extends"
            return f"the object {name}" if isinstance(receiver, Found) else f"of type {name}"
        return ""

    def links(self, unit: Unit) -> Sequence[Link]:
        """What imports name, and the objects whose members they take."""
        links: list[Link] = []
        for item in unit.imports:
            ref = self._linked(unit, item)
            if ref is not None:
                said = f"{item.module}.{item.name}"
                links.append(Link(RelationKind.IMPORTS, ref, item.start, item.end, item.line, "scala.import", said))
        return links

    def _linked(self, unit: Unit, item: Import) -> Ref | None:
        if item.name == "*":
            source = self.names.path(unit, item.scope, item.module)
            return source.ref if isinstance(source, Found | Instance) else None
        for types in (True, False):
            found = self.names.imported(unit, item, -1, types=types)
            if isinstance(found, Found):
                return found.ref
        return None


def _is_assignment(name: str) -> bool:
    return len(name) > 1 and name.endswith("=") and name[0] not in "=<>!" and not name[0].isalnum()


def _value() -> Outcome:
    return unresolved("the value of a name is called")


def _word(receiver: Meaning, how: str, *, own: bool) -> str:
    """The word for how a receiver proves its member."""
    if isinstance(receiver, Module):
        return "package"
    if isinstance(receiver, Found):
        return "object"
    if isinstance(receiver, Parent) or how == "super":
        return "super"
    if isinstance(receiver, Instance):
        if own or how == "self":
            return "this"
        if how == "this":
            return "constructed-field" if receiver.exact else "field"
        return "constructed" if receiver.exact else "typed"
    return how or "receiver"
