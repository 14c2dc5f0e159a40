"""What a name or a chain means at a place in a JavaScript or TypeScript file.

Names live in two spaces, values and types; the innermost block that declares a name decides. One declaration without
assignments proves a meaning; parameters, loops, destructuring and assignment do not. A name that nothing in the file
declares is a global, so it is external.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from satori.model.definition import SymbolKind
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
from satori.relationships.rules.javascript.modules import Modules
from satori.relationships.rules.javascript.types import Types
from satori.relationships.unit import DECLARATION_ONLY, KINDS, Body, Ref, Unit

_TOKEN = re.compile(r'"[^"]*"|\(\)|\[\]|[^.()\[\]"]+')
_CIRCULAR: Meaning = Unknown("the name is defined by itself")
_RESULT = Unknown("the result of a call")
_TYPES = {KINDS.index(kind) for kind in (SymbolKind.INTERFACE, SymbolKind.TYPE)}
_BOTH = {KINDS.index(kind) for kind in (SymbolKind.CLASS, SymbolKind.ENUM, SymbolKind.NAMESPACE, SymbolKind.MODULE)}
_VALUES = {KINDS.index(kind) for kind in (SymbolKind.CONSTANT, SymbolKind.PROPERTY)}

# A method is found only through its object, a test not at all.
_UNNAMED = {KINDS.index(kind) for kind in (SymbolKind.METHOD, SymbolKind.TEST)}
_NAMESPACE = KINDS.index(SymbolKind.NAMESPACE)


class Named(NamedTuple):
    """A meaning, and how the name got it: the word that rules are named with."""

    meaning: Meaning
    how: str


class Names(Types):
    """Names, chains, attributes and results in one repository."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self.modules = Modules(repository)

    def name(self, unit: Unit, body: Body | None, owner: int, name: str, at: int, *, types: bool) -> Named:
        """What `name`, written at byte `at` in the scope `owner`, means. `body` is None for another file."""
        if name == "this":
            return Named(self._this(unit, body, owner, at), "this")
        scope = owner
        while scope >= 0:
            found = self._scoped(unit, body, scope, name, at, types=types)
            if found is not None:
                return found
            scope = unit.outlines[scope].parent
        found = self._scoped(unit, body, -1, name, at, types=types) or self.module_name(unit, name, types=types)
        return found or Named(External(name), "global")

    def _this(self, unit: Unit, body: Body | None, owner: int, at: int) -> Meaning:
        scope = owner
        places = [*unit.bound.get((owner, "this"), ()), *(body.bound.get((owner, "this"), ()) if body else ())]
        if at >= 0 and any(binding.first <= at < binding.last for binding in places):
            return Unknown("a function without a name has a this of its own")
        while scope >= 0:
            outline = unit.outlines[scope]
            marks = unit.marks_of.get(scope, ())
            if outline.is_type:
                return Instance(Ref(unit.path, scope), exact=False)
            if outline.is_function:
                parent = unit.outlines[outline.parent] if outline.parent >= 0 else None
                if parent is not None and parent.is_type:
                    ref = Ref(unit.path, outline.parent)
                    return Subtype(ref) if "static" in marks else Instance(ref, exact=False)
                if "arrow" not in marks:
                    return self._receiver(unit, scope)
            scope = outline.parent
        return Unknown("this of the file")

    def _receiver(self, unit: Unit, scope: int) -> Meaning:
        """What `this` is in a function that is a member of an object or a prototype."""
        outline = unit.outlines[scope]
        if outline.receiver:
            found = [
                index
                for index in unit.members.get((outline.parent, outline.receiver), ())
                if not unit.outlines[index].receiver
            ]
            if len(found) == 1:
                return Instance(Ref(unit.path, found[0]), exact=False)
        elif any(other.receiver == outline.name and other.parent == outline.parent for other in unit.outlines):
            # What has members on its prototype is called with `new`.
            return Instance(Ref(unit.path, scope), exact=False)
        elif outline.parent >= 0 and unit.outlines[outline.parent].kind is SymbolKind.CONSTANT:
            return Found(Ref(unit.path, outline.parent))
        return Unknown("this of a function")

    def _scoped(self, unit: Unit, body: Body | None, scope: int, name: str, at: int, *, types: bool) -> Named | None:
        """What one scope makes of the name: the innermost block in it, or the whole; None when it does not declare it.
        The file's own declarations are `module_name`'s."""
        place = (scope, name)
        bindings = [*unit.bound.get(place, ()), *(body.bound.get(place, ()) if body is not None else ())]
        if scope >= 0 and unit.outlines[scope].is_type:
            return None
        inner = [binding for binding in bindings if binding.last and binding.first <= at < binding.last]
        if inner and not types:
            size = min(binding.last - binding.first for binding in inner)
            nearest = [binding for binding in inner if binding.last - binding.first == size]
            word = "local" if nearest[0].value.startswith("#") else "variable"
            return Named(self._agreed(unit, body, scope, nearest), word)
        if scope < 0:
            return None
        whole = [] if types else [binding for binding in bindings if not binding.last]
        defined = self._defined(unit, place, types=types)
        imports: Sequence[Import] = unit.imported.get(place, ())
        parameter = None if types else self._parameter(unit, scope, name)
        valued = [binding for binding in whole if binding.value != "None" or binding.type]
        if not (whole or defined or imports or parameter):
            return None
        if parameter is not None:
            return Named(Unknown("a parameter that is assigned"), "parameter") if valued else parameter
        return self._declared(unit, body, scope, name, defined, imports, valued)

    def _defined(self, unit: Unit, place: tuple[int, str], *, types: bool) -> list[int]:
        """Definitions of the name in the wanted space, values that only bindings know left out."""
        found = []
        for index in unit.members.get(place, ()):
            outline = unit.outlines[index]
            number = outline.kind_number
            if outline.receiver or number in _VALUES or number in _UNNAMED:
                continue
            marks = unit.marks_of.get(index, ())
            if "block" in marks or (number == _NAMESPACE and "namespace" not in marks):
                continue
            if number in _BOTH or (number in _TYPES) == types:
                found.append(index)
        return found

    def _declared(
        self,
        unit: Unit,
        body: Body | None,
        scope: int,
        name: str,
        defined: list[int],
        imports: Sequence[Import],
        valued: Sequence[Binding],
    ) -> Named | None:
        refs = tuple(Ref(unit.path, index) for index in defined)
        word = "module" if scope < 0 else "local"
        if (defined and imports) or (valued and (defined or imports)):
            return Named(Unknown("declared and assigned, or declared twice", refs), word)
        if defined:
            proper = [ref for ref in refs if not unit.outlines[ref.at].flags & DECLARATION_ONLY] or list(refs[:1])
            if len(proper) == 1:
                return Named(Found(proper[0]), word)
            return Named(Unknown(f"declared {len(proper)} times", tuple(proper)), word)
        if imports:
            meanings = {self._import(unit, item, types=False) for item in imports}
            return Named(meanings.pop() if len(meanings) == 1 else Unknown("imported from several places"), "imported")
        meaning = self._agreed(unit, body, scope, valued)
        if isinstance(meaning, Unknown) and len(valued) == 1:
            objects = [i for i in unit.members.get((scope, name), ()) if unit.outlines[i].kind_number in _VALUES]
            if len(objects) == 1:
                return Named(Found(Ref(unit.path, objects[0])), word)
        return Named(meaning, "variable")

    def _agreed(self, unit: Unit, body: Body | None, scope: int, bindings: Sequence[Binding]) -> Meaning:
        valued = [binding for binding in bindings if binding.value != "None" or binding.type]
        if not valued:
            return Unknown("the value is null")
        if len(valued) > 4:
            return Unknown("assigned more than four times")
        meanings = {self._bound(unit, body, scope, binding) for binding in valued}
        if len(meanings) == 1:
            return meanings.pop()
        found = tuple(sorted(meaning.ref for meaning in meanings if isinstance(meaning, Found)))
        return Unknown("assigned different things", found)

    def _bound(self, unit: Unit, body: Body | None, scope: int, binding: Binding) -> Meaning:
        def compute() -> Meaning:
            if binding.type:
                return self.instance_of(self.evaluate(unit, body, scope, binding.type, binding.start, types=True))
            if binding.value and binding.value != "None":
                return self.evaluate(unit, body, scope, binding.value, binding.start, types=False)
            return Unknown("assigned something that is no name")

        return self.repository.once(("javascript-bound", unit.path, body is not None, *binding), compute, _CIRCULAR)

    def _parameter(self, unit: Unit, scope: int, name: str) -> Named | None:
        signature = unit.signature_of.get(scope)
        if signature is None or name not in signature.parameters:
            return None
        for text in signature.parameters.split(","):
            bare, _, type_ = text.partition(":")
            if bare.lstrip("*") != name:
                continue
            if type_ and not bare.startswith("*"):
                declared = self.evaluate(unit, None, scope, type_, -1, types=True)
                return Named(self.instance_of(declared), "parameter")
            return Named(Unknown(f"the parameter {name} can be anything"), "parameter")
        return None

    def module_name(self, unit: Unit, name: str, *, types: bool) -> Named | None:
        """What the file itself makes of the name; None when it does not declare it."""

        def compute() -> Named | None:
            place = (-1, name)
            defined = self._defined(unit, place, types=types)
            imports: Sequence[Import] = unit.imported.get(place, ())
            bindings = [] if types else [binding for binding in unit.bound.get(place, ()) if not binding.last]
            valued = [binding for binding in bindings if binding.value != "None" or binding.type]
            if not (defined or imports or bindings):
                return None
            if imports and not (defined or valued):
                meanings = {self._import(unit, item, types=types) for item in imports}
                one = meanings.pop() if len(meanings) == 1 else Unknown("imported from several places")
                return Named(one, "imported")
            return self._declared(unit, None, -1, name, defined, imports, valued)

        return self.repository.once(("javascript-name", unit.path, name, types), compute, Named(_CIRCULAR, ""))

    def _import(self, unit: Unit, item: Import, *, types: bool) -> Meaning:
        source = self.modules.imported(unit, item.module)
        if not item.name or item.name == "*":
            return source
        return self.offered(source, item.name, types=types)

    def offered(self, source: Meaning, name: str, *, types: bool) -> Meaning:
        """What a module offers under the name."""
        if isinstance(source, External):
            return source if name == "export=" else External(f"{source.name}.{name}")
        if not isinstance(source, Module):
            return source
        found = self._exported(source.path, name, types=types)
        if found is not None:
            return found
        if name in ("export=", "default"):
            # A CommonJS module without a value of its own is the object of its exports.
            return source
        return Unknown(f"{source.path} does not export {name}")

    def _exported(self, path: str, name: str, *, types: bool) -> Meaning | None:
        def compute() -> Meaning | None:
            unit = self.repository.unit(path)
            if unit is None:
                return Unknown(f"{path} is not read")
            meanings = {
                self.exported_by(unit, item.local, item.module, types=types) for item in unit.exported.get(name, ())
            }
            if meanings:
                known = {meaning for meaning in meanings if not isinstance(meaning, Unknown)} or meanings
                return known.pop() if len(known) == 1 else Unknown(f"{name} is exported more than once")
            whole = unit.exported.get("export=", ())
            if len(whole) == 1 and name != "export=":
                meaning = self.exported_by(unit, whole[0].local, "", types=types)
                return meaning if name == "default" else self.attribute(meaning, name)
            if name in ("default", "export="):
                return None
            return self._starred(unit, name, types=types)

        return self.repository.once(("javascript-export", path, name, types), compute, _CIRCULAR)

    def exported_by(self, unit: Unit, local: str, module: str, *, types: bool) -> Meaning:
        """What an export statement offers."""
        if module:
            source = self.modules.imported(unit, module)
            return source if not local else self.offered(source, local, types=types)
        if local.startswith("#"):
            return Found(Ref(unit.path, int(local[1:])))
        return self.evaluate(unit, None, -1, local, -1, types=types) if local else Unknown("a value without a name")

    def _starred(self, unit: Unit, name: str, *, types: bool) -> Meaning | None:
        found: set[Meaning] = set()
        outside = ""
        for item in unit.exported.get("*", ()):
            source = self.modules.imported(unit, item.module) if item.module else Unknown("spread")
            if isinstance(source, Module):
                meaning = self._exported(source.path, name, types=types)
                if meaning is not None and not isinstance(meaning, Unknown):
                    found.add(meaning)
                elif isinstance(meaning, Unknown):
                    outside = outside or meaning.why
            else:
                outside = outside or f"may come from all that {item.module or 'a spread object'} exports"
        if len(found) == 1:
            return found.pop()
        if found:
            return Unknown("offered by several modules")
        return Unknown(outside) if outside else None

    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int, *, types: bool) -> Meaning:
        """What a chain, written at byte `at` in the scope `owner`, means."""
        return self.trace(unit, body, owner, chain, at, types=types).meaning

    def trace(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int, *, types: bool = False) -> Named:
        """The same, with how the chain's first name got its meaning."""
        tokens = _TOKEN.findall(chain)
        if not tokens:
            return Named(Unknown("an expression that is no name"), "")
        first = tokens[0]
        if first.startswith('"'):
            named = Named(External(first[1:-1]), "literal")
        elif first.startswith("#") and first[1:].isdigit():
            named = Named(Found(Ref(unit.path, int(first[1:]))), "local")
        elif first == "super":
            named = Named(self._super(unit, owner), "super")
        else:
            # A namespace is found among the values, whatever it is asked for.
            named = self.name(unit, body, owner, first, at, types=types and len(tokens) == 1)
        meaning = named.meaning
        for number, step in enumerate(tokens[1:], start=2):
            if step == "()":
                meaning = self.result(meaning)
            elif step == "[]":
                meaning = External(meaning.name + "[]") if isinstance(meaning, External) else Unknown("an item")
            elif types and number == len(tokens) and isinstance(meaning, Module):
                meaning = self.offered(meaning, step, types=True)
            else:
                meaning = self.attribute(meaning, step)
        return Named(meaning, named.how)

    def _super(self, unit: Unit, owner: int) -> Meaning:
        scope = owner
        while scope >= 0:
            if unit.outlines[scope].is_type:
                return Parent(Ref(unit.path, scope))
            scope = unit.outlines[scope].parent
        return Unknown("super outside of a class")

    def attribute(self, meaning: Meaning, name: str) -> Meaning:
        """What `.name` of a meaning means."""
        if isinstance(meaning, Module):
            return self.offered(meaning, name, types=False)
        if isinstance(meaning, External):
            return External(f"{meaning.name}.{name}")
        if isinstance(meaning, Found):
            if name in ("call", "apply", "bind") and not self.is_type(meaning):
                return External(f"Function.{name}")
            if name == "prototype":
                return Instance(meaning.ref, exact=True)
            return self.inherited(meaning.ref, name)
        if isinstance(meaning, Instance):
            return self.inherited(meaning.ref, name) if meaning.exact else self.virtual(meaning.ref, name)
        if isinstance(meaning, Subtype):
            return self.virtual(meaning.ref, name)
        if isinstance(meaning, Parent):
            return self.search(self.order(meaning.ref)[1:], name)[0]
        if isinstance(meaning, Overridden):
            return Unknown("an attribute of something that may be replaced")
        return meaning

    def result(self, meaning: Meaning) -> Meaning:
        """What calling a meaning, with or without `new`, gives."""
        if isinstance(meaning, External):
            return External(f"{meaning.name}()")
        if isinstance(meaning, Subtype):
            return Instance(meaning.ref, exact=False)
        if isinstance(meaning, Unknown):
            return meaning
        if not isinstance(meaning, Found):
            return _RESULT
        unit = self.repository.unit(meaning.ref.path)
        if unit is None or meaning.ref.at < 0:
            return _RESULT
        if self.is_type(meaning):
            marks = unit.marks_of.get(meaning.ref.at, ())
            return (
                Unknown("the class is decorated")
                if any(mark.startswith("@") for mark in marks)
                else Instance(meaning.ref, exact=True)
            )
        return self.returned(unit, meaning.ref.at)

    def returned(self, unit: Unit, at: int) -> Meaning:
        """What the function declares to return, or always does."""

        def compute() -> Meaning:
            signature = unit.signature_of.get(at)
            if signature is None:
                return _RESULT
            if signature.returns:
                return self.instance_of(self.evaluate(unit, None, at, signature.returns, -1, types=True))
            chains = [chain for chain in signature.results.split(",") if chain != "None"]
            if not chains or "?" in chains or "" in chains:
                return _RESULT
            meanings = {self.evaluate(unit, None, at, chain, -1, types=False) for chain in chains}
            if len(meanings) == 1:
                (meaning,) = meanings
                if isinstance(meaning, Instance | External):
                    return meaning
            return _RESULT

        return self.repository.once(("javascript-returned", unit.path, at), compute, _CIRCULAR)

    def instance_of(self, declared: Meaning) -> Meaning:
        """A value that is declared to be of the type."""
        if isinstance(declared, Found):
            if self.is_type(declared):
                return Instance(declared.ref, exact=False)
            return Unknown("declared to be of something that is no class or interface")
        if isinstance(declared, External):
            return External(f"{declared.name}()")
        return declared if isinstance(declared, Unknown) else Unknown("declared to be of something that is no type")
