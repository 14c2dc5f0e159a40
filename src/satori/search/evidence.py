"""What each retrieval arm says of every chunk: dense cosines and BM25F over fields.

Scores are integers in fixed point wherever they are summed or averaged over the repository, so that neither thread
count nor the split into base and delta can move a ranking. It does not combine arms.

BM25F: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satori.chunks.lexical import CHUNK_FIELDS, Field
from satori.embedding.similarity import UNIT
from satori.search.index import SearchIndex, Shard

K1 = 1.2
# Weights and length normalisation per field: names weigh double; a qualified name repeats its owner's words.
FIELD_WEIGHT = {Field.BODY: 1.0, Field.DOC: 1.0, Field.SYMBOL: 2.0, Field.QUALIFIED: 0.5}
FIELD_B = {Field.BODY: 0.75, Field.DOC: 0.75, Field.SYMBOL: 0.5, Field.QUALIFIED: 0.5}
STEM_WEIGHT, DIRECTORY_WEIGHT = 2.0, 1.0
_NUMBER_BITS = 20
_NUMBER_MASK = (1 << _NUMBER_BITS) - 1


def dense(index: SearchIndex, query: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cosine of every chunk with the query, and of every file's identity, times `UNIT`; superseded ones included.

    Raises StoreError when vectors are kept in a store that cannot be asked.
    """
    parts = [shard.derived.dense.cosines(query) for shard in index.shards]
    if not parts:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate([chunks for chunks, _ in parts]), np.concatenate([files for _, files in parts])


def standardised(values: NDArray[np.int64], live: NDArray[np.bool_]) -> NDArray[np.float64]:
    """z-scores over live entries; mean and variance come from exact integer sums."""
    chosen = values[live]
    count = len(chosen)
    if count < 2:
        return np.zeros(len(values))
    # 2^-12 steps keep the sum of squares of 10^9 entries inside 64 bits.
    coarse = chosen >> 12
    total = int(coarse.sum())
    squares = int((coarse * coarse).sum())
    mean = total / count
    variance = max(squares / count - mean * mean, 1.0)
    z: NDArray[np.float64] = (values / 4096.0 - mean) / float(np.sqrt(variance))
    return z


@dataclass(frozen=True, slots=True)
class Lexical:
    """Per chunk: BM25F over all fields, BM25F over comments alone, and which terms it holds (bit i for term i)."""

    scores: NDArray[np.float64]
    comments: NDArray[np.float64]
    holds: NDArray[np.uint64]


def bm25f(index: SearchIndex, terms: Sequence[int], idf: NDArray[np.float64]) -> Lexical:
    """BM25F of every chunk for at most 64 terms, each term's share below its idf."""
    count = len(index.chunk_file)
    found = Lexical(np.zeros(count), np.zeros(count), np.zeros(count, np.uint64))
    norms = _norms(index)
    for shard in index.shards:
        part = slice(shard.first_chunk, shard.first_chunk + shard.segment.chunk_count)
        scores, comments, holds = found.scores[part], found.comments[part], found.holds[part]
        for bit, (term, weight) in enumerate(zip(terms, idf.tolist(), strict=True)):
            narrow, packed = shard.postings(term)
            # numpy gathers with its own index type several times faster than with any other.
            chunks, fields = narrow.astype(np.intp), packed >> 5
            shares = (packed & 31) * norms[part].ravel()[chunks * CHUNK_FIELDS + fields]
            holders, frequency = _by_chunk(chunks, shares)
            holds[holders] |= np.uint64(1 << bit)
            boost = _path_boost(shard, term)
            if boost is None:
                scores[holders] += weight * _saturated(frequency)
            else:
                boost[holders] += frequency
                scores += weight * _saturated(boost)
            # A chunk has one posting of a term and a field.
            commented = np.flatnonzero(fields == Field.DOC)
            comments[chunks[commented]] += weight * _saturated(shares[commented])
    return found


def _saturated(frequency: NDArray[np.float64]) -> NDArray[np.float64]:
    return frequency / (K1 + frequency)


def _by_chunk(chunks: NDArray[np.intp], shares: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Each chunk of a posting list once, with its fields' shares summed."""
    if not len(chunks):
        return chunks, shares
    opens = np.empty(len(chunks), bool)
    opens[0] = True
    np.not_equal(chunks[1:], chunks[:-1], out=opens[1:])
    starts = np.flatnonzero(opens)
    return chunks[starts], np.add.reduceat(shares, starts)


def _path_boost(shard: Shard, term: int) -> NDArray[np.float64] | None:
    """What a term in a file's name or directories counts for each of its chunks; None where no path has it."""
    places = shard.derived.path_stem_at.get(term, ())
    if not places:
        return None
    boost = np.zeros(len(shard.segment))
    for place in places:
        rows = shard.derived.path_order[shard.derived.path_offsets[place] : shard.derived.path_offsets[place + 1]]
        where = shard.segment["path_place"][rows]
        boost_weight = np.where(where == 0, STEM_WEIGHT, np.where(where <= 2, DIRECTORY_WEIGHT, 0.0))
        np.maximum.at(boost, shard.segment["path_file"][rows], boost_weight)
    return boost[shard.derived.chunk_file]


def _norms(index: SearchIndex) -> NDArray[np.float64]:
    """Weight over length normalisation of every chunk and field."""
    norms: NDArray[np.float64] | None = index.memo.get("norms")
    if norms is None:
        b = np.array([FIELD_B[Field(f)] for f in range(CHUNK_FIELDS)])
        weight = np.array([FIELD_WEIGHT[Field(f)] for f in range(CHUNK_FIELDS)])
        norms = weight / (1.0 - b + b * (index.lengths / index.average_lengths))
        index.memo["norms"] = norms
    return norms


def top_means(index: SearchIndex, values: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """For each file, the mean of its `count` best chunks (of fewer when it has fewer); files without chunks get the
    lowest value there is. `values` are non-negative after shifting, in fixed point."""
    filled, starts, numbers = index.filled_files
    means = np.full(len(index.paths), float(values.min()) if len(values) else 0.0)
    if not len(filled):
        return means
    # The chunk's own number in the low bits makes values distinct and says which one is to be removed at each step.
    unique = (values << _NUMBER_BITS) | numbers
    lowest = np.int64(np.iinfo(np.int64).min)
    total = np.zeros(len(filled))
    taken = np.zeros(len(filled))
    for step in range(count):
        best = np.maximum.reduceat(unique, starts)
        valid = best != lowest
        total += np.where(valid, best >> _NUMBER_BITS, 0)
        taken += valid
        if step + 1 < count:
            unique[(starts + (best & _NUMBER_MASK))[valid]] = lowest
    means[filled] = total / taken
    return means


def to_fixed(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Floats in the fixed point of cosines."""
    return np.rint(values * UNIT).astype(np.int64)
