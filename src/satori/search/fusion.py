"""Reciprocal-rank fusion: one list of candidates from several rankings.

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods"
(SIGIR 2009). It knows ranks only, so arms with unlike scores can vote.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# The paper's constant; between 10 and 100 the candidate set's recall does not move (docs/retrieval.md).
K = 60


def fuse(arms: Sequence[tuple[NDArray[np.float64], NDArray[np.bool_]]], depth: int) -> NDArray[np.float64]:
    """Fused score of every item. An arm is one score an item and which items it found; it votes for its `depth` best.
    Equal scores share the better rank, so that order of storage decides nothing."""
    fused = np.zeros(len(arms[0][0]) if arms else 0)
    for scores, hits in arms:
        found = np.flatnonzero(hits)
        if not len(found):
            continue
        if len(found) > depth:
            bound = np.partition(scores[found], len(found) - depth)[len(found) - depth]
            found = found[scores[found] >= bound]
        values = -scores[found]
        ranks = np.searchsorted(np.sort(values), values, side="left")
        fused[found] += 1.0 / (K + 1 + ranks)
    return fused
