from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from satori import __version__
from satori.cli.main import COMMANDS
from satori.cli.reference import render
from satori.codebase.codebase import Codebase
from tests.conftest import Indexed, make_repository

DOCS = Path(__file__).parents[2] / "docs"
Run = Callable[..., subprocess.CompletedProcess[str]]


def run(*arguments: str, state: Path, directory: Path | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
    """The real command in a process of its own, in the plainest locale."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "SATORI_STATE_ROOT": str(state), "LANG": "C"}
    return subprocess.run(
        [sys.executable, "-m", "satori.cli.main", *arguments],
        env=environment | more.pop("environment", {}),
        cwd=directory or "/",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
        **more,
    )


def test_the_reference_is_every_commands_own_help() -> None:
    """docs/cli.md is what --help says: `python -m satori.cli.reference > docs/cli.md`."""
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == render()
    for name in COMMANDS:
        assert f"## satori {name}\n" in render()


def test_version_and_help_import_nothing_heavy() -> None:
    """--version loads no click; --help loads no store, no model, no protocol."""
    code = (
        "import sys; sys.argv = ['satori', {argument!r}]\nfrom satori.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\nprint(sorted(sys.modules), file=sys.stderr)"
    )
    for argument, banned in (
        ("--version", ("click", "numpy", "lancedb", "mcp", "rich", "tree_sitter")),
        ("--help", ("numpy", "lancedb", "mcp", "rich", "tree_sitter", "satori.publication")),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code.format(argument=argument)], capture_output=True, text=True, check=True
        )
        loaded = set(json.loads(done.stderr.strip().splitlines()[-1].replace("'", '"')))
        assert not loaded & set(banned)
        assert __version__ in done.stdout or "Commands" in done.stdout


def test_index_search_and_status_from_a_clean_clone(tmp_path: Path) -> None:
    """The first things a person does, as they type them; the summary has what was promised."""
    make_repository(tmp_path / "repo")
    state, repo = tmp_path / "state", tmp_path / "repo"
    first = run("index", state=state, directory=repo)
    assert first.returncode == 0, first.stderr
    for words in ("Indexed:", "python 9", "symlink 1", "symbols", "chunks", "publication"):
        assert words in first.stdout
    again = json.loads(run("index", str(repo), "--json", state=state).stdout)
    assert again["published"] is False
    assert again["languages"]["python"] == 9
    assert again["seconds"] >= sum(again["phases"].values()) * 0.5
    found = run("search", "merge_carts", str(repo), state=state)
    assert found.returncode == 0
    assert found.stdout.lstrip().startswith("1. shop/cart.py:")
    unicode = run("search", "unicode_named_file", str(repo), state=state)
    assert "файл 名.py" in unicode.stdout or "\\u" in unicode.stdout
    status = run("status", state=state, directory=repo / "shop")
    assert status.returncode == 0
    assert "ready" in status.stdout
    assert "freshness: verified" in status.stdout
    table = run("status", "--detail", "capabilities", state=state, directory=repo).stdout
    assert "    python: symbols deep, calls qualified, imports, tests\n" in table
    assert "    zig: symbols outline, calls unsupported" in table
    assert "      calls: recall 0.904, precision 0.9847 (1.0 judged) against scip-python on Django" in table
    listed = run("list", state=state)
    assert f"{repo}: ready" in listed.stdout
    assert run("clear", str(repo), state=state).returncode == 2
    assert run("clear", str(repo), "--yes", state=state).returncode == 0
    assert run("status", str(repo), state=state).returncode == 1


def test_library_tool_and_command_return_the_same_order(indexed: Indexed) -> None:
    """Codebase.search, search_codebase and `satori search` are one search."""
    query = "add a product to the cart"
    with Codebase.open(indexed.root, indexed.state_root) as codebase:
        hits = [hit.symbol_id for hit in codebase.search(query, limit=12)]
    done = run("search", query, str(indexed.root), "--limit", "12", "--json", state=indexed.state_root)
    assert [group["symbolId"] for group in json.loads(done.stdout)["groups"]] == hits
    arguments = json.dumps({"path": str(indexed.root), "query": query, "limit": 12, "disclosureLimit": 12})
    called = run("tool", "call", "search_codebase", "--args-json", arguments, state=indexed.state_root)
    assert [group["symbolId"] for group in json.loads(called.stdout)["groups"]] == hits


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """Standard error, which must be plain sentences."""
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert lines[0].startswith("satori: ")
    assert len(lines) <= 3
    return done.stderr


def test_every_wrong_path_is_told_plainly_and_creates_nothing(tmp_path: Path) -> None:
    """Missing, a file, empty, all binary, /, home: exit 1 or 2, one sentence, the next command, no state."""
    state = tmp_path / "state"
    (tmp_path / "file.py").write_text("x = 1\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary/data.py").write_bytes(bytes(range(256)) * 8)
    for path, code in (("missing", 2), ("file.py", 2), ("empty", 1), ("binary", 1), ("/", 2)):
        done = run("index", path, state=state, directory=tmp_path)
        assert done.returncode == code, done.stderr
        assert "satori index" in error_of(done) or path == "/"
        assert not state.exists()
    home = run("index", str(tmp_path), state=state, environment={"HOME": str(tmp_path)})
    assert home.returncode == 2
    assert "home" in error_of(home)
    for command in ("search", "status"):
        arguments = ["cart"] if command == "search" else []
        done = run(command, *arguments, str(tmp_path / "empty"), state=state)
        assert done.returncode == 1
        assert "Try: satori index" in error_of(done)
    assert not state.exists()


def obey_modes() -> None:
    """Give up root's right to pass over file modes, for the program that is started next."""
    if os.geteuid() == 0:
        import ctypes

        drop_from_bounding_set, override, read_search = 24, 1, 2
        for capability in (override, read_search):
            ctypes.CDLL(None).prctl(drop_from_bounding_set, capability, 0, 0, 0)


def test_what_cannot_be_read_or_written_is_told_plainly(tmp_path: Path) -> None:
    """An unreadable directory; a state root that cannot be written, where what is published stays readable."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "a.py").write_text("def answer():\n    return 42\n")
    hidden.chmod(0o000)
    done = run("index", str(hidden), state=tmp_path / "state", preexec_fn=obey_modes)
    assert done.returncode == 1
    assert "cannot be read" in error_of(done)
    hidden.chmod(0o755)
    assert run("index", str(hidden), state=tmp_path / "state").returncode == 0
    closed = [path for path in (tmp_path / "state").rglob("*") if path.is_dir()]
    for directory in [tmp_path / "state", *closed]:
        directory.chmod(0o555)
    (hidden / "b.py").write_text("def later():\n    return 43\n")
    done = run("index", str(hidden), state=tmp_path / "state", preexec_fn=obey_modes)
    assert done.returncode == 1
    assert "SATORI_STATE_ROOT" in error_of(done)
    found = run("search", "answer", str(hidden), state=tmp_path / "state", preexec_fn=obey_modes)
    assert found.returncode == 0, found.stderr
    assert "a.py:1" in found.stdout


def test_a_damaged_state_is_told_with_the_way_out(tmp_path: Path) -> None:
    """index refuses, names the command that rebuilds, and that command works."""
    make_repository(tmp_path / "repo")
    state, repo = tmp_path / "state", tmp_path / "repo"
    assert run("index", str(repo), state=state).returncode == 0
    pointer = next(state.glob("codebases/*/current"))
    pointer.write_bytes(b"garbage\n")
    for command in ("index", "search"):
        arguments = ["cart"] if command == "search" else []
        done = run(command, *arguments, str(repo), state=state)
        assert done.returncode == 1
        assert "satori index --force" in error_of(done)
    assert run("index", "--force", str(repo), state=state).returncode == 0
    assert run("search", "merge_carts", str(repo), state=state).stdout.lstrip().startswith("1. shop/cart.py")


def test_exit_codes_of_tool_calls(indexed: Indexed) -> None:
    """0 answered, 1 the tool said error, 2 no JSON object, 3 no such tool."""
    state = indexed.state_root

    def code(*arguments: str) -> int:
        return run("tool", "call", *arguments, state=state).returncode

    assert code("list_codebases") == 0
    assert code("search_codebase", "--args-json", json.dumps({"path": "/nowhere/at/all", "query": "x"})) == 0
    assert code("search_codebase", "--args-json", '{"project_name": "x"}') == 1
    assert code("list_codebases", "--args-json", "not json") == 2
    assert code("list_codebases", "--args-json", "[]") == 2
    assert code("serch_codebase") == 3
    assert code() == 2


def test_misspelt_commands_and_options_name_what_was_meant(tmp_path: Path) -> None:
    """A near miss is named; exit code 2."""
    done = run("serch", "x", state=tmp_path)
    assert done.returncode == 2
    assert "satori search" in error_of(done)
    assert run("search", "x", "--scop", "docs", state=tmp_path).returncode == 2


def test_the_tools_are_listed_with_their_parameters(tmp_path: Path) -> None:
    """As text for people and as JSON with schemas."""
    listed = run("tools", "list", state=tmp_path)
    assert "search_codebase" in listed.stdout
    assert "query (required)" in listed.stdout
    tools = json.loads(run("tools", "list", "--json", state=tmp_path).stdout)
    assert [tool["name"] for tool in tools][:3] == ["list_codebases", "manage_index", "search_codebase"]
    assert tools[2]["inputSchema"]["required"] == ["path", "query"]


def test_a_closed_pipe_is_no_error(indexed: Indexed) -> None:
    """`satori search … | head -1` ends quietly."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "SATORI_STATE_ROOT": str(indexed.state_root)}
    command = f"{sys.executable} -m satori.cli.main tools list | head -1"
    done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""


def test_an_interrupted_index_is_cancelled_and_leaves_nothing_running(tmp_path: Path) -> None:
    """SIGINT: exit 130, one sentence, no process left, and the status says cancelled rather than failed."""
    make_repository(tmp_path / "repo")
    for n in range(400):
        text = "\n".join(f"def f_{n}_{k}(): return {k}" for k in range(60))
        (tmp_path / f"repo/big/file_{n}.py").write_text(text)
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "SATORI_STATE_ROOT": str(tmp_path / "state")}
    process = subprocess.Popen(
        [sys.executable, "-m", "satori.cli.main", "index", str(tmp_path / "repo")],
        env=environment,
        cwd="/",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(400):
        record = next((tmp_path / "state").glob("codebases/*/operation.json"), None)
        if record is not None and json.loads(record.read_text())["phase"] != "starting":
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "stopped" in errors
    assert "Traceback" not in errors
    arguments = json.dumps({"action": "status", "path": str(tmp_path / "repo")})
    told = json.loads(run("tool", "call", "manage_index", "--args-json", arguments, state=tmp_path / "state").stdout)
    assert (told["state"], told["operation"]["state"]) == ("not_indexed", "cancelled")
