"""Rerank services over a real loopback server: their order when they answer, else the retrieval order and a reason."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from satori.search.rerank import RerankOutcome, rerank
from satori.search.rerankers.registry import load_policy
from satori.settings.choice import RerankerChoice
from tests.remote.loopback import Loopback, Reply, Request, serving

PASSAGES = ["first", "second", "third"]
SECRET = "pa-verysecret"
LIST = {"voyage": "data", "cohere": "results"}


def answer(provider: str, scores: list[float], order: list[int] | None = None) -> dict[str, Any]:
    rows = [{"index": place, "relevance_score": scores[place]} for place in order or range(len(scores))]
    return {"object": "list", LIST[provider]: rows, "model": "m", "usage": {"total_tokens": 26}}


@pytest.fixture(params=["voyage", "cohere"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def service(provider: str) -> Iterator[Loopback]:
    def reply(request: Request) -> Reply:
        scores = [float(len(document)) for document in request.body["documents"]]
        return Reply(body=answer(provider, scores, [2, 0, 1]))

    with serving(reply) as loopback:
        yield loopback


@pytest.fixture
def choice(provider: str, service: Loopback, tmp_path: Path) -> RerankerChoice:
    key = tmp_path / "key"
    key.write_text(SECRET)
    key.chmod(0o600)
    return RerankerChoice(provider, endpoint=service.url, key_file=str(key), model="m", seconds=30.0)


def asked(choice: RerankerChoice) -> tuple[list[str], RerankOutcome, str]:
    return rerank(load_policy(choice), "which", PASSAGES, PASSAGES)


def test_the_services_order_is_final(choice: RerankerChoice, service: Loopback, provider: str) -> None:
    """Pairs may come in any order; the request has the provider's form and carries the key in its header alone."""
    ordered, outcome, detail = asked(choice)
    assert (ordered, outcome, detail) == (["second", "first", "third"], RerankOutcome.APPLIED, f"{provider}/m")
    (request,) = service.requests
    assert request.path.endswith("/rerank")
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    extra = {"truncation": True} if provider == "voyage" else {}
    assert request.body == {"model": "m", "query": "which", "documents": PASSAGES, **extra}


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(401, {"detail": "Provided API key is invalid."}), "refuses the key"),
        (Reply(429, {"message": "rate limit"}, {"Retry-After": "30"}), "429"),
        (Reply(500, {"error": "oops"}), "500"),
        (Reply(400, {"detail": "too many tokens"}), "too many tokens"),
        (Reply(raw=b'{"data": [{"index": 0, "relev'), "no whole JSON"),
        (Reply(raw=b'{"data": []}', torn=True), ""),
        (Reply(body=[1, 2]), "no list of"),
        (Reply(body={"data": "x", "results": "x"}), "no list of"),
        (Reply(body={"data": [], "results": []}), "0 scores for 3 passages"),
    ],
)
def test_a_failing_service_keeps_the_retrieval_order(
    choice: RerankerChoice, service: Loopback, reply: Reply, said: str
) -> None:
    """One attempt, no waiting for a retry, and the reason without the key or the texts."""
    service.scripted.append(reply)
    started = time.monotonic()
    ordered, outcome, detail = asked(choice)
    assert (ordered, outcome) == (PASSAGES, RerankOutcome.FAILED)
    assert said in detail
    assert SECRET not in detail
    assert len(service.requests) == 1
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    "rows",
    [
        [{"index": 0, "relevance_score": 1.0}] * 3,
        [{"index": place, "relevance_score": 1.0} for place in (0, 1, 3)],
        [{"index": place, "relevance_score": "high"} for place in (0, 1, 2)],
        [{"index": place, "relevance_score": float("nan")} for place in (0, 1, 2)],
        [{"index": str(place), "relevance_score": 1.0} for place in (0, 1, 2)],
        [{"index": place} for place in (0, 1, 2)],
        [0.1, 0.2, 0.3],
        [{"index": place, "relevance_score": 1.0} for place in (0, 1, 2, 2)],
    ],
)
def test_scores_that_are_not_one_a_passage_are_refused(
    choice: RerankerChoice, service: Loopback, rows: list[Any]
) -> None:
    """Twice, out of range, no number, too many: never guessed."""
    service.scripted.append(Reply(body={"data": rows, "results": rows}))
    ordered, outcome, detail = asked(choice)
    assert (ordered, outcome) == (PASSAGES, RerankOutcome.FAILED)
    assert "sent" in detail


@pytest.mark.parametrize("reply", [Reply(stall=60.0), Reply(raw=b" " * 2000, drip=0.05)], ids=["stall", "drip"])
def test_a_stalled_service_is_left_behind(choice: RerankerChoice, service: Loopback, reply: Reply) -> None:
    """The question waits for its time limit and no longer."""
    service.scripted.append(reply)
    started = time.monotonic()
    ordered, outcome, detail = asked(replace(choice, seconds=1.0))
    assert ordered == PASSAGES
    assert outcome in (RerankOutcome.TIMEOUT, RerankOutcome.FAILED)
    assert "1 s" in detail
    assert time.monotonic() - started < 15


def test_a_service_that_is_not_there_and_a_key_that_is_not_there(provider: str, tmp_path: Path) -> None:
    """Refused connections and missing keys are reasons like any other."""
    _, outcome, detail = asked(RerankerChoice(provider, endpoint="http://127.0.0.1:9", model="gone"))
    assert (outcome, "is not reached" in detail) == (RerankOutcome.FAILED, True)
    _, outcome, detail = asked(RerankerChoice(provider, key_file=str(tmp_path / "none"), model="keyless"))
    assert (outcome, "cannot be read" in detail) == (RerankOutcome.FAILED, True)


def test_none_is_absent() -> None:
    """The default has no reranker, and loading it is nothing."""
    assert load_policy(RerankerChoice()).reranker is None
