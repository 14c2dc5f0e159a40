"""Which file a dotted module name means.

A name is looked for as the interpreter would from the importing file: first where the file's own outermost package
lies, then in the root and in `src/`. Elsewhere it is taken only when one single place in the repository offers it. A
name of the standard library that is not found beside the importing package is external.
"""

from __future__ import annotations

from collections.abc import Iterator

from satori.relationships.meaning import External, Meaning, Module, Unknown
from satori.relationships.repository import Repository
from satori.relationships.rules.python.standard import MODULES
from satori.relationships.unit import Unit

_INIT = "__init__.py"


def package_directory(path: str) -> str:
    """The directory of a file, "" for the root."""
    return path.rpartition("/")[0]


def join(directory: str, name: str) -> str:
    """A path below a directory, where "" is the root."""
    return f"{directory}/{name}" if directory else name


class Modules:
    """Module names of one repository."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def imported(self, unit: Unit, module: str) -> Meaning:
        """What `module`, as written in `unit` (with its leading dots), means."""
        if not module.startswith("."):
            return self.absolute(self.root_of(package_directory(unit.path)), module)
        name = module.lstrip(".")
        directory = package_directory(unit.path)
        for _ in range(len(module) - len(name) - 1):
            if not directory:
                return Unknown("a relative import leaves the repository")
            directory = package_directory(directory)
        if not name:
            return self._at(directory)
        return self._below(directory, name.split(".")) or Unknown(f"no module {module} beside this file")

    def root_of(self, directory: str) -> str:
        """The directory that holds the outermost package around `directory`."""

        def compute() -> str:
            at = directory
            while at and self.repository.exists(join(at, _INIT)):
                at = package_directory(at)
            return at

        return self.repository.once(("python-root", directory), compute)

    def absolute(self, root: str, module: str) -> Meaning:
        """What the absolute name means to a file whose outermost package lies in `root`."""

        def compute() -> Meaning:
            parts = module.split(".")
            first = parts[0]
            standard = first in MODULES
            for place in self._roots(root):
                if standard and place == "":
                    # A directory named like a library module does not hide the library from the whole repository.
                    continue
                if self._offers(place, first):
                    return self._below(place, parts) or Unknown(f"{first} has no module {module}")
            if standard:
                return External(module)
            places = self._places(first)
            if len(places) == 1:
                return self._below(places[0], parts) or Unknown(f"{first} has no module {module}")
            if places:
                return Unknown(f"{len(places)} places in the repository offer {first}")
            for place in self._roots(root):
                found = self._below(place, parts)
                if found is not None:
                    return found
            return External(module)

        return self.repository.once(("python-module", root, module), compute)

    def submodule(self, package: str, name: str) -> Meaning | None:
        """The module `name` inside the package (its `__init__.py`, or a directory); None when there is none."""
        if package.endswith("/" + _INIT) or package == _INIT:
            return self._below(package_directory(package), [name])
        if package.endswith(".py"):
            return None
        return self._below(package, [name])

    def _roots(self, root: str) -> Iterator[str]:
        yield root
        for other in ("", "src"):
            if other != root:
                yield other

    def _offers(self, directory: str, name: str) -> bool:
        exists = self.repository.exists
        return exists(join(directory, f"{name}/{_INIT}")) or exists(join(directory, f"{name}.py"))

    def _places(self, name: str) -> list[str]:
        """Directories that are no packages and hold a package or module `name`."""
        places = {package_directory(path) for path in self.repository.places(f"{name}.py")}
        suffix = f"{name}/{_INIT}"
        for path in self.repository.places(_INIT):
            if path == suffix or path.endswith("/" + suffix):
                places.add(package_directory(package_directory(path)))
        return sorted(place for place in places if not (place and self.repository.exists(join(place, _INIT))))

    def _below(self, directory: str, parts: list[str]) -> Meaning | None:
        at = directory
        for position, part in enumerate(parts):
            inside = join(at, part)
            if self.repository.exists(join(inside, _INIT)):
                at = inside
            elif position == len(parts) - 1 and self.repository.exists(inside + ".py"):
                return Module(inside + ".py")
            elif self.repository.is_directory(inside):
                at = inside
            else:
                return None
        return self._at(at)

    def _at(self, directory: str) -> Meaning:
        init = join(directory, _INIT)
        return Module(init if self.repository.exists(init) else directory)
