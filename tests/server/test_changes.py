from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from satori.server.tools import ToolContext
from tests.conftest import FILES, Indexed, git, write_files
from tests.server.asking import ask, follow

# A change of a class's own documentation and of its first member, in one hunk.
HEADER = (
    '    """Holds lines until they are ordered."""\n\n    def __init__(self, currency="EUR"):',
    '    """Holds lines."""\n    def __init__(self, currency="USD"):',
)


def changes(indexed: Indexed, context: ToolContext | None = None, **more: Any) -> dict[str, Any]:
    path = str(more.pop("path", indexed.root))
    return ask(context or indexed.context(), "detect_changes", path=path, **more)


def seeds(answer: dict[str, Any]) -> list[str]:
    return [f"{one['file']}:{one['label']}" for one in answer["seeds"]]


def edit(indexed: Indexed, file: str, old: str, new: str) -> None:
    path = indexed.root / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_clean_tree_has_no_changes(indexed: Indexed) -> None:
    """Nothing differs: ok, no_changes."""
    answer = changes(indexed)
    assert (answer["status"], answer["reason"], answer["files"]) == ("ok", "no_changes", [])


def test_edits_of_every_kind_seed_exactly_what_they_touch(own_indexed: Indexed) -> None:
    """A line in one of 300 functions: one seed; a header and a member: both; a deletion; a blank; a rename."""
    context = own_indexed.context()
    edit(own_indexed, "big/many.py", "return dispatch(event, 137)", "return dispatch(event, -137)")
    answer = changes(own_indexed, context)
    assert seeds(answer) == ["big/many.py:handler_137"]
    assert answer["seeds"][0]["change"] == "modified"
    opened = follow(context, answer, 1)[0]
    assert "-137" in opened["text"]
    git(own_indexed.root, "checkout", "-q", "--", ".")

    edit(own_indexed, "shop/cart.py", *HEADER)
    assert seeds(changes(own_indexed, context)) == ["shop/cart.py:Cart", "shop/cart.py:Cart.__init__"]
    git(own_indexed.root, "checkout", "-q", "--", ".")

    text = (own_indexed.root / "shop/cart.py").read_text()
    write_files(own_indexed.root, {"shop/cart.py": text.split("\n\ndef merge_carts")[0] + "\n"})
    gone = changes(own_indexed, context)
    assert seeds(gone) == []
    assert [one["label"] for one in gone["deleted"]] == ["merge_carts"]
    git(own_indexed.root, "checkout", "-q", "--", ".")

    edit(own_indexed, "shop/cart.py", "\n\n\ndef merge_carts", "\n\n\n\n\ndef merge_carts")
    blank = changes(own_indexed, context)
    assert (seeds(blank), blank["totals"]["hunksOutsideSymbols"]) == ([], 1)
    git(own_indexed.root, "checkout", "-q", "--", ".")

    git(own_indexed.root, "mv", "shop/retry.py", "shop/again.py")
    renamed = changes(own_indexed, context)
    assert (seeds(renamed), renamed["deleted"]) == ([], [])
    assert renamed["files"][0] | {"seeds": 0} == renamed["files"][0]
    assert (renamed["files"][0]["status"], renamed["files"][0]["oldFile"]) == ("renamed", "shop/retry.py")
    edit(own_indexed, "shop/again.py", "min(60,", "min(90,")
    assert seeds(changes(own_indexed, context)) == ["shop/again.py:RetryPolicy.backoff_seconds"]


def test_a_comment_above_a_member_is_that_member(own_indexed: Indexed) -> None:
    """A leading comment belongs to what follows it, in a language where comments are documentation."""
    edit(own_indexed, "web/session.ts", "/** Keeps a visitor signed in", "/** Keeps visitors signed in")
    edit(own_indexed, "server/main.go", "answers the load balancer's probe", "answers probes")
    assert seeds(changes(own_indexed)) == ["server/main.go:HealthHandler", "web/session.ts:VisitorSession"]


def test_twins_are_not_taken_for_each_other(own_indexed: Indexed) -> None:
    """The first of two equal definitions is deleted: it is deleted, and the second is not a seed."""
    write_files(own_indexed.root, {"shop/twins.py": FILES["shop/twins.py"].split("\n\n\n", 1)[1]})
    answer = changes(own_indexed)
    assert seeds(answer) == []
    assert [one["label"] for one in answer["deleted"]] == ["twin"]


def test_files_that_cannot_be_mapped_say_why(own_indexed: Indexed) -> None:
    """Binary, link, mode, secret, ignored, deleted whole: named, never guessed, never shown."""
    root = own_indexed.root
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(64)))
    (root / "outside.py").unlink()
    (root / "outside.py").symlink_to("/etc/hostname")
    (root / "shop/retry.py").chmod(0o755)
    (root / ".env").write_text("PASSWORD=changed\n")
    git(root, "add", "-f", "ignored/secret_plan.py")
    (root / "web/session.ts").unlink()
    answer = changes(own_indexed)
    told = {one["file"]: (one["status"], one["unmapped"]) for one in answer["files"]}
    assert told["logo.png"] == ("modified", "binary")
    assert told["outside.py"][1] == "a symbolic link"
    assert told["shop/retry.py"] == ("mode_changed", None)
    assert told[".env"][1] == "secret"
    assert told["ignored/secret_plan.py"][1] == "ignored"
    assert [one["label"] for one in answer["deleted"]] == ["SessionOptions", "VisitorSession"]
    assert seeds(answer) == []


def test_untracked_files_on_request_and_by_the_same_rules(own_indexed: Indexed) -> None:
    """New files seed all their symbols; secrets and ignored files are never looked at."""
    body = "def fresh():\n    return 1\n"
    write_files(own_indexed.root, {"shop/fresh.py": body, "ignored/more.py": body, "id_rsa": "SECRET\n"})
    assert changes(own_indexed)["reason"] == "no_changes"
    answer = changes(own_indexed, includeUntracked=True)
    assert seeds(answer) == ["shop/fresh.py:fresh"]
    assert answer["seeds"][0]["change"] == "added"
    assert {one["file"]: one["unmapped"] for one in answer["files"]} == {"id_rsa": "secret", "shop/fresh.py": None}


def test_base_commits_after_the_fork_are_not_blamed(own_indexed: Indexed) -> None:
    """The base branch moved on: both forms compare from the merge base."""
    root = own_indexed.root
    git(root, "checkout", "-q", "-b", "topic")
    edit(own_indexed, "shop/prices.py", "value + 0.5", "value + 0.4999")
    git(root, "commit", "-q", "-am", "topic")
    git(root, "checkout", "-q", "main")
    edit(own_indexed, "shop/retry.py", "attempts = 5", "attempts = 6")
    git(root, "commit", "-q", "-am", "moved on")
    git(root, "checkout", "-q", "topic")
    for reference in ("main", "main...topic", "main...HEAD"):
        assert seeds(changes(own_indexed, baseRef=reference)) == ["shop/prices.py:round_price"]
    git(root, "checkout", "-q", "--detach")
    assert seeds(changes(own_indexed, baseRef="main")) == ["shop/prices.py:round_price"]


@pytest.mark.parametrize(
    "reference",
    [
        "--output={t}/x",
        "-c",
        "HEAD; rm",
        "no-such-branch",
        "...",
        "HEAD...",
        "a b",
        "HEAD:shop/cart.py",
        "$(id)",
        "@{-99}",
    ],
)
def test_wrong_and_hostile_references_are_refused(indexed: Indexed, tmp_path: Path, reference: str) -> None:
    """Nothing option-like, no shell, no path, no missing revision: an invalid value, naming it."""
    answer = changes(indexed, baseRef=reference.replace("{t}", str(tmp_path)))
    assert (answer["status"], answer["reason"]) == ("error", "invalid_value")
    assert not (tmp_path / "x").exists()


def test_unborn_shallow_worktree_and_subdirectory(own_indexed: Indexed, tmp_path: Path) -> None:
    """Every state that a repository can be in, and a root that is a subdirectory of it."""
    root = own_indexed.root
    unborn = tmp_path / "unborn"
    unborn.mkdir()
    git(unborn, "init", "-q")
    write_files(unborn, {"a.py": "def first():\n    return 1\n"})
    fresh = Indexed(unborn, own_indexed.state_root)
    fresh.lifecycle().sync()
    assert seeds(changes(fresh, includeUntracked=True)) == ["a.py:first"]
    git(unborn, "add", "a.py")
    assert seeds(changes(fresh)) == ["a.py:first"]

    git(tmp_path, "clone", "-q", "--depth", "1", root.as_uri(), "shallow")
    shallow = Indexed(tmp_path / "shallow", own_indexed.state_root)
    shallow.lifecycle().sync()
    edit(shallow, "shop/retry.py", "attempts = 5", "attempts = 7")
    assert seeds(changes(shallow)) == ["shop/retry.py:RetryPolicy.attempts"]

    git(root, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
    tree = Indexed(tmp_path / "tree", own_indexed.state_root)
    tree.lifecycle().sync()
    edit(tree, "shop/retry.py", "attempts = 5", "attempts = 8")
    assert seeds(changes(tree)) == ["shop/retry.py:RetryPolicy.attempts"]
    assert changes(own_indexed)["reason"] == "no_changes"

    part = Indexed(root / "shop", own_indexed.state_root)
    part.lifecycle().sync()
    edit(own_indexed, "shop/prices.py", "value + 0.5", "value + 0.25")
    edit(own_indexed, "web/session.ts", "timeoutSeconds: number", "timeoutSeconds: bigint")
    assert seeds(changes(part)) == ["prices.py:round_price"]
    confined = changes(own_indexed, own_indexed.context(root), path=root / "web")
    assert [one["file"] for one in confined["files"]] == ["web/session.ts"]


def test_no_repository_is_said(tmp_path: Path) -> None:
    """A directory without git is indexed all the same; changes need git."""
    write_files(tmp_path / "plain", {"a.py": "def first():\n    return 1\n"})
    plain = Indexed(tmp_path / "plain", tmp_path / "state")
    plain.lifecycle().sync()
    answer = changes(plain)
    assert (answer["status"], answer["reason"]) == ("blocked", "git_unavailable")


def test_names_that_break_parsers(own_indexed: Indexed) -> None:
    """Space, quote, tab, newline, ` b/`, non-ASCII: each file and symbol is found under its true name."""
    root = own_indexed.root
    names = ["a b/c d.py", 'quo"te.py', "tab\there.py", "new\nline.py", "x b/y.py", "Проект é.py", "-dash.py"]
    write_files(root, dict.fromkeys(names, "def inside():\n    return 1\n"))
    git(root, "add", "-A", "--", ".")
    git(root, "commit", "-q", "-m", "names")
    own_indexed.lifecycle().sync()
    for name in names:
        edit(own_indexed, name, "return 1", "return 2")
    answer = changes(own_indexed)
    assert sorted(seeds(answer)) == sorted(f"{name}:inside" for name in names)
    context = own_indexed.context()
    for name in names:
        outline = ask(context, "file_outline", path=str(root), file=name)
        assert [one["label"] for one in outline["symbols"]] == ["inside"]
        assert "return 2" in ask(context, "read_file", path=f"{root}/{name}")["text"]


def test_a_hostile_configuration_runs_nothing(own_indexed: Indexed, tmp_path: Path) -> None:
    """fsmonitor, hooks, external diff, text conversion, filters, pager: none of the repository's programs starts."""
    root = own_indexed.root
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    with (root / ".git/config").open("a") as config:
        config.write(
            f"[core]\n\tfsmonitor = {trap}\n\thooksPath = {tmp_path}\n\tpager = {trap}\n[diff]\n\texternal = {trap}\n"
            f'[diff "x"]\n\ttextconv = {trap}\n\tcommand = {trap}\n[filter "x"]\n\tclean = {trap}\n\tsmudge = {trap}\n'
        )
    write_files(root, {".gitattributes": "*.py diff=x filter=x\n"})
    edit(own_indexed, "shop/retry.py", "attempts = 5", "attempts = 9")
    answer = changes(own_indexed, includeUntracked=True)
    assert "shop/retry.py:RetryPolicy.attempts" in seeds(answer)
    assert not (tmp_path / "sprung").exists()


def test_many_changed_files_fit_the_budget_and_seeds_spread(own_indexed: Indexed) -> None:
    """1,500 changed files: under budget, totals exact, one seed of each file before the second of any."""
    root = own_indexed.root
    write_files(
        root, {f"many/m{n}.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n" for n in range(1_500)}
    )
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "many")
    for n in range(1_500):
        path = root / f"many/m{n}.py"
        path.write_text(path.read_text().replace("return", "return -"))
        os.utime(path)
    answer = changes(own_indexed, limit=200)
    assert answer["totals"]["files"] == 1_500
    assert answer["totals"]["seeds"] + 2 * answer["totals"]["filesUnmapped"] == 3_000
    assert answer["truncated"] is True
    assert len({one["file"] for one in answer["seeds"]}) == answer["shown"] >= 20
