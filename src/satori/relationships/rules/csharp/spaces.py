"""Types of C# by name: namespaces, usings, projects, partial types.

A type is one or several definitions: the parts of a partial type, which have one full name, number of type parameters
and project. A project is the nearest directory upwards that holds a `.csproj`. Of several types with one full name the
one of the same project is meant, or none.
"""

from __future__ import annotations

from satori.model.definition import SymbolKind
from satori.relationships.repository import Repository
from satori.relationships.unit import KINDS, Ref, Unit

_NAMESPACE = KINDS.index(SymbolKind.NAMESPACE)
_TYPE = KINDS.index(SymbolKind.TYPE)


class Spaces:
    """Namespaces and types of one repository."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._placed: dict[str, tuple[str | None, ...]] = {}

    def placed(self, unit: Unit) -> tuple[str | None, ...]:
        """For each definition the full name of what it stands in; None inside methods."""
        known = self._placed.get(unit.path)
        if known is None:
            found: list[str | None] = []
            for outline in unit.outlines:
                at = outline.parent
                above = found[at] if at >= 0 else ""
                if at < 0:
                    found.append("")
                elif above is None or unit.outlines[at].is_function:
                    found.append(None)
                else:
                    name = "".join(unit.outlines[at].name.split())
                    found.append(f"{above}.{name}" if above else name)
            known = self._placed[unit.path] = tuple(found)
        return known

    def full_name(self, unit: Unit, at: int) -> str:
        """The full name of a namespace or type; "" for the file's scope."""
        if at < 0:
            return ""
        above = self.placed(unit)[at]
        name = "".join(unit.outlines[at].name.split())
        return f"{above}.{name}" if above else name

    def project(self, path: str) -> str:
        """The directory of the file's project; the file's own when there is none."""

        def compute() -> str:
            directory = own = path.rpartition("/")[0]
            while True:
                if any(item.endswith(".csproj") for item in self.repository.listing(directory)):
                    return directory
                if not directory:
                    return own if own else directory
                directory = directory.rpartition("/")[0]

        return self.repository.once(("csharp-project", path.rpartition("/")[0]), compute, "")

    def arity(self, unit: Unit, at: int) -> int:
        """The number of a type's or method's type parameters."""
        for mark in unit.marks_of.get(at, ()):
            if mark.startswith("`"):
                return int(mark[1:])
        return 0

    def types_in(self, space: str, name: str, arity: int) -> tuple[Ref, ...]:
        """All definitions of the type `name` in a namespace."""

        def compute() -> tuple[Ref, ...]:
            found = []
            for ref in self.repository.named(name):
                unit = self.repository.unit(ref.path)
                if unit is None or unit.language != "csharp" or self.placed(unit)[ref.at] != space:
                    continue
                if is_type(unit, ref.at) and self.arity(unit, ref.at) == arity:
                    found.append(ref)
            return tuple(found)

        return self.repository.once(("csharp-types-in", space, name, arity), compute, ())

    def chosen(self, refs: tuple[Ref, ...], path: str) -> tuple[Ref, ...]:
        """Those that make one type, as the file at `path` sees them; several types when it cannot be told."""
        if len(refs) < 2:
            return refs
        own = self.project(path)
        return tuple(ref for ref in refs if self.project(ref.path) == own) or refs

    def is_partial(self, ref: Ref) -> bool:
        """Whether the definition is one part of a type."""
        unit = self.repository.unit(ref.path)
        return unit is not None and "partial" in unit.marks_of.get(ref.at, ())

    def parts(self, ref: Ref) -> tuple[Ref, ...]:
        """All definitions of the type that `ref` is a part of, itself included."""

        def compute() -> tuple[Ref, ...]:
            unit = self.repository.unit(ref.path)
            if unit is None or not self.is_partial(ref):
                return (ref,)
            space = self.placed(unit)[ref.at]
            parent = unit.outlines[ref.at].parent
            name, arity = unit.outlines[ref.at].name, self.arity(unit, ref.at)
            if parent >= 0 and unit.outlines[parent].is_type:
                around = self.parts(Ref(ref.path, parent))
                found = [item for outer in around for item in self.nested(outer, name, arity)]
            else:
                found = list(self.types_in(space or "", name, arity))
            project = self.project(ref.path)
            return tuple(
                sorted(
                    item
                    for item in {*found, ref}
                    if item == ref or (self.is_partial(item) and self.project(item.path) == project)
                )
            )

        return self.repository.once(("csharp-parts", ref), compute, (ref,))

    def nested(self, ref: Ref, name: str, arity: int) -> tuple[Ref, ...]:
        """The types called `name` that one definition of a type holds."""
        unit = self.repository.unit(ref.path)
        if unit is None:
            return ()
        return tuple(
            Ref(ref.path, index)
            for index in unit.members.get((ref.at, name), ())
            if is_type(unit, index) and self.arity(unit, index) == arity
        )

    def globals_for(self, path: str) -> tuple[str, ...]:
        """The files of the same project that have global usings."""

        def compute() -> tuple[str, ...]:
            own = self.project(path)
            return tuple(item for item in self.repository.package("csharp", "#global") if self.project(item) == own)

        return self.repository.once(("csharp-globals", path.rpartition("/")[0]), compute, ())


def is_type(unit: Unit, at: int) -> bool:
    """Whether a definition is a type: delegates are."""
    outline = unit.outlines[at]
    return outline.is_type or outline.kind_number == _TYPE


def is_namespace(unit: Unit, at: int) -> bool:
    """Whether a definition is a namespace."""
    return unit.outlines[at].kind_number == _NAMESPACE
