"""From signals to an order of files: one fusion for candidates, one linear score with named weights for their order.

Weights are round numbers found on twenty public repositories with whole repositories left out (docs/retrieval.md
has the ablation of each and what else they were checked on).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satori.search.fusion import fuse
from satori.search.index import SearchIndex
from satori.search.question import Question

# Files that the fusion hands to the final score.
CANDIDATES = 120
_ARM_DEPTH = 200

WEIGHTS: Mapping[str, float] = {
    "dense_chunks": 0.9,
    "dense_file": 0.1,
    "lexical": 2.4,
    "comments": 1.3,
    "stem_query": 1.7,
    "stem": 1.25,
    "directory": 0.9,
    "definition": 1.5,
    "type_name": 0.8,
    "exact_type": 1.5,
    "exact_function": 0.3,
    "pairs": 0.3,
    "mentioned": 1.5,
    "depth": -0.5,
    "main": 0.3,
    "test": -2.0,
    "example": -1.7,
    "compat": -1.0,
    "generated": -1.5,
    "declaration": -0.7,
    "documentation": -1.5,
    "plain": -1.4,
}
_DENSE = "dense_chunks"
_ARMS = (
    _DENSE,
    "lexical",
    "comments",
    "stem_query",
    "definition",
    "type_name",
    "exact_type",
    "exact_function",
    "mentioned",
)


@dataclass(frozen=True, slots=True)
class FileRanking:
    """Candidate files, best first, with their scores and the signals behind them."""

    files: NDArray[np.int64]
    scores: NDArray[np.float64]
    signals: Mapping[str, NDArray[np.float64]]
    weights: Mapping[str, float]


def rank_files(
    index: SearchIndex,
    question: Question,
    signals: Mapping[str, NDArray[np.float64]],
    allowed: NDArray[np.bool_],
    weights: Mapping[str, float] = WEIGHTS,
) -> FileRanking:
    """Order the `allowed` files; equal scores are ordered by path."""
    effective = dict(weights)
    if question.about_tests:
        effective["test"] = 0.2
    if question.about_examples:
        effective["example"] = 0.2
    # A cosine ranks every file; the other arms find only what they have evidence for.
    arms = [(signals[name], allowed if name == _DENSE else allowed & (signals[name] > 0)) for name in _ARMS]
    fused = fuse(arms, _ARM_DEPTH)
    candidates = np.flatnonzero((fused > 0) & allowed)
    if len(candidates) > CANDIDATES:
        bound = np.partition(fused[candidates], len(candidates) - CANDIDATES)[len(candidates) - CANDIDATES]
        candidates = candidates[fused[candidates] >= bound]
    total = np.zeros(len(candidates))
    for name, weight in effective.items():
        total += weight * signals[name][candidates]
    order = np.lexsort((index.path_rank[candidates], -total))
    return FileRanking(candidates[order], total[order], signals, effective)
