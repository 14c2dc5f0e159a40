"""Which file a module specifier means.

Relative paths, with the extensions and index files that bundlers and TypeScript add; then the `paths` of the nearest
tsconfig; then packages of the repository by the name in their package.json, through their entry. Anything else is
external.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from satori.relationships.meaning import External, Meaning, Module, Unknown
from satori.relationships.repository import Repository
from satori.relationships.unit import Unit

_EXTENSIONS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".d.mts", ".vue", ".svelte")
# What a compiled file's extension may have been written as.
_WRITTEN = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_CONFIGURATIONS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
_ENTRIES = ("source", "types", "typings", "module", "main")


class Modules:
    """Module specifiers of one repository."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def imported(self, unit: Unit, specifier: str) -> Meaning:
        """What the specifier means in the file."""
        directory = posixpath.dirname(unit.path)

        def compute() -> Meaning:
            if specifier.startswith(("./", "../")) or specifier in (".", ".."):
                found = self._file(posixpath.normpath(posixpath.join(directory, specifier)))
                return found or Unknown(f"no file {specifier} in the repository")
            return self._mapped(directory, specifier) or self._package(specifier) or External(specifier)

        return self.repository.once(("javascript-module", directory, specifier), compute)

    def _file(self, path: str) -> Module | None:
        if path.startswith(".."):
            return None
        exists = self.repository.exists
        path = "" if path == "." else path
        stem, extension = posixpath.splitext(path)
        candidates = [path] if extension else []
        candidates += [stem + written for written in _WRITTEN.get(extension, ())]
        candidates += [path + added for added in _EXTENSIONS]
        candidates += [posixpath.join(path, "index" + added) for added in _EXTENSIONS]
        for candidate in candidates:
            if candidate and exists(candidate):
                return Module(candidate)
        return None

    def _mapped(self, directory: str, specifier: str) -> Meaning | None:
        for configuration in self._configurations(directory):
            base = posixpath.dirname(configuration.path)
            root = "."
            for item in configuration.exports:
                if item.name == "baseUrl":
                    root = item.local
            root = posixpath.normpath(posixpath.join(base, root))
            for item in configuration.exports:
                pattern = item.name.removeprefix("paths:")
                if pattern == item.name:
                    continue
                head, star, tail = pattern.partition("*")
                if star:
                    if not (specifier.startswith(head) and specifier.endswith(tail)):
                        continue
                    middle = specifier[len(head) : len(specifier) - len(tail)]
                elif specifier != pattern:
                    continue
                else:
                    middle = ""
                found = self._file(posixpath.normpath(posixpath.join(root, item.local.replace("*", middle))))
                if found is not None:
                    return found
            if any(item.name == "baseUrl" for item in configuration.exports):
                found = self._file(posixpath.join(root, specifier) if root != "." else specifier)
                if found is not None:
                    return found
        return None

    def _configurations(self, directory: str) -> Iterator[Unit]:
        """The configurations that hold for a directory: the nearest, then what it extends."""
        at = directory
        while True:
            for name in _CONFIGURATIONS:
                unit = self.repository.unit(posixpath.join(at, name))
                if unit is not None:
                    yield from self._extended(unit, 0)
                    return
            if not at:
                return
            at = posixpath.dirname(at)

    def _extended(self, unit: Unit, depth: int) -> Iterator[Unit]:
        yield unit
        for item in unit.exports:
            if item.name == "extends" and item.local.startswith(".") and depth < 8:
                path = posixpath.normpath(posixpath.join(posixpath.dirname(unit.path), item.local))
                other = self.repository.unit(path) or self.repository.unit(path + ".json")
                if other is not None:
                    yield from self._extended(other, depth + 1)

    def _package(self, specifier: str) -> Meaning | None:
        packages = self._packages()
        parts = specifier.split("/")
        name = "/".join(parts[:2]) if specifier.startswith("@") else parts[0]
        directory = packages.get(name)
        if directory is None:
            return None
        inside = specifier[len(name) + 1 :]
        offered = self._offered(directory, inside)
        if offered is not None:
            return offered
        if inside:
            for place in (f"{directory}/{inside}", f"{directory}/src/{inside}"):
                found = self._file(posixpath.normpath(place))
                if found is not None:
                    return found
            return Unknown(f"the package {name} has no file {inside}")
        return self._entry(directory) or Unknown(f"the entry of the package {name} is not in the repository")

    def _offered(self, directory: str, inside: str) -> Module | None:
        """The file that the package's `exports` give for a subpath: the first of its conditions that is in the
        repository."""
        unit = self.repository.unit("package.json" if directory == "." else f"{directory}/package.json")
        wanted = f"exports:./{inside}" if inside else "exports:."
        for item in unit.exports if unit is not None else ():
            head, star, tail = item.name.partition("*")
            middle = ""
            if star and wanted.startswith(head) and wanted.endswith(tail):
                middle = wanted[len(head) : len(wanted) - len(tail)]
            elif item.name != wanted:
                continue
            found = self._file(posixpath.normpath(posixpath.join(directory, item.local.replace("*", middle))))
            if found is not None:
                return found
        return None

    def _entry(self, directory: str) -> Module | None:
        """The file that a package of the repository begins with: as named, or where it was compiled from."""
        unit = self.repository.unit("package.json" if directory == "." else f"{directory}/package.json")
        named = {item.name: item.local for item in unit.exports} if unit is not None else {}
        tried = [named[field] for field in _ENTRIES if field in named]
        for path in [*tried, "src/index", "index", "src/main", "lib/index"]:
            found = self._file(posixpath.normpath(posixpath.join(directory, path)))
            if found is not None:
                return found
        return None

    def _packages(self) -> dict[str, str]:
        """Directories by package name; a name that two directories have is nobody's."""

        def compute() -> dict[str, str]:
            found: dict[str, str] = {}
            twice: set[str] = set()
            for path in self.repository.places("package.json"):
                unit = self.repository.unit(path)
                if unit is None or not unit.package:
                    continue
                if unit.package in found:
                    twice.add(unit.package)
                found[unit.package] = posixpath.dirname(path) or "."
            return {name: path for name, path in found.items() if name not in twice}

        return self.repository.once(("javascript-packages",), compute)
