"""The figures a ranking is judged by: owner at k, NDCG, refusals, percentiles.

Pure arithmetic over ranks; it knows neither engines nor files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def ndcg(gains: Sequence[float], ideal: Sequence[float], k: int = 10) -> float:
    """Return the normalised discounted cumulative gain of the first `k` ranks, 0 to 1.

    `gains[i]` is the gain at rank i + 1, the discount 1 / log2(rank + 1); `ideal` holds the gains of all targets in any
    order, of which the best `k` make the denominator (Järvelin and Kekäläinen 2002). Without targets it is 0.
    """
    best = _discounted(sorted(ideal, reverse=True)[:k])
    return _discounted(gains[:k]) / best if best else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def hit_at(ranks: Sequence[int | None], k: int) -> float:
    """Return the share of questions whose answer stands at rank `k` or better; None is an answer not found."""
    return share([rank is not None and rank <= k for rank in ranks])


def share(flags: Sequence[bool]) -> float:
    """Return the share of true flags; 0 for none at all."""
    return sum(flags) / len(flags) if flags else 0.0


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean; 0 for none at all."""
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the nearest-rank percentile (`percent` 0 to 100); 0 for no values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]
