"""Calls and imports of PHP files.

`new C` has the class as its target, and its constructor beside it when that is provable.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.definition import SymbolKind
from satori.model.reference import CallSite, Import, ImportFlag, SiteForm
from satori.model.relationship import RelationKind
from satori.relationships.meaning import External, Found, Instance, Meaning, Overridden, Subtype, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules, ambiguous, external, resolved, unresolved
from satori.relationships.rules.php.names import FORWARDING, Names, is_test_path
from satori.relationships.unit import Body, Ref, Unit

_BARE, _CONSTRUCT, _DYNAMIC = int(SiteForm.BARE), int(SiteForm.CONSTRUCT), int(SiteForm.DYNAMIC)
_FUNCTION = int(ImportFlag.STATIC)
_OWN = {"$this", "self", "parent", "static"}


class PhpRules(Rules):
    """PHP."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.names = Names(repository)

    def bases(self, unit: Unit, at: int) -> Sequence[Ref]:
        """Traits, classes and interfaces in the repository that the type descends from. What classes without a name
        inside it descend from is counted too, so that their methods are found among those that may replace others."""
        ref = Ref(unit.path, at)
        found = [base for base in self.names.bases(ref) if isinstance(base, Ref)]
        return list(dict.fromkeys((*found, *(base for base in self.names.unnamed(ref) if base != ref))))

    def is_test_file(self, unit: Unit) -> bool:
        """PHPUnit's files, and everything in a directory of tests."""
        return is_test_path(unit.path)

    def calls(self, unit: Unit, body: Body) -> Sequence[Outcome]:
        """One outcome for each call site."""
        return [self._call(unit, body, site) for site in body.sites]

    def _call(self, unit: Unit, body: Body, site: CallSite) -> Outcome:
        names = self.names
        if site.form == _DYNAMIC:
            return unresolved("the callee is an expression")
        if site.form == _BARE:
            meaning, how = names.function(unit, site.owner, site.receiver + site.name)
            return self._outcome(meaning, f"php.{how}-function", f"the {how} function {site.name}")
        if site.form == _CONSTRUCT:
            written = site.receiver + site.name
            # `self`, `static` and `parent` have no case.
            word = written.lower() if written.lower() in FORWARDING else written
            meaning = names.class_named(unit, site.owner, word)
            return self._made(meaning, written)
        if not site.receiver:
            return unresolved("the receiver is an expression")
        receiver, how = names.trace(unit, body, site.owner, site.receiver, site.start)
        meaning = names.method(receiver, site.name, names.class_around(unit, site.owner))
        rule = f"php.{_word(receiver, how, own=site.receiver in _OWN)}-method"
        return self._outcome(meaning, rule, f"{site.receiver} is {self._said(receiver)}")

    def _made(self, meaning: Meaning, written: str) -> Outcome:
        if isinstance(meaning, Subtype):
            heirs = self.repository.descendants(meaning.ref)
            if self.names.kind(meaning.ref) is SymbolKind.TRAIT or (heirs and not self.names.is_sealed(meaning.ref)):
                return ambiguous(f"one of {len(heirs)} classes that descend from it may be meant", (meaning.ref,))
            meaning = Found(meaning.ref)
        if isinstance(meaning, Found):
            constructor = self.names.inherited(meaning.ref, "__construct")
            targets = (meaning.ref, constructor.ref) if isinstance(constructor, Found) else (meaning.ref,)
            return resolved("php.new-class", f"the class {written}", *targets)
        return self._outcome(meaning, "php.new-class", "")

    def _outcome(self, meaning: Meaning, rule: str, proof: str) -> Outcome:
        if isinstance(meaning, External):
            return external(meaning.name)
        if isinstance(meaning, Found):
            return resolved(rule, proof, meaning.ref)
        if isinstance(meaning, Overridden):
            count = len(meaning.others)
            word = "type" if count == 1 else "types"
            return ambiguous(f"{count} {word} in the repository may replace the static target", (meaning.target,))
        if isinstance(meaning, Unknown):
            return ambiguous(meaning.why, meaning.candidates) if meaning.candidates else unresolved(meaning.why)
        return unresolved("a value is called")

    def _said(self, receiver: Meaning) -> str:
        if isinstance(receiver, Found | Instance | Subtype):
            unit = self.repository.unit(receiver.ref.path)
            name = unit.outlines[receiver.ref.at].name if unit is not None else ""
            return f"the class {name}" if isinstance(receiver, Found) else f"of type {name}"
        return ""

    def links(self, unit: Unit) -> Sequence[Link]:
        """What `use` names, and the files that are required by a path from here."""
        links: list[Link] = []
        for item in unit.imports:
            ref = self._linked(unit, item)
            if ref is not None:
                said = f"{item.module}\\{item.name}" if item.name else item.module
                rule = "php.use" if item.name else "php.require"
                links.append(Link(RelationKind.IMPORTS, ref, item.start, item.end, item.line, rule, said))
        return links

    def _linked(self, unit: Unit, item: Import) -> Ref | None:
        if not item.name:
            return self._required(unit, item.module)
        full = f"{item.module}\\{item.name}".lstrip("\\")
        if item.flags & _FUNCTION:
            found = self.names.find_function(full)
        elif item.alias:
            found = self.names.find_class(full)
        else:
            found = self._constant(item.module.lower(), item.name)
        return found.ref if isinstance(found, Found) else None

    def _constant(self, space: str, name: str) -> Meaning | None:
        found = []
        for ref in self.repository.named(name):
            unit = self.repository.unit(ref.path)
            if unit is None or unit.language != "php" or unit.outlines[ref.at].kind is not SymbolKind.CONSTANT:
                continue
            if self.names.namespace(unit, ref.at) == space:
                found.append(ref)
        return Found(found[0]) if len(found) == 1 else None

    def _required(self, unit: Unit, module: str) -> Ref | None:
        """A file that is required by a path beside this one."""
        if not module.startswith("./"):
            return None
        parts = unit.path.split("/")[:-1]
        for part in module.split("/"):
            if part == "..":
                if not parts:
                    return None
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        path = "/".join(parts)
        return Ref(path, -1) if self.repository.exists(path) and self.repository.unit(path) is not None else None


def _word(receiver: Meaning, how: str, *, own: bool) -> str:
    """The word for how a receiver proves its method."""
    if own and how in ("self", "parent"):
        return how
    if isinstance(receiver, Found):
        return "static"
    if isinstance(receiver, Subtype):
        return "late-static"
    if isinstance(receiver, Instance):
        if own:
            return "this"
        if how == "this":
            return "constructed-field" if receiver.exact else "field"
        return "constructed" if receiver.exact else "typed"
    return how or "receiver"
