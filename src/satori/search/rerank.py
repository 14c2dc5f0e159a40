"""The reranker port and its policy: a bounded candidate set, a time limit, and an honest word on what happened.

When a reranker runs, its order of the bounded set is final, behind definitions that the question names. When it is
absent, slow, failing or answers something malformed, the retrieval order stands. Scores are used for order only, ties
keep the retrieval order. No model lives here; the offline default is none, by measurement (docs/retrieval.md).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

# Beyond this many candidates a reranker costs time and moves nothing that is shown.
MAX_CANDIDATES = 40
MAX_CHARACTERS = 2000

_Item = TypeVar("_Item")


class Reranker(Protocol):
    """Scores passages for a question; higher is better."""

    @property
    def name(self) -> str:
        """Provider and model, for answers and diagnostics."""
        ...

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """One finite number a passage, in order. May raise; may be slow: the policy bounds it."""
        ...


class RerankOutcome(StrEnum):
    """What happened, as stated in the answer."""

    ABSENT = "absent"
    APPLIED = "applied"
    FAILED = "failed"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class RerankPolicy:
    """`reranker` None means absent; `seconds` is the time limit of one call."""

    reranker: Reranker | None = None
    seconds: float = 2.0


def rerank(
    policy: RerankPolicy, question: str, items: Sequence[_Item], passages: Sequence[str]
) -> tuple[list[_Item], RerankOutcome, str]:
    """(items in final order, outcome, detail). `passages[i]` is the text of `items[i]`; only the first
    `MAX_CANDIDATES` are reordered."""
    if policy.reranker is None or not items:
        return list(items), RerankOutcome.ABSENT, ""
    bounded = [passage[:MAX_CHARACTERS] for passage in passages[:MAX_CANDIDATES]]
    said: list[Sequence[float] | BaseException] = []
    # A daemon thread: a call that is over time is left behind and cannot hold the process.
    worker = threading.Thread(target=_call, args=(policy.reranker, question, bounded, said), daemon=True)
    worker.start()
    worker.join(policy.seconds)
    if not said:
        return list(items), RerankOutcome.TIMEOUT, f"{policy.reranker.name} took more than {policy.seconds:g} s"
    scores = said[0]
    if isinstance(scores, BaseException):
        return list(items), RerankOutcome.FAILED, f"{policy.reranker.name}: {type(scores).__name__}: {scores}"
    if len(scores) != len(bounded) or not all(isinstance(s, int | float) and math.isfinite(s) for s in scores):
        return list(items), RerankOutcome.FAILED, f"{policy.reranker.name} did not return one finite score a passage"
    order = sorted(range(len(bounded)), key=lambda i: (-scores[i], i))
    return [items[i] for i in order] + list(items[len(bounded) :]), RerankOutcome.APPLIED, policy.reranker.name


def _call(reranker: Reranker, question: str, passages: list[str], said: list[Sequence[float] | BaseException]) -> None:
    try:
        said.append(list(reranker.score(question, passages)))
    except Exception as error:  # whatever a model raises, the retrieval order stands and the answer says so
        said.append(error)
