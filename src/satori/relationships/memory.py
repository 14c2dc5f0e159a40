"""A store over units that are all in memory: what a full build resolves with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from satori.relationships.unit import Ref, Unit


class MemoryStore:
    """`paths` are all indexed files, `units` those whose references are read."""

    def __init__(self, paths: Collection[str], units: Mapping[str, Unit]) -> None:
        self.units = units
        self._paths = frozenset(paths)
        self._places: dict[str, list[str]] = {}
        self._listings: dict[str, list[str]] = {}
        self._directories = {""}
        self._packages: dict[tuple[str, str], list[str]] = {}
        for path in sorted(self._paths):
            directory, _, name = path.rpartition("/")
            self._places.setdefault(name, []).append(path)
            self._listings.setdefault(directory, []).append(path)
            while directory and directory not in self._directories:
                self._directories.add(directory)
                directory = directory.rpartition("/")[0]
        self._named: dict[str, list[Ref]] | None = None
        self._bases: dict[Ref, list[Ref]] = {}
        self._heirs: dict[Ref, list[Ref]] = {}
        self._definers: dict[str, list[Ref]] = {}
        for path, unit in sorted(units.items()):
            if unit.package:
                self._packages.setdefault((unit.language, unit.package), []).append(path)
            for at in unit.types:
                for name in unit.member_names(at):
                    self._definers.setdefault(name, []).append(Ref(path, at))

    def set_bases(self, all_bases: Iterable[tuple[Ref, Sequence[Ref]]]) -> None:
        """Say what every type descends from; until then nothing has heirs."""
        self._bases = {ref: list(bases) for ref, bases in all_bases if bases}
        self._heirs = {}
        for ref, bases in sorted(self._bases.items()):
            for base in bases:
                self._heirs.setdefault(base, []).append(ref)

    def exists(self, path: str) -> bool:
        """Whether an indexed file has exactly this path."""
        return path in self._paths

    def is_directory(self, path: str) -> bool:
        """Whether indexed files lie below this directory."""
        return path in self._directories

    def places(self, name: str) -> Sequence[str]:
        """Paths of the indexed files with this base name, sorted."""
        return self._places.get(name, ())

    def listing(self, directory: str) -> Sequence[str]:
        """Paths of the indexed files directly in a directory, sorted."""
        return self._listings.get(directory, ())

    def package(self, language: str, name: str) -> Sequence[str]:
        """Paths of the files of a language that declare this package, sorted."""
        return self._packages.get((language, name), ())

    def unit(self, path: str) -> Unit | None:
        """The unit of the file at `path`."""
        return self.units.get(path)

    def named(self, name: str) -> Sequence[Ref]:
        """The definitions of all files that have this name and stand in nothing but namespaces, sorted."""
        if self._named is None:
            self._named = {}
            for path, unit in sorted(self.units.items()):
                for at in sorted(unit.outermost):
                    self._named.setdefault(unit.outlines[at].name, []).append(Ref(path, at))
        return self._named.get(name, ())

    def bases(self, ref: Ref) -> Sequence[Ref]:
        """The types in the repository that this type descends from directly."""
        return self._bases.get(ref, ())

    def heirs(self, ref: Ref) -> Sequence[Ref]:
        """The types that descend from this one directly, sorted."""
        return self._heirs.get(ref, ())

    def definers(self, name: str) -> Sequence[Ref]:
        """The types that give this name a meaning as a member, sorted."""
        return self._definers.get(name, ())
