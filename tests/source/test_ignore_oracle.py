"""Git itself is the oracle: what `git check-ignore --no-index` says, the walk does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from satori.source.scan import list_files
from tests.source.tree import git

NAMES = [
    "a",
    "b",
    "ab",
    "a.x",
    "b.x",
    "foo",
    "foo.py",
    "Foo",
    "-a",
    "a]",
    "[a]",
    "a b",
    "a ",
    "#a",
    "!a",
    "é",
    "a\\b",
    "*",
    "a\tb",
]
_PIECES = [
    *[
        "a",
        "b",
        "ab",
        "foo",
        "x",
        ".",
        "*",
        "**",
        "?",
        "/",
        "/",
        "**/",
        "/**",
        "*.x",
        ".py",
        " ",
        "\\",
        "\\ ",
        "!",
        "#",
    ],
    *[
        "[",
        "]",
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-c]",
        "[]a]",
        "[[:alpha:]]",
        "[[:nope:]]",
        "[a",
        "-",
        "\\*",
        "é",
        "?*",
        "*a*b",
    ],
    *["[\\]a]", "[a-", "[--0]", "[!-]", "\t", "\r"],
]
lines = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=5).map("".join)
lists = st.lists(lines, max_size=6).map("\n".join)
directories = st.sampled_from(["", "", "a", "a/b", "foo", "ab"])


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A repository with a fixed tree whose ignore lists the examples replace."""
    root = tmp_path_factory.mktemp("oracle").resolve() / "r"
    root.mkdir()
    git(root, "init", "-q")
    outers = ("", "a", "a/b", "foo", "ab", "é", "a/foo")
    for outer in outers:
        (root / outer).mkdir(exist_ok=True)
    for outer in outers:
        for name in NAMES:
            place = root / outer / name
            if not place.exists():
                place.write_bytes(b"")
    yield root
    shutil.rmtree(root)


def ignored_by_git(root: Path, every: list[str]) -> set[str]:
    """The paths of files that git ignores, tracked or not."""
    given_paths = b"\0".join(os.fsencode(path) for path in every)
    answer = git(root, "check-ignore", "--no-index", "-z", "--stdin", stdin=given_paths, codes=(0, 1))
    return {os.fsdecode(path) for path in answer.split(b"\0") if path}


def all_files(root: Path) -> list[str]:
    """Every file below the root but git's own and the lists."""
    found = []
    for place, inner, names in os.walk(root):
        inner[:] = [name for name in inner if name != ".git"]
        found += [os.path.relpath(f"{place}/{name}", root) for name in names if name != ".gitignore"]
    return found


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.dictionaries(directories, lists, max_size=3), exclude=st.one_of(st.just(""), lists))
@example(texts={"": "foo**/foo.py"}, exclude="")
@example(texts={"": "a/**/foo\n!a/**"}, exclude="")
@example(texts={"": "?\n[é]\n"}, exclude="")
@example(texts={"": "*\n!*/\n!*.py\n"}, exclude="")
@example(texts={"": "/a\n", "a": "!b\n"}, exclude="")
@example(texts={"": "a\\ \nb  \n\\#a\n\\!a\n"}, exclude="")
def test_the_walk_ignores_exactly_what_git_ignores(repository: Path, texts: dict[str, str], exclude: str) -> None:
    """For any ignore lists in any directories and info/exclude, the files listed are those that git does not ignore."""
    for old in repository.rglob(".gitignore"):
        old.unlink()
    for directory, text in texts.items():
        (repository / directory / ".gitignore").write_bytes(text.encode())
    (repository / ".git/info/exclude").write_bytes(exclude.encode())
    every = all_files(repository)
    expected = sorted(set(every) - ignored_by_git(repository, every))
    listed = [file.path for file in list_files(repository).files if not file.path.endswith(".gitignore")]
    assert listed == expected


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.dictionaries(directories, lists, max_size=3), user=lists)
def test_the_walk_from_a_subdirectory_and_the_users_excludes_agree_with_git(
    repository: Path, home: Path, texts: dict[str, str], user: str
) -> None:
    """With lists above the root and core.excludesFile: what git ignores below `a`, the walk of `a` ignores.

    Directories that contain the root are not asked about: who names a root wants it.
    """
    for old in repository.rglob(".gitignore"):
        old.unlink()
    for directory, text in texts.items():
        (repository / directory / ".gitignore").write_bytes(text.encode())
    (repository / ".git/info/exclude").write_bytes(b"")
    (home / "excludes").write_bytes(user.encode())
    (home / ".gitconfig").write_text(f"[core]\n\texcludesFile = {home}/excludes\n")
    if ignored_by_git(repository, ["a/"]):
        return
    every = [path for path in all_files(repository) if path.startswith("a/")]
    expected = sorted(path[2:] for path in set(every) - ignored_by_git(repository, every))
    listed = [file.path for file in list_files(repository / "a").files if not file.path.endswith(".gitignore")]
    assert listed == expected
