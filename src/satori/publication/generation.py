"""A full build: one new generation, staged, verified and made durable before anything points at it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from satori.errors import BuildError, DamagedError
from satori.publication.builder import Build, look_at, make_info, write_info
from satori.publication.damage import read_pointer
from satori.publication.progress import Phase
from satori.publication.relationbuild import write_relations
from satori.publication.retention import add_reader_file
from satori.publication.rowwriter import RowWriter, counts_at
from satori.publication.schema import create_database, finish_database, open_for_reading
from satori.publication.segment import Segment
from satori.publication.servicevectors import background_of
from satori.publication.snapshot import PublicationInfo
from satori.publication.stages import Stage, reach
from satori.publication.state import GenerationPaths, make_directory, sync_directory, sync_file
from satori.publication.vectorstore import VectorStore
from satori.source.listing import Listing
from satori.source.manifest import Manifest, ManifestEntry
from satori.source.reading import SourceReader
from satori.source.scan import compare


@contextlib.contextmanager
def staged_generation(build: Build, number: int) -> Iterator[GenerationPaths]:
    """A directory for generation `number`; removed again when the block raises, unless the pointer names it by then:
    the flush after the rename that activates may fail, and what is named must stay."""
    generation = build.paths.generation(number)
    make_directory(generation.directory)
    try:
        yield generation
    except BaseException:
        if not _may_be_served(build, number):
            shutil.rmtree(generation.directory, ignore_errors=True)
        raise


def _may_be_served(build: Build, number: int) -> bool:
    try:
        return read_pointer(build.paths) == number
    except DamagedError:
        # What it names cannot be known; the next build sweeps what nothing names.
        return True


def build_generation(build: Build, generation: GenerationPaths, listing: Listing, sequence: int) -> PublicationInfo:
    """Fill `generation` with publication `sequence` of the listed tree; it is whole and durable when this returns.

    Raises BuildError, CancelledError, OSError and sqlite3.Error; nothing outside the directory was touched then.
    """
    connection = create_database(generation.database)
    try:
        reach(Stage.DATABASE_CREATED)
        with build.vector_store() as store:
            info = _fill(build, generation, connection, store, listing, sequence)
        build.progress.enter(Phase.VERIFYING)
        finish_database(connection)
        connection.close()
        reach(Stage.DATABASE_FINISHED)
        _verify(generation, info)
        _make_durable(generation.directory)
        reach(Stage.VERIFIED)
        return info
    finally:
        connection.close()


def _fill(
    build: Build,
    generation: GenerationPaths,
    connection: sqlite3.Connection,
    store: VectorStore,
    listing: Listing,
    sequence: int,
) -> PublicationInfo:
    with SourceReader(build.root) as reader:
        changes = compare(listing, None, reader)
    lost: list[str] = list(changes.unreadable)
    parts: list[tuple[int, bytes]] = []
    entries: list[ManifestEntry] = []
    connection.execute("BEGIN")
    writer = RowWriter(connection, sequence, keep_parts=False)
    half = len(changes.added) // 2
    for file_id, looked in enumerate(look_at(build, changes, {}, lost), start=1):
        writer.add(file_id, looked.entry, looked.result)
        entries.append(looked.entry)
        if looked.result is not None:
            parts.append((file_id, looked.result.part))
        if file_id == half:
            reach(Stage.ROWS_HALF_WRITTEN)
    build.progress.enter(Phase.WRITING)
    reach(Stage.ROWS_WRITTEN)
    # Segment and vectors are made in the store's process while this one writes indexes and resolves relationships.
    background = background_of(build)
    lineage = os.urandom(8).hex()
    table = build.table(generation, lineage, sequence)
    pending = store.begin_build(table, generation.base(sequence), parts, background)
    writer.finish()
    write_relations(connection, sequence, writer.units, [entry.path for entry in entries if entry.skip is None])
    reach(Stage.RELATIONS_WRITTEN)
    version = store.end_write(pending, build.progress.check)
    reach(Stage.SEGMENT_WRITTEN)
    reach(Stage.VECTORS_WRITTEN)
    info = make_info(
        build,
        sequence=sequence,
        generation=generation.number,
        lineage=lineage,
        manifest=Manifest.of(entries, build.settings.profile),
        counts=counts_at(connection, sequence),
        base_sequence=sequence,
        lance_version=version,
        next_file_id=len(entries) + 1,
        listing_warnings=listing.warnings,
        unreadable=tuple(sorted(set(lost))),
        table=table,
    )
    write_info(connection, info)
    connection.execute("COMMIT")
    add_reader_file(generation, sequence)
    reach(Stage.PUBLICATION_ROW_WRITTEN)
    return info


def _verify(generation: GenerationPaths, info: PublicationInfo) -> None:
    """What was written is what can be read: counts of rows, of the segment and of the publication row agree."""
    segment = Segment.load(generation.base(info.sequence), verify=True)
    connection = open_for_reading(generation.database)
    try:
        counts = counts_at(connection, info.sequence)
        contents = connection.execute("SELECT count(*) FROM stored").fetchone()[0]
        intact = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    finally:
        connection.close()
    same = (
        counts == info.counts
        and contents == counts.indexed == len(segment)
        and segment.chunk_count == counts.chunks
        and intact == "ok"
    )
    if not same:
        raise BuildError(
            "The staged generation does not read back as it was written.",
            next_step="Run it again; check the disk when this repeats.",
            code="verification_failed",
        )


def _make_durable(directory: Path) -> None:
    for path in directory.rglob("*"):
        if path.is_dir():
            sync_directory(path)
        else:
            sync_file(path)
    sync_directory(directory)
    sync_directory(directory.parent)
