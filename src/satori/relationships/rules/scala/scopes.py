"""Where plain names of Scala come from: scopes from the inside, imports at theirs, the packages in sight.

Local names, members of the type around (inherited ones too), then imports; at last the packages that are seen. A
wildcard import from outside hides what other files put into the package.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, Import, ImportFlag
from satori.relationships.meaning import External, Found, Instance, Meaning, Unknown
from satori.relationships.rules.scala.packages import Packages
from satori.relationships.rules.scala.standard import STANDARD, STANDARD_NAMES, VISIBLE
from satori.relationships.rules.scala.types import alternative, chosen, functions, is_missing, term_in
from satori.relationships.unit import KINDS, TYPE_KINDS, Body, Ref, Unit

_CIRCULAR: Meaning = Unknown("the name is defined by itself")
_TYPE = KINDS.index(SymbolKind.TYPE)
_MODULE = SymbolKind.MODULE
# Names of bindings that say where a class without a name and an import of a block are.
_SPECIAL = ("new", "import")
_CONDITIONAL = int(ImportFlag.CONDITIONAL)
HOLDERS = TYPE_KINDS | {_MODULE}


class Named(NamedTuple):
    """A meaning, and how the name got it: the word that rules are named with."""

    meaning: Meaning
    how: str


class Scopes(Packages):
    """Names of one repository; what chains mean is the heir's."""

    def name(self, unit: Unit, body: Body | None, owner: int, name: str, at: int, arity: int) -> Named:
        """What a plain name, called with so many arguments at byte `at`, means."""
        if at >= 0 and self._in_range(unit, body, owner, name, at):
            return self._name(unit, body, owner, name, at, arity)

        def compute() -> Named:
            return self._name(unit, None, owner, name, -1, arity)

        return self.repository.once(("scala-name", unit.path, owner, name, arity), compute, Named(_CIRCULAR, ""))

    def _in_range(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> bool:
        """Whether a block or a class without a name around a byte may give the name a meaning."""
        scope = owner
        while True:
            for place in ((scope, name), (scope, "new"), (scope, "import")):
                for binding in unit.bound.get(place, ()):
                    if binding.last and binding.first <= at < binding.last:
                        return True
                if body is not None:
                    for binding in body.bound.get(place, ()):
                        if binding.first <= at < binding.last:
                            return True
            if scope < 0:
                return False
            scope = unit.outlines[scope].parent

    def _name(self, unit: Unit, body: Body | None, owner: int, name: str, at: int, arity: int) -> Named:
        inside: External | None = None
        outside: list[External] = []
        scope = owner
        while scope >= 0:
            found = self._ranged(unit, body, scope, name, at, arity, outside)
            if found is None:
                if unit.outlines[scope].kind in HOLDERS:
                    found = self._alias(unit, scope, name) or self._own(Ref(unit.path, scope), name, arity)
                else:
                    found = self._local(unit, scope, name, arity)
            found = found or self._by_import(unit, scope, name, arity, outside)
            if found is not None:
                return self._behind(found, inside)
            if unit.outlines[scope].kind in HOLDERS:
                inside = inside or self._foreign(Ref(unit.path, scope))
            scope = unit.outlines[scope].parent
        found = self._ranged(unit, body, -1, name, at, arity, outside)
        found = found or self._same_file(unit, owner, name, arity)
        found = found or self._by_import(unit, -1, name, arity, outside)
        if found is not None:
            return self._behind(found, inside)
        for package in self.seen(unit, owner):
            meaning = self.in_package(package, name, arity, types=False)
            if meaning is not None:
                return self._behind(Named(self._hidden(meaning, name, outside), "package"), inside)
        known = outside[-1] if len(outside) == 1 and not _is_standard(outside[0]) else None
        return Named(External(f"{known.name}.{name}" if known is not None else name), "global")

    def _behind(self, found: Named, inside: External | None) -> Named:
        """What is found outside of a type with a base that is not in the repository, which may have the name too."""
        meaning = found.meaning
        if inside is None or found.how == "imported" or isinstance(meaning, External):
            return found
        refs = (meaning.ref,) if isinstance(meaning, Found) else ()
        return Named(Unknown(f"may be a member of {inside.name}", refs), found.how)

    def _foreign(self, ref: Ref) -> External | None:
        """A base outside the repository and outside the standard library."""
        for item in self.order(ref):
            if isinstance(item, External) and not _is_standard(item):
                return item
        return None

    def _hidden(self, meaning: Meaning, name: str, outside: list[External]) -> Meaning:
        """What another file of the package defines, with wildcard imports from outside in sight."""
        for source in outside:
            if not _is_standard(source) or name in STANDARD_NAMES:
                refs = (meaning.ref,) if isinstance(meaning, Found) else ()
                return Unknown(f"may come from everything in {source.name}", refs)
        return meaning

    def _ranged(
        self, unit: Unit, body: Body | None, scope: int, name: str, at: int, arity: int, outside: list[External]
    ) -> Named | None:
        """What blocks, their imports, and classes without a name around a byte make of it, the innermost first."""
        if at < 0:
            return None
        places = [(scope, place) for place in (name, *_SPECIAL)]
        bindings = [b for place in places for b in unit.bound.get(place, ()) if b.last and b.first <= at < b.last]
        if body is not None:
            bindings += [b for place in places for b in body.bound.get(place, ()) if b.last and b.first <= at < b.last]
        for binding in sorted(bindings, key=lambda item: (item.last - item.first, item.start)):
            if binding.name not in _SPECIAL:
                return Named(self._bound(unit, body, scope, binding), "local")
            if binding.name == "import":
                found = self._block_import(unit, binding, name, arity, outside)
                if found is not None:
                    return found
                continue
            own = self._unnamed_members(unit, binding, name)
            if own:
                return Named(chosen(self, [alternative(unit, index, None) for index in own], arity)[0], "this")
            base = self.type_named(unit, scope, binding.type)
            if isinstance(base, Found):
                meaning = self.virtual(base.ref, name, arity)
                if not is_missing(meaning):
                    return Named(meaning, "this")
        return None

    def _block_import(
        self, unit: Unit, binding: Binding, name: str, arity: int, outside: list[External]
    ) -> Named | None:
        """What an import of a block makes of the name."""
        imported, _, alias = binding.value.partition(">")
        item = Import(binding.scope, binding.start, binding.start, 0, 0, binding.type, imported, alias)
        if alias == name:
            meaning = self._import(unit, item, arity, types=False)
            return Named(meaning, "imported") if meaning is not None else None
        if imported != "*":
            return None
        source = self._path(unit, item)
        if isinstance(source, External):
            outside.append(source)
            return None
        meaning = self.offered(source, name, arity, types=False)
        if meaning is None or (isinstance(meaning, External | Unknown) and not _candidates(meaning)):
            return None
        return Named(meaning, "wildcard")

    def _unnamed_members(self, unit: Unit, binding: Binding, name: str) -> list[int]:
        """The members of that name of a class without a name."""
        return [
            index
            for index in unit.members.get((binding.scope, name), ())
            if binding.first <= unit.outlines[index].start < binding.last
            and unit.outlines[index].is_function
            and "unnamed" in unit.marks_of.get(index, ())
        ]

    def _bound(self, unit: Unit, body: Body | None, scope: int, binding: Binding) -> Meaning:
        def compute() -> Meaning:
            if binding.type:
                return self.value_of(unit, scope, binding.type)
            if binding.value:
                return self.evaluate(unit, body, scope, binding.value, binding.start - 1)
            return Unknown("a local name without a type")

        return self.repository.once(("scala-bound", unit.path, body is not None, *binding), compute, _CIRCULAR)

    def _own(self, ref: Ref, name: str, arity: int) -> Named | None:
        """A member of the type around, seen without a receiver."""
        companion = name == "apply" and self.is_object(ref)
        meaning = self.apply(ref, arity) if companion else self.virtual(ref, name, arity)
        if is_missing(meaning):
            return None
        unsure = isinstance(meaning, External) or (isinstance(meaning, Unknown) and not meaning.candidates)
        if unsure and not self._has(ref, name):
            return None
        return Named(meaning, "this")

    def _alias(self, unit: Unit, scope: int, name: str) -> Named | None:
        """The type around under the name that its self type gives it; heirs do not see that name."""
        if any(binding.value == "this" for binding in unit.bound.get((scope, name), ())):
            ref = Ref(unit.path, scope)
            return Named(Instance(ref, exact=self.is_object(ref)), "self")
        return None

    def _has(self, ref: Ref, name: str) -> bool:
        for item in self.order(ref):
            if isinstance(item, Ref) and (self.methods(item, name) or self.own_value(item, name) is not None):
                return True
        return False

    def _local(self, unit: Unit, scope: int, name: str, arity: int) -> Named | None:
        """What a function makes of the name: a definition inside, or a parameter."""
        local = functions(unit, scope, name)
        if local:
            return Named(chosen(self, [alternative(unit, index, None) for index in local], arity)[0], "local")
        term = term_in(unit, scope, name)
        if term is not None:
            return Named(term, "local")
        signature = unit.signature_of.get(scope)
        if signature is None or name not in signature.parameters:
            return None
        for text in re.split("[,;]", signature.parameters):
            bare, _, written = text.partition(":")
            if bare.lstrip("*?") == name:
                if written and not bare.lstrip("?").startswith("*"):
                    return Named(self.value_of(unit, scope, written), "local")
                return Named(Unknown(f"the parameter {name} has a type that is no name"), "local")
        return None

    def _same_file(self, unit: Unit, owner: int, name: str, arity: int) -> Named | None:
        """What the file itself defines at its outermost level."""
        methods = functions(unit, -1, name)
        indexes = [index for index in unit.members.get((-1, name), ()) if unit.outlines[index].kind is not _MODULE]
        packages = {self.package_of(unit, index) for index in (*methods, *indexes)}
        if not packages or not packages <= set(self.seen(unit, owner)) or len(packages) > 1:
            return None
        meaning = self.in_package(packages.pop(), name, arity, types=False)
        return Named(meaning, "package") if meaning is not None else None

    def _by_import(
        self, unit: Unit, scope: int, name: str, arity: int, outside: list[External], *, types: bool = False
    ) -> Named | None:
        """What the imports of one scope make of the name. Wildcards from outside are noted."""
        for item in unit.imports:
            if item.scope == scope:
                break
        else:
            return None

        def compute() -> tuple[Named | None, tuple[External, ...]]:
            return self._imported_name(unit, scope, name, arity, types=types)

        key = ("scala-by-import", unit.path, scope, name, arity, types)
        found, noted = self.repository.once(key, compute, (None, ()))
        outside += noted
        return found

    def _imported_name(
        self, unit: Unit, scope: int, name: str, arity: int, *, types: bool
    ) -> tuple[Named | None, tuple[External, ...]]:
        outside: list[External] = []
        if types:
            hidden_type = self._block_type(unit, scope, name)
            if hidden_type is not None:
                return Named(hidden_type, "imported"), ()
        explicit = [item for item in unit.imported.get((scope, name), ()) if not item.flags & _CONDITIONAL]
        meanings: set[Meaning] = {
            m for item in explicit if (m := self._import(unit, item, arity, types=types)) is not None
        }
        if len(meanings) > 1:
            inner: set[Meaning] = {meaning for meaning in meanings if not isinstance(meaning, External)}
            meanings = inner if len(inner) == 1 else {Unknown("imported from several places")}
        if meanings:
            return Named(meanings.pop(), "imported"), ()
        hidden = {item.module + "." + item.name for item in unit.imports if item.scope == scope and not item.alias}
        for item in reversed(unit.starred):
            if item.scope != scope or item.flags & _CONDITIONAL or f"{item.module}.{name}" in hidden:
                continue
            source = self._path(unit, item)
            if isinstance(source, External):
                outside.append(source)
                continue
            meaning = self.offered(source, name, arity, types=types)
            if meaning is None or (isinstance(meaning, External | Unknown) and not _candidates(meaning)):
                continue
            return Named(meaning, "wildcard"), tuple(outside)
        return None, tuple(outside)

    def _block_type(self, unit: Unit, scope: int, name: str) -> Meaning | None:
        """Whether imports of blocks in the scope may give a type this name: where types stand in it is not known."""
        for item in unit.imports:
            if item.scope == scope and item.flags & _CONDITIONAL:
                offers = item.alias == name
                if item.name == "*":
                    source = self._path(unit, item)
                    found = None if isinstance(source, External) else self.offered(source, name, -1, types=True)
                    offers = isinstance(found, Found) or (isinstance(source, External) and not _is_standard(source))
                if offers:
                    return Unknown("a block imports a type of that name")
        return None

    def _import(self, unit: Unit, item: Import, arity: int, *, types: bool) -> Meaning | None:
        def compute() -> Meaning | None:
            return self.imported(unit, item, arity, types=types)

        place = (item.scope, item.module, item.name, item.alias)
        return self.repository.once(("scala-import", unit.path, place, arity, types), compute, None)

    def _path(self, unit: Unit, item: Import) -> Meaning:
        def compute() -> Meaning:
            return self.path(unit, item.scope, item.module)

        key = ("scala-path", unit.path, item.scope, item.module)
        return self.repository.once(key, compute, External(item.module))

    def stable(self, unit: Unit, scope: int, name: str) -> Meaning | None:
        """What the first name of an import's path means; wildcard imports are not asked, since they ask this."""
        at = scope
        while at >= 0:
            if unit.outlines[at].kind in HOLDERS:
                found = self._alias(unit, at, name) or self._own(Ref(unit.path, at), name, -1)
            else:
                found = self._local(unit, at, name, -1)
            if found is not None:
                return found.meaning
            at = unit.outlines[at].parent
        for at in (scope, -1) if scope >= 0 else (-1,):
            for item in unit.imported.get((at, name), ()):
                if item.flags & _CONDITIONAL:
                    return Unknown("imported in a block")
                if item.module.partition(".")[0] != name:
                    return self._import(unit, item, -1, types=False)
        return None

    def type_named(self, unit: Unit, scope: int, text: str) -> Meaning:
        """The type that a name means there."""
        if not text:
            return Unknown("a type that is no name")
        if text.startswith('"'):
            return External(text.strip('"'))

        def compute() -> Meaning:
            path, _, last = text.rpartition(".")
            if path:
                source = self.evaluate(unit, None, scope, path, -1)
                if isinstance(source, External):
                    source = self.path(unit, scope, path)
                return self.offered(source, last, -1, types=True) or Unknown(f"no type {text}")
            return self._type(unit, scope, text)

        return self.repository.once(("scala-type", unit.path, scope, text), compute, _CIRCULAR)

    def _type(self, unit: Unit, scope: int, name: str) -> Meaning:
        outside: list[External] = []
        at = scope
        while at >= 0:
            for mark in unit.marks_of.get(at, ()):
                if mark.startswith("[") and name in mark[1:-1].split(","):
                    return Unknown("a type parameter")
            if unit.outlines[at].kind in HOLDERS:
                found = self.type_member(Found(Ref(unit.path, at)), name)
            else:
                found = self._type_in(unit, at, name)
            if found is not None and not isinstance(found, External):
                return found
            named = self._by_import(unit, at, name, -1, outside, types=True)
            if named is not None:
                return named.meaning
            at = unit.outlines[at].parent
        seen = self.seen(unit, scope)
        here = {
            self.package_of(unit, i) for i in unit.members.get((-1, name), ()) if not self.is_object(Ref(unit.path, i))
        }
        for package in here & set(seen):
            found = self.in_package(package, name, -1, types=True)
            if found is not None:
                return found
        named = self._by_import(unit, -1, name, -1, outside, types=True)
        if named is not None:
            return named.meaning
        for package in seen:
            found = self.in_package(package, name, -1, types=True)
            if found is not None:
                return self._hidden(found, name, outside)
        known = outside[-1] if len(outside) == 1 and not _is_standard(outside[0]) else None
        return External(f"{known.name}.{name}" if known is not None else name)

    def _type_in(self, unit: Unit, scope: int, name: str) -> Meaning | None:
        found = [
            index
            for index in unit.members.get((scope, name), ())
            if unit.outlines[index].kind_number == _TYPE
            or (unit.outlines[index].is_type and "object" not in unit.marks_of.get(index, ()))
        ]
        if not found:
            return None
        if len(found) > 1:
            return Unknown(f"defined {len(found)} times")
        ref = Ref(unit.path, found[0])
        return self.alias(unit, ref) if unit.outlines[ref.at].kind_number == _TYPE else Found(ref)

    def type_member(self, receiver: Meaning, name: str) -> Meaning | None:
        """The type of that name in an object, or in the type of a value."""
        if not isinstance(receiver, Found | Instance):
            return receiver if isinstance(receiver, Unknown | External) else None
        for item in self.order(receiver.ref):
            if isinstance(item, Ref):
                unit = self.repository.unit(item.path)
                found = self._type_in(unit, item.at, name) if unit is not None else None
                if found is not None:
                    return found
        return None


def _is_standard(outside: External) -> bool:
    """Whether a name is of the language's packages, or one that every file sees."""
    first = outside.name.split(".")[0]
    return first in STANDARD or first in VISIBLE


def _candidates(meaning: Meaning) -> bool:
    return isinstance(meaning, Unknown) and bool(meaning.candidates)
