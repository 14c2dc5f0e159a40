"""Classes of C++: their bases, their members, and which members something may replace.

A member is found in the class, else in its bases; two bases that offer different ones prove nothing, nor does a base
outside the repository that may offer one. Specializations make a class one of several, which prove nothing either.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, Import, ImportFlag
from satori.relationships.meaning import External, Found, Instance, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.cpp.overloads import Overload, overloads
from satori.relationships.rules.cpp.spaces import Spaces, Used
from satori.relationships.rules.cpp.values import CIRCULAR, Functions, Value
from satori.relationships.unit import DECLARATION_ONLY, EXPORTED, KINDS, Body, Ref, Unit

_PROPERTY = KINDS.index(SymbolKind.PROPERTY)
_CONSTANT = KINDS.index(SymbolKind.CONSTANT)
_TYPE = KINDS.index(SymbolKind.TYPE)
_TYPE_ONLY = int(ImportFlag.TYPE_ONLY)
_VIRTUAL = {"virtual", "override", "final"}
# What the standard library's classes offer is in lower case.
_STANDARD = re.compile(r"[a-z_0-9~]+")
_GTEST = frozenset(
    "SetUp TearDown SetUpTestSuite TearDownTestSuite SetUpTestCase TearDownTestCase HasFatalFailure Setup "
    "HasNonfatalFailure HasFailure IsSkipped RecordProperty GetParam Run TestBody ParamType DeleteSelf_".split()
)
_Bases = tuple[Ref | External | Unknown, ...]


class Member(NamedTuple):
    """What the type `holder` itself makes of a name: functions, nested types, or fields (with what binds them)."""

    holder: Ref
    functions: tuple[Ref, ...]
    types: tuple[Ref, ...]
    fields: tuple[Binding, ...]
    named: bool


def may_offer(outside: External | Unknown, name: str) -> bool:
    """Whether a base that is not in the repository may have a member of that name."""
    if isinstance(outside, Unknown):
        return True
    if outside.name.startswith("std::"):
        return _STANDARD.fullmatch(name) is not None
    if outside.name.lstrip(":").startswith("testing::"):
        return name in _GTEST
    return True


class Types(ABC):
    """Classes of one repository; how names get their meaning is the heir's."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.spaces = Spaces(repository)

    @abstractmethod
    def named_type(self, unit: Unit, body: Body | None, owner: int, name: str, at: int) -> Value:
        """A value of the type that a name means in the scope `owner`."""

    def type_at(self, unit: Unit, owner: int, name: str) -> Ref | External | Unknown:
        """The class that a name means in a scope."""
        value = self.named_type(unit, None, owner, name, -1)
        if isinstance(value, Instance):
            return value.ref
        return value if isinstance(value, External | Unknown) else Unknown("not the name of a class")

    def bases(self, ref: Ref) -> _Bases:
        """The direct bases of a class."""

        def compute() -> _Bases:
            unit = self.repository.unit(ref.path)
            found: list[Ref | External | Unknown] = []
            for base in unit.bases_of.get(ref.at, ()) if unit is not None else ():
                if unit is None or not base.text or base.text.startswith("?"):
                    found.append(Unknown("a base is not known"))
                else:
                    found.append(self.type_at(unit, self.spaces.outer(unit, ref.at), base.text))
            return tuple(found)

        default: _Bases = (Unknown("the class descends from itself"),)
        return self.repository.once(("cpp-bases", ref), compute, default)

    def own(self, ref: Ref, name: str) -> Member | Unknown | None:
        """What the class itself makes of a name; None when nothing."""
        unit = self.repository.unit(ref.path)
        if unit is None:
            return None
        functions: list[Ref] = []
        types: list[Ref] = []
        for item in unit.imported.get((ref.at, name), ()):
            if not item.flags & _TYPE_ONLY:
                brought = self.brought(unit, ref, item)
                if not isinstance(brought, Functions):
                    return Unknown("brought from a base that is not known")
                functions += brought.refs
                continue
            ahead = self.spaces.ahead(Used(ref.path, item))
            if ahead is not None:
                types.append(ahead)
        named = False
        for index in unit.members.get((ref.at, name), ()):
            outline = unit.outlines[index]
            if "friend" in unit.marks_of.get(index, ()):
                continue
            if outline.is_function:
                functions.append(Ref(ref.path, index))
            elif outline.is_type or outline.kind_number == _TYPE:
                types.append(Ref(ref.path, index))
            elif outline.kind_number in (_PROPERTY, _CONSTANT):
                named = True
        fields = tuple(unit.bound.get((ref.at, name), ())) if not types else ()
        if not functions and not types and not named and not fields:
            return None
        return Member(ref, tuple(functions), tuple(dict.fromkeys(types)), fields, named or bool(fields))

    def brought(self, unit: Unit, ref: Ref, item: Import) -> Value:
        """The functions that a using-declaration in a class brings from a base."""

        def compute() -> Value:
            base = self.type_at(unit, ref.at, item.module)
            if not isinstance(base, Ref) or base == ref:
                return Unknown("a base that is not known")
            got = self.member(base, item.name)
            return Functions(got.functions, got.holder) if isinstance(got, Member) and got.functions else CIRCULAR

        return self.repository.once(("cpp-brought", ref, item.module, item.name), compute, CIRCULAR)

    def member(self, ref: Ref, name: str) -> Member | External | Unknown | None:
        """What a class makes of a name, its bases included; None when nothing does."""

        def compute() -> Member | External | Unknown | None:
            own = self.own(ref, name)
            if own is not None:
                return own
            found: list[Member | Unknown] = []
            outside: list[External | Unknown] = []
            for base in self.bases(ref):
                if not isinstance(base, Ref):
                    if may_offer(base, name):
                        outside.append(base)
                    continue
                got = self.member(base, name)
                if isinstance(got, External):
                    outside.append(got)
                elif got is not None and got not in found:
                    found.append(got)
            if len(found) == 1 and not outside:
                return found[0]
            if found:
                refs = [item for got in found if isinstance(got, Member) for item in got.functions]
                return Unknown("another base may offer it", tuple(refs))
            if outside:
                first = outside[0]
                return External(f"{first.name}::{name}") if isinstance(first, External) else first
            return None

        return self.repository.once(("cpp-member", ref, name), compute, Unknown("the class descends from itself"))

    def constructors(self, ref: Ref) -> list[Overload]:
        """The constructors that a class declares."""
        unit = self.repository.unit(ref.path)
        own = self.own(ref, unit.outlines[ref.at].name) if unit is not None else None
        return self.functions(Functions(own.functions, ref)) if isinstance(own, Member) and own.functions else []

    def functions(self, found: Functions) -> list[Overload]:
        """The overloads among the functions of a name, with the definitions that stand elsewhere."""

        def compute() -> list[Overload]:
            refs = found.refs
            if found.holder is not None:
                refs = (*refs, *(ref for ref in self._outside(found.holder, refs) if ref not in refs))
            else:
                refs = (*refs, *(ref for ref in self._linked(refs) if ref not in refs))
            return overloads(self.repository, refs)

        return self.repository.once(("cpp-functions", found), compute, [])

    def specialized(self, found: Functions) -> bool:
        """Whether a function of the name has another body for some types."""

        def compute() -> bool:
            refs = (*found.refs, *(self._outside(found.holder, found.refs) if found.holder is not None else ()))
            for ref in refs:
                unit = self.repository.unit(ref.path)
                if unit is not None and "specialized" in unit.marks_of.get(ref.at, ()):
                    return True
            return False

        return self.repository.once(("cpp-specialized", found), compute, True)

    def _outside(self, holder: Ref, refs: tuple[Ref, ...]) -> list[Ref]:
        """Definitions of a class's methods that stand outside of it."""
        unit = self.repository.unit(holder.path)
        first = self.repository.unit(refs[0].path) if refs else None
        if unit is None or first is None:
            return []
        name, wanted = first.outlines[refs[0].at].name, unit.outlines[holder.at].name
        found = []
        for ref in self.repository.named(name):
            other = self.repository.unit(ref.path)
            if other is None or other.language != "cpp":
                continue
            outline = other.outlines[ref.at]
            if outline.is_function and outline.receiver.rpartition(".")[2] == wanted and self.receiver(ref) == holder:
                found.append(ref)
        return found

    def receiver(self, ref: Ref) -> Ref | None:
        """The class that a method defined outside of it belongs to, or a test's fixture."""

        def compute() -> Ref | None:
            unit = self.repository.unit(ref.path)
            if unit is None or not unit.outlines[ref.at].receiver:
                return None
            outline = unit.outlines[ref.at]
            found = self.type_at(unit, self.spaces.outer(unit, ref.at), outline.receiver.replace(".", "::"))
            return found if isinstance(found, Ref) else None

        return self.repository.once(("cpp-receiver", ref), compute, None)

    def _linked(self, refs: tuple[Ref, ...]) -> list[Ref]:
        """Definitions with external linkage of functions that are only declared among `refs`."""
        found: list[Ref] = []
        wanted: set[tuple[str, str]] = set()
        for ref in refs:
            unit = self.repository.unit(ref.path)
            space = self.spaces.placed(unit)[ref.at] if unit is not None else None
            if unit is not None and space is not None and unit.outlines[ref.at].flags & DECLARATION_ONLY:
                wanted.add((space, unit.outlines[ref.at].name))
        for space, name in sorted(wanted):
            for ref in self.repository.named(name):
                unit = self.repository.unit(ref.path)
                if unit is None or unit.language not in ("c", "cpp"):
                    continue
                outline = unit.outlines[ref.at]
                linked = outline.flags & EXPORTED and not outline.flags & DECLARATION_ONLY and not outline.receiver
                if not outline.is_function or not linked or "internal" in unit.marks_of.get(ref.at, ()):
                    continue
                if self.spaces.placed(unit)[ref.at] == space:
                    found.append(ref)
        return found

    def is_virtual(self, holder: Ref, item: Overload) -> bool:
        """Whether a method may be replaced: it says so, or a base may say so for it."""
        name = ""
        for ref in item.refs:
            unit = self.repository.unit(ref.path)
            if unit is None:
                continue
            name = unit.outlines[ref.at].name
            marks = unit.marks_of.get(ref.at, ())
            if "static" in marks:
                return False
            if not _VIRTUAL.isdisjoint(marks):
                return True
        for base in self.bases(holder):
            if not isinstance(base, Ref):
                if may_offer(base, name):
                    return True
                continue
            got = self.member(base, name)
            if isinstance(got, External | Unknown):
                return True
            if got is not None and any(
                self.is_virtual(got.holder, other)
                for other in self.functions(Functions(got.functions, got.holder))
                if got.functions and got.holder != holder
            ):
                return True
        return False

    def is_final(self, ref: Ref, item: Overload) -> bool:
        """Whether the class, or the method, can have no heir that replaces it."""
        unit = self.repository.unit(ref.path)
        if unit is not None and "final" in unit.marks_of.get(ref.at, ()):
            return True
        for place in item.refs:
            other = self.repository.unit(place.path)
            if other is not None and "final" in other.marks_of.get(place.at, ()):
                return True
        return False

    def value_of_types(self, refs: tuple[Ref, ...]) -> Value:
        """A value of the one type among those of a name; `typedef struct T T` says nothing new."""
        if len(refs) > 1:
            refs = tuple(ref for ref in refs if not self._repeats(ref)) or refs
        if len(refs) != 1:
            return Unknown(f"defined {len(refs)} times", refs)
        ref = refs[0]
        unit = self.repository.unit(ref.path)
        if unit is None:
            return Unknown("its file is not read")
        outline = unit.outlines[ref.at]
        if outline.is_type:
            if "specialized" in unit.marks_of.get(ref.at, ()):
                return Unknown("a specialization whose template is not in sight", refs)
            return Instance(ref, exact=True)

        def compute() -> Value:
            written = [b for b in unit.bound.get((outline.parent, outline.name), ()) if b.type]
            if len(written) != 1:
                return Unknown("an alias of a type that has no name")
            return self.declared(unit, None, self.spaces.outer(unit, ref.at), written[0].type, -1)

        return self.repository.once(("cpp-alias", ref), compute, CIRCULAR)

    def _repeats(self, ref: Ref) -> bool:
        unit = self.repository.unit(ref.path)
        outline = unit.outlines[ref.at] if unit is not None else None
        if unit is None or outline is None or outline.is_type:
            return False
        bindings = unit.bound.get((outline.parent, outline.name), ())
        return bool(bindings) and all(binding.type == outline.name for binding in bindings)

    @abstractmethod
    def declared(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Value:
        """A value that is declared to be of the type in `chain`."""


def as_type(value: Value) -> Value:
    """The type of which `value` is one, where the name of a type is meant."""
    return Found(value.ref) if isinstance(value, Instance) else value
