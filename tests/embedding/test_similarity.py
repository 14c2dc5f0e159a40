"""Cosines: exact in fixed point, whatever the order of summation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from satori.embedding.similarity import MAX_DIMENSION, UNIT, cosines, inverse_norms, norms, operand

ROWS = st.integers(1, 12).flatmap(lambda n: arrays.arrays(np.int8, (n, 64), elements=st.integers(-127, 127)))


def measured(rows: np.ndarray, query: np.ndarray) -> np.ndarray:
    return cosines(operand(rows), inverse_norms(rows), query)


@settings(max_examples=80)
@given(ROWS)
def test_cosines_agree_with_exact_arithmetic(rows: np.ndarray) -> None:
    """Each value is the cosine of the integer vectors to within two units of 2^-24."""
    query = rows[0]
    for value, row in zip(measured(rows, query).tolist(), rows.tolist(), strict=True):
        dot = sum(a * b for a, b in zip(row, query.tolist(), strict=True))
        lengths = math.sqrt(sum(a * a for a in row)) * math.sqrt(sum(a * a for a in query.tolist()))
        assert abs(value - (dot / lengths if lengths else 0.0) * UNIT) <= 2


@settings(max_examples=60)
@given(ROWS, st.integers(0, 2**32 - 1))
def test_neither_columns_order_nor_neighbours_matter(rows: np.ndarray, seed: int) -> None:
    """Permuting components (another order of summation) or cutting the matrix gives identical integers."""
    order = np.random.default_rng(seed).permutation(rows.shape[1])
    whole = measured(rows, rows[-1])
    assert np.array_equal(whole, measured(rows[:, order], rows[-1][order]))
    assert np.array_equal(whole, np.concatenate([measured(rows[i : i + 1], rows[-1]) for i in range(len(rows))]))


def test_largest_vectors_stay_exact() -> None:
    """At the largest dimension and magnitude the dot product is still an exact float32."""
    rows = np.full((2, MAX_DIMENSION), 127, dtype=np.int8)
    rows[1, 0] = 126
    assert 127 * 127 * MAX_DIMENSION < 1 << 24
    assert (operand(rows) @ rows[0].astype(np.float32)).astype(int).tolist() == [16516096, 16515969]
    assert measured(rows, rows[0])[0] == UNIT


def test_opposites_zero_rows_and_bounds() -> None:
    """-1, 0 and 1 are exact; a zero row is similar to nothing, itself included."""
    rows = np.array([[3, -4], [-3, 4], [0, 0], [4, 3]], dtype=np.int8)
    assert measured(rows, rows[0]).tolist() == [UNIT, -UNIT, 0, 0]
    assert measured(rows, rows[2]).tolist() == [0, 0, 0, 0]
    assert norms(rows).tolist() == [5.0, 5.0, 0.0, 5.0]


def test_too_many_dimensions_are_refused() -> None:
    """Beyond the bound exactness would be lost silently, so it is an error."""
    with pytest.raises(ValueError, match="exact"):
        operand(np.zeros((1, MAX_DIMENSION + 1), dtype=np.int8))
