"""Members of Rust's types: fields, inherent and trait functions, what traits provide, what `Deref` leads to.

Impl blocks are found by their type's name, wherever they stand. Several functions of one name (for other type
arguments, or by `cfg`) prove nothing. Blanket implementations, and what derives and macros write, are not seen: a
method that only they give is not found. On a trait's value or type parameter a function is a target only while no
implementation in the repository replaces it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from satori.model.definition import SymbolKind
from satori.model.reference import BindingKind
from satori.relationships.meaning import External, Found, Unknown
from satori.relationships.rules.rust.library import POINTER_METHODS, pointed
from satori.relationships.rules.rust.names import Names
from satori.relationships.rules.rust.shapes import (
    Adt,
    Dyn,
    Kind,
    Meaning,
    Member,
    Opaque,
    Outside,
    Param,
    Tuple,
    Type,
    Value,
    substituted,
)
from satori.relationships.unit import DECLARATION_ONLY, KINDS, Ref, Unit

_IMPL = KINDS.index(SymbolKind.NAMESPACE)
_CONSTANT = KINDS.index(SymbolKind.CONSTANT)
_FIELD = int(BindingKind.FIELD)
_CIRCULAR = Unknown("the type is made of itself")
_MAX_DEPTH = 8


class Impl(NamedTuple):
    """An impl block: where it is, its trait (None: none; a name: from outside), and the type as it writes it."""

    ref: Ref
    trait: Ref | str | None
    on: Type


class Types(Names):
    """Types of one repository."""

    def impls(self, ref: Ref) -> tuple[Impl, ...]:
        """The impl blocks of a type."""

        def compute() -> tuple[Impl, ...]:
            home = self.repository.unit(ref.path)
            if home is None:
                return ()
            name = home.outlines[ref.at].name
            places = {item for item in self.repository.named(name) if item.path.endswith(".rs")}
            # Blocks inside of modules in blocks are not among the outermost definitions.
            places |= {Ref(ref.path, at) for at, outline in enumerate(home.outlines) if outline.name == name}
            found: list[Impl] = []
            for place in sorted(places):
                unit = self.repository.unit(place.path)
                if unit is None or unit.outlines[place.at].kind_number != _IMPL:
                    continue
                if place.path != ref.path and self._has_own(unit, place.at, name):
                    continue
                item = self._impl(unit, place.at)
                if item is not None and isinstance(item.on, Adt) and item.on.ref == ref:
                    found.append(item)
            return tuple(found)

        return self.repository.once(("rust-impls", ref), compute, ())

    def _has_own(self, unit: Unit, at: int, name: str) -> bool:
        """Whether an impl block is plainly of a type that its own file declares: most of a common name are."""
        if (-1, name) in unit.imported:
            return False
        written = [base.text for base in unit.bases_of.get(at, ()) if base.how == "type"]
        if not written or "::" in written[0].partition("<")[0]:
            return False
        return any(unit.outlines[index].is_type for index in unit.members.get((-1, name), ()))

    def _impl(self, unit: Unit, at: int) -> Impl | None:
        """What an impl block implements, for a type by value."""

        def compute() -> Impl | None:
            on: Type | None = None
            trait: Ref | str | None = None
            for base in unit.bases_of.get(at, ()):
                if base.how == "type":
                    if base.text.startswith("&"):
                        return None
                    on = self.typed(unit, at, base.text)
                elif base.how == "trait":
                    held = self.typed(unit, at, base.text)
                    trait = held.ref if isinstance(held, Adt) else base.text.partition("<")[0].rpartition("::")[2]
            return Impl(Ref(unit.path, at), trait, on) if on is not None else None

        return self.repository.once(("rust-impl", unit.path, at), compute)

    def functions(self, unit: Unit, at: int, name: str) -> list[Ref]:
        """The functions of that name of an impl block or trait."""
        return [Ref(unit.path, i) for i in unit.members.get((at, name), ()) if unit.outlines[i].is_function]

    def member(self, held: Adt, name: str) -> Member | Unknown | None:
        """The function of that name of a type: its own, of one of its traits, or what a trait provides."""

        def compute() -> Member | Unknown | None:
            own: list[Member] = []
            traits: list[Member] = []
            provided: dict[Ref, Member] = {}
            for item in self.impls(held.ref):
                unit = self.repository.unit(item.ref.path)
                if unit is None or not self._fits(item.on, held):
                    continue
                found = [Member(ref, held) for ref in self.functions(unit, item.ref.at, name)]
                (own if item.trait is None else traits).extend(found)
                if isinstance(item.trait, Ref) and not found:
                    for ref in self.provided(item.trait, name):
                        provided[ref] = Member(ref, held, default=True)
            for group in (own, traits, list(provided.values())):
                if len(group) == 1:
                    return group[0]
                if group:
                    return Unknown(f"defined {len(group)} times", tuple(sorted(item.ref for item in group)))
            return None

        return self.repository.once(("rust-member", held, name), compute, _CIRCULAR)

    def _fits(self, written: Type, held: Adt) -> bool:
        """Whether an impl block for one set of type arguments may be meant by another."""
        if not isinstance(written, Adt):
            return False
        return all(_may_equal(one, other) for one, other in zip(written.args, held.args, strict=False))

    def provided(self, trait: Ref, name: str) -> list[Ref]:
        """The functions of that name that a trait, or one that it requires, has a body for."""
        return [ref for ref in self.asked(trait, name) if not self._flags(ref) & DECLARATION_ONLY]

    def asked(self, trait: Ref, name: str) -> list[Ref]:
        """The functions of that name of a trait, else of what it requires."""

        def compute() -> list[Ref]:
            waiting = [trait]
            seen = {trait}
            while waiting:
                at = waiting.pop(0)
                unit = self.repository.unit(at.path)
                if unit is None:
                    continue
                found = self.functions(unit, at.at, name)
                if found:
                    return found
                for base in unit.bases_of.get(at.at, ()):
                    held = self.typed(unit, at.at, base.text) if base.how == "super" else None
                    if isinstance(held, Adt) and held.ref not in seen:
                        seen.add(held.ref)
                        waiting.append(held.ref)
            return []

        return self.repository.once(("rust-asked", trait, name), compute, [])

    def _flags(self, ref: Ref) -> int:
        unit = self.repository.unit(ref.path)
        return unit.outlines[ref.at].flags if unit is not None else 0

    def replaced(self, ref: Ref) -> int:
        """How many implementations in the repository may replace a trait's function: by the trait's name."""

        def compute() -> int:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return 1
            outline = unit.outlines[ref.at]
            trait = unit.outlines[outline.parent].name
            count = 0
            for place in self.repository.named(outline.name):
                other = self.repository.unit(place.path) if place.path.endswith(".rs") else None
                around = other.outlines[place.at].parent if other is not None else -1
                if other is None or around < 0:
                    continue
                for base in other.bases_of.get(around, ()):
                    count += base.how == "trait" and base.text.partition("<")[0].rpartition("::")[2] == trait
            return count

        return self.repository.once(("rust-replaced", ref), compute, 1)

    def bounds(self, held: Param) -> tuple[Type, ...]:
        """The traits that a type parameter is known to have."""

        def compute() -> tuple[Type, ...]:
            unit = self.repository.unit(held.ref.path)
            if unit is None:
                return ()
            if held.name == "Self":
                return (Adt(held.ref),)
            found = []
            for base in unit.bases_of.get(held.ref.at, ()):
                own, _, bound = base.text.partition(":")
                if base.how == "param" and own == held.name and bound:
                    found.append(self.typed(unit, held.ref.at, bound))
            return tuple(found)

        return self.repository.once(("rust-bounds", held), compute, ())

    def of_traits(self, traits: tuple[Type, ...], on: Type, name: str) -> Meaning:
        """A function of some type that is known by its traits."""
        found: dict[Ref, None] = {}
        outside: str | None = None
        for trait in traits:
            if isinstance(trait, Adt):
                found.update(dict.fromkeys(self.asked(trait.ref, name)))
            elif isinstance(trait, Outside):
                outside = outside or trait.name
        if len(found) == 1:
            (ref,) = found
            return Member(ref, on, virtual=True)
        if found:
            return Unknown("offered by several traits", tuple(sorted(found)))
        return External(f"{outside}::{name}") if outside is not None else Unknown(f"no {name} in its traits")

    def associated(self, held: Type, name: str, *, values: bool) -> Meaning:
        """What `T::name` means: a function, a variant, an associated type."""
        if isinstance(held, Outside):
            return External(f"{held.name}::{name}")
        if isinstance(held, Param | Dyn):
            traits = self.bounds(held) if isinstance(held, Param) else (held.trait,)
            return self.of_traits(traits, held, name) if values else Unknown("an associated type")
        if not isinstance(held, Adt):
            return Unknown(held.why if isinstance(held, Opaque) else "it has no members")
        unit = self.repository.unit(held.ref.path)
        if unit is None:
            return Unknown("the type is not read")
        if self.is_trait(held.ref):
            return self.of_traits((held,), Param(held.ref, "Self"), name) if values else Unknown("an associated type")
        variants = [i for i in unit.members.get((held.ref.at, name), ()) if unit.outlines[i].kind_number == _CONSTANT]
        if variants:
            return Found(Ref(held.ref.path, variants[0])) if len(variants) == 1 else Unknown("declared twice")
        if not values:
            found = self.output(held, None, name)
            return Kind(found) if found is not None else Unknown("an associated type")
        member = self.member(held, name)
        return member if member is not None else Unknown(f"no {name} that the source shows")

    def qualified(self, held: Type, trait: Ref, name: str) -> Meaning:
        """What `<T as R>::name` means."""
        if isinstance(held, Adt):
            for item in self.impls(held.ref):
                unit = self.repository.unit(item.ref.path)
                if item.trait == trait and unit is not None:
                    found = self.functions(unit, item.ref.at, name) or self.provided(trait, name)
                    if len(found) == 1:
                        return Member(found[0], held)
        return self.of_traits((Adt(trait),), held, name)

    def output(self, held: Adt, trait: str | None, name: str) -> Type | None:
        """The associated type `name` of a type's implementation of a trait (None: of any)."""
        found: dict[Type, None] = {}
        for item in self.impls(held.ref):
            unit = self.repository.unit(item.ref.path)
            if unit is None or item.trait is None or (trait is not None and item.trait != trait):
                continue
            for index in unit.members.get((item.ref.at, name), ()):
                for base in unit.bases_of.get(index, ()):
                    if base.how == "alias":
                        written = self.typed(unit, item.ref.at, base.text)
                        found[substituted(written, self.given(item.on, held))] = None
        return next(iter(found)) if len(found) == 1 else None

    def given(self, written: Type, held: Type) -> Mapping[tuple[Ref, str], Type]:
        """What the parameters of a type as an impl block writes it are on a type at hand."""
        found: dict[tuple[Ref, str], Type] = {}
        if isinstance(written, Adt | Outside) and isinstance(held, Adt | Outside):
            for one, other in zip(written.args, held.args, strict=False):
                if isinstance(one, Param):
                    found[one.ref, one.name] = other
                else:
                    found.update(self.given(one, other))
        return found

    def _filled(self, held: Type, unit: Unit, at: int, args: tuple[Type, ...]) -> Type:
        own = self.parameters(unit, at)
        return substituted(held, {(p.ref, p.name): a for p, a in zip(own, args, strict=False) if isinstance(p, Param)})

    def field(self, held: Type, name: str) -> Meaning:
        """What `.name` of a value is, without a call."""
        for _ in range(_MAX_DEPTH):
            if isinstance(held, Tuple):
                if name.isdigit() and int(name) < len(held.items):
                    return Value(held.items[int(name)], "typed")
                return Unknown("a tuple has no such field")
            if isinstance(held, Adt):
                unit = self.repository.unit(held.ref.path)
                fields = [b for b in unit.bound.get((held.ref.at, name), ()) if b.kind == _FIELD] if unit else []
                if unit is not None and fields:
                    if len(fields) > 1:
                        return Unknown("declared twice")
                    written = self.typed(unit, held.ref.at, fields[0].type)
                    return Value(self._filled(written, unit, held.ref.at, held.args), "typed")
            following = self.dereferenced(held)
            if following is None:
                break
            held = following
        if isinstance(held, Outside):
            return External(f"{held.name}.{name}")
        return Unknown(held.why if isinstance(held, Opaque) else f"no field {name}")

    def extensions(self, held: Outside, name: str) -> tuple[Ref, ...]:
        """The functions that implementations in the repository give to a type from outside, by its name."""
        own = held.name.rpartition("::")[2]

        def compute() -> tuple[Ref, ...]:
            found = []
            for place in self.repository.named(name):
                unit = self.repository.unit(place.path) if place.path.endswith(".rs") else None
                around = unit.outlines[place.at].parent if unit is not None else -1
                if unit is None or around < 0 or unit.outlines[around].kind_number != _IMPL:
                    continue
                for base in unit.bases_of.get(around, ()):
                    written = base.text.removeprefix("&")
                    written = "[]" if written.startswith("[") else written.partition("<")[0].rpartition("::")[2]
                    if base.how == "type" and written == own:
                        found.append(place)
            return tuple(found)

        return self.repository.once(("rust-extensions", own, name), compute, ())

    def dereferenced(self, held: Type) -> Type | None:
        """What `*value` is, for pointers and for types that implement Deref."""
        through = pointed(held)
        if through is not None:
            return through
        return self.output(held, "Deref", "Target") if isinstance(held, Adt) else None

    def method(self, held: Type, name: str) -> Meaning:
        """What `.name()` of a value calls."""
        outside: External | None = None
        for _ in range(_MAX_DEPTH):
            found: Meaning | None = None
            if isinstance(held, Adt) and self.is_trait(held.ref):
                held = Dyn(held)
            if isinstance(held, Adt):
                found = self.member(held, name)
            elif isinstance(held, Param | Dyn):
                traits = self.bounds(held) if isinstance(held, Param) else (held.trait,)
                found = self.of_traits(traits, held, name)
            elif isinstance(held, Outside):
                outside = outside or External(f"{held.name}.{name}")
                if pointed(held) is not None and name in POINTER_METHODS:
                    return outside
            if found is not None:
                return found
            following = self.dereferenced(held)
            if following is None:
                break
            held = following
        if outside is not None and not isinstance(held, Adt):
            extensions = self.extensions(held, name) if isinstance(held, Outside) else ()
            why = "an implementation for a type from outside may be meant"
            return Unknown(why, extensions) if extensions else outside
        return Unknown(held.why if isinstance(held, Opaque) else f"no method {name} that the source shows")


def _may_equal(one: Type, other: Type) -> bool:
    if isinstance(one, Param | Opaque) or isinstance(other, Param | Opaque):
        return True
    if isinstance(one, Adt) and isinstance(other, Adt):
        return one.ref == other.ref and all(_may_equal(a, b) for a, b in zip(one.args, other.args, strict=False))
    if isinstance(one, Outside) and isinstance(other, Outside):
        return one.name.rpartition("::")[2] == other.name.rpartition("::")[2]
    return type(one) is type(other)
