from __future__ import annotations

import pytest

from benchmarks.compare import failures, pieced_together, rates
from satori.evaluation.engine import Found, Response
from satori.evaluation.judge import judge
from satori.evaluation.question import Question, QuestionKind, Target

TORN = Question("What does f do?", QuestionKind.STRADDLING, Target("a.py", 10, 20, "f"))


@pytest.mark.parametrize(
    ("results", "whole", "pieced"),
    [
        ([Found("a.py", 10, 20)], 1.0, True),
        ([Found("a.py", 1, 14), Found("b.py", 1, 9), Found("a.py", 15, 30)], 0.0, True),
        ([Found("a.py", 1, 14), Found("a.py", 16, 30)], 0.0, False),
        ([Found("b.py", 1, 9)] * 3 + [Found("a.py", 1, 99)], 0.0, False),
        ([], 0.0, False),
    ],
)
def test_a_torn_definition_is_whole_in_one_result_or_pieced_from_three(
    results: list[Found], whole: float, pieced: bool
) -> None:
    """Only the first three results count; a missing line breaks the pieces."""
    judgement = judge(TORN, Response(tuple(results), refused=not results, milliseconds=1.0))
    row = rates("tree", "engine", [judgement])
    assert row.straddling_whole == whole
    assert pieced_together(judgement) is pieced


def test_rates_and_failures_by_hand() -> None:
    """One symbol first, one second; one foreign question answered: 0.5, 0 and two failures named."""
    owner = Target("a.py", 1, 1, "f")
    right, wrong = Found("a.py", 1, 2, "f"), Found("a.py", 5, 6, "g")
    run = [
        judge(Question("f", QuestionKind.SYMBOL, owner), Response((right,), refused=False, milliseconds=1.0)),
        judge(Question("f", QuestionKind.SYMBOL, owner), Response((wrong, right), refused=False, milliseconds=1.0)),
        judge(Question("tea", QuestionKind.UNANSWERABLE), Response((wrong,), refused=False, milliseconds=1.0)),
    ]
    row = rates("tree", "engine", run)
    assert (row.symbols, row.symbol_first, row.unanswerable, row.refused) == (2, 0.5, 1, 0.0)
    assert len(failures(run)) == 2
