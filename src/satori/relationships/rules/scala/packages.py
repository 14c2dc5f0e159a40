"""Packages of Scala: which are seen, what stands in them, and what imports lead to."""

from __future__ import annotations

from abc import abstractmethod

from satori.model.definition import SymbolKind
from satori.model.reference import Import
from satori.relationships.meaning import External, Found, Instance, Meaning, Module, Unknown
from satori.relationships.rules.scala.types import Types, alternative, chosen, functions, is_missing, term_in
from satori.relationships.unit import KINDS, Ref, Unit

_CIRCULAR: Meaning = Unknown("the name is defined by itself")
_TYPE = KINDS.index(SymbolKind.TYPE)
_ROOT = "_root_"


class Packages(Types):
    """Packages and imports of one repository; how plain names get their meaning is the heir's."""

    @abstractmethod
    def member(self, receiver: Meaning, name: str, arity: int) -> Meaning:
        """What a member of a meaning means."""

    @abstractmethod
    def type_member(self, receiver: Meaning, name: str) -> Meaning | None:
        """The type of that name in a meaning; None when there is none."""

    @abstractmethod
    def stable(self, unit: Unit, scope: int, name: str) -> Meaning | None:
        """What the first name of a path means, packages left out; None when nothing in sight has it."""

    @abstractmethod
    def apply(self, ref: Ref, arity: int) -> Meaning:
        """What applying an object to so many arguments means."""

    def package_of(self, unit: Unit, at: int) -> str:
        """The package that a definition (-1: the file) stands in."""
        while at >= 0 and unit.outlines[at].parent >= 0:
            at = unit.outlines[at].parent
        for mark in unit.marks_of.get(at, ()) if at >= 0 else ():
            if mark.startswith("package "):
                return mark[8:]
        return unit.package

    def seen(self, unit: Unit, at: int) -> list[str]:
        """The packages whose members are seen at a definition, innermost first."""
        found = [mark[5:] for mark in unit.marks_of.get(-1, ()) if mark.startswith("sees ")]
        own = self.package_of(unit, at)
        if own and own not in found:
            found.append(own)
        return [*reversed(found), ""]

    def in_package(self, package: str, name: str, arity: int, *, types: bool) -> Meaning | None:
        """What a package makes of a name; None when nothing."""

        def compute() -> Meaning | None:
            found: list[tuple[Unit, Ref]] = []
            for ref in self.repository.named(name):
                unit = self.repository.unit(ref.path)
                if unit is not None and unit.language == "scala" and self.package_of(unit, ref.at) == package:
                    found.append((unit, ref))
            meaning = self._one(found, name, arity, types=types)
            if meaning is not None:
                return meaning
            holder = self.package_object(package)
            if holder is None:
                return None
            if types:
                return self.type_member(Found(holder), name)
            inherited = self.inherited(holder, name, arity)
            return None if is_missing(inherited) else inherited

        return self.repository.once(("scala-in", package, name, arity, types), compute, _CIRCULAR)

    def _one(self, found: list[tuple[Unit, Ref]], name: str, arity: int, *, types: bool) -> Meaning | None:
        if types:
            wanted = [
                (unit, ref)
                for unit, ref in found
                if (unit.outlines[ref.at].is_type and not self.is_object(ref))
                or unit.outlines[ref.at].kind_number == _TYPE
            ]
            if len(wanted) == 1:
                unit, ref = wanted[0]
                return self.alias(unit, ref) if unit.outlines[ref.at].kind_number == _TYPE else Found(ref)
            refs = tuple(ref for _, ref in wanted)
            return Unknown(f"defined {len(refs)} times", refs) if refs else None
        methods = [(unit, ref) for unit, ref in found if ref.at in functions(unit, -1, name)]
        if methods:
            return chosen(self, [alternative(unit, ref.at, None) for unit, ref in methods], arity)[0]
        terms = {ref.path: term_in(unit, -1, name) for unit, ref in found}
        objects = [meaning for meaning in terms.values() if meaning is not None]
        if len(objects) == 1:
            return objects[0]
        refs = tuple(sorted(meaning.ref for meaning in objects if isinstance(meaning, Found)))
        return Unknown(f"defined {len(objects)} times", refs) if objects else None

    def alias(self, unit: Unit, ref: Ref) -> Meaning:
        """The type that an alias stands for."""

        def compute() -> Meaning:
            outline = unit.outlines[ref.at]
            for binding in unit.bound.get((outline.parent, outline.name), ()):
                if binding.value == "type" and binding.type:
                    return self.type_named(unit, ref.at, binding.type)
            return Unknown("an abstract type")

        return self.repository.once(("scala-alias", ref), compute, _CIRCULAR)

    def package_object(self, package: str) -> Ref | None:
        """The package's object, when the repository has one."""
        around, _, name = package.rpartition(".")
        found = []
        for ref in self.repository.named(name) if name else ():
            unit = self.repository.unit(ref.path)
            if unit is None or unit.language != "scala" or unit.outlines[ref.at].kind is not SymbolKind.MODULE:
                continue
            if self.package_of(unit, ref.at) == around:
                found.append(ref)
        return found[0] if len(found) == 1 else None

    def path(self, unit: Unit, scope: int, text: str) -> Meaning:
        """What the path of an import means: a package, an object, a value, or something outside."""
        first, _, rest = text.partition(".")
        if first == _ROOT:
            return self.entity(rest) or External(rest)
        found = self.stable(unit, scope, first)
        if found is not None and not isinstance(found, External):
            for name in rest.split(".") if rest else ():
                found = self.member(found, name, -1)
            return found
        for package in self.seen(unit, scope):
            entity = self.entity(f"{package}.{text}" if package else text)
            if entity is not None:
                return entity
        return External(text)

    def entity(self, name: str) -> Meaning | None:
        """A package or a stable member of one, by its full name; None when the repository has none."""

        def compute() -> Meaning | None:
            around, _, last = name.rpartition(".")
            found = self.in_package(around, last, -1, types=False)
            if found is not None:
                return found
            if self.repository.package("scala", name) or self.package_object(name) is not None:
                return Module(name)
            outer = self.entity(around) if around else None
            if isinstance(outer, Found | Instance):
                inner = self.member(outer, last, -1)
                return None if is_missing(inner) else inner
            return None

        return self.repository.once(("scala-entity", name), compute, None)

    def imported(self, unit: Unit, item: Import, arity: int, *, types: bool) -> Meaning | None:
        """What an import gives its name in the space of types or terms; None when it has nothing there."""
        source = self.path(unit, item.scope, item.module) if item.module else None
        if source is None:
            found = None if types else self.entity(item.name)
            return found or External(item.name)
        return self.offered(source, item.name, arity, types=types)

    def offered(self, source: Meaning, name: str, arity: int, *, types: bool) -> Meaning | None:
        """What a package, an object or a value has under a name."""
        if isinstance(source, External):
            return External(f"{source.name}.{name}")
        if isinstance(source, Module):
            found = self.in_package(source.path, name, arity, types=types)
            if found is None and not types:
                return self.entity(f"{source.path}.{name}")
            return found
        if isinstance(source, Unknown):
            return source
        if types:
            return self.type_member(source, name)
        found = self.member(source, name, arity)
        return None if is_missing(found) else found
