"""Calls, imports and exports of Rust files.

`S(..)` of a struct with unnamed fields has the struct as its target; variants of enums are no definitions that run, and
macros are not read.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.definition import SymbolKind
from satori.model.reference import CallSite, Import, ImportFlag, SiteForm
from satori.model.relationship import RelationKind
from satori.relationships.meaning import External, Found, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules, ambiguous, external, resolved, unresolved
from satori.relationships.rules.rust.chains import Chains
from satori.relationships.rules.rust.shapes import Adt, Kind, Meaning, Member, Mod, Value
from satori.relationships.unit import KINDS, Body, Ref, Unit

_DYNAMIC = int(SiteForm.DYNAMIC)
_STRUCT = KINDS.index(SymbolKind.STRUCT)
_REEXPORT = int(ImportFlag.REEXPORT)
_TEST_DIRECTORIES = frozenset({"tests", "benches"})


class RustRules(Rules):
    """Rust."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.names = Chains(repository)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """The traits of the repository that a type implements, or that a trait requires."""
        ref = Ref(unit.path, at)
        if self.names.is_trait(ref):
            found = [self.names.typed(unit, at, b.text) for b in unit.bases_of.get(at, ()) if b.how == "super"]
            return list(dict.fromkeys(held.ref for held in found if isinstance(held, Adt)))
        traits = [item.trait for item in self.names.impls(ref)]
        return list(dict.fromkeys(trait for trait in traits if isinstance(trait, Ref)))

    def is_test_file(self, unit: Unit) -> bool:
        """Files of a package's directory of integration tests or benchmarks, and modules named after tests."""
        *directories, name = unit.path.split("/")
        return not _TEST_DIRECTORIES.isdisjoint(directories) or name in ("tests.rs", "test.rs")

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        return [self._call(unit, body, site) for site in body.sites]

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        names = self.names
        if site.form == _DYNAMIC:
            return unresolved("the callee is an expression")
        if not site.receiver:
            if site.form != int(SiteForm.BARE):
                return unresolved("the receiver is an expression")
            meaning = names.path(unit, body, site.owner, site.name, site.start, values=True)
            own = isinstance(meaning, Found) and meaning.ref.path == unit.path
            return self._outcome(meaning, "module" if own else "imported", f"{site.name} in this module")
        if site.receiver.endswith("::"):
            path = f"{site.receiver}{site.name}"
            meaning = names.path(unit, body, site.owner, path, site.start, values=True)
            word = "self-type" if site.receiver == "Self::" else "type" if isinstance(meaning, Member) else "path"
            return self._outcome(meaning, word, f"the path {path}")
        receiver = names.evaluate(unit, body, site.owner, site.receiver, site.start)
        if isinstance(receiver, External):
            return external(f"{receiver.name}.{site.name}")
        if isinstance(receiver, Unknown):
            return unresolved(receiver.why)
        held = names.type_of(receiver)
        how = receiver.how if isinstance(receiver, Value) and site.receiver == "self" else "typed"
        return self._outcome(names.method(held, site.name), how, f"{site.receiver} is {self._said(held)}")

    def _outcome(self, meaning: Meaning, word: str, proof: str) -> Outcome:
        if isinstance(meaning, External):
            return external(meaning.name)
        if isinstance(meaning, Member):
            if meaning.virtual:
                count = self.names.replaced(meaning.ref)
                if count:
                    words = "implementation" if count == 1 else "implementations"
                    return ambiguous(f"{count} {words} in the repository may be meant", (meaning.ref,))
                return resolved("rust.trait-function", proof, meaning.ref)
            return resolved(f"rust.{'default' if meaning.default else word}-function", proof, meaning.ref)
        if isinstance(meaning, Found):
            unit = self.repository.unit(meaning.ref.path)
            outline = unit.outlines[meaning.ref.at] if unit is not None else None
            if outline is not None and outline.is_function:
                return resolved(f"rust.{word}-function", proof, meaning.ref)
            if outline is not None and outline.kind_number == _STRUCT:
                return resolved(f"rust.{word}-struct", proof, meaning.ref)
            return unresolved("a variant of an enum, or a constant")
        if isinstance(meaning, Unknown):
            return ambiguous(meaning.why, meaning.candidates) if meaning.candidates else unresolved(meaning.why)
        if isinstance(meaning, Kind):
            if isinstance(meaning.type, Adt):
                return resolved(f"rust.{word}-struct", proof, meaning.type.ref)
            return unresolved("a type is called")
        return unresolved("a function value" if isinstance(meaning, Value) else "a module is called")

    def _said(self, held: object) -> str:
        if isinstance(held, Adt):
            unit = self.repository.unit(held.ref.path)
            return f"of type {unit.outlines[held.ref.at].name}" if unit is not None else ""
        return ""

    def links(self, unit: Unit) -> Sequence[Link]:
        """What `use` leads to, the files that `mod` takes in, and what is public, re-exports included."""
        links: list[Link] = []
        for item in unit.imports:
            place = (item.start, item.end, item.line)
            if item.module.startswith("#"):
                child = self.names.crates.child(unit, int(item.module[1:]))
                if isinstance(child, Mod):
                    links.append(Link(RelationKind.IMPORTS, Ref(child.path, -1), *place, "rust.mod", "mod"))
                continue
            said = f"{item.module}::{item.name}"
            for ref in self._linked(unit, item):
                if ref == Ref(unit.path, -1):
                    continue
                links.append(Link(RelationKind.IMPORTS, ref, *place, "rust.use", said))
                if item.flags & _REEXPORT and ref.at >= 0:
                    links.append(Link(RelationKind.EXPORTS, ref, *place, "rust.re-export", item.alias or said))
        for offered in unit.exports:
            ref = Ref(unit.path, int(offered.local[1:]))
            place = (offered.start, offered.end, offered.line)
            links.append(Link(RelationKind.EXPORTS, ref, *place, "rust.public", offered.name))
        return links

    def _linked(self, unit: Unit, item: Import) -> list[Ref]:
        """The definitions or the file that an import leads to, in both spaces."""
        found: dict[Ref, None] = {}
        meanings: list[Meaning | None]
        if item.name == "*":
            meanings = [self.names.source(unit, item.scope, item.module)]
        else:
            meanings = [self.names.imported(unit, item, values=values) for values in (False, True)]
        for meaning in meanings:
            if isinstance(meaning, Mod):
                found[Ref(meaning.path, meaning.at)] = None
            elif isinstance(meaning, Found | Member):
                found[meaning.ref] = None
        return list(found)
