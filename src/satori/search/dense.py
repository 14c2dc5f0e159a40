"""The vectors of one segment as search sees them: in memory, or in a store that is asked.

Either way a cosine comes from an exact dot product and the rows' exact lengths, so that the same Publication answers
the same whatever keeps its vectors. Nothing is remembered between questions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satori.embedding.similarity import cosines, cosines_of_dots, inverse_lengths, inverse_norms, operand
from satori.publication.segment import Segment


class SegmentVectors:
    """Cosines with a segment's chunks and files."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        if segment.source is None:
            self._chunks = operand(segment["chunk_vector"])
            self._files = operand(segment["file_vector"])
            self._chunk_inverse = inverse_norms(segment["chunk_vector"])
            self._file_inverse = inverse_norms(segment["file_vector"])
        else:
            self._chunk_inverse = inverse_lengths(segment["chunk_square"])
            self._file_inverse = inverse_lengths(segment["file_square"])

    def cosines(self, query: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of every chunk, shape (C,), and of every file's identity, shape (F,). Raises StoreError."""
        source = self._segment.source
        if source is None:
            return cosines(self._chunks, self._chunk_inverse, query), cosines(self._files, self._file_inverse, query)
        dots = source.dots(query)
        count = self._segment.chunk_count
        return (
            cosines_of_dots(dots[:count], self._chunk_inverse, query),
            cosines_of_dots(dots[count:], self._file_inverse, query),
        )

    def rows(self) -> NDArray[np.int8]:
        """The chunks' vectors, shape (C, D), read from the store where they are not here. Raises StoreError."""
        source = self._segment.source
        if source is None:
            vectors: NDArray[np.int8] = self._segment["chunk_vector"]
            return vectors
        return source.rows()[: self._segment.chunk_count]
