"""Types of Kotlin: what a type's name means, supertypes, members; Java's types are understood beside them.

A name means a type parameter, a type of the classes around, an explicit import, a type of the package, an import of
all. Type aliases are seen through; function types are no types with members.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from satori.model.definition import SymbolKind
from satori.model.reference import BindingKind
from satori.relationships.meaning import External, Found, Meaning, Unknown
from satori.relationships.rules.java.members import is_constructor, words_of
from satori.relationships.rules.java.names import Names as JavaNames
from satori.relationships.rules.java.types import CIRCULAR
from satori.relationships.rules.java.values import Order, Value
from satori.relationships.unit import Ref, Unit

_ALIAS = int(BindingKind.ALIAS)
FUNCTION_TYPE = Unknown("a value of a function type")


class KotlinTypes(JavaNames):
    """Types and members of Kotlin and Java files in one repository."""

    word: ClassVar[str] = "kotlin"
    languages: ClassVar[Collection[str]] = ("java", "kotlin")

    def type_of(self, unit: Unit, owner: int, text: str) -> Value:
        """What a type, written in the scope `owner`, means."""
        if unit.language == "kotlin" and text.endswith("()"):
            return FUNCTION_TYPE
        return super().type_of(unit, owner, text)

    def _outermost(self, unit: Unit, name: str) -> Meaning:
        if unit.language != "kotlin":
            return super()._outermost(unit, name)

        def compute() -> Meaning:
            for item in unit.imported.get((-1, name), ()):
                found = self._offered_type(unit, item.module, item.name)
                if found is not None:
                    return found
                if item.name[:1].isupper():
                    return External(f"{item.module}.{item.name}")
            beside = self._offered_type(unit, unit.package, name)
            if beside is not None:
                return beside
            offered = {found for item in unit.starred if (found := self._offered_type(unit, item.module, name))}
            if len(offered) > 1:
                return Unknown("offered by several imports")
            return offered.pop() if offered else External(name)

        return self.repository.once((self.word, "outermost", unit.path, name), compute, CIRCULAR)

    def _offered_type(self, unit: Unit, module: str, name: str) -> Meaning | None:
        """The type of that name in a package, or inside a type that the name spells."""
        refs = []
        for ref in self.repository.named(name):
            other = self.repository.unit(ref.path)
            if other is not None and other.package == module and self.is_type_like(ref):
                refs.append(ref)
        nearest = self.packages.nearest(unit, refs)
        if len(nearest) > 1:
            return Unknown(f"declared in {len(nearest)} files", tuple(nearest))
        if nearest:
            return self.seen_through(nearest[0])
        if "." in module:
            holder = self.spelled(unit, module)
            if isinstance(holder, Found):
                return self.member_type(holder.ref, name)
        return None

    def is_type_like(self, ref: Ref) -> bool:
        """Whether the definition is an outermost type, or a name for one."""
        unit = self.repository.unit(ref.path)
        if unit is None or unit.language not in self.languages:
            return False
        outline = unit.outlines[ref.at]
        return outline.parent < 0 and (outline.is_type or outline.kind is SymbolKind.TYPE)

    def seen_through(self, ref: Ref) -> Found | External | Unknown:
        """The type itself, or what an alias stands for."""
        unit = self.repository.unit(ref.path)
        if unit is None or unit.outlines[ref.at].is_type:
            return Found(ref)

        def compute() -> Found | External | Unknown:
            name = unit.outlines[ref.at].name
            for binding in unit.bound.get((-1, name), ()):
                if binding.kind == _ALIAS and binding.value == "=" and binding.type != name:
                    meaning = self.type_of(unit, -1, binding.type)
                    if isinstance(meaning, Found | External):
                        return meaning
                    return FUNCTION_TYPE if meaning == FUNCTION_TYPE else Unknown("an alias of another type")
            return Unknown("an alias of another type")

        return self.repository.once((self.word, "alias", ref), compute, CIRCULAR)

    def twins(self, ref: Ref) -> tuple[Ref, ...]:
        """The other declarations of an outermost type that is expected, or that a platform has for one."""

        def compute() -> tuple[Ref, ...]:
            unit = self.repository.unit(ref.path)
            if unit is None or ref.at < 0 or unit.language != "kotlin":
                return ()
            outline = unit.outlines[ref.at]
            if outline.parent >= 0 or not {"expect", "actual"}.intersection(words_of(unit, ref.at)):
                return ()
            found = []
            for other in self.repository.named(outline.name):
                there = self.repository.unit(other.path)
                if there is None or other == ref or there.package != unit.package:
                    continue
                if there.outlines[other.at].is_type and {"expect", "actual"}.intersection(words_of(there, other.at)):
                    found.append(other)
            return tuple(found)

        return self.repository.once((self.word, "twins", ref), compute, ())

    def is_among(self, ref: Ref, above: Order) -> bool:
        """Whether a type, or another declaration of it, is among these."""
        return ref in above or any(twin in above for twin in self.twins(ref))

    def descends(self, ref: Ref, above: Ref) -> bool:
        """Whether the type is, or descends from, the other."""
        return self.is_among(above, self.order(ref))

    def _declared(self, unit: Unit, at: int, name: str) -> list[int]:
        """The methods of that name that the type itself declares for its values."""
        if unit.language != "kotlin":
            return super()._declared(unit, at, name)
        return [
            index
            for index in super()._declared(unit, at, name)
            if not unit.outlines[index].receiver and "companion" not in words_of(unit, index) and name != "constructor"
        ]

    def _is_inherited(self, unit: Unit, method: Ref) -> bool:
        other = self.repository.unit(method.path)
        if other is not None and other.language == "kotlin":
            return "private" not in words_of(other, method.at)
        return super()._is_inherited(unit, method)

    def accessible(self, unit: Unit, method: Ref) -> bool:
        """Whether a file may name the function."""
        other = self.repository.unit(method.path)
        if other is None or other.language != "kotlin":
            return super().accessible(unit, method)
        words = words_of(other, method.at)
        return "hidden" not in words and (other.path == unit.path or "private" not in words)

    def is_delegated(self, ref: Ref, method: Ref) -> bool:
        """Whether a type has the function from an interface that it, or what it extends, delegates to a value."""
        holder = self.holder(method)
        if not self._is_interface(holder) or self._is_interface(ref):
            return False
        for item in self.order(ref):
            unit = self.repository.unit(item.path) if isinstance(item, Ref) else None
            for base in unit.bases_of.get(item.at, ()) if unit is not None and isinstance(item, Ref) else ():
                if base.how == "by" and unit is not None and isinstance(item, Ref):
                    meaning = self.type_of(unit, unit.outlines[item.at].parent, base.text)
                    if not isinstance(meaning, Found) or self.descends(meaning.ref, holder):
                        return True
        return False

    def overriders(self, ref: Ref, method: Ref, *, bounded: bool = False) -> tuple[Ref, ...]:
        """The types that may replace the function on a value of the type `ref`."""
        unit = self.repository.unit(method.path)
        if unit is not None and unit.language == "kotlin" and not bounded:
            words = words_of(unit, method.at)
            holder = unit.outlines[method.at].parent
            interface = holder >= 0 and unit.outlines[holder].kind is SymbolKind.INTERFACE
            if "final" in words or not (interface or {"open", "abstract", "override"}.intersection(words)):
                return ()
        found = list(super().overriders(ref, method, bounded=bounded))
        for twin in self.twins(ref):
            # What stands below another declaration of the type stands below this one.
            found += [item for item in super().overriders(twin, method, bounded=bounded) if item not in found]
        return tuple(item for item in found if item not in self.twins(ref))

    def companions(self, ref: Ref, name: str) -> tuple[Ref, ...]:
        """The functions of that name in the companion of a type or of what it extends."""

        def compute() -> tuple[Ref, ...]:
            found: list[Ref] = []
            for item in self.order(ref):
                unit = self.repository.unit(item.path) if isinstance(item, Ref) else None
                if unit is None or not isinstance(item, Ref):
                    continue
                if unit.language == "java":
                    found += [one for one in self.methods(item, name).refs if self._is_static(one)]
                    continue
                for index in unit.members.get((item.at, name), ()):
                    outline = unit.outlines[index]
                    if outline.is_function and "companion" in words_of(unit, index) and not outline.receiver:
                        found.append(Ref(item.path, index))
                for index in self._named_companions(unit, item.at):
                    found += self.methods(Ref(item.path, index), name).refs
            return tuple(dict.fromkeys(found))

        return self.repository.once((self.word, "companions", ref, name), compute, ())

    def _named_companions(self, unit: Unit, at: int) -> list[int]:
        return [
            index for index in unit.types if unit.outlines[index].parent == at and "companion" in words_of(unit, index)
        ]

    def _is_static(self, method: Ref) -> bool:
        unit = self.repository.unit(method.path)
        return unit is not None and "static" in words_of(unit, method.at)

    def constructors(self, ref: Ref) -> list[Ref]:
        """What a construction of the type may run: the type itself for its primary constructor, and the others."""
        unit = self.repository.unit(ref.path)
        if unit is None or ref.at < 0:
            return []
        outline = unit.outlines[ref.at]
        if unit.language == "java":
            if outline.kind is not SymbolKind.CLASS:
                return []
            indexes = unit.members.get((ref.at, outline.name), ())
            made = [Ref(ref.path, i) for i in indexes if unit.outlines[i].is_function and is_constructor(unit, i)]
            return made or [ref]
        if "object" in words_of(unit, ref.at) or outline.kind is SymbolKind.INTERFACE:
            return []
        found = [ref] if ref.at in unit.signature_of else []
        found += [
            Ref(ref.path, index)
            for index in unit.members.get((ref.at, "constructor"), ())
            if unit.outlines[index].kind is SymbolKind.METHOD
        ]
        return found

    def is_object(self, ref: Ref) -> bool:
        """Whether the type is an object: its name is its one value."""
        unit = self.repository.unit(ref.path)
        return unit is not None and unit.language == "kotlin" and "object" in words_of(unit, ref.at)
