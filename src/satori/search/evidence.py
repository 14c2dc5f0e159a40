"""What each retrieval arm says of every chunk: dense cosines and BM25F over fields.

Scores are integers in fixed point wherever they are summed or averaged over the repository, so that neither thread
count nor the split into base and delta can move a ranking. It does not combine arms.

BM25F: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from satori.chunks.lexical import CHUNK_FIELDS, Field
from satori.embedding.similarity import UNIT, cosines
from satori.search.index import SearchIndex, Shard

K1 = 1.2
# Weights and length normalisation per field: names weigh double; a qualified name repeats its owner's words.
FIELD_WEIGHT = {Field.BODY: 1.0, Field.DOC: 1.0, Field.SYMBOL: 2.0, Field.QUALIFIED: 0.5}
FIELD_B = {Field.BODY: 0.75, Field.DOC: 0.75, Field.SYMBOL: 0.5, Field.QUALIFIED: 0.5}
STEM_WEIGHT, DIRECTORY_WEIGHT = 2.0, 1.0


def dense(index: SearchIndex, query: NDArray[np.int8]) -> NDArray[np.int64]:
    """The cosine of every chunk with the query, times `UNIT`; superseded chunks included."""
    parts = [cosines(shard.derived.vectors, shard.derived.inverse_norms, query) for shard in index.shards]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def dense_files(index: SearchIndex, query: NDArray[np.int8]) -> NDArray[np.int64]:
    """The cosine of every file's identity with the query, times `UNIT`."""
    parts = [cosines(shard.derived.file_vectors, shard.derived.file_inverse_norms, query) for shard in index.shards]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


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


def bm25f(
    index: SearchIndex, terms: Sequence[int], idf: NDArray[np.float64], *, only: Field | None = None
) -> NDArray[np.float64]:
    """BM25F of every chunk for `terms`, each term's share below its idf; `only` limits it to one field."""
    scores = np.zeros(len(index.chunk_file))
    for shard in index.shards:
        part = scores[shard.first_chunk : shard.first_chunk + shard.segment.chunk_count]
        norms = _norms(index)[shard.first_chunk : shard.first_chunk + shard.segment.chunk_count]
        for term, weight in zip(terms, idf.tolist(), strict=True):
            frequency = _weighted_frequency(index, shard, term, norms, only)
            if frequency is not None:
                part += weight * (frequency / (K1 + frequency))
    return scores


def _norms(index: SearchIndex) -> NDArray[np.float64]:
    """Weight over length normalisation of every chunk and field."""
    norms: NDArray[np.float64] | None = index.memo.get("norms")
    if norms is None:
        b = np.array([FIELD_B[Field(f)] for f in range(CHUNK_FIELDS)])
        weight = np.array([FIELD_WEIGHT[Field(f)] for f in range(CHUNK_FIELDS)])
        norms = weight / (1.0 - b + b * (index.lengths / index.average_lengths))
        index.memo["norms"] = norms
    return norms


def _weighted_frequency(
    index: SearchIndex, shard: Shard, term: int, norms: NDArray[np.float64], only: Field | None
) -> NDArray[np.float64] | None:
    chunks, packed = shard.postings(term)
    fields = packed >> 5
    if only is not None:
        chosen = fields == only
        chunks, packed, fields = chunks[chosen], packed[chosen], fields[chosen]
    found = len(chunks) > 0
    shares = (packed & 31) * norms[chunks, fields]
    weighted = np.asarray(np.bincount(chunks, weights=shares, minlength=shard.segment.chunk_count), np.float64)
    if only is None:
        places = shard.derived.path_stem_at.get(term, ())
        if places:
            found = True
            boost = np.zeros(len(shard.segment))
            for place in places:
                rows = shard.derived.path_order[
                    shard.derived.path_offsets[place] : shard.derived.path_offsets[place + 1]
                ]
                where = shard.segment["path_place"][rows]
                boost_weight = np.where(where == 0, STEM_WEIGHT, np.where(where <= 2, DIRECTORY_WEIGHT, 0.0))
                np.maximum.at(boost, shard.segment["path_file"][rows], boost_weight)
            weighted = weighted + boost[shard.derived.chunk_file]
    return weighted if found else None


def term_masks(index: SearchIndex, terms: Sequence[int]) -> NDArray[np.uint64]:
    """For every chunk, which of the first 64 terms it holds: bit i for term i."""
    masks = np.zeros(len(index.chunk_file), np.uint64)
    for shard in index.shards:
        for bit, term in enumerate(terms[:64]):
            chunks, _ = shard.postings(term)
            masks[shard.first_chunk + chunks] |= np.uint64(1 << bit)
    return masks


def top_means(index: SearchIndex, values: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """For each file, the mean of its `count` best chunks (of fewer when it has fewer); files without chunks get the
    lowest value there is. `values` are non-negative after shifting, in fixed point."""
    starts, ends = index.file_chunks[:-1], index.file_chunks[1:]
    sizes = ends - starts
    filled = np.flatnonzero(sizes)
    means = np.full(len(sizes), float(values.min()) if len(values) else 0.0)
    if not len(filled):
        return means
    # The chunk's own number in the low bits makes values distinct, so that exactly one is removed at each step.
    number = np.arange(len(values)) - np.repeat(starts, sizes)
    unique = (values << 20) | (number & 0xFFFFF)
    lowest = np.int64(np.iinfo(np.int64).min)
    total = np.zeros(len(filled))
    taken = np.zeros(len(filled))
    for _ in range(count):
        best = np.maximum.reduceat(unique, starts[filled])
        valid = best != lowest
        total += np.where(valid, best >> 20, 0)
        taken += valid
        if _ + 1 < count:
            unique = np.where(unique == np.repeat(best, sizes[filled]), lowest, unique)
    means[filled] = total / np.maximum(taken, 1)
    return means


def to_fixed(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Floats in the fixed point of cosines."""
    return np.rint(values * UNIT).astype(np.int64)
