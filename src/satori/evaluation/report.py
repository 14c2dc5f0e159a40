"""Figures and tables of an evaluation: one row an engine, one an engine and kind of question.

It computes nothing that `metrics` does not define and prints nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from satori.evaluation.engine import Engine
from satori.evaluation.judge import Judgement, judge
from satori.evaluation.metrics import hit_at, mean, percentile, share
from satori.evaluation.question import QuestionKind, QuestionSet

LIMIT = 10


@dataclass(frozen=True, slots=True)
class Figures:
    """What one engine did on some questions.

    `owner_at_1`, `owner_at_5` and `ndcg_at_10` are over the answerable questions (a wrong refusal counts as a miss),
    `refused` over the unanswerable ones, `wrongly_refused` over the answerable ones; times are milliseconds, `lines` is
    the mean length of a result.
    """

    engine: str
    answerable: int
    unanswerable: int
    owner_at_1: float
    owner_at_5: float
    ndcg_at_10: float
    refused: float
    wrongly_refused: float
    p50_ms: float
    p95_ms: float
    lines: float
    index_seconds: float


def run_set(engine: Engine, questions: QuestionSet) -> list[Judgement]:
    """Put every question of a set to an engine and judge the answers."""
    return [judge(question, engine.ask(question.query, LIMIT, questions.scope)) for question in questions.questions]


def figures(engine: Engine, judgements: Sequence[Judgement]) -> Figures:
    """Sum up one engine's judgements."""
    known = [judgement for judgement in judgements if judgement.question.owner]
    foreign = [judgement for judgement in judgements if not judgement.question.owner]
    times = [judgement.response.milliseconds for judgement in judgements]
    sizes = [found.end_line - found.start_line + 1 for j in judgements for found in j.response.results]
    return Figures(
        engine=engine.name,
        answerable=len(known),
        unanswerable=len(foreign),
        owner_at_1=hit_at([judgement.rank for judgement in known], 1),
        owner_at_5=hit_at([judgement.rank for judgement in known], 5),
        ndcg_at_10=mean([judgement.ndcg for judgement in known]),
        refused=share([judgement.response.refused for judgement in foreign]),
        wrongly_refused=share([judgement.response.refused for judgement in known]),
        p50_ms=percentile(times, 50),
        p95_ms=percentile(times, 95),
        lines=mean(sizes),
        index_seconds=engine.index_seconds,
    )


def as_record(row: Figures, judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Return the figures and every question's outcome as JSON-ready values."""
    return asdict(row) | {
        "questions": [
            {
                "query": judgement.question.query,
                "kind": judgement.question.kind.value,
                "rank": judgement.rank,
                "ndcg": round(judgement.ndcg, 4),
                "refused": judgement.response.refused,
                "results": [asdict(found) for found in judgement.response.results],
            }
            for judgement in judgements
        ]
    }


def table(rows: Sequence[Figures]) -> str:
    """Lay the figures out, one row an engine."""
    head = "engine   questions  owner@1  owner@5  NDCG@10  refused  wrongly refused  p50 ms  p95 ms  lines  index s"
    lines = [
        f"{row.engine:8} {row.answerable:4}+{row.unanswerable:<4}  {row.owner_at_1:7.3f}  {row.owner_at_5:7.3f}"
        f"  {row.ndcg_at_10:7.3f}  {row.refused:7.3f}  {row.wrongly_refused:15.3f}  {row.p50_ms:6.2f}"
        f"  {row.p95_ms:6.2f}  {row.lines:5.0f}  {row.index_seconds:7.2f}"
        for row in rows
    ]
    return "\n".join([head, *lines])


def table_by_kind(runs: Sequence[tuple[Engine, Sequence[Judgement]]]) -> str:
    """Lay out owner@1 and owner@5 (for unanswerable questions the share refused) by kind of question."""
    kinds = [kind for kind in QuestionKind if any(j.question.kind is kind for _, run in runs for j in run)]
    lines = []
    for kind in kinds:
        cells = []
        for engine, run in runs:
            own = [judgement for judgement in run if judgement.question.kind is kind]
            if kind is QuestionKind.UNANSWERABLE:
                cells.append(f"{engine.name} refused {share([j.response.refused for j in own]):.2f}")
            else:
                ranks = [judgement.rank for judgement in own]
                cells.append(f"{engine.name} {hit_at(ranks, 1):.2f} / {hit_at(ranks, 5):.2f}")
        count = sum(judgement.question.kind is kind for judgement in runs[0][1])
        lines.append(f"  {kind.value:13} n={count:<3}  " + "   ".join(cells))
    return "\n".join(lines)
