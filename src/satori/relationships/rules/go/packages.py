"""What an import path means: the modules of the repository (go.mod, go.work) and their directories.

A path belongs to the module of the importing file, to one that it replaces by a directory, or to one of its workspace.
Everything else is outside, copies in `vendor` included. A module called `std` has no prefix, as Go's own.
"""

from __future__ import annotations

import posixpath

from satori.model.reference import Import
from satori.relationships.meaning import External, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.go.shapes import Meaning, Package
from satori.relationships.unit import Unit


class Packages:
    """Imports of one repository."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def directory(self, unit: Unit, path: str) -> str | None:
        """The directory of the repository that an import path of this file means; None for what is outside."""
        around = posixpath.dirname(unit.path)

        def compute() -> str | None:
            if path in ("C", "unsafe"):
                return None
            if path.startswith("."):
                found = posixpath.normpath(posixpath.join(around, path))
                return None if found.startswith("..") else "" if found == "." else found
            roots = self._modules(around)
            best: tuple[int, str] | None = None
            for prefix, root in roots:
                if prefix and path != prefix and not path.startswith(prefix + "/"):
                    continue
                if best is None or len(prefix) > best[0]:
                    best = (len(prefix), posixpath.join(root, path[len(prefix) :].lstrip("/")))
            if best is None:
                return None
            found = best[1].rstrip("/")
            return found if any(name.endswith(".go") for name in self.repository.listing(found)) else None

        return self.repository.once(("go-directory", around, path), compute)

    def _module_of(self, directory: str) -> str | None:
        """The directory of the nearest go.mod."""

        def compute() -> str | None:
            at = directory
            while True:
                if self.repository.exists(posixpath.join(at, "go.mod")):
                    return at
                if not at:
                    return None
                at = posixpath.dirname(at)

        return self.repository.once(("go-module", directory), compute)

    def _modules(self, directory: str) -> tuple[tuple[str, str], ...]:
        """(prefix of import paths, directory) of every module that a file in this directory may import."""
        home = self._module_of(directory)

        def compute() -> tuple[tuple[str, str], ...]:
            found: list[tuple[str, str]] = []
            if home is not None:
                unit = self.repository.unit(posixpath.join(home, "go.mod"))
                if unit is not None and unit.package:
                    found.append(("" if unit.package == "std" else unit.package, home))
                    for item in unit.imports:
                        if item.name == "replace":
                            found.append((item.alias, _beside(home, item.module)))
            at = home if home is not None else directory
            while True:
                workspace = self.repository.unit(posixpath.join(at, "go.work"))
                if workspace is not None:
                    for item in workspace.imports:
                        root = _beside(at, item.module)
                        unit = self.repository.unit(posixpath.join(root, "go.mod"))
                        if unit is not None and unit.package:
                            found.append((unit.package, root))
                    break
                if not at:
                    break
                at = posixpath.dirname(at)
            return tuple(dict.fromkeys(found))

        return self.repository.once(("go-modules", home, directory if home is None else ""), compute, ())

    def imported(self, unit: Unit, name: str) -> Meaning | None:
        """What the imports of a file make of a name; None when they bind nothing of it."""

        def compute() -> Meaning | None:
            found = {meaning for item in unit.imports if (meaning := self._bound(unit, item, name)) is not None}
            if len(found) > 1:
                return Unknown("imported twice")
            return found.pop() if found else None

        return self.repository.once(("go-imported", unit.path, name), compute)

    def _bound(self, unit: Unit, item: Import, name: str) -> Meaning | None:
        if item.name == "*" or item.alias not in ("", name):
            return None
        directory = self.directory(unit, item.module)
        if directory is None:
            return External(item.module) if item.alias or _last(item.module) == name else None
        if not item.alias:
            return Package(directory, name) if self._offers(directory, name) else None
        return self.package(directory)

    def _offers(self, directory: str, name: str) -> bool:
        """Whether importable files of the directory declare a package of this name."""
        return any(
            posixpath.dirname(path) == directory and not path.endswith("_test.go")
            for path in self.repository.package("go", name)
        )

    def package(self, directory: str) -> Meaning:
        """The package that an import of this directory gives."""

        def compute() -> Meaning:
            names = set()
            for path in self.repository.listing(directory):
                unit = self.repository.unit(path) if path.endswith(".go") and not path.endswith("_test.go") else None
                if unit is not None and unit.package:
                    names.add(unit.package)
            likely = names - {"main", "documentation"} or names
            if len(likely) == 1:
                return Package(directory, likely.pop())
            return Unknown("several packages in one directory" if names else "a package without files")

        return self.repository.once(("go-package", directory), compute)

    def face(self, directory: str) -> str | None:
        """The file that stands for a package: doc.go, the one named after the directory, else the first."""
        paths = [
            path
            for path in self.repository.listing(directory)
            if path.endswith(".go") and not path.endswith("_test.go")
        ]
        stem = posixpath.basename(directory)
        for name in ("doc.go", f"{stem}.go"):
            path = posixpath.join(directory, name)
            if path in paths:
                return path
        return paths[0] if paths else None


def _beside(directory: str, path: str) -> str:
    found = posixpath.normpath(posixpath.join(directory, path))
    return "" if found == "." else found


def _last(path: str) -> str:
    """The package name that an import path from outside most likely has."""
    parts = [part for part in path.split("/") if part]
    last = parts[-1] if parts else ""
    if len(parts) > 1 and last[:1] == "v" and last[1:].isdigit():
        last = parts[-2]
    head, _, version = last.rpartition(".v")
    if head and version.isdigit():
        last = head
    return last.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "_")
