"""Owners are ordered by file, then evidence, then place, whatever sort does it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from satori.search.owners import _best_of_runs, _by_place_and_score

SCORED = st.lists(st.tuples(st.integers(0, 4), st.sampled_from([-1.5, 0.0, 0.25, 3.0])), min_size=1, max_size=60)


@given(SCORED)
def test_equal_scores_keep_their_order(rows: list[tuple[int, float]]) -> None:
    """The order is a stable sort by place, then by falling score."""
    place, score = np.array([p for p, _ in rows], np.int64), np.array([s for _, s in rows])
    expected = sorted(range(len(rows)), key=lambda i: (rows[i][0], -rows[i][1]))
    assert _by_place_and_score(place, score).tolist() == expected


@given(SCORED)
def test_the_first_of_the_best_stands_for_its_key(rows: list[tuple[int, float]]) -> None:
    """For each key, ascending: the first row among those with the key's highest score."""
    best: dict[int, int] = {}
    for row, (key, score) in enumerate(rows):
        if key not in best or score > rows[best[key]][1]:
            best[key] = row
    keys, scores = np.array([k for k, _ in rows], np.int64), np.array([s for _, s in rows])
    assert _best_of_runs(keys, scores).tolist() == [best[key] for key in sorted(best)]
