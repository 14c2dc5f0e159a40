"""Relationships of a publication: all of them for a full build, those a change can affect for a sync.

A sync resolves the changed files and every file that had asked a question whose answer the change alters, and ends with
exactly the rows that a full build of the same tree would write. It works inside the caller's transaction.
"""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from satori.publication.relationrows import LIVE as LIVE_RESOLUTION
from satori.publication.relationrows import QUESTION_TYPE, end_resolutions, write_resolutions
from satori.publication.relationstore import DatabaseStore, Descents, read_body, read_unit
from satori.publication.rows import load_path
from satori.relationships.repository import Repository, question
from satori.relationships.resolve import Bases, Resolver
from satori.relationships.unit import Body, PackedUnit, Unit
from satori.relationships.whole import resolve_all


class NewUnit(NamedTuple):
    """One file's unit as a worker made it."""

    file_id: int
    path: str
    language: str
    packed: PackedUnit


def write_relations(
    connection: sqlite3.Connection, sequence: int, new: Sequence[NewUnit], paths: Collection[str]
) -> None:
    """Resolve everything and write it as publication `sequence`; `paths` are all indexed files."""
    with _without_collections():
        units = {item.path: Unit(item.path, item.language, item.packed.interface) for item in new}
        bodies = {item.path: Body(item.packed.body) for item in new}
        bases, resolutions = resolve_all(paths, units, bodies)
        write_resolutions(
            connection,
            sequence,
            (
                (item.file_id, bases[item.path], _pairs(units, bases[item.path], units[item.path]), resolution)
                for item in new
                for resolution in (resolutions[item.path],)
            ),
        )


def sync_relations(connection: sqlite3.Connection, before: int, sequence: int, paths: Collection[str]) -> int:
    """Bring relationships from publication `before` to `sequence`, whose file rows and units are written; how many
    files were resolved. `paths` are the indexed files of `sequence`."""
    with _without_collections():
        return _Sync(connection, before, sequence, paths).run()


@contextmanager
def _without_collections() -> Iterator[None]:
    """Resolution makes many small values that live to its end: looking for garbage among them costs a third."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _File(NamedTuple):
    """A file version at hand."""

    file_id: int
    path: str
    language: str


class _Sync:
    def __init__(self, connection: sqlite3.Connection, before: int, sequence: int, paths: Collection[str]) -> None:
        self.connection = connection
        self.before = before
        self.sequence = sequence
        self.store = DatabaseStore(connection, sequence, paths)
        self.written = self._versions("born = ?")
        self.gone = self._versions("died = ?")
        self.changed: set[int] = set()

    def run(self) -> int:
        """Both stages."""
        self._changed_files()
        old = Descents(self.connection, self.before)
        again = self._asking("asked_bases")
        first = sorted({*self.written.values(), *again}, key=lambda file: file.path)
        end_resolutions(self.connection, {file.file_id for file in (*self.gone.values(), *again)}, self.sequence)
        bases = self._bases(first)
        self._changed_types(first, old)
        known = {file.file_id for file in first}
        more = [file for file in self._asking("asked") if file.file_id not in known]
        end_resolutions(self.connection, {file.file_id for file in more}, self.sequence)
        bases.update(self._bases(more))
        everything = sorted((*first, *more), key=lambda file: file.path)
        resolver = Resolver(Repository(self.store))
        rows = []
        for file in everything:
            unit = self.store.unit(file.path)
            if unit is None:
                continue
            stage = bases[file.path]
            pairs = _pairs_of(stage, unit, self.store)
            rows.append((file.file_id, stage, pairs, resolver.resolve(unit, read_body(self.connection, file.file_id))))
        write_resolutions(self.connection, self.sequence, rows)
        return len(rows)

    def _versions(self, condition: str) -> dict[str, _File]:
        query = f"SELECT file_id, path, language FROM file WHERE {condition} AND skip IS NULL"  # noqa: S608
        rows = self.connection.execute(query, (self.sequence,))
        return {(path := load_path(row[1])): _File(row[0], path, row[2]) for row in rows}

    def _digest(self, file: _File | None) -> bytes | None:
        if file is None:
            return None
        row = self.connection.execute("SELECT digest FROM stored WHERE file_id = ?", (file.file_id,)).fetchone()
        return bytes(row[0]) if row is not None and row[0] is not None else None

    def _changed_files(self) -> None:
        """The questions about files, directories, packages and interfaces whose answers changed."""
        for path in {*self.written, *self.gone}:
            old, new = self.gone.get(path), self.written.get(path)
            if (old is None) != (new is None):
                self._change("p:" + path, "n:" + path.rpartition("/")[2], "l:" + path.rpartition("/")[0])
                directory = path.rpartition("/")[0]
                while directory:
                    self._change("d:" + directory)
                    directory = directory.rpartition("/")[0]
            if self._digest(old) == self._digest(new) and (old is None) == (new is None):
                continue
            self._change("u:" + path)
            names: list[frozenset[str]] = []
            for file in (old, new):
                unit = read_unit(self.connection, file.file_id, path, file.language) if file is not None else None
                if unit is not None and unit.package:
                    self._change(f"k:{unit.language}:{unit.package}")
                names.append(unit.top_names if unit is not None else frozenset())
            self._change(*("s:" + name for name in names[0] ^ names[1]))

    def _changed_types(self, files: Iterable[_File], old: Descents) -> None:
        """The questions about descendants and what they replace whose answers changed."""
        new = self.store.descents
        for file in files:
            before = self.gone.get(file.path)
            was = self._members(before if before is not None else file if file.path not in self.written else None)
            now = self._members(file)
            self._compare_types(was, now, old, new)
        for path, file in self.gone.items():
            if path not in self.written:
                self._compare_types(self._members(file), {}, old, new)

    def _compare_types(self, was: dict[str, set[str]], now: dict[str, set[str]], old: Descents, new: Descents) -> None:
        for key in {*was, *now}:
            moved = (key in was) != (key in now) or old.up(key) != new.up(key)
            names = was.get(key, set()) ^ now.get(key, set())
            if not moved and not names:
                continue
            self._change(*("m:" + name for name in names))
            for root in _cones(key, old) | _cones(key, new):
                if moved:
                    self._change("h:" + root)
                for name in names:
                    self._change(f"o:{root}:{name}")

    def _members(self, file: _File | None) -> dict[str, set[str]]:
        """Names by type key of a file version."""
        if file is None:
            return {}
        if self.written.get(file.path) == file:
            unit = self.store.unit(file.path)
        else:
            unit = read_unit(self.connection, file.file_id, file.path, file.language)
        return {unit.key_of(at): unit.member_names(at) for at in unit.types} if unit is not None else {}

    def _bases(self, files: Sequence[_File]) -> dict[str, Bases]:
        """Stage one of these files, laid over what is stored."""
        resolver = Resolver(Repository(self.store))
        found: dict[str, Bases] = {}
        for file in files:
            unit = self.store.unit(file.path)
            if unit is not None:
                found[file.path] = resolver.bases(unit)
        for path, stage in found.items():
            unit = self.store.unit(path)
            if unit is not None:
                above: dict[str, list[str]] = {unit.key_of(at): [] for at in unit.types}
                for heir, base in _pairs_of(stage, unit, self.store):
                    above[heir].append(base)
                self.store.descents.lay_over(above.items())
        return found

    def _asking(self, column: str) -> list[_File]:
        """Living files, not written now, one of whose questions changed."""
        if not self.changed:
            return []
        written = {file.file_id for file in self.written.values()}
        query = (
            f"SELECT file_id, {column} FROM resolution WHERE {LIVE_RESOLUTION} "  # noqa: S608 (constant names)
            "AND born < :sequence"
        )
        rows = self.connection.execute(query, {"sequence": self.sequence}).fetchall()
        found = []
        for file_id in asking_any(rows, self.changed):
            if file_id in written:
                continue
            path = self.store.path_of(file_id)
            file = self.store.file(path) if path is not None else None
            if path is not None and file is not None:
                found.append(_File(file_id, path, file[1]))
        return found

    def _change(self, *keys: str) -> None:
        self.changed.update(map(question, keys))


def asking_any(rows: Sequence[tuple[int, bytes]], changed: Collection[int]) -> list[int]:
    """The numbers of those rows, given as (number, packed questions), that hold any of these questions, in order."""
    held = np.frombuffer(b"".join(asked for _, asked in rows), QUESTION_TYPE)
    ends = np.cumsum([len(asked) // held.itemsize for _, asked in rows], dtype=np.int64)
    wanted = np.fromiter(changed, np.int64, len(changed))
    places = np.flatnonzero(np.isin(held, wanted.astype(held.dtype)))
    return [rows[at][0] for at in np.unique(np.searchsorted(ends, places, side="right")).tolist()]


def _cones(key: str, descents: Descents) -> set[str]:
    """Every type whose cone may hold `key`: what its heirs, and itself, descend from, and they themselves."""
    found: set[str] = set()
    for heir in descents.closure(key, upwards=False):
        found |= descents.closure(heir, upwards=True)
    return found


def _pairs(units: dict[str, Unit], stage: Bases, unit: Unit) -> list[tuple[str, str]]:
    return [(unit.key_of(at), units[base.path].key_of(base.at)) for at, found in stage.rows for base in found]


def _pairs_of(stage: Bases, unit: Unit, store: DatabaseStore) -> list[tuple[str, str]]:
    pairs = []
    for at, found in stage.rows:
        for base in found:
            other = store.unit(base.path)
            if other is not None:
                pairs.append((unit.key_of(at), other.key_of(base.at)))
    return pairs
