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


def fuse(rankings: Sequence[NDArray[np.float64]], depth: int) -> NDArray[np.float64]:
    """Fused score of every item; `rankings` hold one score an item (zero or less: not found by that arm), and each arm
    votes for its `depth` best. Equal scores share the better rank, so that order of storage decides nothing."""
    size = len(rankings[0]) if rankings else 0
    fused = np.zeros(size)
    for scores in rankings:
        found = np.flatnonzero(scores > 0)
        if not len(found):
            continue
        if len(found) > depth:
            bound = np.partition(scores[found], len(found) - depth)[len(found) - depth]
            found = found[scores[found] >= bound]
        values = scores[found]
        ordered = -np.sort(-values)
        ranks = np.searchsorted(-ordered, -values, side="left")
        fused[found] += 1.0 / (K + 1 + ranks)
    return fused
