"""What a chain means at a place in a Scala file: members, results, `apply`, `this` and `super`."""

from __future__ import annotations

import re

from satori.relationships.meaning import External, Found, Instance, Meaning, Module, Overridden, Parent, Unknown
from satori.relationships.rules.scala.scopes import HOLDERS, Named, Scopes
from satori.relationships.rules.scala.types import Order, alternative, fits
from satori.relationships.unit import Body, Ref, Unit

_TOKEN = re.compile(r'"[^"]*"|\(\)|\([^()]*\)|\[\]|[^.()\[\]"]+')
_CIRCULAR: Meaning = Unknown("the name is defined by itself")
_RESULT: Meaning = Unknown("the result of a call")


class Names(Scopes):
    """Chains, members and results in one repository."""

    def value_of(self, unit: Unit, scope: int, text: str) -> Meaning:
        """A value that is declared there to be of a type."""
        if "#" in text:
            return self._matched(unit, scope, text)
        if text.endswith(".type"):
            return self.evaluate(unit, None, scope, text[:-5], -1)
        meaning = self.type_named(unit, scope, text)
        return Instance(meaning.ref, exact=False) if isinstance(meaning, Found) else meaning

    def _matched(self, unit: Unit, scope: int, text: str) -> Meaning:
        """A name that a pattern binds: what an extractor of a case class takes (`C#`), or its field (`C#0`)."""
        name, _, position = text.partition("#")
        found = self.type_named(unit, scope, name)
        other = self.repository.unit(found.ref.path) if isinstance(found, Found) else None
        if not isinstance(found, Found) or other is None or "case" not in other.marks_of.get(found.ref.at, ()):
            return Unknown("what an extractor gives")
        outline = other.outlines[found.ref.at]
        beside = other.members.get((outline.parent, outline.name), ())
        if any((index, word) in other.members for index in beside for word in ("unapply", "unapplySeq")):
            return Unknown("what an extractor gives")
        if not position:
            return Instance(found.ref, exact=False)
        signature = other.signature_of.get(found.ref.at)
        fields = signature.parameters.partition(";")[0].split(",") if signature is not None else []
        if int(position) >= len(fields) or ":" not in fields[int(position)] or fields[int(position)].startswith("*"):
            return Unknown("a field without a type")
        return self.value_of(other, found.ref.at, fields[int(position)].partition(":")[2])

    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Meaning:
        """What a chain, written at byte `at` in the scope `owner`, means."""
        return self.trace(unit, body, owner, chain, at).meaning

    def trace(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Named:
        """The same, with how the chain began."""
        tokens = _TOKEN.findall(chain)
        if not tokens or chain == "_":
            return Named(Unknown("an expression that is no name"), "")
        first, rest = tokens[0], _plain(tokens[1:])
        how = first
        meaning: Meaning
        if first.startswith('"'):
            meaning = External(first.strip('"'))
        elif first == "None" and not rest:
            return Named(External("Null"), "literal")
        elif first.startswith(("new ", "(")):
            found = self.type_named(unit, owner, first[4:] if first.startswith("new ") else first[1:-1])
            exact = first.startswith("new ")
            meaning = Instance(found.ref, exact=exact) if isinstance(found, Found) else found
            how = "constructed"
        elif first == "this":
            meaning = self.this(unit, body, owner, at)
        elif first == "super":
            meaning, rest = self._super(unit, body, owner, at, rest)
        elif rest[:1] == ["this"]:
            meaning, rest, how = self._outer(unit, owner, first), rest[1:], "this"
        elif rest[:1] == ["()"]:
            called = self.name(unit, body, owner, first, at, -1)
            lists = _lists(rest)
            meaning, how = self.applied(called.meaning, called.meaning, lists), called.how
            rest = rest[lists:]
        else:
            named = self.name(unit, body, owner, first, at, -1)
            if named.how == "global":
                packaged, rest = self._packaged(unit, owner, tokens)
                named = Named(packaged, "package") if packaged is not None else named
            meaning, how = self._given(named.meaning, named.meaning, rest), named.how
            rest = rest[1:] if rest[:1] == ["[]"] else rest
        position = 0
        while position < len(rest):
            step = rest[position]
            position += 1
            if step == "()":
                meaning = self.applied(self.member(meaning, "apply", -1), meaning, 1)
            elif step == "[]":
                continue
            elif rest[position : position + 1] == ["()"]:
                lists = _lists(rest[position:])
                meaning = self.applied(self.member(meaning, step, -1), meaning, lists)
                position += lists
            else:
                meaning = self._given(self.member(meaning, step, -1), meaning, rest[position:])
        return Named(meaning, how)

    def _packaged(self, unit: Unit, owner: int, tokens: list[str]) -> tuple[Meaning | None, list[str]]:
        """What a chain's first names mean when they are packages, and what follows them."""
        for number in range(1, len(tokens) + 1):
            if tokens[number - 1] in ("()", "[]"):
                break
            text = ".".join(tokens[:number])
            for package in self.seen(unit, owner):
                found = self.entity(f"{package}.{text}" if package else text)
                if found is not None:
                    return found, _plain(tokens[number:])
        return None, _plain(tokens[1:])

    def _given(self, meaning: Meaning, receiver: Meaning, rest: list[str]) -> Meaning:
        """The value of a name that is not called. With type arguments alone, an object or a value is applied to
        implicit arguments."""
        is_method = isinstance(meaning, Overridden) or (isinstance(meaning, Found) and self.is_method(meaning.ref))
        if rest[:1] != ["[]"] or is_method:
            return self.read(meaning, receiver)
        return self.applied(self.member(meaning, "apply", -1), meaning, 0)

    def this(self, unit: Unit, body: Body | None, owner: int, at: int) -> Meaning:
        """The instance around."""
        scope = owner
        while scope >= 0:
            bound = [*unit.bound.get((scope, "new"), ()), *(body.bound.get((scope, "new"), ()) if body else ())]
            inner = sorted((b for b in bound if b.first <= at < b.last), key=lambda item: item.last - item.first)
            if at >= 0 and inner:
                if len(inner) > 1 and inner[0].first == inner[1].first:
                    return Unknown("a class without a name")
                return self.value_of(unit, scope, inner[0].type)
            if unit.outlines[scope].kind in HOLDERS:
                ref = Ref(unit.path, scope)
                return Instance(ref, exact=self.is_object(ref))
            scope = unit.outlines[scope].parent
        return Unknown("outside of a type")

    def _outer(self, unit: Unit, owner: int, name: str) -> Meaning:
        scope = owner
        while scope >= 0:
            if unit.outlines[scope].kind in HOLDERS and unit.outlines[scope].name == name:
                ref = Ref(unit.path, scope)
                return Instance(ref, exact=self.is_object(ref))
            scope = unit.outlines[scope].parent
        return Unknown(f"no {name} around")

    def _super(self, unit: Unit, body: Body | None, owner: int, at: int, rest: list[str]) -> tuple[Meaning, list[str]]:
        around = self.this(unit, body, owner, at)
        scope = owner
        while scope >= 0 and unit.outlines[scope].kind not in HOLDERS:
            scope = unit.outlines[scope].parent
        if not isinstance(around, Instance) or around.ref != Ref(unit.path, scope):
            return Unknown("super of a class without a name"), rest
        if rest and rest[1:2] != ["()"]:
            for base in self.bases(around.ref):
                other = self.repository.unit(base.path) if isinstance(base, Ref) else None
                if isinstance(base, Ref) and other is not None and other.outlines[base.at].name == rest[0]:
                    return Instance(base, exact=True), rest[1:]
        return Parent(around.ref), rest

    def member(self, receiver: Meaning, name: str, arity: int) -> Meaning:
        """What a member of a meaning, called with so many arguments, means."""
        if isinstance(receiver, Module):
            found = self.in_package(receiver.path, name, arity, types=False)
            return found or self.entity(f"{receiver.path}.{name}") or Unknown(f"no member {name}")
        if isinstance(receiver, External):
            return External(f"{receiver.name}.{name}")
        if isinstance(receiver, Found):
            if self.is_object(receiver.ref):
                return self.apply(receiver.ref, arity) if name == "apply" else self.inherited(receiver.ref, name, arity)
            return Found(receiver.ref) if name == "apply" else Unknown(f"no member {name}")
        if isinstance(receiver, Instance):
            if receiver.exact:
                return self.inherited(receiver.ref, name, arity)
            return self.virtual(receiver.ref, name, arity)
        if isinstance(receiver, Parent):
            return self.after(receiver.ref, name, arity)
        return receiver if isinstance(receiver, Unknown) else Unknown("a value of several types")

    def apply(self, ref: Ref, arity: int) -> Meaning:
        """What applying an object to so many arguments means: its own method, or the case class beside it."""

        def compute() -> Meaning:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return _RESULT
            outline = unit.outlines[ref.at]
            beside = [
                index
                for index in unit.members.get((outline.parent, outline.name), ())
                if unit.outlines[index].is_type and index != ref.at
            ]
            order: Order = self.order(ref)
            own = [one for item in order if isinstance(item, Ref) for one in self.methods(item, "apply")]
            taking = [one for one in own if fits(one, arity)]
            case = len(beside) == 1 and "case" in unit.marks_of.get(beside[0], ())
            if case and fits(alternative(unit, beside[0], None), arity):
                if taking:
                    refs = (Ref(unit.path, beside[0]), *(one.ref for one in taking))
                    return Unknown("its own apply and that of the case class", refs)
                return Found(Ref(unit.path, beside[0]))
            if own:
                return self.inherited(ref, "apply", arity)
            outside = next((item for item in order if not isinstance(item, Ref)), None)
            if outside is not None:
                return External(f"{outside.name}.apply") if isinstance(outside, External) else outside
            return Found(Ref(unit.path, beside[0])) if len(beside) == 1 else self.inherited(ref, "apply", arity)

        return self.repository.once(("scala-apply", ref, arity), compute, _CIRCULAR)

    def read(self, meaning: Meaning, receiver: Meaning) -> Meaning:
        """The value of a name that is not called: what a method without arguments gives."""
        if isinstance(meaning, Overridden):
            return self.applied(meaning, receiver, 0)
        if isinstance(meaning, Found) and self.is_method(meaning.ref):
            return self.applied(meaning, receiver, 0)
        return meaning

    def applied(self, called: Meaning, receiver: Meaning, lists: int) -> Meaning:
        """What calling a meaning with so many argument lists gives."""
        if isinstance(called, External):
            return External(f"{called.name}()" if lists else called.name)
        if isinstance(called, Instance):
            return self.applied(self.member(called, "apply", -1), called, lists)
        if isinstance(called, Found) and not self.is_method(called.ref):
            if not self.is_object(called.ref):
                return Instance(called.ref, exact=True)
            inner = self.apply(called.ref, -1)
            same = isinstance(inner, Found) and inner.ref == called.ref
            return _RESULT if same else self.applied(inner, called, lists)
        if not isinstance(called, Found | Overridden):
            return called if isinstance(called, Unknown) else _RESULT
        target = called.ref if isinstance(called, Found) else called.target

        def compute() -> Meaning:
            unit = self.repository.unit(target.path)
            signature = unit.signature_of.get(target.at) if unit is not None else None
            if unit is None or signature is None:
                return _RESULT
            explicit = sum(not part.startswith("?") for part in signature.parameters.split(";"))
            explicit = 0 if signature.least < 0 else explicit
            if signature.returns == "this.type":
                meaning = receiver
            elif signature.returns:
                meaning = self.value_of(unit, target.at, signature.returns)
            elif signature.results == "this":
                meaning = receiver
            elif signature.results:
                meaning = self.evaluate(unit, None, target.at, signature.results, -1)
            else:
                return _RESULT
            if isinstance(meaning, Instance) and meaning.exact and isinstance(called, Overridden):
                meaning = Instance(meaning.ref, exact=False)
            if lists > max(explicit, 1 if lists else 0):
                return self.applied(self.member(meaning, "apply", -1), meaning, 1)
            if lists and not explicit:
                return self.applied(self.member(meaning, "apply", -1), meaning, 1)
            return _RESULT if 0 < lists < explicit else meaning

        return self.repository.once(("scala-applied", called, receiver, lists), compute, _CIRCULAR)


def _plain(tokens: list[str]) -> list[str]:
    """Without the type arguments of calls."""
    return [step for at, step in enumerate(tokens) if step != "[]" or tokens[at + 1 : at + 2] != ["()"]]


def _lists(tokens: list[str]) -> int:
    """How many argument lists follow each other."""
    number = 0
    while number < len(tokens) and tokens[number] == "()":
        number += 1
    return number
