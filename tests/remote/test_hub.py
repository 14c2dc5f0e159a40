"""Fetching a model from a hub that speaks Hugging Face's protocol: one commit, every hash checked, no way astray."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from satori.errors import RemoteError
from satori.remote import hub
from satori.remote.hub import fetch
from tests.remote.loopback import Loopback, Reply, Request, serving

COMMIT = "a" * 40
LARGE, SMALL = b"\x00large" * 5000, b'{"small": true}'
BLOB = hashlib.sha1(f"blob {len(SMALL)}\0".encode() + SMALL, usedforsecurity=False).hexdigest()


def _hub(request: Request) -> Reply:
    """What the hub and its store of large files say."""
    headers = {"X-Repo-Commit": COMMIT}
    if request.path == "/store/large":
        return Reply(raw=LARGE)
    if request.path in (f"/made/model/resolve/{revision}/model.safetensors" for revision in ("main", COMMIT)):
        digest = hashlib.sha256(LARGE).hexdigest()
        return Reply(302, {}, {**headers, "X-Linked-ETag": f'"{digest}"', "Location": "/store/large"})
    if request.path in (f"/made/model/resolve/{revision}/config.json" for revision in ("main", COMMIT)):
        return Reply(raw=SMALL, headers={**headers, "ETag": f'"{BLOB}"'})
    return Reply(404, {"error": "Entry not found"})


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setattr(hub, "_SILENCE_SECONDS", 0.5)
    monkeypatch.setattr("satori.remote.hub.time.sleep", lambda seconds: None)
    with serving(_hub) as loopback:
        yield loopback


def test_all_files_come_from_one_commit(service: Loopback, tmp_path: Path) -> None:
    """The first answer names the commit; the rest is asked for by it; redirects to the store are followed."""
    found = fetch("made/model", ["config.json", "model.safetensors"], tmp_path, hub=service.url)
    assert found.commit == COMMIT and [file.name for file in found.files] == ["config.json", "model.safetensors"]
    assert (tmp_path / "model.safetensors").read_bytes() == LARGE and (tmp_path / "config.json").read_bytes() == SMALL
    assert [request.path for request in service.requests] == [
        "/made/model/resolve/main/config.json",
        f"/made/model/resolve/{COMMIT}/model.safetensors",
        "/store/large",
    ]
    assert not any("authorization" in request.headers for request in service.requests)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_file_that_is_not_what_the_hub_says_is_refused(service: Loopback, tmp_path: Path, name: str) -> None:
    """A large file by its SHA-256, a small one by its git hash; a passing fault is tried again."""
    answer = service.answer

    def tampered(request: Request) -> Reply:
        reply = answer(request)
        if reply.raw is None:
            return reply
        return Reply(raw=reply.raw[:-1] + b"!", headers=reply.headers)

    service.answer = tampered
    with pytest.raises(RemoteError) as caught:
        fetch("made/model", [name], tmp_path, hub=service.url)
    assert caught.value.code == "hub_hash"
    service.answer = answer
    service.scripted = [Reply(500), Reply(200, raw=b"torn", torn=True)]
    fetch("made/model", [name], tmp_path, hub=service.url)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(404, {}), "remote_not_found"),
        (Reply(401, {}), "remote_unauthorised"),
        (Reply(403, {}), "remote_unauthorised"),
        (Reply(302, {}, {"Location": "http://example.org/x"}), "remote_rejected"),
        (Reply(302, {}, {"Location": "file:///etc/passwd"}), "remote_rejected"),
        (Reply(302, {}), "remote_rejected"),
        (Reply(stall=30), "remote_timeout"),
        (Reply(503, {}), "remote_unavailable"),
    ],
)
def test_what_goes_wrong_says_how_to_do_without(service: Loopback, tmp_path: Path, reply: Reply, code: str) -> None:
    """Every failure names a code and the folder as the other way; no redirect leads out of https."""
    service.scripted = [reply] * 3
    with pytest.raises(RemoteError) as caught:
        fetch("made/model", ["config.json"], tmp_path, hub=service.url)
    assert caught.value.code == code and "--model-path" in caught.value.next_step


def test_circles_end(service: Loopback, tmp_path: Path) -> None:
    """A redirect to itself is followed a few times only."""
    service.answer = lambda request: Reply(302, {}, {"Location": request.path})
    with pytest.raises(RemoteError) as caught:
        fetch("made/model", ["config.json"], tmp_path, hub=service.url)
    assert caught.value.code == "remote_rejected" and len(service.requests) < 10


def test_a_hub_is_not_asked_in_the_clear(tmp_path: Path) -> None:
    """Hashes over plain HTTP prove nothing."""
    with pytest.raises(RemoteError, match="in the clear"):
        fetch("made/model", ["config.json"], tmp_path, hub="http://hub.example.org")


@pytest.mark.parametrize("name", ["model", "a/b/c", "../x", "a/..", "http://x/y", "-a/b", ""])
def test_names_that_are_none_are_refused(tmp_path: Path, name: str) -> None:
    """Nothing is asked for a name that could mean another place."""
    with pytest.raises(RemoteError) as caught:
        fetch(name, ["config.json"], tmp_path, hub="http://127.0.0.1:9")
    assert caught.value.code == "hub_name"
