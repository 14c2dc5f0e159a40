"""A sync: the changed files' rows, staged in one open transaction on the served generation.

Work is proportional to the change; only the Merkle root, the counts and, when the delta has grown, the base segment
are made over everything. Readers of earlier publications keep their rows, their base segment and their deltas.
"""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from satori.errors import BuildError, DamagedError
from satori.publication.analysis import analyse_file
from satori.publication.background import Background
from satori.publication.builder import Build, look_at, make_info, write_info
from satori.publication.jobs import text_only_facts
from satori.publication.pin import load_base, open_base
from satori.publication.progress import Phase
from satori.publication.relationbuild import sync_relations
from satori.publication.relationrows import sweep_grounds
from satori.publication.retention import add_reader_file, sweep_rows
from satori.publication.rows import store_path, unpack_content
from satori.publication.rowwriter import RowWriter, counts_at, restamp, supersede
from satori.publication.schema import LIVE
from satori.publication.segment import build_segment, compact
from satori.publication.snapshot import PublicationInfo, Snapshot
from satori.publication.stages import Stage, reach
from satori.publication.state import GenerationPaths, sync_directory, sync_file
from satori.publication.vectors import POSITION_BITS, whole
from satori.publication.vectorstore import VectorStore
from satori.source.manifest import Manifest, ManifestEntry
from satori.source.scan import Changes

# A delta costs every pin its assembly and the state its superseded twins, so it is folded into a new base segment when
# it holds a tenth of the files, but not for fewer than this many: a new base costs a LanceDB import (about a second).
# With 24, fifty syncs leave trees of a hundred files and more below 1.25 x a clean build (docs/reliability.md).
DELTA_FILES = 24
DELTA_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Staged:
    """A sync whose transaction is open: commit it under the lease. `info` is None when nothing is to be published (the
    transaction then holds new time stamps at most). `store` is set when a new base segment and vectors were written."""

    info: PublicationInfo | None
    manifest: Manifest
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    store: VectorStore | None = None

    def sweep_vectors(self, generation: GenerationPaths) -> None:
        """After the commit: forget the vectors of earlier base segments in this directory (for a store elsewhere see
        `tables`). A failure leaves them for the next time."""
        if self.store is not None and self.info is not None and not self.info.table:
            with contextlib.suppress(BuildError):
                self.store.sweep(str(generation.vectors), self.info.lance_version)


@dataclass(slots=True)
class _Difference:
    written: list[str] = field(default_factory=list)
    superseded: list[int] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    same: list[tuple[int, ManifestEntry]] = field(default_factory=list)


def stage_sync(
    build: Build,
    generation: GenerationPaths,
    connection: sqlite3.Connection,
    current: PublicationInfo,
    manifest: Manifest,
    listing_warnings: tuple[str, ...],
    changes: Changes,
    held: contextlib.ExitStack,
) -> Staged:
    """Stage the difference between `manifest` (what `current` published) and the tree; the caller ends the transaction.

    `held` keeps what the commit's aftermath needs. Raises BuildError, CancelledError, DamagedError, OSError and
    sqlite3.Error with the transaction still open.
    """
    connection.execute("BEGIN IMMEDIATE")
    lost = list(changes.unreadable)
    entries = dict(manifest.by_path)
    sequence = current.sequence + 1
    next_file_id, difference = _write_rows(build, connection, current, entries, changes, lost)
    restamp(connection, difference.same)
    unreadable = tuple(sorted(set(lost)))
    broken = _broken_base(generation, current)
    settings = build.settings
    same_settings = settings.profile.value == current.profile and not _differs(settings, current.settings)
    if not (difference.written or difference.removed or broken) and same_settings and unreadable == current.unreadable:
        return Staged(None, manifest.following(entries, settings.profile))

    build.progress.enter(Phase.WRITING)
    supersede(connection, difference.superseded, sequence)
    sweep_rows(connection, generation, current.sequence)
    reach(Stage.ROWS_WRITTEN)
    indexed = [entry.path for entry in entries.values() if entry.skip is None]
    sync_relations(connection, current.sequence, sequence, indexed)
    reach(Stage.RELATIONS_WRITTEN)
    base_sequence, lance_version, table = current.base_sequence, current.lance_version, current.table
    store: VectorStore | None = None
    based = broken or _delta_is_large(connection, sequence, base_sequence)
    if based:
        sweep_grounds(connection)
        base_sequence = sequence
        store = held.enter_context(build.vector_store())
        table = build.table(generation, current.lineage, sequence)
        lance_version = _new_base(build, store, generation, connection, current, sequence, table, broken=broken)
    published = manifest.following(entries, settings.profile)
    info = make_info(
        build,
        sequence=sequence,
        generation=generation.number,
        lineage=current.lineage,
        manifest=published,
        counts=counts_at(connection, sequence),
        base_sequence=base_sequence,
        lance_version=lance_version,
        next_file_id=next_file_id,
        listing_warnings=listing_warnings,
        unreadable=unreadable,
        table=table,
    )
    write_info(connection, info)
    add_reader_file(generation, sequence)
    reach(Stage.PUBLICATION_ROW_WRITTEN)
    return Staged(
        info,
        published,
        tuple(sorted(difference.written)),
        tuple(sorted(difference.removed)),
        store,
    )


def delta_is_due(snapshot: Snapshot) -> bool:
    """Whether the next published change would fold the delta into a new base segment."""
    delta = 0 if snapshot.delta is None else len(snapshot.delta)
    return delta >= max(DELTA_FILES, snapshot.info.counts.indexed * DELTA_SHARE)


def _write_rows(
    build: Build,
    connection: sqlite3.Connection,
    current: PublicationInfo,
    entries: dict[str, ManifestEntry],
    changes: Changes,
    lost: list[str],
) -> tuple[int, _Difference]:
    difference = _Difference()
    file_id = current.next_file_id
    sequence = current.sequence + 1
    writer = RowWriter(connection, sequence, keep_parts=True)
    half = (len(changes.added) + len(changes.modified) + 1) // 2
    for entry in changes.removed:
        difference.superseded.append(_live_id(connection, entry.path, current.sequence))
        difference.removed.append(entry.path)
        del entries[entry.path]
    for entry in changes.touched:
        difference.same.append((_live_id(connection, entry.path, current.sequence), entry))
        entries[entry.path] = entry
    for number, looked in enumerate(look_at(build, changes, entries, lost), start=1):
        entry = looked.entry
        before = entries.get(entry.path)
        if before is not None:
            before_id = _live_id(connection, entry.path, current.sequence)
            if before.says == entry.says:
                # It was changed back between the comparison and the reading.
                difference.same.append((before_id, entry))
                entries[entry.path] = entry
                continue
            difference.superseded.append(before_id)
        writer.add(file_id, entry, looked.result)
        file_id += 1
        entries[entry.path] = entry
        difference.written.append(entry.path)
        if number == half:
            reach(Stage.ROWS_HALF_WRITTEN)
    writer.finish()
    return file_id, difference


def _live_id(connection: sqlite3.Connection, path: str, sequence: int) -> int:
    query = f"SELECT file_id FROM file WHERE path = :path AND {LIVE}"  # noqa: S608 (constant condition)
    return int(connection.execute(query, {"path": store_path(path), "sequence": sequence}).fetchone()[0])


def _differs(settings: object, published: dict[str, object]) -> bool:
    include, ignore = getattr(settings, "include", ()), getattr(settings, "ignore", ())
    return [list(include), list(ignore)] != [published.get("include"), published.get("ignore")]


def _broken_base(generation: GenerationPaths, current: PublicationInfo) -> bool:
    try:
        load_base(generation.base(current.base_sequence))
    except DamagedError:
        return True
    return False


def _delta_is_large(connection: sqlite3.Connection, sequence: int, base_sequence: int) -> bool:
    count, delta = connection.execute(
        f"SELECT count(*), sum(born > :base) FROM file WHERE skip IS NULL AND {LIVE}",  # noqa: S608
        {"sequence": sequence, "base": base_sequence},
    ).fetchone()
    return int(delta or 0) > max(DELTA_FILES, int(count) * DELTA_SHARE)


def _new_base(
    build: Build,
    store: VectorStore,
    generation: GenerationPaths,
    connection: sqlite3.Connection,
    current: PublicationInfo,
    sequence: int,
    table: str,
    *,
    broken: bool,
) -> int:
    """Write the base segment of `sequence` and its vectors; the vectors' version."""
    store.start()
    background = Background(build.embedder, _known_background(generation, current, build, broken=broken))
    dimension = build.embedder.dimension
    at = {"sequence": sequence, "base": current.base_sequence}
    parts = [
        (file_id, zlib.decompress(data))
        for file_id, data in connection.execute(
            f"SELECT file_id, data FROM part NATURAL JOIN file WHERE born > :base AND {LIVE} ORDER BY file_id",  # noqa: S608
            at,
        )
    ]
    if broken:
        vectors = _stored_vectors(store, generation, current)
        parts += _parts_anew(build, connection, sequence, current.base_sequence, vectors)
        segment = build_segment(sorted(parts), dimension, background)
    else:
        dead = {
            file_id
            for (file_id,) in connection.execute(
                "SELECT file_id FROM superseded WHERE born <= :base AND died > :base AND died <= :sequence", at
            )
        }
        base = whole(open_base(generation, current))
        delta = build_segment(parts, dimension) if parts else None
        segment = compact(base, dead, delta, background)
    path = generation.base(sequence)
    segment.save(path)
    sync_file(path)
    reach(Stage.SEGMENT_WRITTEN)
    version = store.end_write(store.begin_write(table, path), build.progress.check)
    for written in generation.vectors.rglob("*"):
        sync_directory(written) if written.is_dir() else sync_file(written)
    sync_directory(generation.directory)
    reach(Stage.VECTORS_WRITTEN)
    return version


def _known_background(
    generation: GenerationPaths, current: PublicationInfo, build: Build, *, broken: bool
) -> NDArray[np.int8] | None:
    """The fixed questions' vectors, where the present base keeps them so that no service has to be asked again."""
    if broken or not build.embedder.connected:
        return None
    return load_base(generation.base(current.base_sequence)).arrays.get("background_query")


def _stored_vectors(store: VectorStore, generation: GenerationPaths, current: PublicationInfo) -> dict[int, bytes]:
    """What the vector store holds of the base; nothing when this machine's table is damaged too (everything is then
    embedded anew). A store elsewhere that cannot be read fails the sync: it may only be away."""
    try:
        return store.read(current.table or str(generation.vectors), current.lance_version)
    except BuildError:
        if current.table:
            raise
        return {}


def _parts_anew(
    build: Build, connection: sqlite3.Connection, sequence: int, base_sequence: int, vectors: dict[int, bytes]
) -> list[tuple[int, bytes]]:
    """Segment parts of the files of a lost base segment, from their stored contents and vectors."""
    rows = connection.execute(
        f"SELECT file_id, path, language, category, problem, content FROM file JOIN stored USING (file_id) "  # noqa: S608
        f"WHERE born <= :base AND {LIVE} ORDER BY file_id",
        {"sequence": sequence, "base": base_sequence},
    ).fetchall()
    build.progress.enter(Phase.ANALYSING, len(rows))
    parts = []
    for number, (file_id, path, language, category, problem, data) in enumerate(rows):
        analysis = analyse_file(
            path,
            language,
            category,
            unpack_content(data),
            embedder=build.embedder,
            facts=text_only_facts(language, problem),
            known_vectors=_by_position(file_id, vectors, build.embedder.dimension),
        )
        parts.append((file_id, analysis.part))
        build.progress.advance(number + 1)
    return parts


def _by_position(
    file_id: int, vectors: dict[int, bytes], dimension: int
) -> Callable[[list[bytes]], dict[bytes, NDArray[np.int8]]]:
    """Stored vectors of one file under its projections: they were stored in the same order."""

    def known(projections: list[bytes]) -> dict[bytes, NDArray[np.int8]]:
        found = {}
        for position, projection in enumerate(projections):
            value = vectors.get((file_id << POSITION_BITS) | position)
            if value is not None and len(value) == dimension:
                found[projection] = np.frombuffer(value, np.int8)
        return found

    return known
