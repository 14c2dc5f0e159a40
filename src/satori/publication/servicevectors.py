"""Vectors that only a service can make: workers leave them out, and one process asks for all that no cache knows.

All files are analysed first, then each distinct text is asked for once, in batches, under the phase `embedding`. What
came is cached even when the build then fails or is cancelled: it was waited and paid for. Also a reindex reads that
cache, since the service would answer the same again. How a service is asked is `satori.embedding.connected`'s business.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from satori.chunks.projection import projection_hash
from satori.embedding.wire import Purpose
from satori.publication.analysis import part_with_vectors
from satori.publication.background import QUESTIONS, Background
from satori.publication.cache import Caches, vector_key
from satori.publication.progress import Phase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from satori.embedding.connected import ConnectedEmbedder
    from satori.publication.builder import Build
    from satori.publication.jobs import FileResult


def with_vectors(build: Build, results: Iterator[FileResult]) -> Iterator[FileResult]:
    """The results with their vectors in place. Raises EmbedderError and CancelledError."""
    from satori.embedding.connected import ConnectedEmbedder

    assert isinstance(build.embedder, ConnectedEmbedder)
    analysed: deque[FileResult] = deque()
    for result in results:
        build.progress.advance(len(analysed))
        analysed.append(result)
    texts = {projection: text for result in analysed for projection, text in result.texts}
    vectors = _cached(build, list(texts))
    missing = {projection: text for projection, text in texts.items() if projection not in vectors}
    if missing:
        build.progress.enter(Phase.EMBEDDING, len(missing))
        # Waiting for a service that asks for patience is progress too: each request is bounded by itself.
        _ask(build, build.embedder, missing, Purpose.DOCUMENT, vectors, build.progress.advance)
    build.progress.enter(Phase.WRITING, len(analysed))
    while analysed:
        yield _completed(analysed.popleft(), vectors)


def background_of(build: Build) -> Background:
    """The background under the build's embedder; a service is asked for the fixed questions only once, and so that a
    cancelled build stops. Raises EmbedderError and CancelledError."""
    if not build.embedder.connected:
        return Background(build.embedder)
    from satori.embedding.connected import ConnectedEmbedder

    assert isinstance(build.embedder, ConnectedEmbedder)
    texts = {projection_hash(f"question\0{question}"): question for question in QUESTIONS}
    vectors = _cached(build, list(texts))
    missing = {projection: text for projection, text in texts.items() if projection not in vectors}
    if missing:
        _ask(build, build.embedder, missing, Purpose.QUERY, vectors, lambda _: build.progress.check())
    return Background(build.embedder, np.stack([vectors[projection] for projection in texts]))


def _cached(build: Build, projections: list[bytes]) -> dict[bytes, NDArray[np.int8]]:
    caches = Caches(build.state.cache, writable=False)
    try:
        keys = {vector_key(projection, build.vectors_of): projection for projection in projections}
        found = caches.vectors.get_many(list(keys))
        build.renewed[1].extend(caches.vectors.renewals())
    finally:
        caches.close()
    size = build.embedder.dimension
    return {keys[key]: np.frombuffer(value, np.int8) for key, value in found.items() if len(value) == size}


def _ask(
    build: Build,
    embedder: ConnectedEmbedder,
    texts: dict[bytes, str],
    purpose: Purpose,
    vectors: dict[bytes, NDArray[np.int8]],
    advance: Callable[[int], None],
) -> None:
    """Ask for the vectors of `texts`; `advance` hears several times a second how many are there, and may raise."""
    projections = list(texts)
    done = 0

    def take(positions: Sequence[int], rows: NDArray[np.int8]) -> None:
        nonlocal done
        for position, row in zip(positions, rows, strict=True):
            projection = projections[position]
            vectors[projection] = row
            build.vectors.append((vector_key(projection, build.vectors_of), row.tobytes()))
        done += len(positions)

    try:
        embedder.embed(list(texts.values()), purpose, take, check=lambda: advance(done))
    except BaseException:
        build.write_caches()
        raise
    advance(done)


def _completed(result: FileResult, vectors: dict[bytes, NDArray[np.int8]]) -> FileResult:
    if not result.texts:
        return result
    rows = np.stack([vectors[projection] for projection, _ in result.texts])
    return replace(result, part=part_with_vectors(result.part, rows), texts=())
