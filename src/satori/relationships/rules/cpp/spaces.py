"""Namespaces of C++: which definitions of a name stand in which namespace, as far as a file can see them.

Inline namespaces are seen through, anonymous ones were never there; macros that open one at the margin of a file (such
as `FMT_BEGIN_NAMESPACE`) mean what their definition says, as far as it is in sight. What a file sees is itself and the
headers that it may include; using-declarations, using-directives and aliases of namespaces in those count. Where
something stands in a file does not: a declaration further down counts as seen.
"""

from __future__ import annotations

from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import Import, ImportFlag
from satori.relationships.repository import Repository
from satori.relationships.rules.includes import Includes
from satori.relationships.unit import KINDS, Outline, Ref, Unit

_STATIC, _REEXPORT = int(ImportFlag.STATIC), int(ImportFlag.REEXPORT)
_NAMESPACE, _MACRO = KINDS.index(SymbolKind.NAMESPACE), KINDS.index(SymbolKind.MACRO)
_LANGUAGES = ("c", "cpp")


class Used(NamedTuple):
    """A using-declaration, using-directive or alias, and the file it stands in."""

    path: str
    item: Import


class Seen(NamedTuple):
    """What a file sees: its headers and itself, their namespaces, and what names are brought where."""

    paths: frozenset[str]
    spaces: frozenset[str]
    named: dict[tuple[str, str], tuple[Used, ...]]
    whole: dict[str, tuple[Used, ...]]


class Spaces:
    """Namespaces of one repository."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.includes = Includes(repository)
        self._placed: dict[str, tuple[str | None, ...]] = {}

    def placed(self, unit: Unit) -> tuple[str | None, ...]:
        """For each definition the scope it stands in, such as `a::b` or `a::Type`; None inside functions."""
        if self._opened_in(unit):
            return self.repository.once(("cpp-placed", unit.path), lambda: self._scopes(unit), ())
        known = self._placed.get(unit.path)
        if known is None:
            known = self._placed[unit.path] = self._scopes(unit)
        return known

    def outer(self, unit: Unit, at: int) -> int:
        """The scope around a definition: its parent, or `-2 - at` where a macro put it into a namespace."""
        parent = unit.outlines[at].parent
        return parent if parent >= 0 or not self.placed(unit)[at] else -2 - at

    def _opened_in(self, unit: Unit) -> bool:
        """Whether macros open namespaces in the file."""
        return any(mark.text.startswith("opened ") for mark in unit.marks)

    def _opened(self, unit: Unit, at: int) -> str:
        """The namespace that a macro puts a definition of the file's margin into; one of its own when none is known."""
        for mark in unit.marks_of.get(at, ()):
            if mark.startswith("opened "):
                macro = mark.removeprefix("opened ")
                meant = {
                    item.module
                    for path in sorted(self.includes.visible(unit.path))
                    if (other := self.repository.unit(path)) is not None
                    for item in other.imports
                    if item.flags & _REEXPORT and item.alias == macro
                }
                return meant.pop() if len(meant) == 1 else f"#{macro}"
        return ""

    def _scopes(self, unit: Unit) -> tuple[str | None, ...]:
        found: list[str | None] = []
        for index, outline in enumerate(unit.outlines):
            at = outline.parent
            if at < 0:
                found.append(self._opened(unit, index))
                continue
            above, parent = found[at], unit.outlines[at]
            if above is None or parent.is_function:
                found.append(None)
            else:
                found.append(above if self._is_inline(unit, at) else _joined(above, _own_name(parent)))
        return tuple(found)

    def _is_inline(self, unit: Unit, at: int) -> bool:
        return "inline" in unit.marks_of.get(at, ())

    def space_of(self, unit: Unit, at: int) -> str:
        """The full name of the namespace or type `at`; of the file's scope for -1; of an `outer` scope."""
        if at < -1:
            return self.placed(unit)[-2 - at] or ""
        if at < 0:
            return ""
        above = self.placed(unit)[at] or ""
        return above if self._is_inline(unit, at) else _joined(above, _own_name(unit.outlines[at]))

    def seen(self, path: str) -> Seen:
        """What the file at `path` sees."""

        def compute() -> Seen:
            paths = self.includes.visible(path)
            spaces: set[str] = set()
            named: dict[tuple[str, str], list[Used]] = {}
            whole: dict[str, list[Used]] = {}
            for other in sorted(paths):
                unit = self.repository.unit(other)
                if unit is None or unit.language not in _LANGUAGES:
                    continue
                opened = self._opened_in(unit)
                for at, outline in enumerate(unit.outlines):
                    if outline.kind_number == _NAMESPACE or (opened and outline.parent < 0):
                        named_so = outline.kind_number == _NAMESPACE
                        space = self.space_of(unit, at) if named_so else self.placed(unit)[at] or ""
                        while space and space not in spaces:
                            spaces.add(space)
                            space = space.rpartition("::")[0]
                for item in unit.imports:
                    if not item.flags & _STATIC or item.flags & _REEXPORT:
                        continue
                    if item.scope >= 0 and unit.outlines[item.scope].kind_number != _NAMESPACE:
                        continue
                    scope = self.space_of(unit, item.scope)
                    if item.name == "*":
                        whole.setdefault(scope, []).append(Used(other, item))
                    else:
                        named.setdefault((scope, item.alias), []).append(Used(other, item))
            return Seen(
                paths,
                frozenset(spaces),
                {key: tuple(items) for key, items in named.items()},
                {key: tuple(items) for key, items in whole.items()},
            )

        return self.repository.once(("cpp-seen", path), compute, Seen(frozenset({path}), frozenset(), {}, {}))

    def ahead(self, used: Used) -> Ref | None:
        """The one class in the repository that is declared ahead."""

        def compute() -> Ref | None:
            unit = self.repository.unit(used.path)
            if unit is None:
                return None
            space = self.space_of(unit, used.item.scope)
            found = []
            for ref in self.repository.named(used.item.name):
                other = self.repository.unit(ref.path)
                if other is None or other.language != "cpp" or not other.outlines[ref.at].is_type:
                    continue
                if ref.path != used.path and "internal" in other.marks_of.get(ref.at, ()):
                    continue
                if self.space_of(other, ref.at) == _joined(space, used.item.name):
                    found.append(ref)
            return found[0] if len(found) == 1 else None

        return self.repository.once(("cpp-ahead", used.path, used.item.scope, used.item.name), compute, None)

    def by_space(self, path: str, name: str) -> dict[str, tuple[Ref, ...]]:
        """The definitions of `name` that the file sees, by namespace; macros are under "#"."""

        def compute() -> dict[str, tuple[Ref, ...]]:
            found: dict[str, list[Ref]] = {}
            paths = self.seen(path).paths
            for ref in self.repository.named(name):
                if ref.path not in paths:
                    continue
                unit = self.repository.unit(ref.path)
                if unit is None or unit.language not in _LANGUAGES:
                    continue
                outline = unit.outlines[ref.at]
                if outline.kind_number == _MACRO:
                    found.setdefault("#", []).append(ref)
                elif not outline.receiver and outline.kind_number != _NAMESPACE:
                    space = self.placed(unit)[ref.at]
                    if space is not None:
                        found.setdefault(space, []).append(ref)
            return {space: tuple(refs) for space, refs in found.items()}

        return self.repository.once(("cpp-by-space", path, name), compute, {})


def _own_name(outline: Outline) -> str:
    name = outline.name.replace(" ", "")
    return f"{outline.receiver.replace('.', '::')}::{name}" if outline.receiver else name


def _joined(above: str, name: str) -> str:
    return f"{above}::{name}" if above else name


def enclosing(space: str) -> list[str]:
    """The namespace and those around it, innermost first, the global one last."""
    found = []
    while space:
        found.append(space)
        space = space.rpartition("::")[0]
    return [*found, ""]
