"""What surrounds a place in a Kotlin file: receivers that nobody writes, variables, and properties of files.

Receivers are object literals, extension receivers, classes, and lambdas. Whether a lambda has one is known where the
functions of the repository that take it say so, and for those of the standard library that have none.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, BindingKind
from satori.relationships.meaning import External, Found, Instance, Parent, Subtype, Unknown
from satori.relationships.rules.java.members import words_of
from satori.relationships.rules.java.names import Around
from satori.relationships.rules.java.values import Bounded, Named, Outside, Value
from satori.relationships.rules.kotlin.library import FINAL, PLAIN
from satori.relationships.rules.kotlin.types import KotlinTypes
from satori.relationships.unit import Body, Ref, Unit

_VARIABLE, _PARAMETER, _ALIAS = int(BindingKind.VARIABLE), int(BindingKind.PARAMETER), int(BindingKind.ALIAS)
_NO_LAMBDA = Outside("no lambda")
# Functions of the standard library whose lambda's receiver is what they are called on (or given), or a new value.
_ON_RECEIVER = frozenset({"apply", "run", "with"})
_BUILDERS = {
    "buildList": "MutableList",
    "buildMap": "MutableMap",
    "buildSet": "MutableSet",
    "buildString": "StringBuilder",
}
CIRCULAR = Unknown("the name is defined by itself")


class Implicit(NamedTuple):
    """A receiver that nobody writes; `why` says that it is not known, `around` is an object literal. `how` is
    `receiver` for one of an extension or lambda, `apart` for a type around of which there is no value."""

    value: Value
    name: str
    why: str = ""
    around: Around | None = None
    how: str = ""


class Scopes(KotlinTypes):
    """Receivers and variables in one repository."""

    def receivers(self, unit: Unit, body: Body | None, owner: int, at: int) -> Iterator[Implicit]:
        """The receivers at a place, innermost first."""
        binding: Binding | None
        places: list[tuple[int, int, Binding | None]] = []
        apart: set[int] = set()
        scope = owner
        while True:
            for source in (unit.bound, body.bound if body is not None else {}):
                for name in ("{", "new"):
                    for binding in source.get((scope, name), ()):
                        if binding.kind == _VARIABLE and binding.first <= at < binding.last:
                            places.append((binding.first, scope, binding))
            if scope < 0:
                break
            outline = unit.outlines[scope]
            if outline.is_type or outline.receiver:
                places.append((outline.start, scope, None))
            if outline.is_type and outline.parent >= 0 and unit.outlines[outline.parent].is_type:
                # A nested type has no value of the types around it.
                apart |= set() if "inner" in words_of(unit, scope) else self._around(unit, outline.parent)
            scope = outline.parent
        found: list[Implicit] = []
        for _, scope, binding in sorted(places, key=lambda place: (place[0], place[2] is not None)):
            if binding is None:
                received = self._received_by(unit, scope)
                found.append(received._replace(how="apart") if scope in apart else received)
            elif binding.name == "new":
                around = Around(None, binding.type, scope, binding.first, binding.last)
                found.append(Implicit(Unknown("an object literal"), "", "", around))
            else:
                taken = self._lambda(unit, body, scope, binding, found)
                found += [taken] if taken is not None else []
        return reversed(found)

    def _around(self, unit: Unit, scope: int) -> set[int]:
        """A type and the types around it."""
        found = set()
        while scope >= 0 and unit.outlines[scope].is_type:
            found.add(scope)
            scope = unit.outlines[scope].parent
        return found

    def _received_by(self, unit: Unit, scope: int) -> Implicit:
        outline = unit.outlines[scope]
        if outline.is_type:
            return Implicit(Instance(Ref(unit.path, scope), exact=False), outline.name)
        return Implicit(self.value_of(self.type_of(unit, scope, outline.receiver)), outline.name, how="receiver")

    def _lambda(
        self, unit: Unit, body: Body | None, scope: int, binding: Binding, outer: list[Implicit]
    ) -> Implicit | None:
        """The receiver of a lambda, None when it has none; `outer` are the receivers around it."""
        chain, _, name = binding.value.rpartition(".")
        why = f"the lambda of {name} may have a receiver"
        unknown = Implicit(Unknown(why), name, why)
        refs = self._visible(unit, name)
        if chain:
            # Outside of the lambda, whose receiver must not be asked for here.
            value = self.trace(unit, body, scope, chain, binding.first - 1).meaning
            if name in _ON_RECEIVER and not refs:
                return unknown if isinstance(value, Unknown) else Implicit(value, name, how="receiver")
            if isinstance(value, Instance | Bounded | Found):
                refs += self.methods(value.ref, name).refs
        else:
            for receiver in outer:
                if isinstance(receiver.value, Instance | Bounded):
                    refs += self.methods(receiver.value.ref, name).refs
            inside = scope
            while inside >= 0:
                refs += [Ref(unit.path, index) for index in unit.members.get((inside, name), ())]
                inside = unit.outlines[inside].parent
            if name in _BUILDERS and not refs:
                return Implicit(Outside(_BUILDERS[name]), name, how="receiver")
        if name in PLAIN and not refs:
            return None
        kinds = {self._taken(ref) for ref in refs} - {_NO_LAMBDA}
        if len(kinds) != 1:
            return unknown
        kind = kinds.pop()
        if kind is None:
            return None
        return unknown if isinstance(kind, Unknown) else Implicit(kind, name, how="receiver")

    def _taken(self, ref: Ref) -> Value | None:
        """The receiver of the lambda that a function takes, None for none."""

        def compute() -> Value | None:
            unit = self.repository.unit(ref.path)
            signature = unit.signature_of.get(ref.at) if unit is not None else None
            if unit is None or signature is None or not signature.parameters or unit.language != "kotlin":
                return Unknown("a lambda")
            text = signature.parameters.rpartition(":")[2]
            said, scope = (unit, ref.at) if text.endswith("()") else (self.function_alias(text), -1)
            if isinstance(said, tuple):
                said, text = said
            if said is None:
                declared = self.type_of(unit, ref.at, text)
                named = isinstance(declared, Found) and not self._is_interface(declared.ref)
                final = isinstance(declared, External) and declared.name in FINAL
                return _NO_LAMBDA if named or final else Unknown("a lambda")
            if not text.endswith(".()"):
                return None
            return self.replaced(self.type_of(said, scope, text.removesuffix(".()")))

        return self.repository.once((self.word, "taken", ref), compute, Unknown("a lambda"))

    def function_alias(self, name: str) -> tuple[Unit, str] | None:
        """The function type that an alias of the repository stands for, and its file, when only one has the name."""
        found = []
        for ref in self.repository.named(name.rpartition(".")[2]):
            other = self.repository.unit(ref.path)
            for binding in other.bound.get((-1, other.outlines[ref.at].name), ()) if other is not None else ():
                if binding.kind == _ALIAS and binding.value == "=" and other is not None:
                    found.append((other, binding.type))
        return found[0] if len(found) == 1 and found[0][1].endswith("()") else None

    def _visible(self, unit: Unit, name: str) -> list[Ref]:
        """The outermost functions of that name that a file sees."""
        explicit = [(item.module, item.name) for item in unit.imported.get((-1, name), ())]
        modules = explicit or [(unit.package, name), *((item.module, name) for item in unit.starred)]
        return [
            ref
            for module, original in modules
            for ref in self.offered(unit, module, original)
            if self._is_function(ref)
        ]

    @abstractmethod
    def offered(self, unit: Unit, module: str, name: str) -> list[Ref]:
        """The functions and types of that name in a package."""

    def _is_function(self, ref: Ref) -> bool:
        unit = self.repository.unit(ref.path)
        return unit is not None and unit.language == "kotlin" and unit.outlines[ref.at].is_function

    def variable(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Named | None:
        """The variable of that name which can be seen at the place; None when there is none."""
        if unit.language == "java":
            return super().variable(unit, body, owner, name, at)
        scope = owner
        while scope >= 0:
            local = self._seen(unit, body, scope, name, at)
            if local is not None:
                return self._local(unit, body, scope, local)
            outline = unit.outlines[scope]
            if outline.is_type:
                given = [b for b in unit.bound.get((scope, name), ()) if b.kind == _PARAMETER]
                if given and scope == owner:
                    return Named(self.value_of(self.type_of(unit, scope, given[0].type)), "typed")
                field = self.field(Ref(unit.path, scope), name)
                if field is not None:
                    return Named(field, "field")
            else:
                parameter = self._parameter(unit, scope, name)
                if parameter is not None:
                    return parameter
                if outline.receiver:
                    receiver = self.type_of(unit, scope, outline.receiver)
                    field = self.field(receiver.ref, name) if isinstance(receiver, Found | Subtype) else None
                    if field is not None:
                        return Named(field, "field")
            scope = outline.parent
        local = self._seen(unit, body, -1, name, at)
        if local is not None and local.last:
            return self._local(unit, body, -1, local)
        if name == "it":
            return Named(Unknown("the parameter of a lambda"), "typed")
        return self._top(unit, name)

    def _seen(self, unit: Unit, body: Body | None, scope: int, name: str, at: int) -> Binding | None:
        place = (scope, name)
        bindings = [*unit.bound.get(place, ()), *(body.bound.get(place, ()) if body is not None else ())]
        inner = [item for item in bindings if item.kind == _VARIABLE and item.first <= at < item.last]
        return max(inner, key=lambda item: item.first) if inner else None

    def _local(self, unit: Unit, body: Body | None, scope: int, binding: Binding) -> Named:
        if unit.language == "java" or binding.type:
            return super()._local(unit, body, scope, binding)
        if not binding.value:
            return Named(Unknown("a variable whose type is not declared"), "typed")

        def compute() -> Value:
            # The variable itself is not seen in its own value.
            return self.trace(unit, body, scope, binding.value, binding.start - 1).meaning

        found = self.repository.once((self.word, "local", unit.path, body is not None, *binding), compute, CIRCULAR)
        if isinstance(found, Found | Parent | External):
            found = Unknown("a type is no value")
        return Named(found, "constructed" if isinstance(found, Instance) and found.exact else "typed")

    def _top(self, unit: Unit, name: str) -> Named | None:
        """A property of a file: imported, of the package, or offered by an import of all."""

        def compute() -> Named | None:
            explicit = [(item.module, item.name) for item in unit.imported.get((-1, name), ())]
            groups = (explicit, [(unit.package, name)], [(item.module, name) for item in unit.starred])
            for group in groups:
                refs = [ref for module, original in group for ref in self._properties(unit, module, original)]
                if len(refs) == 1:
                    return Named(self._property(refs[0]), "field")
                if refs:
                    return Named(Unknown(f"declared {len(refs)} times"), "field")
            return None

        return self.repository.once((self.word, "top", unit.path, name), compute, None)

    def _properties(self, unit: Unit, package: str, name: str) -> Sequence[Ref]:
        found = []
        for ref in self.repository.named(name):
            other = self.repository.unit(ref.path)
            if other is None or other.language != "kotlin" or other.package != package:
                continue
            outline = other.outlines[ref.at]
            if outline.kind is SymbolKind.CONSTANT and not outline.receiver and self.accessible(unit, ref):
                found.append(ref)
        return self.packages.nearest(unit, found)

    def _property(self, ref: Ref) -> Value:
        unit = self.repository.unit(ref.path)
        bindings = unit.bound.get((-1, unit.outlines[ref.at].name), ()) if unit is not None else ()
        for binding in bindings:
            if unit is not None and binding.kind == _VARIABLE and not binding.last:
                return self.declared(unit, -1, binding)
        return Unknown("a property whose type is not declared")

    def declared(self, unit: Unit, scope: int, binding: Binding) -> Value:
        """The value of a variable: of its declared type, or what it is initialized with."""
        if unit.language == "java" or binding.type:
            return super().declared(unit, scope, binding)
        if not binding.value:
            return Unknown("a property whose type is not declared")

        def compute() -> Value:
            return self.trace(unit, None, scope, binding.value, -1).meaning

        found = self.repository.once((self.word, "declared", unit.path, scope, binding.name), compute, CIRCULAR)
        if isinstance(found, Instance):
            # A property may be a `var`, or be overridden.
            return Instance(found.ref, exact=False)
        return Unknown("a type is no value") if isinstance(found, Found | Parent | External) else found

    def _parameter(self, unit: Unit, scope: int, name: str) -> Named | None:
        found = super()._parameter(unit, scope, name)
        signature = unit.signature_of.get(scope)
        if found is not None and signature is not None and f"*{name}:" in signature.parameters:
            return Named(Unknown("an array of arguments"), "array")
        return found
