"""Types of Java: what a type's name means where it is written, and what types descend from.

Type arguments are not followed: a type variable stands for its bound. Types that Kotlin files declare are found, but
what those descend from is not looked at.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, BindingKind, ImportFlag
from satori.relationships.meaning import External, Found, Meaning, Subtype, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.java.packages import Packages
from satori.relationships.rules.java.values import Array, Order, Value
from satori.relationships.unit import Ref, Unit

_ALIAS = int(BindingKind.ALIAS)
_STATIC = int(ImportFlag.STATIC)
CIRCULAR = Unknown("the type descends from itself")
PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short", "void"})


class Types:
    """Types in one repository."""

    # What the conclusions are remembered under, and whose types' members are looked at.
    word: ClassVar[str] = "java"
    languages: ClassVar[Collection[str]] = ("java",)

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.packages = Packages(repository)

    def type_of(self, unit: Unit, owner: int, text: str) -> Value:
        """What a type, written in the scope `owner`, means: a type (Found), a variable (Subtype), or an array."""
        if text.endswith("[]"):
            return Array(self.type_of(unit, owner, text[:-2]))
        if not text:
            return Unknown("a type that is not declared")
        if text in PRIMITIVES:
            return External(text)

        def compute() -> Meaning:
            names = text.split(".")
            meaning = self._simple(unit, owner, names[0])
            taken = 1
            if isinstance(meaning, External) and len(names) > 1:
                spelled = self.packages.qualified(unit, names)
                if spelled is not None:
                    meaning, taken = spelled
            for name in names[taken:]:
                if isinstance(meaning, External):
                    meaning = External(f"{meaning.name}.{name}")
                elif isinstance(meaning, Found):
                    meaning = self.member_type(meaning.ref, name) or Unknown(f"no type {text}")
            return meaning

        return self.repository.once((self.word, "type", unit.path, owner, text), compute, CIRCULAR)

    def _simple(self, unit: Unit, owner: int, name: str) -> Meaning:
        scope = owner
        while scope >= 0:
            outline = unit.outlines[scope]
            found = self._variable(unit, scope, name)
            if found is not None:
                return found
            if outline.is_type:
                if outline.name == name:
                    return Found(Ref(unit.path, scope))
                found = self.member_type(Ref(unit.path, scope), name)
            else:
                found = _only_type(unit, scope, name)
            if found is not None:
                return found
            scope = outline.parent
        return self._outermost(unit, name)

    def _variable(self, unit: Unit, scope: int, name: str) -> Meaning | None:
        """The type parameter of a type or method."""
        bound: str | None = None
        for binding in unit.bound.get((scope, name), ()):
            if binding.kind == _ALIAS and not binding.value:
                bound = binding.type
        signature = unit.signature_of.get(scope)
        if signature is not None and signature.forwards:
            for text in signature.forwards.split(","):
                parameter, _, said = text.partition(":")
                if parameter == name:
                    bound = said
        if bound is None:
            return None
        meaning = self.type_of(unit, scope, bound) if bound and bound != name else None
        if isinstance(meaning, Found):
            return Subtype(meaning.ref)
        if isinstance(meaning, Subtype):
            return meaning
        return Unknown(f"the type variable {name}")

    def _outermost(self, unit: Unit, name: str) -> Meaning:
        def compute() -> Meaning:
            own = _only_type(unit, -1, name)
            if own is not None:
                return own
            for item in unit.imported.get((-1, name), ()):
                found = self._imported(unit, item.module, name, static=bool(item.flags & _STATIC))
                if found is not None:
                    return found
            beside = self.packages.type_named(unit, unit.package, name)
            if beside is not None:
                return beside
            offered = set()
            for item in unit.starred:
                found = self._imported(unit, item.module, name, static=bool(item.flags & _STATIC), star=True)
                if found is not None:
                    offered.add(found)
            if len(offered) > 1:
                return Unknown("offered by several imports")
            return offered.pop() if offered else External(name)

        return self.repository.once((self.word, "outermost", unit.path, name), compute, CIRCULAR)

    def _imported(self, unit: Unit, module: str, name: str, *, static: bool, star: bool = False) -> Meaning | None:
        """The type that an import names; None when it offers no type of the name."""
        found = None if static else self.packages.type_named(unit, module, name)
        if found is None:
            holder = self.spelled(unit, module)
            if isinstance(holder, Found):
                found = self.member_type(holder.ref, name)
                return found if found is not None or static or star else Unknown(f"{module} has no type {name}")
        if found is not None or static or star:
            return found
        return External(f"{module}.{name}")

    def spelled(self, unit: Unit, text: str) -> Meaning:
        """A type that is written with its whole package."""

        def compute() -> Meaning:
            names = text.split(".")
            found = self.packages.qualified(unit, names)
            meaning, taken = found if found is not None else (External(text), len(names))
            for name in names[taken:]:
                if isinstance(meaning, Found):
                    meaning = self.member_type(meaning.ref, name) or Unknown(f"no type {text}")
            return meaning

        return self.repository.once((self.word, "spelled", unit.path, text), compute, CIRCULAR)

    def member_type(self, ref: Ref, name: str) -> Found | Unknown | None:
        """The type of that name inside a type, inherited ones included."""

        def compute() -> Found | Unknown | None:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return None
            own = _only_type(unit, ref.at, name)
            if own is not None:
                return own
            found = set()
            for base in self.bases(ref):
                inherited = self.member_type(base, name) if isinstance(base, Ref) else None
                if inherited is not None:
                    found.add(inherited)
            if len(found) > 1:
                return Unknown("several types of that name are inherited")
            return found.pop() if found else None

        return self.repository.once((self.word, "member-type", ref, name), compute, None)

    def bases(self, ref: Ref) -> Order:
        """What the type extends, then what it implements."""

        def compute() -> Order:
            unit = self.repository.unit(ref.path)
            if unit is None or ref.at < 0:
                return ()
            if unit.language not in self.languages:
                return (Unknown("a type of another language"),)
            around = unit.outlines[ref.at].parent
            found: list[Ref | External | Unknown] = []
            for base in unit.bases_of.get(ref.at, ()):
                meaning = self.type_of(unit, around, base.text)
                if isinstance(meaning, Found):
                    found.append(meaning.ref)
                elif isinstance(meaning, External | Unknown):
                    found.append(meaning)
                else:
                    found.append(Unknown(f"the base {base.text} is not known"))
            if unit.outlines[ref.at].kind is SymbolKind.ENUM:
                found.append(External("Enum"))
            return tuple(found)

        default: Order = (CIRCULAR,)
        return self.repository.once((self.word, "bases", ref), compute, default)

    def order(self, ref: Ref) -> Order:
        """The type and everything above it, nearest first."""

        def compute() -> Order:
            found: dict[Ref | External | Unknown, None] = {ref: None}
            for base in self.bases(ref):
                found.update(dict.fromkeys(self.order(base) if isinstance(base, Ref) else (base,)))
            return tuple(found)

        default: Order = (CIRCULAR,)
        return self.repository.once((self.word, "order", ref), compute, default)

    def descends(self, ref: Ref, above: Ref) -> bool:
        """Whether the type is, or descends from, the other."""
        return above in self.order(ref)

    def anonymous(self, ref: Ref, name: str = "") -> list[tuple[Binding, Ref]]:
        """The methods of classes without a name inside the type, with what each class extends in the repository."""
        unit = self.repository.unit(ref.path)
        if unit is None:
            return []
        bindings = unit.bound.get((ref.at, name), ()) if name else unit.bindings
        found = []
        for binding in bindings:
            if binding.kind == _ALIAS and binding.value == "new" and binding.scope == ref.at:
                for text in binding.type.split(","):
                    base = self.type_of(unit, unit.outlines[binding.owner].parent, text)
                    if isinstance(base, Found):
                        found.append((binding, base.ref))
        return found


def _only_type(unit: Unit, scope: int, name: str) -> Found | None:
    for index in unit.members.get((scope, name), ()):
        if unit.outlines[index].is_type:
            return Found(Ref(unit.path, index))
    return None
