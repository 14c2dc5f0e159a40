"""Everything one file contributes to a Publication, computed in one pass and in one process.

Facts, symbols, chunks, vectors and postings depend on (path, language, bytes) and on versions alone, so files can be
analysed in any order and in any process. Nothing here writes, and nothing looks at another file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satori.chunks.chunker import chunk_file
from satori.chunks.lexical import lexical_part, path_words
from satori.chunks.lines import LineIndex
from satori.chunks.projection import chunk_text, identity_text, projection_hash
from satori.chunks.roles import roles_of
from satori.chunks.words import hashes_of, parts_of, term_hash, words_in
from satori.embedding.port import Embedder
from satori.facts.extract import extract_facts
from satori.model.chunk import Chunk, ChunkKind
from satori.model.definition import FileFacts, SymbolKind
from satori.model.symbol import Symbol
from satori.publication.arrays import pack, unpack
from satori.symbols.identify import identify

KINDS = tuple(SymbolKind)
CHUNK_KINDS = tuple(ChunkKind)
_KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
_CHUNK_KIND_NUMBER = {kind: number for number, kind in enumerate(CHUNK_KINDS)}
_DOCUMENTATION = "documentation"
_QUALIFIER = re.compile(r"::|[.\\]")

KnownVectors = Callable[[list[bytes]], dict[bytes, NDArray[np.int8]]]


@dataclass(frozen=True, slots=True)
class FileAnalysis:
    """`projections[i]` is the hash under which `vectors[i]` is cached; the last projection and vector are the file's
    own (its identity), the ones before belong to `chunks` in order, and `texts` are what was hashed and embedded.
    `fresh` are the positions embedded now. `part` is the file's packed share of a segment."""

    path: str
    language: str
    facts: FileFacts
    symbols: list[Symbol]
    chunks: list[Chunk]
    projections: list[bytes]
    texts: list[str]
    vectors: NDArray[np.int8]
    fresh: list[int]
    part: bytes


def analyse_file(
    path: str,
    language: str,
    category: str,
    data: bytes,
    *,
    embedder: Embedder,
    facts: FileFacts | None = None,
    known_vectors: KnownVectors | None = None,
) -> FileAnalysis:
    """Analyse one file; `facts` and `known_vectors` spare work that a cache has done before."""
    facts = extract_facts(language, data) if facts is None else facts
    symbols = identify(path, facts, data)
    chunks = chunk_file(symbols, data, LineIndex(data))
    texts = [chunk_text(path, symbols, chunk, data) for chunk in chunks]
    texts.append(identity_text(path, symbols, facts, data))
    projections = [projection_hash(text) for text in texts]
    vectors, fresh = _embed(texts, projections, embedder, known_vectors)
    part = _part(path, language, category, facts, symbols, chunks, data, vectors)
    return FileAnalysis(path, language, facts, symbols, chunks, projections, texts, vectors, fresh, part)


def part_with_vectors(part: bytes, vectors: NDArray[np.int8]) -> bytes:
    """The part of a file that was analysed without vectors, with them: one row a chunk, the file's own last."""
    arrays, meta = unpack(part)
    return pack({**arrays, "chunk_vector": vectors[:-1], "file_vector": vectors[-1:]}, meta)


def _embed(
    texts: list[str], projections: list[bytes], embedder: Embedder, known_vectors: KnownVectors | None
) -> tuple[NDArray[np.int8], list[int]]:
    if known_vectors is None:
        return embedder.encode_documents(texts), list(range(len(texts)))
    known = known_vectors(projections)
    fresh = [i for i, projection in enumerate(projections) if projection not in known]
    vectors = np.zeros((len(texts), embedder.dimension), np.int8)
    for i, projection in enumerate(projections):
        if projection in known:
            vectors[i] = known[projection]
    if fresh:
        vectors[fresh] = embedder.encode_documents([texts[i] for i in fresh])
    return vectors, fresh


def _part(
    path: str,
    language: str,
    category: str,
    facts: FileFacts,
    symbols: Sequence[Symbol],
    chunks: Sequence[Chunk],
    data: bytes,
    vectors: NDArray[np.int8],
) -> bytes:
    lexical = lexical_part(symbols, chunks, facts.comments, data)
    spans = np.array(
        [(c.owner, c.span.start, c.span.end, c.span.start_line, c.span.end_line) for c in chunks], np.int32
    ).reshape(-1, 5)
    role = roles_of(path, generated=facts.generated, documentation=category == _DOCUMENTATION)
    arrays: dict[str, NDArray[Any]] = {
        "file_role": np.array([int(role)], np.int32),
        "file_depth": np.array([path.count("/")], np.int16),
        "file_vector": vectors[-1:],
        "chunk_owner": spans[:, 0],
        "chunk_start": spans[:, 1],
        "chunk_end": spans[:, 2],
        "chunk_first": spans[:, 3],
        "chunk_last": spans[:, 4],
        "chunk_kind": np.array([_CHUNK_KIND_NUMBER[c.kind] for c in chunks], np.uint8),
        "chunk_lengths": lexical.lengths,
        "chunk_vector": vectors[:-1],
        "posting_term": lexical.terms,
        "posting_chunk": lexical.chunks,
        "posting_packed": lexical.packed,
        **_symbol_arrays(symbols),
    }
    meta = {"path": path, "language": language, "category": category, "path_words": path_words(path)}
    return pack(arrays, meta)


def _symbol_arrays(symbols: Sequence[Symbol]) -> dict[str, NDArray[Any]]:
    """Names of the file's symbols (the file's own symbol left out: its name is in the path words)."""
    terms: list[int] = []
    owners: list[int] = []
    rows: list[tuple[int, ...]] = []
    names: list[int] = []
    owners_names: list[int] = []
    folded: list[int] = []
    for position, symbol in enumerate(symbols[1:]):
        words = {part for word in words_in(symbol.name) for part in hashes_of(word)[: len(parts_of(word))]}
        terms.extend(sorted(words))
        owners.extend([position] * len(words))
        rows.append(
            (
                symbol.index,
                _KIND_NUMBER[symbol.kind],
                int(symbol.flags),
                min(len(symbol.breadcrumbs), 255),
                symbol.span.start,
                symbol.span.end,
                min(len(words), 255),
            )
        )
        names.append(name_hash(symbol.name))
        owners_names.append(name_hash(symbol.breadcrumbs[-1] if symbol.breadcrumbs else symbol.receiver))
        folded.append(folded_hash(symbol.name))
    table = np.array(rows, np.int32).reshape(-1, 7)
    return {
        "symbol_index": table[:, 0],
        "symbol_kind": table[:, 1].astype(np.uint8),
        "symbol_flags": table[:, 2].astype(np.uint16),
        "symbol_depth": table[:, 3].astype(np.uint8),
        "symbol_start": table[:, 4],
        "symbol_end": table[:, 5],
        "symbol_words": table[:, 6].astype(np.uint8),
        "symbol_name": np.array(names, np.uint64),
        "symbol_owner_name": np.array(owners_names, np.uint64),
        "symbol_folded": np.array(folded, np.uint64),
        "name_term": np.array(terms, np.uint64),
        "name_symbol": np.array(owners, np.int32),
    }


def name_hash(name: str) -> int:
    """The hash under which a case-sensitive name is found; of a dotted name (modules, namespaces) the last part."""
    return term_hash("#" + (_QUALIFIER.split(name)[-1] or name))


def folded_hash(name: str) -> int:
    """The hash under which a name is found whatever its case and separators."""
    last = _QUALIFIER.split(name)[-1] or name
    return term_hash("~" + "".join(c for c in last.casefold() if c.isalnum()))
