"""Which of several methods of one name a call means: by the number of its arguments, then by what their types rule out.

A method that cannot take an argument is out; since the program compiles, the only one left is the one. Of several that
are left the one wins that surely takes every argument and whose parameters are the nearest, in the language's order:
without boxing before with it, a fixed number of parameters before any number. Static types are exact in Java, so one
that is known not to descend from a parameter's type rules the method out.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from satori.model.definition import SymbolKind
from satori.model.reference import CallSite
from satori.relationships.meaning import External, Found, Instance, Subtype, Unknown
from satori.relationships.rules.java.library import SUPERTYPES
from satori.relationships.rules.java.names import Names
from satori.relationships.rules.java.values import Array, Bounded, Outside, Value
from satori.relationships.unit import Body, Ref, Unit

_WIDER = {
    "byte": ("short", "int", "long", "float", "double"),
    "short": ("int", "long", "float", "double"),
    "char": ("int", "long", "float", "double"),
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "double": (),
    "boolean": (),
}
_BOXES = {
    "byte": "Byte",
    "short": "Short",
    "char": "Character",
    "int": "Integer",
    "long": "Long",
    "float": "Float",
    "double": "Double",
    "boolean": "Boolean",
}
_UNBOXED = {box: primitive for primitive, box in _BOXES.items()}
_ABOVE_ARRAYS = frozenset({"Object", "Cloneable", "Serializable"})
_LAMBDA, _NULL = Outside("->"), Outside("None")
# Library types that a lambda can be are interfaces; these common ones are none.
_NO_FUNCTIONS = frozenset({"String", "Class", "Object", "File", "Charset", "Locale", "URL", "URI", "Throwable"})


class Fit(IntEnum):
    """Whether a parameter takes an argument: no, not known, only boxed, yes, or yes and of that very type."""

    NO = 0
    UNKNOWN = 1
    BOXED = 2
    YES = 3
    SAME = 4


class Overloads:
    """Choices among methods of one name."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.repository = names.repository

    def chosen(
        self, unit: Unit, body: Body, site: CallSite, refs: Sequence[Ref], *, alone: bool
    ) -> tuple[tuple[Ref, ...], bool]:
        """The methods that the call may mean, and whether one is proved by the types of all arguments. Unless they
        stand `alone`, one that is left over proves nothing: methods outside the repository may have been meant."""
        fitting = self.names.fitting(refs, site.arity)
        if not fitting or (alone and len(fitting) == 1) or site.arity == 0:
            fixed = [ref for ref in fitting if not self._is_variable(ref)]
            return (tuple(fixed) if len(fixed) == 1 else fitting), site.arity == 0 and bool(fixed)
        arguments = self._arguments(unit, body, site)
        fits = {ref: self._fits(ref, arguments) for ref in fitting}
        left = [ref for ref in fitting if Fit.NO not in fits[ref]]
        sure = [ref for ref in left if not self._is_variable(ref) and min(fits[ref]) >= Fit.BOXED]
        if sure:
            left = [ref for ref in left if not self._is_variable(ref)]
        strict = [ref for ref in sure if min(fits[ref]) >= Fit.YES]
        if strict:
            left = [ref for ref in left if Fit.BOXED not in fits[ref]]
        same = len(left) == 1 and min(fits[left[0]]) == Fit.SAME
        if len(left) > 1:
            nearest = [
                ref for ref in strict if all(ref == other or self._nearer(ref, other, fits[ref]) for other in left)
            ]
            if len(nearest) == 1:
                return (nearest[0],), min(fits[nearest[0]]) == Fit.SAME
        return tuple(left), same

    def _is_variable(self, ref: Ref) -> bool:
        unit = self.repository.unit(ref.path)
        signature = unit.signature_of.get(ref.at) if unit is not None else None
        return signature is not None and signature.most < 0

    def _arguments(self, unit: Unit, body: Body, site: CallSite) -> list[Value]:
        if not site.arguments:
            return [Unknown("an expression")] * site.arity
        found: list[Value] = []
        for chain in site.arguments.split(";"):
            if chain == "None":
                found.append(_NULL)
            elif chain:
                value = self.names.trace(unit, body, site.owner, chain, site.start).meaning
                # A type's name is no value: what was meant is not known.
                found.append(Unknown("a type") if isinstance(value, Found | External) else value)
            else:
                found.append(Unknown("an expression"))
        return found

    def _fits(self, ref: Ref, arguments: Sequence[Value]) -> list[Fit]:
        types = self._types(ref)
        if not self._is_variable(ref):
            return [self.fit(argument, type_) for argument, type_ in zip(arguments, types, strict=False)]
        fixed = len(types) - 1
        found = [self.fit(argument, type_) for argument, type_ in zip(arguments[:fixed], types, strict=False)]
        last = types[-1]
        item = last.item if isinstance(last, Array) else Unknown("its parameter")
        rest = arguments[fixed:]
        for argument in rest:
            each = self.fit(argument, item)
            found.append(max(each, self.fit(argument, last)) if len(rest) == 1 else each)
        return found

    def _types(self, ref: Ref) -> tuple[Value, ...]:
        """The types of a method's parameters."""

        def compute() -> tuple[Value, ...]:
            unit = self.repository.unit(ref.path)
            signature = unit.signature_of.get(ref.at) if unit is not None else None
            if unit is None or signature is None or not signature.parameters:
                return ()
            texts = [text.rpartition(":")[2] for text in signature.parameters.split(",")]
            return tuple(self.names.type_of(unit, ref.at, text) for text in texts)

        return self.repository.once((self.names.word, "parameter-types", ref), compute, ())

    def fit(self, argument: Value, type_: Value) -> Fit:
        """Whether a parameter of the type takes the argument."""
        if argument == _NULL:
            return Fit.NO if isinstance(type_, External) and type_.name in _WIDER else Fit.YES
        if isinstance(argument, Unknown) or isinstance(type_, Unknown):
            # A type variable without a bound takes every object.
            return Fit.UNKNOWN
        if argument == _LAMBDA:
            return self._lambda(type_)
        if isinstance(argument, Array):
            return self._array(argument, type_)
        if isinstance(type_, Array):
            return Fit.NO if isinstance(argument, Outside | Instance) else Fit.UNKNOWN
        if isinstance(argument, Outside):
            return self._outside(argument.name, type_)
        if isinstance(argument, Instance | Bounded):
            return self._inside(argument, type_)
        return Fit.UNKNOWN

    def _lambda(self, type_: Value) -> Fit:
        if isinstance(type_, Array):
            return Fit.NO
        if isinstance(type_, External):
            last = type_.name.rpartition(".")[2]
            none = last in _WIDER or last in _UNBOXED or last in _NO_FUNCTIONS
            return Fit.NO if none else Fit.UNKNOWN
        if isinstance(type_, Found):
            unit = self.repository.unit(type_.ref.path)
            if unit is not None and unit.outlines[type_.ref.at].kind is not SymbolKind.INTERFACE:
                return Fit.NO
        return Fit.UNKNOWN

    def _array(self, argument: Array, type_: Value) -> Fit:
        if isinstance(type_, External):
            return Fit.YES if type_.name.rpartition(".")[2] in _ABOVE_ARRAYS else Fit.NO
        if not isinstance(type_, Array):
            return Fit.NO if isinstance(type_, Found) else Fit.UNKNOWN
        mine, theirs = argument.item, type_.item
        primitive = isinstance(mine, Outside) and mine.name in _WIDER
        if primitive or (isinstance(theirs, External) and theirs.name in _WIDER):
            if isinstance(mine, Unknown) or isinstance(theirs, Unknown):
                # A type variable is no primitive; anything else is not known.
                return (
                    Fit.NO
                    if isinstance(theirs, Unknown) and theirs.why.startswith("the type variable")
                    else Fit.UNKNOWN
                )
            equal = isinstance(mine, Outside) and isinstance(theirs, External) and mine.name == theirs.name
            return Fit.SAME if equal else Fit.NO
        return self.fit(mine, theirs)

    def _outside(self, name: str, type_: Value) -> Fit:
        last = name.rpartition(".")[2]
        wider = _WIDER.get(last)
        if isinstance(type_, Found):
            # What stands outside the repository descends from nothing in it.
            return Fit.NO
        if isinstance(type_, Subtype):
            return Fit.NO
        if not isinstance(type_, External):
            return Fit.UNKNOWN
        wanted = type_.name.rpartition(".")[2]
        if wider is not None:
            if wanted in _WIDER:
                return Fit.SAME if wanted == last else Fit.YES if wanted in wider else Fit.NO
            box = _BOXES[last]
            takes = wanted == box or wanted == "Object" or wanted in SUPERTYPES[box]
            return Fit.BOXED if takes else Fit.NO
        if wanted in _WIDER:
            primitive = _UNBOXED.get(last)
            if primitive is not None:
                return Fit.BOXED if wanted == primitive or wanted in _WIDER[primitive] else Fit.NO
            return Fit.NO if last in SUPERTYPES else Fit.UNKNOWN
        return self._above(last, name, wanted, type_.name)

    def _above(self, last: str, name: str, wanted: str, wanted_name: str) -> Fit:
        """Whether one type outside the repository descends from another, as far as the library is known."""
        if last == wanted:
            return Fit.SAME
        if wanted == "Object":
            return Fit.YES
        known = _in_library(name)
        if known and wanted in SUPERTYPES[last]:
            return Fit.YES
        if known:
            return Fit.NO
        return Fit.NO if _in_library(wanted_name) and wanted in ("String", *_UNBOXED) else Fit.UNKNOWN

    def _inside(self, argument: Instance | Bounded, type_: Value) -> Fit:
        exact = isinstance(argument, Instance)
        above = self.names.order(argument.ref)
        if isinstance(type_, Found | Subtype):
            if isinstance(type_, Found) and type_.ref == argument.ref and exact:
                return Fit.SAME
            if type_.ref in above:
                return Fit.YES if isinstance(type_, Found) else Fit.UNKNOWN
            return Fit.NO if exact and not any(isinstance(item, Unknown) for item in above) else Fit.UNKNOWN
        if not isinstance(type_, External):
            return Fit.UNKNOWN
        wanted = type_.name.rpartition(".")[2]
        if wanted == "Object":
            return Fit.YES
        if wanted in _WIDER or wanted == "String" or wanted in _UNBOXED:
            return Fit.NO if exact else Fit.UNKNOWN
        fits = [Fit.NO if exact else Fit.UNKNOWN]
        for item in above:
            if isinstance(item, External):
                fit = self._above(item.name.rpartition(".")[2], item.name, wanted, type_.name)
                fits.append(min(fit, Fit.YES))
            elif isinstance(item, Unknown):
                fits.append(Fit.UNKNOWN)
        unit = self.repository.unit(argument.ref.path)
        if unit is not None and unit.outlines[argument.ref.at].kind is SymbolKind.ENUM and wanted in SUPERTYPES["Enum"]:
            fits.append(Fit.YES)
        return max(fits)

    def _nearer(self, one: Ref, other: Ref, fits: Sequence[Fit]) -> bool:
        """Whether each parameter of the first method is of the type of the argument, or descends from the other's."""
        mine, theirs = self._types(one), self._types(other)
        if len(mine) != len(theirs):
            return False
        for fit, type_, wanted in zip(fits, mine, theirs, strict=False):
            if fit == Fit.SAME or type_ == wanted:
                continue
            if self.fit(self.names.value_of(type_), wanted) < Fit.YES:
                return False
        return True


def _in_library(name: str) -> bool:
    """Whether a name from outside the repository is one of the Java library's types that are known."""
    package, _, last = name.rpartition(".")
    return last in SUPERTYPES and (not package or package.startswith("java."))
