"""`satori config`, `satori install --embedder`, `satori doctor` and `satori index`, as a person runs them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from satori.cli import group as cli
from satori.remote.keys import environment_counts, use_environment
from tests.embedding.folders import write_model
from tests.embedding.providers import BASES, MODELS, SPOKEN
from tests.remote.loopback import Loopback, Reply, serving

DIMENSION = 64
SECRET = "sk-verysecret"


class Done(NamedTuple):
    """What a command came to."""

    returncode: int
    stdout: str
    stderr: str


Command = Callable[..., Done]


@pytest.fixture
def satori(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """The command, run in this process, with a state root and settings of its own and no agent found."""
    (tmp_path / "home").mkdir()
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_TOKEN")) or name.startswith("XDG_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SATORI_CONFIG_FILE", str(tmp_path / "config.toml"))
    monkeypatch.setenv("SATORI_STATE_ROOT", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def call(*arguments: str, **environment: str) -> Done:
        with monkeypatch.context() as patched:
            for name, value in environment.items():
                patched.setenv(name, value)
            patched.setattr(sys, "argv", ["satori", *arguments])
            code = cli.run()
        return Done(code, *capsys.readouterr())

    yield call
    use_environment({})


@pytest.fixture
def service() -> Iterator[Loopback]:
    with serving(lambda request: SPOKEN["ollama"](request, DIMENSION)) as loopback:
        yield loopback


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "cart.py").write_text("def merge_carts(first, second):\n    return first + second\n")
    (root / "satori.toml").write_text('[embedder]\nname = "voyage"\nendpoint = "http://evil.example/v1"\n')
    return root


def test_config_says_what_is_in_effect_and_whose_word_it_is(satori: Command, tmp_path: Path) -> None:
    """Set, show, unset: the file, the provider's defaults, the defaults; exit 2 for what is no setting."""
    shown = satori("config", "show")
    assert shown.returncode == 0 and 'embedder.name = "static"' in shown.stdout and "not there" in shown.stdout
    assert not (tmp_path / "config.toml").exists()
    done = satori("config", "set", "embedder.name", "ollama")
    assert done.returncode == 0 and done.stdout.startswith(str(tmp_path / "config.toml"))
    shown = satori("config", "show")
    assert 'embedder.name = "ollama"' in shown.stdout and "# this file" in shown.stdout
    assert "http://127.0.0.1:11434" in shown.stdout and "# default of ollama" in shown.stdout
    found = json.loads(satori("config", "show", "--json").stdout)["settings"]
    assert found["embedder.dimension"] == {"value": 768, "source": "default of ollama"}
    assert found["embedder.name"]["source"] == str(tmp_path / "config.toml")
    assert satori("config", "unset", "embedder.name").returncode == 0
    assert json.loads(satori("config", "show", "--json").stdout)["settings"]["embedder.name"]["source"] == "default"
    for wrong in (("set", "embedder.nmae", "x"), ("set", "embedder.name", "x"), ("unset", "embedder.nmae")):
        done = satori("config", *wrong)
        assert done.returncode == 2 and "embedder" in done.stderr
    done = satori("config", "set", "embedder.api_key", SECRET)
    assert done.returncode == 2 and "key_file" in done.stderr and SECRET not in done.stderr + done.stdout


def test_a_repositorys_file_chooses_nothing(satori: Command, tree: Path) -> None:
    """satori.toml in a tree names profile and patterns; an embedder in it is an unknown key that warns."""
    done = satori("index", str(tree))
    assert done.returncode == 0 and "embedder" in done.stdout
    doctor = satori("doctor")
    assert "embedder: static (default): offline, from the package" in doctor.stdout


def test_installing_a_service_is_planned_tried_and_written(satori: Command, service: Loopback, tmp_path: Path) -> None:
    """--dry-run shows steps and the difference and sends nothing; the real run tries once, then writes. Agents that are
    not named are left alone."""
    arguments: tuple[str, ...] = ("install", "--embedder", "ollama", "--set", f"embedder.endpoint={service.url}")
    arguments += ("--set", f"embedder.dimension={DIMENSION}")
    plan = satori(*arguments, "--dry-run")
    assert plan.returncode == 0 and '+name = "ollama"' in plan.stdout
    assert f"sends source text to {service.url}" in plan.stdout
    assert not service.requests and not (tmp_path / "config.toml").exists()
    assert satori(*arguments).returncode == 2
    agent = tmp_path / "home" / ".claude.json"
    agent.write_text("{}")
    done = satori(*arguments, "--yes")
    assert agent.read_text() == "{}" and not (tmp_path / "state" / "bin").exists()
    assert done.returncode == 0 and "gave 64 components" in done.stderr, done.stderr
    assert 'name = "ollama"' in (tmp_path / "config.toml").read_text()
    doctor = satori("doctor")
    assert f"embedder: ollama (the settings): nomic-embed-text@{service.url}" in doctor.stdout
    assert "64 components, no key; answered in" in doctor.stdout
    service.answer = lambda request: Reply(503, {"error": "loading"})
    doctor = satori("doctor")
    assert doctor.returncode == 1 and "fail  embedder" in doctor.stdout and "loading" in doctor.stdout


def test_a_service_that_does_not_work_is_not_chosen(satori: Command, service: Loopback, tmp_path: Path) -> None:
    """The trial fails: nothing is written and the exit code says so."""
    done = satori("install", "--embedder", "ollama", "--set", f"embedder.endpoint={service.url}", "--yes")
    assert done.returncode == 1 and "64 components, not of 768" in done.stderr
    assert not (tmp_path / "config.toml").exists()


@pytest.mark.parametrize("provider", ["openai", "voyage", "gemini"])
def test_each_keyed_provider_end_to_end(satori: Command, tree: Path, tmp_path: Path, provider: str) -> None:
    """Install with a key file, index, search, doctor; the key is in the header and in no output, file or log."""
    key_file = tmp_path / "provider.key"
    key_file.write_text(SECRET)
    key_file.chmod(0o600)
    with serving(lambda request: SPOKEN[provider](request, DIMENSION)) as service:
        settings = {"endpoint": service.url + BASES[provider], "dimension": DIMENSION, "key_file": key_file}
        pairs = [word for key, value in settings.items() for word in ("--set", f"embedder.{key}={value}")]
        plan = satori("install", "--embedder", provider, *pairs, "--dry-run")
        assert plan.returncode == 0 and f"with the key of file {key_file}" in plan.stdout
        installed = satori("install", "--embedder", provider, *pairs, "--yes")
        assert installed.returncode == 0, installed.stderr
        indexed = satori("index", str(tree))
        assert indexed.returncode == 0, indexed.stderr
        assert "A first build with this embedder: about" in indexed.stderr and MODELS[provider] not in indexed.stdout
        found = satori("search", "merge_carts", str(tree))
        assert "cart.py" in found.stdout
        doctor = satori("doctor")
        assert f"embedder: {provider} (the settings): {MODELS[provider]}@" in doctor.stdout
        assert f"key from file {key_file}" in doctor.stdout
        key_file.chmod(0o644)
        unsafe = satori("doctor")
        assert unsafe.returncode == 1 and f"chmod 600 {key_file}" in unsafe.stdout
        outputs = [done.stdout + done.stderr for done in (plan, installed, indexed, found, doctor, unsafe)]
        assert SECRET not in "".join(outputs)
        written = [path for path in tmp_path.rglob("*") if path.is_file() and path != key_file]
        assert not [path for path in written if SECRET.encode() in path.read_bytes()]
        assert all(SECRET in str(request.headers) for request in service.requests)


def test_a_key_in_the_shell_serves_the_shell(satori: Command, tree: Path) -> None:
    """For the provider's own address the variable is used by a command; it is said to be for this command only."""
    plan = satori("install", "--embedder", "voyage", "--dry-run", VOYAGE_API_KEY=SECRET)
    assert "VOYAGE_API_KEY (this command only)" in plan.stdout and SECRET not in plan.stdout
    plan = satori("install", "--embedder", "voyage", "--dry-run")
    assert "There is no key for voyage" in plan.stdout


def test_potion_is_provisioned_from_a_folder_and_from_a_hub(satori: Command, tree: Path, tmp_path: Path) -> None:
    """Copied or fetched with hashes, tried, chosen; a build then needs neither the folder nor the hub."""
    source = write_model(tmp_path / "potion-made", 2000)
    plan = satori("install", "--embedder", "potion", "--embedder-model", str(source), "--dry-run")
    assert plan.returncode == 0 and "copies the model in" in plan.stdout
    assert not (tmp_path / "state" / "models").exists()
    done = satori("install", "--embedder", "potion", "--embedder-model", str(source), "--yes")
    assert done.returncode == 0, done.stderr
    for file in source.iterdir():
        file.unlink()
    indexed = satori("index", str(tree))
    assert indexed.returncode == 0, indexed.stderr
    assert "cart.py" in satori("search", "merge_carts", str(tree)).stdout
    doctor = satori("doctor")
    assert "embedder: potion (the settings): offline, potion-made@" in doctor.stdout
    assert "every file verified" in doctor.stdout
    model = next((tmp_path / "state" / "models").glob("potion-made-*/model.safetensors"))
    model.write_bytes(model.read_bytes()[:-1] + b"?")
    assert "fail  embedder" in satori("doctor").stdout
    write_model(source, 2001)
    files = {f"/made/potion/resolve/main/{file.name}": file.read_bytes() for file in source.iterdir()}
    with serving(lambda request: Reply(404, {})) as hub:
        hub.answer = lambda request: (
            Reply(raw=files[request.path]) if request.path in files else Reply(404, {"error": "Entry not found"})
        )
        pair = ("--set", f"embedder.endpoint={hub.url}")
        done = satori("install", "--embedder", "potion", "--embedder-model", "made/potion", *pair, "--yes")
        assert done.returncode == 0 and f"made/potion from {hub.url}" in done.stderr, done.stderr
        missing = satori("install", "--embedder", "potion", "--embedder-model", "made/absent", *pair, "--yes")
        assert missing.returncode == 1 and "is not there" in missing.stderr
    assert "made/potion@" in satori("doctor").stdout


def test_a_change_names_what_it_costs(satori: Command, service: Loopback, tree: Path) -> None:
    """After a change each index that was published by another embedder is named with the command that rebuilds it."""
    assert satori("index", str(tree)).returncode == 0
    for key, value in (("endpoint", service.url), ("dimension", str(DIMENSION))):
        satori("config", "set", f"embedder.{key}", value)
    done = satori("config", "set", "embedder.name", "ollama")
    assert "goes on being served as it is until: satori index" in done.stdout
    satori("config", "set", "embedder.endpoint", service.url)
    satori("config", "set", "embedder.dimension", str(DIMENSION))
    assert "cart.py" in satori("search", "merge_carts", str(tree)).stdout and not service.requests
    done = satori("index", str(tree))
    assert done.returncode == 0 and "it costs nothing but time" in done.stderr and service.requests
    done = satori("config", "unset", "embedder.name", "embedder.endpoint", "embedder.dimension")
    assert f"satori index {tree}" in done.stdout


def test_a_server_does_not_take_keys_from_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a client started has that client's variables; a command that a person typed has the person's."""
    monkeypatch.setattr(cli.cli, "main", lambda **_: 0)
    for arguments, counts in ((["serve"], False), (["search", "x"], True)):
        use_environment({})
        monkeypatch.setattr(sys, "argv", ["satori", *arguments])
        assert cli.run() == 0 and environment_counts() is counts
    use_environment({})
