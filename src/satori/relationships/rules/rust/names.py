"""What a path means at a place in a Rust file: scopes, modules, `use` trees, globs, other crates.

Definitions and explicit imports of a module come before globs; several that differ prove nothing, since `cfg` may
choose among them. Functions see what stands in them and around them up to their module, then other crates, then what
is always there (external). Names live in two spaces, types (with modules) and values.
"""

from __future__ import annotations

from abc import abstractmethod

from satori.model.definition import SymbolKind
from satori.model.reference import Binding, Import, ImportFlag
from satori.relationships.meaning import External, Found, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.rust.crates import Crates
from satori.relationships.rules.rust.shapes import (
    Adt,
    Dyn,
    Kind,
    Meaning,
    Mod,
    Opaque,
    Outside,
    Param,
    Type,
    Value,
    parse,
)
from satori.relationships.unit import EXPORTED, KINDS, Body, Ref, Unit

_CIRCULAR = Unknown("the name is defined by itself")
_TYPES = {KINDS.index(kind) for kind in (SymbolKind.STRUCT, SymbolKind.ENUM, SymbolKind.TRAIT, SymbolKind.TYPE)}
_MODULE = KINDS.index(SymbolKind.MODULE)
_IMPL = KINDS.index(SymbolKind.NAMESPACE)
_TRAIT = KINDS.index(SymbolKind.TRAIT)
_CONSTANT = KINDS.index(SymbolKind.CONSTANT)
_STRUCT = KINDS.index(SymbolKind.STRUCT)
_REEXPORT = int(ImportFlag.REEXPORT)
_OWN_CRATES = frozenset({"std", "core", "alloc", "proc_macro", "test"})


class Names:
    """Paths and written types in one repository; members of types are the heir's."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.crates = Crates(repository)

    @abstractmethod
    def associated(self, held: Type, name: str, *, values: bool) -> Meaning:
        """What `T::name` means."""

    @abstractmethod
    def local(self, unit: Unit, body: Body, owner: int, binding: Binding) -> Meaning:
        """The variable of a binding."""

    def path(self, unit: Unit, body: Body | None, owner: int, text: str, at: int, *, values: bool) -> Meaning:
        """What a path, written at byte `at` in the scope `owner`, means among values or among types."""
        if text.startswith("::"):
            return self._from_crates(unit, text, values=values)
        first, rest = _split(text)
        meaning = self._first(unit, body, owner, first, at, values=values and not rest)
        while rest:
            first, rest = _split(rest)
            meaning = self.step(meaning, first, values=values and not rest)
        return meaning

    def _from_crates(self, unit: Unit, text: str, *, values: bool) -> Meaning:
        """What `::a::b` means."""
        first, rest = _split(text[2:])
        other = self.crates.other(unit.path, first) if first not in _OWN_CRATES else None
        meaning: Meaning = other if other is not None else External(first)
        while rest:
            first, rest = _split(rest)
            meaning = self.step(meaning, first, values=values and not rest)
        return meaning

    def _first(self, unit: Unit, body: Body | None, owner: int, name: str, at: int, *, values: bool) -> Meaning:
        if name.startswith("<"):
            return self._qualified(unit, owner, name)
        if name in ("crate", "$crate"):
            return self.crates.root(unit.path)
        if name == "self" and not values:
            return Mod(unit.path, self._module_of(unit, owner))
        if name == "super":
            return self._super(Mod(unit.path, self._module_of(unit, owner)))
        if name == "Self":
            return Kind(self.own_type(unit, owner))
        return self.name(unit, body, owner, name, at, values=values)

    def _qualified(self, unit: Unit, owner: int, text: str) -> Meaning:
        """`<T as R>`."""
        inner, _, trait = text[1:-1].rpartition(" as ")
        if not inner:
            return Kind(self.typed(unit, owner, trait))
        held = self.typed(unit, owner, trait)
        on = self.typed(unit, owner, inner)
        return Kind(on, held.ref) if isinstance(held, Adt) else External(f"{text}")

    def _module_of(self, unit: Unit, owner: int) -> int:
        while owner >= 0 and unit.outlines[owner].kind_number != _MODULE:
            owner = unit.outlines[owner].parent
        return owner

    def _super(self, module: Mod) -> Meaning:
        unit = self.repository.unit(module.path)
        if unit is not None and module.at >= 0:
            return Mod(module.path, self._module_of(unit, unit.outlines[module.at].parent))
        found = self.crates.parent(module.path)
        return found if found is not None else Unknown("there is nothing above the crate")

    def own_type(self, unit: Unit, owner: int) -> Type:
        """`Self` in a scope."""
        while owner >= 0:
            outline = unit.outlines[owner]
            if outline.kind_number == _IMPL:
                for base in unit.bases_of.get(owner, ()):
                    if base.how == "type":
                        return self.typed(unit, owner, base.text.removeprefix("&"))
            if outline.kind_number == _TRAIT:
                return Param(Ref(unit.path, owner), "Self")
            if outline.kind_number in _TYPES:
                return Adt(Ref(unit.path, owner), self.parameters(unit, owner))
            owner = outline.parent
        return Opaque("Self outside of a type")

    def parameters(self, unit: Unit, at: int) -> tuple[Type, ...]:
        """The type parameters of a definition, in order."""
        names = [base.text.partition(":")[0] for base in unit.bases_of.get(at, ()) if base.how == "param"]
        return tuple(Param(Ref(unit.path, at), name) for name in dict.fromkeys(names))

    def name(self, unit: Unit, body: Body | None, owner: int, name: str, at: int, *, values: bool) -> Meaning:
        """What a name alone means in the scope `owner`."""
        scope = owner
        while scope >= 0:
            outline = unit.outlines[scope]
            if outline.kind_number == _MODULE:
                break
            found = self._scoped(unit, body, scope, name, at, values=values)
            if found is not None:
                return found
            scope = outline.parent
        return self.module_name(Mod(unit.path, scope), name, values=values) or self._outside(unit, name, values=values)

    def _outside(self, unit: Unit, name: str, *, values: bool) -> Meaning:
        other = None if values or name in _OWN_CRATES else self.crates.other(unit.path, name)
        return other if other is not None else External(name)

    def _scoped(self, unit: Unit, body: Body | None, scope: int, name: str, at: int, *, values: bool) -> Meaning | None:
        """What a function, impl block or type makes of a name; None when nothing."""
        if not values:
            for base in unit.bases_of.get(scope, ()):
                if base.how == "param" and base.text.startswith(name + ":"):
                    return Kind(Param(Ref(unit.path, scope), name))
        if not unit.outlines[scope].is_function:
            return None
        if values:
            found = self._variable(unit, body, scope, name, at)
            if found is not None:
                return found
        own = self._own(unit, scope, name, values=values)
        if own is not None:
            return own
        for item in unit.starred:
            if item.scope == scope:
                offered = self._globbed(unit, item, name, values=values)
                if offered is not None and not isinstance(offered, External):
                    return offered
        return None

    def _variable(self, unit: Unit, body: Body | None, scope: int, name: str, at: int) -> Meaning | None:
        if body is not None:
            around = [b for b in body.bound.get((scope, name), ()) if not b.last or b.first <= at < b.last]
            if around:
                return self.local(unit, body, scope, max(around, key=lambda b: b.first))
        signature = unit.signature_of.get(scope)
        if signature is None or name not in signature.parameters:
            return None
        for text in signature.parameters.split(";"):
            bare, _, declared = text.partition(":")
            if bare != name:
                continue
            if name == "self" and not declared:
                return Value(self.own_type(unit, scope), "self")
            return Value(self.typed(unit, scope, declared), "self" if name == "self" else "typed")
        return None

    def _own(self, unit: Unit, scope: int, name: str, *, values: bool) -> Meaning | None:
        """Definitions and imports of the name that stand right in a scope."""
        found: dict[Meaning, None] = {}
        for index in unit.members.get((scope, name), ()):
            if _is_in(unit, index, values=values):
                found[self._defined(unit, index)] = None
        for item in unit.imported.get((scope, name), ()):
            meaning = self.imported(unit, item, values=values)
            if meaning is not None:
                found[meaning] = None
        if len(found) > 1:
            # An import that comes back to itself (`mod a; use self::a::a;`) adds nothing.
            known = [meaning for meaning in found if not isinstance(meaning, Unknown) or meaning.candidates]
            found = dict.fromkeys(known) if known else found
        if not found:
            return None
        if len(found) == 1:
            return next(iter(found))
        refs = tuple(meaning.ref for meaning in found if isinstance(meaning, Found))
        return Unknown(f"declared {len(found)} times", refs)

    def _defined(self, unit: Unit, index: int) -> Meaning:
        if unit.outlines[index].kind_number == _MODULE:
            return self.crates.child(unit, index)
        return Found(Ref(unit.path, index))

    def imported(self, unit: Unit, item: Import, *, values: bool) -> Meaning | None:
        """What an import binds among values or types; None when nothing there."""

        def compute() -> Meaning | None:
            if not item.module:
                return self._unqualified(unit, item, values=values)
            source = self.source(unit, item.scope, item.module)
            if isinstance(source, Mod):
                return self.offered(source, item.name, values=values, private=True)
            if isinstance(source, Found | Kind):
                meaning = self.step(source, item.name, values=values)
                return None if isinstance(meaning, Unknown) and not meaning.candidates else meaning
            if isinstance(source, External):
                return External(f"{source.name}::{item.name}")
            return source

        return self.repository.once(("rust-imported", unit.path, item, values), compute)

    def _unqualified(self, unit: Unit, item: Import, *, values: bool) -> Meaning | None:
        """What `use a;`, `use a as b;` and `extern crate a;` bind."""
        other = self.crates.other(unit.path, item.name) if item.name not in _OWN_CRATES else None
        if other is not None:
            return None if values else other
        found: Meaning | None = None
        if item.name != item.alias:
            found = self.module_name(Mod(unit.path, self._module_of(unit, item.scope)), item.name, values=values)
        root = self.crates.root(unit.path)
        if found is None and isinstance(root, Mod) and root != Mod(unit.path, item.scope):
            found = self.module_name(root, item.name, values=values)
        return found if found is not None or values else External(item.name)

    def source(self, unit: Unit, scope: int, module: str) -> Meaning:
        """The module or type that an import takes from. Since 2018 the first name may be anything in scope."""
        if module.startswith("::"):
            return self._from_crates(unit, module, values=False)
        first, rest = _split(module)
        meaning: Meaning
        if first in ("crate", "self", "super", "$crate"):
            meaning = self._first(unit, None, scope, first, -1, values=False)
        else:
            own: Meaning | None = None
            if first not in _OWN_CRATES:
                at = self._module_of(unit, scope)
                own = self._own(unit, scope, first, values=False) if scope != at else None
                own = own or self.module_name(Mod(unit.path, at), first, values=False)
            meaning = own if own is not None else self._outside(unit, first, values=False)
            if isinstance(meaning, External):
                # In the edition of 2015 paths of imports begin at the crate.
                root = self.crates.root(unit.path)
                found = self.offered(root, first, values=False, private=True) if isinstance(root, Mod) else None
                meaning = found if found is not None and not isinstance(found, External) else meaning
        while rest:
            first, rest = _split(rest)
            meaning = self.step(meaning, first, values=False)
        return meaning

    def module_name(self, module: Mod, name: str, *, values: bool) -> Meaning | None:
        """What a module makes of a name in itself; None when nothing."""
        return self.offered(module, name, values=values, private=True)

    def offered(self, module: Mod, name: str, *, values: bool, private: bool) -> Meaning | None:
        """What `module::name` means; without `private` only what is public."""

        def compute() -> Meaning | None:
            unit = self.repository.unit(module.path)
            if unit is None:
                return Unknown("the module is not read")
            own = self._own(unit, module.at, name, values=values)
            if own is not None and (private or self._is_public(unit, module.at, name)):
                return own
            found: dict[Meaning, None] = {}
            outside: Meaning | None = None
            for item in unit.starred:
                if item.scope != module.at or not (private or item.flags & _REEXPORT):
                    continue
                meaning = self._globbed(unit, item, name, values=values)
                if isinstance(meaning, External):
                    outside = meaning
                elif meaning is not None:
                    found[meaning] = None
            if len(found) > 1:
                return Unknown("offered by several modules")
            return next(iter(found)) if found else outside

        return self.repository.once(("rust-offered", module, name, values, private), compute)

    def _is_public(self, unit: Unit, scope: int, name: str) -> bool:
        defined = any(unit.outlines[index].flags & EXPORTED for index in unit.members.get((scope, name), ()))
        return defined or any(item.flags & _REEXPORT for item in unit.imported.get((scope, name), ()))

    def _globbed(self, unit: Unit, item: Import, name: str, *, values: bool) -> Meaning | None:
        """What `use module::*` makes of a name. External sources may offer any name, so they decide nothing."""
        source = self.source(unit, item.scope, item.module)
        if isinstance(source, Mod):
            inside = self._is_above(source, Mod(unit.path, self._module_of(unit, item.scope)))
            return self.offered(source, name, values=values, private=inside)
        if isinstance(source, Found):
            other = self.repository.unit(source.ref.path)
            for index in other.members.get((source.ref.at, name), ()) if other is not None else ():
                if other is not None and other.outlines[index].kind_number == _CONSTANT:
                    return Found(Ref(source.ref.path, index))
        return None

    def _is_above(self, module: Mod, at: Mod) -> bool:
        """Whether a module holds another, which then sees what is private in it."""
        above: Meaning = at
        for _ in range(32):
            if not isinstance(above, Mod):
                return False
            if above == module:
                return True
            above = self._super(above)
        return False

    def step(self, meaning: Meaning, name: str, *, values: bool) -> Meaning:
        """What `::name` of a meaning means."""
        if isinstance(meaning, Mod):
            if name == "super":
                return self._super(meaning)
            if name == "self":
                return meaning
            found = self.offered(meaning, name, values=values, private=True)
            return found if found is not None else Unknown(f"no {name} in the module")
        if isinstance(meaning, External):
            return External(f"{meaning.name}::{name}")
        if isinstance(meaning, Found | Kind):
            held = self.type_of_name(meaning)
            if isinstance(meaning, Kind) and meaning.trait is not None:
                return self.qualified(held, meaning.trait, name)
            return self.associated(held, name, values=values)
        return meaning if isinstance(meaning, Unknown) else Unknown("a value has no members by path")

    @abstractmethod
    def qualified(self, held: Type, trait: Ref, name: str) -> Meaning:
        """What `<T as R>::name` means."""

    def type_of_name(self, meaning: Meaning) -> Type:
        """The type that a path among types means, aliases seen through."""
        if isinstance(meaning, Kind):
            return meaning.type
        if isinstance(meaning, External):
            return Outside(meaning.name)
        if isinstance(meaning, Found):
            return self._aliased(meaning.ref, ())
        return Opaque(meaning.why if isinstance(meaning, Unknown) else "a path that is no type")

    def typed(self, unit: Unit, owner: int, text: str, body: Body | None = None, at: int = -1) -> Type:
        """The type that is written `text` in the scope `owner`."""
        if not text:
            return Opaque("the type has no name")
        return parse(text, lambda path, args: self._written(unit, body, owner, path, args, at))

    def _written(self, unit: Unit, body: Body | None, owner: int, path: str, args: tuple[Type, ...], at: int) -> Type:
        meaning = self.path(unit, body, owner, path, at, values=False)
        if isinstance(meaning, Found):
            return self._aliased(meaning.ref, args)
        if isinstance(meaning, Kind):
            return meaning.type
        if isinstance(meaning, External):
            last = meaning.name.rpartition("::")[2]
            if last in ("Iterator", "IntoIterator", "DoubleEndedIterator", "ExactSizeIterator"):
                return Outside("Iter", args)
            return Outside(meaning.name, args)
        return Opaque(meaning.why if isinstance(meaning, Unknown) else "a path that is no type")

    def _aliased(self, ref: Ref, args: tuple[Type, ...]) -> Type:
        """A named type with arguments; of an alias what it stands for."""

        def compute() -> Type:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return Opaque("the type is not read")
            outline = unit.outlines[ref.at]
            if outline.kind_number == _CONSTANT:
                return Adt(ref)
            if outline.kind_number not in _TYPES:
                return Opaque("a path that is no type")
            for base in unit.bases_of.get(ref.at, ()):
                if base.how == "alias":
                    return self._filled(self.typed(unit, ref.at, base.text), unit, ref.at, args)
            if outline.kind is SymbolKind.TYPE:
                return Opaque("an associated type")
            return Adt(ref, args)

        return self.repository.once(("rust-aliased", ref, args), compute, Opaque("the alias names itself"))

    @abstractmethod
    def _filled(self, held: Type, unit: Unit, at: int, args: tuple[Type, ...]) -> Type:
        """The type with the parameters of the definition `at` replaced by arguments."""

    def is_trait(self, ref: Ref) -> bool:
        """Whether a definition is a trait."""
        unit = self.repository.unit(ref.path)
        return unit is not None and unit.outlines[ref.at].kind_number == _TRAIT

    def as_bound(self, held: Type) -> Type:
        """A trait that stands where a type is written (`dyn R` of old) is some type that has it."""
        return Dyn(held) if isinstance(held, Adt) and self.is_trait(held.ref) else held


def _is_in(unit: Unit, index: int, *, values: bool) -> bool:
    """Whether the definition is in the wanted space."""
    outline = unit.outlines[index]
    number = outline.kind_number
    if number == _IMPL:
        return False
    if values:
        return outline.is_function or number in (_CONSTANT, _STRUCT)
    return number in _TYPES or number == _MODULE


def _split(path: str) -> tuple[str, str]:
    """The first segment of a path, and what follows."""
    if path.startswith("<"):
        depth = 0
        for at, character in enumerate(path):
            depth += (character == "<") - (character == ">")
            if not depth:
                return path[: at + 1], path[at + 3 :]
    first, _, rest = path.partition("::")
    return first, rest
