"""Roots, and repositories within and around them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from satori.errors import DeniedPathError, SourceError
from satori.source.repository import locate, repository_at
from satori.source.root import resolve_root
from tests.source.tree import commit, git, paths, skips, write


def test_the_file_systems_root_and_the_home_are_refused(home: Path, tmp_path: Path) -> None:
    """Also what holds the home directory, pseudo file systems, and links to any of them."""
    (tmp_path / "link").symlink_to(home)
    for path in ("/", "//", "/.", "~", home, home.parent, "/proc", "/proc/self", "/sys", "/dev", tmp_path / "link"):
        with pytest.raises(DeniedPathError):
            resolve_root(path)
    below = write(home / "project", {})
    assert resolve_root("~/project") == below.resolve()


def test_missing_roots_and_files_are_refused_with_the_reason(tmp_path: Path) -> None:
    """Each says what is wrong and what to do."""
    write(tmp_path, {"file.py": ""})
    with pytest.raises(SourceError, match="There is no directory"):
        resolve_root(tmp_path / "no")
    with pytest.raises(SourceError, match="not a directory"):
        resolve_root(tmp_path / "file.py")
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(SourceError, match="There is no directory"):
        resolve_root(tmp_path / "dangling")
    for path in ("", "a\0b"):
        with pytest.raises(DeniedPathError):
            resolve_root(path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SourceError):
        resolve_root(tmp_path / "loop")


def test_every_spelling_of_a_root_is_one_codebase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a link, with `..`, with a trailing slash, relative: the same canonical path."""
    root = write(tmp_path / "Проект (é) 1", {"a.py": ""}).resolve()
    (tmp_path / "link").symlink_to(root)
    monkeypatch.chdir(root)
    for path in (root, tmp_path / "link", f"{root}/", f"{root}/../{root.name}", "."):
        assert resolve_root(path) == root


def test_version_control_storage_is_no_root(tmp_path: Path) -> None:
    """The `.git` directory, and anything in it."""
    git(tmp_path, "init", "-q")
    for path in (".git", ".git/objects"):
        with pytest.raises(DeniedPathError):
            resolve_root(tmp_path / path)


def test_a_root_name_that_utf8_cannot_carry_is_refused(tmp_path: Path) -> None:
    """No answer could name it."""
    place = tmp_path / "caf\udce9"
    place.mkdir()
    with pytest.raises(DeniedPathError, match="UTF-8"):
        resolve_root(place)


def test_a_worktree_inside_the_main_checkout_is_its_own(tmp_path: Path) -> None:
    """Each answers from its own tree, and the main one does not index the worktree again."""
    main = write(tmp_path / "main", {"a.py": "main\n"})
    commit(main)
    git(main, "worktree", "add", "-q", "-b", "x", ".wt/x")
    write(main, {".wt/x/only_there.py": ""})
    assert paths(main) == ["a.py"]
    assert skips(main) == {".wt/x/": "nested_repository"}
    assert paths(main / ".wt/x") == ["a.py", "only_there.py"]
    found = locate(str((main / ".wt/x").resolve()))
    assert found is not None
    assert found.common_directory == str((main / ".git").resolve())


def test_a_worktree_shares_info_exclude_with_its_repository(tmp_path: Path) -> None:
    """info/exclude lies in the common directory."""
    main = write(tmp_path / "main", {"a.py": ""})
    commit(main)
    write(main, {".git/info/exclude": "skipped.py\n"})
    git(main, "worktree", "add", "-q", "-b", "x", "../wt")
    write(tmp_path / "wt", {"skipped.py": ""})
    assert paths(tmp_path / "wt") == ["a.py"]


def test_an_embedded_repository_is_its_own(tmp_path: Path) -> None:
    """A clone inside the tree, known to nobody: one row with the reason."""
    write(tmp_path, {"a.py": "", "inner/b.py": ""})
    commit(tmp_path / "inner")
    git(tmp_path, "init", "-q")
    assert paths(tmp_path) == ["a.py"]
    assert skips(tmp_path) == {"inner/": "nested_repository"}
    assert paths(tmp_path / "inner") == ["b.py"]


def test_parents_rules_apply_in_a_subdirectory_root(tmp_path: Path) -> None:
    """The root is two levels below the repository's top: all lists on the way down count, relative to their own."""
    write(
        tmp_path,
        {
            ".gitignore": "*.gen.py\n/pkg/app/local.py\n/local2.py\n",
            "pkg/.gitignore": "app/inner/\n!kept.gen.py\n",
            "pkg/app/a.py": "",
            "pkg/app/x.gen.py": "",
            "pkg/app/kept.gen.py": "",
            "pkg/app/local.py": "",
            "pkg/app/local2.py": "",
            "pkg/app/inner/b.py": "",
            "pkg/app/deep/c.gen.py": "",
        },
    )
    git(tmp_path, "init", "-q")
    assert paths(tmp_path / "pkg/app") == ["a.py", "kept.gen.py", "local2.py"]


def test_a_root_that_its_parents_ignore_is_indexed_all_the_same(tmp_path: Path) -> None:
    """Who names an ignored directory as the root wants it."""
    write(tmp_path, {".gitignore": "generated/\n", "generated/a.py": ""})
    git(tmp_path, "init", "-q")
    assert paths(tmp_path / "generated") == ["a.py"]


def test_tracked_trees_are_found_from_a_subdirectory_root(tmp_path: Path) -> None:
    """A vendor directory that git tracks is indexed when the root lies below the repository's top."""
    write(tmp_path, {"app/vendor/v.py": "", "app/build/b.py": "", "app/a.py": ""})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "app/vendor")
    assert paths(tmp_path / "app") == ["a.py", "vendor/v.py"]


@pytest.fixture
def with_submodule(tmp_path: Path) -> Path:
    """A repository with an initialised submodule `lib`."""
    library = write(tmp_path / "library", {"l.py": "", ".gitignore": "*.tmp.py\n", "vendor/tracked.py": ""})
    git(library, "init", "-q")
    git(library, "add", "-f", "-A")
    git(library, "commit", "-q", "-m", "x")
    main = write(tmp_path / "main", {"a.py": "", ".gitignore": "ignored.py\n"})
    git(main, "init", "-q")
    git(main, "submodule", "--quiet", "add", str(library), "lib")
    commit(main)
    return main


def test_an_initialised_submodule_is_indexed_by_its_own_rules(with_submodule: Path) -> None:
    """Its files count as part of the tree; git's rules start afresh in it, the user's own go on."""
    write(
        with_submodule, {"lib/ignored.py": "", "lib/x.tmp.py": "", "lib/build/b.py": "", ".satoriignore": "mine.py\n"}
    )
    write(with_submodule, {"lib/mine.py": "", "ignored.py": ""})
    found = paths(with_submodule)
    assert [path for path in found if path.endswith(".py")] == [
        "a.py",
        "lib/ignored.py",
        "lib/l.py",
        "lib/vendor/tracked.py",
    ]
    assert skips(with_submodule)["lib/build/"] == "dependency_tree"


def test_an_uninitialised_submodule_is_an_empty_directory(with_submodule: Path) -> None:
    """Nothing to index, nothing to fail on."""
    git(with_submodule, "submodule", "--quiet", "deinit", "-f", "lib")
    assert [path for path in paths(with_submodule) if path.endswith(".py")] == ["a.py"]
    assert not skips(with_submodule)


def test_a_submodule_is_a_root_of_its_own(with_submodule: Path) -> None:
    """Its `.git` is a file that points into the superproject."""
    assert (with_submodule / "lib/.git").is_file()
    assert [path for path in paths(with_submodule / "lib") if path.endswith(".py")] == ["l.py", "vendor/tracked.py"]


def test_an_old_submodule_with_its_own_git_directory_is_indexed(with_submodule: Path) -> None:
    """Where the submodule keeps a whole `.git`, git's index says that it is one."""
    git_directory = with_submodule / ".git/modules/lib"
    (with_submodule / "lib/.git").unlink()
    shutil.move(git_directory, with_submodule / "lib/.git")
    git(with_submodule, "config", "-f", "lib/.git/config", "--unset", "core.worktree")
    assert "lib/l.py" in paths(with_submodule)


def test_a_bare_git_file_that_points_nowhere_is_no_repository(tmp_path: Path) -> None:
    """As root or nested: the directory is an ordinary one, and the file is never listed."""
    write(
        tmp_path,
        {".git": "gitdir: /no/such\n", "a.py": "", "d/.git": "gitdir: ../nowhere\n", "d/b.py": "", "e/.git": ""},
    )
    assert paths(tmp_path) == ["a.py", "d/b.py"]
    assert repository_at(str(tmp_path.resolve())) is None


def test_a_git_directory_that_is_none_is_not_entered(tmp_path: Path) -> None:
    """An empty `.git` directory makes no repository, and what lies in it stays out."""
    write(tmp_path, {".git/hooks/a.py": "", "d/.git/x.py": "", "d/b.py": ""})
    assert paths(tmp_path) == ["d/b.py"]


def test_a_git_file_that_is_a_pipe_hangs_nothing(tmp_path: Path) -> None:
    """`.git` itself may be hostile."""
    write(tmp_path, {"a.py": "", "d/b.py": ""})
    os.mkfifo(tmp_path / ".git")
    os.mkfifo(tmp_path / "d/.git")
    assert paths(tmp_path) == ["a.py", "d/b.py"]


def test_a_bare_repository_is_no_root_and_not_entered(tmp_path: Path) -> None:
    """Refused as a root with the reason; inside a tree it is version control storage under another name."""
    write(tmp_path, {"a.py": ""})
    git(tmp_path, "init", "-q", "--bare", "fixtures/store.git")
    with pytest.raises(DeniedPathError, match="bare"):
        resolve_root(tmp_path / "fixtures/store.git")
    assert paths(tmp_path) == ["a.py"]
    assert skips(tmp_path) == {"fixtures/store.git/": "vcs_internal"}


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_names_are_the_same_in_every_locale(tmp_path: Path, locale: str) -> None:
    """LANG=C changes no path."""
    write(tmp_path, {"Проект/файл.py": "", "é.py": "x = 'é'\n"})
    program = "import sys, pathlib, tests.source.tree as t; print(ascii(t.paths(pathlib.Path(sys.argv[1]))))"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    line = [sys.executable, "-c", program, str(tmp_path)]
    places = os.pathsep.join((str(Path(__file__).parents[2]), str(Path(__file__).parents[2] / "src")))
    done = subprocess.run(
        line, env={**environment, "LC_ALL": locale, "PYTHONPATH": places}, capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == ascii(["é.py", "Проект/файл.py"])
