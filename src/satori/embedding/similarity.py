"""Quantised rows to cosines: the one place in Satori where a similarity is computed.

A cosine is `dot(a, b) / (|a| |b|)` of the int8 rows, as a fixed-point integer in units of 2^-24. The dot product is an
integer below 2^24 in magnitude (127 x 127 x 1,024 dimensions at most), which float32 holds exactly whatever the order
of summation, the thread count or the instruction set. Scaling is elementwise in float64 and rounded once. Sums, means
and variances over the returned integers are therefore exact too: where a matrix is cut into chunks, or which rows are
neighbours, cannot change a figure or a ranking. It ranks nothing and keeps nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "MAX_DIMENSION",
    "UNIT",
    "cosines",
    "cosines_of_dots",
    "inverse_lengths",
    "inverse_norms",
    "norms",
    "operand",
    "squares",
]

UNIT = 1 << 24
"""The cosine 1.0 as a fixed-point integer."""

MAX_DIMENSION = 1_024
"""127 * 127 * 1,024 < 2^24: up to here a dot product of int8 rows is exact in float32."""


def norms(rows: NDArray[np.int8]) -> NDArray[np.float64]:
    """Euclidean length of each row, shape (n,): the correctly rounded root of an exact integer."""
    lengths: NDArray[np.float64] = np.sqrt(squares(rows).astype(np.float64))
    return lengths


def squares(rows: NDArray[np.int8]) -> NDArray[np.int64]:
    """The squared length of each row, shape (n,): exact."""
    total: NDArray[np.int64] = np.square(rows, dtype=np.int32).sum(axis=-1, dtype=np.int64)
    return total


def inverse_norms(rows: NDArray[np.int8]) -> NDArray[np.float64]:
    """1 / length of each row, shape (n,); 0 for an all-zero row, whose cosine with anything is 0."""
    return inverse_lengths(squares(rows))


def inverse_lengths(squared: NDArray[np.int64]) -> NDArray[np.float64]:
    """`inverse_norms` of rows whose squared lengths are given."""
    lengths = np.sqrt(squared.astype(np.float64))
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


def operand(rows: NDArray[np.int8]) -> NDArray[np.float32]:
    """The rows as the C-contiguous float32 matrix that `cosines` multiplies; convert once and keep it."""
    if rows.shape[-1] > MAX_DIMENSION:
        raise ValueError(f"{rows.shape[-1]} dimensions exceed {MAX_DIMENSION}: dot products would not be exact")
    return np.ascontiguousarray(rows, dtype=np.float32)


def cosines(matrix: NDArray[np.float32], inverse: NDArray[np.float64], query: NDArray[np.int8]) -> NDArray[np.int64]:
    """Cosine of each matrix row with the query, shape (n,), int64 in units of 2^-24, in [-UNIT, UNIT].

    `matrix` comes from `operand(rows)` and `inverse` from `inverse_norms(rows)` of the same rows.
    """
    return cosines_of_dots(matrix @ query.astype(np.float32), inverse, query)


def cosines_of_dots(
    dots: NDArray[np.float32] | NDArray[np.int64], inverse: NDArray[np.float64], query: NDArray[np.int8]
) -> NDArray[np.int64]:
    """`cosines` of rows whose exact dot products with the query somebody else computed."""
    scale = float(inverse_norms(query[np.newaxis, :])[0])
    scaled = dots.astype(np.float64) * inverse
    scaled *= scale * UNIT
    np.rint(scaled, out=scaled)
    np.clip(scaled, -UNIT, UNIT, out=scaled)
    return scaled.astype(np.int64)


def cosines_of(
    matrix: NDArray[np.float32], inverse: NDArray[np.float64], queries: NDArray[np.int8]
) -> NDArray[np.int64]:
    """`cosines` for several queries at once, shape (queries, n): the same figures, for small matrices far cheaper."""
    scaled = (queries.astype(np.float32) @ matrix.T).astype(np.float64)
    scaled *= inverse
    scaled *= (inverse_norms(queries) * UNIT)[:, np.newaxis]
    np.rint(scaled, out=scaled)
    np.clip(scaled, -UNIT, UNIT, out=scaled)
    return scaled.astype(np.int64)
