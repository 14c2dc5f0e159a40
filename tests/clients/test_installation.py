from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from satori.clients import apply
from satori.clients.catalogue import CLIENT_NAMES, CLIENTS, client_named
from satori.clients.client import Client, Surroundings
from satori.clients.formats import RefusedError
from satori.clients.installation import Installer
from satori.clients.plan import Action
from satori.clients.skill import skill_file, skill_text
from satori.errors import StateError, UsageError
from tests.clients.test_plan import configurations


def installer_at(home: Path, **environment: str) -> Installer:
    """An installer for a temporary home; its launcher is only a name here."""
    return Installer(home / ".satori", Surroundings(home, environment, "linux"))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A temporary home directory."""
    made = tmp_path / "hôme of mine"
    made.mkdir()
    yield made


def install(installer: Installer, *names: str) -> list[str]:
    """Install these clients; what was done."""
    clients = installer.select(names)
    outcomes = installer.apply(installer.plan_installation(clients))
    assert installer.install_skill(clients) == ()
    return [outcome.done for outcome in outcomes]


def uninstall(installer: Installer) -> list[str]:
    """Uninstall every installed client; what was done."""
    clients = installer.installed_clients()
    outcomes = installer.remove(installer.plan_removal(clients))
    assert installer.remove_skill(clients) == ()
    installer.remove_runtime()
    return [outcome.done for outcome in outcomes]


def tree(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below, its mode and its bytes; links as what they name; directories as empty."""
    found: dict[str, tuple[int, bytes]] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            found[name] = (mode, b"-> " + os.fsencode(path.readlink()))
        else:
            found[name] = (mode, path.read_bytes() if path.is_file() else b"")
    return found


@settings(max_examples=40, deadline=None)
@given(configurations())
def test_on_disk_install_then_uninstall_leaves_no_trace(case: tuple[Client, bytes]) -> None:
    """Files, modes, links and directories after uninstalling are those of before, for any configuration."""
    client, data = case
    with TemporaryDirectory() as name:
        home = Path(name)
        installer = installer_at(home)
        file = client.file(installer.surroundings)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o640)
        before = tree(home)
        assert install(installer, client.name) == ["changed"]
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        assert uninstall(installer) == ["removed"]
        assert tree(home) == before


def test_all_creates_what_is_missing_and_uninstall_removes_it(home: Path) -> None:
    """`all` writes every supported client's file, private ones; afterwards the home directory is empty again."""
    installer = installer_at(home)
    assert install(installer, "all") == ["created"] * len(CLIENTS)
    for client in CLIENTS:
        file = client.file(installer.surroundings)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert installer.effective_command(client) == installer.launcher
    assert (home / ".claude/skills/satori/SKILL.md").read_bytes() == skill_text()
    assert (home / ".claude/skills/satori").is_symlink()
    assert uninstall(installer) == ["deleted"] * len(CLIENTS)
    assert tree(home) == {}


def test_clients_taken_out_one_by_one_leave_no_trace(home: Path) -> None:
    """Directories that several clients share go with the last of them, in whatever order they leave."""
    installer = installer_at(home)
    install(installer, "all")
    for name in (*CLIENT_NAMES[1::2], *CLIENT_NAMES[::2]):
        clients = installer.select([name])
        installer.remove(installer.plan_removal(clients))
        assert installer.remove_skill(clients) == ()
    installer.remove_runtime()
    assert tree(home) == {}


def test_auto_takes_the_clients_that_are_here(home: Path) -> None:
    """A client is found by its own directory or by its command on the PATH."""
    (home / ".codex").mkdir()
    (home / "bin").mkdir()
    command = home / "bin" / "droid"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    installer = installer_at(home, PATH=str(home / "bin"))
    assert [client.name for client in installer.select(["auto"])] == ["codex", "factory"]
    assert installer_at(home / "nowhere").select([]) == ()


def test_an_unknown_client_is_named_with_the_nearest(home: Path) -> None:
    """A misspelt name is refused with the one that was meant."""
    with pytest.raises(UsageError, match="Did you mean codex") as caught:
        installer_at(home).select(["codx"])
    assert "auto, all, claude-code" in caught.value.next_step


def test_configured_directories_are_respected(home: Path) -> None:
    """CLAUDE_CONFIG_DIR, CODEX_HOME and XDG_CONFIG_HOME move configurations; relative ones are ignored."""
    installer = installer_at(
        home, CLAUDE_CONFIG_DIR=str(home / "c"), CODEX_HOME=str(home / "x"), XDG_CONFIG_HOME="relative"
    )
    install(installer, "claude-code", "codex", "opencode")
    assert (home / "c/.claude.json").is_file() and (home / "c/skills/satori").is_symlink()
    assert (home / "x/config.toml").is_file()
    assert (home / ".config/opencode/opencode.json").is_file()
    uninstall(installer)
    assert tree(home) == {}


def test_an_existing_jsonc_file_is_preferred_to_a_new_one(home: Path) -> None:
    """OpenCode's commented configuration is edited in place instead of being shadowed by a second file."""
    file = home / ".config/opencode/opencode.jsonc"
    file.parent.mkdir(parents=True)
    file.write_text('{\n  // mine\n  "theme": "dark",\n}\n')
    installer = installer_at(home)
    install(installer, "opencode")
    assert "// mine" in file.read_text() and not file.with_suffix(".json").exists()
    uninstall(installer)
    assert file.read_text() == '{\n  // mine\n  "theme": "dark",\n}\n'


def test_antigravity_old_and_new_are_told_apart(home: Path) -> None:
    """An older version's directory gets the entry as long as the newer one's is not there."""
    client = client_named("antigravity")
    assert client is not None
    surroundings = Surroundings(home)
    assert client.file(surroundings) == home / ".gemini/config/mcp_config.json"
    (home / ".gemini/antigravity").mkdir(parents=True)
    assert client.file(surroundings) == home / ".gemini/antigravity/mcp_config.json"
    (home / ".gemini/config").mkdir()
    assert client.file(surroundings) == home / ".gemini/config/mcp_config.json"


def test_links_stay_links(home: Path) -> None:
    """A linked file and a linked directory, as dotfile managers make them, are written through and stay links."""
    dotfiles = home / "dotfiles"
    (dotfiles / "gemini").mkdir(parents=True)
    (dotfiles / "claude.json").write_text("{}")
    (home / ".gemini").symlink_to(dotfiles / "gemini", target_is_directory=True)
    (home / ".claude.json").symlink_to(dotfiles / "claude.json")
    before = tree(home)
    installer = installer_at(home)
    install(installer, "gemini", "claude-code")
    assert (home / ".claude.json").is_symlink() and (home / ".gemini").is_symlink()
    assert "satori" in (dotfiles / "claude.json").read_text()
    assert "satori" in (dotfiles / "gemini/settings.json").read_text()
    uninstall(installer)
    assert tree(home) == before


def test_a_change_since_the_plan_is_refused(home: Path) -> None:
    """A client that writes its configuration between plan and write loses nothing."""
    file = home / ".gemini/settings.json"
    file.parent.mkdir()
    file.write_text("{}")
    installer = installer_at(home)
    plans = installer.plan_installation(installer.select(["gemini"]))
    file.write_text('{"new": 1}')
    (outcome,) = installer.apply(plans)
    assert outcome.done == "failed" and "changed while" in outcome.problem
    assert file.read_text() == '{"new": 1}'
    assert install(installer, "gemini") == ["changed"]
    uninstall(installer)
    assert file.read_text() == '{"new": 1}'


def test_a_client_that_rewrote_its_file_loses_only_the_entry(home: Path) -> None:
    """Changes made after the installation survive the uninstallation; a container made for the entry goes."""
    file = home / ".claude.json"
    file.write_text('{"numStartups": 1}')
    installer = installer_at(home)
    install(installer, "claude-code")
    document = json.loads(file.read_text())
    document["numStartups"] = 2
    file.write_text(json.dumps(document, indent=2))
    uninstall(installer)
    assert json.loads(file.read_text()) == {"numStartups": 2}


def test_a_new_file_that_became_the_client_s_own_is_kept(home: Path) -> None:
    """A created file that the client filled meanwhile is not deleted; only the entry goes."""
    installer = installer_at(home)
    install(installer, "claude-code")
    file = home / ".claude.json"
    document = json.loads(file.read_text())
    document["userID"] = "u"
    file.write_text(json.dumps(document))
    uninstall(installer)
    assert json.loads(file.read_text()) == {"userID": "u"}


def test_one_backup_is_kept_while_installed(home: Path) -> None:
    """The bytes of before lie in the state root, private, once; they go with the installation."""
    file = home / ".gemini/settings.json"
    file.parent.mkdir()
    file.write_bytes(b'{"a": 1}')
    installer = installer_at(home)
    install(installer, "gemini")
    install(installer, "gemini")
    (backup,) = (home / ".satori/clients/backups").iterdir()
    assert backup.read_bytes() == b'{"a": 1}' and stat.S_IMODE(backup.stat().st_mode) == 0o600
    uninstall(installer)
    assert not (home / ".satori").exists()


@pytest.mark.parametrize("step", ["rename", "fsync", "fchmod"])
def test_a_failing_disk_leaves_the_file_as_it_was(home: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full or failing disk at any step of the write is a refusal that names the file; no temporary file stays."""
    file = home / ".gemini/settings.json"
    file.parent.mkdir()
    file.write_text("{}")
    plan = installer_at(home).plan_installation(installer_at(home).select(["gemini"]))[0]
    assert plan.after is not None

    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "rename":
        monkeypatch.setattr(Path, "replace", fail)
    else:
        monkeypatch.setattr(os, step, fail)
    with pytest.raises(StateError, match="No space left"):
        apply.replace_file(file, plan.before, plan.after)
    assert file.read_text() == "{}"
    assert [path.name for path in file.parent.iterdir()] == ["settings.json"]


def test_what_is_no_regular_file_is_refused(home: Path) -> None:
    """A FIFO, a dangling link, a directory and a huge file in a configuration's place neither hang nor are replaced."""
    os.mkfifo(home / "fifo")
    (home / "dangling").symlink_to(home / "nothing")
    (home / "directory").mkdir()
    with (home / "huge").open("wb") as huge:
        huge.truncate(apply.SIZE_LIMIT + 1)
    for name, words in (
        ("fifo", "not a regular file"),
        ("dangling", "does not exist"),
        ("directory", "not a regular file"),
        ("huge", "larger than"),
    ):
        with pytest.raises(RefusedError, match=words):
            apply.read_configuration(home / name)
    assert apply.read_configuration(home / "missing") is None
    (home / ".gemini").mkdir()
    os.mkfifo(home / ".gemini/settings.json")
    (plan,) = installer_at(home).plan_installation(installer_at(home).select(["gemini"]))
    assert plan.action is Action.REFUSE


def test_a_file_in_a_directory_s_place_is_refused(home: Path) -> None:
    """Nothing is moved out of the way; the other clients are installed all the same."""
    (home / ".cursor").write_text("not a directory")
    installer = installer_at(home)
    outcomes = installer.apply(installer.plan_installation(installer.select(["cursor", "kiro"])))
    assert [outcome.done for outcome in outcomes] == ["refused", "created"]
    assert (home / ".cursor").read_text() == "not a directory"


def test_a_foreign_skill_is_left(home: Path) -> None:
    """A skill directory or link that Satori did not make is refused, named and untouched."""
    own = home / ".claude/skills/satori"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("mine")
    installer = installer_at(home)
    problems = installer.install_skill(installer.select(["claude-code", "continue"]))
    assert len(problems) == 1 and str(own) in problems[0] and "real directory" in problems[0]
    assert (own / "SKILL.md").read_text() == "mine"
    assert (home / ".continue/skills/satori").is_symlink()
    assert installer.remove_skill(installer.select(["all"])) == ()
    assert (own / "SKILL.md").read_text() == "mine"


def test_a_foreign_or_edited_skill_file_is_left(home: Path) -> None:
    """~/.agents/skills/satori of somebody else is refused; an own one edited since is not removed."""
    installer = installer_at(home)
    file = skill_file(installer.surroundings)
    file.parent.mkdir(parents=True)
    file.write_text("theirs")
    (problem,) = installer.install_skill(installer.select(["codex"]))
    assert "not written by Satori" in problem and file.read_text() == "theirs"
    file.unlink()
    assert installer.install_skill(installer.select(["codex"])) == ()
    file.write_text("edited")
    (left,) = installer.remove_skill(installer.select(["codex"]))
    assert "was left" in left and file.read_text() == "edited"


def test_the_skill_is_one_that_agents_accept() -> None:
    """The front matter has the name of its directory and a description within the 1,024 characters that agents read."""
    text = skill_text().decode()
    _, head, body = text.split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in head.strip().splitlines())
    assert fields["name"] == "satori" and 100 < len(fields["description"]) <= 1024
    for tool in ("manage_index", "search_codebase", "read_file", "call_graph", "find_references", "detect_changes"):
        assert tool in body


def test_never_touched_files(home: Path) -> None:
    """AGENTS.md, CLAUDE.md, GEMINI.md and hooks are not read, written or created."""
    for name in ("AGENTS.md", ".claude/CLAUDE.md", ".codex/AGENTS.md", ".claude/settings.json", ".gemini/GEMINI.md"):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    before = tree(home)
    installer = installer_at(home)
    install(installer, "all")
    after = tree(home)
    assert {name: after[name] for name in before} == before
    uninstall(installer)
    assert tree(home) == before


def test_purge_refuses_while_clients_start_satori(home: Path) -> None:
    """Purging the state under a configured client would leave it with a broken command."""
    installer = installer_at(home)
    install(installer, "codex")
    with pytest.raises(UsageError, match="codex"):
        installer.purge()
    uninstall(installer)
    (home / ".satori/codebases/x").mkdir(parents=True)
    (home / ".satori/kept.txt").write_text("not Satori's")
    installer.purge()
    assert [path.name for path in (home / ".satori").iterdir()] == ["kept.txt"]
    with pytest.raises(UsageError, match="no state root"):
        Installer(home, Surroundings(home)).purge()


def test_every_client_is_unique_and_documented() -> None:
    """Names, titles and files are distinct; macOS has its own place for VS Code."""
    surroundings = Surroundings(Path("/h"))
    assert len({client.name for client in CLIENTS}) == len({client.title for client in CLIENTS}) == 15
    assert len({client.file(surroundings) for client in CLIENTS}) == 15
    vscode = client_named("vscode")
    assert vscode is not None
    assert "Library/Application Support" in str(vscode.file(Surroundings(Path("/h"), {}, "darwin")))
