"""Embedders that are services, against servers on loopback that speak the providers' formats and fail as they do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from satori.embedding.connected import ConnectedEmbedder, token_count
from satori.embedding.models import KNOWN, model_of
from satori.embedding.port import Embedder
from satori.embedding.registry import load_embedder
from satori.embedding.static import quantise
from satori.embedding.wire import WIRES, Purpose
from satori.errors import CancelledError, EmbedderError, SettingsError
from satori.remote import client as remote
from satori.settings.choice import EmbedderChoice
from tests.embedding.providers import BASES, MODELS, SPOKEN, error_of, texts_of, vector_of
from tests.remote.loopback import Loopback, Reply, Request, serving

PROVIDERS = tuple(SPOKEN)
DIMENSION = 64
SECRET = "sk-verysecret"
_WRONG = ("wrong_dimension", "not_finite", "no_direction")
TEXTS = ["def open_file(path): ...", "class Cart: add a line", "read the settings file", "päivää 世界"]


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def service(provider: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setattr(remote, "_FIRST_PAUSE", 0.01)
    with serving(lambda request: SPOKEN[provider](request, DIMENSION)) as loopback:
        yield loopback


@pytest.fixture
def key_file(tmp_path: Path) -> str:
    path = tmp_path / "provider.key"
    path.write_text(SECRET)
    path.chmod(0o600)
    return str(path)


@pytest.fixture
def make(provider: str, service: Loopback, key_file: str) -> Iterator[Callable[..., ConnectedEmbedder]]:
    made: list[ConnectedEmbedder] = []

    def make(**more: object) -> ConnectedEmbedder:
        values = {
            "name": provider,
            "endpoint": service.url + BASES[provider],
            "dimension": DIMENSION,
            "key_file": "" if provider == "ollama" else key_file,
            **more,
        }
        made.append(ConnectedEmbedder(EmbedderChoice(**values)))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.close()


Make = Callable[..., ConnectedEmbedder]


def test_documents_and_questions_become_the_rows_that_the_port_promises(
    provider: str, service: Loopback, make: Make
) -> None:
    """Rows are int8 directions quantised as the offline embedder's are, in the order of the texts; making one sends
    nothing; the key is in the provider's own header."""
    embedder = make()
    assert isinstance(embedder, Embedder) and embedder.connected and not service.requests
    rows = embedder.encode_documents(TEXTS)
    prefix = embedder.settings.document_prefix
    expected = quantise(np.array([vector_of(prefix + text, DIMENSION) for text in TEXTS], np.float32))
    assert rows.dtype == np.int8 and (rows == expected).all()
    assert embedder.encode_query("open a file").shape == (DIMENSION,)
    assert embedder.encode_queries(["a", "b"]).shape == (2, DIMENSION)
    sent = service.requests[0].headers
    if provider == "gemini":
        assert sent["x-goog-api-key"] == SECRET and "authorization" not in sent
    elif provider != "ollama":
        assert sent["authorization"] == f"Bearer {SECRET}"


def test_a_question_is_told_from_a_document(provider: str, service: Loopback, make: Make) -> None:
    """By the provider's own parameter where it has one, by the model's prefixes where that is its way."""
    embedder = make(model="nomic-embed-text") if provider == "ollama" else make()
    embedder.encode_query("open a file")
    embedder.encode_documents(["open a file"])
    asked, answered = (request.body for request in service.requests)
    if provider == "voyage":
        assert (asked["input_type"], answered["input_type"]) == ("query", "document")
    elif provider == "gemini":
        kinds = [body["requests"][0]["taskType"] for body in (asked, answered)]
        assert kinds == ["CODE_RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"]
    elif provider == "ollama":
        assert asked["input"] == ["search_query: open a file"] and answered["input"] == ["search_document: open a file"]
    else:
        assert asked == answered


def test_the_dimension_is_asked_for_where_the_provider_offers_it(provider: str, service: Loopback, make: Make) -> None:
    """Known models whose vectors are longer are told the dimension; a set one beats the known one."""
    if provider == "ollama":
        # This server answers in its own length whatever is asked.
        make(dimension=DIMENSION).encode_documents(["x"])
        assert service.requests[0].body["dimensions"] == DIMENSION
        return
    make(dimension=32).encode_documents(["x"])
    body = service.requests[0].body
    said = {
        "openai": lambda: body["dimensions"],
        "voyage": lambda: body["output_dimension"],
        "gemini": lambda: body["requests"][0]["outputDimensionality"],
    }
    assert said[provider]() == 32


def test_batches_stay_under_the_limits_and_run_side_by_side(provider: str, service: Loopback, make: Make) -> None:
    """Neither more texts nor more tokens than one request takes; as many requests at once as the user allows."""
    wire = WIRES[provider]
    limit = min(wire.batch_tokens, 10**6)
    long = "x " * (limit // 20)
    texts = [f"text {number}" for number in range(wire.batch_texts * 2 + 1)] + [long] * 12
    answer = service.answer

    def slowly(request: Request) -> Reply:
        time.sleep(0.05)
        return answer(request)

    service.answer = slowly
    embedder = make(concurrency=3)
    embedder.encode_documents(texts)
    sizes = [texts_of(provider, request.body) for request in service.requests]
    assert sum(map(len, sizes)) == len(texts)
    assert max(map(len, sizes)) <= wire.batch_texts
    most = embedder.settings.input_tokens
    assert all(sum(min(token_count(text), most + 10) for text in batch) <= limit + 10 * len(batch) for batch in sizes)
    assert 2 <= service.most_at_once <= 3


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_costs_a_pause(provider: str, service: Loopback, make: Make, status: int) -> None:
    """429 with Retry-After and 5xx are tried again, and the rows are those of an untroubled run."""
    expected = make().encode_documents(TEXTS)
    headers = {"Retry-After": "0.2"} if status == 429 else {}
    service.scripted = [Reply(status, error_of(provider, status, "slow down"), headers)] * 2
    began = time.monotonic()
    assert (make().encode_documents(TEXTS) == expected).all()
    assert status != 429 or time.monotonic() - began >= 0.4


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ((401, f"Invalid API key {SECRET}"), "remote_unauthorised"),
        ((403, "forbidden"), "remote_unauthorised"),
        ((404, "no such model"), "remote_not_found"),
        ((400, "the model does not take this"), "remote_rejected"),
    ],
)
def test_a_lasting_failure_is_told_at_once(
    provider: str, service: Loopback, make: Make, reply: tuple[int, str], code: str
) -> None:
    """One request, the provider's own words, the next thing to do, and never the key."""
    service.scripted = [Reply(reply[0], error_of(provider, *reply))]
    with pytest.raises(EmbedderError) as caught:
        make().encode_documents(TEXTS)
    assert caught.value.code == code and caught.value.next_step and len(service.requests) == 1
    assert provider in str(caught.value)
    if provider != "ollama":
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([0.5] * (DIMENSION - 1), "embedder_wrong_dimension"),
        ([0.5] * (DIMENSION * 2), "embedder_wrong_dimension"),
        ([0.5] * (DIMENSION - 1) + [float("nan")], "embedder_not_finite"),
        ([0.5] * (DIMENSION - 1) + [float("inf")], "embedder_not_finite"),
        ([0.5] * (DIMENSION - 1) + [1e300], "embedder_not_finite"),
        ([0.5] * (DIMENSION - 1) + [None], "embedder_not_finite"),
        ([0.5] * (DIMENSION - 1) + ["a"], "remote_malformed"),
        ([0.5] * (DIMENSION - 1) + [10**400], "remote_malformed"),
        ([0.5] * (DIMENSION - 1) + [[0.5]], "remote_malformed"),
        ([0.0] * DIMENSION, "embedder_no_direction"),
        (None, "remote_malformed"),
        ("base64", "embedder_wrong_dimension"),
    ],
)
def test_a_vector_that_is_none_is_never_stored(
    provider: str, service: Loopback, make: Make, value: object, code: str
) -> None:
    """Length, finiteness and direction of every row are checked, also of one among good ones."""
    good = [0.5] * DIMENSION
    rows = [good, value]
    bodies = {
        "ollama": {"embeddings": rows},
        "gemini": {"embeddings": [{"values": row} for row in rows]},
    }
    numbered = {"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}
    service.scripted = [Reply(body=bodies.get(provider, numbered))]
    with pytest.raises(EmbedderError) as caught:
        make().encode_documents(["a", "b"])
    assert caught.value.code == code


def test_an_answer_of_another_form_is_refused(provider: str, service: Loopback, make: Make) -> None:
    """Too few vectors, other names, rows numbered twice, a list instead of an object."""
    twice = {"data": [{"index": 0, "embedding": [1]}] * 2}
    bodies: tuple[object, ...] = ({"embeddings": [], "data": []}, {}, [], twice, "x", 3)
    for body in bodies:
        service.scripted = [Reply(body=body)]
        with pytest.raises(EmbedderError) as caught:
            make().encode_documents(["a", "b"])
        assert caught.value.code == "remote_malformed"


def test_torn_answers_are_asked_for_again(provider: str, service: Loopback, make: Make) -> None:
    """A truncated JSON document and a broken connection cost an attempt each."""
    expected = make().encode_documents(TEXTS)
    service.scripted = [Reply(raw=b'{"data": [{"embedding": [0.1, 0'), Reply(raw=b'{"embeddings"', torn=True)]
    assert (make().encode_documents(TEXTS) == expected).all()


def test_texts_that_are_too_long_after_all_are_cut(provider: str, service: Loopback, make: Make) -> None:
    """A service that refuses a batch for its length gets halves of it, and halves of the one text that is too long."""
    answer = service.answer

    def strict(request: Request) -> Reply:
        if any(len(text) > 3000 for text in texts_of(provider, request.body)):
            message = "This model's maximum context length is 1000 tokens"
            return Reply(400, error_of(provider, 400, message))
        return answer(request)

    service.answer = strict
    rows = make(model="unknown-model").encode_documents(["short", "word " * 1200, "other"])
    assert rows.shape == (3, DIMENSION) and rows.any(axis=1).all()


def test_a_question_waits_no_longer_than_allowed(provider: str, service: Loopback, make: Make) -> None:
    """A stall ends in time; for a while the next questions do not wait at all; then it is asked again."""
    embedder = make(query_seconds=1.0)
    service.scripted = [Reply(stall=30)]
    began = time.monotonic()
    with pytest.raises(EmbedderError) as caught:
        embedder.encode_query("where are files opened")
    assert caught.value.code == "remote_timeout" and time.monotonic() - began < 2.5
    began = time.monotonic()
    with pytest.raises(EmbedderError):
        embedder.encode_query("another question")
    assert time.monotonic() - began < 0.05
    embedder._failed = None
    assert embedder.encode_query("another question").any()


def test_a_question_is_asked_once(provider: str, service: Loopback, make: Make) -> None:
    """Pages of one search, and searches that repeat, cost one request."""
    embedder = make()
    first = embedder.encode_query("where are files opened")
    assert (embedder.encode_query("where are files opened") == first).all() and len(service.requests) == 1


def test_a_build_that_is_cancelled_stops_within_two_seconds(provider: str, service: Loopback, make: Make) -> None:
    """Requests that stall, and pauses that a service asked for, are left behind."""
    service.answer = lambda request: Reply(stall=60)
    service.scripted = [Reply(429, error_of(provider, 429, "wait"), {"Retry-After": "50"})]
    began = time.monotonic()

    def check() -> None:
        if time.monotonic() - began > 0.5:
            raise CancelledError("stop")

    with pytest.raises(CancelledError):
        make().embed(["a", "b"] * 200, Purpose.DOCUMENT, lambda *_: None, check=check)
    assert time.monotonic() - began < 2


def test_what_was_made_before_a_failure_is_handed_over(provider: str, service: Loopback, make: Make) -> None:
    """Batches that came are given to the caller, who keeps them: they were paid for."""
    answer, count = service.answer, WIRES[provider].batch_texts
    service.answer = lambda request: (
        Reply(401, error_of(provider, 401, "no"))
        if "poison" in "".join(texts_of(provider, request.body))
        else answer(request)
    )
    got: list[int] = []

    def take(positions: Sequence[int], rows: NDArray[np.int8]) -> None:
        got.extend(positions)

    with pytest.raises(EmbedderError):
        make(concurrency=1).embed(["fine"] * count + ["poison"], Purpose.DOCUMENT, take)
    assert got == list(range(count))


def test_a_mended_key_is_read_again(provider: str, service: Loopback, make: Make, key_file: str) -> None:
    """After a refusal the next request reads the key anew: no restart is needed."""
    if provider == "ollama":
        pytest.skip("it has no key")
    embedder = make()
    service.scripted = [Reply(401, error_of(provider, 401, "expired"))]
    with pytest.raises(EmbedderError):
        embedder.encode_documents(["a"])
    Path(key_file).write_text("sk-new")
    embedder.encode_documents(["a"])
    assert "sk-new" in str(service.requests[-1].headers) and SECRET not in str(service.requests[-1].headers)


def test_the_identity_holds_whatever_decides_a_vector(provider: str, service: Loopback, make: Make) -> None:
    """Model, address and prefixes are in the model's name, the dimension beside it; concurrency and keys are not."""
    first = make()
    assert MODELS[provider] in first.model and service.url in first.model
    assert make(concurrency=9, key_file="/elsewhere", query_seconds=1.0).model == first.model
    others = [
        make(model="other-model"),
        make(endpoint="http://127.0.0.1:1/v1"),
        make(query_prefix="find: "),
        make(document_prefix="find: "),
    ]
    assert len({first.model, *(other.model for other in others)}) == 5


def test_ollama_is_this_machine() -> None:
    """An address elsewhere is refused with the way to use one."""
    with pytest.raises(SettingsError, match="openai"):
        load_embedder(EmbedderChoice("ollama", endpoint="http://192.168.0.7:11434"))


def test_an_unknown_model_needs_its_dimension() -> None:
    """It cannot be guessed, and asking for it would need the network before the fingerprint is known."""
    with pytest.raises(SettingsError, match=r"embedder\.dimension"):
        model_of(EmbedderChoice("openai", model="my-model"))
    assert model_of(EmbedderChoice("openai", model="my-model", dimension=384))[1].dimension == 384
    assert model_of(EmbedderChoice("ollama", model="nomic-embed-text:latest"))[1].dimension == 768


def test_known_models_fit() -> None:
    """Every known model's vectors are short enough for exact sums."""
    assert all(model.dimension <= 1024 for models in KNOWN.values() for model in models.values())
    assert set(KNOWN) == set(WIRES) == set(SPOKEN)


def test_a_key_for_a_provider_does_not_go_elsewhere(
    service: Loopback, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The provider's own key, from keyring or shell, is for the provider's own address: another one gets none."""
    from satori.remote import keys

    monkeypatch.setattr(keys, "_environment", dict.fromkeys(keys.VARIABLES.values(), SECRET))
    choice = EmbedderChoice(provider, endpoint=service.url + BASES[provider], dimension=DIMENSION)
    ConnectedEmbedder(choice).encode_documents(["a"])
    assert SECRET not in str(service.requests[-1].headers)


def test_a_provider_without_its_key_says_where_to_put_it(provider: str) -> None:
    """No request is made, and the way out is named."""
    if provider == "ollama":
        pytest.skip("it has no key")
    with pytest.raises(EmbedderError) as caught:
        ConnectedEmbedder(EmbedderChoice(provider)).encode_documents(["a"])
    assert caught.value.code == "key_missing" and "key_file" in caught.value.next_step


def test_threads_share_one_embedder(provider: str, service: Loopback, make: Make) -> None:
    """Questions from many sessions at once get their own vectors."""
    embedder = make()
    expected = {f"question {n}": embedder.encode_query(f"question {n}") for n in range(8)}
    embedder._questions.clear()
    found: dict[str, NDArray[np.int8]] = {}

    def ask(text: str) -> None:
        found[text] = embedder.encode_query(text)

    threads = [threading.Thread(target=ask, args=(text,)) for text in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((found[text] == row).all() for text, row in expected.items())


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["embeddings", "data", "embedding", "index", "values", "x"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@given(document=_JSON)
@pytest.mark.parametrize("name", PROVIDERS)
def test_no_answer_makes_anything_but_rows_or_a_named_error(name: str, document: object) -> None:
    """Whatever JSON a service sends, it is rows of the right shape or an EmbedderError with a code."""
    embedder = ConnectedEmbedder(EmbedderChoice(name, dimension=8))
    try:
        rows = embedder._rows(document, 1)
    except EmbedderError as error:
        assert error.code in ("remote_malformed", *(f"embedder_{what}" for what in _WRONG))
        return
    assert rows.shape == (1, 8) and rows.dtype == np.int8
