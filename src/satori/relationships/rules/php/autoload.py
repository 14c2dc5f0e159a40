"""Which of several files a class is loaded from: PSR-4 of the nearest composer.json above each.

Only settles between definitions of one name; a class that stands once is found wherever it stands.
"""

from __future__ import annotations

from satori.relationships.repository import Repository

_RULE = "psr-4:"


class Autoload:
    """PSR-4 rules of one repository."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def serves(self, path: str, name: str) -> bool:
        """Whether the class `name` (with its namespace) is loaded from the file at `path`."""

        def compute() -> bool:
            directory = self._project(path)
            if directory is None:
                return False
            for prefix, place in self._rules(directory):
                if name.startswith(prefix):
                    below = name[len(prefix) :].replace("\\", "/") + ".php"
                    parts = [part for part in (directory, place.strip("/").removeprefix("./"), below) if part]
                    if "/".join(parts) == path:
                        return True
            return False

        return self.repository.once(("php-serves", path, name), compute, False)

    def _project(self, path: str) -> str | None:
        """The nearest directory above that holds a composer.json with such rules."""
        directory = path.rpartition("/")[0]
        while True:
            if self._rules(directory):
                return directory
            if not directory:
                return None
            directory = directory.rpartition("/")[0]

    def _rules(self, directory: str) -> tuple[tuple[str, str], ...]:
        def compute() -> tuple[tuple[str, str], ...]:
            path = f"{directory}/composer.json" if directory else "composer.json"
            unit = self.repository.unit(path) if self.repository.exists(path) else None
            if unit is None:
                return ()
            return tuple(
                (item.name[len(_RULE) :].lstrip("\\"), item.local)
                for item in unit.exports
                if item.name.startswith(_RULE)
            )

        return self.repository.once(("php-psr-4", directory), compute, ())
