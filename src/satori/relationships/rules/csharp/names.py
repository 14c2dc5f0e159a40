"""What a name or a chain means at a place in a C# file.

The innermost scope that has the name decides: blocks and parameters, the type with its bases and the types around it,
then namespace by namespace outwards what stands in it and what its usings bring. What nothing in sight declares is
external under the name as written.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, Import, ImportFlag
from satori.relationships.meaning import External, Found, Instance, Unknown
from satori.relationships.rules.csharp.spaces import is_namespace, is_type
from satori.relationships.rules.csharp.types import Member, Types
from satori.relationships.rules.csharp.values import (
    CIRCULAR,
    OPEN,
    Awaited,
    Items,
    Local,
    Methods,
    Space,
    Value,
)
from satori.relationships.unit import KINDS, Body, Ref, Unit

_TOKEN = re.compile(r'\(\+?[^()]+\)|\(\)|\[\]|~|@|"[^"]*"|[?\w`]+')
_ARGUMENT = re.compile(r"<.*>")
_STATIC, _GLOBAL = int(ImportFlag.STATIC), int(ImportFlag.REEXPORT)
_PROPERTY = KINDS.index(SymbolKind.PROPERTY)
_COLLECTIONS = frozenset(
    "List IList ICollection IEnumerable Collection IReadOnlyList IReadOnlyCollection HashSet ISet Queue Stack "
    "LinkedList ObservableCollection ReadOnlyCollection ConcurrentBag ConcurrentQueue ConcurrentStack SortedSet "
    "IQueryable IAsyncEnumerable ImmutableArray ImmutableList Span ReadOnlySpan".split()
)
_TASKS = frozenset({"Task", "ValueTask"})


class Scope(NamedTuple):
    """One of the scopes around a place: something with locals (`at` in the file), a type, else a namespace with the
    usings that stand in it (`imports` of the definition `at`, -1 for the file, -2 for none)."""

    at: int
    type: Ref | None
    space: str
    imports: int


class Names(Types):
    """Names and chains in one repository."""

    def around(self, unit: Unit, owner: int) -> tuple[Scope, ...]:
        """The scopes around whatever stands in `owner`, innermost first."""

        def compute() -> tuple[Scope, ...]:
            found: list[Scope] = []
            at = owner
            while at >= 0:
                outline = unit.outlines[at]
                if outline.is_function or outline.kind_number == _PROPERTY:
                    found.append(Scope(at, None, "", -2))
                elif outline.is_type:
                    found.append(Scope(-1, self.first(Ref(unit.path, at)), "", -2))
                elif is_namespace(unit, at):
                    full = self.spaces.full_name(unit, at)
                    outer = self.spaces.full_name(unit, outline.parent)
                    found.append(Scope(-1, None, full, at))
                    above = full.rpartition(".")[0]
                    while above != outer and above:
                        found.append(Scope(-1, None, above, -2))
                        above = above.rpartition(".")[0]
                at = outline.parent
            found.append(Scope(-1, None, "", -1))
            return tuple(found)

        return self.repository.once(("csharp-around", unit.path, owner), compute, ())

    def imports(self, unit: Unit, scope: Scope) -> list[tuple[Unit, Import]]:
        """The usings of a namespace's declaration, or of the file with the project's global ones."""
        if scope.imports == -2:
            return []
        found = [(unit, item) for item in unit.imports if item.scope == scope.imports]
        if scope.imports == -1:
            for path in self.spaces.globals_for(unit.path):
                other = self.repository.unit(path)
                if other is not None and path != unit.path:
                    found += [(other, item) for item in other.imports if item.flags & _GLOBAL]
        return found

    def find(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Value:
        """What a name means where a value or a call may stand."""
        plain, _, count = name.partition("`")
        arity = int(count) if count else 0
        outside: External | Unknown | None = None
        for scope in self.around(unit, owner):
            found: Value | None
            if scope.at >= 0:
                found = self._local(unit, body, scope.at, plain, at)
            elif scope.type is not None:
                found = self._of_type(scope.type, plain, arity)
                if isinstance(found, External | Unknown) and not isinstance(self.member(scope.type, plain), Member):
                    outside = outside or found
                    continue
            else:
                found = self._in_space(unit, scope, plain, arity, values=True)
            if found is not None:
                if outside is not None and not isinstance(found, Found | Space):
                    return outside
                return found
        if outside is not None:
            return outside
        return Space(self._prefixes(unit, owner, plain), plain)

    def _prefixes(self, unit: Unit, owner: int, name: str) -> tuple[str, ...]:
        """The full names that a namespace called `name` may have here."""
        return tuple(
            f"{scope.space}.{name}" if scope.space else name
            for scope in self.around(unit, owner)
            if scope.at < 0 and scope.type is None
        )

    def _local(self, unit: Unit, body: Body | None, scope: int, name: str, at: int) -> Value | None:
        bindings: list[Binding] = [
            *(body.bound.get((scope, name), ()) if body is not None else ()),
            *unit.bound.get((scope, name), ()),
        ]
        inner = [binding for binding in bindings if binding.last and binding.first <= at < binding.last]
        if inner:
            size = min(binding.last - binding.first for binding in inner)
            nearest = [binding for binding in inner if binding.last - binding.first == size]
        else:
            nearest = [binding for binding in bindings if not binding.last]
        if nearest:
            return self._variable(unit, body, scope, nearest)
        for index in unit.members.get((scope, name), ()):
            if unit.outlines[index].is_function:
                return Local(Ref(unit.path, index))
        signature = unit.signature_of.get(scope)
        for text in signature.parameters.split(",") if signature is not None else ():
            written, _, said = text.partition(":")
            if written == name:
                return self.declared(unit, scope, said) if said else Unknown("a parameter without a type")
        return None

    def _variable(self, unit: Unit, body: Body | None, scope: int, bindings: list[Binding]) -> Value:
        first = bindings[0]
        if any((other.type, other.value) != (first.type, first.value) for other in bindings):
            return Unknown("declared several times")
        if first.type:
            return self.declared(unit, scope, first.type)
        if not first.value:
            return Unknown("a variable of a type that is not said")
        return self.evaluate(unit, body, scope, first.value, first.start)

    def _of_type(self, ref: Ref, name: str, arity: int) -> Value | None:
        """What a name means inside a type; None when nothing."""
        got = self.member(ref, name, arity)
        if got is None or isinstance(got, External | Unknown):
            return got
        if got.methods:
            return Methods(ref, name)
        if got.types:
            return self._one(got.types, ref.path)
        return self._field(got, name)

    def _field(self, got: Member, name: str) -> Value:
        def compute() -> Value:
            values: set[Value] = set()
            for part, binding in got.fields:
                unit = self.repository.unit(part.path)
                if unit is not None and binding.type:
                    values.add(self.declared(unit, part.at, binding.type))
            return values.pop() if len(values) == 1 else Unknown("a member of a type that is not known")

        return self.repository.once(("csharp-field", got.holder, name), compute, CIRCULAR)

    def _one(self, refs: tuple[Ref, ...], path: str) -> Value:
        """The type that these definitions are."""
        near = self.spaces.chosen(refs, path)
        first = self.first(near[0])
        if any(self.first(ref) != first for ref in near):
            return Unknown(f"defined {len(near)} times", near)
        if all(self._is_conditional(ref, path) for ref in self.spaces.parts(first)):
            return Unknown("a type that the preprocessor may leave out", near)
        return Found(first)

    def _is_conditional(self, ref: Ref, path: str) -> bool:
        """Whether the preprocessor may leave a type out; inside a file that is one condition nothing is asked of it."""
        unit = self.repository.unit(ref.path)
        if unit is None or "conditional" not in unit.marks_of.get(ref.at, ()):
            return False
        outer = [at for at in unit.outermost if unit.outlines[at].is_type]
        whole = all("conditional" in unit.marks_of.get(at, ()) for at in outer)
        return not (whole and ref.path == path and ref.at in unit.outermost)

    def _in_space(self, unit: Unit, scope: Scope, name: str, arity: int, *, values: bool) -> Value | None:
        """What a namespace and its usings make of a name; with `values`, also members of what is used statically."""

        def compute() -> Value | None:
            here = self.spaces.types_in(scope.space, name, arity)
            if here:
                return self._one(here, unit.path)
            brought: dict[Value, None] = {}
            for home, item in self.imports(unit, scope):
                if item.alias:
                    if item.alias == name:
                        return self.used(home, item)
                    continue
                target = self.used(home, item)
                if item.flags & _STATIC:
                    if isinstance(target, Found):
                        got = self._of_type(target.ref, name, arity)
                        if got is not None and (values or isinstance(got, Found)):
                            brought[got] = None
                elif isinstance(target, Space):
                    for space in target.names:
                        refs = self.spaces.types_in(space, name, arity)
                        if refs:
                            brought[self._one(refs, unit.path)] = None
                            break
            if len(brought) == 1:
                return next(iter(brought))
            if brought:
                return Unknown("brought by several usings", tuple(v.ref for v in brought if isinstance(v, Found)))
            return None

        key = ("csharp-in-space", unit.path, scope.space, scope.imports, name, arity, values)
        return self.repository.once(key, compute, None)

    def used(self, unit: Unit, item: Import) -> Value:
        """What a using means: a type or a namespace."""

        def compute() -> Value:
            scope = unit.outlines[item.scope].parent if item.scope >= 0 else -1
            if item.flags & _STATIC or item.alias:
                return self._named(unit, scope, item.module, usings=False)
            written = _ARGUMENT.sub("", item.module)
            return Space(self._prefixes(unit, item.scope, written), written)

        key = ("csharp-used", unit.path, item.scope, item.module, item.alias)
        return self.repository.once(key, compute, CIRCULAR)

    def type_named(self, unit: Unit, owner: int, chain: str) -> Value:
        """The type that a chain names in the scope `owner`."""
        value = self._named(unit, owner, chain, usings=True)
        return External(value.written) if isinstance(value, Space) else value

    def _named(self, unit: Unit, owner: int, chain: str, *, usings: bool) -> Value:
        """The type, or namespace, that a chain names."""
        if chain.startswith("?"):
            return OPEN
        parts = _split(chain)
        if not parts:
            return Unknown("not the name of a type")
        value: Value = self._type(unit, owner, parts[0], usings=usings)
        for part in parts[1:]:
            value = self.step(unit, value, part)
        return value

    def _type(self, unit: Unit, owner: int, name: str, *, usings: bool) -> Value:
        plain, _, count = name.partition("`")
        arity = int(count) if count else 0
        for scope in self.around(unit, owner):
            found: Value | None = None
            if scope.type is not None:
                got = self.member(scope.type, plain, arity)
                if isinstance(got, Member) and got.types:
                    found = self._one(got.types, unit.path)
            elif scope.at < 0:
                bare = scope if usings or scope.imports == -2 else scope._replace(imports=-2)
                found = self._in_space(unit, bare, plain, arity, values=False)
            if found is not None:
                return found
        return Space(self._prefixes(unit, owner, plain), name)

    def step(self, unit: Unit, value: Value, name: str) -> Value:
        """What `.name` of a value, a type or a namespace means."""
        plain, _, count = name.partition("`")
        arity = int(count) if count else 0
        if isinstance(value, Space):
            for space in value.names:
                refs = self.spaces.types_in(space, plain, arity)
                if refs:
                    return self._one(refs, unit.path)
            return Space(tuple(f"{space}.{plain}" for space in value.names), f"{value.written}.{name}")
        if isinstance(value, Found | Instance):
            found = self._of_type(value.ref, plain, arity)
            return found if found is not None else Methods(value.ref, plain)
        if isinstance(value, External):
            return External(f"{value.name}.{plain}")
        if isinstance(value, Items | Awaited):
            return External(f"System.{plain}")
        return value if isinstance(value, Unknown) else Unknown("a member of a method")

    def declared(self, unit: Unit, owner: int, chain: str) -> Value:
        """A value that is declared to be of the type in `chain`."""
        if chain.endswith("[]"):
            return Items(self.declared(unit, owner, chain[:-2]), "")
        if chain in ("dynamic", "var", ""):
            return Unknown("declared dynamic" if chain == "dynamic" else "a type that is not said")
        value = self.type_named(unit, owner, chain)
        if isinstance(value, Found):
            return Instance(value.ref, exact=False)
        if isinstance(value, External):
            name = value.name.rpartition(".")[2].partition("`")[0]
            held = _ARGUMENT.search(chain)
            inner = held.group()[1:-1] if held else ""
            if inner and chain.endswith(">") and name in _COLLECTIONS:
                return Items(self.declared(unit, owner, inner), name)
            if inner and chain.endswith(">") and name in _TASKS:
                return Awaited(self.declared(unit, owner, inner))
        return value

    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Value:
        """What a chain, written at byte `at` in the scope `owner`, means."""
        tokens = _TOKEN.findall(chain)
        if not tokens:
            return Unknown("an expression that is no name")
        value = self._first(unit, body, owner, tokens[0], at)
        for step in tokens[1:]:
            if step == "()":
                value = self.result(value)
            elif step == "[]":
                value = self._item(value)
            elif step == "@":
                value = value.item if isinstance(value, Items) else _inside(value, "an item")
            elif step == "~":
                value = value.value if isinstance(value, Awaited) else _inside(value, "what is awaited")
            else:
                value = self.step(unit, value, step)
        return value

    def _first(self, unit: Unit, body: Body | None, owner: int, first: str, at: int) -> Value:
        if first.startswith('"'):
            return External(first[1:-1])
        if first.startswith("(+"):
            value = self.type_named(unit, owner, first[2:-1])
            if isinstance(value, Found):
                return Instance(value.ref, exact=True)
            return self.declared(unit, owner, first[2:-1])
        if first.startswith("("):
            return self.declared(unit, owner, first[1:-1])
        if first.startswith("?"):
            return OPEN
        if first in ("this", "base"):
            for scope in self.around(unit, owner):
                if scope.type is not None:
                    return self._this(scope.type, first)
            return Unknown("this of a file")
        return self.find(unit, body, owner, first, at)

    def _this(self, ref: Ref, word: str) -> Value:
        if word == "this":
            return Instance(ref, exact=False)
        inside, outside = self.inherited(ref)
        if len(inside) == 1 and not outside:
            return Instance(inside[0], exact=True)
        return outside[0] if outside else External("object")

    def _item(self, value: Value) -> Value:
        if isinstance(value, Items):
            return value.item
        if isinstance(value, Instance):
            got = self.member(value.ref, "this")
            return self._field(got, "this") if isinstance(got, Member) and got.fields else Unknown("an item")
        return _inside(value, "an item")

    def result(self, value: Value) -> Value:
        """What calling a value gives."""
        if isinstance(value, External):
            return External(f"{value.name}()")
        if isinstance(value, Space):
            return External(f"{value.written}()")
        if isinstance(value, Methods):
            return self._returned(value)
        if isinstance(value, Local):
            return self._gives(value.ref)
        return value if isinstance(value, Unknown) else Unknown("the result of a value that is called")

    def _gives(self, ref: Ref) -> Value:
        unit = self.repository.unit(ref.path)
        signature = unit.signature_of.get(ref.at) if unit is not None else None
        if unit is None or signature is None or not signature.returns:
            return Unknown("the result of a call")
        return self.declared(unit, ref.at, signature.returns)

    def _returned(self, methods: Methods) -> Value:
        """What all methods of a name declare to give, if it is one thing."""

        def compute() -> Value:
            got = self.slots(methods.ref, methods.name)
            if got.outside or not got.slots:
                return Unknown("the result of a call")
            values = {self._gives(slot.ref) for slot in got.slots}
            return values.pop() if len(values) == 1 else Unknown("the result of an overloaded method")

        return self.repository.once(("csharp-returned", methods), compute, CIRCULAR)

    def opened(self, unit: Unit, owner: int) -> frozenset[str]:
        """The namespaces whose extension methods can be seen in the scope `owner`."""

        def compute() -> frozenset[str]:
            found: set[str] = set()
            for scope in self.around(unit, owner):
                if scope.at >= 0 or scope.type is not None:
                    continue
                found.add(scope.space)
                for home, item in self.imports(unit, scope):
                    target = self.used(home, item)
                    if isinstance(target, Space):
                        found.update(target.names)
            return frozenset(found)

        return self.repository.once(("csharp-opened", unit.path, owner), compute, frozenset())

    def is_delegate(self, ref: Ref) -> bool:
        """Whether the type is a delegate."""
        unit = self.repository.unit(ref.path)
        return unit is not None and is_type(unit, ref.at) and not unit.outlines[ref.at].is_type


def _split(chain: str) -> list[str]:
    """The parts of a type's name, arguments left out."""
    previous = ""
    while previous != chain:
        previous, chain = chain, _ARGUMENT.sub("", chain)
    return [part for part in chain.rstrip("[]").split(".") if part]


def _inside(value: Value, what: str) -> Value:
    if isinstance(value, External):
        return External(f"{value.name}[]")
    return value if isinstance(value, Unknown) else Unknown(what)
