"""What a name or a chain means at a place in a C++ file.

The innermost scope that has the name decides: blocks and parameters, the class with its bases and the classes around
it, then the namespaces outwards. A macro of the name that the file may see comes before all. What nothing in sight
declares is external under the name as written.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, BindingKind, ImportFlag
from satori.relationships.meaning import External, Found, Instance, Unknown
from satori.relationships.rules.cpp.spaces import Used, enclosing
from satori.relationships.rules.cpp.types import Member, Types, as_type
from satori.relationships.rules.cpp.values import CIRCULAR, OPEN, Functions, Pointer, Space, Value
from satori.relationships.unit import KINDS, Body, Ref, Unit

_TOKEN = re.compile(r'\(\+?[?\w:*&^ ]+\)|\(\)|\[\]|->|\.|&|"[^"]*"|[?\w:~]+')
_TEST = KINDS.index(SymbolKind.TEST)
_TYPE = KINDS.index(SymbolKind.TYPE)
_CONSTANT = KINDS.index(SymbolKind.CONSTANT)
_TYPE_ONLY = int(ImportFlag.TYPE_ONLY)
_ALIAS = int(BindingKind.ALIAS)
_UNKNOWN = -2
_UNSEEN = Unknown("the class around is not known")
_POINTEE = Unknown("what it points to is not known")
_PLAIN_TYPES = frozenset(
    "int char bool void float double short long unsigned signed size_t auto int8_t int16_t int32_t int64_t uint8_t "
    "uint16_t uint32_t uint64_t intptr_t uintptr_t ptrdiff_t ssize_t".split()
)


class Scope(NamedTuple):
    """One of the scopes around a place: a function (`at` in the file), a class (`type`), else a namespace; -2 for `at`
    is a class that is not known."""

    at: int
    type: Ref | None
    space: str


class Names(Types):
    """Names and chains in one repository."""

    def around(self, unit: Unit, owner: int) -> tuple[Scope, ...]:
        """The scopes around whatever stands in `owner`, innermost first."""

        def compute() -> tuple[Scope, ...]:
            found: list[Scope] = []
            at = owner
            while at >= 0:
                outline = unit.outlines[at]
                if outline.is_function or (outline.is_type and outline.receiver):
                    found.append(Scope(at, None, "") if outline.is_function else Scope(-1, Ref(unit.path, at), ""))
                    holder = self.receiver(Ref(unit.path, at)) if outline.receiver else None
                    home = self.repository.unit(holder.path) if holder is not None else None
                    if holder is not None and home is not None:
                        found += self.around(home, holder.at)
                        break
                    if outline.receiver and outline.kind_number != _TEST:
                        found += self._around_receiver(unit, at)
                elif outline.is_type:
                    found.append(Scope(-1, Ref(unit.path, at), ""))
                else:
                    break
                at = outline.parent
            below = owner
            while at >= 0 and unit.outlines[at].is_function:
                at = unit.outlines[at].parent
            while below >= 0 and unit.outlines[below].parent >= 0:
                below = unit.outlines[below].parent
            outer = (self.spaces.placed(unit)[below] or "") if at == -1 and below >= 0 else ""
            known = {scope.space for scope in found if scope.type is None and scope.at < 0}
            found += [
                Scope(-1, None, space)
                for space in enclosing(outer if at == -1 else self.spaces.space_of(unit, at))
                if space not in known
            ]
            return tuple(found)

        return self.repository.once(("cpp-around", unit.path, owner), compute, (Scope(-1, None, ""),))

    def _around_receiver(self, unit: Unit, at: int) -> list[Scope]:
        """The namespace that a definition's name is qualified with, or that what it is qualified with is not known."""
        written = unit.outlines[at].receiver.replace(".", "::")
        value = self.qualified(unit, None, self.spaces.outer(unit, at), written, -1)
        if isinstance(value, Space):
            return [Scope(-1, None, space) for space in enclosing(value.name)]
        return [Scope(_UNKNOWN, None, "")]

    def find(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Value:
        """What a name without a qualifier means, written at byte `at` in the scope `owner`."""
        spaces = self.spaces.by_space(unit.path, name)
        if "#" in spaces:
            return Unknown("a macro")
        for scope in self.around(unit, owner):
            if scope.at == _UNKNOWN:
                return _UNSEEN
            if scope.at >= 0:
                found = self._local(unit, body, scope.at, name, at)
            elif scope.type is not None:
                found = self.of_type(scope.type, name)
            else:
                found = self.in_space(unit, scope.space, name)
            if found is not None:
                return found
        return External(name)

    def _local(self, unit: Unit, body: Body | None, scope: int, name: str, at: int) -> Value | None:
        """What a function itself makes of a name."""
        bindings: list[Binding] = [*body.bound.get((scope, name), ())] if body is not None else []
        inner = [binding for binding in bindings if binding.last and binding.first <= at < binding.last]
        if inner:
            size = min(binding.last - binding.first for binding in inner)
            nearest = [binding for binding in inner if binding.last - binding.first == size]
        else:
            nearest = [binding for binding in bindings if not binding.last]
        if nearest:
            return self._variable(unit, body, scope, nearest)
        inside = self._local_type(unit, body, scope, name)
        if inside is not None:
            return inside
        signature = unit.signature_of.get(scope)
        for text in signature.parameters.split(",") if signature is not None else ():
            written, _, said = text.partition(":")
            if written == name:
                if not said:
                    return Unknown("a parameter of a type that has no name")
                return self.declared(unit, body, scope, said, -1)
        return None

    def _local_type(self, unit: Unit, body: Body | None, scope: int, name: str) -> Value | None:
        """The type that a function itself gives a name, or what it brings by using; None when nothing."""
        for binding in body.bound.get((scope, name), ()) if body is not None else ():
            if binding.kind == _ALIAS:
                return as_type(self.declared(unit, body, scope, binding.type, -1)) if binding.type else OPEN
        types = tuple(
            Ref(unit.path, index)
            for index in unit.members.get((scope, name), ())
            if unit.outlines[index].is_type or unit.outlines[index].kind_number == _TYPE
        )
        if types:
            return as_type(self.value_of_types(types))
        for item in unit.imported.get((scope, name), ()):
            return self._used(Used(unit.path, item))
        return None

    def _variable(self, unit: Unit, body: Body | None, scope: int, bindings: list[Binding]) -> Value:
        first = bindings[0]
        if any((other.type, other.value) != (first.type, first.value) for other in bindings):
            return Unknown("declared several times")
        if first.kind == _ALIAS:
            return as_type(self.declared(unit, body, scope, first.type, first.start)) if first.type else OPEN
        if first.type.startswith("auto") or not first.type:
            if not first.value:
                return Unknown("a variable of a type that is not said")
            return self.evaluate(unit, body, scope, first.value, first.start)
        return self.declared(unit, body, scope, first.type, first.start)

    def of_type(self, ref: Ref, name: str) -> Value | None:
        """What a name means inside a class; None when nothing."""
        unit = self.repository.unit(ref.path)
        if unit is not None and unit.outlines[ref.at].name == name:
            # In a template the name may have other arguments: it is looked for outside.
            marks = unit.marks_of.get(ref.at, ())
            return None if "template" in marks or "specialized" in marks else Found(ref)
        return self._member(self.member(ref, name))

    def _member(self, got: Member | External | Unknown | None) -> Value | None:
        if got is None or isinstance(got, External | Unknown):
            return got
        if got.functions:
            return Functions(got.functions, got.holder)
        if got.types:
            return as_type(self.value_of_types(got.types))
        unit = self.repository.unit(got.holder.path)
        typed = [binding for binding in got.fields if binding.type]
        if unit is None or len(typed) != 1:
            return Unknown("a member of a type that has no name")
        return self._field(unit, got.holder, typed[0])

    def _field(self, unit: Unit, holder: Ref, binding: Binding) -> Value:
        def compute() -> Value:
            if binding.type.startswith("auto"):
                return self.evaluate(unit, None, holder.at, binding.value, -1) if binding.value else OPEN
            return self.declared(unit, None, holder.at, binding.type, -1)

        return self.repository.once(("cpp-field", holder, binding.name), compute, CIRCULAR)

    def in_space(self, unit: Unit, space: str, name: str) -> Value | None:
        """What a name means in a namespace, as `unit` sees it; None when nothing."""

        def compute() -> Value | None:
            refs = list(self._in_space(unit, space, name, set()))
            outside = [item for item in refs if not isinstance(item, Ref)]
            found = tuple(dict.fromkeys(item for item in refs if isinstance(item, Ref)))
            functions = tuple(ref for ref in found if self._kind(ref, functions=True))
            if functions and outside:
                return Unknown("brought from several places", functions)
            if functions:
                return Functions(functions, None)
            types = tuple(ref for ref in found if self._is_type(ref))
            if types:
                return as_type(self.value_of_types(types))
            if found:
                return self._global(found)
            if outside:
                return outside[0] if len(set(outside)) == 1 else Unknown("brought from several places")
            full = f"{space}::{name}" if space else name
            if full in self.spaces.seen(unit.path).spaces:
                return Space(full)
            return None

        return self.repository.once(("cpp-in-space", unit.path, space, name), compute, None)

    def _in_space(self, unit: Unit, space: str, name: str, done: set[str]) -> list[Ref | External | Unknown | Space]:
        if space in done:
            return []
        done.add(space)
        seen = self.spaces.seen(unit.path)
        found: list[Ref | External | Unknown | Space] = list(self.spaces.by_space(unit.path, name).get(space, ()))
        for used in seen.named.get((space, name), ()):
            if used.item.flags & _TYPE_ONLY:
                ahead = self.spaces.ahead(used) if not found else None
                found += [ahead] if ahead is not None else []
                continue
            value = self._used(used)
            if isinstance(value, Functions):
                found += value.refs
            elif isinstance(value, Found | Instance):
                found.append(value.ref)
            elif isinstance(value, External | Unknown | Space):
                found.append(value)
        for used in seen.whole.get(space, ()):
            target = self._used(used)
            if isinstance(target, Space):
                found += self._in_space(unit, target.name, name, done)
        return found

    def _used(self, used: Used) -> Value:
        """What a using-declaration, using-directive or alias of a namespace brings."""

        def compute() -> Value:
            unit = self.repository.unit(used.path)
            if unit is None:
                return Unknown("its file is not read")
            item = used.item
            full = f"{item.module}::{item.name}" if item.name not in ("", "*") else item.module
            return self.qualified(unit, None, item.scope, full, -1)

        key = ("cpp-used", used.path, used.item.scope, used.item.module, used.item.name)
        return self.repository.once(key, compute, CIRCULAR)

    def _kind(self, ref: Ref, *, functions: bool) -> bool:
        unit = self.repository.unit(ref.path)
        if unit is None:
            return False
        outline = unit.outlines[ref.at]
        return outline.is_function is functions and outline.kind_number != _TEST

    def _is_type(self, ref: Ref) -> bool:
        unit = self.repository.unit(ref.path)
        return unit is not None and (unit.outlines[ref.at].is_type or unit.outlines[ref.at].kind_number == _TYPE)

    def _global(self, refs: tuple[Ref, ...]) -> Value:
        """A variable of a namespace."""
        values: set[Value] = set()
        for ref in refs:
            unit = self.repository.unit(ref.path)
            outline = unit.outlines[ref.at] if unit is not None else None
            if unit is None or outline is None:
                continue
            for binding in unit.bound.get((outline.parent, outline.name), ()):
                if binding.type:
                    values.add(self._variable(unit, None, outline.parent, [binding]))
        return values.pop() if len(values) == 1 else Unknown("a variable")

    def qualified(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Value:
        """What `a::b::c` means; a name without a qualifier likewise."""
        parts = name.split("::")
        if parts[0].startswith("?"):
            return OPEN
        if not parts[0]:
            value: Value | None = self.in_space(unit, "", parts[1]) if len(parts) > 1 else None
            parts = parts[1:]
        elif len(parts) > 1:
            value = self._typed(unit, body, owner, parts[0], spaces=True)
        else:
            value = self.find(unit, body, owner, parts[0], at)
        if value is None:
            return External(name.removeprefix("::"))
        for number, part in enumerate(parts[1:], start=1):
            if isinstance(value, External):
                return External(name.removeprefix("::"))
            inside = value
            value = self._step(unit, value, part)
            if value is None and isinstance(inside, Space):
                # Namespaces are open: the rest of it is elsewhere.
                return External("::".join([inside.name, *parts[number:]]))
            if value is None:
                return Unknown(f"no member {part} was found")
        return value

    def _step(self, unit: Unit, value: Value, name: str) -> Value | None:
        if isinstance(value, Space):
            if "#" in self.spaces.by_space(unit.path, name):
                return Unknown("a macro")
            return self.in_space(unit, value.name, name)
        if isinstance(value, Found):
            return self.of_type(value.ref, name)
        return value if isinstance(value, Unknown) else Unknown("qualified by something that is no class or namespace")

    def named_type(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Value:
        """A value of the type that a name, qualified or not, means."""
        if name in _PLAIN_TYPES:
            return External(name)
        if name.startswith("?"):
            return OPEN
        if "::" in name:
            value = self.qualified(unit, body, owner, name, at)
        else:
            value = self._typed(unit, body, owner, name, spaces=False)
        if isinstance(value, Found):
            return Instance(value.ref, exact=True)
        if isinstance(value, Functions | Space):
            return Unknown("not the name of a type")
        return value

    def _typed(self, unit: Unit, body: Body | None, owner: int, name: str, *, spaces: bool) -> Value:
        """What a name means where a type must stand, or a type or namespace: all else of that name is passed over."""
        for scope in self.around(unit, owner):
            found: Value | None
            if scope.at == _UNKNOWN:
                return _UNSEEN
            if scope.at >= 0:
                found = self._local_type(unit, body, scope.at, name)
            elif scope.type is not None:
                found = self.of_type(scope.type, name)
            else:
                found = self._type_in_space(unit, scope.space, name, spaces=spaces)
            if isinstance(found, Found | External | Unknown | Space):
                return found
            if isinstance(found, Pointer | Instance) and (scope.at >= 0 or scope.type is None):
                return found
        return External(name)

    def _type_in_space(self, unit: Unit, space: str, name: str, *, spaces: bool) -> Value | None:
        def compute() -> Value | None:
            items = self._in_space(unit, space, name, set())
            refs = tuple(dict.fromkeys(item for item in items if isinstance(item, Ref) and self._is_type(item)))
            if refs:
                return as_type(self.value_of_types(refs))
            full = f"{space}::{name}" if space else name
            if spaces and full in self.spaces.seen(unit.path).spaces:
                return Space(full)
            wanted = (External, Unknown, Space) if spaces else (External, Unknown)
            return next((item for item in items if isinstance(item, wanted)), None)

        return self.repository.once(("cpp-type-in-space", unit.path, space, name, spaces), compute, None)

    def declared(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Value:
        """A value that is declared to be of the type in `chain`: `ns::Foo*`, `Foo^`."""
        name = chain.rstrip("*&^")
        value = self.named_type(unit, body, owner, name, at)
        for sign in chain[len(name) :]:
            if sign == "&":
                value = _inexact(value)
            elif isinstance(value, External | Unknown):
                continue
            else:
                value = Pointer(_inexact(value), smart=sign == "^")
        return value

    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Value:
        """What a chain, written at byte `at` in the scope `owner`, means."""
        tokens = _TOKEN.findall(chain)
        if not tokens:
            return Unknown("an expression that is no name")
        value = self._first(unit, body, owner, tokens[0], at)
        if value == External(tokens[0]) and not tokens[0].startswith('"') and tokens[1:2] in (["."], ["->"], []):
            return Unknown(f"nothing in sight declares {tokens[0]}")
        member = ""
        for step in tokens[1:]:
            if step in (".", "->"):
                member = step
                value = self.through(value, step)
            elif step == "()":
                value = self.result(value)
            elif step == "[]":
                value = value.to if isinstance(value, Pointer) else _item(value)
            elif step == "&":
                value = Pointer(value, smart=False) if not isinstance(value, External | Unknown) else value
            elif member:
                value = self.attribute(value, step)
        return value

    def _first(self, unit: Unit, body: Body | None, owner: int, first: str, at: int) -> Value:
        if first.startswith('"'):
            return External(first[1:-1])
        if first.startswith("("):
            said = first[1:-1]
            if not said.startswith("+"):
                return self.declared(unit, body, owner, said, at)
            value = self.named_type(unit, body, owner, said[1:].rstrip("*&^"), at)
            if isinstance(value, External | Unknown) or said[-1] not in "*^":
                return value
            return Pointer(value, smart=said[-1] == "^")
        if first == "this":
            return self._this(unit, owner)
        if first.startswith("?"):
            return OPEN
        return self.qualified(unit, body, owner, first, at)

    def _this(self, unit: Unit, owner: int) -> Value:
        for scope in self.around(unit, owner):
            if scope.type is not None:
                return Pointer(Instance(scope.type, exact=False), smart=False)
        return Unknown("the class of this is not known")

    def through(self, value: Value, operator: str) -> Value:
        """What `.` or `->` after a value leads into."""
        if isinstance(value, External):
            return External(value.name + operator)
        if operator == ".":
            if isinstance(value, Pointer):
                return External("std::") if value.smart else _POINTEE
            return value
        if isinstance(value, Pointer):
            return value.to
        if isinstance(value, Instance):
            found = self.member(value.ref, "operator->")
            if isinstance(found, Member) and found.functions:
                result = self.result(Functions(found.functions, found.holder))
                return result.to if isinstance(result, Pointer) else _POINTEE
            return _POINTEE
        return value

    def attribute(self, value: Value, name: str) -> Value:
        """What a member of a value means."""
        if isinstance(value, External):
            return External(value.name + name)
        if isinstance(value, Instance):
            found = self._member(self.member(value.ref, name))
            return found if found is not None else Unknown(f"no member {name}")
        return value if isinstance(value, Unknown) else Unknown("a member of what is no object")

    def result(self, value: Value) -> Value:
        """What calling a value gives."""
        if isinstance(value, External):
            return External(value.name + "()")
        if isinstance(value, Found):
            return Instance(value.ref, exact=True)
        if isinstance(value, Functions):
            return self._returned(value)
        return value if isinstance(value, Unknown) else Unknown("the result of an operator")

    def _returned(self, functions: Functions) -> Value:
        """What all functions of a name declare to give, if it is one thing."""

        def compute() -> Value:
            values: set[Value] = set()
            for item in self.functions(functions):
                for ref in item.refs[:1]:
                    unit = self.repository.unit(ref.path)
                    signature = unit.signature_of.get(ref.at) if unit is not None else None
                    if unit is None or signature is None or not signature.returns:
                        return Unknown("the result of a call")
                    values.add(self.declared(unit, None, ref.at, signature.returns, -1))
            return values.pop() if len(values) == 1 else Unknown("the result of an overloaded function")

        return self.repository.once(("cpp-returned", functions), compute, CIRCULAR)


def _inexact(value: Value) -> Value:
    return Instance(value.ref, exact=False) if isinstance(value, Instance) else value


def _item(value: Value) -> Value:
    if isinstance(value, External):
        return External(value.name + "[]")
    return value if isinstance(value, Unknown) else Unknown("an item")
