"""What a name or a chain means at a place in a Go file.

The innermost declaration before the place decides, then parameters, the package, imports, and what the language
declares. A variable never changes its type, so assignments prove and disprove nothing. A name that several files of a
package declare (build constraints) proves nothing.
"""

from __future__ import annotations

import posixpath
import re

from satori.model.definition import SymbolKind
from satori.model.reference import Binding
from satori.relationships.meaning import External, Found, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.go.packages import Packages
from satori.relationships.rules.go.shapes import (
    Channel,
    Function,
    Listed,
    Mapped,
    Meaning,
    Method,
    Named,
    Opaque,
    Outside,
    Package,
    Results,
    Type,
    Value,
    parse,
    parse_results,
)
from satori.relationships.rules.go.types import Types
from satori.relationships.unit import KINDS, Body, Outline, Ref, Unit

_TOKEN = re.compile(r'<[^>]*>|"[^"]*"|\(\)|\[[kv]?\]|~|[^.()\[\]~"<>]+')
_CIRCULAR = Unknown("the name is defined by itself")
_VALUES = {KINDS.index(kind) for kind in (SymbolKind.CONSTANT, SymbolKind.PROPERTY)}
_TYPES = {KINDS.index(kind) for kind in (SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.TYPE)}


class Names(Types):
    """Names, chains, types and results in one repository."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.packages = Packages(repository)

    def name(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Meaning:
        """What `name`, written at byte `at` in the function `owner`, means. `body` is None for another file."""
        if owner >= 0:
            local = self._local(unit, body, owner, name, at)
            if local is not None:
                return local
        elif body is not None:
            around = [b for b in unit.bound.get((-1, name), ()) if b.last and b.first <= at < b.last]
            if around:
                return self._valued(unit, body, -1, max(around, key=lambda b: b.first))
        return self.file_name(unit, name)

    def _local(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Meaning | None:
        if body is not None:
            around = [b for b in body.bound.get((owner, name), ()) if b.first <= at < b.last]
            if around:
                nearest = max(around, key=lambda b: b.first)
                if nearest.value.startswith("#"):
                    return Found(Ref(unit.path, int(nearest.value[1:])))
                return self._valued(unit, body, owner, nearest)
        types = [i for i in unit.members.get((owner, name), ()) if unit.outlines[i].kind_number in _TYPES]
        if types and body is None:
            return Found(Ref(unit.path, types[0])) if len(types) == 1 else Unknown("declared twice")
        signature = unit.signature_of.get(owner)
        if signature is None or name not in signature.parameters:
            return None
        for number, text in enumerate(signature.parameters.split(",")):
            bare, _, declared = text.partition(":")
            if bare == name:
                receiver = number == 0 and bool(unit.outlines[owner].receiver)
                how = "receiver" if receiver else "typed"
                # A parameter may have its type's name.
                outer = unit.outlines[owner].parent
                return Value(self.declared(unit, outer, declared) if declared else Opaque("a basic type"), how)
        return None

    def _valued(self, unit: Unit, body: Body | None, owner: int, binding: Binding) -> Meaning:
        """The variable of a binding."""

        def compute() -> Meaning:
            if binding.type:
                return Value(self._typed(unit, body, owner, binding.type, binding.start), "typed")
            if not binding.value:
                return Value(Opaque("the type of the variable is not known"), "typed")
            return Value(self.type_of(self.evaluate(unit, body, owner, binding.value, binding.start)), "typed")

        return self.repository.once(("go-bound", unit.path, body is not None, *binding), compute, _CIRCULAR)

    def file_name(self, unit: Unit, name: str) -> Meaning:
        """What a name means outside of all functions of the file."""

        def compute() -> Meaning:
            tests = tests_of(unit)
            found = self.packaged(posixpath.dirname(unit.path), unit.package, name, tests=tests)
            if found is not None:
                return found
            imported = self.packages.imported(unit, name)
            if imported is not None:
                return imported
            for item in unit.starred:
                directory = self.packages.directory(unit, item.module)
                package = self.packages.package(directory) if directory is not None else External(item.module)
                if isinstance(package, Package):
                    offered = self.packaged(package.directory, package.name, name, tests=tests)
                    if offered is not None and name[:1].isupper():
                        return offered
                elif name[:1].isupper():
                    return External(f"{item.module}.{name}")
            return External(name)

        return self.repository.once(("go-file", unit.path, name), compute, _CIRCULAR)

    def packaged(self, directory: str, package: str, name: str, *, tests: str | None) -> Meaning | None:
        """What a package declares under a name; None when nothing."""

        def compute() -> Meaning | None:
            found: list[tuple[Ref, Unit, Outline]] = []
            for ref in self.placed(directory, name):
                if ref.path.endswith("_test.go") and directory != tests:
                    continue
                unit = self.repository.unit(ref.path)
                if unit is None or unit.package != package or unit.outlines[ref.at].receiver:
                    continue
                found.append((ref, unit, unit.outlines[ref.at]))
            if not found:
                return None
            if len(found) > 1:
                return Unknown(f"declared {len(found)} times", tuple(ref for ref, _, _ in found))
            ref, unit, outline = found[0]
            if outline.kind_number in _TYPES or (outline.is_function and ref.at in unit.signature_of):
                return Found(ref)
            bindings = [binding for binding in unit.bound.get((-1, name), ()) if not binding.last]
            if len(bindings) != 1:
                return Unknown("a value of the package")
            return self._valued(unit, None, -1, bindings[0])

        return self.repository.once(("go-packaged", directory, package, name, tests), compute, _CIRCULAR)

    def declared(self, unit: Unit, owner: int, text: str) -> Type:
        """The type that is written `text` outside of all bodies, in the scope `owner`."""
        return self._typed(unit, None, owner, text, -1)

    def _typed(self, unit: Unit, body: Body | None, owner: int, text: str, at: int) -> Type:
        return parse(text, lambda name: self._named(unit, body, owner, name, at))

    def _named(self, unit: Unit, body: Body | None, owner: int, text: str, at: int) -> Type:
        """The type of a name, aliases seen through."""
        first, _, second = text.partition(".")
        meaning = self.name(unit, body, owner, first, at)
        if second:
            meaning = self.attribute(meaning, second, tests=tests_of(unit))
        if isinstance(meaning, Found):
            return self._unaliased(meaning.ref)
        if isinstance(meaning, External):
            return Outside(meaning.name)
        if isinstance(meaning, Unknown):
            return Opaque(meaning.why, ())
        return Opaque("declared to be of something that is no type")

    def _unaliased(self, ref: Ref) -> Type:
        def compute() -> Type:
            unit = self.repository.unit(ref.path)
            if unit is None or unit.outlines[ref.at].kind_number not in _TYPES:
                return Opaque("declared to be of something that is no type")
            for base in unit.bases_of.get(ref.at, ()):
                if base.how == "alias":
                    return self.declared(unit, unit.outlines[ref.at].parent, base.text)
            return Named(ref)

        return self.repository.once(("go-unaliased", ref), compute, Opaque("the alias names itself"))

    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Meaning:
        """What a chain, written at byte `at` in the function `owner`, means."""
        tokens = _TOKEN.findall(chain)
        if not tokens:
            return Unknown("an expression that is no name")
        first = tokens[0]
        meaning: Meaning
        if first.startswith("<"):
            meaning = Value(self._typed(unit, body, owner, first[1:-1], at), "typed")
        elif first.startswith('"'):
            meaning = Value(Outside(first[1:-1]), "typed")
        else:
            meaning = self.name(unit, body, owner, first, at)
        tests = tests_of(unit)
        for step in tokens[1:]:
            meaning = self._step(meaning, step, tests=tests)
        return meaning

    def _step(self, meaning: Meaning, step: str, *, tests: str | None) -> Meaning:
        if step == "()":
            return self.called(meaning)
        if step == "[]" and isinstance(meaning, Found | Method):
            # Type arguments.
            return meaning
        if step.startswith("[") or step == "~":
            return Value(self._item(self.type_of(meaning), step), "typed")
        if step.isdigit():
            if not isinstance(meaning, Results):
                return meaning if isinstance(meaning, External | Unknown) else Unknown("one of several results")
            types = meaning.types
            return Value(types[int(step)] if int(step) < len(types) else Opaque("no such result"), "typed")
        return self.attribute(meaning, step, tests=tests)

    def _item(self, held: Type, step: str) -> Type:
        """What indexing, `range` and receiving give."""
        held = self._underlying(held)
        if isinstance(held, Outside | Opaque):
            return Outside(held.name + "[]") if isinstance(held, Outside) else held
        if isinstance(held, Channel):
            return held.item if step in ("~", "[k]") else Opaque("a channel has no items")
        if step == "~":
            return Opaque("nothing is received from this")
        if isinstance(held, Mapped):
            return held.key if step == "[k]" else held.item
        if isinstance(held, Listed):
            return Outside("int") if step == "[k]" else held.item
        return Opaque("it has no items")

    def _underlying(self, held: Type) -> Type:
        """What a named type is made of, as far as it is no struct or interface."""
        for _ in range(8):
            if not isinstance(held, Named):
                break
            unit = self.repository.unit(held.ref.path)
            bases = unit.bases_of.get(held.ref.at, ()) if unit is not None else ()
            made = [base for base in bases if base.how == "is"]
            if unit is None or not made:
                break
            held = self.declared(unit, unit.outlines[held.ref.at].parent, made[0].text)
        return held

    def type_of(self, meaning: Meaning) -> Type:
        """The type of the value that an expression gives."""
        if isinstance(meaning, Value):
            return meaning.type
        if isinstance(meaning, Results):
            return meaning.types[0] if len(meaning.types) == 1 else Opaque("several results, or none")
        if isinstance(meaning, External):
            return Outside(meaning.name)
        if isinstance(meaning, Found | Method):
            unit = self.repository.unit(meaning.ref.path)
            if unit is not None and unit.outlines[meaning.ref.at].is_function:
                return Function(self._results(meaning.ref))
        if isinstance(meaning, Unknown):
            return Opaque(meaning.why, meaning.candidates)
        return Opaque("no value")

    def attribute(self, meaning: Meaning, name: str, *, tests: str | None) -> Meaning:
        """What `.name` of a meaning means."""
        if isinstance(meaning, Package):
            found = self.packaged(meaning.directory, meaning.name, name, tests=tests)
            return found if found is not None else Unknown(f"{meaning.name} has no {name}")
        if isinstance(meaning, External):
            return External(f"{meaning.name}.{name}")
        if isinstance(meaning, Unknown):
            return meaning
        if isinstance(meaning, Found):
            unit = self.repository.unit(meaning.ref.path)
            if unit is not None and unit.outlines[meaning.ref.at].kind_number in _TYPES:
                return self.select(self._unaliased(meaning.ref), name, tests=tests)
        return self.select(self.type_of(meaning), name, tests=tests)

    def called(self, meaning: Meaning) -> Meaning:
        """What calling a meaning gives; a call of a type is a conversion."""
        if isinstance(meaning, External):
            return External(f"{meaning.name}()")
        if isinstance(meaning, Found | Method):
            unit = self.repository.unit(meaning.ref.path)
            if unit is not None and unit.outlines[meaning.ref.at].kind_number in _TYPES:
                return Value(self._unaliased(meaning.ref), "typed")
            return Results(self._results(meaning.ref))
        if isinstance(meaning, Value | Results):
            held = self._underlying(self.type_of(meaning))
            if isinstance(held, Function):
                return Results(held.results)
            if isinstance(held, Outside):
                return External(f"{held.name}()")
            return Unknown(held.why if isinstance(held, Opaque) else "a value that is no function is called")
        return meaning if isinstance(meaning, Unknown) else Unknown("a package is called")

    def _results(self, ref: Ref) -> tuple[Type, ...]:
        """What a function declares to return."""

        def compute() -> tuple[Type, ...]:
            unit = self.repository.unit(ref.path)
            signature = unit.signature_of.get(ref.at) if unit is not None else None
            if unit is None or signature is None:
                return ()
            parent = unit.outlines[ref.at].parent
            return parse_results(signature.returns, lambda name: self._named(unit, None, parent, name, -1))

        return self.repository.once(("go-results", ref), compute, ())


def tests_of(unit: Unit) -> str | None:
    """The directory whose test files a file can see: its own, when it is one of them."""
    return posixpath.dirname(unit.path) if unit.path.endswith("_test.go") else None
