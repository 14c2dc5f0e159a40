"""Classes of Python: members, order of bases, what is inherited, and what a descendant may replace.

The order of bases is the interpreter's (C3). A base outside the repository may hold any name, so a member that stands
after one is not proved. A virtual call is proved only when nothing in the repository that can come between replaces it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from satori.model.reference import Binding
from satori.relationships.meaning import External, Found, Instance, Meaning, Overridden, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.python.standard import EMPTY_BASES, PROPERTIES, TRANSPARENT
from satori.relationships.unit import DECLARATION_ONLY, Body, Ref, Unit

_CIRCULAR: Meaning = Unknown("the class descends from itself")
_NO_ORDER: tuple[Ref | External | Unknown, ...] = (Unknown("the class descends from itself"),)


class Classes(ABC):
    """Classes of one repository; how names get their meaning is the heir's."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    @abstractmethod
    def evaluate(self, unit: Unit, body: Body | None, owner: int, chain: str, at: int) -> Meaning:
        """What a chain means in the scope `owner`."""

    @abstractmethod
    def instance_of(self, declared: Meaning) -> Meaning:
        """A value declared to be of the type."""

    @abstractmethod
    def returned(self, unit: Unit, at: int) -> Meaning:
        """What the function's declared result is."""

    def bases(self, ref: Ref) -> tuple[Ref | External | Unknown, ...]:
        """The direct bases of a class, in order, those without members left out."""

        def compute() -> tuple[Ref | External | Unknown, ...]:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return ()
            found: list[Ref | External | Unknown] = []
            for base in unit.bases_of.get(ref.at, ()):
                if base.how != "base":
                    continue
                meaning = self.evaluate(unit, None, unit.outlines[ref.at].parent, base.text, -1)
                if isinstance(meaning, Found) and self._is_type(meaning.ref):
                    found.append(meaning.ref)
                elif isinstance(meaning, External):
                    if meaning.name not in EMPTY_BASES:
                        found.append(meaning)
                else:
                    found.append(Unknown(f"the base {base.text or 'expression'} is not known"))
            return tuple(found)

        return self.repository.once(("python-bases", ref), compute, _NO_ORDER)

    def _is_type(self, ref: Ref) -> bool:
        unit = self.repository.unit(ref.path)
        return unit is not None and unit.outlines[ref.at].is_type

    def order(self, ref: Ref) -> tuple[Ref | External | Unknown, ...]:
        """The class and everything it descends from, in the order in which members are looked up."""

        def compute() -> tuple[Ref | External | Unknown, ...]:
            bases = self.bases(ref)
            lists: list[list[Ref | External | Unknown]] = []
            for base in bases:
                lists.append(list(self.order(base)) if isinstance(base, Ref) else [base])
            lists.append(list(bases))
            merged: list[Ref | External | Unknown] = [ref]
            while any(lists):
                for candidates in lists:
                    if candidates and not any(candidates[0] in other[1:] for other in lists):
                        head = candidates[0]
                        break
                else:
                    return (ref, Unknown("its bases have no order"))
                merged.append(head)
                lists = [[item for item in other if item != head] for other in lists]
            return tuple(merged)

        return self.repository.once(("python-order", ref), compute, _NO_ORDER)

    def is_metaclass(self, ref: Ref) -> bool:
        """Whether instances of the class are classes."""
        return External("builtins.type") in self.order(ref)

    def class_member(self, ref: Ref, name: str) -> Meaning | None:
        """What the class itself, without its bases, makes of the name; None when nothing."""

        def compute() -> Meaning | None:
            unit = self.repository.unit(ref.path)
            place = (ref.at, name)
            if unit is None or not (name in unit.member_names(ref.at) or place in unit.imported):
                return None
            defined = [
                Ref(ref.path, index)
                for index in unit.members.get(place, ())
                if unit.outlines[index].is_function or unit.outlines[index].is_type
            ]
            bindings = [binding for binding in unit.bound.get(place, ()) if not binding.last]
            valued = [binding for binding in bindings if binding.value != "None" or binding.type]
            if place in unit.imported:
                return Unknown("imported in a class body")
            if defined and valued:
                return Unknown("rebound in its class", tuple(defined))
            if defined:
                return self._method(unit, defined)
            if not bindings:
                return None
            return self._field(unit, valued)

        return self.repository.once(("python-member", ref, name), compute, _CIRCULAR)

    def _method(self, unit: Unit, defined: list[Ref]) -> Meaning:
        proper = [ref for ref in defined if not unit.outlines[ref.at].flags & DECLARATION_ONLY] or defined
        if len(proper) == 1:
            return Found(proper[0])
        return Unknown(f"defined {len(proper)} times in its class", tuple(proper))

    def _field(self, unit: Unit, bindings: list[Binding]) -> Meaning:
        if not bindings:
            return Unknown("the value is None")
        if len(bindings) > 4:
            return Unknown("assigned more than four times")
        meanings = set()
        for binding in bindings:
            scope = binding.owner
            meaning: Meaning = Unknown("assigned something that is no name")
            if binding.value and binding.value != "None":
                meaning = self.evaluate(unit, None, scope, binding.value, -1)
            if binding.type and not isinstance(meaning, Instance):
                meaning = self.instance_of(self.evaluate(unit, None, scope, binding.type, -1))
            meanings.add(meaning)
        if len(meanings) == 1:
            return meanings.pop()
        return Unknown("assigned different things")

    def inherited(self, ref: Ref, name: str) -> Meaning:
        """What the class or its bases make of the name: the static target."""

        def compute() -> Meaning:
            return self._search(self.order(ref), name)[0]

        return self.repository.once(("python-inherited", ref, name), compute, _CIRCULAR)

    def _search(self, order: tuple[Ref | External | Unknown, ...], name: str) -> tuple[Meaning, Ref | None]:
        before: External | Unknown | None = None
        for item in order:
            if isinstance(item, Ref):
                member = self.class_member(item, name)
                if member is None:
                    continue
                if before is not None:
                    candidates = (member.ref,) if isinstance(member, Found) else ()
                    what = before.name if isinstance(before, External) else before.why
                    return Unknown(f"a base comes first that is not in the repository: {what}", candidates), None
                return member, item
            if before is None:
                before = item
        if isinstance(before, External):
            return External(f"{before.name}.{name}"), None
        if before is not None:
            return before, None
        return Unknown(f"no {name} in the class or its bases"), None

    def virtual(self, ref: Ref, name: str) -> Meaning:
        """What the name means on a value of the type or of any that descends from it."""

        def compute() -> Meaning:
            order = self.order(ref)
            static, holder = self._search(order, name)
            if holder is None:
                return static
            others = self._replacing(ref, name, holder, whole=True)
            # A declared type binds descendants too; what merely happens to be assigned does not.
            if not others or (isinstance(static, Instance) and not static.exact):
                return static
            if isinstance(static, Found):
                return Overridden(static.ref, others)
            return Unknown(f"{len(others)} classes give {name} another meaning")

        return self.repository.once(("python-virtual", ref, name), compute, _CIRCULAR)

    def after(self, ref: Ref, name: str) -> Meaning:
        """What `super().name` in the class means. A class that comes between in the order of some descendant, and has
        the name, makes it unproved."""

        def compute() -> Meaning:
            static, holder = self._search(self.order(ref)[1:], name)
            if holder is None or not isinstance(static, Found):
                return static
            between = self._replacing(ref, name, holder, whole=False)
            return Overridden(static.ref, between) if between else static

        return self.repository.once(("python-after", ref, name), compute, _CIRCULAR)

    def _replacing(self, ref: Ref, name: str, holder: Ref, *, whole: bool) -> tuple[Ref, ...]:
        """The classes whose own `name` some descendant of `ref` finds before `holder`: descendants themselves (only
        when `whole`), and what their other bases put in between."""
        below = self.repository.descendants(ref)
        found = []
        for other in self.repository.overriders(ref, name):
            if other in below:
                if whole:
                    found.append(other)
                continue
            for heir in below:
                order = [item for item in self.order(heir) if isinstance(item, Ref)]
                first = 0 if whole else order.index(ref) if ref in order else len(order)
                if holder in order and other in order[first : order.index(holder)]:
                    found.append(other)
                    break
        return tuple(found)

    def constructed(self, ref: Ref) -> Meaning:
        """What calling the class gives."""

        def compute() -> Meaning:
            unit = self.repository.unit(ref.path)
            if unit is None:
                return Unknown("the result of a call")
            decorated = self.replaces(unit, ref.at)
            if decorated is not None:
                return Unknown(f"the class is decorated with {decorated}")
            if self.metacall(ref):
                return Unknown("its metaclass decides what calling it gives")
            made, holder = self._search(self.order(ref), "__new__")
            return Instance(ref, exact=holder is None and not isinstance(made, Found))

        return self.repository.once(("python-constructed", ref), compute, _CIRCULAR)

    def metacall(self, ref: Ref) -> bool:
        """Whether a metaclass in the repository decides what calling the class means."""

        def compute() -> bool:
            for item in self.order(ref):
                if not isinstance(item, Ref):
                    continue
                unit = self.repository.unit(item.path)
                for base in unit.bases_of.get(item.at, ()) if unit is not None else ():
                    if unit is None or base.how != "metaclass":
                        continue
                    meta = self.evaluate(unit, None, unit.outlines[item.at].parent, base.text, -1)
                    if isinstance(meta, Found) and self._search(self.order(meta.ref), "__call__")[1] is not None:
                        return True
            return False

        return self.repository.once(("python-metacall", ref), compute, False)

    def constructor(self, ref: Ref) -> Ref | None:
        """The `__init__` that runs when the class is called, when it is provably one in the repository."""
        found = self.inherited(ref, "__init__")
        return found.ref if isinstance(found, Found) else None

    def replaces(self, unit: Unit, at: int) -> str | None:
        """The first decorator that may put something else in the definition's place; None when none does."""
        for text in unit.marks_of.get(at, ()):
            if not self._leaves(unit, at, text):
                return text or "an expression"
        return None

    def _leaves(self, unit: Unit, at: int, text: str) -> bool:
        """Whether calling what the decorator makes still runs the decorated body."""

        def compute() -> bool:
            called = text.endswith("()")
            meaning = self._mark(unit, at, text.removesuffix("()") if called else text)
            if isinstance(meaning, External):
                return meaning.name + ("()" if called else "") in TRANSPARENT
            if not isinstance(meaning, Found):
                return False
            maker = self.repository.unit(meaning.ref.path)
            return maker is not None and self._passes_on(maker, meaning.ref.at, called=called)

        return self.repository.once(("python-leaves", unit.path, unit.outlines[at].parent, text), compute, False)

    def _passes_on(self, unit: Unit, at: int, *, called: bool) -> bool:
        """Whether the function, as a decorator (`called`: what it gives as one), returns what it is given, or a
        function inside it that is marked with `functools.wraps` and calls that."""
        signature = unit.signature_of.get(at)
        if signature is None or not unit.outlines[at].is_function or unit.marks_of.get(at):
            return False
        given = signature.parameters.split(",")[0].partition(":")[0]
        results = [chain for chain in signature.results.split(",") if chain != "None"]
        if not results or "?" in results or "" in results:
            return False
        for chain in results:
            inner = unit.members.get((at, chain.removesuffix("()")), ())
            if chain.endswith("()") or called:
                # A decorator inside, given out or applied at once.
                if len(inner) != 1 or not self._passes_on(unit, inner[0], called=False):
                    return False
            elif chain != given and not (given and inner and all(self._wraps(unit, one, given) for one in inner)):
                return False
        return True

    def _wraps(self, unit: Unit, at: int, given: str) -> bool:
        signature = unit.signature_of.get(at)
        if signature is None or given not in signature.forwards.split(","):
            return False
        marks = [self._mark(unit, at, text) for text in unit.marks_of.get(at, ())]
        return len(marks) == 1 and isinstance(marks[0], External) and marks[0].name == "functools.wraps()"

    def is_property(self, unit: Unit, at: int) -> bool:
        """Whether reading the attribute runs the method."""
        for text in unit.marks_of.get(at, ()):
            meaning = self._mark(unit, at, text)
            if isinstance(meaning, External) and meaning.name in PROPERTIES:
                return True
        return False

    def _mark(self, unit: Unit, at: int, text: str) -> Meaning:
        def compute() -> Meaning:
            return self.evaluate(unit, None, unit.outlines[at].parent, text, -1)

        return self.repository.once(("python-mark", unit.path, unit.outlines[at].parent, text), compute, _CIRCULAR)
