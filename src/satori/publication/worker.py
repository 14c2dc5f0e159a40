"""The worker process: reads files, analyses them, answers one packed result a file. Run as a module, never imported.

It speaks frames on standard input and output (stray output goes to standard error), reads sources only through the one
opening place, reads caches and writes nothing. It ends when its input closes. An alarm that the kernel delivers ends it
even when a parser holds the interpreter, so a hanging file cannot outlive the process that asked.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from satori.publication.cache import Caches, facts_key, pack_value, unpack_value, vector_key
from satori.publication.frames import receive, send
from satori.publication.jobs import FileJob, FileResult, Problem, WorkSettings, text_only_facts
from satori.publication.rows import pack_chunks, pack_content, pack_symbols

if TYPE_CHECKING:
    from satori.embedding.port import Embedder
    from satori.model.definition import FileFacts
    from satori.source.manifest import ManifestEntry

# Address space of a worker: a file that makes its parser want more costs only itself.
_MEMORY_BYTES = 6 << 30
# Of processor time, longer than the pool's own limit: this is for a worker whose pool has died.
_ALARM_SECONDS = 15.0
_COLLECT_EVERY_FILES = 500


class NoEmbedder:
    """Stands where vectors are left to the process that asked: every row is zeros."""

    provider = "none"
    model = "none"
    connected = False

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """Zeros, shape (n, dimension)."""
        return np.zeros((len(texts), self.dimension), np.int8)

    def encode_query(self, text: str) -> NDArray[np.int8]:
        """Zeros, shape (dimension,)."""
        return np.zeros(self.dimension, np.int8)

    encode_queries = encode_documents


class FileWorker:
    """Turns jobs into results under one set of settings."""

    def __init__(self, settings: WorkSettings, embedder: Embedder) -> None:
        from pathlib import Path

        from satori.source.reading import SourceReader

        self._settings = settings
        self._embedder = embedder
        self._reader = SourceReader(Path(settings.root))
        self._caches = Caches(Path(settings.cache), writable=False) if settings.cache else None

    def close(self) -> None:
        """Let the root and the caches go."""
        self._reader.close()
        if self._caches is not None:
            self._caches.close()

    def result(self, job: FileJob) -> FileResult:
        """Analyse one file; failures to read it are a result too."""
        from satori.errors import SourceError
        from satori.source.scan import read_entry

        try:
            entry, data = read_entry(self._reader, job.file, self._settings.profile)
        except SourceError as error:
            return FileResult(job.number, failure=error.code)
        if entry.skip is not None:
            return FileResult(job.number, entry)
        # A fault of ours in one file costs only that file: the caches are left out, then its parser, then the file.
        as_text = job if job.problem is not None else replace(job, problem=Problem.CRASHED)
        for attempt, trusting in ((job, True), (job, False), (as_text, False)):
            try:
                return self.analyse(attempt, entry, data, read_caches=trusting)
            except Exception:
                traceback.print_exc()
        return FileResult.given_up(job, Problem.CRASHED)

    def analyse(self, job: FileJob, entry: ManifestEntry, data: bytes, *, read_caches: bool = True) -> FileResult:
        """Analyse `data`, which `entry` describes."""
        from satori.publication.analysis import analyse_file
        from satori.relationships.unit import pack_unit

        fkey = facts_key(entry.content_hash, entry.language, self._settings.versions)
        caches = self._caches if read_caches else None
        facts, cached = self._facts(job, entry, data, fkey, caches)
        analysis = analyse_file(
            entry.path,
            entry.language,
            str(entry.category),
            data,
            embedder=self._embedder,
            facts=facts,
            known_vectors=self._known_vectors if caches is not None and not self._settings.deferred else None,
        )
        deferred = self._settings.deferred > 0
        return FileResult(
            number=job.number,
            entry=entry,
            problem=job.problem.value if job.problem else analysis.facts.problem,
            lines=data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0),
            chunk_count=len(analysis.chunks),
            content=pack_content(data),
            symbols=pack_symbols(analysis.symbols),
            chunks=pack_chunks(analysis.chunks),
            part=analysis.part,
            keys=tuple(symbol.key for symbol in analysis.symbols),
            names=tuple(symbol.name for symbol in analysis.symbols[1:]),
            facts=None if cached else (fkey, _packed_facts(analysis.facts, data)),
            unit=pack_unit(analysis.symbols, analysis.facts),
            vectors=tuple(
                (vector_key(analysis.projections[i], self._settings.model), analysis.vectors[i].tobytes())
                for i in (() if deferred else analysis.fresh)
            ),
            texts=tuple(zip(analysis.projections, analysis.texts, strict=True)) if deferred else (),
            renewed=(
                (tuple(self._caches.facts.renewals()), tuple(self._caches.vectors.renewals()))
                if self._caches is not None
                else ((), ())
            ),
        )

    def _facts(
        self, job: FileJob, entry: ManifestEntry, data: bytes, key: bytes, caches: Caches | None
    ) -> tuple[FileFacts, bool]:
        from satori.facts.extract import extract_facts
        from satori.facts.packing import unpack

        refused = text_only_facts(entry.language, job.problem or "")
        if refused is not None:
            return refused, False
        if caches is not None:
            packed = caches.facts.get_many([key]).get(key)
            raw = unpack_value(packed, data) if packed is not None else None
            if raw is not None:
                with contextlib.suppress(ValueError, IndexError, KeyError, TypeError):
                    return unpack(raw), True
        return extract_facts(entry.language, data), False

    def _known_vectors(self, projections: list[bytes]) -> dict[bytes, NDArray[np.int8]]:
        assert self._caches is not None
        keys = {vector_key(projection, self._settings.model): projection for projection in projections}
        found = self._caches.vectors.get_many(list(keys))
        size = self._embedder.dimension
        return {keys[key]: np.frombuffer(value, np.int8) for key, value in found.items() if len(value) == size}


def _packed_facts(facts: FileFacts, data: bytes) -> bytes:
    from satori.facts.packing import pack

    return pack_value(pack(facts), data)


def main() -> int:
    """Answer frames until the input closes."""
    source, sink = _private_streams()
    from satori.embedding.registry import load_embedder

    # Loaded before there is work: nearly every run uses it.
    load_embedder()
    gc.disable()
    gc.freeze()
    try:
        send(sink, "ready")
    except BrokenPipeError:
        # Whoever wanted it warm ended meanwhile: there is nobody to tell, and nothing to keep.
        os._exit(0)
    worker: FileWorker | None = None
    answered = 0
    while True:
        try:
            message: Any = receive(source)
        except EOFError:
            return 0
        if isinstance(message, WorkSettings):
            if worker is not None:
                worker.close()
            worker = FileWorker(message, _embedder_of(message))
            continue
        assert worker is not None
        for job in message:
            signal.setitimer(signal.ITIMER_PROF, _ALARM_SECONDS)
            result = worker.result(job)
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            try:
                send(sink, result)
            except BrokenPipeError:
                return 0
            answered += 1
            if answered % _COLLECT_EVERY_FILES == 0:
                gc.collect()


def _embedder_of(settings: WorkSettings) -> Embedder:
    from satori.embedding.registry import load_embedder

    return NoEmbedder(settings.deferred) if settings.deferred else load_embedder(settings.embedder)


def _private_streams() -> tuple[IO[bytes], IO[bytes]]:
    """The two pipes, with file descriptor 1 pointed at standard error so that nothing can write into the frames."""
    sink = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    os.dup2(2, 1)
    source = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
    # The terminal's interrupt goes to the whole group; whoever started the worker decides when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    sys.setrecursionlimit(10_000)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MEMORY_BYTES if most == resource.RLIM_INFINITY else min(_MEMORY_BYTES, most)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    return source, sink


if __name__ == "__main__":
    sys.exit(main())
