"""What a name, a variable or a chain means at a place in a PHP file.

Classes are looked up through `use` and the namespace; functions fall back from the namespace to the global one. A
variable means what was last assigned to it in a straight line, or what all its bindings agree on.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, Import, ImportFlag
from satori.relationships.meaning import External, Found, Instance, Meaning, Overridden, Subtype, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.php.autoload import Autoload
from satori.relationships.rules.php.classes import Classes, merged
from satori.relationships.rules.php.standard import BACKPORTED
from satori.relationships.unit import KINDS, Body, Ref, Unit

_TOKEN = re.compile(r'"[^"]*"|\(\)|\[\]|[^.()\[\]"]+')
_CIRCULAR: Meaning = Unknown("the name is defined by itself")
_RESULT: Meaning = Unknown("the result of a call")
_NO_CLASS: Meaning = Unknown("outside of a named class")
_NAMESPACE = KINDS.index(SymbolKind.NAMESPACE)
_FUNCTION = int(ImportFlag.STATIC)
_TEST_DIRECTORIES = {"test", "tests"}
_FILE_END = 2**31 - 1
FORWARDING = {"self", "parent", "static"}


class Named(NamedTuple):
    """A meaning, and how the chain began: the word that rules are named with."""

    meaning: Meaning
    how: str


class Names(Classes):
    """Names, variables, chains and results in one repository."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.autoload = Autoload(repository)

    def namespace(self, unit: Unit, at: int) -> str | None:
        """The namespace around a definition (-1: the file) in lower case; None when it is not known."""
        parts: list[str] = []
        top = at
        scope = at
        while scope >= 0:
            outline = unit.outlines[scope]
            if outline.kind_number == _NAMESPACE:
                parts.append(outline.name.lower())
            top, scope = scope, outline.parent
        if parts:
            return "\\".join(reversed(parts))
        if "namespaces" in unit.marks_of.get(-1, ()):
            if at < 0:
                return None
            for mark in unit.marks_of.get(top, ()):
                if mark.startswith("namespace "):
                    return mark[10:]
        return unit.package

    def _defined(self, name: str, *, types: bool) -> tuple[Ref, ...]:
        """The definitions that have this full name."""
        space, _, last = name.rpartition("\\")
        space = space.lower()
        lower = last.lower()

        def fits(ref: Ref, unit: Unit) -> bool:
            outline = unit.outlines[ref.at]
            if not (outline.is_type if types else outline.kind is SymbolKind.FUNCTION):
                return False
            around = outline.parent >= 0 and unit.outlines[outline.parent].kind_number != _NAMESPACE
            if unit.language != "php" or around or outline.name.lower() != lower:
                return False
            return self.namespace(unit, ref.at) == space and "variable" not in unit.marks_of.get(ref.at, ())

        found = []
        for ref in self.repository.named(last):
            unit = self.repository.unit(ref.path)
            if unit is not None and fits(ref, unit):
                found.append(ref)
        if not found and space and (types or lower != last):
            # The same name in another case.
            for path in self.repository.package("php", space):
                unit = self.repository.unit(path)
                for at in range(len(unit.outlines)) if unit is not None else ():
                    if unit is not None and unit.outlines[at].name.lower() == lower and fits(Ref(path, at), unit):
                        found.append(Ref(path, at))
        return tuple(found)

    def find_class(self, name: str) -> Meaning:
        """The class of this full name."""

        def compute() -> Meaning:
            found = self._defined(name, types=True)
            if not found:
                return External(name)
            if name.lower() in BACKPORTED:
                return Unknown("a class that PHP has itself", found)
            if len(found) > 1:
                loaded = tuple(ref for ref in found if self.autoload.serves(ref.path, name))
                found = loaded if len(loaded) == 1 else found
            return self._only(found)

        return self.repository.once(("php-class", name), compute, _CIRCULAR)

    def find_function(self, name: str) -> Meaning | None:
        """The function of this full name; None when the repository has none."""

        def compute() -> Meaning | None:
            found = self._defined(name, types=False)
            return self._only(found) if found else None

        return self.repository.once(("php-function", name), compute, _CIRCULAR)

    def _only(self, found: tuple[Ref, ...]) -> Meaning:
        if len(found) > 1:
            return Unknown(f"defined {len(found)} times", found)
        if self.is_marked(found[0], "conditional"):
            return Unknown("defined under a condition", found)
        return Found(found[0])

    def full_name(self, unit: Unit, owner: int, text: str) -> str | None:
        """The full name of a class, written as `text` there; None when it is not known."""
        if text.startswith("\\"):
            return text[1:]
        space = self.namespace(unit, owner)
        first, _, rest = text.partition("\\")
        if first.lower() == "namespace":
            return None if space is None else f"{space}\\{rest}".lstrip("\\")
        used = self._used(unit, owner, first, function=False)
        if used is not None:
            return f"{used}\\{rest}" if used and rest else used or None
        return None if space is None else f"{space}\\{text}".lstrip("\\")

    def _used(self, unit: Unit, owner: int, alias: str, *, function: bool) -> str | None:
        """The full name that a `use` gives the alias; None for none, "" for several."""
        imports = self._imports(unit, owner, alias.lower(), function=function)
        names = {f"{item.module}\\{item.name}".lstrip("\\") for item in imports}
        if not names:
            return None
        return names.pop() if len(names) == 1 else ""

    def _imports(self, unit: Unit, owner: int, alias: str, *, function: bool) -> list[Import]:
        def compute() -> dict[tuple[int, bool, str], list[Import]]:
            found: dict[tuple[int, bool, str], list[Import]] = {}
            for item in unit.imports:
                if item.alias:
                    place = (item.scope, bool(item.flags & _FUNCTION), item.alias.lower())
                    found.setdefault(place, []).append(item)
            return found

        known = self.repository.once(("php-uses", unit.path), compute, {})
        scope = owner
        while scope >= 0:
            if unit.outlines[scope].kind_number == _NAMESPACE:
                return known.get((scope, function, alias), [])
            scope = unit.outlines[scope].parent
        return known.get((-1, function, alias), [])

    def class_named(self, unit: Unit, owner: int, text: str) -> Meaning:
        """The class that a name means there."""
        if text in FORWARDING:
            around = self.class_around(unit, owner)
            if around is None:
                return _NO_CLASS
            if text == "parent":
                base = self.parent(around)
                return Found(base) if isinstance(base, Ref) else base
            if text == "static" or self.kind(around) is SymbolKind.TRAIT:
                return Subtype(around)
            return Found(around)
        full = self.full_name(unit, owner, text)
        return self.find_class(full) if full is not None else Unknown("the namespace is not known")

    def class_around(self, unit: Unit, owner: int) -> Ref | None:
        """The named class whose method or body this is."""
        if owner < 0:
            return None
        if unit.outlines[owner].is_type:
            return Ref(unit.path, owner)
        parent = unit.outlines[owner].parent
        return Ref(unit.path, parent) if parent >= 0 and unit.outlines[parent].is_type else None

    def function(self, unit: Unit, owner: int, text: str) -> Named:
        """The function that is called as `text`."""
        space = self.namespace(unit, owner)
        if "\\" in text:
            full = self.full_name(unit, owner, text)
            if full is None:
                return Named(Unknown("the namespace is not known"), "")
            found = self.find_function(full)
            return Named(found or External(full), "qualified")
        used = self._used(unit, owner, text, function=True)
        if used is not None:
            return Named(self.find_function(used) or External(used or text), "imported")
        if space is None:
            return Named(Unknown("the namespace is not known"), "")
        if space:
            found = self.find_function(f"{space}\\{text}")
            if found is not None:
                return Named(self._loaded(unit, found), "namespace")
        return Named(self._loaded(unit, self.find_function(text) or External(text)), "global")

    def _loaded(self, unit: Unit, found: Meaning) -> Meaning:
        """The function, unless only tests define it and the caller is none: they stand in for the language's own."""
        if isinstance(found, Found) and is_test_path(found.ref.path) and not is_test_path(unit.path):
            return Unknown("only tests define it", (found.ref,))
        return found

    def instance_of(self, unit: Unit, owner: int, text: str) -> Meaning:
        """A value that is declared there to be of a type."""
        if text.startswith('"'):
            return External(text.strip('"'))
        meaning = self.class_named(unit, owner, text)
        if isinstance(meaning, Found | Subtype):
            return Instance(meaning.ref, exact=False)
        return meaning

    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Meaning:
        """What a chain, written at byte `at` in the scope `owner`, means."""
        return self.trace(unit, body, owner, chain, at).meaning

    def trace(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Named:
        """The same, with how the chain began."""
        tokens = _TOKEN.findall(chain)
        if not tokens:
            return Named(Unknown("an expression that is no name"), "")
        first = tokens[0]
        rest = tokens[1:]
        meaning: Meaning
        if first.startswith('"'):
            how, meaning = "literal", External(first.strip('"'))
        elif first.startswith("new "):
            how, meaning = "constructed", self.made(self.class_named(unit, owner, first[4:]))
        elif first == "$this":
            how, meaning = "this", self._this(unit, body, owner, at)
        elif first.startswith("$"):
            how, meaning = "variable", self.variable(unit, body, owner, first, at)
        elif rest[:1] == ["()"]:
            called = self.function(unit, owner, first).meaning
            how, meaning = "function", self.returned(called, called)
            rest = rest[1:]
        else:
            how = first if first in FORWARDING else "static"
            meaning = self.class_named(unit, owner, first)
        inside = self.class_around(unit, owner)
        forwards = how in FORWARDING
        for position, step in enumerate(rest):
            if step == "()":
                continue
            if step == "[]":
                meaning = External(f"{meaning.name}[]") if isinstance(meaning, External) else Unknown("an item")
            elif rest[position + 1 : position + 2] == ["()"]:
                receiver: Meaning = Instance(inside, exact=False) if forwards and inside is not None else meaning
                meaning = self.returned(self.method(meaning, step, inside), receiver)
            else:
                meaning = self._attribute(meaning, step)
            forwards = False
        return Named(meaning, how)

    def made(self, meaning: Meaning) -> Meaning:
        """What `new` gives for a class."""
        if isinstance(meaning, Found):
            return Instance(meaning.ref, exact=True)
        return Instance(meaning.ref, exact=False) if isinstance(meaning, Subtype) else meaning

    def _this(self, unit: Unit, body: Body | None, owner: int, at: int) -> Meaning:
        bound = body.bound.get((owner, "$this"), ()) if body is not None else ()
        if any(binding.first <= at < binding.last for binding in bound):
            return Unknown("a closure that is bound to another object")
        around = self.class_around(unit, owner)
        return _NO_CLASS if around is None else Instance(around, exact=self.is_sealed(around))

    def variable(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Meaning:
        """What a variable holds."""
        bindings = [*unit.bound.get((owner, name), ()), *(body.bound.get((owner, name), ()) if body else ())]
        end = unit.outlines[owner].end if owner >= 0 else _FILE_END
        inner = [b for b in bindings if b.last and b.last != end and b.first <= at < b.last]
        if inner:
            size = min(binding.last - binding.first for binding in inner)
            bindings = [binding for binding in inner if binding.last - binding.first == size]
            return self._agreed(unit, body, owner, bindings, None)
        straight = [binding for binding in bindings if binding.last == end and binding.first <= at]
        chosen = straight[-1:]
        after = chosen[0].start if chosen else -1
        # What is assigned under a condition is seen after it, and in the whole of a loop around it.
        loose = [binding for binding in bindings if not binding.last and binding.first < at and binding.start > after]
        parameter = None if chosen else self._parameter(unit, owner, name)
        return self._agreed(unit, body, owner, chosen + loose, parameter)

    def _agreed(
        self, unit: Unit, body: Body | None, owner: int, bindings: list[Binding], parameter: Meaning | None
    ) -> Meaning:
        valued = [binding for binding in bindings if binding.value != "None" or binding.type]
        if not valued and parameter is not None:
            return parameter
        if len(valued) > 4:
            return Unknown("bound more than four times")
        meanings = {self._bound(unit, body, owner, binding) for binding in valued}
        if parameter is not None:
            meanings.add(parameter)
        return merged(meanings) if meanings else Unknown("the name is bound nowhere that can be seen")

    def _bound(self, unit: Unit, body: Body | None, owner: int, binding: Binding) -> Meaning:
        def compute() -> Meaning:
            if binding.value and binding.value != "None":
                return self.evaluate(unit, body, owner, binding.value, binding.start)
            if binding.type:
                return self.instance_of(unit, owner, binding.type)
            return Unknown("assigned something that is no name")

        return self.repository.once(("php-bound", unit.path, body is not None, *binding), compute, _CIRCULAR)

    def _parameter(self, unit: Unit, owner: int, name: str) -> Meaning | None:
        """What a parameter of the function holds; None when it has none of this name."""
        signature = unit.signature_of.get(owner)
        if signature is None or name not in signature.parameters:
            return None
        for text in signature.parameters.split(","):
            bare, _, type_ = text.partition(":")
            if bare.lstrip("*") == name:
                if type_ and not bare.startswith("*"):
                    return self.instance_of(unit, owner, type_)
                return Unknown(f"the parameter {name} can be anything")
        return None

    def method(self, receiver: Meaning, name: str, inside: Ref | None) -> Meaning:
        """The method that is called on a receiver, in the class `inside`."""
        if isinstance(receiver, External):
            return External(f"{receiver.name}::{name}")
        if isinstance(receiver, Found):
            if self.kind(receiver.ref) is SymbolKind.TRAIT:
                return self.virtual(receiver.ref, name, inside)
            return self.inherited(receiver.ref, name)
        if isinstance(receiver, Instance):
            if receiver.exact:
                return self.inherited(receiver.ref, name)
            return self.virtual(receiver.ref, name, inside)
        if isinstance(receiver, Subtype):
            return self.virtual(receiver.ref, name, inside)
        return receiver if isinstance(receiver, Unknown) else Unknown("a value of several types")

    def _attribute(self, meaning: Meaning, name: str) -> Meaning:
        """What a property or class constant holds."""
        if isinstance(meaning, External):
            return External(f"{meaning.name}::{name}")
        if isinstance(meaning, Instance):
            return self.field(meaning.ref, name if name.startswith("$") else f"${name}")
        if isinstance(meaning, Found | Subtype):
            return self.field(meaning.ref, name)
        return meaning if isinstance(meaning, Unknown) else Unknown("a value of several types")

    def returned(self, called: Meaning, receiver: Meaning) -> Meaning:
        """What a function or method gives, called on the receiver."""
        if isinstance(called, External):
            return External(f"{called.name}()")
        if not isinstance(called, Found | Overridden):
            return called if isinstance(called, Unknown) else _RESULT
        target = called.ref if isinstance(called, Found) else called.target

        def compute() -> Meaning:
            unit = self.repository.unit(target.path)
            signature = unit.signature_of.get(target.at) if unit is not None else None
            if unit is None or signature is None:
                return _RESULT
            if signature.returns:
                # Whatever replaces a method must keep its declared result.
                if signature.returns == "static":
                    return _self(receiver)
                return self.instance_of(unit, target.at, signature.returns)
            if isinstance(called, Overridden) or not signature.results:
                return _RESULT
            meanings: set[Meaning] = set()
            for chain in signature.results.split(","):
                if chain == "$this":
                    meanings.add(_self(receiver))
                elif chain != "None":
                    known = chain not in ("", "?")
                    meanings.add(self.evaluate(unit, None, target.at, chain, -1) if known else _RESULT)
            return merged(meanings) if meanings else _RESULT

        return self.repository.once(("php-returned", called, receiver), compute, _CIRCULAR)


def is_test_path(path: str) -> bool:
    """PHPUnit's files, and everything in a directory of tests."""
    *directories, name = path.split("/")
    if name.endswith(("Test.php", "TestCase.php")):
        return True
    return any(directory.lower() in _TEST_DIRECTORIES for directory in directories)


def _self(receiver: Meaning) -> Meaning:
    """The receiver as a value."""
    if isinstance(receiver, Found):
        return Instance(receiver.ref, exact=True)
    return Instance(receiver.ref, exact=False) if isinstance(receiver, Subtype) else receiver
