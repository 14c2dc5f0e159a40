"""Git is run without running anything that a repository configures, and with nothing from outside unchecked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from satori.errors import UsageError
from satori.source.git import GitError, resolve_commit, run_git
from satori.source.scan import list_files
from tests.source.tree import commit, git, write


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Path, Path]:
    """A repository whose configuration would create `ran` through every known way of running a command."""
    root, ran = tmp_path / "r", tmp_path / "ran"
    write(root, {"a.txt": "one\n", "b.bin": "b\n", "vendor/x.py": "", ".gitattributes": "*.txt diff=d filter=f\n"})
    commit(root)
    write(root, {"a.txt": "two\n"})
    git(root, "add", "a.txt")
    git(root, "commit", "-q", "-m", "two")
    script = write(tmp_path, {"evil.sh": f"#!/bin/sh\ntouch {ran}\ncat\n"}) / "evil.sh"
    script.chmod(0o755)
    write(root, {f".git/hooks/{name}": script.read_text() for name in ("post-index-change", "pre-commit", "fsmonitor")})
    for hook in (root / ".git/hooks").iterdir():
        hook.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.askPass",
        "core.editor",
        "diff.external",
        "diff.d.command",
        "diff.d.textconv",
        "filter.f.clean",
        "filter.f.smudge",
        "filter.f.process",
        "gpg.program",
        "credential.helper",
        "pager.diff",
        "pager.log",
        "interactive.diffFilter",
    ):
        git(root, "config", key, str(script))
    git(root, "config", "core.hooksPath", str(root / ".git/hooks"))
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "filter.f.required", "true")
    write(root, {"a.txt": "three\n"})
    os.utime(root / "a.txt", ns=(1, 1))
    ran.unlink(missing_ok=True)
    return root, ran


COMMANDS = [
    ["diff", "HEAD"],
    ["diff", "HEAD~1", "HEAD"],
    ["diff", "-M", "--unified=0", "-z", "--raw", "HEAD"],
    ["log", "-p", "-2"],
    ["show", "HEAD"],
    ["show", "HEAD:a.txt"],
    ["cat-file", "-p", "HEAD:a.txt"],
    ["ls-files", "-z", "--others", "--modified", "--exclude-standard"],
    ["ls-files", "-z"],
    ["rev-parse", "HEAD"],
    ["merge-base", "HEAD", "HEAD~1"],
    ["config", "--list", "-z"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_nothing_of_a_hostile_configuration_runs(hostile: tuple[Path, Path], arguments: list[str]) -> None:
    """File system monitor, hooks, external diff, text conversion, filters, pagers, signature programs."""
    root, ran = hostile
    output = run_git(root, arguments)
    assert not ran.exists()
    if arguments[0] == "diff":
        assert b"a.txt" in output


def test_the_fixture_is_hostile(hostile: tuple[Path, Path]) -> None:
    """Git run without care does execute what the repository configures, so that the test above can fail."""
    root, ran = hostile
    git(root, "diff", "HEAD", codes=(0, 1, 128))
    assert ran.exists()


def test_listing_a_hostile_repository_runs_nothing(hostile: tuple[Path, Path]) -> None:
    """The walk asks git for configuration and tracked trees only."""
    root, ran = hostile
    assert "vendor/x.py" in [file.path for file in list_files(root.resolve()).files]
    assert not ran.exists()


def test_a_hostile_submodule_runs_nothing(tmp_path: Path) -> None:
    """A diff of the superproject does not enter submodules, whose configuration the options would not reach."""
    ran = tmp_path / "ran"
    library = write(tmp_path / "library", {"l.py": ""})
    commit(library)
    main = write(tmp_path / "main", {"a.py": ""})
    git(main, "init", "-q")
    git(main, "submodule", "--quiet", "add", str(library), "lib")
    commit(main)
    script = write(tmp_path, {"evil.sh": f"#!/bin/sh\ntouch {ran}\n"}) / "evil.sh"
    script.chmod(0o755)
    git(main / "lib", "config", "core.fsmonitor", str(script))
    write(main, {"lib/l.py": "changed", "a.py": "changed"})
    assert b"a.py" in run_git(main, ["diff", "--name-only", "HEAD"])
    assert not ran.exists()


def test_a_filter_driver_with_an_impossible_name_is_refused(tmp_path: Path) -> None:
    """A name with `=` cannot be overridden on the command line, so no diff is run at all."""
    write(tmp_path, {"a.txt": ""})
    commit(tmp_path)
    write(tmp_path, {".git/more": '[filter "x=y"]\n\tclean = false\n'})
    git(tmp_path, "config", "include.path", "more")
    with pytest.raises(GitError, match="switched off"):
        run_git(tmp_path, ["diff", "HEAD"])


REVISIONS = [
    "--output=/tmp/x",
    "-c",
    "HEAD; rm",
    "HEAD;rm",
    "HEAD|cat",
    "$(id)",
    "`id`",
    "a b",
    "",
    "HEAD\n",
    "HEAD\0",
    "HEAD..HEAD~1",
    "HEAD:a.txt",
    ":/x",
    "x" * 2000,
    "no-such-branch",
    "HEAD~99",
]


@pytest.mark.parametrize("revision", REVISIONS)
def test_revisions_that_are_none_are_refused(tmp_path: Path, revision: str) -> None:
    """Options, shell text, ranges, paths, and what does not exist: one kind of error, nothing run or written."""
    write(tmp_path, {"a.txt": ""})
    commit(tmp_path)
    with pytest.raises(UsageError):
        resolve_commit(tmp_path, revision)


def test_usual_revisions_resolve(tmp_path: Path) -> None:
    """Branches, tags, ancestors, reflog entries and abbreviated names."""
    write(tmp_path, {"a.txt": ""})
    commit(tmp_path)
    git(tmp_path, "tag", "v1.0+ü")
    first = git(tmp_path, "rev-parse", "HEAD").decode().strip()
    commit(tmp_path)
    git(tmp_path, "branch", "feature/x-1")
    head = git(tmp_path, "rev-parse", "HEAD").decode().strip()
    for revision in ("HEAD", "feature/x-1", head[:12], "HEAD^0", "@", "HEAD@{0}", "HEAD^{commit}"):
        assert resolve_commit(tmp_path, revision) == head
    for revision in ("HEAD~1", "v1.0+ü", "HEAD^", "HEAD@{1}"):
        assert resolve_commit(tmp_path, revision) == first


def test_time_and_output_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that hangs is ended, one that talks too much is cut off; both are errors that name the bound."""
    slow = write(tmp_path / "bin", {"git": "#!/bin/sh\nsleep 60\n"}) / "git"
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with pytest.raises(GitError, match=r"longer than 0\.2"):
        run_git(tmp_path, ["version"], time_limit=0.2)
    slow.write_text("#!/bin/sh\nyes\n")
    with pytest.raises(GitError, match="more than 1000 bytes"):
        run_git(tmp_path, ["version"], output_limit=1000)
    slow.write_text("#!/bin/sh\necho complaint >&2\nexit 3\n")
    with pytest.raises(GitError, match="complaint"):
        run_git(tmp_path, ["version"])
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(GitError, match="cannot be run"):
        run_git(tmp_path, ["version"])


def test_without_git_a_tree_is_still_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No git installed: the tree's own lists and info/exclude hold; nothing counts as tracked."""
    write(tmp_path, {"a.py": "", "b.py": "", "vendor/c.py": "", ".gitignore": "b.py\n"})
    commit(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    listed = [file.path for file in list_files(tmp_path.resolve()).files if file.skip is None]
    assert listed == [".gitignore", "a.py"]


def test_other_commands_are_not_run(tmp_path: Path) -> None:
    """The list of commands is closed."""
    for command in ("checkout", "fetch", "status", "-c"):
        with pytest.raises(ValueError, match="not among"):
            run_git(tmp_path, [command])


def test_surrounding_git_variables_have_no_effect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Satori may run inside a git hook, which sets GIT_DIR and GIT_INDEX_FILE for another repository."""
    root = write(tmp_path / "r", {"vendor/a.py": ""})
    commit(root)
    monkeypatch.setenv("GIT_DIR", "/no/such")
    monkeypatch.setenv("GIT_INDEX_FILE", "/no/such/index")
    assert [file.path for file in list_files(root.resolve()).files] == ["vendor/a.py"]
