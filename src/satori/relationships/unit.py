"""A unit: what resolution needs of one file, in two parts that are stored and loaded apart.

The *interface* is everything another file's resolution may look at: definitions, imports, exports, bases, decorators,
signatures, and bindings of modules and types. The *body* is what only the file itself needs: call sites and the
bindings inside functions. `digest` is over the interface without its offsets: while it stays the same, no other file
can resolve differently. Rules must therefore never let an offset of another file decide anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

from satori.facts.referencepacking import Shape, pack_records, unpack_records
from satori.model.definition import DefinitionFlag, FileFacts, SymbolKind
from satori.model.reference import Base, Binding, BindingKind, CallSite, Export, Import, Mark, References, Signature
from satori.model.symbol import Symbol

KINDS = tuple(SymbolKind)
_KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
FUNCTION_KINDS = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.TEST, SymbolKind.COMPONENT, SymbolKind.HOOK}
)
TYPE_KINDS = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.ENUM, SymbolKind.STRUCT})
_FUNCTION_NUMBERS = frozenset(_KIND_NUMBER[kind] for kind in FUNCTION_KINDS)
_ATTRIBUTE = int(BindingKind.ATTRIBUTE)
_NAMESPACE = _KIND_NUMBER[SymbolKind.NAMESPACE]
EXPORTED = int(DefinitionFlag.EXPORTED)
TEST = int(DefinitionFlag.TEST)
DECLARATION_ONLY = int(DefinitionFlag.DECLARATION_ONLY)


class Outline(NamedTuple):
    """A definition as resolution sees it; `parent` is an index into the file's outlines, -1 for the file."""

    parent: int
    kind_number: int
    flags: int
    start: int
    end: int
    name: str
    receiver: str
    key: str

    @property
    def kind(self) -> SymbolKind:
        """What it is."""
        return KINDS[self.kind_number]

    @property
    def is_function(self) -> bool:
        """Whether it can be called and runs code of its own."""
        return self.kind_number in _FUNCTION_NUMBERS

    @property
    def is_type(self) -> bool:
        """Whether it has members and can be a base."""
        return KINDS[self.kind_number] in TYPE_KINDS


class Ref(NamedTuple):
    """A definition anywhere in the repository: the file's path, and where it is among its outlines (-1: the file)."""

    path: str
    at: int


INTERFACE_SHAPES = (
    Shape(Outline, 5),
    Shape(Import, 5),
    Shape(Export, 4),
    Shape(Base, 1),
    Shape(Mark, 1),
    Shape(Signature, 3),
    Shape(Binding, 6),
)
BODY_SHAPES = (Shape(Binding, 6), Shape(CallSite, 6))


class PackedUnit(NamedTuple):
    """One file for storage; `digest` changes when another file might resolve differently. `members` are the names that
    its types give a meaning, each with the type's place; `package` is the namespace it declares."""

    interface: bytes
    body: bytes
    digest: bytes
    members: tuple[tuple[int, str], ...]
    package: str


def pack_unit(symbols: Sequence[Symbol], facts: FileFacts) -> PackedUnit | None:
    """The unit of one file from its symbols (the file's own first); None when its references are not read."""
    references = facts.references
    if references is None:
        return None
    outlines = [
        Outline(
            symbol.parent - 1,
            _KIND_NUMBER[symbol.kind],
            int(symbol.flags),
            symbol.span.start,
            symbol.span.end,
            symbol.name,
            symbol.receiver,
            symbol.key,
        )
        for symbol in symbols[1:]
    ]
    shared: list[Binding] = []
    local: list[Binding] = []
    for binding in references.bindings:
        inside = binding.scope >= 0 and outlines[binding.scope].is_function
        (local if inside and binding.kind != _ATTRIBUTE else shared).append(binding)
    lists = _interface_lists(outlines, references, shared)
    package = f"{symbols[0].key}\n{references.package}"
    interface = pack_records(INTERFACE_SHAPES, package, lists)
    body = pack_records(BODY_SHAPES, "", (local, references.sites))
    return PackedUnit(interface, body, _digest(package, lists), _members(outlines, shared), references.package)


def _members(outlines: Sequence[Outline], bindings: Sequence[Binding]) -> tuple[tuple[int, str], ...]:
    found = {(item.parent, item.name) for item in outlines if item.parent >= 0 and outlines[item.parent].is_type}
    for binding in bindings:
        if binding.scope >= 0 and binding.kind != _ATTRIBUTE and outlines[binding.scope].is_type:
            found.add((binding.scope, binding.name))
    return tuple(sorted(found))


def _interface_lists(
    outlines: list[Outline], references: References, shared: list[Binding]
) -> tuple[Sequence[tuple[object, ...]], ...]:
    return (
        outlines,
        references.imports,
        references.exports,
        references.bases,
        references.marks,
        references.signatures,
        shared,
    )


def _digest(package: str, lists: tuple[Sequence[tuple[object, ...]], ...]) -> bytes:
    outlines, imports, exports, bases, marks, signatures, bindings = lists
    said = (
        package,
        [(*row[:3], *row[5:]) for row in outlines],
        [(row[0], *row[4:]) for row in imports],
        [row[3:] for row in exports],
        bases,
        marks,
        signatures,
        [(row[0], row[1], *row[5:]) for row in bindings],
    )
    return blake2b(repr(said).encode("utf-8", "surrogatepass"), digest_size=12).digest()


class Unit:
    """The interface of one file, with the lookups that rules share. Lists keep source order."""

    def __init__(self, path: str, language: str, packed: bytes) -> None:
        """Raises ValueError when the bytes are damaged."""
        package, lists = unpack_records(INTERFACE_SHAPES, packed)
        self.path = path
        self.language = language
        self.key, _, self.package = package.partition("\n")
        self.outlines: tuple[Outline, ...] = lists[0]
        self.imports: tuple[Import, ...] = lists[1]
        self.exports: tuple[Export, ...] = lists[2]
        self.bases: tuple[Base, ...] = lists[3]
        self.marks: tuple[Mark, ...] = lists[4]
        self.signatures: tuple[Signature, ...] = lists[5]
        self.bindings: tuple[Binding, ...] = lists[6]

    def key_of(self, index: int) -> str:
        """The symbol key of a definition, or of the file for -1."""
        return self.outlines[index].key if index >= 0 else self.key

    @cached_property
    def members(self) -> dict[tuple[int, str], list[int]]:
        """Definitions by (parent, name)."""
        found: dict[tuple[int, str], list[int]] = {}
        for index, outline in enumerate(self.outlines):
            found.setdefault((outline.parent, outline.name), []).append(index)
        return found

    @cached_property
    def bound(self) -> dict[tuple[int, str], list[Binding]]:
        """Bindings by (scope, name), those from outside (ATTRIBUTE) left out."""
        found: dict[tuple[int, str], list[Binding]] = {}
        for binding in self.bindings:
            if binding.kind != _ATTRIBUTE:
                found.setdefault((binding.scope, binding.name), []).append(binding)
        return found

    @cached_property
    def imported(self) -> dict[tuple[int, str], list[Import]]:
        """Imports by (scope, bound name)."""
        found: dict[tuple[int, str], list[Import]] = {}
        for item in self.imports:
            if item.alias:
                found.setdefault((item.scope, item.alias), []).append(item)
        return found

    @cached_property
    def starred(self) -> list[Import]:
        """Imports of everything a module offers."""
        return [item for item in self.imports if item.name == "*"]

    @cached_property
    def exported(self) -> dict[str, list[Export]]:
        """Exports by the name they offer."""
        found: dict[str, list[Export]] = {}
        for item in self.exports:
            found.setdefault(item.name, []).append(item)
        return found

    @cached_property
    def bases_of(self) -> dict[int, list[Base]]:
        """Bases by definition."""
        found: dict[int, list[Base]] = {}
        for base in self.bases:
            found.setdefault(base.definition, []).append(base)
        return found

    @cached_property
    def marks_of(self) -> dict[int, list[str]]:
        """Decorators and annotations by definition."""
        found: dict[int, list[str]] = {}
        for mark in self.marks:
            found.setdefault(mark.definition, []).append(mark.text)
        return found

    @cached_property
    def signature_of(self) -> dict[int, Signature]:
        """Signatures by definition."""
        return {signature.definition: signature for signature in self.signatures}

    @cached_property
    def types(self) -> list[int]:
        """The definitions that can be bases."""
        return [index for index, outline in enumerate(self.outlines) if outline.is_type]

    @cached_property
    def outermost(self) -> frozenset[int]:
        """The definitions that stand in nothing but namespaces, namespaces included."""
        found: set[int] = set()
        for index, outline in enumerate(self.outlines):
            parent = outline.parent
            if parent < 0 or (parent in found and self.outlines[parent].kind_number == _NAMESPACE):
                found.add(index)
        return frozenset(found)

    @cached_property
    def top_names(self) -> frozenset[str]:
        """The names of the file's outermost definitions."""
        return frozenset(self.outlines[index].name for index in self.outermost)

    def member_names(self, index: int) -> set[str]:
        """Every name that the type `index` gives a meaning, methods, fields and attributes alike."""
        return self._names_by_type.get(index, set())

    @cached_property
    def _names_by_type(self) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for index, name in _members(self.outlines, self.bindings):
            found.setdefault(index, set()).add(name)
        return found


class Body:
    """What only the file itself needs: the bindings inside its functions and its call sites."""

    def __init__(self, packed: bytes) -> None:
        """Raises ValueError when the bytes are damaged."""
        _, lists = unpack_records(BODY_SHAPES, packed)
        self.bindings: tuple[Binding, ...] = lists[0]
        self.sites: tuple[CallSite, ...] = lists[1]

    @cached_property
    def bound(self) -> dict[tuple[int, str], list[Binding]]:
        """Bindings by (scope, name)."""
        found: dict[tuple[int, str], list[Binding]] = {}
        for binding in self.bindings:
            found.setdefault((binding.scope, binding.name), []).append(binding)
        return found
