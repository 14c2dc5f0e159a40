"""A segment: the searchable arrays of a set of files, immutable, memory-mapped when it comes from a file.

A Publication is searched as one base segment plus one small delta, minus the base's superseded files. Everything in a
segment is integer-valued and belongs to one file, so how files are split between base and delta can change no answer:
statistics over the repository are computed by the reader over live files only. Files are ordered by path, chunks and
symbols by their place in the file, postings by term hash and chunk.

Arrays (F files, C chunks, S symbols, P postings, T terms, D dimensions):
    file_id F, file_role F, file_language F, file_category F, file_depth F, file_chunks F+1, file_symbols F+1,
    file_vector F x D int8
    chunk_owner, chunk_start, chunk_end, chunk_first, chunk_last C (symbol index, bytes, lines), chunk_kind C,
    chunk_lengths C x 4, chunk_vector C x D int8
    symbol_index, symbol_kind, symbol_flags, symbol_depth, symbol_start, symbol_end, symbol_words S,
    symbol_name S uint64 (hash of the exact name), symbol_folded S uint64 (the name without case and
    separators), symbol_owner_name S uint64 (the owner's exact name)
    terms T, offsets T+1, posting_chunk P (uint16 where all chunks fit, as chunk_lengths), posting_packed P
    name_terms, name_offsets, name_symbol: the same shape from name words to symbols
    path_terms (index into meta words), path_file, path_place: words of stems (0) and directories (1 innermost, 2, ...)
    background_chunk, background_cosine: best chunks for the fixed foreign questions (base segments only)
    background_query: those questions' vectors, where only a service can make them
It does not rank; `satori.search` does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from satori.publication.arrays import Arrays, map_file, pack, unpack

_PER_FILE = ("file_id", "file_role", "file_depth", "file_vector")
_PER_CHUNK = (
    "chunk_owner", "chunk_start", "chunk_end", "chunk_first", "chunk_last", "chunk_kind", "chunk_lengths",
    "chunk_vector",
)  # fmt: skip
_PER_SYMBOL = (
    "symbol_index", "symbol_kind", "symbol_flags", "symbol_depth", "symbol_start", "symbol_end", "symbol_words",
    "symbol_name", "symbol_owner_name", "symbol_folded",
)  # fmt: skip


class VectorSource(Protocol):
    """The vectors of a segment, chunks first and files behind them, where they are kept outside it."""

    def dots(self, query: NDArray[np.int8]) -> NDArray[np.int64]:
        """The exact dot product of every row with the query, shape (C + F,). Raises StoreError."""
        ...

    def rows(self) -> NDArray[np.int8]:
        """Every row, shape (C + F, D). Raises StoreError."""
        ...


class Segment:
    """Arrays of a set of files; see the module's docstring for names and shapes."""

    __slots__ = ("__weakref__", "arrays", "bare_dimension", "categories", "languages", "path_words", "paths", "source")

    def __init__(self, arrays: Arrays, meta: dict[str, Any]) -> None:
        self.arrays = arrays
        self.paths: list[str] = meta["paths"]
        self.languages: list[str] = meta["languages"]
        self.categories: list[str] = meta["categories"]
        self.path_words: list[str] = meta["path_words"]
        # Set where the vectors are kept elsewhere (`satori.publication.vectors`).
        self.bare_dimension: int = meta.get("bare_dimension", 0)
        self.source: VectorSource | None = None

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def chunk_count(self) -> int:
        """How many chunks the segment holds, superseded files included."""
        return len(self.arrays["chunk_owner"])

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        return self.bare_dimension or int(self.arrays["chunk_vector"].shape[1])

    def save(self, path: Path) -> None:
        """Write all arrays to `path`, readable by the owner only; the caller makes the file visible and durable."""
        path.touch(mode=0o600)
        path.write_bytes(pack(self.arrays, self.meta()))

    @classmethod
    def load(cls, path: Path, *, verify: bool = False) -> Segment:
        """Map a saved segment; DamagedError when its header or (with `verify`) its content is wrong."""
        return cls(*map_file(path, verify=verify))

    def meta(self) -> dict[str, Any]:
        """What is saved beside the arrays."""
        bare = {"bare_dimension": self.bare_dimension} if self.bare_dimension else {}
        return {
            **bare,
            "paths": self.paths,
            "languages": self.languages,
            "categories": self.categories,
            "path_words": self.path_words,
        }


class Background(Protocol):
    """The fixed foreign questions: see `satori.publication.background`."""

    kept: bool

    @property
    def queries(self) -> NDArray[np.int8]:
        """Their vectors."""
        ...

    def __call__(self, chunk_vectors: NDArray[Any], /) -> tuple[NDArray[Any], NDArray[Any]]:
        """(chunks, cosines) of each one's best chunks."""
        ...


def build_segment(
    rows: Sequence[tuple[int, bytes]],
    dimension: int,
    background: Background | None = None,
) -> Segment:
    """A segment of files given as (file id, packed part of `FileAnalysis`); `background` maps chunk vectors to the
    best chunks for the fixed foreign questions and is given for base segments."""
    loose = [_Loose.from_part(file_id, part) for file_id, part in rows]
    return _finish(loose, dimension, background)


def compact(
    base: Segment,
    dead: Collection[int],
    delta: Segment | None,
    background: Background | None = None,
) -> Segment:
    """One segment of `base` without the files `dead`, plus `delta`."""
    loose = [_Loose.from_segment(base, frozenset(dead))]
    if delta is not None:
        loose.append(_Loose.from_segment(delta, frozenset()))
    return _finish(loose, base.dimension, background)


class _Loose:
    """Files before postings are sorted: what one worker sends for a file, or a segment taken apart."""

    __slots__ = ("arrays", "categories", "counts", "languages", "path_words", "paths")

    def __init__(
        self, paths: list[str], languages: list[str], categories: list[str], path_words: list[list[list[str]]]
    ) -> None:
        self.paths = paths
        self.languages = languages
        self.categories = categories
        self.path_words = path_words
        self.arrays: Arrays = {}
        self.counts: tuple[NDArray[Any], NDArray[Any]] = (np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def from_part(cls, file_id: int, part: bytes) -> _Loose:
        arrays, meta = unpack(part, name=f"file part {file_id}")
        loose = cls([meta["path"]], [meta["language"]], [meta["category"]], [meta["path_words"]])
        loose.arrays = {**arrays, "file_id": np.array([file_id], np.int64)}
        loose.counts = (np.array([len(arrays["chunk_owner"])]), np.array([len(arrays["symbol_index"])]))
        return loose

    @classmethod
    def from_segment(cls, segment: Segment, dead: frozenset[int]) -> _Loose:
        keep = ~np.isin(segment["file_id"], np.fromiter(dead, np.int64, len(dead)))
        kept = np.flatnonzero(keep)
        places = _words_by_file(segment)
        loose = cls(
            [segment.paths[i] for i in kept],
            [segment.languages[segment["file_language"][i]] for i in kept],
            [segment.categories[segment["file_category"][i]] for i in kept],
            [places[i] for i in kept],
        )
        chunk_counts, symbol_counts = np.diff(segment["file_chunks"]), np.diff(segment["file_symbols"])
        chunk_keep, symbol_keep = np.repeat(keep, chunk_counts), np.repeat(keep, symbol_counts)
        arrays: Arrays = {name: segment[name][keep] for name in _PER_FILE}
        arrays.update({name: segment[name][chunk_keep] for name in _PER_CHUNK})
        arrays.update({name: segment[name][symbol_keep] for name in _PER_SYMBOL})
        chunk_at, symbol_at = np.cumsum(chunk_keep) - 1, np.cumsum(symbol_keep) - 1
        live = chunk_keep[segment["posting_chunk"]]
        arrays["posting_term"] = np.repeat(segment["terms"], np.diff(segment["offsets"]))[live]
        arrays["posting_chunk"] = chunk_at[segment["posting_chunk"][live]]
        arrays["posting_packed"] = segment["posting_packed"][live]
        named = symbol_keep[segment["name_symbol"]]
        arrays["name_term"] = np.repeat(segment["name_terms"], np.diff(segment["name_offsets"]))[named]
        arrays["name_symbol"] = symbol_at[segment["name_symbol"][named]]
        loose.arrays = arrays
        loose.counts = (chunk_counts[keep], symbol_counts[keep])
        return loose


def _words_by_file(segment: Segment) -> list[list[list[str]]]:
    places: list[list[list[str]]] = [[] for _ in segment.paths]
    words = segment.path_words
    for term, file, place in zip(
        segment["path_terms"].tolist(), segment["path_file"].tolist(), segment["path_place"].tolist(), strict=True
    ):
        while len(places[file]) <= place:
            places[file].append([])
        places[file][place].append(words[term])
    return places


def _finish(loose: list[_Loose], dimension: int, background: Background | None) -> Segment:
    joined = _join(loose, dimension)
    paths = [path for item in loose for path in item.paths]
    languages = [language for item in loose for language in item.languages]
    categories = [category for item in loose for category in item.categories]
    path_words = [words for item in loose for words in item.path_words]
    chunk_counts = _concatenate([item.counts[0] for item in loose], np.int64)
    symbol_counts = _concatenate([item.counts[1] for item in loose], np.int64)

    order = np.array(sorted(range(len(paths)), key=paths.__getitem__), dtype=np.int64)
    chunk_order = _ranges(order, chunk_counts)
    symbol_order = _ranges(order, symbol_counts)
    arrays: Arrays = {name: joined[name][order] for name in _PER_FILE}
    arrays.update({name: joined[name][chunk_order] for name in _PER_CHUNK})
    arrays.update({name: joined[name][symbol_order] for name in _PER_SYMBOL})
    arrays["chunk_lengths"] = _narrow(arrays["chunk_lengths"])
    arrays["file_chunks"] = _offsets(chunk_counts[order])
    arrays["file_symbols"] = _offsets(symbol_counts[order])
    language_names, category_names = sorted(set(languages)), sorted(set(categories))
    arrays["file_language"] = np.array([language_names.index(languages[i]) for i in order], dtype=np.int16)
    arrays["file_category"] = np.array([category_names.index(categories[i]) for i in order], dtype=np.int16)

    arrays["terms"], arrays["offsets"], postings = _sorted_postings(
        joined["posting_term"], _inverse(chunk_order)[joined["posting_chunk"]]
    )
    arrays["offsets"] = arrays["offsets"].astype(np.uint32)
    arrays["posting_chunk"] = _narrow(postings[1])
    arrays["posting_packed"] = joined["posting_packed"][postings[0]]
    arrays["name_terms"], arrays["name_offsets"], names = _sorted_postings(
        joined["name_term"], _inverse(symbol_order)[joined["name_symbol"]]
    )
    arrays["name_symbol"] = names[1].astype(np.int32)

    words = sorted({word for i in order for place in path_words[i] for word in place})
    at = {word: i for i, word in enumerate(words)}
    rows = [
        (at[word], position, min(place, 255))
        for position, i in enumerate(order)
        for place, listed in enumerate(path_words[i])
        for word in listed
    ]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    arrays["path_terms"] = table[:, 0].astype(np.int32)
    arrays["path_file"] = table[:, 1].astype(np.int32)
    arrays["path_place"] = table[:, 2].astype(np.uint8)
    if background is not None:
        arrays["background_chunk"], arrays["background_cosine"] = background(arrays["chunk_vector"])
        if background.kept:
            arrays["background_query"] = background.queries
    meta = {
        "paths": [paths[i] for i in order],
        "languages": language_names,
        "categories": category_names,
        "path_words": words,
    }
    return Segment(arrays, meta)


_EMPTY: dict[str, NDArray[Any]] = {
    "file_id": np.zeros(0, np.int64),
    "file_role": np.zeros(0, np.int32),
    "file_depth": np.zeros(0, np.int16),
    "chunk_owner": np.zeros(0, np.int32),
    "chunk_start": np.zeros(0, np.int32),
    "chunk_end": np.zeros(0, np.int32),
    "chunk_first": np.zeros(0, np.int32),
    "chunk_last": np.zeros(0, np.int32),
    "chunk_kind": np.zeros(0, np.uint8),
    "chunk_lengths": np.zeros((0, 4), np.int32),
    "symbol_index": np.zeros(0, np.int32),
    "symbol_kind": np.zeros(0, np.uint8),
    "symbol_flags": np.zeros(0, np.uint16),
    "symbol_depth": np.zeros(0, np.uint8),
    "symbol_start": np.zeros(0, np.int32),
    "symbol_end": np.zeros(0, np.int32),
    "symbol_words": np.zeros(0, np.uint8),
    "symbol_name": np.zeros(0, np.uint64),
    "symbol_owner_name": np.zeros(0, np.uint64),
    "symbol_folded": np.zeros(0, np.uint64),
    "posting_term": np.zeros(0, np.uint64),
    "posting_packed": np.zeros(0, np.uint8),
    "name_term": np.zeros(0, np.uint64),
}


def _join(loose: list[_Loose], dimension: int) -> Arrays:
    """All files' arrays end to end; references to chunks and symbols become positions in the joined arrays."""
    joined: Arrays = {}
    for name, empty in _EMPTY.items():
        joined[name] = _concatenate([item.arrays[name] for item in loose], empty.dtype, empty)
    nothing = np.zeros((0, dimension), np.int8)
    for name in ("file_vector", "chunk_vector"):
        joined[name] = _concatenate([item.arrays[name] for item in loose], np.int8, nothing)
    for name, count in (("posting_chunk", "chunk_owner"), ("name_symbol", "symbol_index")):
        shifted, base = [], 0
        for item in loose:
            shifted.append(item.arrays[name].astype(np.int64) + base)
            base += len(item.arrays[count])
        joined[name] = _concatenate(shifted, np.int64)
    return joined


def _concatenate(items: list[NDArray[Any]], dtype: Any, empty: NDArray[Any] | None = None) -> NDArray[Any]:
    if not items:
        return np.zeros(0, dtype) if empty is None else empty
    return np.concatenate(items)


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """In two bytes each where all of them fit, else in four: postings are a quarter of a segment."""
    small = not values.size or int(values.max()) <= np.iinfo(np.uint16).max
    return values.astype(np.uint16 if small else np.int32)


def _offsets(counts: NDArray[Any]) -> NDArray[np.int64]:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _ranges(order: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.int64]:
    """Positions of all members when groups of `counts` members are put into `order`."""
    starts = _offsets(counts)[:-1]
    taken = counts[order]
    total = int(taken.sum())
    base = np.repeat(starts[order] - _offsets(taken)[:-1], taken)
    return base + np.arange(total)


def _inverse(order: NDArray[np.int64]) -> NDArray[np.int64]:
    inverse = np.empty(len(order), np.int64)
    inverse[order] = np.arange(len(order))
    return inverse


def _sorted_postings(
    terms: NDArray[Any], where: NDArray[Any]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Distinct terms, their offsets, and (order, place) of postings sorted by term, then place, then given order."""
    by_place = np.argsort(where, kind="stable")
    order = by_place[np.argsort(terms[by_place], kind="stable")]
    ordered = terms[order]
    first = (
        np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(ordered) else np.zeros(0, np.int64)
    )
    return ordered[first], np.append(first, len(ordered)).astype(np.int64), (order, where[order])
