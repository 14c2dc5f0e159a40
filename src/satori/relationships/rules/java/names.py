"""What a name or a chain means at a place in a Java file.

A name is a variable if one can be seen (the innermost that is declared around the place, parameters, then fields of
the types around it), else a type, else the beginning of a package. Variables have declared types; `var` has that of its
value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from satori.model.reference import Binding, BindingKind, ImportFlag
from satori.relationships.meaning import External, Found, Instance, Parent, Unknown
from satori.relationships.rules.java.members import Members, words_of
from satori.relationships.rules.java.values import Array, Bounded, Methods, Named, Outside, Value
from satori.relationships.unit import Body, Ref, Unit

_TOKEN = re.compile(r'new [^()]+\(\)|"[^"]*"|\([^()]*\)|\[\]|[^.()\[\]"]+')
_CALL = re.compile(r"\((?:_(?:,_)*)?\)")
_VARIABLE, _ALIAS = int(BindingKind.VARIABLE), int(BindingKind.ALIAS)
_STATIC = int(ImportFlag.STATIC)
_CIRCULAR = Unknown("the name is defined by itself")
_OUTSIDE = Unknown("the result of a call outside of the repository")


class Around(NamedTuple):
    """A class around a place: the type `ref`, or one without a name that extends it and stands at `first:last`."""

    ref: Ref | None
    base: str
    scope: int
    first: int
    last: int


class Names(Members):
    """Names, chains and results in one repository."""

    def trace(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Named:
        """What a chain, written at byte `at` in the scope `owner`, means, and how its first name got its meaning."""
        tokens = _TOKEN.findall(chain)
        if not tokens:
            return Named(Unknown("an expression that is no name"), "")
        named, taken = self._first(unit, body, owner, tokens, at)
        value, how = named
        number = taken
        while number < len(tokens):
            step = tokens[number]
            called = number + 1 < len(tokens) and _CALL.fullmatch(tokens[number + 1])
            number += 1
            if step == "[]":
                value = value.item if isinstance(value, Array) else Unknown("an item")
            elif called:
                value = self.called(value, step, tokens[number].count("_"))
                number += 1
                how = "result"
            elif step == "this" and isinstance(value, Found):
                value, how = Instance(value.ref, exact=False), "this"
            elif step == "super" and isinstance(value, Found):
                inside = any(around.ref == value.ref for around in self.around(unit, body, owner, at))
                value = Parent(value.ref) if inside else Instance(value.ref, exact=True)
                how = "super"
            else:
                value, how = self.attribute(value, step), "field"
        return Named(value, how)

    def _first(self, unit: Unit, body: Body | None, owner: int, tokens: Sequence[str], at: int) -> tuple[Named, int]:
        first = tokens[0]
        if first.startswith('"'):
            return Named(Outside(first[1:-1]), "literal"), 1
        if first.startswith("new "):
            made = self.type_of(unit, owner, first[4:-2])
            value = Instance(made.ref, exact=True) if isinstance(made, Found) else self.value_of(made)
            return Named(value, "constructed"), 1
        if first.startswith("("):
            return Named(self.value_of(self.type_of(unit, owner, first[1:-1])), "typed"), 1
        if first == "this":
            return Named(self._this(unit, body, owner, at), "this"), 1
        if first == "super":
            return Named(self._super(unit, body, owner, at), "super"), 1
        if len(tokens) > 1 and _CALL.fullmatch(tokens[1]):
            methods, _ = self.bare(unit, body, owner, first, at)
            if methods.refs:
                return Named(self.returned(self.fitting(methods.refs, tokens[1].count("_"))), "result"), 2
            return Named(_OUTSIDE if methods.outside else Unknown(f"no method {first}"), "result"), 2
        variable = self.variable(unit, body, owner, first, at)
        if variable is not None:
            return variable, 1
        meaning = self.type_of(unit, owner, first)
        if isinstance(meaning, External):
            names = []
            for token in tokens:
                if not token[0].isidentifier():
                    break
                names.append(token)
            spelled = self.packages.qualified(unit, names)
            if spelled is not None:
                return Named(spelled[0], "type"), spelled[1]
        return Named(meaning, "type"), 1

    def around(self, unit: Unit, body: Body | None, owner: int, at: int) -> Iterator[Around]:
        """The classes around a place, innermost first."""
        found: list[Around] = []
        scope = owner
        while True:
            if scope >= 0 and unit.outlines[scope].is_type:
                outline = unit.outlines[scope]
                found.append(Around(Ref(unit.path, scope), "", scope, outline.start, outline.end))
            for source in (unit.bound, body.bound if body is not None else {}):
                for binding in source.get((scope, "new"), ()):
                    if binding.kind == _VARIABLE and binding.first <= at < binding.last:
                        found.append(Around(None, binding.type, scope, binding.first, binding.last))
            if scope < 0:
                break
            scope = unit.outlines[scope].parent
        return iter(sorted(found, key=lambda item: (-item.first, item.last)))

    def _this(self, unit: Unit, body: Body | None, owner: int, at: int) -> Value:
        for around in self.around(unit, body, owner, at):
            if around.ref is not None:
                return Instance(around.ref, exact=False)
            base = self.type_of(unit, around.scope, around.base)
            return Instance(base.ref, exact=False) if isinstance(base, Found) else Unknown("a class without a name")
        return Unknown("this outside of a class")

    def _super(self, unit: Unit, body: Body | None, owner: int, at: int) -> Value:
        for around in self.around(unit, body, owner, at):
            if around.ref is not None:
                return Parent(around.ref)
            base = self.type_of(unit, around.scope, around.base)
            return Instance(base.ref, exact=True) if isinstance(base, Found) else self.value_of(base)
        return Unknown("super outside of a class")

    def variable(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Named | None:
        """The variable of that name which can be seen at the place; None when there is none."""
        scope = owner
        while scope >= 0:
            outline = unit.outlines[scope]
            place = (scope, name)
            bindings = [*unit.bound.get(place, ()), *(body.bound.get(place, ()) if body is not None else ())]
            inner = [item for item in bindings if item.kind == _VARIABLE and item.first <= at < item.last]
            if inner:
                nearest = max(item.first for item in inner)
                binding = next(item for item in inner if item.first == nearest)
                return self._local(unit, body, scope, binding)
            if outline.is_type:
                field = self.field(Ref(unit.path, scope), name)
                if field is not None:
                    return Named(field, "field")
            else:
                parameter = self._parameter(unit, scope, name)
                if parameter is not None:
                    return parameter
            scope = outline.parent
        return self._imported_field(unit, name)

    def _local(self, unit: Unit, body: Body | None, scope: int, binding: Binding) -> Named:
        if binding.type:
            value = self.declared(unit, scope, binding)
            return Named(value, "constructed" if isinstance(value, Instance) and value.exact else "typed")
        if not binding.value:
            return Named(Unknown("a variable whose type is not declared"), "typed")

        def compute() -> Value:
            return self.trace(unit, body, scope, binding.value, binding.start).meaning

        found = self.repository.once((self.word, "local", unit.path, body is not None, *binding), compute, _CIRCULAR)
        if isinstance(found, Found | Parent):
            found = Unknown("a type is no value")
        return Named(found, "typed")

    def _parameter(self, unit: Unit, scope: int, name: str) -> Named | None:
        signature = unit.signature_of.get(scope)
        if signature is None or name not in signature.parameters:
            return None
        for text in signature.parameters.split(","):
            bare, _, type_ = text.partition(":")
            if bare.lstrip("*") == name:
                return Named(self.value_of(self.type_of(unit, scope, type_)), "typed")
        return None

    def _imported_field(self, unit: Unit, name: str) -> Named | None:
        found: set[Value] = set()
        for item in [*unit.imported.get((-1, name), ()), *unit.starred]:
            if item.flags & _STATIC:
                holder = self.spelled(unit, item.module)
                value = self.field(holder.ref, name) if isinstance(holder, Found) else None
                if value is not None:
                    found.add(value)
        if not found:
            return None
        return Named(found.pop() if len(found) == 1 else Unknown("offered by several imports"), "field")

    def attribute(self, value: Value, name: str) -> Value:
        """What `.name` of a value or type means."""
        if isinstance(value, Found | Instance | Bounded):
            field = self.field(value.ref, name)
            if field is not None:
                return field
            inner = self.member_type(value.ref, name) if isinstance(value, Found) else None
            return inner or Unknown(f"no field {name}")
        if isinstance(value, Parent):
            for base in self.bases(value.ref):
                field = self.field(base, name) if isinstance(base, Ref) else None
                if field is not None:
                    return field
            return Unknown(f"no field {name}")
        if isinstance(value, External):
            # A type's own, or what a package's name is followed by.
            return External(f"{value.name}.{name}")
        if isinstance(value, Outside):
            return Unknown("a field of something outside of the repository")
        return Outside("int") if isinstance(value, Array) else value

    def called(self, value: Value, name: str, arity: int) -> Value:
        """What `.name()` of a value or type gives with so many arguments."""
        methods = self.methods_of(value, name)
        if methods.refs:
            return self.returned(self.fitting(methods.refs, arity))
        if isinstance(methods.outside, External):
            return _OUTSIDE
        component = self.component(value, name) if not arity else None
        return component or methods.outside or Unknown(f"no method {name}")

    def component(self, value: Value, name: str) -> Value | None:
        """What a record's accessor gives that nobody wrote."""
        unit = self.repository.unit(value.ref.path) if isinstance(value, Instance) else None
        if unit is None or not isinstance(value, Instance) or "record" not in words_of(unit, value.ref.at):
            return None
        return self.field(value.ref, name)

    def methods_of(self, value: Value, name: str) -> Methods:
        """The methods of that name on a value or type."""
        if isinstance(value, Found | Instance | Bounded):
            return self.methods(value.ref, name)
        if isinstance(value, Parent):
            found: list[Ref] = []
            outside: External | Unknown | None = None
            for base in self.bases(value.ref):
                if isinstance(base, Ref):
                    inherited = self.methods(base, name)
                    outside = outside or inherited.outside
                    self.merge(found, list(inherited.refs))
                else:
                    outside = outside or base
            return Methods(tuple(found), outside)
        if isinstance(value, External | Outside):
            return Methods((), External(value.name))
        if isinstance(value, Array):
            return Methods((), External("Object"))
        return Methods((), Unknown(_why(value)))

    def bare(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> tuple[Methods, Around | str]:
        """The methods that a name alone means: those of the innermost class that has any, else imported ones; and the
        class, or the word `imported`."""
        skipped: External | Unknown | None = None
        for around in self.around(unit, body, owner, at):
            found = self._of_class(unit, around, name)
            if found.refs:
                return Methods(found.refs, found.outside, skipped), around
            skipped = skipped or found.outside
        outside = skipped
        imported: list[Ref] = []
        single = unit.imported.get((-1, name), ())
        for items in (single, unit.starred):
            for item in items:
                if not item.flags & _STATIC:
                    continue
                holder = self.spelled(unit, item.module)
                if isinstance(holder, Found):
                    methods = self.methods(holder.ref, name)
                    imported += [method for method in methods.refs if method not in imported]
                elif items is single:
                    outside = External(item.module)
                else:
                    outside = outside or External(item.module)
            if imported:
                break
        return Methods(tuple(imported), outside, skipped), "imported"

    def fitting(self, refs: Sequence[Ref], arity: int) -> tuple[Ref, ...]:
        """Those of the methods that take so many arguments, the ones with a fixed number first."""
        fixed: list[Ref] = []
        variable: list[Ref] = []
        for ref in refs:
            unit = self.repository.unit(ref.path)
            signature = unit.signature_of.get(ref.at) if unit is not None else None
            if signature is None or signature.least == arity == signature.most:
                fixed.append(ref)
            elif signature.most < 0 and arity >= signature.least:
                variable.append(ref)
        return (*fixed, *variable)

    def _of_class(self, unit: Unit, around: Around, name: str) -> Methods:
        if around.ref is not None:
            return self.methods(around.ref, name)
        own = [
            Ref(unit.path, binding.owner)
            for binding in unit.bindings
            if binding.kind == _ALIAS
            and binding.value == "new"
            and binding.name == name
            and (binding.first, binding.last) == (around.first, around.last)
        ]
        base = self.type_of(unit, around.scope, around.base)
        if not isinstance(base, Found):
            return Methods(tuple(own), base if isinstance(base, External | Unknown) else None)
        inherited = self.methods(base.ref, name)
        rest = [ref for ref in inherited.refs if not any(self.same_parameters(mine, ref) for mine in own)]
        return Methods((*own, *rest), inherited.outside)


def _why(value: Value) -> str:
    return value.why if isinstance(value, Unknown) else "a value that has no methods"
