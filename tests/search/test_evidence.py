"""What is computed a repository at a time says of each chunk and file what its definition says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satori.chunks.lexical import CHUNK_FIELDS, Field
from satori.chunks.stem import stem
from satori.chunks.words import term_hash
from satori.search.evidence import FIELD_B, FIELD_WEIGHT, K1, bm25f, top_means
from satori.search.index import SearchIndex
from tests.search.sample import parts, segment, tree

FILES = parts(tree(1))
INDEX = SearchIndex(segment(enumerate(FILES.values(), 1)), (), None)


def _sizes(sizes: list[int]) -> SearchIndex:
    """Just enough of an index for means over files of these many chunks."""
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    counts = np.diff(starts)
    filled = np.flatnonzero(counts)
    numbers = np.arange(starts[-1]) - np.repeat(starts[:-1], counts)
    return cast(
        SearchIndex, SimpleNamespace(paths=[""] * len(sizes), filled_files=(filled, starts[:-1][filled], numbers))
    )


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(1, 3), st.randoms(use_true_random=False))
def test_means_are_over_the_best_chunks_of_each_file(sizes: list[int], count: int, random: Any) -> None:
    """Equal chunks count one by one, a file of fewer chunks has the mean of those, one without the lowest value."""
    values = [random.randint(-50, 50) for _ in range(sum(sizes))]
    expected, start = [], 0
    for size in sizes:
        best = sorted(values[start : start + size])[-count:]
        expected.append(sum(best) / len(best) if best else min(values, default=0))
        start += size
    assert top_means(_sizes(sizes), np.array(values, np.int64), count).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("word", ["retry", "token", "cart", "price"])
def test_bm25f_is_the_textbook_formula(word: str) -> None:
    """The saturated sum of each field's frequency over its length norm, and the same for comments alone."""
    term = term_hash(stem(word))
    found = bm25f(INDEX, [term], np.array([2.0]))
    shard = INDEX.shards[0]
    chunks, packed = shard.postings(term)
    assert len(chunks), f"no chunk of the sample holds {word}"
    frequency = np.zeros((len(INDEX.chunk_file), CHUNK_FIELDS))
    frequency[chunks, packed >> 5] = packed & 31
    shares = np.zeros_like(frequency)
    for field in Field:
        if int(field) < CHUNK_FIELDS:
            norm = 1 - FIELD_B[field] + FIELD_B[field] * INDEX.lengths[:, field] / INDEX.average_lengths[field]
            shares[:, field] = FIELD_WEIGHT[field] * frequency[:, field] / norm
    comments = shares[:, Field.DOC]
    assert found.comments == pytest.approx(2.0 * comments / (K1 + comments))
    outside = [i for i, file in enumerate(INDEX.chunk_file) if word not in INDEX.paths[file].lower()]
    total = shares.sum(axis=1)
    assert found.scores[outside] == pytest.approx((2.0 * total / (K1 + total))[outside])
    assert (found.holds > 0).tolist() == (frequency.sum(axis=1) > 0).tolist()
