"""Which headers of the repository a C or C++ file may see.

An include means the file beside the includer, else every file whose path ends like it. What the preprocessor leaves out
counts as seen.
"""

from __future__ import annotations

import posixpath

from satori.model.reference import Import, ImportFlag
from satori.relationships.repository import Repository
from satori.relationships.unit import Unit

_MAX_HEADERS = 2_000
_STATIC = int(ImportFlag.STATIC)


def includes_of(unit: Unit | None) -> list[Import]:
    """The includes among a file's imports (C++ has using-declarations as well)."""
    return [item for item in unit.imports if not item.flags & _STATIC] if unit is not None else []


class Includes:
    """Includes of one repository."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def visible(self, path: str) -> frozenset[str]:
        """The file and every header of the repository that it may include."""

        def compute() -> frozenset[str]:
            found = {path}
            waiting = [path]
            while waiting and len(found) < _MAX_HEADERS:
                at = waiting.pop()
                unit = self.repository.unit(at)
                for item in includes_of(unit):
                    for header in self.included(at, item.module):
                        if header not in found:
                            found.add(header)
                            waiting.append(header)
            return frozenset(found)

        return self.repository.once(("c-visible", path), compute, frozenset())

    def included(self, path: str, written: str) -> tuple[str, ...]:
        """The files that an include may mean: beside the includer, else wherever the path ends like it."""

        def compute() -> tuple[str, ...]:
            name = written.strip("<>")
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if not written.startswith("<") and self.repository.exists(beside):
                return (beside,)
            suffix = posixpath.normpath(name)
            while suffix.startswith("../"):
                suffix = suffix[3:]
            places = self.repository.places(posixpath.basename(name))
            return tuple(place for place in places if place == suffix or place.endswith("/" + suffix))

        return self.repository.once(("c-included", posixpath.dirname(path), written), compute, ())
