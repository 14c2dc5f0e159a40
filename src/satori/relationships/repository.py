"""The repository as rules see it: units by path, and questions that are remembered.

Every question a rule asks is recorded under a key, so that a resolution knows all it depended on: when no answer to its
questions changed, the resolution stands. What rules work out on the way (modules, members, base chains) is worked out
once and shared, and whoever uses it inherits its questions. Nothing here reads source files or knows a language.

Keys: `p:PATH` whether a file exists, `d:DIR` whether a directory holds files, `n:NAME` the places of a file with that
name, `l:DIR` the files in a directory, `k:LANGUAGE:PACKAGE` the files that declare a package, `u:PATH` a file's
interface, `s:NAME` where the definitions of that name are that stand in nothing but namespaces, `h:KEY` what descends
from a type and what that descends from, `o:KEY:NAME` which of those have a member of that name, `m:NAME` which types
have one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar, cast
from zlib import crc32

from satori.relationships.unit import Ref, Unit

_Value = TypeVar("_Value")
# Deeper chains of names are given up, well before the interpreter's own limit; nothing real comes near.
_MAX_DEPTH = 48
# So are conclusions that take this many others: circles through circles.
_MAX_WORK = 20_000


class Store(Protocol):
    """Where units come from: memory for a full build, a generation's database for a sync."""

    def exists(self, path: str) -> bool:
        """Whether an indexed file has exactly this path."""

    def is_directory(self, path: str) -> bool:
        """Whether indexed files lie below this directory ("" is the root)."""

    def places(self, name: str) -> Sequence[str]:
        """Paths of the indexed files with this base name, sorted."""

    def listing(self, directory: str) -> Sequence[str]:
        """Paths of the indexed files directly in a directory, sorted."""

    def package(self, language: str, name: str) -> Sequence[str]:
        """Paths of the files of a language that declare this package, sorted."""

    def unit(self, path: str) -> Unit | None:
        """The unit of the file at `path`; None when its references are not read."""

    def bases(self, ref: Ref) -> Sequence[Ref]:
        """The types in the repository that this type descends from directly, in its own order."""

    def named(self, name: str) -> Sequence[Ref]:
        """The definitions of all files that have this name and stand in nothing but namespaces, sorted."""

    def heirs(self, ref: Ref) -> Sequence[Ref]:
        """The types that descend from this one directly, sorted."""

    def definers(self, name: str) -> Sequence[Ref]:
        """The types that give this name a meaning as a member, sorted."""


class Repository:
    """A store with remembered questions and shared conclusions. Not for several threads at once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asked: set[int] = set()
        self._known: dict[tuple[object, ...], tuple[object, frozenset[int]]] = {}
        self._running: dict[tuple[object, ...], int] = {}
        self._lowest = _MAX_DEPTH + 1
        self._work = 0
        self._keys: dict[str, int] = {}

    def begin(self) -> None:
        """Start recording for another file."""
        self._asked = set()
        self._running.clear()
        self._lowest = _MAX_DEPTH + 1

    def asked(self) -> frozenset[int]:
        """The keys of all questions since `begin`, hashed by `question`."""
        return frozenset(self._asked)

    def exists(self, path: str) -> bool:
        """Whether an indexed file has this path."""
        self._ask("p:" + path)
        return self._store.exists(path)

    def is_directory(self, path: str) -> bool:
        """Whether indexed files lie below this directory."""
        self._ask("d:" + path)
        return self._store.is_directory(path)

    def places(self, name: str) -> Sequence[str]:
        """Paths of the files with this base name, sorted."""
        self._ask("n:" + name)
        return self._store.places(name)

    def listing(self, directory: str) -> Sequence[str]:
        """Paths of the files directly in a directory, sorted."""
        self._ask("l:" + directory)
        return self._store.listing(directory)

    def package(self, language: str, name: str) -> Sequence[str]:
        """Paths of the files of a language that declare this package, sorted."""
        self._ask(f"k:{language}:{name}")
        return self._store.package(language, name)

    def named(self, name: str) -> Sequence[Ref]:
        """The definitions of all files that have this name and stand in nothing but namespaces, sorted. Their units say
        what they are."""
        self._ask("s:" + name)
        return self._store.named(name)

    def unit(self, path: str) -> Unit | None:
        """The interface of the file at `path`."""
        self._ask("u:" + path)
        return self._store.unit(path)

    def key_of(self, ref: Ref) -> str:
        """The symbol key of a definition."""
        unit = self.unit(ref.path)
        return unit.key_of(ref.at) if unit is not None else ""

    def cone(self, ref: Ref) -> frozenset[Ref]:
        """Everything that can stand between a receiver of this type and the members it inherits: its descendants, and
        whatever else those descend from. Its own ancestors are not in it; it is."""

        def compute() -> frozenset[Ref]:
            self._ask("h:" + self.key_of(ref))
            above = self._above(ref)
            found = {ref}
            waiting = [ref]
            while waiting:
                for heir in self._store.heirs(waiting.pop()):
                    if heir not in found:
                        found.add(heir)
                        waiting.append(heir)
            # What is above and below at once (a class may hold one without a name that extends its heir) stays in.
            above -= found
            waiting = list(found)
            while waiting:
                for base in self._store.bases(waiting.pop()):
                    if base not in found:
                        found.add(base)
                        waiting.append(base)
            return frozenset(found - above | {ref})

        return self.once(("cone", ref), compute)

    def descendants(self, ref: Ref) -> frozenset[Ref]:
        """The types that descend from this one, itself left out."""

        def compute() -> frozenset[Ref]:
            self._ask("h:" + self.key_of(ref))
            found: set[Ref] = set()
            waiting = [ref]
            while waiting:
                for heir in self._store.heirs(waiting.pop()):
                    if heir not in found:
                        found.add(heir)
                        waiting.append(heir)
            return frozenset(found - {ref})

        return self.once(("descendants", ref), compute)

    def overriders(self, ref: Ref, name: str) -> tuple[Ref, ...]:
        """The types in the cone of `ref` that give `name` a meaning, `ref` itself left out; sorted."""

        def compute() -> tuple[Ref, ...]:
            cone = self.cone(ref)
            self._ask(f"o:{self.key_of(ref)}:{name}")
            if len(cone) == 1:
                return ()
            return tuple(item for item in self._store.definers(name) if item in cone and item != ref)

        return self.once(("overriders", ref, name), compute)

    def definers(self, name: str) -> Sequence[Ref]:
        """The types that give this name a meaning as a member, sorted."""
        self._ask("m:" + name)
        return self._store.definers(name)

    def _above(self, ref: Ref) -> set[Ref]:
        found: set[Ref] = set()
        waiting = [ref]
        while waiting:
            for base in self._store.bases(waiting.pop()):
                if base not in found:
                    found.add(base)
                    waiting.append(base)
        return found

    def once(self, key: tuple[object, ...], compute: Callable[[], _Value], default: object = None) -> _Value:
        """The value of `compute`, worked out once for `key`, with the questions it asked.

        A computation that comes back to itself gets `default` there. Nothing that took part in such a circle is kept:
        it is worked out anew for whoever asks, so that no answer depends on where the circle was entered before.
        """
        known = self._known.get(key)
        if known is not None:
            self._asked |= known[1]
            return cast("_Value", known[0])
        depth = len(self._running)
        began = self._running.get(key)
        self._work = self._work + 1 if depth else 0
        if began is not None or depth >= _MAX_DEPTH or self._work > _MAX_WORK:
            self._lowest = min(self._lowest, began if began is not None else 0)
            return cast("_Value", default)
        outer, self._asked = self._asked, set()
        self._running[key] = depth
        try:
            value = compute()
        finally:
            del self._running[key]
            mine, self._asked = self._asked, outer
            outer |= mine
        if self._lowest > depth:
            self._known[key] = (value, frozenset(mine))
        elif self._lowest == depth:
            self._lowest = _MAX_DEPTH + 1
        return value

    def _ask(self, key: str) -> None:
        hashed = self._keys.get(key)
        if hashed is None:
            hashed = self._keys[key] = question(key)
        self._asked.add(hashed)


def question(key: str) -> int:
    """A question's key as a number that is the same in every process. Two keys with one number cost a needless
    resolution and nothing else."""
    return crc32(key.encode("utf-8", "surrogatepass"))
