"""The order of the rules and what each may lift, on the smallest trees that showed others wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from satori.source import reading, walk
from satori.source.ignore import parse_lines
from satori.source.profile import Profile
from satori.source.scan import list_files, load_settings, look_at
from satori.source.settings import SourceSettings
from satori.source.skip import SkipReason
from tests.source.tree import commit, git, paths, skips, write

ALL = SourceSettings(Profile.ALL_TEXT)


def test_a_directory_lifted_out_of_a_starred_parent_is_listed(tmp_path: Path) -> None:
    """`plugins/*` then `!plugins/app`: everything in plugins but app."""
    write(tmp_path, {".gitignore": "plugins/*\n!plugins/app\n", "plugins/app/a.py": "", "plugins/other/b.py": ""})
    git(tmp_path, "init", "-q")
    assert paths(tmp_path) == [".gitignore", "plugins/app/a.py"]


def test_an_anchored_pattern_holds_at_its_own_level_only(tmp_path: Path) -> None:
    """`/coverage` does not drop src/coverage, `/Library/` does not drop src/Library."""
    write(
        tmp_path,
        {
            ".gitignore": "/coverage\n/Library/\n",
            "coverage/a.py": "",
            "src/coverage/a.py": "",
            "Library/a.py": "",
            "src/Library/a.py": "",
        },
    )
    git(tmp_path, "init", "-q")
    assert paths(tmp_path) == [".gitignore", "src/Library/a.py", "src/coverage/a.py"]


def test_a_nested_list_beats_the_root_list_and_reaches_no_further(tmp_path: Path) -> None:
    """web/.gitignore re-includes what the root ignores, for web alone."""
    write(
        tmp_path,
        {
            ".gitignore": "*.gen.py\n",
            "web/.gitignore": "!*.gen.py\nlocal.py\n",
            "web/a.gen.py": "",
            "web/local.py": "",
            "b.gen.py": "",
            "local.py": "",
        },
    )
    git(tmp_path, "init", "-q")
    assert paths(tmp_path) == [".gitignore", "local.py", "web/.gitignore", "web/a.gen.py"]


def test_info_exclude_is_the_weakest_of_the_repositorys_lists(tmp_path: Path) -> None:
    """.git/info/exclude holds, and .gitignore may lift it."""
    write(tmp_path, {"a.py": "", "b.py": "", ".gitignore": "!b.py\n"})
    git(tmp_path, "init", "-q")
    (tmp_path / ".git/info").mkdir(exist_ok=True)
    (tmp_path / ".git/info/exclude").write_text("a.py\nb.py\n")
    assert paths(tmp_path) == [".gitignore", "b.py"]


def test_the_users_excludes_file_counts_and_the_repositorys_does_not(tmp_path: Path, home: Path) -> None:
    """core.excludesFile from ~/.gitconfig is read; the same key in .git/config, in a file it includes, is not."""
    root = write(tmp_path / "r", {"mine.py": "", "theirs.py": "", "a.py": ""})
    git(root, "init", "-q")
    write(home, {"excludes": "mine.py\n", ".gitconfig": "[core]\n\texcludesFile = ~/excludes\n"})
    write(root, {".git/evil": "theirs.py\n", ".git/more": "[core]\n\texcludesFile = " + str(root / ".git/evil") + "\n"})
    git(root, "config", "core.excludesFile", str(root / ".git/evil"))
    git(root, "config", "include.path", "more")
    assert paths(root) == ["a.py", "theirs.py"]
    (home / "excludes").write_text("a.py\n")
    assert paths(root) == ["mine.py", "theirs.py"]


def test_the_default_excludes_file_counts_without_any_configuration(tmp_path: Path, home: Path) -> None:
    """~/.config/git/ignore, as git itself reads it; a change of the configuration is noticed at once."""
    root = write(tmp_path / "r", {"mine.py": "", "a.py": "", "b.py": ""})
    write(home, {".config/git/ignore": "mine.py\n", "other": "b.py\n"})
    assert paths(root) == ["a.py", "b.py"]
    write(home, {".gitconfig": "[core]\n\texcludesFile = ~/other\n"})
    assert paths(root) == ["a.py", "mine.py"]


def test_letter_case_counts_unless_git_says_otherwise(tmp_path: Path) -> None:
    """core.ignoreCase of the repository is honoured, as git sets it on file systems without letter case."""
    write(tmp_path, {".gitignore": "FOO.py\n/Bar/*.PY\n", "foo.py": "", "bar/x.py": ""})
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.ignoreCase", "false")
    assert paths(tmp_path) == [".gitignore", "bar/x.py", "foo.py"]
    git(tmp_path, "config", "core.ignoreCase", "true")
    assert paths(tmp_path) == [".gitignore"]


def test_lists_of_other_tools_change_nothing(tmp_path: Path) -> None:
    """A .prettierignore, .dockerignore or .ignore that holds `*` is only a file."""
    write(tmp_path, {"a.py": "", **dict.fromkeys((".prettierignore", ".dockerignore", ".ignore", ".npmignore"), "*\n")})
    assert "a.py" in paths(tmp_path)


def test_without_git_the_trees_own_lists_hold(tmp_path: Path) -> None:
    """A directory without a repository (an unpacked archive) still ignores what its .gitignore files say."""
    write(tmp_path, {".gitignore": "*.gen.py\n", "a.gen.py": "", "b.py": "", "d/.gitignore": "c.py\n", "d/c.py": ""})
    assert paths(tmp_path) == [".gitignore", "b.py", "d/.gitignore"]


def test_settings_beat_gitignore_and_satoriignore_beats_both(tmp_path: Path) -> None:
    """Each layer re-includes what the one before ignored, and ignores what it re-included."""
    write(
        tmp_path,
        {
            ".gitignore": "a.py\n!b.py\n",
            "satori.toml": 'include = ["a.py", "c.py"]\nignore = ["b.py", "c.py", "d.py"]\n',
            ".satoriignore": "!b.py\nc.py\n",
            **{f"{letter}.py": "" for letter in "abcd"},
        },
    )
    settings = load_settings(tmp_path.resolve())
    assert paths(tmp_path, settings) == [".gitignore", ".satoriignore", "a.py", "b.py", "satori.toml"]


def test_nested_satoriignore_files_count_too(tmp_path: Path) -> None:
    """Deeper ones beat shallower ones, and all beat any .gitignore."""
    write(
        tmp_path,
        {
            ".satoriignore": "x.py\n",
            "d/.satoriignore": "!x.py\n",
            "d/e/.gitignore": "x.py\n",
            "x.py": "",
            "d/x.py": "",
            "d/e/x.py": "",
        },
    )
    found = paths(tmp_path)
    assert [path for path in found if path.endswith("x.py")] == ["d/e/x.py", "d/x.py"]


def test_nothing_lifts_the_secret_list(tmp_path: Path) -> None:
    """`!.env` in .gitignore, .satoriignore and satori.toml's include, under the widest profile."""
    lift = "!.env\n!*.pem\n!id_rsa\n!.git\n!.git/config\n"
    write(tmp_path, {".gitignore": lift, ".satoriignore": lift, ".env": "A=1", "k.pem": "", "id_rsa": "", "a.py": ""})
    git(tmp_path, "init", "-q")
    settings = SourceSettings(Profile.ALL_TEXT, include=(".env", "*.pem", "id_rsa", ".git/", ".git/config"))
    assert paths(tmp_path, settings) == [".gitignore", ".satoriignore", "a.py"]
    assert skips(tmp_path, settings) == {".env": "secret", "id_rsa": "secret", "k.pem": "secret"}


def test_an_ignored_directory_is_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many files it holds, it is never opened; the same for untracked dependency trees."""
    write(tmp_path, {".gitignore": "logs/\n", "logs/a.py": "", "node_modules/x/a.js": "", "src/a.py": ""})
    git(tmp_path, "init", "-q")
    opened = []
    real = reading.open_directory

    def opening(parent: int, name: str) -> int:
        opened.append(name)
        return real(parent, name)

    monkeypatch.setattr(walk, "open_directory", opening)
    listing = list_files(tmp_path.resolve())
    assert opened == ["src"]
    assert listing.ignored_directories == 1


def test_a_list_that_is_a_link_is_no_list(tmp_path: Path) -> None:
    """Git does not follow a linked .gitignore in the tree; neither does the walk."""
    write(tmp_path, {"rules": "a.py\n", "a.py": ""})
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").symlink_to("rules")
    assert "a.py" in paths(tmp_path)
    assert git(tmp_path, "check-ignore", "--no-index", "a.py", codes=(0, 1, 128)) == b""


def test_what_an_unreadable_list_may_ignore_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a list that cannot be read would say is unknown: its directory counts as unreadable."""
    write(tmp_path, {"d/.gitignore": "a.py\n", "d/a.py": "", "b.py": ""})
    real = os.open

    def opening(path: object, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == ".gitignore":
            raise PermissionError(13, "Permission denied")
        return real(path, flags, mode, dir_fd=dir_fd)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", opening)
    listing = list_files(tmp_path.resolve())
    assert listing.unreadable == ("d/", "d/.gitignore")
    assert [file.path for file in listing.files] == ["b.py"]


TREES = ["node_modules", "vendor", "target", "dist", "build", ".venv", "__pycache__", "Pods", "pkg.egg-info"]


@pytest.mark.parametrize("tree", TREES)
def test_dependency_trees_are_skipped_only_where_git_tracks_nothing_in_them(tmp_path: Path, tree: str) -> None:
    """Untracked: one row with the reason. Tracked: indexed like anything else, its untracked files too."""
    write(tmp_path, {"a.py": "", f"lib/{tree}/x.py": ""})
    git(tmp_path, "init", "-q")
    assert paths(tmp_path) == ["a.py"]
    assert skips(tmp_path) == {f"lib/{tree}/": "dependency_tree"}
    git(tmp_path, "add", "-f", "-A")
    write(tmp_path, {f"lib/{tree}/untracked.py": ""})
    assert paths(tmp_path) == ["a.py", f"lib/{tree}/untracked.py", f"lib/{tree}/x.py"]
    git(tmp_path, "rm", "-q", "-r", "--cached", f"lib/{tree}")
    assert paths(tmp_path) == ["a.py"]


def test_a_tracked_tree_elsewhere_does_not_lift_an_untracked_one(tmp_path: Path) -> None:
    """The question is asked for each directory, and a twin by prefix is another one."""
    write(tmp_path, {"x/vendor/a.py": "", "vendor/b.py": "", "vendor2/c.py": ""})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "x", "vendor2")
    assert paths(tmp_path) == ["vendor2/c.py", "x/vendor/a.py"]


def test_satoriignore_and_include_lift_the_dependency_skip(tmp_path: Path) -> None:
    """`!node_modules/` in .satoriignore, or the settings' include; a .gitignore has no say in it.

    A lifted tree is lifted all the way down; lifting an ordinary directory does not lift the trees in it.
    """
    write(tmp_path, {"vendor/a.py": "", "node_modules/b.js": "", ".gitignore": "!vendor/\n"})
    git(tmp_path, "init", "-q")
    assert paths(tmp_path) == [".gitignore"]
    assert paths(tmp_path, SourceSettings(include=("vendor/",))) == [".gitignore", "vendor/a.py"]
    write(tmp_path, {".satoriignore": "!node_modules/\n!src/\n", "src/build/x.py": "", "src/a.py": ""})
    write(tmp_path, {"node_modules/p/dist/c.js": ""})
    lifted = ["node_modules/b.js", "node_modules/p/dist/c.js", "src/a.py"]
    assert paths(tmp_path) == [".gitignore", ".satoriignore", *lifted]


def test_marked_environments_and_caches_are_dependency_trees(tmp_path: Path) -> None:
    """A pyvenv.cfg or CACHEDIR.TAG gives them away under any name, except at the root itself."""
    write(
        tmp_path,
        {"my-env/pyvenv.cfg": "", "my-env/lib/a.py": "", "c/CACHEDIR.TAG": "", "c/a.py": "", "CACHEDIR.TAG": ""},
    )
    write(tmp_path, {"a.py": ""})
    found = skips(tmp_path)
    assert (found["my-env/"], found["c/"]) == ("dependency_tree", "dependency_tree")
    assert paths(tmp_path)[-1] == "a.py"


def test_include_patterns_bring_in_what_the_profile_leaves_out(tmp_path: Path) -> None:
    """A data file named by include is listed as included, its neighbours stay out."""
    write(tmp_path, {"data/a.csv": "1,2\n", "other.csv": "1,2\n"})
    settings = SourceSettings(include=("data/*.csv",))
    assert [(file.path, file.included) for file in list_files(tmp_path.resolve(), settings).files if not file.skip] == [
        ("data/a.csv", True)
    ]
    assert skips(tmp_path, settings) == {"other.csv": "not_in_profile"}


def test_profiles_cover_what_they_say(tmp_path: Path) -> None:
    """Minimal is source and documentation; default adds configuration and the like; all-text any small text."""
    write(
        tmp_path,
        {
            "a.py": "",
            "README.md": "# r\n",
            "c.yaml": "a: 1\n",
            "run.sh": "",
            "q.sql": "",
            "main.tf": "",
            "t.csv": "1\n",
            "plain.zzz": "text\n",
            "big.zzz": "text\n" * 300_000,
            "big.json": "{}\n" * 100_000,
            "bin.zzz": b"\0\1",
        },
    )
    by_profile = {
        profile: {
            path
            for path in paths(tmp_path, SourceSettings(profile))
            if path not in skips(tmp_path, SourceSettings(profile))
        }
        for profile in Profile
    }
    assert by_profile[Profile.MINIMAL] == {"a.py", "README.md"}
    assert by_profile[Profile.DEFAULT] == by_profile[Profile.MINIMAL] | {"c.yaml", "run.sh", "q.sql", "main.tf"}
    assert by_profile[Profile.ALL_TEXT] == by_profile[Profile.DEFAULT] | {"t.csv", "plain.zzz", "big.json"}


def test_single_paths_are_judged_as_the_whole_listing_judges_them(tmp_path: Path) -> None:
    """For every path of a tree with all kinds of rules: a look at it alone says what the listing says."""
    write(
        tmp_path,
        {
            ".gitignore": "*.log\nout/\n/only\n",
            "a.py": "",
            "a.log": "",
            "out/b.py": "",
            "only": "",
            "d/only": "#!/bin/sh\n",
            "d/.gitignore": "c.py\n",
            "d/c.py": "",
            "d/.env": "",
            "vendor/v.py": "",
            "d/e/f.csv": "",
        },
    )
    (tmp_path / "link.py").symlink_to("a.py")
    git(tmp_path, "init", "-q")
    root = tmp_path.resolve()
    whole = {file.path: file for file in list_files(root).files}
    every = [path.relative_to(root).as_posix() for path in root.rglob("*") if ".git/" not in f"{path}/"]
    for path in every:
        row = whole.get(path) or whole.get(path + "/")
        skipped_above = [file for file in whole.values() if file.path.endswith("/") and path.startswith(file.path)]
        if row is not None or not (root / path).is_dir():
            assert list(look_at(root, [path]).files) == ([row] if row is not None else skipped_above), path
    assert list(look_at(root, every).files) == list(whole.values())
    assert look_at(root, ["no/such.py"]).files == ()


def test_pattern_lists_serve_searches_too() -> None:
    """One list on its own: a path is excluded with the directories above it."""
    patterns = parse_lines(["tests/", "*.min.js", "!keep.min.js", "docs/**/api"])
    assert patterns.excludes("src/tests/a.py")
    assert patterns.excludes("a.min.js")
    assert not patterns.excludes("keep.min.js")
    assert patterns.excludes("docs/x/y/api/z.md")
    assert not patterns.excludes("src/testsuite.py")


def test_zero_eligible_files_leave_their_reasons(tmp_path: Path) -> None:
    """A tree in which nothing is covered is not silently empty: its rows and counts say why."""
    write(tmp_path, {".gitignore": "*.py\n", "a.py": "", "b.png": ""})
    listing = list_files(tmp_path.resolve(), SourceSettings(Profile.MINIMAL))
    assert listing.ignored_files == 1
    assert {file.skip for file in listing.files} == {SkipReason.BINARY, SkipReason.NOT_IN_PROFILE}


def test_a_tracked_but_ignored_file_is_ignored(tmp_path: Path) -> None:
    """The rules speak of names, as `git check-ignore --no-index` does; .satoriignore may bring the file back."""
    write(tmp_path, {"a.py": ""})
    commit(tmp_path)
    write(tmp_path, {".gitignore": "a.py\n"})
    assert paths(tmp_path) == [".gitignore"]
    write(tmp_path, {".satoriignore": "!a.py\n"})
    assert "a.py" in paths(tmp_path)
