from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from satori.languages.registry import language_names
from satori.publication.damage import Damage
from satori.publication.versions import STATE_FORMAT
from satori.server import consent
from satori.server.sessions import Session
from satori.server.tools import ToolContext
from satori.server.workbench import Workbench
from tests.conftest import Indexed, make_repository, write_files
from tests.server.asking import ask, follow


def manage(context: ToolContext, action: str, path: Path | str, **more: Any) -> dict[str, Any]:
    return ask(context, "manage_index", action=action, path=str(path), **more)


def until_idle(context: ToolContext, path: Path) -> dict[str, Any]:
    """Poll status as an agent does, until nothing runs."""
    for _ in range(300):
        answer = manage(context, "status", path)
        operation = answer.get("operation")
        if answer.get("served") and (operation is None or operation["state"] != "running"):
            return answer
        if operation is None:
            time.sleep(0.1)
            continue
        assert operation["state"] in ("running", "completed"), operation
        assert operation["done"] <= operation["total"] or not operation["total"]
        time.sleep(0.1)
    raise AssertionError("the operation did not end")


def test_the_whole_life_of_an_index(tmp_path: Path) -> None:
    """Not indexed, created, ready, changed, synced, listed, cleared: every tool agrees at each step."""
    make_repository(tmp_path / "repo")
    context = Indexed(tmp_path / "repo", tmp_path / "state").context()
    root = tmp_path / "repo"
    for tool, arguments in (
        ("manage_index", {"action": "status", "path": str(root)}),
        ("manage_index", {"action": "sync", "path": str(root)}),
        ("search_codebase", {"path": str(root), "query": "cart"}),
        ("read_file", {"path": str(root / "shop/cart.py")}),
    ):
        before = ask(context, tool, **arguments)
        assert (before["status"], before["reason"]) == ("not_indexed", "not_indexed")
        assert before["recommendedNextAction"]["arguments"] == {"action": "create", "path": str(root)}
    assert ask(context, "list_codebases")["reason"] == "no_codebases"
    created = manage(context, "create", root)
    assert created["status"] == "ok"
    assert created["operationId"].startswith("op-")
    ready = until_idle(context, root)
    assert (ready["state"], ready["served"], ready["freshness"]["state"]) == ("ready", True, "verified")
    assert ready["skipped"]["symlink"] == 1
    assert ready["counts"]["indexed"] > 10
    assert {"python", "typescript", "go"} <= {one["language"] for one in ready["languages"]}
    listed = ask(context, "list_codebases")["codebases"][0]
    for name in ("root", "state", "served", "counts", "languages", "profile"):
        assert listed[name] == ready[name]
    write_files(root, {"shop/later.py": "def written_later():\n    return 1\n"})
    assert manage(context, "status", root)["freshness"]["changedFiles"] == ["shop/later.py"]
    synced = manage(context, "sync", root)
    assert until_idle(context, root)["publication"]["sequence"] > ready["publication"]["sequence"]
    assert synced["status"] == "ok"
    assert manage(context, "clear", root / "shop")["status"] == "error"
    cleared = manage(context, "clear", root)
    assert (cleared["status"], cleared["state"]) == ("ok", "not_indexed")
    assert (root / "shop/later.py").exists()
    assert manage(context, "status", root)["status"] == "not_indexed"
    context.workbench.close()


def test_a_directory_that_is_gone_says_so_and_can_be_cleared(own_indexed: Indexed) -> None:
    """Listed as gone, never as fresh; clear works without the directory."""
    context = own_indexed.context()
    shutil.rmtree(own_indexed.root)
    listed = ask(context, "list_codebases")
    assert listed["codebases"][0]["rootExists"] is False
    assert "root_gone" in [warning["code"] for warning in listed["warnings"]]
    status = manage(context, "status", own_indexed.root)
    assert status["freshness"]["state"] != "verified"
    assert manage(context, "clear", own_indexed.root)["status"] == "ok"
    assert ask(context, "list_codebases")["codebases"] == []


def test_nothing_eligible_creates_nothing(tmp_path: Path) -> None:
    """Empty, or all binary: blocked with counted reasons, and no state appears."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary/data.py").write_bytes(bytes(range(256)) * 8)
    session = Session()
    session.add_workspaces([str(tmp_path / "empty"), str(tmp_path / "binary")])
    context = ToolContext(session, Workbench(tmp_path / "state"))
    for name in ("empty", "binary"):
        answer = manage(context, "create", tmp_path / name)
        assert (answer["status"], answer["reason"]) == ("blocked", "nothing_eligible")
    assert answer["skipped"] == {"binary": 1}
    assert not (tmp_path / "state/codebases").exists()


def test_parameters_that_do_not_belong_together_are_refused(indexed: Indexed) -> None:
    """cancel needs operationId and nothing else takes it; profile belongs to builds."""
    context = indexed.context()
    assert manage(context, "cancel", indexed.root)["reason"] == "missing_parameter"
    assert manage(context, "status", indexed.root, operationId="op-1")["reason"] == "invalid_value"
    assert manage(context, "status", indexed.root, profile="default")["reason"] == "invalid_value"
    gone = manage(context, "cancel", indexed.root, operationId="op-000000000000")
    assert (gone["status"], gone["reason"]) == ("not_found", "operation_not_found")
    assert follow(context, gone, 1)[0]["status"] == "ok"


@pytest.mark.parametrize("detail", ["summary", "capabilities", "diagnostics"])
def test_status_details(indexed: Indexed, detail: str) -> None:
    """capabilities lists every language with what was measured; diagnostics names troubled files."""
    answer = manage(indexed.context(), "status", indexed.root, detail=detail)
    assert bool(answer["capabilities"]) == (detail == "capabilities")
    if answer["capabilities"]:
        first = answer["capabilities"][0]
        assert first["language"] == answer["languages"][0]["language"] == "python"
        assert (first["symbols"], first["calls"], first["imports"], first["tests"]) == ("deep", "qualified", True, True)
        assert any("Django" in sentence for sentence in first["callsMeasured"])
        assert len(answer["capabilities"]) + answer["omitted"].get("capabilities", 0) == len(language_names())


def test_a_second_build_is_blocked_while_one_runs(own_indexed: Indexed) -> None:
    """The running operation is named, and reads go on from the old Publication."""
    from satori.publication import lease

    context = own_indexed.context()
    lifecycle = own_indexed.lifecycle()
    held = lease.acquire(lifecycle.paths, operation="op-held", version=lifecycle.version)
    try:
        answer = manage(context, "sync", own_indexed.root)
        assert (answer["status"], answer["reason"]) == ("blocked", "lease_held")
        search = ask(context, "search_codebase", path=str(own_indexed.root), query="merge_carts")
        assert search["status"] == "ok"
    finally:
        held.release()
    context.workbench.close()


def test_other_runtimes_block_changes_and_not_reads(own_indexed: Indexed) -> None:
    """When the runtime says that it must not change state, only manage_index is refused."""
    session = Session()
    session.add_workspaces([str(own_indexed.root)])
    context = ToolContext(session, Workbench(own_indexed.state_root, lambda: "Runtime 9.9 is alive."))
    for action in ("create", "sync", "reindex", "clear"):
        answer = manage(context, action, own_indexed.root)
        assert (answer["status"], answer["reason"]) == ("blocked", "several_owners")
    assert manage(context, "status", own_indexed.root)["state"] == "ready"


def test_damage_gives_distinct_refusals_and_erases_nothing(own_indexed: Indexed) -> None:
    """Each damage of the pointer is told apart; list, status and search agree; reindex is the way out."""
    context = own_indexed.context()
    pointer = own_indexed.lifecycle().paths.current
    whole = pointer.read_bytes()
    version = f": {STATE_FORMAT}".encode()
    assert version in whole
    seen = {}
    damages = {"empty": b"", "truncated": whole[:-5], "garbage": b"hello\n", "newer": whole.replace(version, b": 99")}
    for name, data in damages.items():
        pointer.write_bytes(data)
        context.workbench.forget(str(own_indexed.root))
        answer = ask(context, "search_codebase", path=str(own_indexed.root), query="cart")
        status = manage(context, "status", own_indexed.root)
        listed = ask(context, "list_codebases")["codebases"][0]
        assert answer["status"] == status["status"] == listed["state"] == "requires_reindex"
        assert answer["reason"] == status["reason"] == listed["stateReason"]
        assert answer["recommendedNextAction"]["arguments"]["action"] == ("status" if name == "newer" else "reindex")
        seen[name] = answer["reason"]
    assert seen == {name: f"publication_{Damage(name)}" for name in damages}
    pointer.write_bytes(whole)
    assert ask(context, "search_codebase", path=str(own_indexed.root), query="cart")["status"] == "ok"


def test_a_session_sees_its_workspaces_and_what_the_shell_indexed(indexed: Indexed, tmp_path: Path) -> None:
    """Another workspace: denied and not listed, until a person indexed it from the shell."""
    stranger = indexed.context(tmp_path)
    denied = ask(stranger, "search_codebase", path=str(indexed.root), query="cart")
    assert (denied["status"], denied["reason"]) == ("error", "path_denied")
    listed = ask(stranger, "list_codebases")
    assert listed["codebases"] == []
    assert listed["omitted"] == {"outsideWorkspaces": 1}
    consent.grant(indexed.state_root, str(indexed.root))
    try:
        assert ask(stranger, "search_codebase", path=str(indexed.root), query="cart")["status"] == "ok"
        assert len(ask(stranger, "list_codebases")["codebases"]) == 1
    finally:
        consent.revoke(indexed.state_root, str(indexed.root))
    inside = indexed.context(indexed.root / "web")
    assert len(ask(inside, "list_codebases")["codebases"]) == 1
    assert ask(inside, "search_codebase", path=str(indexed.root), query="cart")["reason"] == "path_denied"


def test_worktrees_and_nested_checkouts_answer_from_their_own_tree(own_indexed: Indexed) -> None:
    """A worktree inside the main checkout is not indexed with it and never answered from it."""
    from tests.conftest import git

    root = own_indexed.root
    git(root, "worktree", "add", "-q", ".wt/x", "-b", "other")
    write_files(root, {".wt/x/shop/cart.py": "def only_in_the_worktree():\n    return 1\n"})
    own_indexed.lifecycle().sync()
    context = own_indexed.context()
    found = ask(context, "search_codebase", path=str(root), query="only_in_the_worktree")
    assert found["groups"] == []
    inside = ask(context, "search_codebase", path=str(root / ".wt/x"), query="merge_carts")
    assert inside["status"] == "not_indexed"
    assert inside["recommendedNextAction"]["arguments"]["path"] == str(root / ".wt/x")
    manage(context, "create", root / ".wt/x")
    until_idle(context, root / ".wt/x")
    own = ask(context, "search_codebase", path=str(root / ".wt/x/shop"), query="only_in_the_worktree")
    assert own["status"] == "ok", own["message"]
    assert [group["label"] for group in own["groups"]][:1] == ["only_in_the_worktree"]
    assert own["publication"]["root"] == str(root / ".wt/x")
    context.workbench.close()
