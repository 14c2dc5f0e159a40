"""What an expression, written as a chain, is at a place in a Rust file."""

from __future__ import annotations

import re

from satori.model.definition import SymbolKind
from satori.model.reference import Binding
from satori.relationships.meaning import External, Found, Unknown
from satori.relationships.rules.rust.library import given, inner, item, option
from satori.relationships.rules.rust.shapes import (
    Adt,
    Kind,
    Meaning,
    Member,
    Opaque,
    Outside,
    Tuple,
    Type,
    Value,
    substituted,
)
from satori.relationships.rules.rust.types import Types
from satori.relationships.unit import KINDS, Body, Ref, Unit

_TOKEN = re.compile(r'`[^`]*`|"[^"]*"|\(\)|\[v?\]|[?!/#]|\.[A-Za-z_0-9]\w*|[^.()\[\]?!/#"`]+')
_CIRCULAR = Unknown("the name is defined by itself")
_TYPES = {KINDS.index(kind) for kind in (SymbolKind.STRUCT, SymbolKind.ENUM, SymbolKind.TRAIT, SymbolKind.TYPE)}
_OF_ITSELF = frozenset({"default", "clone"})
_CONSTANT = KINDS.index(SymbolKind.CONSTANT)


class Chains(Types):
    """Expressions in one repository."""

    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Meaning:
        """What a chain, written at byte `at` in the scope `owner`, means."""
        if chain.startswith("("):
            return self._tuple(unit, body, owner, chain, at)
        tokens = _TOKEN.findall(chain)
        if not tokens:
            return Unknown("an expression that is no name")
        first = tokens[0]
        meaning: Meaning
        if first.startswith("`"):
            held = self.typed(unit, owner, first[1:-1], body, at)
            meaning = Value(self._variant(unit, body, owner, first[1:-1], at, held), "typed")
        elif first.startswith('"'):
            meaning = Value(Outside(first[1:-1]), "typed")
        else:
            meaning = self.path(unit, body, owner, first, at, values=True)
            before, _, last = first.rpartition("::")
            if isinstance(meaning, Unknown) and last in _OF_ITSELF and before:
                # Derived, or by a blanket implementation: of whatever origin it gives the type itself.
                held = self.type_of_name(self.path(unit, body, owner, before, at, values=False))
                meaning = Value(held, "given") if isinstance(held, Adt) else meaning
        for number, step in enumerate(tokens[1:], start=1):
            called = number + 1 < len(tokens) and tokens[number + 1] == "()"
            meaning = self._step(meaning, step, called=called)
        return meaning

    def _tuple(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Meaning:
        """`(a;b)`, perhaps with a field after it."""
        depth = 0
        parts = [""]
        end = 0
        for end, character in enumerate(chain):
            depth += (character == "(") - (character == ")")
            if not depth:
                break
            if character == ";" and depth == 1:
                parts.append("")
            elif end:
                parts[-1] += character
        items = tuple(self.type_of(self.evaluate(unit, body, owner, part, at)) for part in parts)
        meaning: Meaning = Value(Tuple(items), "typed")
        for step in _TOKEN.findall(chain[end + 1 :]):
            meaning = self._step(meaning, step, called=False)
        return meaning

    def _variant(self, unit: Unit, body: Body | None, owner: int, path: str, at: int, held: Type) -> Type:
        """The type of `E::V { .. }` and of the fields of `E::V(..)`: the variant's, which knows its fields."""
        if isinstance(held, Opaque) and "::" in path:
            meaning = self.path(unit, body, owner, path.partition("<")[0], at, values=True)
            if isinstance(meaning, Found):
                return Adt(meaning.ref)
        return held

    def local(self, unit: Unit, body: Body, owner: int, binding: Binding) -> Meaning:
        """The variable of a binding."""

        def compute() -> Meaning:
            if binding.type and "_" not in binding.type:
                return Value(self.typed(unit, owner, binding.type, body, binding.start), "typed")
            if not binding.value:
                return Value(Opaque("the type of the variable is not known"), "typed")
            return Value(self.type_of(self.evaluate(unit, body, owner, binding.value, binding.start)), "typed")

        return self.repository.once(("rust-bound", unit.path, *binding), compute, _CIRCULAR)

    def _step(self, meaning: Meaning, step: str, *, called: bool) -> Meaning:
        if step == "()":
            return self.called(meaning)
        if isinstance(meaning, Unknown | External):
            return External(meaning.name + step) if isinstance(meaning, External) else meaning
        held = self.type_of(meaning)
        if step == "?":
            return Value(inner(held), "typed")
        if step == "!":
            return Value(option(held), "typed")
        if step == "#":
            return Value(Outside("[]", (held,)), "typed")
        if step == "/":
            args = held.args if isinstance(held, Outside) else ()
            return Value(args[1] if len(args) > 1 else Opaque("an error"), "typed")
        if step.startswith("["):
            return Value(self._item(held, step), "typed")
        name = step[1:]
        if called:
            return self._called_method(held, name)
        return self.field(held, name)

    def _called_method(self, held: Type, name: str) -> Meaning:
        """A method that is about to be called; of a type from outside what it will give."""
        found = self.method(held, name)
        if isinstance(found, External):
            at = held
            for _ in range(4):
                if isinstance(at, Outside):
                    result = given(at, name)
                    if not isinstance(result, Opaque):
                        return Value(result, "given")
                following = self.dereferenced(at)
                if following is None:
                    break
                at = following
        if isinstance(found, Unknown) and name in ("clone", "to_owned", "borrow", "as_ref", "as_mut"):
            return Value(held, "given")
        return found

    def _item(self, held: Type, step: str) -> Type:
        if isinstance(held, Adt):
            if step == "[v]":
                found = self.output(held, "Iterator", "Item") or self.output(held, "IntoIterator", "Item")
            else:
                found = self.output(held, "Index", "Output")
            if found is None:
                through = self.dereferenced(held)
                found = self._item(through, step) if through is not None else None
            return found if found is not None else Opaque("its items are not known")
        return item(held, step)

    def type_of(self, meaning: Meaning) -> Type:
        """The type of the value that an expression gives."""
        if isinstance(meaning, Value):
            return meaning.type
        if isinstance(meaning, External):
            return Outside(meaning.name)
        if isinstance(meaning, Found):
            return self._constant(meaning.ref)
        return Opaque(meaning.why if isinstance(meaning, Unknown) else "no value")

    def _constant(self, ref: Ref) -> Type:
        """The type of a constant, a variant, or a struct without fields."""

        def compute() -> Type:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return Opaque("it is not read")
            outline = unit.outlines[ref.at]
            if outline.kind_number in _TYPES:
                return Adt(ref)
            if outline.kind_number != _CONSTANT:
                return Opaque("a function as a value")
            if outline.parent >= 0 and unit.outlines[outline.parent].kind is SymbolKind.ENUM:
                return Adt(Ref(ref.path, outline.parent))
            bindings = unit.bound.get((outline.parent, outline.name), ())
            declared = bindings[0].type if len(bindings) == 1 else ""
            return self.typed(unit, outline.parent, declared)

        return self.repository.once(("rust-constant", ref), compute, Opaque("it is made of itself"))

    def called(self, meaning: Meaning) -> Meaning:
        """What calling a meaning gives."""
        if isinstance(meaning, External):
            return External(f"{meaning.name}()")
        if isinstance(meaning, Member):
            return Value(self._result(meaning.ref, meaning.on), "typed")
        if isinstance(meaning, Found):
            unit = self.repository.unit(meaning.ref.path)
            if unit is not None and unit.outlines[meaning.ref.at].is_function:
                return Value(self._result(meaning.ref, None), "typed")
            return Value(self._constant(meaning.ref), "typed")
        if isinstance(meaning, Value):
            return meaning if meaning.how == "given" else Unknown("a function value is called")
        if isinstance(meaning, Kind):
            return Value(meaning.type, "typed")
        return meaning if isinstance(meaning, Unknown) else Unknown("a module is called")

    def _result(self, ref: Ref, on: Type | None) -> Type:
        """What a function declares to return, on a value of a type."""

        def compute() -> Type:
            unit = self.repository.unit(ref.path)
            signature = unit.signature_of.get(ref.at) if unit is not None else None
            if unit is None or signature is None:
                return Opaque("its result is not known")
            held = self.as_bound(self.typed(unit, ref.at, signature.returns))
            around = unit.outlines[ref.at].parent
            if on is None or around < 0:
                return held
            if self.is_trait(Ref(ref.path, around)):
                return substituted(held, {(Ref(ref.path, around), "Self"): on})
            found = self._impl(unit, around)
            return substituted(held, self.given(found.on, on)) if found is not None else held

        return self.repository.once(("rust-result", ref, on), compute, Opaque("its result is its own"))
