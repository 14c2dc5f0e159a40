"""A pasted message is found where the code says it, and questions are left to the ranking."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satori import Codebase
from satori.search.relevance import Relevance
from satori.search.request import SearchRequest
from satori.search.verbatim import message_of, stretches_of

FILES = {
    "src/quota.py": '''\
"""Quotas of accounts: limits, usage, exceeded quotas."""


def quota_exceeded(account, limit):
    """Whether the account has exceeded its limit for requests."""
    return account.used > limit


class QuotaExceeded(Exception):
    """The account has no requests left for today."""
''',
    "src/billing.py": """\
from quota import QuotaExceeded


def charge(account, amount):
    if amount <= 0:
        raise ValueError("nothing")
    return account.charge(amount)


def settle(account, limit):
    if account.used > limit:
        raise QuotaExceeded(
            f"Account {account.name} has used all of its {limit} requests "
            "for today, try again tomorrow."
        )
""",
    "tests/test_billing.py": """\
def test_settle():
    expect("Account a has used all of its 3 requests for today, try again tomorrow.")
""",
}


@pytest.fixture(scope="module")
def codebase(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Codebase]:
    root = tmp_path_factory.mktemp("verbatim") / "shop"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    with Codebase.open(root, root.parent / "state") as opened:
        opened.sync()
        yield opened


def test_a_message_with_its_gaps_filled_finds_what_raises_it(codebase: Codebase) -> None:
    """Stretches around what was filled in, and over a string's line break, lead to the owner; tests come after it."""
    message = "shop: Account globex has used all of its 500 requests for today, try again tomorrow."
    with codebase.serving() as engine:
        answer = engine.answer(SearchRequest(query=message))
        labels = [group.symbol.qualified_name for group in engine.render(answer, answer.candidates)]
    assert labels[:2] == ["settle", "test_settle"]
    assert answer.relevance is Relevance.STRONG


@pytest.mark.parametrize(
    "question",
    ["when has an account used all of its requests for today", "has used all of its requests for today?", "try again"],
)
def test_questions_and_short_texts_are_ranked_as_ever(codebase: Codebase, question: str) -> None:
    """What asks is no message: nothing of it is pinned before the ranking."""
    with codebase.serving() as engine:
        answer = engine.answer(SearchRequest(query=question))
    scores = [candidate.score for candidate in answer.candidates if not candidate.exact]
    assert scores == sorted(scores, reverse=True)


WORDS = st.lists(st.sampled_from("abcd"), max_size=14)


@given(WORDS, WORDS, WORDS)
def test_a_text_that_holds_the_message_covers_all_of_it(
    before: list[str], message: list[str], after: list[str]
) -> None:
    """Whatever stands around a whole message, all of it is covered; two words are no stretch; never more than all."""
    covered = stretches_of(message, before + message + after)
    assert covered == (len(message) if len(message) >= 3 else 0)
    assert stretches_of(message, before) <= len(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Account bob has used all of its requests", "Account bob has used all of its requests"),
        ("KeyError: no spider 'x'. What raises it, and who calls that?", "KeyError: no spider 'x'."),
        (
            "Timeout exceeded. Call done() yourself. Who makes this, and when?",
            "Timeout exceeded. Call done() yourself.",
        ),
        ("Quota reached. Show where it is counted", "Quota reached."),
        ("How is a quota counted?", ""),
        ("Where is it counted. And by whom?", ""),
        ("Is it slow?", ""),
        ("", ""),
    ],
)
def test_questions_about_a_message_are_no_part_of_it(text: str, message: str) -> None:
    """A pasted message may be followed by what is asked about it; a text that only asks holds none."""
    assert message_of(text) == message


def test_a_message_with_a_question_is_found_like_the_message(codebase: Codebase) -> None:
    """The place that says it comes first, whatever is asked about it."""
    pasted = "Account bob has used all of its 7 requests for today, try again tomorrow."
    alone = codebase.search(pasted)
    asked = codebase.search(f"{pasted} What raises it, and who calls that?")
    assert asked[0].symbol == alone[0].symbol == "settle"
