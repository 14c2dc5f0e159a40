"""Members of Java's types: methods with what they override, fields, results, and what may replace a method.

Parameters are told apart by the last names of their types, as written; a type variable may be any object's type.
Methods of classes without a name are found among those of the type around them.
"""

from __future__ import annotations

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, BindingKind
from satori.relationships.meaning import External, Found, Instance, Subtype, Unknown
from satori.relationships.rules.java.types import CIRCULAR, PRIMITIVES, Types
from satori.relationships.rules.java.values import Array, Bounded, Methods, Outside, Value
from satori.relationships.unit import EXPORTED, Ref, Unit

_ALIAS, _FIELD = int(BindingKind.ALIAS), int(BindingKind.FIELD)


class Members(Types):
    """Members of types in one repository."""

    def methods(self, ref: Ref, name: str) -> Methods:
        """The methods of that name, what they override left out."""

        def compute() -> Methods:
            unit = self.repository.unit(ref.path)
            if unit is None or ref.at < 0:
                return Methods((), Unknown("a type that is not known"))
            if unit.language not in self.languages:
                return Methods((), Unknown("a type of another language"))
            found = [Ref(ref.path, index) for index in self._declared(unit, ref.at, name)]
            outside: External | Unknown | None = None
            for base in self.bases(ref):
                if not isinstance(base, Ref):
                    outside = outside or base
                    continue
                inherited = self.methods(base, name)
                outside = outside or inherited.outside
                self.merge(found, [method for method in inherited.refs if self._is_inherited(unit, method)])
            return Methods(tuple(found), outside)

        default = Methods((), CIRCULAR)
        return self.repository.once((self.word, "methods", ref, name), compute, default)

    def _declared(self, unit: Unit, at: int, name: str) -> list[int]:
        """The methods of that name that the type itself declares."""
        found = [
            index
            for index in unit.members.get((at, name), ())
            if unit.outlines[index].is_function and not is_constructor(unit, index)
        ]
        if found:
            # Those of classes without a name in an initializer stand in the type as well.
            aliases = unit.bound.get((at, name), ())
            nameless = {item.owner for item in aliases if item.kind == _ALIAS and item.value == "new"}
            found = [index for index in found if index not in nameless]
        return found

    def _is_inherited(self, unit: Unit, method: Ref) -> bool:
        other = self.repository.unit(method.path)
        if other is None:
            return False
        words = words_of(other, method.at)
        if "private" in words:
            return False
        if self._is_interface(self.holder(method)):
            return "static" not in words
        return bool(other.outlines[method.at].flags & EXPORTED) or other.package == unit.package

    def merge(self, found: list[Ref], inherited: list[Ref]) -> None:
        """Add inherited methods, each unless one that is there overrides it, or it overrides one that is there."""
        theirs = {self._parameters(method) for method in inherited}
        for method in inherited:
            number = self._partner(found, method, theirs)
            if number is None:
                found.append(method)
            elif not self._outdoes(found[number], method):
                found[number] = method

    def _partner(self, found: list[Ref], method: Ref, theirs: set[tuple[str, ...]]) -> int | None:
        """Where the method is that overrides this one, or is overridden by it. Where one has exactly its parameters,
        a type variable is not taken for something else."""
        wanted = self._parameters(method)
        mine = {self._parameters(other) for other in found}
        for number, other in enumerate(found):
            if other == method:
                return number
            if self.holder(other) == self.holder(method):
                continue
            parameters = self._parameters(other)
            exact = parameters == wanted
            if not exact and (parameters in theirs or wanted in mine or not self.same_parameters(other, method)):
                continue
            if self._outdoes(other, method) or self._outdoes(method, other):
                return number
        return None

    def _outdoes(self, one: Ref, other: Ref) -> bool:
        """Whether the first of two methods with equal parameters is the nearer one: its type descends from the other's,
        or it is a class's and the other an interface's."""
        mine, theirs = self.holder(one), self.holder(other)
        if self.descends(mine, theirs):
            return True
        if self.descends(theirs, mine):
            return False
        return not self._is_interface(mine) and self._is_interface(theirs)

    def accessible(self, unit: Unit, method: Ref) -> bool:
        """Whether a file may name the method: its own private ones, its package's, and what is public or protected."""
        other = self.repository.unit(method.path)
        if other is None or other.path == unit.path:
            return other is not None
        if "private" in words_of(other, method.at):
            return False
        return bool(other.outlines[method.at].flags & EXPORTED) or other.package == unit.package

    def holder(self, method: Ref) -> Ref:
        """The type that a method stands in."""
        unit = self.repository.unit(method.path)
        return Ref(method.path, unit.outlines[method.at].parent if unit is not None else -1)

    def _is_interface(self, ref: Ref) -> bool:
        unit = self.repository.unit(ref.path)
        return unit is not None and ref.at >= 0 and unit.outlines[ref.at].kind is SymbolKind.INTERFACE

    def same_parameters(self, one: Ref, other: Ref) -> bool:
        """Whether two methods may have equal parameters: types are told apart by their last names."""
        mine, theirs = self._parameters(one), self._parameters(other)
        return len(mine) == len(theirs) and all(map(_may_equal, mine, theirs))

    def _parameters(self, method: Ref) -> tuple[str, ...]:
        """The last name of each parameter's type, "" for a type variable."""

        def compute() -> tuple[str, ...]:
            unit = self.repository.unit(method.path)
            signature = unit.signature_of.get(method.at) if unit is not None else None
            if unit is None or signature is None or not signature.parameters:
                return ()
            found = []
            for text in signature.parameters.split(","):
                type_ = text.rpartition(":")[2]
                bare = type_.rstrip("[]")
                if self._is_variable(unit, method.at, bare):
                    found.append(type_[len(bare) :])
                else:
                    found.append(type_.rpartition(".")[2])
            return tuple(found)

        return self.repository.once((self.word, "parameters", method), compute, ())

    def _is_variable(self, unit: Unit, scope: int, name: str) -> bool:
        while scope >= 0:
            if any(item.kind == _ALIAS and not item.value for item in unit.bound.get((scope, name), ())):
                return True
            signature = unit.signature_of.get(scope)
            if signature is not None and name in [text.partition(":")[0] for text in signature.forwards.split(",")]:
                return True
            scope = unit.outlines[scope].parent
        return False

    def field(self, ref: Ref, name: str) -> Value | None:
        """A field's value, inherited ones included; None when the repository's part of the type has none."""

        def compute() -> Value | None:
            unit = self.repository.unit(ref.path)
            if unit is None or ref.at < 0 or unit.language not in self.languages:
                return None
            for binding in unit.bound.get((ref.at, name), ()):
                if binding.kind == _FIELD:
                    return self.declared(unit, ref.at, binding)
            outline = unit.outlines[ref.at]
            if outline.kind is SymbolKind.ENUM and any(
                unit.outlines[index].kind is SymbolKind.CONSTANT for index in unit.members.get((ref.at, name), ())
            ):
                return Instance(ref, exact=False)
            for base in self.bases(ref):
                found = self.field(base, name) if isinstance(base, Ref) else None
                if found is not None:
                    return found
            return None

        return self.repository.once((self.word, "field", ref, name), compute, None)

    def declared(self, unit: Unit, scope: int, binding: Binding) -> Value:
        """The value of a variable with a declared type."""
        value = self.value_of(self.type_of(unit, scope, binding.type))
        if isinstance(value, Instance) and binding.value == f"new {binding.type}()":
            return Instance(value.ref, exact=True)
        return value

    def value_of(self, declared: Value) -> Value:
        """A value that is declared to be of the type. A variable's bound is its static type."""
        if isinstance(declared, Array):
            return Array(self.value_of(declared.item))
        if isinstance(declared, Found | Subtype):
            return Instance(declared.ref, exact=False)
        return Outside(declared.name) if isinstance(declared, External) else declared

    def returned(self, methods: tuple[Ref, ...]) -> Value:
        """What all these methods declare to return."""
        found: set[Value] = set()
        for method in methods:
            unit = self.repository.unit(method.path)
            signature = unit.signature_of.get(method.at) if unit is not None else None
            if unit is None or signature is None:
                return Unknown("the result of a call")
            if not signature.returns:
                continue
            found.add(self.replaced(self.type_of(unit, method.at, signature.returns)))
        return found.pop() if len(found) == 1 else Unknown("the result depends on which method of that name is called")

    def replaced(self, declared: Value) -> Value:
        """A value of a declared type, seen from outside: its type variables may have been replaced."""
        if isinstance(declared, Array):
            return Array(self.replaced(declared.item))
        return Bounded(declared.ref) if isinstance(declared, Subtype) else self.value_of(declared)

    def overriders(self, ref: Ref, method: Ref, *, bounded: bool = False) -> tuple[Ref, ...]:
        """The types that may replace the method on a value of the type `ref`; with `bounded`, that may have another
        one of its name."""

        def compute() -> tuple[Ref, ...]:
            unit = self.repository.unit(method.path)
            if unit is None:
                return ()
            words = words_of(unit, method.at)
            if {"static", "private"}.intersection(words) or (not bounded and "final" in words):
                return ()
            name = unit.outlines[method.at].name
            above = self.order(ref)
            found = []
            for other in (ref, *self.repository.overriders(ref, name)):
                named = other != ref and other not in above and self._replaces(other, ref, method, bounded=bounded)
                if named or any(
                    self.descends(base, ref) and (bounded or self.same_parameters(Ref(other.path, item.owner), method))
                    for item, base in self.anonymous(other, name)
                ):
                    found.append(other)
            return tuple(found)

        return self.repository.once((self.word, "overriders", ref, method, bounded), compute, ())

    def _replaces(self, other: Ref, ref: Ref, method: Ref, *, bounded: bool) -> bool:
        unit = self.repository.unit(other.path)
        name_unit = self.repository.unit(method.path)
        if unit is None or name_unit is None:
            return False
        if unit.language not in self.languages:
            return True
        name = name_unit.outlines[method.at].name
        for index in self._declared(unit, other.at, name):
            words = words_of(unit, index)
            if "private" in words or ("static" in words and not bounded):
                continue
            if bounded or self.same_parameters(Ref(other.path, index), method):
                return self.descends(other, ref) or other in self._between(ref)
        return False

    def _between(self, ref: Ref) -> frozenset[Ref]:
        """Everything above the descendants of a type."""

        def compute() -> frozenset[Ref]:
            found: set[Ref] = set()
            for heir in self.repository.descendants(ref):
                if self.descends(heir, ref):
                    found.update(item for item in self.order(heir) if isinstance(item, Ref))
            return frozenset(found)

        return self.repository.once((self.word, "between", ref), compute, frozenset())


def words_of(unit: Unit, index: int) -> list[str]:
    """The modifiers of a definition."""
    marks = unit.marks_of.get(index)
    return marks[0].split() if marks else []


def is_constructor(unit: Unit, index: int) -> bool:
    """Whether a function is a constructor: it has no result and the name of its type."""
    outline = unit.outlines[index]
    signature = unit.signature_of.get(index)
    named = outline.parent >= 0 and unit.outlines[outline.parent].name == outline.name
    return named and (signature is None or not signature.returns)


def _may_equal(one: str, other: str) -> bool:
    """Whether two types of parameters can be one; a type variable is written without a name."""
    if one == other:
        return True
    if not one.rstrip("[]") and not other.rstrip("[]"):
        return False
    for variable, type_ in ((one, other), (other, one)):
        if not variable.rstrip("[]") and type_.endswith(variable):
            return type_[: len(type_) - len(variable)] not in PRIMITIVES
    return False
