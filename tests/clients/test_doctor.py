from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from satori.clients.client import Surroundings
from satori.clients.doctor import examine
from satori.clients.finding import Finding, Level
from satori.clients.installation import Installer
from satori.clients.probe import probe
from satori.clients.skill import skill_file
from satori.embedding import weights
from satori.errors import SatoriError
from satori.publication.state import write_json
from satori.runtime import environment, owners
from satori.runtime.paths import RuntimeDirectory
from tests.runtime.client import Client, make_runtime


@pytest.fixture
def installer(tmp_path: Path) -> Iterator[Installer]:
    """An installer whose launcher starts the fixture's runtime."""
    state_root = tmp_path / ".satori"
    directory = make_runtime(state_root, environment.current_name())
    directory.record.write_text("{}")
    environment.switch(directory)
    made = Installer(state_root, Surroundings(tmp_path, {"SATORI_RUNTIME_IDLE_SECONDS": "1"}, "linux"))
    yield made
    owners.terminate(state_root)


def findings(installer: Installer) -> dict[str, Finding]:
    """The doctor's findings by subject."""
    return {finding.subject: finding for finding in examine(installer)}


def write(installer: Installer, name: str, text: str) -> Path:
    """Write a file below the home directory."""
    path = installer.surroundings.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_entries_of_every_kind_are_told_apart(installer: Installer) -> None:
    """Own, switched off, foreign, lost, missing and unreadable entries each have their level and their way on."""
    clients = installer.select(["gemini", "kiro", "codex"])
    installer.apply(installer.plan_installation(clients))
    kiro = installer.surroundings.home / ".kiro/settings/mcp.json"
    kiro.write_text(kiro.read_text().replace("false", "true"))
    write(installer, ".codex/config.toml", "model = 'x'\n")
    write(installer, ".cursor/mcp.json", '{"mcpServers": {"satori": {"command": "/elsewhere"}}}')
    write(installer, ".qwen/settings.json", "{}")
    write(installer, ".factory/mcp.json", "not json")
    found = findings(installer)
    assert found["client gemini"].level is Level.OK
    assert found["client kiro"].level is Level.WARN and "switched off" in found["client kiro"].reason
    assert found["client codex"].level is Level.FAIL and found["client codex"].mend == "satori install --client codex"
    assert found["client cursor"].level is Level.WARN and "/elsewhere" in found["client cursor"].reason
    assert found["client qwen"].level is Level.WARN and "without Satori" in found["client qwen"].reason
    assert found["client factory"].level is Level.FAIL and "not valid JSON" in found["client factory"].reason
    assert "client zed" not in found


def test_a_launcher_that_does_not_work_is_found(installer: Installer) -> None:
    """A broken script and a missing one are failures with a mending command."""
    installer.apply(installer.plan_installation(installer.select(["codex"])))
    assert findings(installer)["launcher"].level is Level.OK
    launcher = Path(installer.launcher)
    script = launcher.read_text()
    launcher.write_text(f"#!/bin/sh\nexit 3\n# {script.splitlines()[-1]}\n")
    broken = findings(installer)["launcher"]
    assert broken.level is Level.FAIL and "ended before" in broken.reason and "satori install" in broken.mend
    launcher.unlink()
    missing = findings(installer)["launcher"]
    assert missing.level is Level.FAIL and missing.mend == "satori install"


def test_a_failed_verification_names_client_file_and_way_on(installer: Installer) -> None:
    """After an installation a server with other tools, and one that does not start, are told by client and file."""
    clients = installer.select(["gemini", "codex"])
    installer.apply(installer.plan_installation(clients))
    assert installer.verify(clients, ["echo", "crash", "sleep"]) == ()
    other = installer.verify(clients, ["search_codebase"])
    assert [outcome.client.name for outcome in other] == ["codex", "gemini"]
    assert str(other[1].file).endswith(".gemini/settings.json") and "echo, crash, sleep" in other[1].problem
    Path(installer.launcher).write_text("#!/bin/sh\nexit 1\n")
    assert "satori doctor" in installer.verify(clients, ["echo"])[0].problem
    write(installer, ".gemini/settings.json", "{}")
    assert "holds no entry" in installer.verify(installer.select(["gemini"]), ["echo"])[0].problem


def test_a_changed_skill_and_a_misled_link_are_found(installer: Installer) -> None:
    """An edited SKILL.md is a warning, a missing one a failure, a link that leads elsewhere a warning."""
    installer.install_skill(installer.select(["claude-code"]))
    assert findings(installer)["skill"].level is Level.OK
    file = skill_file(installer.surroundings)
    file.write_text("mine")
    assert findings(installer)["skill"].level is Level.WARN
    link = installer.surroundings.home / ".claude/skills/satori"
    link.unlink()
    assert findings(installer)["skill link"].level is Level.WARN
    file.unlink()
    assert findings(installer)["skill"].level is Level.FAIL


def test_running_runtimes_are_named(installer: Installer) -> None:
    """Each live runtime is listed; two at once are a warning with the command that ends them."""
    other = make_runtime(installer.state_root, "0.9-other")
    client = Client.of(other)
    client.open()
    client.text("echo")
    found = examine(installer)
    named = [finding.reason for finding in found if finding.subject == "runtime"]
    assert len(named) == 2 and any("0.9-other" in reason for reason in named)
    warned = next(finding for finding in found if finding.subject == "runtimes")
    assert warned.level is Level.WARN and warned.mend == "satori terminate"
    client.close()


def test_findings_are_json(installer: Installer) -> None:
    """Every finding is plain data with the four fields, levels as words."""
    for finding in examine(installer):
        document = json.loads(json.dumps(finding.document()))
        assert set(document) == {"subject", "level", "reason", "mend"}
        assert document["level"] in ("ok", "warn", "fail") and document["reason"]


def test_what_is_no_server_is_an_error(tmp_path: Path) -> None:
    """A program that ends, talks nonsense or is not there fails with words, at once."""
    for script, words in (
        ("exit 0", "ended before"),
        ("read x; echo '{}'", "ended before"),
        ("echo 7", "MCP|ended"),
    ):
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o700)
        with pytest.raises(SatoriError, match=words):
            probe([str(program)], environment={"PATH": "/usr/bin:/bin"})
    with pytest.raises(SatoriError, match="cannot be started"):
        probe([str(tmp_path / "nothing")])


def test_a_damaged_model_is_found(installer: Installer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong byte among the vectors, which no start reads as a whole, is a failure that names the file."""
    assert findings(installer)["model static"].level is Level.OK
    folder = tmp_path / "model"
    shutil.copytree(weights.DATA, folder)
    vectors = folder / weights.VECTORS
    data = bytearray(vectors.read_bytes())
    data[-1] ^= 1
    vectors.write_bytes(data)
    monkeypatch.setattr(weights.verify, "__defaults__", (folder,))
    found = findings(installer)["model static"]
    assert found.level is Level.FAIL and weights.VECTORS in found.reason and found.mend


def test_what_is_watched_and_why_not_is_said(installer: Installer) -> None:
    """A live runtime's watches are findings, with the reason where there is one; a dead runtime's count for nothing."""
    codebases = [
        {"root": "/one", "watched": True, "directories": 7, "syncs": 2},
        {"root": "/two", "watched": False, "reason": "OS file watch limit reached"},
    ]
    live, dead = (RuntimeDirectory(installer.state_root / "runtimes" / name) for name in ("0-live", "0-dead"))
    for directory in (live, dead):
        directory.run.mkdir(parents=True)
    write_json(dead.watches, {"codebases": codebases})
    assert findings(installer)["watchers"].level is Level.OK
    write_json(live.watches, {"codebases": codebases})
    owners.register(live)
    found = findings(installer)
    live.owner.unlink()
    assert "watchers" not in found and "7 directories" in found["watcher /one"].reason
    assert found["watcher /two"].level is Level.WARN and "limit" in found["watcher /two"].reason
