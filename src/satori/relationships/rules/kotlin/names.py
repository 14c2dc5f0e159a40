"""What a name or a chain means at a place in a Kotlin file, and which functions a name alone may call.

Receivers that nobody writes are looked through from the innermost: object literals, extension receivers, classes with
their companions. A lambda whose receiver is not known makes what lies behind it uncertain. Then come explicit imports,
the package, and imports of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import BindingKind
from satori.relationships.meaning import External, Found, Instance, Parent, Subtype, Unknown
from satori.relationships.rules.java.members import words_of
from satori.relationships.rules.java.names import _CALL, _OUTSIDE, _TOKEN
from satori.relationships.rules.java.values import Array, Bounded, Methods, Named, Outside, Value
from satori.relationships.rules.kotlin.library import ABOVE_FINAL, FINAL
from satori.relationships.rules.kotlin.scopes import CIRCULAR, Implicit, Scopes
from satori.relationships.rules.kotlin.types import FUNCTION_TYPE
from satori.relationships.unit import Body, Ref, Unit

_ALIAS = int(BindingKind.ALIAS)


class Level(NamedTuple):
    """Functions that a name may mean, tried before those of later levels: the word for how they are found, and the
    type on whose values something may replace them. `hazy` says why something unknown may come first."""

    refs: tuple[Ref, ...]
    how: str
    receiver: Ref | None = None
    hazy: str = ""
    outside: External | Unknown | None = None


class Names(Scopes):
    """Names, chains and results in one repository."""

    def trace(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Named:
        """What a chain, written at byte `at` in the scope `owner`, means, and how its first name got its meaning."""
        if unit.language == "java":
            return super().trace(unit, body, owner, chain, at)
        tokens = _TOKEN.findall(chain)
        if not tokens:
            return Named(Unknown("an expression that is no name"), "")
        named, number = self._start(unit, body, owner, tokens, at)
        value, how = named
        while number < len(tokens):
            step = tokens[number]
            called = number + 1 < len(tokens) and _CALL.fullmatch(tokens[number + 1])
            number += 1
            if step == "[]":
                value = _item(value)
            elif called:
                value = self.result(unit, body, owner, value, step, tokens[number].count("_"), at)
                number += 1
                how = "result"
            elif step.startswith("("):
                value = FUNCTION_TYPE
            else:
                value, how = self.attribute(value, step), "field"
        return Named(value, how)

    def _start(self, unit: Unit, body: Body | None, owner: int, tokens: Sequence[str], at: int) -> tuple[Named, int]:
        first = tokens[0]
        if first.startswith('"'):
            return Named(Outside(first[1:-1]), "literal"), 1
        if first.startswith("("):
            return Named(self.value_of(self.type_of(unit, owner, first[1:-1])), "typed"), 1
        if first == "super":
            return Named(self._super(unit, body, owner, at), "super"), 1
        if first == "this" or first.startswith("this@"):
            return Named(self.this(unit, body, owner, first[5:], at), "this"), 1
        if len(tokens) > 1 and _CALL.fullmatch(tokens[1]):
            return Named(self.bare_result(unit, body, owner, first, tokens[1].count("_"), at), "result"), 2
        variable = self.variable(unit, body, owner, first, at)
        if variable is not None:
            return variable, 1
        meaning = self.type_of(unit, owner, first)
        if isinstance(meaning, External) and first == meaning.name:
            names = [token for token in tokens if token[0].isidentifier()]
            spelled = self.packages.qualified(unit, names) if names == list(tokens[: len(names)]) else None
            if spelled is not None:
                return Named(spelled[0], "type"), spelled[1]
        return Named(self._valued(meaning), "type"), 1

    def _valued(self, meaning: Value) -> Value:
        """An object's name is its value."""
        if isinstance(meaning, Found) and self.is_object(meaning.ref):
            return Instance(meaning.ref, exact=True)
        return meaning

    def attribute(self, value: Value, name: str) -> Value:
        """What `.name` of a value or type means."""
        found = super().attribute(value, name)
        if isinstance(value, Outside):
            return Unknown("a property of something outside of the repository")
        return self._valued(found)

    def this(self, unit: Unit, body: Body | None, owner: int, label: str, at: int) -> Value:
        """What `this`, with or without a label, means."""
        for level in self.receivers(unit, body, owner, at):
            if label and level.name != label:
                continue
            if level.why:
                return Unknown(level.why)
            return level.value
        return Unknown("this outside of a class")

    def _super(self, unit: Unit, body: Body | None, owner: int, at: int) -> Value:
        for around in self.around(unit, body, owner, at):
            if around.ref is not None:
                return Parent(around.ref)
            return Unknown("super of an object literal")
        return Unknown("super outside of a class")

    def levels(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Iterator[Level]:
        """The functions and types that a name alone may call, nearest first."""
        scope = owner
        local: list[Ref] = []
        while scope >= 0:
            if not unit.outlines[scope].is_type:
                members = unit.members.get((scope, name), ())
                named = [i for i in members if unit.outlines[i].kind is SymbolKind.FUNCTION]
                local += [Ref(unit.path, i) for i in named if i not in self.nameless(unit)]
                local += [Ref(unit.path, i) for i in members if unit.outlines[i].is_type]
            scope = unit.outlines[scope].parent
        if local:
            yield Level(tuple(local), "local")
        hazy = ""
        implicit: list[Value] = []
        for number, receiver in enumerate(self.receivers(unit, body, owner, at)):
            if receiver.why:
                hazy = hazy or receiver.why
                continue
            yield from self._received(unit, receiver, name, hazy, number)
            if receiver.how != "apart":
                implicit.append(receiver.value)
        yield from self._packaged(unit, name, hazy, implicit)

    def nameless(self, unit: Unit) -> frozenset[int]:
        """The functions of object literals."""

        def compute() -> frozenset[int]:
            return frozenset(item.owner for item in unit.bindings if item.kind == _ALIAS and item.value == "new")

        return self.repository.once((self.word, "nameless", unit.path), compute, frozenset())

    def _received(self, unit: Unit, receiver: Implicit, name: str, hazy: str, number: int) -> Iterator[Level]:
        if receiver.around is not None:
            found = self._of_class(unit, receiver.around, name)
            yield Level(found.refs, "anonymous", None, hazy, found.outside)
        elif isinstance(receiver.value, Outside):
            yield Level((), "receiver", outside=External(receiver.value.name))
        elif isinstance(receiver.value, Unknown):
            yield Level((), "receiver", outside=External("Any"))
        elif isinstance(receiver.value, Instance | Bounded):
            ref = receiver.value.ref
            methods = self.methods(ref, name) if receiver.how != "apart" else Methods((), None)
            word = "receiver" if receiver.how else "own" if number == 0 else "outer"
            yield Level(methods.refs, word, ref, hazy, methods.outside)
            yield Level(self.companions(ref, name), "companion", None, hazy)
            inner = self.member_type(ref, name)
            if isinstance(inner, Found):
                yield Level((inner.ref,), "nested", None, "")

    def _packaged(self, unit: Unit, name: str, hazy: str, implicit: list[Value]) -> Iterator[Level]:
        explicit, named, beside, starred = self._groups(unit, name)
        if explicit and not named:
            yield Level((), "imported", None, hazy, External(explicit))
            return
        for refs, how in ((named, "imported"), (beside, "package"), (starred, "star")):
            plain = tuple(ref for ref in refs if not self.receiver_text(ref))
            extended = tuple(
                ref
                for ref in refs
                if self.receiver_text(ref) and any(self.extends(ref, value) > 0 for value in implicit)
            )
            aliases = {self.seen_through(ref) for ref in plain if self.is_type_like(ref)}
            if aliases and all(isinstance(alias, External) for alias in aliases):
                yield Level((), how, None, hazy, next(iter(aliases)))  # type: ignore[arg-type]
                return
            if plain or extended:
                yield Level((*plain, *extended), how if plain else "extension", None, hazy)

    def _groups(self, unit: Unit, name: str) -> tuple[str, tuple[Ref, ...], tuple[Ref, ...], tuple[Ref, ...]]:
        """What an explicit import of the name names, and what it, the package, and imports of all offer under it."""

        def compute() -> tuple[str, tuple[Ref, ...], tuple[Ref, ...], tuple[Ref, ...]]:
            explicit = [(item.module, item.name) for item in unit.imported.get((-1, name), ())]
            named = tuple(ref for module, original in explicit for ref in self.offered(unit, module, original))
            written = ".".join(explicit[0]) if explicit else ""
            if explicit and not named:
                return written, (), (), ()
            beside = tuple(self.offered(unit, unit.package, name))
            starred = tuple(ref for item in unit.starred for ref in self.offered(unit, item.module, name))
            return written, named, beside, starred

        return self.repository.once((self.word, "groups", unit.path, name), compute, ("", (), (), ()))

    def offered(self, unit: Unit, module: str, name: str) -> list[Ref]:
        """The functions and types of that name in a package, or in the object or companion that a name spells."""

        def compute() -> list[Ref]:
            found: list[Ref] = []
            for ref in self.repository.named(name):
                other = self.repository.unit(ref.path)
                if other is None or other.package != module or other.language not in self.languages:
                    continue
                outline = other.outlines[ref.at]
                if (outline.parent < 0 and outline.is_function) or self.is_type_like(ref):
                    found += [ref] if self.accessible(unit, ref) else []
            if not found and "." in module:
                holder = self.spelled(unit, module.removesuffix(".Companion"))
                if isinstance(holder, Found):
                    methods = self.methods(holder.ref, name).refs if self.is_object(holder.ref) else ()
                    found += methods or self.companions(holder.ref, name)
                    found += self._held_extensions(holder.ref, name)
                    inner = self.member_type(holder.ref, name)
                    found += [inner.ref] if isinstance(inner, Found) else []
                return found
            found = self.packages.without_others_tests(unit, found)
            # Overloads stand in several files; what stands for one another is told apart by its parameters.
            kept: list[Ref] = []
            for ref in found:
                twins = [other for other in found if self._is_twin(other, ref)]
                nearest = self.packages.nearest(unit, twins)
                kept += [ref] if ref in nearest else []
            return kept

        return list(self.repository.once((self.word, "offered", unit.path, module, name), compute, []))

    def _held_extensions(self, ref: Ref, name: str) -> list[Ref]:
        """The extensions of that name in an object or in a type's companion."""
        unit = self.repository.unit(ref.path)
        if unit is None:
            return []
        held = self.is_object(ref)
        return [
            Ref(ref.path, index)
            for index in unit.members.get((ref.at, name), ())
            if unit.outlines[index].receiver and (held or "companion" in words_of(unit, index))
        ]

    def _is_twin(self, one: Ref, other: Ref) -> bool:
        mine, theirs = self.repository.unit(one.path), self.repository.unit(other.path)
        if mine is None or theirs is None or self.is_type_like(one) != self.is_type_like(other):
            return False
        if self.is_type_like(one):
            return True
        same = mine.outlines[one.at].receiver == theirs.outlines[other.at].receiver
        return one == other or (same and self._parameters(one) == self._parameters(other))

    def receiver_text(self, ref: Ref) -> str:
        """The type that a function extends, as written, "" for none."""
        unit = self.repository.unit(ref.path)
        return unit.outlines[ref.at].receiver if unit is not None and ref.at >= 0 else ""

    def extends(self, ref: Ref, value: Value) -> int:
        """Whether an extension can be called on a value: 2 yes, 1 perhaps, 0 no."""
        unit = self.repository.unit(ref.path)
        if unit is None:
            return 0
        text = self.receiver_text(ref)
        wanted = self.type_of(unit, ref.at, text.removesuffix(".Companion"))
        if text.endswith(".Companion"):
            return 2 if isinstance(value, Found) and wanted == value else 0
        if isinstance(value, Instance | Bounded):
            above = self.order(value.ref)
            if isinstance(wanted, Found | Subtype):
                return 2 if self.is_among(wanted.ref, above) else 0
            if isinstance(wanted, External):
                last = wanted.name.rpartition(".")[2]
                names = {item.name.rpartition(".")[2] for item in above if isinstance(item, External)}
                return 2 if last in names or last == "Any" else 1 if names else 0
            return 2 if wanted != FUNCTION_TYPE and isinstance(wanted, Unknown) else 0
        if isinstance(value, Outside):
            if isinstance(wanted, External):
                return _extends_outside(value.name.rpartition(".")[2], wanted.name.rpartition(".")[2])
            return 1 if isinstance(wanted, Unknown) and wanted != FUNCTION_TYPE else 0
        return 1 if not isinstance(value, Found) else 0

    def extensions(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Iterator[Level]:
        """The extensions of that name that can be seen, nearest first."""
        scope = owner
        while scope >= 0:
            members = unit.members.get((scope, name), ())
            found = [Ref(unit.path, index) for index in members if unit.outlines[index].receiver]
            if unit.outlines[scope].is_type:
                for item in self.order(Ref(unit.path, scope))[1:]:
                    other = self.repository.unit(item.path) if isinstance(item, Ref) else None
                    if other is not None and isinstance(item, Ref):
                        indexes = other.members.get((item.at, name), ())
                        found += [Ref(item.path, index) for index in indexes if other.outlines[index].receiver]
            if found:
                yield Level(tuple(found), "member-extension", Ref(unit.path, scope))
            scope = unit.outlines[scope].parent
        explicit = [(item.module, item.name) for item in unit.imported.get((-1, name), ())]
        groups = (explicit, [(unit.package, name)], [(item.module, name) for item in unit.starred])
        for group in groups:
            refs = [ref for module, original in group for ref in self.offered(unit, module, original)]
            if group is explicit and explicit and not refs:
                yield Level((), "imported", outside=External(".".join(explicit[0])))
                return
            found = [ref for ref in refs if self.receiver_text(ref)]
            if found:
                yield Level(tuple(found), "extension")

    def fitting(self, refs: Sequence[Ref], arity: int) -> tuple[Ref, ...]:
        """Those of the functions that take so many arguments."""
        found = []
        for ref in refs:
            unit = self.repository.unit(ref.path)
            signature = unit.signature_of.get(ref.at) if unit is not None else None
            if signature is None or unit is None:
                found.append(ref)
                continue
            # What overrides a function has its defaults, which it must not repeat.
            least = 0 if "override" in words_of(unit, ref.at) else signature.least
            if least <= arity and (signature.most < 0 or arity <= signature.most):
                found.append(ref)
        return tuple(found)

    def candidates(self, refs: Sequence[Ref]) -> list[Ref]:
        """The functions themselves, and the constructors of types."""
        found: list[Ref] = []
        for ref in refs:
            unit = self.repository.unit(ref.path)
            if self.is_type_like(ref):
                meaning = self.seen_through(ref)
                found += self.constructors(meaning.ref) if isinstance(meaning, Found) else []
            elif unit is not None and unit.outlines[ref.at].is_type:
                found += self.constructors(ref)
            else:
                found.append(ref)
        return found

    def bare_result(self, unit: Unit, body: Body | None, owner: int, name: str, arity: int, at: int) -> Value:
        """What `name(…)` gives."""
        for level in self.levels(unit, body, owner, name, at):
            fitting = self.fitting(self.candidates(level.refs), arity)
            if fitting:
                return Unknown(level.hazy) if level.hazy and name[:1].islower() else self.returned(fitting)
        return _OUTSIDE

    def result(self, unit: Unit, body: Body | None, owner: int, value: Value, name: str, arity: int, at: int) -> Value:
        """What `.name(…)` of a value or type gives."""
        if isinstance(value, Unknown):
            return value
        refs = self.members(value, name)
        fitting = self.fitting(self.candidates(refs), arity)
        if fitting:
            return self.returned(fitting)
        for level in self.extensions(unit, body, owner, name, at):
            fits = [ref for ref in self.fitting(level.refs, arity) if self.extends(ref, value)]
            if fits:
                return self.returned(tuple(fits))
        if name in ("apply", "also") and arity == 1:
            return value
        return _OUTSIDE

    def members(self, value: Value, name: str) -> tuple[Ref, ...]:
        """The functions of that name on a value or type, and types inside it."""
        if isinstance(value, Found):
            inner = self.member_type(value.ref, name)
            return (*self.companions(value.ref, name), *((inner.ref,) if isinstance(inner, Found) else ()))
        return self.methods_of(value, name).refs

    def returned(self, methods: tuple[Ref, ...]) -> Value:
        """What all these functions and constructors give."""
        found: set[Value] = set()
        for method in methods:
            unit = self.repository.unit(method.path)
            if unit is None:
                return Unknown("the result of a call")
            outline = unit.outlines[method.at]
            if outline.is_type:
                found.add(Instance(method, exact=True))
            elif unit.language == "java":
                found.add(super().returned((method,)))
            elif outline.name == "constructor" and outline.kind is SymbolKind.METHOD:
                found.add(Instance(Ref(method.path, outline.parent), exact=True))
            else:
                found.add(self._given(unit, method))
        return (
            found.pop() if len(found) == 1 else Unknown("the result depends on which function of that name is called")
        )

    def _given(self, unit: Unit, method: Ref) -> Value:
        def compute() -> Value:
            signature = unit.signature_of.get(method.at)
            if signature is None:
                return Unknown("the result of a call")
            if signature.returns:
                return self.replaced(self.type_of(unit, method.at, signature.returns))
            if signature.results in ("", "?"):
                return Unknown("the result of a call")
            if signature.results == "Unit":
                return Outside("Unit")
            start = unit.outlines[method.at].start
            value = self.trace(unit, None, method.at, signature.results, start).meaning
            if isinstance(value, Instance):
                return Instance(value.ref, exact=False)
            return Unknown("the result of a call") if isinstance(value, Found | Parent | External | Array) else value

        return self.repository.once((self.word, "given", method), compute, CIRCULAR)


def _item(value: Value) -> Value:
    """An item of an array of primitives."""
    if isinstance(value, Outside) and value.name in FINAL and value.name.endswith("Array"):
        return Outside(value.name.removesuffix("Array"))
    return Unknown("an item")


def _extends_outside(mine: str, wanted: str) -> int:
    """Whether an extension of one type outside the repository can be called on a value of another."""
    mine = "Int" if mine == "int" else mine
    if wanted in (mine, "Any"):
        return 2
    return 0 if mine in FINAL and wanted not in ABOVE_FINAL else 1
