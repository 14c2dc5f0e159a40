"""What tools answer when the user's settings choose an embedder: changed, unreachable, unusable, not understood."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satori.settings import file as settings
from tests.conftest import Indexed
from tests.embedding.providers import SPOKEN
from tests.remote.loopback import Loopback, Reply, serving
from tests.server.asking import ask

DIMENSION = 64


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    monkeypatch.setenv(settings.VARIABLE, str(path))
    return path


@pytest.fixture
def service(config: Path) -> Iterator[Loopback]:
    with serving(lambda request: SPOKEN["ollama"](request, DIMENSION)) as loopback:
        yield loopback


def _choose(service: Loopback) -> None:
    settings.assign_all({"embedder.name": "ollama", "embedder.endpoint": service.url, "embedder.dimension": DIMENSION})


def _codes(answer: dict[str, Any]) -> list[str]:
    return [warning["code"] for warning in answer["warnings"]]


def test_an_earlier_embedder_answers_and_says_so(indexed: Indexed, config: Path, service: Loopback) -> None:
    """After a change the old Publication goes on answering, with a warning that names the command; list and status say
    requires_reindex; no text leaves for the new service, and no rebuild through a service starts by itself."""
    context = indexed.context()
    before = ask(context, "search_codebase", path=str(indexed.root), query="merge_carts")
    _choose(service)
    answer = ask(context, "search_codebase", path=str(indexed.root), query="merge_carts")
    assert answer["groups"] == before["groups"]
    warning = next(warning for warning in answer["warnings"] if warning["code"] == "embedder_changed")
    assert f"satori index {indexed.root}" in warning["message"] and "nomic-embed-text" in warning["message"]
    assert not service.requests
    status = ask(context, "manage_index", action="status", path=str(indexed.root))
    assert status["state"] == "requires_reindex"
    assert "nomic-embed-text" in str(status["fingerprintDifferences"])
    context.workbench.close()


def test_a_service_that_is_away_costs_similarity_alone(own_indexed: Indexed, service: Loopback) -> None:
    """The answer is ranked by words and names, says so once, and is never empty for what is named."""
    _choose(service)
    own_indexed.lifecycle().sync()
    context = own_indexed.context()
    good = ask(context, "search_codebase", path=str(own_indexed.root), query="how are two carts merged")
    assert "embedder_unavailable" not in _codes(good)
    service.answer = lambda request: Reply(503, {"error": "loading model"})
    poor = ask(
        context, "search_codebase", path=str(own_indexed.root), query="merge the lines of two carts", altTerms=["cart"]
    )
    assert _codes(poor).count("embedder_unavailable") == 1 and poor["groups"] and poor["relevance"] == "weak"
    assert not any("dense" in group["why"] for group in poor["groups"])
    named = ask(context, "search_codebase", path=str(own_indexed.root), query="merge_carts")
    assert named["groups"][0]["label"] == "merge_carts" and named["relevance"] == "strong"
    context.workbench.close()


def test_an_agent_does_not_spend_a_persons_money(own_indexed: Indexed, config: Path, tmp_path: Path) -> None:
    """A whole codebase goes to a service that costs money when a person sends it: create, sync and reindex of another
    embedder's Publication are blocked with the estimate and the command; once it is published, syncs go on."""
    key_file = tmp_path / "key"
    key_file.write_text("sk-secret")
    key_file.chmod(0o600)
    with serving(lambda request: SPOKEN["voyage"](request, DIMENSION)) as paid:
        settings.assign_all(
            {
                "embedder.name": "voyage",
                "embedder.endpoint": f"{paid.url}/v1",
                "embedder.dimension": DIMENSION,
                "embedder.key_file": str(key_file),
            }
        )
        context = own_indexed.context()
        root = str(own_indexed.root)
        for action in ("create", "sync", "reindex"):
            answer = ask(context, "manage_index", action=action, path=root)
            assert (answer["status"], answer["reason"]) == ("blocked", "embedder_cost")
            assert f"satori index {root}" in answer["message"] and "at $0.18 a million" in answer["message"]
        assert not paid.requests
        own_indexed.lifecycle().sync()
        (own_indexed.root / "shop/new.py").write_text("def brand_new():\n    return 1\n")
        answer = ask(context, "manage_index", action="sync", path=root)
        assert answer["status"] == "ok", answer["message"]
        context.workbench.close()


def test_a_model_that_is_gone_blocks_with_the_way_out(indexed: Indexed, config: Path, tmp_path: Path) -> None:
    """A chosen local model that cannot be used is no reason to answer with another: blocked, embedder_failed."""
    settings.assign_all({"embedder.name": "potion", "embedder.path": str(tmp_path / "absent")})
    context = indexed.context()
    answer = ask(context, "search_codebase", path=str(indexed.root), query="merge_carts")
    assert (answer["status"], answer["reason"]) == ("blocked", "embedder_failed")
    assert "satori install --embedder" in answer["message"]
    context.workbench.close()


def test_settings_that_are_not_understood_block(indexed: Indexed, config: Path) -> None:
    """The file is named; nothing is rebuilt and nothing is answered under a guess."""
    config.write_text('[embedder]\nname = "magic"\n')
    config.chmod(0o600)
    context = indexed.context()
    answer = ask(context, "search_codebase", path=str(indexed.root), query="merge_carts")
    assert (answer["status"], answer["reason"]) == ("blocked", "settings_invalid")
    assert str(config) in answer["message"]
    config.unlink()
    assert ask(context, "search_codebase", path=str(indexed.root), query="merge_carts")["status"] == "ok"
    context.workbench.close()
