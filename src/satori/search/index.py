"""A pinned Publication's arrays, ready for questions: base minus superseded files, plus delta.

Statistics over the repository (how many live files and chunks hold a term, field lengths) are integers summed over live
files, so an index that grew by syncs equals one built afresh. Per-segment work (float copies of vectors, norms) is kept
with the segment and shared by all indexes over it. Nothing here ranks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from satori.chunks.lexical import CHUNK_FIELDS
from satori.chunks.stem import stem
from satori.chunks.words import term_hash
from satori.publication.segment import Segment
from satori.search.dense import SegmentVectors


class SegmentArrays:
    """What is derived from one segment alone; computed once and shared."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.chunk_file = np.repeat(
            np.arange(len(segment), dtype=np.intp), np.diff(segment["file_chunks"]).astype(np.int64)
        )
        self.symbol_file = np.repeat(
            np.arange(len(segment), dtype=np.int32), np.diff(segment["file_symbols"]).astype(np.int64)
        )
        self.dense = SegmentVectors(segment)
        self.path_stems = [term_hash(stem(word)) for word in segment.path_words]
        self.path_word_at = {word: i for i, word in enumerate(segment.path_words)}
        self.path_stem_at: dict[int, list[int]] = {}
        for i, hashed in enumerate(self.path_stems):
            self.path_stem_at.setdefault(hashed, []).append(i)
        self._count_terms()
        order = np.argsort(segment["path_terms"], kind="stable")
        self.path_order = order
        self.path_offsets = np.searchsorted(segment["path_terms"][order], np.arange(len(segment.path_words) + 1))

    def _count_terms(self) -> None:
        """In how many files and chunks each term stands, and which postings open a chunk or a file of their term."""
        chunks, starts = self.segment["posting_chunk"], self.segment["offsets"][:-1]
        self.opens_chunk, self.opens_file = np.ones(len(chunks), bool), np.ones(len(chunks), bool)
        if not len(starts):
            self.file_frequency = self.chunk_frequency = np.zeros(0, np.int64)
            return
        files = self.chunk_file[chunks]
        for opens, numbers in ((self.opens_chunk, chunks), (self.opens_file, files)):
            np.not_equal(numbers[1:], numbers[:-1], out=opens[1:])
            opens[starts] = True
        self.chunk_frequency = np.add.reduceat(self.opens_chunk, starts, dtype=np.int64)
        self.file_frequency = np.add.reduceat(self.opens_file, starts, dtype=np.int64)


_ARRAYS: WeakKeyDictionary[Segment, SegmentArrays] = WeakKeyDictionary()


def arrays_of(segment: Segment) -> SegmentArrays:
    """The derived arrays of `segment`."""
    found = _ARRAYS.get(segment)
    if found is None:
        found = _ARRAYS[segment] = SegmentArrays(segment)
    return found


class Shard:
    """One segment with the set of its live files, and its place in the index's numbering."""

    def __init__(
        self, segment: Segment, dead: Collection[int], first_file: int, first_chunk: int, first_symbol: int
    ) -> None:
        self.segment = segment
        self.derived = arrays_of(segment)
        self.first_file = first_file
        self.first_chunk = first_chunk
        self.first_symbol = first_symbol
        self.live_files = ~np.isin(segment["file_id"], np.fromiter(dead, np.int64, len(dead)))
        self.live_chunks = self.live_files[self.derived.chunk_file]
        self.live_symbols = self.live_files[self.derived.symbol_file]
        self.all_live = bool(self.live_files.all())
        self.file_frequency, self.chunk_frequency = self.derived.file_frequency, self.derived.chunk_frequency
        if not self.all_live:
            self._leave_out_dead()

    def _leave_out_dead(self) -> None:
        """Count superseded files and chunks out of the frequencies: few of them, where counting all would look at every
        posting."""
        dead = np.flatnonzero(~self.live_chunks[self.segment["posting_chunk"]])
        terms = np.searchsorted(self.segment["offsets"], dead, side="right") - 1
        opens_chunk, opens_file = self.derived.opens_chunk[dead], self.derived.opens_file[dead]
        count = len(self.segment["terms"])
        self.chunk_frequency = self.chunk_frequency - np.bincount(terms[opens_chunk], minlength=count)
        self.file_frequency = self.file_frequency - np.bincount(terms[opens_file], minlength=count)

    def term_at(self, term: int) -> int:
        """The row of a term, or -1."""
        terms = self.segment["terms"]
        row = int(np.searchsorted(terms, np.uint64(term)))
        return row if row < len(terms) and int(terms[row]) == term else -1

    def postings(self, term: int) -> tuple[NDArray[Any], NDArray[np.uint8]]:
        """(chunks, packed) of a term; superseded chunks included."""
        row = self.term_at(term)
        if row < 0:
            return self.segment["posting_chunk"][:0], self.segment["posting_packed"][:0]
        low, high = self.segment["offsets"][row : row + 2].tolist()
        return self.segment["posting_chunk"][low:high], self.segment["posting_packed"][low:high]

    def symbols_with_word(self, term: int) -> NDArray[np.int32]:
        """Symbols (local numbers) whose name holds a word; superseded ones included."""
        terms = self.segment["name_terms"]
        row = int(np.searchsorted(terms, np.uint64(term)))
        if row >= len(terms) or int(terms[row]) != term:
            return self.segment["name_symbol"][:0]
        low, high = self.segment["name_offsets"][row : row + 2].tolist()
        return self.segment["name_symbol"][low:high]


class SearchIndex:
    """All live files, chunks and symbols of one Publication under one numbering.

    Files are numbered shard by shard, so order between files never depends on a number: ties are broken by path.
    """

    def __init__(self, base: Segment, dead: Collection[int], delta: Segment | None) -> None:
        self.shards: list[Shard] = []
        first_file = first_chunk = first_symbol = 0
        for segment, gone in ((base, dead), (delta, ())):
            if segment is None or (segment is not base and not len(segment)):
                continue
            self.shards.append(Shard(segment, gone, first_file, first_chunk, first_symbol))
            first_file += len(segment)
            first_chunk += segment.chunk_count
            first_symbol += len(segment["symbol_index"])
        self.paths: list[str] = [path for shard in self.shards for path in shard.segment.paths]
        self.live_files = _joined([shard.live_files for shard in self.shards], bool)
        self.live_chunks = _joined([shard.live_chunks for shard in self.shards], bool)
        self.chunk_file = _joined([shard.derived.chunk_file + shard.first_file for shard in self.shards], np.int64)
        self.symbol_file = _joined([shard.derived.symbol_file + shard.first_file for shard in self.shards], np.int64)
        self.file_chunks = self._offsets("file_chunks")
        self.file_symbols = self._offsets("file_symbols")
        self.file_count = int(self.live_files.sum())
        self.chunk_count = int(self.live_chunks.sum())
        self.roles = self.column("file_role")
        self.depth = self.column("file_depth")
        self.languages = self._names("file_language", "languages")
        self.categories = self._names("file_category", "categories")
        self.chunk_counts = np.diff(self.file_chunks)
        names = sorted(set(self.languages))
        # (code of each file's language, names by code)
        self.language_codes = (np.array([names.index(n) for n in self.languages], np.int64), names)
        self.symbol_kind = self.column("symbol_kind")
        self.symbol_flags = self.column("symbol_flags")
        self.symbol_depth = self.column("symbol_depth")
        self.symbol_words = self.column("symbol_words").astype(np.int64)
        self.live_symbols = _joined([shard.live_symbols for shard in self.shards], bool)
        lengths = self.column("chunk_lengths").reshape(-1, CHUNK_FIELDS)
        total = lengths[self.live_chunks].sum(axis=0, dtype=np.int64)
        self.average_lengths = np.maximum(total / max(1, self.chunk_count), 1e-9)
        self.lengths = lengths
        self.symbol_idf = self._symbol_idf()
        self.chunk_owner = self.column("chunk_owner").astype(np.int64)
        # The symbol that owns a chunk, by index number; -1 where the file itself does.
        self.chunk_symbol = np.where(
            self.chunk_owner > 0, self.file_symbols[self.chunk_file] + self.chunk_owner - 1, np.int64(-1)
        )
        self.path_rank = np.empty(len(self.paths), np.int64)
        self.path_rank[sorted(range(len(self.paths)), key=self.paths.__getitem__)] = np.arange(len(self.paths))
        self.background: tuple[float, float] | None = None
        self.memo: dict[str, Any] = {}
        self.shallowest = int(self.depth[self.live_files].min()) if self.file_count else 0

    @cached_property
    def filled_files(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Files that have chunks, the first chunk of each, and every chunk's number in its file."""
        filled = np.flatnonzero(self.chunk_counts)
        numbers = np.arange(len(self.chunk_file)) - np.repeat(self.file_chunks[:-1], self.chunk_counts)
        return filled, self.file_chunks[filled], numbers

    def column(self, name: str) -> NDArray[Any]:
        """One array over all shards."""
        return _joined([shard.segment[name] for shard in self.shards], np.int64)

    def _offsets(self, name: str) -> NDArray[np.int64]:
        offsets = [np.zeros(1, np.int64)]
        last = 0
        for shard in self.shards:
            ends = shard.segment[name][1:].astype(np.int64) + last
            offsets.append(ends)
            last = int(ends[-1]) if len(ends) else last
        return np.concatenate(offsets)

    def _names(self, column: str, attribute: str) -> list[str]:
        return [
            getattr(shard.segment, attribute)[number]
            for shard in self.shards
            for number in shard.segment[column].tolist()
        ]

    def file_frequency(self, terms: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
        """In how many live files each term stands."""
        return self._frequency(terms, "file_frequency")

    def chunk_frequency(self, terms: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
        """In how many live chunks each term stands."""
        return self._frequency(terms, "chunk_frequency")

    def _frequency(self, terms: Sequence[int] | NDArray[Any], which: str) -> NDArray[np.int64]:
        wanted = np.asarray(terms, dtype=np.uint64)
        total = np.zeros(len(wanted), np.int64)
        for shard in self.shards:
            known = shard.segment["terms"]
            if not len(known):
                continue
            rows = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
            total += np.where(known[rows] == wanted, getattr(shard, which)[rows], 0)
        return total

    def file_idf(self, terms: Sequence[int] | NDArray[Any]) -> NDArray[np.float64]:
        """Inverse document frequency over files, BM25's non-negative form: ln(1 + (N - n + 0.5) / (n + 0.5))."""
        return _idf(self.file_frequency(terms), self.file_count)

    def chunk_idf(self, terms: Sequence[int] | NDArray[Any]) -> NDArray[np.float64]:
        """The same over chunks."""
        return _idf(self.chunk_frequency(terms), self.chunk_count)

    def _symbol_idf(self) -> NDArray[np.float64]:
        """For each symbol, the summed idf of its name's words."""
        totals = []
        for shard in self.shards:
            idf = self.file_idf(shard.segment["name_terms"])
            per_posting = np.repeat(idf, np.diff(shard.segment["name_offsets"]))
            totals.append(
                np.bincount(
                    shard.segment["name_symbol"], weights=per_posting, minlength=len(shard.segment["symbol_index"])
                )
            )
        return _joined(totals, np.float64)

    def locate_chunk(self, chunk: int) -> tuple[Shard, int]:
        """The shard of a chunk and its number there."""
        for shard in reversed(self.shards):
            if chunk >= shard.first_chunk:
                return shard, chunk - shard.first_chunk
        raise IndexError(chunk)

    def locate_file(self, file: int) -> tuple[Shard, int]:
        """The shard of a file and its number there."""
        for shard in reversed(self.shards):
            if file >= shard.first_file:
                return shard, file - shard.first_file
        raise IndexError(file)

    def chunk_at(self, file: int, byte: int) -> int:
        """The first chunk of a file that ends after `byte`; the last one when none does."""
        shard, _ = self.locate_file(file)
        low, high = (int(x) for x in self.file_chunks[file : file + 2])
        ends = shard.segment["chunk_end"][low - shard.first_chunk : high - shard.first_chunk]
        return low + min(int(np.searchsorted(ends, byte, side="right")), max(high - low - 1, 0))

    def file_id(self, file: int) -> int:
        """The Publication's id of a file."""
        shard, local = self.locate_file(file)
        return int(shard.segment["file_id"][local])


def _idf(frequency: NDArray[np.int64], total: int) -> NDArray[np.float64]:
    return np.log1p((total - frequency + 0.5) / (frequency + 0.5))


def _joined(items: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    if not items:
        return np.zeros(0, dtype)
    return items[0] if len(items) == 1 else np.concatenate(items)
