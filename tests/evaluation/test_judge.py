from __future__ import annotations

import pytest

from satori.evaluation.engine import Found, Response
from satori.evaluation.judge import answers, judge, last_name
from satori.evaluation.question import Question, QuestionKind, Target

OWNER = Target("a.py", 10, 12, "open")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Found("a.py", 10, 12), True),
        (Found("a.py", 1, 99), True),
        (Found("a.py", 11, 12), False),
        (Found("a.py", 10, 11), False),
        (Found("b.py", 10, 12), False),
        (Found("a.py", 10, 12, "Store.open"), True),
        (Found("a.py", 1, 99, "Store"), False),
    ],
)
def test_a_result_answers_when_it_covers_all_lines_and_claims_no_other_symbol(found: Found, expected: bool) -> None:
    """Covering is inclusive and whole; an engine that names a symbol has to name the right one."""
    assert answers(found, OWNER) is expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Found("a.py", 15, 20, "Store.open"), True),
        (Found("a.py", 15, 20), True),
        (Found("a.py", 15, 31), False),
        (Found("a.py", 5, 9, "open"), False),
        (Found("a.py", 15, 20, "Store.close"), False),
    ],
)
def test_a_piece_inside_the_owner_answers_where_a_piece_will_do(found: Found, expected: bool) -> None:
    """The owner spans lines 10 to 30; a piece of it counts, what sticks out of it does not."""
    assert answers(found, Target("a.py", 10, 10, "open", last_line=30)) is expected


def test_a_target_without_a_symbol_is_answered_by_lines_alone() -> None:
    """Prose has no owner to name."""
    assert answers(Found("a.md", 1, 9, "Some heading"), Target("a.md", 3, 3))


@pytest.mark.parametrize("symbol", ["open", "Store.open", "Store::open", "Store#open", "(*Store).open"])
def test_the_last_name_of_a_qualified_name(symbol: str) -> None:
    """Every language's separator gives the same last identifier."""
    assert last_name(symbol) == "open"


def test_judging_by_hand() -> None:
    """Alternative at rank 1, owner at rank 3: rank 1; NDCG (0.5 + 1/2) / (1 + 0.5/log2 3)."""
    other = Target("b.py", 1, 1, "close")
    results = (Found("b.py", 1, 5, "close"), Found("b.py", 1, 5, "close"), Found("a.py", 10, 12, "open"))
    question = Question("open", QuestionKind.SYMBOL, OWNER, (other,))
    judgement = judge(question, Response(results, refused=False, milliseconds=1.0))
    assert judgement.rank == 1
    assert judgement.ndcg == pytest.approx(1.0 / 1.3154648767857287)


def test_a_refusal_of_an_answerable_question_has_no_rank() -> None:
    """No results, no rank, no gain."""
    judgement = judge(Question("open", QuestionKind.SYMBOL, OWNER), Response((), refused=True, milliseconds=1.0))
    assert (judgement.rank, judgement.ndcg) == (None, 0.0)
