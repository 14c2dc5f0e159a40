"""C: calls of functions by name, through headers and linkage.

A name that a local variable or parameter hides, or that is a macro in the file or in a header that it may include, is
no function's. What a file does not define itself is linked: the one definition with external linkage in the repository.
A name that the C library has too proves nothing, since such definitions stand in for it on other systems. Several
definitions (alternatives of the preprocessor, several programs) prove nothing either.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.definition import SymbolKind
from satori.model.reference import CallSite, SiteForm
from satori.model.relationship import RelationKind
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules, ambiguous, external, resolved, unresolved
from satori.relationships.rules.c_library import LIBRARY
from satori.relationships.rules.includes import Includes
from satori.relationships.unit import DECLARATION_ONLY, EXPORTED, KINDS, Body, Ref, Unit

_BARE = int(SiteForm.BARE)
_MACRO = KINDS.index(SymbolKind.MACRO)


class CRules(Rules):
    """C."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.includes = Includes(repository)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """Nothing descends."""
        return ()

    def is_test_file(self, unit: Unit) -> bool:
        """Files of a directory of tests, or named after them."""
        *directories, name = unit.path.split("/")
        stem = name.rpartition(".")[0]
        named = stem.startswith(("test_", "test-")) or stem.endswith(("_test", "-test"))
        return named or not {"test", "tests"}.isdisjoint(directories)

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        known: dict[tuple[int, str], Outcome] = {}
        found = []
        for site in body.sites:
            place = (site.owner if (site.owner, site.name) in body.bound else -1, site.name)
            if site.form != _BARE:
                found.append(unresolved("a call through a pointer"))
                continue
            if place not in known:
                known[place] = self._call(unit, body, site)
            found.append(known[place])
        return found

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        name = site.name
        if (site.owner, name) in body.bound:
            return unresolved("a call through a pointer")
        visible = self.includes.visible(unit.path)
        candidates = [(ref, other) for ref in self.repository.named(name) if (other := self.repository.unit(ref.path))]
        if any(other.outlines[ref.at].kind_number == _MACRO and ref.path in visible for ref, other in candidates):
            return unresolved("a macro")
        functions = [
            (ref, other)
            for ref, other in candidates
            if other.language == "c" and other.outlines[ref.at].is_function and other.outlines[ref.at].parent < 0
        ]
        if name in LIBRARY and functions:
            return ambiguous("also a function of the C library", [ref for ref, _ in functions])
        defined = [ref for ref, other in functions if not other.outlines[ref.at].flags & DECLARATION_ONLY]
        own = [ref for ref in defined if ref.path == unit.path]
        if own:
            return self._one("c.file-function", "defined in this file", own)
        shared = [ref for ref in defined if ref.path in visible]
        if shared:
            return self._one("c.header-function", f"defined in {shared[0].path}, which is included", shared)
        linked = [ref for ref in defined if self._flags(ref) & EXPORTED]
        declared = [ref for ref, other in functions if ref.path in visible]
        if not linked:
            return external(name)
        if not declared and self._is_test_only(unit, linked):
            return ambiguous("no declaration of it can be seen here", linked)
        return self._one("c.linked-function", "the one definition with external linkage", linked)

    def _one(self, rule: str, proof: str, refs: list[Ref]) -> Outcome:
        return resolved(rule, proof, refs[0]) if len(refs) == 1 else ambiguous(f"defined {len(refs)} times", refs)

    def _is_test_only(self, unit: Unit, refs: list[Ref]) -> bool:
        """Whether the definitions are of tests and the caller is not: they may stand in for another library's."""
        if self.is_test_file(unit):
            return False
        return all((other := self.repository.unit(ref.path)) is None or self.is_test_file(other) for ref in refs)

    def _flags(self, ref: Ref) -> int:
        unit = self.repository.unit(ref.path)
        return unit.outlines[ref.at].flags if unit is not None else 0

    def links(self, unit: Unit) -> Sequence[Link]:
        """Includes that mean one file."""
        links = []
        for item in unit.imports:
            headers = self.includes.included(unit.path, item.module)
            if len(headers) == 1:
                place = (Ref(headers[0], -1), item.start, item.end, item.line)
                links.append(Link(RelationKind.IMPORTS, *place, "c.include", item.module))
        return links
