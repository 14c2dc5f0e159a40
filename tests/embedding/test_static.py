"""Pooling: exact, so independent of the batch; quantised to a direction; total."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from satori.embedding.port import Embedder
from satori.embedding.static import WEIGHT_SUM, StaticEmbedder, TokenTable, quantise
from satori.embedding.tokens import Tokenizer

RANDOM = np.random.default_rng(7)
WORDS = [a + b for a in "bcdfghklmn" for b in "aeiou"] + list("abcdefghijklmnopqrstuvwxyz")
TABLE = TokenTable(
    RANDOM.integers(-127, 128, (len(WORDS), 256)).astype(np.int8), RANDOM.integers(1, 65_536, len(WORDS))
)
EMBEDDER = StaticEmbedder("toy@0", TABLE, Tokenizer(WORDS))
TEXTS = st.lists(st.text(alphabet="abcdefghijklmnoABC_ \n.é缓", max_size=120), max_size=12)


def test_it_is_an_embedder() -> None:
    """The static embedder satisfies the port."""
    assert isinstance(EMBEDDER, Embedder)
    assert (EMBEDDER.provider, EMBEDDER.model, EMBEDDER.dimension) == ("static", "toy@0", 256)


@settings(max_examples=60)
@given(TEXTS)
def test_batch_composition_never_changes_a_vector(texts: list[str]) -> None:
    """Alone, together, reversed or among strangers: a text has one vector."""
    together = EMBEDDER.encode_documents(texts)
    assert together.shape == (len(texts), 256)
    assert together.dtype == np.int8
    strangers = ["bada cefi " * 40] * 70
    padded = EMBEDDER.encode_documents([*strangers, *texts, *strangers])[70 : 70 + len(texts)]
    backwards = EMBEDDER.encode_documents(texts[::-1])[::-1]
    alone = [EMBEDDER.encode_query(text) for text in texts]
    assert np.array_equal(together, padded)
    assert np.array_equal(together, backwards)
    assert all(np.array_equal(row, one) for row, one in zip(together, alone, strict=True))


@settings(max_examples=60)
@given(TEXTS)
def test_rows_are_directions_in_int8(texts: list[str]) -> None:
    """A row is all zero, or its largest component is 127 in magnitude; -128 never occurs."""
    largest = np.abs(EMBEDDER.encode_documents(texts).astype(int)).max(axis=1, initial=0)
    assert set(largest.tolist()) <= {0, 127}


def test_pooling_is_the_stated_sum() -> None:
    """The row is the direction of sum over tokens of w (1 + ln count) vector, up to rounding of weights and row."""
    ids = [3, 3, 3, 9, 40, 41, 41]
    expected = sum(
        TABLE.weights[t] * (1 + np.log(ids.count(t))) * TABLE.vectors[t].astype(np.float64) for t in sorted(set(ids))
    )
    expected = expected / np.abs(expected).max() * 127
    assert np.abs(TABLE.pool([ids])[0] - expected).max() < 0.6


def test_partial_sums_stay_exact() -> None:
    """The worst case, all weight on components of 127, stays below 2^24."""
    table = TokenTable(np.full((5_000, 4), 127, dtype=np.int8), np.full(5_000, 65_535))
    assert WEIGHT_SUM * 127 < 1 << 24
    assert np.array_equal(table.pool([list(range(5_000))]), np.full((1, 4), 127, dtype=np.int8))


def test_text_without_tokens_gives_a_zero_row() -> None:
    """Empty, blank and unknown text give zeros beside rows that are not."""
    rows = EMBEDDER.encode_documents(["", "bada", " \n\t", "123 ...", "\0"])
    assert rows.any(axis=1).tolist() == [False, True, False, False, False]
    assert not EMBEDDER.encode_query("").any()
    assert EMBEDDER.encode_documents([]).shape == (0, 256)


def test_odd_texts_encode() -> None:
    """NULs, astral characters, lone surrogates and a megabyte on one line are ordinary input."""
    rows = EMBEDDER.encode_documents(["bada\0cefi", "🚀 bada", "\ud800 bada", "bada" * 250_000, "bada " * 200_000])
    assert rows.any(axis=1).all()
    assert np.array_equal(rows[1], rows[2])


def test_quantise_keeps_zero_and_sign() -> None:
    """Scaling is by the largest magnitude, rounding to nearest."""
    given_rows = np.array([[0, 0], [2, -4], [-10, 5]], dtype=np.float32)
    assert quantise(given_rows).tolist() == [[0, 0], [64, -127], [-127, 64]]
