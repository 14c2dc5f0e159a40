"""The reranker orders a bounded set; whatever else happens, the retrieval order stands and the outcome says so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from satori.search.rerank import MAX_CANDIDATES, RerankOutcome, RerankPolicy, rerank

ITEMS = [f"item {number}" for number in range(60)]


@dataclass
class Scripted:
    """A reranker whose scores are given."""

    answer: Callable[[Sequence[str]], Sequence[float]]
    name: str = "scripted"

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        return self.answer(passages)


def order(
    answer: Callable[[Sequence[str]], Sequence[float]], seconds: float = 5.0
) -> tuple[list[str], RerankOutcome, str]:
    return rerank(RerankPolicy(Scripted(answer), seconds), "question", ITEMS, ITEMS)


def test_its_order_is_final_within_the_bound() -> None:
    """The first forty are reordered, the rest keep their places."""
    ranked, outcome, _ = order(lambda passages: [float(i) for i in range(len(passages))])
    assert outcome is RerankOutcome.APPLIED
    assert ranked == ITEMS[:MAX_CANDIDATES][::-1] + ITEMS[MAX_CANDIDATES:]


def test_equal_scores_keep_the_retrieval_order() -> None:
    """No information, no change."""
    assert order(lambda passages: [1.0] * len(passages))[0] == ITEMS


def test_without_a_reranker_nothing_changes() -> None:
    """Absence is an outcome of its own."""
    assert rerank(RerankPolicy(), "question", ITEMS, ITEMS) == (ITEMS, RerankOutcome.ABSENT, "")


def failing(_passages: Sequence[str]) -> Sequence[float]:
    raise RuntimeError("out of memory")


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (failing, "out of memory"),
        (lambda passages: [1.0], "one finite score"),
        (lambda passages: [float("nan")] * len(passages), "one finite score"),
        (lambda passages: ["high"] * len(passages), "one finite score"),
    ],
)
def test_a_failure_keeps_the_retrieval_order(answer: Callable[[Sequence[str]], Sequence[float]], detail: str) -> None:
    """An exception, missing, endless or foreign scores are failures with a reason."""
    ranked, outcome, said = order(answer)
    assert ranked == ITEMS
    assert outcome is RerankOutcome.FAILED
    assert detail in said


def test_a_slow_reranker_is_left_behind() -> None:
    """The time limit holds even when the model never returns."""
    released = threading.Event()

    def slow(passages: Sequence[str]) -> Sequence[float]:
        released.wait(20)
        return [0.0] * len(passages)

    ranked, outcome, said = order(slow, seconds=0.05)
    released.set()
    assert ranked == ITEMS
    assert outcome is RerankOutcome.TIMEOUT
    assert "0.05 s" in said
