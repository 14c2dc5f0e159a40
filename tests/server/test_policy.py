from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satori.errors import DeniedPathError
from satori.server.policy import Policy


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    """One workspace, one codebase indexed from the shell, a state root inside the home directory."""
    for name in ("home/work", "home/.satori", "repo/src", "repo-evil", "shell"):
        (tmp_path / name).mkdir(parents=True)
    return Policy.build(tmp_path / "home/.satori", [tmp_path / "repo", tmp_path / "shell"], home=str(tmp_path / "home"))


def test_workspaces_and_shell_codebases_are_open(policy: Policy, tmp_path: Path) -> None:
    """The tree itself, and anything below it, whether it exists or not."""
    for path in ("repo", "repo/src", "repo/nothing/here.py", "repo/src/../src", "shell"):
        assert policy.admit_resolved(f"{tmp_path}/{path}")


@pytest.mark.parametrize(
    "path",
    [
        *("/", "//", "/../..", "/etc/passwd", "/proc/self/environ"),
        *("{t}", "{t}/home", "{t}/home/", "{t}/home/.satori", "{t}/home/.satori/codebases/x"),
        *("{t}/repo-evil", "{t}/repo/../repo-evil", "{t}/repo/../../etc", "{t}/repo\u200b", "{t}/repo\u202e/x"),
    ],
)
def test_everything_else_is_denied_before_any_look_at_it(policy: Policy, tmp_path: Path, path: str) -> None:
    """The words of the path decide: no stat, no readlink, no open happens."""
    with (
        mock.patch("os.lstat", side_effect=AssertionError),
        mock.patch("os.stat", side_effect=AssertionError),
        mock.patch("os.readlink", side_effect=AssertionError),
        mock.patch("os.open", side_effect=AssertionError),
        pytest.raises(DeniedPathError),
    ):
        policy.admit_resolved(path.replace("{t}", str(tmp_path)))


def test_a_link_out_of_the_workspace_is_denied(policy: Policy, tmp_path: Path) -> None:
    """A symbolic link, a linked ancestor and a dangling link are followed in thought and refused."""
    (tmp_path / "repo/out").symlink_to("/etc")
    (tmp_path / "repo/dangling").symlink_to("/nowhere/at/all")
    (tmp_path / "repo/state").symlink_to(tmp_path / "home/.satori")
    for path in ("repo/out", "repo/out/passwd", "repo/dangling", "repo/state/codebases"):
        with pytest.raises(DeniedPathError):
            policy.admit_resolved(f"{tmp_path}/{path}")


def test_a_workspace_reached_through_a_link_is_its_target(tmp_path: Path) -> None:
    """Either spelling of the workspace is admitted and resolves to one path."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    policy = Policy.build(tmp_path / "state", [tmp_path / "link"], home="/nonexistent/home")
    assert policy.admit_resolved(f"{tmp_path}/link") == policy.admit_resolved(f"{tmp_path}/real")


def test_a_home_or_root_workspace_opens_nothing(tmp_path: Path) -> None:
    """A client started in / or in the home directory has no workspace by that."""
    policy = Policy.build(tmp_path / "state", ["/", tmp_path], home=str(tmp_path))
    with pytest.raises(DeniedPathError):
        policy.admit(f"{tmp_path}/project")


def test_the_person_at_the_shell_may_name_anything_but_the_forbidden(tmp_path: Path) -> None:
    """No workspaces are needed; /, the home directory and the state root stay refused."""
    policy = Policy.build(tmp_path / "state", None, home="/root")
    assert policy.admit("/srv/project") == "/srv/project"
    for path in ("/", "/root", str(tmp_path / "state/x")):
        with pytest.raises(DeniedPathError):
            policy.admit(path)


PARTS = st.sampled_from(
    ["..", ".", "", "repo", "repo-evil", "src", "etc", "a b", "é", "\u202e", "~", "home", ".satori", "*"]
)


@settings(max_examples=500)
@given(st.lists(PARTS, max_size=8))
def test_an_admitted_path_lies_inside_what_is_allowed(parts: list[str]) -> None:
    """However `..` and empty components are mixed, nothing outside gets through."""
    policy = Policy(("/", "/home"), ("/home/.satori",), ("/home/repo",))
    try:
        admitted = policy.admit("/home/repo/" + "/".join(parts))
    except DeniedPathError:
        return
    assert admitted == "/home/repo" or admitted.startswith("/home/repo/")
    assert ".." not in admitted.split("/")
