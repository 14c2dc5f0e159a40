"""Where modules and crates lie: `mod` declarations, `#[path]`, Cargo.toml.

A file belongs to the module that declares it. A file that several declare (`tests/common/mod.rs`) has no one parent, so
that `super` and `crate` mean nothing in it. Another crate is the library that a dependency's path leads to; what has no
path in a Cargo.toml is outside, even where a package of that name is in the repository.
"""

from __future__ import annotations

import posixpath

from satori.model.definition import SymbolKind
from satori.relationships.meaning import External, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.rust.shapes import Mod
from satori.relationships.unit import DECLARATION_ONLY, KINDS, Unit

_MODULE = KINDS.index(SymbolKind.MODULE)
_ROOTS = ("lib.rs", "main.rs", "mod.rs")
_ROOT_DIRECTORIES = frozenset({"tests", "examples", "benches", "bin"})
_MAX_DEPTH = 32


class Crates:
    """Modules and crates of one repository."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def child(self, unit: Unit, at: int) -> Mod | Unknown:
        """The module that the definition `at` declares."""
        outline = unit.outlines[at]
        if not outline.flags & DECLARATION_ONLY:
            return Mod(unit.path, at)

        def compute() -> Mod | Unknown:
            inside: list[str] = []
            parent = outline.parent
            while parent >= 0:
                inside.append(unit.outlines[parent].name)
                parent = unit.outlines[parent].parent
            inside.reverse()
            marked = [mark[5:] for mark in unit.marks_of.get(at, ()) if mark.startswith("path:")]
            around = posixpath.dirname(unit.path)
            if marked:
                found = posixpath.normpath(posixpath.join(around, *inside, marked[0]))
                return Mod(found, -1) if self.repository.exists(found) else Unknown("its file is not there")
            found_paths: list[str] = []
            for directory in self._own_directories(unit.path):
                base = posixpath.join(directory, *inside)
                for name in (f"{outline.name}.rs", f"{outline.name}/mod.rs"):
                    path = posixpath.join(base, name)
                    if path != unit.path and self.repository.exists(path):
                        found_paths.append(path)
                if found_paths:
                    break
            if len(found_paths) == 1:
                return Mod(found_paths[0], -1)
            return Unknown("its file is not there" if not found_paths else "two files may be meant")

        return self.repository.once(("rust-child", unit.path, at), compute, Unknown("the module holds itself"))

    def _own_directories(self, path: str) -> tuple[str, ...]:
        """Where the modules of a file are looked for."""
        around, _, name = path.rpartition("/")
        if name in _ROOTS:
            return (around,)
        own = posixpath.join(around, name.removesuffix(".rs"))
        return (own, around) if self._may_be_root(path) else (own,)

    def _may_be_root(self, path: str) -> bool:
        around, _, name = path.rpartition("/")
        if name in ("lib.rs", "main.rs", "build.rs") or posixpath.basename(around) in _ROOT_DIRECTORIES:
            return True
        return path in self._listed_roots(around)

    def _listed_roots(self, directory: str) -> frozenset[str]:
        """Files that the Cargo.toml above names as the roots of crates."""
        manifest = self.manifest(directory)
        if manifest is None:
            return frozenset()
        home = posixpath.dirname(manifest.path)
        return frozenset(_beside(home, item.local) for item in manifest.exports if item.name in ("lib", "bin"))

    def parent(self, path: str) -> Mod | Unknown | None:
        """The module that declares the file; None for a crate's root."""

        def compute() -> Mod | Unknown | None:
            around, _, name = path.rpartition("/")
            if name in ("lib.rs", "main.rs", "build.rs"):
                return None
            own = name.removesuffix(".rs")
            if name == "mod.rs":
                around, _, own = around.rpartition("/")
            places = [posixpath.join(around, root) for root in ("mod.rs", "lib.rs", "main.rs")]
            if around:
                places.append(around + ".rs")
            places += [place for place in sorted(self._listed_roots(around)) if posixpath.dirname(place) == around]
            if posixpath.basename(around) in _ROOT_DIRECTORIES:
                places += [place for place in self.repository.listing(around) if place.endswith(".rs")]
            found: list[Mod] = []
            for place in dict.fromkeys(places):
                if place == path or not self.repository.exists(place):
                    continue
                unit = self.repository.unit(place)
                for at in unit.members.get((-1, own), ()) if unit is not None else ():
                    outline = unit.outlines[at] if unit is not None else None
                    if outline is not None and outline.kind_number == _MODULE and outline.flags & DECLARATION_ONLY:
                        found.append(Mod(place, -1))
            found = list(dict.fromkeys(found))
            if len(found) > 1:
                library = [item for item in found if item.path.endswith("/lib.rs")]
                return library[0] if library else Unknown("several crates have this module")
            if found:
                return found[0]
            return None if self._may_be_root(path) else Unknown("no module declares the file")

        return self.repository.once(("rust-parent", path), compute, Unknown("the module holds itself"))

    def root(self, path: str) -> Mod | Unknown:
        """The root module of the file's crate."""

        def compute() -> Mod | Unknown:
            at = path
            for _ in range(_MAX_DEPTH):
                above = self.parent(at)
                if above is None:
                    return Mod(at, -1)
                if isinstance(above, Unknown):
                    return above
                at = above.path
            return Unknown("modules nest too deep")

        return self.repository.once(("rust-root", path), compute, Unknown("the module holds itself"))

    def manifest(self, directory: str) -> Unit | None:
        """The nearest Cargo.toml of a package, at the directory or above it."""

        def compute() -> str | None:
            at = directory
            while True:
                path = posixpath.join(at, "Cargo.toml")
                if self.repository.exists(path):
                    unit = self.repository.unit(path)
                    if unit is not None and unit.package:
                        return path
                if not at:
                    return None
                at = posixpath.dirname(at)

        found = self.repository.once(("rust-manifest", directory), compute)
        return self.repository.unit(found) if found is not None else None

    def other(self, path: str, name: str) -> Mod | Unknown | External | None:
        """The crate that the file's crate knows under a name; None when Cargo.toml does not say."""
        manifest = self.manifest(posixpath.dirname(path))
        if manifest is None:
            return None
        home = posixpath.dirname(manifest.path)

        def compute() -> Mod | Unknown | External | None:
            for item in manifest.imports:
                if item.alias.replace("-", "_") != name:
                    continue
                place = home
                module = item.module
                if module == "workspace":
                    found = self._inherited(home, item.alias)
                    if found is None:
                        return External(name)
                    place, module = found
                if not module:
                    return External(name)
                target = self.repository.unit(posixpath.join(_beside(place, module), "Cargo.toml"))
                return self._library(target) if target is not None else External(name)
            library = self._library_name(manifest)
            return self._library(manifest) if library == name else None

        return self.repository.once(("rust-other", manifest.path, name), compute)

    def _inherited(self, home: str, name: str) -> tuple[str, str] | None:
        """(directory, path) of a dependency that the workspace's Cargo.toml describes."""
        at = home
        while True:
            unit = self.repository.unit(posixpath.join(at, "Cargo.toml"))
            for item in unit.imports if unit is not None else ():
                if item.name == "workspace" and item.alias == name:
                    return at, item.module
            if not at:
                return None
            at = posixpath.dirname(at)

    def _library_name(self, manifest: Unit) -> str:
        named = [item.local for item in manifest.exports if item.name == "libname"]
        return named[0] if named else manifest.package.replace("-", "_")

    def _library(self, manifest: Unit) -> Mod | External:
        home = posixpath.dirname(manifest.path)
        named = [item.local for item in manifest.exports if item.name == "lib"]
        path = _beside(home, named[0] if named else "src/lib.rs")
        return Mod(path, -1) if self.repository.exists(path) else External(manifest.package)


def _beside(directory: str, path: str) -> str:
    found = posixpath.normpath(posixpath.join(directory, path))
    return "" if found == "." else found
