"""A generation's database as the store that rules ask: units, packages, members and descent at one publication.

It reads one row at a time, when asked, and remembers what it read: a sync asks about a few files of many. What stage
one has just found is laid over the stored rows.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from satori.publication.relationrows import LIVE as LIVE_RESOLUTION
from satori.publication.rows import load_path, loaded_key, store_path, stored_key
from satori.publication.schema import LIVE
from satori.relationships.unit import Body, Ref, Unit


class Descents:
    """Which type descends from which, by symbol key, at one publication."""

    def __init__(self, connection: sqlite3.Connection, sequence: int) -> None:
        self._connection = connection
        self._sequence = sequence
        self._up: dict[str, tuple[str, ...]] = {}
        self._down: dict[str, tuple[str, ...]] = {}
        self._above: dict[str, tuple[str, ...]] = {}
        self._below: dict[str, list[str]] = {}

    def lay_over(self, pairs: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Say what these types descend from, whatever is stored; their stored resolutions must have ended."""
        for heir, bases in pairs:
            self._above[heir] = tuple(bases)
            for base in bases:
                self._below.setdefault(base, []).append(heir)

    def up(self, key: str) -> tuple[str, ...]:
        """The direct bases of a type, in its own order."""
        laid = self._above.get(key)
        if laid is not None:
            return laid
        known = self._up.get(key)
        if known is None:
            query = (
                "SELECT base FROM descent JOIN resolution USING (resolution_id) "  # noqa: S608 (constant condition)
                f"WHERE heir = :key AND {LIVE_RESOLUTION} ORDER BY place"
            )
            rows = self._connection.execute(query, {"key": stored_key(key), "sequence": self._sequence})
            known = self._up[key] = tuple(loaded_key(row[0]) for row in rows)
        return known

    def down(self, key: str) -> tuple[str, ...]:
        """The direct heirs of a type."""
        known = self._down.get(key)
        if known is None:
            query = (
                "SELECT heir FROM descent JOIN resolution USING (resolution_id) "  # noqa: S608 (constant condition)
                f"WHERE base = :key AND {LIVE_RESOLUTION} ORDER BY heir"
            )
            rows = self._connection.execute(query, {"key": stored_key(key), "sequence": self._sequence})
            known = self._down[key] = tuple(dict.fromkeys(loaded_key(row[0]) for row in rows))
        laid = self._below.get(key)
        return known if laid is None else tuple(dict.fromkeys((*known, *laid)))

    def closure(self, key: str, *, upwards: bool) -> set[str]:
        """The type and everything above or below it."""
        step = self.up if upwards else self.down
        found = {key}
        waiting = [key]
        while waiting:
            for other in step(waiting.pop()):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        return found


class DatabaseStore:
    """The files that live at `sequence`; `paths` are those that are indexed."""

    def __init__(self, connection: sqlite3.Connection, sequence: int, paths: Collection[str]) -> None:
        self.descents = Descents(connection, sequence)
        self._connection = connection
        self._sequence = sequence
        self._paths = frozenset(paths)
        self._files: dict[str, tuple[int, str] | None] = {}
        self._units: dict[str, Unit | None] = {}
        self._path_of: dict[int, str | None] = {}
        self._refs: dict[str, Ref | None] = {}

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

    @cached_property
    def _directories(self) -> set[str]:
        found = {""}
        for path in self._paths:
            directory = path.rpartition("/")[0]
            while directory and directory not in found:
                found.add(directory)
                directory = directory.rpartition("/")[0]
        return found

    @cached_property
    def _places(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    @cached_property
    def _listings(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def package(self, language: str, name: str) -> Sequence[str]:
        """Paths of the files of a language that declare this package, sorted."""
        rows = self._connection.execute(
            "SELECT file_id FROM package WHERE language = ? AND name = ?", (language, name)
        ).fetchall()
        return sorted(path for (file_id,) in rows if (path := self.path_of(file_id)) is not None)

    def file(self, path: str) -> tuple[int, str] | None:
        """(file id, language) of the living file at `path`."""
        if path not in self._files:
            row = self._connection.execute(
                f"SELECT file_id, language FROM file WHERE path = :path AND {LIVE}",  # noqa: S608 (constant condition)
                {"path": store_path(path), "sequence": self._sequence},
            ).fetchone()
            self._files[path] = (int(row[0]), str(row[1])) if row is not None else None
        return self._files[path]

    def path_of(self, file_id: int) -> str | None:
        """The path of a file version, when it lives."""
        if file_id not in self._path_of:
            row = self._connection.execute(
                f"SELECT path FROM file WHERE file_id = :file_id AND {LIVE}",  # noqa: S608 (constant condition)
                {"file_id": file_id, "sequence": self._sequence},
            ).fetchone()
            self._path_of[file_id] = load_path(row[0]) if row is not None else None
        return self._path_of[file_id]

    def unit(self, path: str) -> Unit | None:
        """The unit of the file at `path`."""
        if path not in self._units:
            found = self.file(path) if path in self._paths else None
            self._units[path] = read_unit(self._connection, found[0], path, found[1]) if found else None
        return self._units[path]

    def named(self, name: str) -> Sequence[Ref]:
        """The definitions of all files that have this name and stand in nothing but namespaces, sorted."""
        rows = self._connection.execute("SELECT file_id, position FROM symbol_name WHERE name = ?", (name,)).fetchall()
        found = []
        for file_id, position in rows:
            path = self.path_of(file_id)
            unit = self.unit(path) if path is not None else None
            if path is not None and unit is not None and position - 1 in unit.outermost:
                found.append(Ref(path, position - 1))
        return sorted(found)

    def bases(self, ref: Ref) -> Sequence[Ref]:
        """The types in the repository that this type descends from directly."""
        return self._refs_of(self.descents.up(self._key_of(ref)))

    def heirs(self, ref: Ref) -> Sequence[Ref]:
        """The types that descend from this one directly, sorted."""
        return sorted(self._refs_of(self.descents.down(self._key_of(ref))))

    def definers(self, name: str) -> Sequence[Ref]:
        """The types that give this name a meaning as a member, sorted."""
        rows = self._connection.execute("SELECT file_id, position FROM member WHERE name = ?", (name,)).fetchall()
        return sorted(Ref(path, at) for file_id, at in rows if (path := self.path_of(file_id)) is not None)

    def _key_of(self, ref: Ref) -> str:
        unit = self.unit(ref.path)
        return unit.key_of(ref.at) if unit is not None else ""

    def _refs_of(self, keys: Iterable[str]) -> list[Ref]:
        return [ref for key in keys if (ref := self._ref_of(key)) is not None]

    def _ref_of(self, key: str) -> Ref | None:
        if key not in self._refs:
            self._refs[key] = None
            rows = self._connection.execute(
                "SELECT file_id, position FROM symbol_key WHERE key = ?", (stored_key(key),)
            ).fetchall()
            for file_id, position in rows:
                path = self.path_of(file_id)
                if path is not None:
                    self._refs[key] = Ref(path, position - 1)
        return self._refs[key]


def read_unit(connection: sqlite3.Connection, file_id: int, path: str, language: str) -> Unit | None:
    """The stored unit of a file version, living or not; None when it has none."""
    row = connection.execute("SELECT interface FROM stored WHERE file_id = ?", (file_id,)).fetchone()
    if row is None or row[0] is None:
        return None
    return Unit(path, language, zlib.decompress(row[0]))


def read_body(connection: sqlite3.Connection, file_id: int) -> Body:
    """The stored body of a file version that has a unit."""
    row = connection.execute("SELECT body FROM stored WHERE file_id = ?", (file_id,)).fetchone()
    return Body(zlib.decompress(row[0]))
