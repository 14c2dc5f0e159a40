"""The default embedder: a table of token vectors trained for code search, read from the package, numpy only.

A text's vector is the direction of the weighted sum of its tokens' vectors, the weight being w(token) x (1 + ln count).
All sums are of integers below 2^24, so that float32 matrix products are exact: a text has one vector, whatever batch,
thread count or platform computes it. It reads no network, no configuration, and nothing but the package's own files.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from satori.embedding.tokens import Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WEIGHT_SUM", "StaticEmbedder", "TokenTable"]

WEIGHT_SUM = 1 << 17
"""Weights of one text are scaled to sum to this at most: 2^17 x 127 < 2^24 keeps every partial sum exact in float32."""

_BATCH = 64
_COUNT_CAP = 4_096
_COUNT_UNIT = 256
_COUNT_WEIGHT = np.array(
    [0, *(round(_COUNT_UNIT * (1.0 + math.log(count))) for count in range(1, _COUNT_CAP))], dtype=np.int64
)
"""1 + ln(count) in units of 1/256, so that weights stay integers."""


class TokenTable:
    """Token vectors and weights, and the exact pooling of token ids into one int8 row per text.

    `vectors` is int8 of shape (tokens, dimension); `weights` holds one non-negative integer below 2^20 per token.
    """

    def __init__(self, vectors: NDArray[np.int8], weights: NDArray[np.integer]) -> None:
        self.vectors = vectors
        self.weights = np.asarray(weights, dtype=np.int64)

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return int(self.vectors.shape[1])

    def pool(self, token_ids: Sequence[Sequence[int]]) -> NDArray[np.int8]:
        """One int8 row per list of token ids, shape (n, dimension); a list without tokens gives a zero row."""
        rows = np.zeros((len(token_ids), self.dimension), dtype=np.int8)
        if len(token_ids) == 1:
            if token_ids[0]:
                rows[0] = self._pool_one(token_ids[0])
            return rows
        for start in range(0, len(token_ids), _BATCH):
            self._pool_batch(token_ids[start : start + _BATCH], rows[start : start + _BATCH])
        return rows

    def _pool_one(self, token_ids: Sequence[int]) -> NDArray[np.int8]:
        """One text without the bookkeeping of a batch; the sums being exact, the row is the batch's."""
        found = Counter(token_ids)
        tokens = np.fromiter(found.keys(), dtype=np.int64, count=len(found))
        counts = np.fromiter(found.values(), dtype=np.int64, count=len(found))
        amount = self.weights[tokens] * _COUNT_WEIGHT[np.minimum(counts, _COUNT_CAP - 1)]
        mixing = (amount * WEIGHT_SUM // max(int(amount.sum()), 1)).astype(np.float32)
        row: NDArray[np.int8] = quantise(mixing[np.newaxis] @ self.vectors[tokens].astype(np.float32))[0]
        return row

    def _pool_batch(self, token_ids: Sequence[Sequence[int]], out: NDArray[np.int8]) -> None:
        lengths = np.array([len(ids) for ids in token_ids], dtype=np.int64)
        total = int(lengths.sum())
        if not total:
            return
        flat = np.fromiter((token for ids in token_ids for token in ids), dtype=np.int64, count=total)
        present = np.zeros(len(self.weights), dtype=bool)
        present[flat] = True
        local = np.flatnonzero(present)
        column = np.empty(len(self.weights), dtype=np.int64)
        column[local] = np.arange(len(local))
        cells = np.repeat(np.arange(len(token_ids)) * len(local), lengths) + column[flat]
        counts = np.bincount(cells, minlength=len(token_ids) * len(local))
        used = np.flatnonzero(counts)
        row = used // len(local)
        amount = self.weights[local][used % len(local)] * _COUNT_WEIGHT[np.minimum(counts[used], _COUNT_CAP - 1)]
        sums = np.add.reduceat(amount, np.flatnonzero(np.diff(row, prepend=-1)))
        of_row = np.ones(len(token_ids), dtype=np.int64)
        of_row[np.unique(row)] = np.maximum(sums, 1)
        mixing = np.zeros(len(token_ids) * len(local), dtype=np.float32)
        mixing[used] = amount * WEIGHT_SUM // of_row[row]
        product = mixing.reshape(len(token_ids), len(local)) @ self.vectors[local].astype(np.float32)
        out[:] = quantise(product)


def quantise(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Rows scaled so that the largest component is 127, rounded half to even; a zero row stays zero."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scale = np.float32(127.0) / np.where(largest > 0, largest, np.float32(1.0))
    rows: NDArray[np.int8] = np.rint(vectors * scale).astype(np.int8)
    return rows


class StaticEmbedder:
    """The `Embedder` over a `TokenTable`: immutable after construction but for its memo of seen words."""

    def __init__(self, name: str, table: TokenTable, tokenizer: Tokenizer) -> None:
        self._name = name
        self._table = table
        self._tokenizer = tokenizer

    @property
    def provider(self) -> str:
        """The kind of embedder: `static`."""
        return "static"

    @property
    def model(self) -> str:
        """Name and content hash: equal for equal vectors."""
        return self._name

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return self._table.dimension

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """One row per text, shape (n, dimension), int8; all zeros for a text without a known token."""
        ids = self._tokenizer.ids
        return self._table.pool([ids(text) for text in texts])

    @property
    def connected(self) -> bool:
        """No service is asked."""
        return False

    def encode_query(self, text: str) -> NDArray[np.int8]:
        """The vector of one question, shape (dimension,), int8: the same function as for a document."""
        row: NDArray[np.int8] = self._table.pool([self._tokenizer.ids(text)])[0]
        return row

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """One row per question: the same function as for documents."""
        return self.encode_documents(texts)
