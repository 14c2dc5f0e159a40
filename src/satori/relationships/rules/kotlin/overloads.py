"""Which of several functions of one name a call means: by number and names of arguments, then by what types rule out.

Static types may be narrower than declared (smart casts), so only types that no value can share rule a function out.
"""

from __future__ import annotations

from collections.abc import Sequence

from satori.model.definition import SymbolKind
from satori.model.reference import CallSite, Signature
from satori.relationships.meaning import External, Found, Instance, Unknown
from satori.relationships.rules.java.values import Bounded, Outside, Value
from satori.relationships.rules.kotlin.library import ABOVE_FINAL, FINAL, INTEGERS
from satori.relationships.rules.kotlin.names import Names
from satori.relationships.rules.kotlin.types import FUNCTION_TYPE
from satori.relationships.unit import Body, Ref, Unit

_NO, _PERHAPS, _YES = 0, 1, 2


class Overloads:
    """Choices among functions of one name."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.repository = names.repository

    def chosen(self, unit: Unit, body: Body, site: CallSite, refs: Sequence[Ref]) -> tuple[tuple[Ref, ...], bool]:
        """The functions that the call may mean, and whether the one that is left surely takes all arguments."""
        given = site.arguments.split(";") if site.arguments else []
        labels = {text.partition("=")[0] for text in given if "=" in text and not text.startswith('"')}
        fitting = [ref for ref in self.names.fitting(refs, site.arity) if labels <= self._parameter_names(ref)]
        if not fitting or not given:
            return self._nearest(fitting), site.arity == 0
        left = []
        sure = []
        for ref in fitting:
            fits = self._fits(unit, body, site, given, ref)
            if _NO not in fits:
                left.append(ref)
                if all(fit == _YES for fit in fits):
                    sure.append(ref)
        # Functions that take lambdas may differ in what the lambda takes.
        if len(left) > 1 and len(sure) == 1 and '"->"' not in given:
            return (sure[0],), True
        nearest = self._nearest(left)
        return nearest, len(nearest) == 1 and nearest[0] in sure

    def _nearest(self, refs: list[Ref]) -> tuple[Ref, ...]:
        """Of functions that differ in parameters with defaults only, the one without."""
        if len(refs) > 1:
            signatures = [self._signature(ref) for ref in refs]
            shortest = min((item.most if item is not None and item.most >= 0 else 99) for item in signatures)
            short = [
                (ref, item)
                for ref, item in zip(refs, signatures, strict=True)
                if item is not None and item.most == shortest == item.least
            ]
            if len(short) == 1:
                ref, mine = short[0]
                if all(item is not None and item.parameters.startswith(mine.parameters) for item in signatures):
                    return (ref,)
        return tuple(refs)

    def _signature(self, ref: Ref) -> Signature | None:
        unit = self.repository.unit(ref.path)
        return unit.signature_of.get(ref.at) if unit is not None else None

    def _parameter_names(self, ref: Ref) -> set[str]:
        signature = self._signature(ref)
        if signature is None:
            return set()
        return {text.partition(":")[0].lstrip("*") for text in signature.parameters.split(",")}

    def _fits(self, unit: Unit, body: Body, site: CallSite, given: Sequence[str], ref: Ref) -> list[int]:
        other = self.repository.unit(ref.path)
        signature = self._signature(ref)
        if other is None or signature is None or not signature.parameters:
            return []
        parameters = [text.partition(":") for text in signature.parameters.split(",")]
        found = []
        for number, text in enumerate(given):
            label, equals, value = text.partition("=")
            if not equals or text.startswith('"'):
                label, value = "", text
            if label:
                type_ = next((type_ for name, _, type_ in parameters if name.lstrip("*") == label), "")
            elif number == len(given) - 1 and value == '"->"' and signature.most >= 0:
                # A lambda may stand behind the parentheses: the last parameter's.
                type_ = parameters[-1][2]
            elif number < len(parameters) and not any(name.startswith("*") for name, _, _ in parameters[: number + 1]):
                type_ = parameters[number][2]
            else:
                type_ = ""
            found.append(self._fit(unit, body, site, value, self.names.type_of(other, ref.at, type_)))
        return found

    def _fit(self, unit: Unit, body: Body, site: CallSite, chain: str, type_: Value) -> int:
        if not chain or chain == "None":
            return _PERHAPS
        if chain == '"->"':
            if type_ == FUNCTION_TYPE:
                return _YES
            final = isinstance(type_, External) and type_.name in FINAL
            return _NO if final or (isinstance(type_, Found) and self._is_class(type_.ref)) else _PERHAPS
        value = self.names.trace(unit, body, site.owner, chain, site.start).meaning
        if type_ == FUNCTION_TYPE:
            plain = isinstance(value, Outside) and (value.name in FINAL or value.name == "int")
            return _NO if plain else _PERHAPS
        if isinstance(value, Outside) and isinstance(type_, External):
            return _outside(value.name.rpartition(".")[2], type_.name.rpartition(".")[2])
        if isinstance(value, Outside) and isinstance(type_, Found):
            return _NO if value.name in FINAL or value.name == "int" else _PERHAPS
        if isinstance(value, Instance | Bounded):
            return self._inside(value, type_)
        return _PERHAPS

    def _inside(self, value: Instance | Bounded, type_: Value) -> int:
        if isinstance(type_, External):
            if type_.name == "Any":
                return _YES
            return _NO if type_.name in FINAL else _PERHAPS
        if not isinstance(type_, Found):
            return _PERHAPS
        above = self.names.order(value.ref)
        if self.names.is_among(type_.ref, above):
            return _YES if isinstance(value, Instance) else _PERHAPS
        apart = (
            self._is_class(value.ref) and self._is_class(type_.ref) and not self.names.descends(type_.ref, value.ref)
        )
        known = not any(isinstance(item, Unknown) for item in (*above, *self.names.order(type_.ref)))
        return _NO if apart and known else _PERHAPS

    def _is_class(self, ref: Ref) -> bool:
        unit = self.repository.unit(ref.path)
        return unit is not None and unit.outlines[ref.at].kind is not SymbolKind.INTERFACE


def _outside(mine: str, wanted: str) -> int:
    if mine == "int":
        return _YES if wanted == "Int" else _PERHAPS if wanted in INTEGERS or wanted not in FINAL else _NO
    if mine == wanted or wanted == "Any":
        return _YES
    if mine in FINAL:
        return _PERHAPS if wanted in ABOVE_FINAL else _NO if wanted in FINAL else _PERHAPS
    return _NO if wanted in FINAL and mine in ("List", "Map", "Set", "Collection", "Sequence") else _PERHAPS
