"""One service over HTTP: what is retried, what is told at once, and what never shows."""

from __future__ import annotations

import email.utils
import logging
import time
from collections.abc import Iterator

import pytest

from satori.errors import CancelledError, RemoteError
from satori.remote import client as module
from satori.remote.address import is_loopback
from satori.remote.client import RemoteClient
from satori.remote.keys import Key
from tests.remote.loopback import Loopback, Reply, serving

SECRET = "sk-verysecret"


@pytest.fixture
def service() -> Iterator[Loopback]:
    with serving(lambda request: Reply(body={"echo": request.body})) as loopback:
        yield loopback


@pytest.fixture
def client(service: Loopback, monkeypatch: pytest.MonkeyPatch) -> Iterator[RemoteClient]:
    monkeypatch.setattr(module, "_FIRST_PAUSE", 0.01)
    found = RemoteClient("testing", service.url, key=Key(SECRET, "a test"))
    yield found
    found.close()


def _refused(client: RemoteClient, **options: float) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        client.post("/x", {"a": 1}, **options)  # type: ignore[arg-type]
    return caught.value


def test_an_answer_is_parsed_and_the_key_is_in_its_header_only(service: Loopback, client: RemoteClient) -> None:
    """The key travels as the provider wants it, and is in no address and no body."""
    assert client.post("/v1/x", {"text": "ü"}) == {"echo": {"text": "ü"}}
    request = service.requests[0]
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in request.path and SECRET not in str(request.body)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_what_passes_is_tried_again(service: Loopback, client: RemoteClient, status: int) -> None:
    """Overload and failures inside the service pass by themselves."""
    service.scripted = [Reply(status, {"error": {"message": "busy"}})] * 2
    assert client.post("/x", {}) == {"echo": {}}
    assert len(service.requests) == 3


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(401, {"error": {"message": f"Incorrect API key: {SECRET}"}}), "remote_unauthorised"),
        (Reply(403, {"detail": "no"}), "remote_unauthorised"),
        (Reply(400, {"error": {"message": "API key not valid. Please pass a valid API key."}}), "remote_unauthorised"),
        (Reply(404, {"error": 'model "x" not found'}), "remote_not_found"),
        (Reply(400, {"message": "too long"}), "remote_rejected"),
        (Reply(307, {}, {"Location": "http://127.0.0.1:1/"}), "remote_rejected"),
        (Reply(429, {"error": {"message": "spent", "code": "insufficient_quota"}}), "remote_quota"),
    ],
)
def test_what_does_not_pass_is_told_at_once(service: Loopback, client: RemoteClient, reply: Reply, code: str) -> None:
    """One request, one code, and a sentence with what the service said; never the key, and no redirect is followed."""
    service.scripted = [reply]
    error = _refused(client)
    assert error.code == code and len(service.requests) == 1
    assert "testing" in error.message and error.next_step and SECRET not in str(error)


def test_a_torn_or_broken_answer_is_tried_again_and_then_told(service: Loopback, client: RemoteClient) -> None:
    """Half an answer is none; after the last attempt it is malformed or broke off."""
    service.scripted = [Reply(raw=b'{"data": [{"embe', torn=True), Reply(raw=b'{"data": [')]
    assert client.post("/x", {}) == {"echo": {}}
    service.scripted = [Reply(raw=b"{")] * 10
    assert _refused(client).code == "remote_malformed"
    assert len(service.requests) == 3 + module.ATTEMPTS


def test_retry_after_is_waited_for(service: Loopback, client: RemoteClient) -> None:
    """A number of seconds, a date, and Google's RetryInfo are all obeyed."""
    later = email.utils.formatdate(time.time() + 2, usegmt=True)
    google = {"error": {"message": "slow", "details": [{"@type": "RetryInfo", "retryDelay": "0.3s"}]}}
    for reply, least in (
        (Reply(429, {}, {"Retry-After": "0.3"}), 0.3),
        (Reply(503, {}, {"Retry-After": later}), 0.5),
        (Reply(429, google), 0.3),
    ):
        service.scripted = [reply]
        began = time.monotonic()
        client.post("/x", {})
        assert time.monotonic() - began >= least


def test_a_pause_that_is_too_long_is_told_instead(service: Loopback, client: RemoteClient) -> None:
    """Nobody waits an hour inside a build: the service's wish is in the sentence."""
    service.scripted = [Reply(429, {"error": {"message": "daily limit"}}, {"Retry-After": "3600"})]
    error = _refused(client)
    assert error.code == "remote_rate_limited" and "3600 s" in error.message and len(service.requests) == 1


def test_a_stall_and_a_trickle_end_in_time(service: Loopback, client: RemoteClient) -> None:
    """Silence and one byte now and then are both over when the time is."""
    for reply in (Reply(body={}, stall=30), Reply(raw=b" " * 200 + b"{}", drip=0.05)):
        service.scripted = [reply]
        began = time.monotonic()
        assert _refused(client, seconds=0.3, attempts=1).code == "remote_timeout"
        assert time.monotonic() - began < 2


def test_nobody_there(client: RemoteClient) -> None:
    """A refused connection names the address and gives up after a few attempts."""
    nobody = RemoteClient("testing", "http://127.0.0.1:9")
    error = _refused(nobody)
    assert error.code == "remote_unavailable" and "127.0.0.1:9" in error.message


def test_a_pause_can_be_ended(service: Loopback, client: RemoteClient) -> None:
    """`check` is asked while pausing, so a cancelled build stops at once."""
    service.scripted = [Reply(429, {}, {"Retry-After": "30"})]
    began = time.monotonic()

    def check() -> None:
        if time.monotonic() - began > 0.3:
            raise CancelledError("stop")

    with pytest.raises(CancelledError):
        client.post("/x", {}, check=check)
    assert time.monotonic() - began < 1


def test_an_endless_answer_is_cut(service: Loopback, client: RemoteClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size of an answer is bounded."""
    monkeypatch.setattr(module, "ANSWER_BYTES", 1000)
    service.scripted = [Reply(raw=b'"' + b"x" * 5000 + b'"')]
    assert _refused(client).code == "remote_malformed"


def test_a_key_never_goes_out_in_the_clear() -> None:
    """Plain HTTP with a key is for loopback only; without a key it is the user's own network."""
    with pytest.raises(RemoteError) as caught:
        RemoteClient("testing", "http://example.org/v1", key=Key(SECRET, "a test"))
    assert caught.value.code == "key_exposed"
    RemoteClient("testing", "http://192.168.0.7/v1")
    RemoteClient("testing", "https://example.org/v1", key=Key(SECRET, "a test"))


def test_neither_key_nor_text_is_logged(
    service: Loopback, client: RemoteClient, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever the level, no log line holds the key, the text or the header."""
    with caplog.at_level(logging.DEBUG):
        client.post("/x", {"text": "privatetext"})
        service.scripted = [Reply(401, {"error": {"message": SECRET}})]
        _refused(client)
    assert SECRET not in caplog.text and "privatetext" not in caplog.text


def test_what_is_loopback() -> None:
    """Names and addresses of this machine, and nothing that merely looks like them."""
    assert all(map(is_loopback, ("http://localhost:1/", "http://127.8.0.1", "http://[::1]:11434")))
    assert not any(map(is_loopback, ("http://127.0.0.1.evil.org", "http://localhost.evil.org", "http://10.0.0.1", "")))


def test_the_environment_names_no_proxy(
    service: Loopback, client: RemoteClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP_PROXY belongs to whoever started this process first; only the user's setting counts."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert client.post("/x", {}) == {"echo": {}}
