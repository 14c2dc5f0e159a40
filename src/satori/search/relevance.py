"""The verdict: does anything here answer the question? strong, weak or none.

A nearest neighbour is not an answer, so the best similarities are compared with what unrelated questions reach in this
very Publication (`satori.publication.background`), and with what the words say. The verdict is
a logistic function of three features with weights learned on repositories other than the judged ones
(docs/retrieval.md has the curve); it decides whether results are shown, never their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satori.embedding.similarity import UNIT
from satori.publication.background import Background
from satori.search.index import SearchIndex
from satori.search.question import Question
from satori.search.signals import Evidence

_TOP = 3
# Below every cosine, and safe to negate.
_ABSENT = -(1 << 40)
# Measured (docs/retrieval.md): weights of similarity above background, lexical share, identifier without a definition.
_WEIGHTS = (1.0, 4.9, -0.6)
# Measured: of translated questions, one half refuses as many foreign ones as in English, and a quarter fewer good ones.
_UNREAD = 0.25
STRONG_ABOVE = 5.5
NONE_BELOW = 2.4


class Relevance(StrEnum):
    """How well the best evidence fits the question."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`score` orders questions by how well they are answered; the features are kept for explanation.

    `similarity` is in standard deviations above the background's mean, `lexical` a share of the question's idf with
    unknown words counted, `unmatched_identifier` tells that a word which can only be a name names nothing here.
    """

    relevance: Relevance
    score: float
    similarity: float
    lexical: float
    unmatched_identifier: bool


def judge(
    index: SearchIndex,
    question: Question,
    evidence: Evidence,
    background: Background | None,
    allowed: NDArray[np.bool_],
    *,
    named: bool,
    missing: bool,
) -> Verdict:
    """`allowed`: the files that may answer; `named`: the question names a definition exactly; `missing`: an
    identifier-like word of it names none. Without a `background` similarity could not be had: words alone then neither
    refuse a question nor vouch for an answer."""
    chunks = allowed[index.chunk_file]
    similarity = 0.0
    if background is not None:
        mean, spread = background_scale(index, background)
        similarity = (_top_mean(evidence.cosine[chunks]) - mean) / spread
    lexical = _lexical_share(index, question, evidence.lexical[chunks])
    score = _WEIGHTS[0] * similarity + _WEIGHTS[1] * lexical + _WEIGHTS[2] * (missing and not named)
    if named:
        relevance = Relevance.STRONG
    elif not evidence.terms_known or not question.terms:
        relevance = Relevance.NONE
    elif background is None:
        relevance = Relevance.WEAK
    elif score < NONE_BELOW:
        relevance = Relevance.WEAK if _stands_verbatim(index, question) else Relevance.NONE
    else:
        relevance = Relevance.STRONG if score >= STRONG_ABOVE else Relevance.WEAK
    return Verdict(relevance, score, similarity, lexical, missing)


def _stands_verbatim(index: SearchIndex, question: Question) -> bool:
    """Whether a compound identifier of the question stands in some chunk: an error code that occurs once, say, is too
    rare to move means over three chunks, and yet it is what was asked for."""
    return bool(question.wholes) and bool((index.chunk_frequency(question.wholes) > 0).any())


def background_scale(index: SearchIndex, background: Background) -> tuple[float, float]:
    """Mean and standard deviation, over the fixed questions, of the mean of each one's three best cosines."""
    if index.background is None:
        per_shard = []
        for shard in index.shards:
            segment = shard.segment
            if "background_chunk" in segment.arrays:
                chunks, values = segment["background_chunk"], segment["background_cosine"]
            else:
                chunks, values = background(shard.derived.dense.rows())
            if not shard.all_live and chunks.size:
                live = shard.live_chunks[chunks]
                if bool((live.sum(axis=1) < min(_TOP, int(shard.live_chunks.sum()))).any()):
                    chunks, values = background(shard.derived.dense.rows()[shard.live_chunks])
                    live = np.ones(chunks.shape, bool)
                values = np.where(live, values.astype(np.int64), _ABSENT)
            per_shard.append(values.astype(np.int64))
        joined = -np.sort(-np.concatenate(per_shard, axis=1), axis=1)[:, :_TOP] if per_shard else np.zeros((1, 1))
        counted = np.where(joined == _ABSENT, 0, joined)
        means = counted.sum(axis=1) / max(1, min(_TOP, index.chunk_count)) / UNIT
        mean = float(means.sum() / len(means))
        spread = float(np.sqrt(((means - mean) ** 2).sum() / len(means)))
        index.background = (mean, max(spread, 1e-3))
    return index.background


def _top_mean(cosine: NDArray[np.int64]) -> float:
    best = _highest(cosine)
    return sum(best) / len(best) / UNIT if best else 0.0


def _lexical_share(index: SearchIndex, question: Question, scores: NDArray[np.float64]) -> float:
    """Mean of the three best BM25F scores over the idf of all terms, those that stand nowhere included; a word that
    could not be read counts as a part of a term that stands nowhere."""
    total = float(index.chunk_idf(list(question.terms)).sum()) or 1.0
    total += _UNREAD * question.unread * float(np.log1p((index.chunk_count + 0.5) / 0.5))
    best = _highest(scores)
    return sum(best) / len(best) / total if best else 0.0


def _highest(values: NDArray[Any]) -> list[Any]:
    """The `_TOP` highest, ascending. `values` are the caller's to lose: each one found is overwritten."""
    found = []
    for _ in range(min(_TOP, len(values))):
        at = int(values.argmax())
        found.append(values[at].item())
        values[at] = _ABSENT
    return found[::-1]
