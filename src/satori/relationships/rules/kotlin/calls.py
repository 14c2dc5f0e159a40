"""Calls, imports and exports of Kotlin files.

A construction has the type as its target, and beside it a constructor that is written apart from the type's header.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.definition import SymbolKind
from satori.model.reference import CallSite, SiteForm
from satori.model.relationship import ClaimStatus, RelationKind
from satori.relationships.meaning import External, Found, Instance, Parent, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules, ambiguous, external, resolved, unresolved
from satori.relationships.rules.java.library import METHODS, SUPERTYPES
from satori.relationships.rules.java.values import Array, Bounded, Named, Outside, Value, said_of
from satori.relationships.rules.kotlin.library import BUILTIN, FINAL, FUNCTIONS, OPERATORS
from satori.relationships.rules.kotlin.names import Level, Names
from satori.relationships.rules.kotlin.overloads import Overloads
from satori.relationships.rules.kotlin.types import FUNCTION_TYPE
from satori.relationships.unit import Body, Ref, Unit

_BARE, _DYNAMIC, _SUPER = int(SiteForm.BARE), int(SiteForm.DYNAMIC), int(SiteForm.SUPER)
# Rules whose functions come after those of classes, where the standard library's stand as well.
_PACKAGED = ("kotlin.package", "kotlin.star", "kotlin.imported", "kotlin.extension")
_TEST_DIRECTORIES = {"test", "tests", "testFixtures"}
_TEST_NAMES = ("Test.kt", "Tests.kt", "TestCase.kt", "Spec.kt")


class KotlinRules(Rules):
    """Kotlin."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.names = Names(repository)
        self.overloads = Overloads(self.names)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """What the type descends from in the repository, and what object literals inside it do."""
        ref = Ref(unit.path, at)
        found = [base for base in self.names.bases(ref) if isinstance(base, Ref)]
        found += [base for _, base in self.names.anonymous(ref)]
        return list(dict.fromkeys(base for base in found if base != ref))

    def is_test_file(self, unit: Unit) -> bool:
        """Files in a directory or source set of tests, and those named after what runs them."""
        *directories, name = unit.path.split("/")
        sets = any(part.endswith("Test") and part[:1].islower() for part in directories)
        return sets or name.endswith(_TEST_NAMES) or not _TEST_DIRECTORIES.isdisjoint(directories)

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        return [self._call(unit, body, site) for site in body.sites]

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        if site.form == _DYNAMIC:
            return unresolved("the callee is an expression")
        if site.name in ("this", "super") and not site.receiver:
            return self._chained(unit, body, site)
        if site.form == _SUPER and site.receiver != "super":
            return self._extended(unit, body, site)
        if site.form == _BARE:
            return self._bare(unit, body, site)
        if not site.receiver:
            return unresolved("the receiver is an expression")
        named = self.names.trace(unit, body, site.owner, site.receiver, site.start)
        return self._member(unit, body, site, named)

    def _bare(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        names = self.names
        variable = names.variable(unit, body, site.owner, site.name, site.start - 1)
        if variable is not None and variable.how == "typed" and isinstance(variable.meaning, Unknown):
            return unresolved("the value of a name is called")
        outside: External | Unknown | None = None
        hazy = ""
        rejected: tuple[Ref, ...] = ()
        levels = names.levels(unit, body, site.owner, site.name, site.start)
        for level in levels:
            hazy = hazy or level.hazy
            if level.refs:
                found, sure = self._chosen(unit, body, site, level, f"a {level.how} name")
                if found is not None:
                    return self._settled(unit, body, site, found, outside, list(levels), sure=sure)
                rejected = rejected or level.refs
            outside = outside or level.outside
        if rejected:
            return ambiguous("none of them takes these arguments", rejected)
        if hazy:
            return unresolved(hazy)
        if isinstance(outside, External):
            return external(outside.name)
        if outside is not None:
            return unresolved(outside.why)
        if variable is not None and variable.meaning == FUNCTION_TYPE:
            return unresolved("the value of a name is called")
        return external(site.name)

    def _settled(
        self,
        unit: Unit,
        body: Body,
        site: CallSite,
        found: Outcome,
        outside: External | Unknown | None,
        further: Sequence[Level],
        *,
        sure: bool,
    ) -> Outcome:
        """The outcome of one level, unless something outside the repository comes first, or types may lead further: to
        extensions of receivers that nobody writes even if it is sure that the function takes the arguments."""
        if found.status is not ClaimStatus.RESOLVED or found.rule == "kotlin.constructor":
            return found
        if outside is not None and not _lacks(outside, site.name):
            return ambiguous(f"something outside of the repository may have {site.name}", found.targets)
        for level in further:
            if sure and level.how != "extension":
                continue
            others, _ = self.overloads.chosen(unit, body, site, self.names.candidates(level.refs))
            if any(ref not in found.targets for ref in others):
                return ambiguous("the types of the arguments decide which of them is called", (*found.targets, *others))
        unsure = not sure or found.rule == "kotlin.extension-function"
        if unsure and site.name in FUNCTIONS and found.rule.startswith(_PACKAGED):
            return ambiguous("the standard library has a function of that name", found.targets)
        return found

    def _chosen(
        self,
        unit: Unit,
        body: Body,
        site: CallSite,
        level: Level,
        proof: str,
        around: Ref | None = None,
        *,
        bounded: bool = False,
    ) -> tuple[Outcome | None, bool]:
        """How the call ends on one level, None when none of its functions takes the arguments; and whether that is
        sure."""
        names = self.names
        seen = [ref for ref in names.candidates(level.refs) if names.accessible(unit, ref)]
        fitting, sure = self.overloads.chosen(unit, body, site, seen)
        if not fitting:
            return None, False
        return self._ended(site, level, fitting, proof, around or level.receiver, bounded=bounded), sure

    def _ended(
        self, site: CallSite, level: Level, fitting: Sequence[Ref], proof: str, around: Ref | None, *, bounded: bool
    ) -> Outcome:
        if len(fitting) > 1:
            types = {self._type(ref) for ref in fitting}
            only = types.pop() if len(types) == 1 else None
            if only is not None:
                return resolved("kotlin.constructor", f"{site.name} is made", only)
            return ambiguous("the types of the arguments decide which of them is called", fitting)
        target = fitting[0]
        made = self._type(target)
        if level.hazy and (made is None or site.name[:1].islower()):
            return ambiguous(level.hazy, (target,))
        if made is not None:
            targets = (made,) if made == target else (made, target)
            return resolved("kotlin.constructor", f"{site.name} is made", *targets)
        if around is not None and self.names.is_delegated(around, target):
            return ambiguous("delegated to a value", (target,))
        if level.receiver is not None:
            others = self.names.overriders(level.receiver, target, bounded=bounded)
            if others:
                word = "type" if len(others) == 1 else "types"
                return ambiguous(f"{len(others)} {word} in the repository may replace the static target", (target,))
        return resolved(f"kotlin.{level.how}-function", proof, target)

    def _type(self, ref: Ref) -> Ref | None:
        """The type that a target makes; None for a function."""
        unit = self.repository.unit(ref.path)
        if unit is None or ref.at < 0:
            return None
        outline = unit.outlines[ref.at]
        if outline.is_type:
            return ref
        parent = unit.outlines[outline.parent] if outline.parent >= 0 else None
        made = parent is not None and outline.name in ("constructor", parent.name) and parent.is_type
        signature = unit.signature_of.get(ref.at)
        if (
            made
            and outline.kind is SymbolKind.METHOD
            and (signature is None or not (signature.returns or signature.results))
        ):
            return Ref(ref.path, outline.parent)
        return None

    def _member(self, unit: Unit, body: Body, site: CallSite, named: Named) -> Outcome:
        names = self.names
        value, how = named
        if isinstance(value, Unknown):
            return unresolved(value.why)
        if isinstance(value, Array):
            return external(f"Array.{site.name}")
        kind = said_of(self.repository, value) or getattr(value, "name", "")
        said = f"{site.receiver} is {kind}"
        outside: External | Unknown | None = None
        if isinstance(value, Found):
            level = Level(names.members(value, site.name), "object")
        elif isinstance(value, External | Outside):
            level, outside = Level((), ""), External(value.name)
        elif not isinstance(value, Instance | Bounded | Parent):
            return unresolved("a value that has no functions")
        else:
            methods = names.methods_of(value, site.name)
            outside = methods.outside
            word = "super" if isinstance(value, Parent) else "this" if how == "this" else "typed"
            free = isinstance(value, Parent) or (isinstance(value, Instance) and value.exact)
            if isinstance(value, Instance) and value.exact:
                word = "object" if how == "type" or names.is_object(value.ref) else "constructed"
            level = Level(methods.refs, word, None if free else value.ref)
        if level.refs:
            around = value.ref if isinstance(value, Instance | Parent) else None
            found, sure = self._chosen(unit, body, site, level, said, around, bounded=isinstance(value, Bounded))
            if found is not None:
                further = self._further(unit, body, site, value) if not sure else []
                return self._settled(unit, body, site, found, None, further, sure=sure)
        extended = self._extension(unit, body, site, value)
        if extended is not None:
            return extended
        if level.refs:
            return ambiguous("none of them takes these arguments", level.refs)
        if isinstance(outside, External):
            return external(f"{outside.name}.{site.name}")
        if site.name in FUNCTIONS:
            return external(f"kotlin.{site.name}")
        return unresolved(outside.why if outside is not None else f"no function {site.name}")

    def _further(self, unit: Unit, body: Body, site: CallSite, value: Value) -> list[Level]:
        """Extensions that may be called where a member does not take the arguments."""
        names = self.names
        found = []
        for level in names.extensions(unit, body, site.owner, site.name, site.start):
            able = tuple(ref for ref in level.refs if names.extends(ref, value))
            found.append(Level(able, level.how))
        return found

    def _extension(self, unit: Unit, body: Body, site: CallSite, value: Value) -> Outcome | None:
        names = self.names
        if not isinstance(value, Found | Instance | Bounded | Outside):
            return None
        if isinstance(value, Outside) and site.name in METHODS and value.name not in FINAL:
            # A member of the type itself comes first.
            return None
        for level in names.extensions(unit, body, site.owner, site.name, site.start):
            if isinstance(level.outside, External):
                return external(level.outside.name)
            fits = {ref: names.extends(ref, value) for ref in level.refs}
            able = tuple(ref for ref in level.refs if fits[ref])
            seen = [ref for ref in able if names.accessible(unit, ref)]
            chosen, sure = self.overloads.chosen(unit, body, site, seen)
            if not chosen:
                continue
            if len(chosen) > 1 or fits[chosen[0]] < 2:
                return ambiguous("the type of the receiver decides which extension is called", chosen)
            if site.name in OPERATORS or (site.name in FUNCTIONS and not sure):
                return ambiguous("the standard library has a function of that name", chosen)
            if level.receiver is not None and names.overriders(level.receiver, chosen[0]):
                return ambiguous("something in the repository may replace the static target", chosen)
            return resolved("kotlin.extension-function", f"an extension of {names.receiver_text(chosen[0])}", chosen[0])
        return None

    def _chained(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        """`constructor(…) : this(…)` and `super(…)`."""
        at = unit.outlines[site.owner].parent if site.owner >= 0 else -1
        if at < 0 or not unit.outlines[at].is_type:
            return unresolved("no class around the call")
        if site.name == "super":
            base = next(iter(self.names.bases(Ref(unit.path, at))), None)
            return self._made(unit, body, site, base, "super-constructor")
        fitting, _ = self.overloads.chosen(unit, body, site, self.names.constructors(Ref(unit.path, at)))
        if len(fitting) == 1:
            return resolved("kotlin.this-constructor", "another constructor of the class", fitting[0])
        return ambiguous("the types of the arguments decide which of them is called", fitting)

    def _extended(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        """The constructor call in a class's header."""
        text = f"{site.receiver}.{site.name}" if site.receiver else site.name
        around = unit.outlines[site.owner].parent if site.owner >= 0 else -1
        meaning = self.names.type_of(unit, around, text)
        base = meaning.ref if isinstance(meaning, Found) else meaning
        return self._made(unit, body, site, base, "super-constructor")

    def _made(self, unit: Unit, body: Body, site: CallSite, base: object, rule: str) -> Outcome:
        if isinstance(base, External):
            return external(base.name)
        if not isinstance(base, Ref):
            return unresolved(base.why if isinstance(base, Unknown) else "what is extended is not known")
        fitting, _ = self.overloads.chosen(unit, body, site, self.names.constructors(base))
        targets = (base, fitting[0]) if len(fitting) == 1 and fitting[0] != base else (base,)
        return resolved(f"kotlin.{rule}", "the class that is extended", *targets)

    def links(self, unit: Unit) -> Sequence[Link]:
        """Imports of one definition, and what the file offers that is not private."""
        links: list[Link] = []
        for item in unit.imports:
            refs = self._imported(unit, item.module, item.name)
            if len(refs) == 1:
                place = (refs[0], item.start, item.end, item.line)
                links.append(Link(RelationKind.IMPORTS, *place, "kotlin.import", f"{item.module}.{item.name}"))
        for offered in unit.exports:
            place = (Ref(unit.path, int(offered.local[1:])), offered.start, offered.end, offered.line)
            links.append(Link(RelationKind.EXPORTS, *place, "kotlin.public", offered.name))
        return links

    def _imported(self, unit: Unit, module: str, name: str) -> Sequence[Ref]:
        if name == "*":
            holder = self.names.spelled(unit, module)
            return [holder.ref] if isinstance(holder, Found) else []
        return self.names.offered(unit, module, name)


def _lacks(outside: External | Unknown, name: str) -> bool:
    """Whether a type outside the repository is known to have no function of that name."""
    if not isinstance(outside, External):
        return False
    package, _, last = outside.name.rpartition(".")
    known = package.startswith(("java.", "kotlin.")) or (
        not package and (last in SUPERTYPES or last in BUILTIN | FINAL)
    )
    return known and name not in METHODS
