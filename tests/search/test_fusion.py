"""Reciprocal-rank fusion votes by rank alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satori.search.fusion import K, fuse


def arm(*scores: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    values = np.array(scores)
    return values, values > 0


def test_agreement_beats_a_single_first_place() -> None:
    """An item that two arms rank second beats items that one arm ranks first."""
    fused = fuse([arm(3.0, 2.0, 0.0), arm(0.0, 2.0, 3.0)], 10)
    assert int(fused.argmax()) == 1
    assert fused[1] == 2 / (K + 2)


def test_what_no_arm_found_has_no_score() -> None:
    """Only items that an arm found get its vote."""
    assert fuse([arm(0.0, -1.0, 1.0)], 10).tolist() == [0.0, 0.0, 1 / (K + 1)]


def test_equal_scores_share_a_rank_in_any_order_of_storage() -> None:
    """Reversing the storage reverses the result and changes nothing else."""
    forward, backward = fuse([arm(1.0, 2.0, 2.0, 3.0)], 2), fuse([arm(3.0, 2.0, 2.0, 1.0)], 2)
    assert backward.tolist() == forward.tolist()[::-1]
    assert forward[1] == forward[2] == 1 / (K + 2)
