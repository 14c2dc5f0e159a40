"""Building: from what changed to a staged publication, ready to be activated by one step.

A full build fills a new generation directory; a sync adds rows to the served one inside one transaction. Both analyse
in worker processes, give file ids in path order, and write base segment and vectors before the publication row that
names them. Activation and the lease are the caller's (`satori.publication.lifecycle`).
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from base64 import b32encode
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from satori.embedding.registry import SHIPPED
from satori.publication.cache import Caches
from satori.publication.jobs import FileJob, FileResult, WorkSettings
from satori.publication.pool import WorkerPool
from satori.publication.progress import Phase, Progress
from satori.publication.servicevectors import with_vectors
from satori.publication.snapshot import Counts, PublicationInfo
from satori.publication.stages import Stage, reach
from satori.publication.state import CodebasePaths, GenerationPaths, StateRoot
from satori.publication.stores import backend_of, is_remote, table_name
from satori.publication.vectorstore import VectorStore
from satori.settings.choice import EmbedderChoice, StoreChoice
from satori.source.manifest import POLICY_VERSION, Manifest, ManifestEntry
from satori.source.reading import SourceReader
from satori.source.scan import Changes, read_entry, unread_entry
from satori.source.settings import SourceSettings

if TYPE_CHECKING:
    from satori.embedding.port import Embedder
    from satori.publication.fingerprint import Fingerprint

_GONE = "source_missing"
LISTING_WARNING = "listing"


@dataclass(slots=True)
class Build:
    """Everything that one build or sync works with; `fence` is its lease's."""

    state: StateRoot
    paths: CodebasePaths
    root: str
    settings: SourceSettings
    embedder: Embedder
    fingerprint: Fingerprint
    version: str
    pool: WorkerPool
    progress: Progress
    choice: EmbedderChoice = SHIPPED
    stored_in: StoreChoice = field(default_factory=StoreChoice)
    store: VectorStore | None = None
    read_caches: bool = True
    cached: list[tuple[bytes, bytes]] = field(default_factory=list)
    vectors: list[tuple[bytes, bytes]] = field(default_factory=list)
    renewed: tuple[list[bytes], list[bytes]] = field(default_factory=lambda: ([], []))

    def work_settings(self) -> WorkSettings:
        """What the workers are told."""
        mine = self.fingerprint
        return WorkSettings(
            root=self.root,
            profile=self.settings.profile,
            cache=str(self.state.cache) if self.read_caches else "",
            versions=f"{mine.parser_version}.{mine.extractor_version}",
            model=self.vectors_of,
            embedder=SHIPPED if self.embedder.connected else self.choice,
            deferred=self.embedder.dimension if self.embedder.connected else 0,
        )

    @property
    def vectors_of(self) -> str:
        """What decides a vector beside its text: the part of a cached vector's key."""
        mine = self.fingerprint
        return f"{mine.embedding_model}/{mine.embedding_dimension}/{mine.embedding_projection_version}"

    @contextlib.contextmanager
    def vector_store(self) -> Iterator[VectorStore]:
        """The vector store, started; ended afterwards unless the caller of the build lent it."""
        store = self.store or VectorStore(backend_of(self.stored_in))
        try:
            store.start()
            yield store
        finally:
            if self.store is None:
                store.close()

    def table(self, generation: GenerationPaths, lineage: str, sequence: int) -> str:
        """Where the vectors of the base that `sequence` writes go, as the store takes it."""
        if not is_remote(self.stored_in):
            return str(generation.vectors)
        return table_name(self.paths, lineage, sequence)

    def collect(self, result: FileResult) -> None:
        """Keep what a result adds to the caches for `write_caches`."""
        if result.facts is not None:
            self.cached.append(result.facts)
        self.vectors.extend(result.vectors)
        self.renewed[0].extend(result.renewed[0])
        self.renewed[1].extend(result.renewed[1])

    def write_caches(self) -> None:
        """Add everything computed anew to the shared caches. After activation: a cache is never worth a delay of it."""
        if not (self.cached or self.vectors or self.renewed[0] or self.renewed[1]):
            return
        caches = Caches(self.state.cache, writable=True)
        try:
            caches.facts.renew(self.renewed[0])
            caches.facts.put_many(self.cached)
            caches.vectors.renew(self.renewed[1])
            caches.vectors.put_many(self.vectors)
        finally:
            caches.close()
        self.cached, self.vectors, self.renewed = [], [], ([], [])
        reach(Stage.CACHED)


@dataclass(frozen=True, slots=True)
class Looked:
    """One file after it was looked at: `result` is None for a skipped file."""

    entry: ManifestEntry
    result: FileResult | None


def look_at(build: Build, changes: Changes, before: dict[str, ManifestEntry], lost: list[str]) -> Iterator[Looked]:
    """Every added and modified file as it is now, in path order; files that are gone meanwhile are left out.

    A file that cannot be read is added to `lost`; it is yielded only when it was never published, as unreadable.
    """
    files = sorted((*changes.added, *changes.modified), key=lambda file: file.path)
    jobs = [FileJob(number, file) for number, file in enumerate(files) if file.skip is None]
    build.progress.enter(Phase.ANALYSING, len(files))
    results = _in_order(build, jobs)
    if build.embedder.connected:
        results = with_vectors(build, results)
    with SourceReader(build.root) as reader:
        for number, file in enumerate(files):
            build.progress.advance(number)
            if file.skip is not None:
                yield Looked(read_entry(reader, file, build.settings.profile)[0], None)
                continue
            result = next(results)
            if result.entry is not None:
                build.collect(result)
                yield Looked(result.entry, result if result.entry.skip is None else None)
            elif result.failure != _GONE:
                lost.append(file.path)
                if file.path not in before:
                    yield Looked(unread_entry(file.path), None)
    for _ in results:
        raise AssertionError("a result that was not asked for")
    build.progress.advance(len(files))


def _in_order(build: Build, jobs: list[FileJob]) -> Iterator[FileResult]:
    """The jobs' results by number; the pool answers nearly in order, so few wait here."""
    waiting: dict[int, FileResult] = {}
    order = iter(jobs)
    wanted = next(order, None)
    for result in build.pool.run(jobs, build.work_settings(), build.progress.check):
        waiting[result.number] = result
        while wanted is not None and wanted.number in waiting:
            yield waiting.pop(wanted.number)
            wanted = next(order, None)


def make_info(
    build: Build,
    *,
    sequence: int,
    generation: int,
    lineage: str,
    manifest: Manifest,
    counts: Counts,
    base_sequence: int,
    lance_version: int,
    next_file_id: int,
    listing_warnings: tuple[str, ...],
    unreadable: tuple[str, ...],
    table: str,
) -> PublicationInfo:
    """The publication row. Its id follows from the codebase, the sequence and everything it says, so that equal
    histories have equal ids."""
    root = manifest.merkle_root()
    settings = asdict(build.settings)
    said = json.dumps(
        [build.paths.id, sequence, root, build.fingerprint.document(), settings, list(unreadable)], sort_keys=True
    )
    digest = blake2b(said.encode("utf-8", "surrogatepass"), digest_size=10, person=b"satori-public").digest()
    return PublicationInfo(
        id="p" + b32encode(digest).decode("ascii").lower()[:15],
        sequence=sequence,
        generation=generation,
        lineage=lineage,
        codebase=build.paths.id,
        root=build.root,
        profile=build.settings.profile.value,
        policy=POLICY_VERSION,
        settings=settings,
        fingerprint=build.fingerprint,
        merkle_root=root,
        counts=counts,
        activated_at=time.time(),
        runtime_version=build.version,
        base_sequence=base_sequence,
        lance_version=lance_version,
        next_file_id=next_file_id,
        warnings=_warnings(build, listing_warnings, counts, unreadable),
        unreadable=unreadable,
        table=table if is_remote(build.stored_in) else "",
    )


def write_info(connection: sqlite3.Connection, info: PublicationInfo) -> None:
    """Insert the publication row: with the commit that follows it is served."""
    connection.execute("INSERT INTO publication VALUES (?, ?)", (info.sequence, json.dumps(info.document())))


def _warnings(
    build: Build, listing_warnings: tuple[str, ...], counts: Counts, unreadable: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    found = [("settings", text) for text in build.settings.warnings]
    found += [(LISTING_WARNING, text) for text in listing_warnings]
    if not counts.indexed:
        found.append(("no_eligible_files", f"No file below {build.root} is eligible under its rules and profile."))
    if unreadable:
        named = ", ".join(unreadable[:3])
        found.append(("partial_scan", f"{len(unreadable)} paths could not be read and keep what was known: {named}."))
    return tuple(found)
