"""Reciprocal-rank fusion votes by rank alone."""

from __future__ import annotations

import numpy as np

from satori.search.fusion import K, fuse


def test_agreement_beats_a_single_first_place() -> None:
    """An item that two arms rank second beats items that one arm ranks first."""
    fused = fuse([np.array([3.0, 2.0, 0.0]), np.array([0.0, 2.0, 3.0])], 10)
    assert int(fused.argmax()) == 1
    assert fused[1] == 2 / (K + 2)


def test_what_no_arm_found_has_no_score() -> None:
    """Zero and negative scores are no votes."""
    assert fuse([np.array([0.0, -1.0, 1.0])], 10).tolist() == [0.0, 0.0, 1 / (K + 1)]


def test_equal_scores_share_a_rank_in_any_order_of_storage() -> None:
    """Reversing the storage reverses the result and changes nothing else."""
    scores = np.array([1.0, 2.0, 2.0, 3.0])
    assert fuse([scores[::-1]], 2).tolist() == fuse([scores], 2)[::-1].tolist()
