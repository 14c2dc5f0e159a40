"""Calls and includes of C++ files.

A construction has the class as its target, and beside it the constructor when one alone takes so many arguments; with
one argument the class alone, since a copy may be meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.reference import CallSite, SiteForm
from satori.model.relationship import RelationKind
from satori.relationships.meaning import External, Found, Instance, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules, ambiguous, external, resolved, unresolved
from satori.relationships.rules.c_library import LIBRARY
from satori.relationships.rules.cpp.names import Names
from satori.relationships.rules.cpp.overloads import Overload
from satori.relationships.rules.cpp.values import Functions, Pointer, Value
from satori.relationships.rules.includes import includes_of
from satori.relationships.unit import Body, Ref, Unit

_BARE, _CONSTRUCT, _DYNAMIC = int(SiteForm.BARE), int(SiteForm.CONSTRUCT), int(SiteForm.DYNAMIC)
_TEST_DIRECTORIES = {"test", "tests", "testing", "unittest", "unittests", "unit_tests"}
_TEST_ENDINGS = ("_test", "_tests", "_unittest", "_unittests", "-test", "-tests", "Test", "Tests")
_TEST_STARTS = ("test_", "test-", "Test")


class CppRules(Rules):
    """C++."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.names = Names(repository)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """The bases of a class that are in the repository."""
        return [base for base in self.names.bases(Ref(unit.path, at)) if isinstance(base, Ref)]

    def is_test_file(self, unit: Unit) -> bool:
        """Files of a directory of tests, or named after them."""
        *directories, name = unit.path.split("/")
        stem = name.rpartition(".")[0]
        named = stem.startswith(_TEST_STARTS) or stem.endswith(_TEST_ENDINGS)
        return named or not _TEST_DIRECTORIES.isdisjoint(directories)

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        return [self._call(unit, body, site) for site in body.sites]

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        names = self.names
        if site.form == _DYNAMIC:
            return unresolved("the callee is an expression")
        if site.form == _CONSTRUCT:
            value = names.named_type(unit, body, site.owner, site.receiver + site.name, site.start)
            if isinstance(value, Unknown) and not value.candidates and site.receiver == "":
                value = names.find(unit, body, site.owner, site.name, site.start)
            return self._outcome(unit, site, value, "construction", None)
        if not site.receiver:
            if site.form != _BARE:
                return unresolved("the receiver is an expression")
            value = names.find(unit, body, site.owner, site.name, site.start)
            if isinstance(value, Functions) and value.holder is not None:
                static = Instance(value.holder, exact=False)
                this = next((scope.type for scope in names.around(unit, site.owner) if scope.type is not None), None)
                return self._outcome(unit, site, value, "self", Instance(this, exact=False) if this else static)
            return self._outcome(unit, site, value, "scope", None)
        if site.receiver.endswith("::"):
            value = names.qualified(unit, body, site.owner, site.receiver + site.name, site.start)
            return self._outcome(unit, site, value, "qualified", None)
        arrow = site.receiver.endswith("->")
        chain = site.receiver.removesuffix("->")
        receiver = names.through(names.evaluate(unit, body, site.owner, chain, site.start), "->" if arrow else ".")
        value = names.attribute(receiver, site.name)
        how = "self" if site.receiver == "this->" else "typed"
        if isinstance(receiver, Instance):
            how = "constructed" if receiver.exact else how
            return self._outcome(unit, site, value, how, receiver)
        return self._outcome(unit, site, value, how, None)

    def _outcome(self, unit: Unit, site: CallSite, value: Value, how: str, receiver: Instance | None) -> Outcome:
        if isinstance(value, External):
            return external(value.name)
        if isinstance(value, Unknown):
            return ambiguous(value.why, value.candidates) if value.candidates else unresolved(value.why)
        if isinstance(value, Found) or (isinstance(value, Instance) and site.form == _CONSTRUCT):
            return self._construction(value.ref, site)
        if isinstance(value, Functions):
            return self._function(unit, site, value, how, receiver)
        if isinstance(value, Instance | Pointer):
            return unresolved("a variable is called")
        return unresolved("a namespace is called")

    def _construction(self, ref: Ref, site: CallSite) -> Outcome:
        unit = self.repository.unit(ref.path)
        if unit is None or not unit.outlines[ref.at].is_type:
            return unresolved("not a class")
        # One argument may be copied: that constructor need not be written.
        several = site.arity in (1, -1)
        fitting = [] if several else [item for item in self.names.constructors(ref) if item.takes(site.arity)]
        target = fitting[0].target if len(fitting) == 1 else None
        targets = (ref,) if target is None else (ref, target)
        return resolved("cpp.construction", f"the class {unit.outlines[ref.at].name}", *targets)

    def _function(self, unit: Unit, site: CallSite, value: Functions, how: str, receiver: Instance | None) -> Outcome:
        names = self.names
        items = names.functions(value)
        fitting = [item for item in items if item.takes(site.arity)]
        refs = [ref for item in fitting or items for ref in item.refs[:1]]
        if not fitting:
            return ambiguous(f"none of {len(items)} overloads takes {site.arity} arguments", refs)
        if len(fitting) > 1:
            return ambiguous(f"{len(fitting)} overloads take so many arguments", refs)
        item = fitting[0]
        target = item.target
        if target is None:
            return ambiguous(f"defined {len(item.defined)} times", item.refs)
        if names.specialized(value):
            return ambiguous("specialized for some types", item.refs)
        if value.holder is None:
            return self._free(unit, site, value, item, target, how)
        if receiver is not None and not receiver.exact and self.names.is_virtual(value.holder, item):
            others = (
                () if self.names.is_final(receiver.ref, item) else self._replacing(receiver.ref, value.holder, site)
            )
            if others:
                word = "type" if len(others) == 1 else "types"
                return ambiguous(f"{len(others)} {word} in the repository may replace the static target", (target,))
        return resolved(f"cpp.{how}-function", self._said(value.holder), target)

    def _replacing(self, ref: Ref, holder: Ref, site: CallSite) -> list[Ref]:
        """The types that may replace the method of `holder` on a value of the type `ref`."""
        return [other for other in self.repository.overriders(ref, site.name) if other != holder]

    def _free(self, unit: Unit, site: CallSite, value: Functions, item: Overload, target: Ref, how: str) -> Outcome:
        spaces = self.names.spaces
        home = self.repository.unit(target.path)
        space = spaces.placed(home)[target.at] if home is not None else None
        if site.name in LIBRARY and (how == "scope" or not space):
            return ambiguous("also a function of the C library", item.refs)
        if how == "scope" and site.arity:
            others = [
                ref
                for other, found in spaces.by_space(unit.path, site.name).items()
                if other not in ("#", space)
                for ref in found
                if ref not in value.refs and self._may_take(ref, site.arity)
            ]
            if others:
                return ambiguous("the arguments may choose one of another namespace", [target, *others])
        return resolved(f"cpp.{how}-function", f"the function of {space or 'the global namespace'}", target)

    def _may_take(self, ref: Ref, arity: int) -> bool:
        unit = self.repository.unit(ref.path)
        if unit is None or not unit.outlines[ref.at].is_function:
            return False
        signature = unit.signature_of.get(ref.at)
        if signature is None or arity < 0:
            return True
        return signature.least <= arity and (signature.most < 0 or arity <= signature.most)

    def _said(self, ref: Ref) -> str:
        unit = self.repository.unit(ref.path)
        return f"the member of {unit.outlines[ref.at].name}" if unit is not None else ""

    def links(self, unit: Unit) -> Sequence[Link]:
        """Includes that mean one file."""
        links = []
        for item in includes_of(unit):
            headers = self.names.spaces.includes.included(unit.path, item.module)
            if len(headers) == 1:
                place = (Ref(headers[0], -1), item.start, item.end, item.line)
                links.append(Link(RelationKind.IMPORTS, *place, "cpp.include", item.module))
        return links
