"""Calls, imports and exports of Java files.

`new T()` has the type as its target, and the constructor that runs beside it when the number of arguments decides it;
`super()` likewise what is extended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import CallSite, ImportFlag, SiteForm
from satori.model.relationship import RelationKind
from satori.relationships.meaning import External, Found, Instance, Parent, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules, ambiguous, external, resolved, unresolved
from satori.relationships.rules.java.library import METHODS, OVERLOADED, SUPERTYPES
from satori.relationships.rules.java.members import is_constructor, words_of
from satori.relationships.rules.java.names import Names
from satori.relationships.rules.java.overloads import Overloads
from satori.relationships.rules.java.values import Bounded, Methods, Named, said_of
from satori.relationships.unit import Body, Ref, Unit

_BARE, _CONSTRUCT, _DYNAMIC = int(SiteForm.BARE), int(SiteForm.CONSTRUCT), int(SiteForm.DYNAMIC)
_STATIC = int(ImportFlag.STATIC)
_OBJECT = frozenset({"clone", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"})
_TEST_DIRECTORIES = {"test", "tests", "androidTest", "integrationTest", "testFixtures"}
_TEST_NAMES = ("Test.java", "Tests.java", "TestCase.java", "IT.java")


class _Case(NamedTuple):
    """How a method was found: the rule, its proof, the type of the receiver on which something may replace it, or of
    one on which nothing may (`around`)."""

    rule: str
    proof: str
    receiver: Ref | None = None
    around: Ref | None = None
    bounded: bool = False


class JavaRules(Rules):
    """Java."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.names = Names(repository)
        self.overloads = Overloads(self.names)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """What the type extends or implements in the repository. What classes without a name inside it extend is
        counted too, so that their methods are found among those that may replace others."""
        ref = Ref(unit.path, at)
        found = [base for base in self.names.bases(ref) if isinstance(base, Ref)]
        found += [base for _, base in self.names.anonymous(ref)]
        return list(dict.fromkeys(base for base in found if base != ref))

    def is_test_file(self, unit: Unit) -> bool:
        """Files in a directory of tests, and those named after what runs them."""
        *directories, name = unit.path.split("/")
        return name.endswith(_TEST_NAMES) or not _TEST_DIRECTORIES.isdisjoint(directories)

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        return [self._call(unit, body, site) for site in body.sites]

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        if site.form == _DYNAMIC:
            return unresolved("an inner class is made by an expression")
        if site.form == _CONSTRUCT:
            return self._construction(unit, body, site)
        if site.name in ("this", "super") and not site.receiver:
            return self._chained(unit, body, site)
        if site.form == _BARE:
            return self._bare(unit, body, site)
        if not site.receiver:
            return unresolved("the receiver is an expression")
        named = self.names.trace(unit, body, site.owner, site.receiver, site.start)
        return self._member(unit, body, site, named)

    def _bare(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        methods, around = self.names.bare(unit, body, site.owner, site.name, site.start)
        if not methods.refs:
            outside = methods.outside
            if isinstance(outside, External):
                return external(f"{outside.name}.{site.name}")
            return self._missing(site, outside)
        if isinstance(around, str):
            return self._chosen(unit, body, site, methods, _Case("imported-method", "a static import"))
        if around.ref is None:
            # Nothing descends from a class without a name.
            case = _Case("anonymous-method", "a method of the class without a name around the call")
            return self._chosen(unit, body, site, methods, case)
        own = around == next(self.names.around(unit, body, site.owner, site.start))
        rule = "own-method" if own else "outer-method"
        case = _Case(rule, "a method of the class around the call", around.ref)
        return self._chosen(unit, body, site, methods, case)

    def _missing(self, site: CallSite, outside: Unknown | None) -> Outcome:
        if outside is None and site.name in _OBJECT:
            return external(f"Object.{site.name}")
        return unresolved(outside.why if outside is not None else f"no method {site.name}")

    def _member(self, unit: Unit, body: Body, site: CallSite, named: Named) -> Outcome:
        value, how = named
        methods = self.names.methods_of(value, site.name)
        if not methods.refs:
            outside = methods.outside
            if isinstance(outside, External):
                return external(f"{outside.name}.{site.name}")
            if not site.arity and self.names.component(value, site.name) is not None:
                return unresolved("a record's accessor that nobody wrote")
            return self._missing(site, outside)
        said = f"{site.receiver} is {said_of(self.repository, value)}"
        if isinstance(value, Found):
            case = _Case("static-method", said)
        elif isinstance(value, Parent):
            case = _Case("super-method", said, around=value.ref)
        elif isinstance(value, Bounded):
            case = _Case("typed-method", said, value.ref, bounded=True)
        elif isinstance(value, Instance) and value.exact:
            case = _Case("super-method" if how == "super" else "constructed-method", said, around=value.ref)
        elif isinstance(value, Instance):
            case = _Case("this-method" if how == "this" else "typed-method", said, value.ref)
        else:
            return unresolved("a value that has no methods")
        return self._chosen(unit, body, site, methods, case)

    def _chosen(self, unit: Unit, body: Body, site: CallSite, methods: Methods, case: _Case) -> Outcome:
        """The one method that takes these arguments, unless something may replace it on the receiver."""
        seen = [ref for ref in methods.refs if self.names.accessible(unit, ref)]
        fitting, same = self.overloads.chosen(unit, body, site, seen, alone=methods.outside is None)
        if not fitting:
            outside = methods.outside
            if isinstance(outside, External):
                return external(f"{outside.name}.{site.name}")
            return ambiguous("none of them takes these arguments", methods.refs)
        if len(fitting) > 1:
            return ambiguous("the types of the arguments decide which of them is called", fitting)
        target = fitting[0]
        hidden = self._hidden(methods, site, target, case.receiver or case.around, same=same)
        if hidden:
            return ambiguous(hidden, (target,))
        if case.receiver is not None:
            others = self.names.overriders(case.receiver, target, bounded=case.bounded)
            if others:
                word = "type" if len(others) == 1 else "types"
                return ambiguous(f"{len(others)} {word} in the repository may replace the static target", (target,))
        return resolved(f"java.{case.rule}", case.proof, target)

    def _hidden(self, methods: Methods, site: CallSite, target: Ref, ref: Ref | None, *, same: bool) -> str:
        """Why something outside the repository may be meant instead, "" when nothing may."""
        if methods.skipped is not None and (not _is_library(methods.skipped) or site.name in METHODS):
            return f"a class nearer to the call may inherit {site.name} from outside of the repository"
        if methods.outside is None:
            return ""
        if not same and f"{site.name}/{site.arity}" in OVERLOADED:
            return f"a base outside of the repository may have another {site.name}"
        if ref is None or not self._is_interface(self.names.holder(target)) or self._is_interface(ref):
            return ""
        if not _is_library(methods.outside) or site.name in METHODS:
            return f"a class outside of the repository may declare {site.name}"
        return ""

    def _is_interface(self, ref: Ref) -> bool:
        unit = self.repository.unit(ref.path)
        return unit is not None and ref.at >= 0 and unit.outlines[ref.at].kind is SymbolKind.INTERFACE

    def _construction(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        text = f"{site.receiver}.{site.name}" if site.receiver else site.name
        meaning = self.names.type_of(unit, site.owner, text)
        if isinstance(meaning, External):
            return external(meaning.name)
        if not isinstance(meaning, Found):
            return unresolved(meaning.why if isinstance(meaning, Unknown) else "what is made is no class")
        return self._made(unit, body, site, meaning.ref, "constructor", f"{text} is made")

    def _made(self, unit: Unit, body: Body, site: CallSite, ref: Ref, rule: str, proof: str) -> Outcome:
        fitting, _ = self.overloads.chosen(unit, body, site, self._constructors(ref), alone=True)
        targets = (ref, fitting[0]) if len(fitting) == 1 else (ref,)
        return resolved(f"java.{rule}", proof, *targets)

    def _constructors(self, ref: Ref) -> list[Ref]:
        unit = self.repository.unit(ref.path)
        if unit is None or ref.at < 0:
            return []
        indexes = unit.members.get((ref.at, unit.outlines[ref.at].name), ())
        return [Ref(ref.path, i) for i in indexes if unit.outlines[i].is_function and is_constructor(unit, i)]

    def _chained(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        """`this(...)` and `super(...)`."""
        at = unit.outlines[site.owner].parent if site.owner >= 0 else -1
        if at < 0 or not unit.outlines[at].is_type:
            return unresolved("no class around the call")
        ref = Ref(unit.path, at)
        if site.name == "this":
            fitting, _ = self.overloads.chosen(unit, body, site, self._constructors(ref), alone=True)
            if len(fitting) == 1:
                return resolved("java.this-constructor", "another constructor of the class", fitting[0])
            why = "the types of the arguments decide which of them is called"
            return ambiguous(why, fitting) if fitting else unresolved("no such constructor")
        if unit.outlines[at].kind is not SymbolKind.CLASS or "record" in words_of(unit, at):
            return external("Object")
        extended = [item for item in unit.bases_of.get(at, ()) if item.how == "extends"]
        if not extended:
            return external("Object")
        meaning = self.names.type_of(unit, unit.outlines[at].parent, extended[0].text)
        if isinstance(meaning, Found):
            return self._made(unit, body, site, meaning.ref, "super-constructor", "the class that is extended")
        return external(meaning.name) if isinstance(meaning, External) else unresolved("what is extended is not known")

    def links(self, unit: Unit) -> Sequence[Link]:
        """Imports of types and of static members, and the public types that the file offers."""
        links: list[Link] = []
        for item in unit.imports:
            ref = self._imported(unit, item.module, item.name, static=bool(item.flags & _STATIC))
            if ref is not None:
                place = (ref, item.start, item.end, item.line)
                links.append(Link(RelationKind.IMPORTS, *place, "java.import", f"{item.module}.{item.name}"))
        for offered in unit.exports:
            for index in unit.members.get((-1, offered.local), ()):
                if unit.outlines[index].is_type:
                    place = (Ref(unit.path, index), offered.start, offered.end, offered.line)
                    links.append(Link(RelationKind.EXPORTS, *place, "java.public-type", offered.name))
                    break
        return links

    def _imported(self, unit: Unit, module: str, name: str, *, static: bool) -> Ref | None:
        names = self.names
        if not static:
            meaning = names.spelled(unit, module if name == "*" else f"{module}.{name}")
            return meaning.ref if isinstance(meaning, Found) else None
        holder = names.spelled(unit, module)
        if not isinstance(holder, Found):
            return None
        if name == "*":
            return holder.ref
        methods = names.methods(holder.ref, name).refs
        if len(methods) == 1:
            return methods[0]
        inner = names.member_type(holder.ref, name)
        return inner.ref if isinstance(inner, Found) and not methods else holder.ref


def _is_library(outside: External | Unknown) -> bool:
    """Whether what is not in the repository is the Java library's."""
    if not isinstance(outside, External):
        return False
    return outside.name.startswith("java.") or outside.name in SUPERTYPES
