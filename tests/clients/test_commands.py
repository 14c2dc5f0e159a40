from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from satori.clients.catalogue import CLIENT_NAMES
from satori.runtime import owners

Satori = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def satori(tmp_path: Path) -> Iterator[Satori]:
    """The command in a home of its own, without a terminal."""
    home = tmp_path / "home"
    home.mkdir()

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "satori.cli.main", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env={"HOME": str(home), "PATH": os.environ["PATH"], "SATORI_RUNTIME_IDLE_SECONDS": "1"},
            timeout=110,
        )

    yield run
    owners.terminate(home / ".satori")


def names_in(home: Path) -> list[str]:
    """Everything below the home directory."""
    return sorted(str(path.relative_to(home)) for path in home.rglob("*"))


def test_from_nothing_to_served_and_back(satori: Satori, tmp_path: Path) -> None:
    """Install for every client, examine, break, mend, uninstall, purge: in the end the home directory is empty."""
    home = tmp_path / "home"
    installed = satori("install", "--client", "all", "--yes")
    assert installed.returncode == 0, installed.stderr
    assert installed.stdout.count(": created ") == len(CLIENT_NAMES)

    examined = satori("doctor", "--json", "--full")
    document = json.loads(examined.stdout)
    assert examined.returncode == 0 and document["ok"], examined.stdout
    levels = {finding["subject"]: finding["level"] for finding in document["findings"]}
    assert {levels[f"client {name}"] for name in CLIENT_NAMES} == {"ok"}
    assert levels["launcher"] == levels["skill"] == levels["disk"] == levels["model static"] == "ok"

    (home / ".codex/config.toml").write_text("")
    (home / ".gemini/settings.json").write_text("{")
    (home / ".satori/bin/satori-mcp").write_text("#!/bin/sh\n")
    broken = {f["subject"]: f for f in json.loads(satori("doctor", "--json").stdout)["findings"]}
    assert broken["client codex"]["level"] == "fail"
    assert broken["client codex"]["mend"] == "satori install --client codex"
    assert "not valid JSON" in broken["client gemini"]["reason"]
    assert broken["launcher"]["level"] == "fail" and broken["launcher"]["mend"] == "satori install"

    (home / ".gemini/settings.json").write_text("{}")
    assert satori("install", "codex", "gemini", "--yes").returncode == 0
    assert satori("doctor").returncode == 0

    removed = satori("uninstall", "--purge", "--yes")
    assert removed.returncode == 0, removed.stderr
    # The files that were emptied by hand were there when Satori came back; whatever it made is gone.
    assert names_in(home) == [".codex", ".codex/config.toml", ".gemini", ".gemini/settings.json"]
    assert (home / ".codex/config.toml").read_bytes() == b""
    assert (home / ".gemini/settings.json").read_text() == "{}"


def test_without_a_terminal_yes_is_required(satori: Satori, tmp_path: Path) -> None:
    """Nobody is there to ask: exit code 2, what to say instead, and nothing written."""
    refused = satori("install", "--client", "codex")
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert names_in(tmp_path / "home") == []


def test_a_dry_run_shows_the_exact_change_and_writes_nothing(satori: Satori, tmp_path: Path) -> None:
    """The diff names the file and the absolute command; no state root appears."""
    shown = satori("install", "--client", "codex,cursor", "--dry-run")
    assert shown.returncode == 0
    command = tmp_path / "home/.satori/bin/satori-mcp"
    assert f'+command = "{command}"' in shown.stdout
    assert f"+++ {tmp_path / 'home/.cursor/mcp.json'}" in shown.stdout
    assert names_in(tmp_path / "home") == []


def test_nothing_found_and_unknown_names_are_usage_errors(satori: Satori, tmp_path: Path) -> None:
    """`auto` without any agent and a misspelt client end with code 2 and the way on."""
    misspelt = satori("install", "--client", "claude", "--yes")
    assert misspelt.returncode == 2 and "Did you mean claude-code?" in misspelt.stderr
    assert names_in(tmp_path / "home") == []


def test_a_refused_client_does_not_stop_the_others_from_being_planned(satori: Satori, tmp_path: Path) -> None:
    """A foreign entry is reported with its line and the command; a dry run tells it by its exit code."""
    file = tmp_path / "home/.cursor/mcp.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {"satori": {"command": "mine"}}}')
    shown = satori("install", "--client", "cursor", "kiro", "--dry-run")
    assert shown.returncode == 1
    assert "did not write" in shown.stderr and "line 1" in shown.stderr
    assert ".kiro/settings/mcp.json" in shown.stdout


def test_terminate_without_a_runtime_says_so(satori: Satori) -> None:
    """Nothing to end is no failure."""
    done = satori("terminate")
    assert done.returncode == 0 and "No runtime" in done.stdout
