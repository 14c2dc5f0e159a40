"""Choices together, as a person makes them: potion and a ColBERT model, provisioned once and offline from then on."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from tests.cli.test_cli import run
from tests.embedding.folders import write_model
from tests.remote.loopback import Reply, serving
from tests.search.rerankers.folders import write_folder

pytest.importorskip("onnxruntime", reason="the extra satori-code[rerank] is not installed")
pytest.importorskip("onnx", reason="the model of these tests is made with onnx")

SOURCE = {
    "queue.py": "def retry_failed_delivery(message):\n    return message.delay\n\n\nclass Queue:\n    size = 1\n",
    "parser.py": "def parse_json(text):\n    return text\n\n\ndef close_socket(socket):\n    socket.close()\n",
    "shapes.py": "def clip_polygon(points):\n    return points\n",
}


class Offline(Exception):  # noqa: N818 (what a forbidden connection raises)
    """Somebody opened a connection."""


def test_potion_and_lateon_are_one_offline_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One command plans, copies with hashes, tries and chooses both; afterwards, with the sources gone and no
    connection possible, a build publishes potion's fingerprint and answers are reordered by the ColBERT model."""
    potion = write_model(tmp_path / "potion-made", 3000)
    lateon = write_folder(tmp_path / "lateon-made", model="model_int8.onnx")
    state, config, root = tmp_path / "state", tmp_path / "config.toml", tmp_path / "project"
    root.mkdir()
    for name, text in SOURCE.items():
        (root / name).write_text(text)
    environment = {"SATORI_CONFIG_FILE": str(config), "HOME": str(tmp_path)}
    command = ["install", "--embedder", "potion", "--embedder-model", str(potion)]
    command += ["--reranker", "lateon", "--reranker-model", str(lateon), "--set", "reranker.seconds=30"]
    plan = run(*command, "--dry-run", state=state, environment=environment)
    assert plan.returncode == 0 and '+name = "lateon"' in plan.stdout and '+name = "potion"' in plan.stdout
    assert not config.exists() and not (state / "models").exists()
    done = run(*command, "--yes", state=state, environment=environment)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(potion)
    shutil.rmtree(lateon)
    doctor = run("doctor", state=state, environment=environment)
    assert "embedder: potion (the settings): offline, potion-made@" in doctor.stdout
    assert "reranker: lateon (the settings): lateon/lateon-made-" in doctor.stdout
    assert "2 scores in" in doctor.stdout and "store: lancedb (default)" in doctor.stdout
    indexed = run("index", str(root), state=state, environment=environment)
    assert indexed.returncode == 0, indexed.stderr

    def refuse(*_: object) -> None:
        raise Offline

    monkeypatch.setitem(os.environ, "SATORI_CONFIG_FILE", str(config))
    monkeypatch.setattr(socket.socket, "connect", refuse)
    from satori.codebase.codebase import Codebase

    with Codebase.open(root, state) as codebase:
        assert codebase.status().publication is not None
        assert codebase.status().publication.fingerprint.embedding_provider == "potion"  # type: ignore[union-attr]
        answer = codebase.answer("where is a failed delivery tried again after a delay")
        assert answer.reranker == "applied" and not answer.warnings
        with codebase.serving() as engine:
            groups = engine.render(answer, answer.candidates)
        assert groups[0].file == "queue.py" and "reranked" in groups[0].why
        (model,) = (state / "models").glob("lateon-made-*/model_int8.onnx")
        assert model.stat().st_mode & 0o777 == 0o600

    # A model that changed under us is not used, and the answer without it says so.
    model.write_bytes(model.read_bytes()[:-1] + b"?")
    from satori.search.rerankers.registry import load_policy

    load_policy.cache_clear()
    with Codebase.open(root, state) as codebase:
        answer = codebase.answer("where is a failed delivery tried again after a delay")
        assert answer.candidates and answer.reranker == "failed"
        assert "model_int8.onnx is not what it was" in answer.warnings[0][1]


def test_a_colbert_model_comes_from_a_hub_with_its_hashes(tmp_path: Path) -> None:
    """Model, tokenizer and configuration are fetched and checked; a file that the hub lacks ends it with nothing
    written."""
    source = write_folder(tmp_path / "made", model="model_int8.onnx")
    files = {f"/team/colbert/resolve/main/{file.name}": file.read_bytes() for file in source.iterdir()}
    environment = {"SATORI_CONFIG_FILE": str(tmp_path / "config.toml"), "HOME": str(tmp_path)}
    with serving(lambda request: Reply(404, {})) as hub:
        hub.answer = lambda request: (
            Reply(raw=files[request.path]) if request.path in files else Reply(404, {"error": "Entry not found"})
        )
        command = ["install", "--reranker", "lateon", "--reranker-model", "team/colbert"]
        command += ["--set", f"reranker.endpoint={hub.url}", "--yes"]
        done = run(*command, state=tmp_path / "state", environment=environment)
        assert done.returncode == 0 and f"team/colbert from {hub.url}, 3 files verified" in done.stderr, done.stderr
        del files["/team/colbert/resolve/main/tokenizer.json"]
        again = run(*command, state=tmp_path / "other", environment={**environment, "SATORI_CONFIG_FILE": "/x/c.toml"})
        assert again.returncode == 1 and "is not there" in again.stderr
    doctor = run("doctor", state=tmp_path / "state", environment=environment)
    assert "reranker: lateon (the settings): lateon/colbert-" in doctor.stdout, doctor.stdout


def test_the_plan_says_what_would_leave_this_machine(tmp_path: Path) -> None:
    """A reranking service is named with its address before anything is written."""
    environment = {"SATORI_CONFIG_FILE": str(tmp_path / "config.toml"), "HOME": str(tmp_path)}
    plan = run("install", "--reranker", "voyage", "--dry-run", state=tmp_path / "state", environment=environment)
    assert plan.returncode == 0 and '+name = "voyage"' in plan.stdout
    assert "up to 40 passages of 2,000 characters to https://api.voyageai.com/v1 (model rerank-2.5)" in plan.stdout
    assert not (tmp_path / "config.toml").exists()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"store.name": "milvus", "store.uri": "http://127.0.0.1:9", "store.seconds": "1"}, "cannot be asked"),
        ({"store.name": "milvus", "store.uri": "./milvus.db"}, "http or https address"),
        ({"store.uri": "s3://bucket/satori", "store.key_file": "/nonexistent/key"}, "cannot be read"),
        ({"reranker.name": "lateon"}, "No folder of a reranker's model is named"),
        ({"reranker.name": "cohere"}, "There is no key for cohere"),
        ({"reranker.name": "voyage", "reranker.endpoint": "http://127.0.0.1:9"}, "is not reached"),
    ],
)
def test_doctor_says_what_is_wrong_with_a_choice(tmp_path: Path, settings: dict[str, str], said: str) -> None:
    """Each choice is tried; what fails is named with whose word it is, and the exit status tells."""
    environment = {"SATORI_CONFIG_FILE": str(tmp_path / "config.toml"), "HOME": str(tmp_path)}
    for key, value in settings.items():
        done = run("config", "set", key, value, state=tmp_path / "state", environment=environment)
        assert done.returncode == 0, done.stderr
    doctor = run("doctor", state=tmp_path / "state", environment=environment)
    assert doctor.returncode == 1
    table = next(iter(settings)).partition(".")[0]
    (line,) = [line for line in doctor.stdout.splitlines() if line.startswith(f"fail  {table}: ")]
    assert said in line and "(the settings)" in line
