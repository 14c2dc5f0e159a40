"""What a name or a chain means at a place in a Python file.

Scopes are the interpreter's: functions around the place, then the module, then builtins; a class body is seen only from
itself. One binding proves a meaning, several do only when they agree; parameters, loops and unpacking prove nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from satori.model.reference import Binding, Import
from satori.relationships.meaning import (
    External,
    Found,
    Instance,
    Meaning,
    Module,
    Overridden,
    Parent,
    Subtype,
    Unknown,
)
from satori.relationships.repository import Repository
from satori.relationships.rules.python.classes import Classes
from satori.relationships.rules.python.modules import Modules
from satori.relationships.rules.python.standard import BUILTINS
from satori.relationships.unit import DECLARATION_ONLY, Body, Ref, Unit

_TOKEN = re.compile(r'"[^"]*"|\(\)|\[\]|[^.()\[\]"]+')
_MISSING = Unknown("the name is bound nowhere that can be seen")
_RESULT = Unknown("the result of a call")
_CIRCULAR: Meaning = Unknown("the name is defined by itself")
_IMPLICIT_CLASSMETHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


class Named(NamedTuple):
    """A meaning, and how the name got it: the word that rules are named with."""

    meaning: Meaning
    how: str


class Names(Classes):
    """Names, chains, attributes and results in one repository."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.modules = Modules(repository)

    def name(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Named:
        """What `name`, written at byte `at` in the scope `owner`, means. `body` is None for another file."""
        scope = owner
        own = True
        while scope >= 0:
            outline = unit.outlines[scope]
            if outline.is_function:
                found = self._local(unit, body, scope, name, at)
                if found is not None:
                    return found
            elif own and outline.is_type:
                if any(b.last and b.first <= at < b.last for b in unit.bound.get((scope, name), ())):
                    return Named(Unknown("a variable of a comprehension or lambda"), "local")
                inside = self.class_member(Ref(unit.path, scope), name)
                if inside is not None:
                    return Named(inside, "class")
            own = False
            scope = outline.parent
        for binding in unit.bound.get((-1, name), ()):
            if binding.last and binding.first <= at < binding.last:
                return Named(Unknown("a variable of a comprehension or lambda"), "local")
        found = self.module_name(unit, name)
        if found is not None:
            return found
        if name in BUILTINS:
            return Named(External(f"builtins.{name}"), "builtin")
        return Named(_MISSING, "")

    def _local(self, unit: Unit, body: Body | None, scope: int, name: str, at: int) -> Named | None:
        """What the function `scope` makes of the name; None when it does not bind it."""
        place = (scope, name)
        bindings: Sequence[Binding] = body.bound.get(place, ()) if body is not None else ()
        seen: list[Binding] = []
        for binding in bindings:
            if not binding.last:
                seen.append(binding)
            elif binding.first <= at < binding.last:
                return Named(Unknown("a variable of a comprehension or lambda"), "local")
        parameter = self._parameter(unit, scope, name)
        nested = unit.members.get(place, ())
        imports: Sequence[Import] = unit.imported.get(place, ())
        count = len(nested) + len(imports) + (parameter is not None)
        valued = [binding for binding in seen if binding.value != "None" or binding.type]
        if not count and not seen:
            return None
        if count == 1 and not valued:
            if parameter is not None:
                return parameter
            if nested:
                return Named(Found(Ref(unit.path, nested[0])), "local")
            return Named(self._import(unit, imports[0]), "imported")
        if count and not valued:
            refs = tuple(Ref(unit.path, index) for index in nested)
            return Named(Unknown("bound more than once in this function", refs), "local")
        if count:
            refs = tuple(Ref(unit.path, index) for index in nested)
            return Named(Unknown("rebound in this function", refs), "local")
        return Named(self._agreed(unit, body, scope, valued), "variable")

    def _agreed(self, unit: Unit, body: Body | None, scope: int, bindings: Sequence[Binding]) -> Meaning:
        """What all the bindings mean, when they mean one thing."""
        if not bindings:
            return Unknown("the value is None")
        if len(bindings) > 4:
            return Unknown("bound more than four times")
        meanings = {self._bound(unit, body, scope, binding) for binding in bindings}
        if len(meanings) == 1:
            return meanings.pop()
        refs = tuple(sorted(meaning.ref for meaning in meanings if isinstance(meaning, Found)))
        return Unknown("bound to different things", refs)

    def _bound(self, unit: Unit, body: Body | None, scope: int, binding: Binding) -> Meaning:
        """What one binding gives its name."""

        def compute() -> Meaning:
            meaning: Meaning = Unknown("assigned something that is no name")
            if binding.value and binding.value != "None":
                meaning = self.evaluate(unit, body, scope, binding.value, binding.start)
            if binding.type and not isinstance(meaning, Instance):
                declared = self.evaluate(unit, body, scope, binding.type, binding.start)
                meaning = self.instance_of(declared)
            return meaning

        key = ("python-bound", unit.path, body is not None, *binding)
        return self.repository.once(key, compute, _CIRCULAR)

    def _parameter(self, unit: Unit, scope: int, name: str) -> Named | None:
        """What a parameter of the function means; None when it has none of this name."""
        signature = unit.signature_of.get(scope)
        if signature is None or name not in signature.parameters:
            return None
        for position, text in enumerate(signature.parameters.split(",")):
            bare, _, type_ = text.partition(":")
            if bare.lstrip("*") != name:
                continue
            if position == 0 and bare == name:
                first = self._first_parameter(unit, scope)
                if first is not None:
                    return Named(first, "self")
            if type_ and not bare.startswith("*"):
                around = unit.outlines[scope].parent
                declared = self.evaluate(unit, None, around, type_, -1)
                return Named(self.instance_of(declared), "parameter")
            return Named(Unknown(f"the parameter {name} can be anything"), "parameter")
        return None

    def _first_parameter(self, unit: Unit, scope: int) -> Meaning | None:
        outline = unit.outlines[scope]
        if outline.parent < 0 or not unit.outlines[outline.parent].is_type:
            return None
        owner = Ref(unit.path, outline.parent)
        marks = unit.marks_of.get(scope, ())
        if "staticmethod" in marks and outline.name not in _IMPLICIT_CLASSMETHODS:
            return None
        if "classmethod" in marks or outline.name in _IMPLICIT_CLASSMETHODS:
            return Subtype(owner)
        if self.is_metaclass(owner):
            return Unknown("self is a class here")
        return Instance(owner, exact=False)

    def module_name(self, unit: Unit, name: str) -> Named | None:
        """What the module itself makes of the name; None when it does not bind it."""

        def compute() -> Named | None:
            place = (-1, name)
            defined = [index for index in unit.members.get(place, ()) if _is_code(unit, index)]
            imports = unit.imported.get(place, ())
            bindings = [binding for binding in unit.bound.get(place, ()) if not binding.last]
            valued = [binding for binding in bindings if binding.value != "None" or binding.type]
            if not (defined or imports or bindings):
                return self._starred(unit, name)
            refs = tuple(Ref(unit.path, index) for index in defined)
            if valued and (defined or imports):
                return Named(Unknown("rebound in its module", refs), "module")
            if defined and imports:
                return Named(Unknown("defined and imported under one name", refs), "module")
            if defined:
                proper = [ref for ref in refs if not unit.outlines[ref.at].flags & DECLARATION_ONLY] or list(refs)
                if len(proper) == 1:
                    return Named(Found(proper[0]), "module")
                return Named(Unknown(f"defined {len(proper)} times in its module", tuple(proper)), "module")
            if imports:
                meanings = {self._import(unit, item) for item in imports}
                if len(meanings) == 1:
                    return Named(meanings.pop(), "imported")
                found = tuple(sorted(meaning.ref for meaning in meanings if isinstance(meaning, Found)))
                return Named(Unknown("imported from several places", found), "imported")
            return Named(self._agreed(unit, None, -1, valued), "variable")

        return self.repository.once(("python-name", unit.path, name), compute, Named(_CIRCULAR, ""))

    def _starred(self, unit: Unit, name: str) -> Named | None:
        """What the module's star imports offer under the name: the last one that has it, if none after it could."""
        for item in reversed(unit.starred):
            if item.scope != -1:
                continue
            source = self.modules.imported(unit, item.module)
            if not isinstance(source, Module):
                if name in BUILTINS:
                    continue
                return Named(Unknown(f"may come from everything that {item.module} offers"), "star")
            offered = self._offered(source.path, name)
            if offered is not None:
                return Named(offered, "star")
        return None

    def _offered(self, path: str, name: str) -> Meaning | None:
        """What `from path import *` gives under the name."""
        other = self.repository.unit(path)
        if other is None:
            return None
        if other.exports:
            if name not in other.exported:
                return None
        elif name.startswith("_"):
            return None
        member = self.module_name(other, name)
        return member.meaning if member is not None else None

    def _import(self, unit: Unit, item: Import) -> Meaning:
        """What an import statement gives its name."""
        source = self.modules.imported(unit, item.module)
        if not item.name or item.name == "*":
            return source
        return self.member_of(source, item.name)

    def member_of(self, source: Meaning, name: str) -> Meaning:
        """What a module offers under the name."""
        if isinstance(source, External):
            return External(f"{source.name}.{name}")
        if not isinstance(source, Module):
            return source
        inside = self.repository.unit(source.path) if source.path.endswith(".py") else None
        if inside is not None:
            found = self.module_name(inside, name)
            if found is not None:
                return found.meaning
        below = self.modules.submodule(source.path, name)
        if below is not None:
            return below
        if inside is not None and (-1, "__getattr__") in inside.members:
            return Unknown("the module answers for unknown names itself")
        return Unknown(f"{source.path or 'the root'} has no {name}")

    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Meaning:
        """What a chain, written at byte `at` in the scope `owner`, means."""
        return self.trace(unit, body, owner, chain, at).meaning

    def trace(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Named:
        """The same, with how the chain's first name got its meaning."""
        tokens = _TOKEN.findall(chain)
        if not tokens:
            return Named(Unknown("an expression that is no name"), "")
        first = tokens[0]
        if first.startswith('"'):
            how = "literal"
            meaning: Meaning = External(f"builtins.{first[1:-1]}") if len(tokens) > 1 else External(first[1:-1])
        elif first == "super" and tokens[1:2] == ["()"]:
            meaning, how = self._super(unit, owner), "super"
            tokens = tokens[1:]
        else:
            found = self.name(unit, body, owner, first, at)
            meaning, how = found.meaning, found.how
        for step in tokens[1:]:
            if step == "()":
                meaning = self.result(meaning)
            elif step == "[]":
                meaning = External(meaning.name + "[]") if isinstance(meaning, External) else Unknown("an item")
            else:
                meaning = self.attribute(meaning, step)
        return Named(meaning, how)

    def _super(self, unit: Unit, owner: int) -> Meaning:
        scope = owner
        while scope >= 0:
            parent = unit.outlines[scope].parent
            if unit.outlines[scope].is_function and parent >= 0 and unit.outlines[parent].is_type:
                return Parent(Ref(unit.path, parent))
            scope = parent
        return Unknown("super() outside of a class")

    def attribute(self, meaning: Meaning, name: str) -> Meaning:
        """What `.name` of a meaning means."""
        if isinstance(meaning, Module):
            return self.member_of(meaning, name)
        if isinstance(meaning, External):
            return External(f"{meaning.name}.{name}")
        if isinstance(meaning, Found):
            unit = self.repository.unit(meaning.ref.path)
            if unit is None or not unit.outlines[meaning.ref.at].is_type:
                return Unknown("an attribute of a function")
            return self.inherited(meaning.ref, name)
        if isinstance(meaning, Instance):
            if name == "__class__":
                return Found(meaning.ref) if meaning.exact else Subtype(meaning.ref)
            return self.inherited(meaning.ref, name) if meaning.exact else self.virtual(meaning.ref, name)
        if isinstance(meaning, Subtype):
            return self.virtual(meaning.ref, name)
        if isinstance(meaning, Parent):
            return self.after(meaning.ref, name)
        if isinstance(meaning, Overridden):
            return Unknown("an attribute of something that may be replaced")
        return meaning

    def result(self, meaning: Meaning) -> Meaning:
        """What calling a meaning gives."""
        if isinstance(meaning, External):
            return External(f"{meaning.name}()")
        if isinstance(meaning, Found):
            unit = self.repository.unit(meaning.ref.path)
            if unit is None:
                return Unknown("the result of a call")
            if unit.outlines[meaning.ref.at].is_type:
                return self.constructed(meaning.ref)
            return self.returned(unit, meaning.ref.at)
        if isinstance(meaning, Subtype):
            return Instance(meaning.ref, exact=False)
        if isinstance(meaning, Overridden):
            return Unknown("the result of a call that may be replaced")
        if isinstance(meaning, Unknown):
            return meaning
        return Unknown("the result of a call")

    def returned(self, unit: Unit, at: int) -> Meaning:
        """An instance of what the function declares to return."""

        def compute() -> Meaning:
            signature = unit.signature_of.get(at)
            if signature is None or self.replaces(unit, at) is not None:
                return Unknown("the result of a call")
            declared = signature.returns
            if declared and declared.rpartition(".")[2] != "Self":
                return self.instance_of(self.evaluate(unit, None, unit.outlines[at].parent, declared, -1))
            meanings: set[Meaning] = set()
            for chain in signature.results.split(","):
                if chain != "None":
                    meanings.add(self.evaluate(unit, None, at, chain, -1) if chain not in ("", "?") else _RESULT)
            if len(meanings) != 1:
                return _RESULT
            (meaning,) = meanings
            # A result is followed only where it is a value: what is returned may be called under another name later.
            return meaning if isinstance(meaning, Instance | External) else _RESULT

        return self.repository.once(("python-returned", unit.path, at), compute, _CIRCULAR)

    def instance_of(self, declared: Meaning) -> Meaning:
        """A value that is declared to be of the type."""
        if isinstance(declared, Found):
            unit = self.repository.unit(declared.ref.path)
            if unit is not None and unit.outlines[declared.ref.at].is_type:
                return Instance(declared.ref, exact=False)
            return Unknown("declared to be of something that is no class")
        if isinstance(declared, External):
            if declared.name.rpartition(".")[2] in ("Any", "object"):
                return Unknown("declared to be anything")
            return External(f"{declared.name}()")
        return declared if isinstance(declared, Unknown) else Unknown("declared to be of something that is no class")


def _is_code(unit: Unit, index: int) -> bool:
    outline = unit.outlines[index]
    return outline.is_function or outline.is_type
