"""satori.toml and the call's arguments: who beats whom, and what a hostile file cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest

from satori.errors import UsageError
from satori.source.profile import Profile
from satori.source.scan import load_settings
from satori.source.settings import SourceSettings, make_settings
from tests.source.tree import write


def test_the_calls_arguments_beat_the_file_and_the_file_beats_the_defaults(tmp_path: Path) -> None:
    """Each key on its own: an argument replaces the file's value, the others stay."""
    root = write(tmp_path, {"satori.toml": 'profile = "minimal"\ninclude = ["a"]\nignore = ["b"]\n'}).resolve()
    assert load_settings(root) == SourceSettings(Profile.MINIMAL, ("a",), ("b",))
    assert load_settings(root, profile="all-text", ignore=[]) == SourceSettings(Profile.ALL_TEXT, ("a",), ())
    assert load_settings(write(tmp_path / "none", {}).resolve()) == SourceSettings()


def test_unknown_keys_are_warned_about_and_have_no_effect(tmp_path: Path) -> None:
    """A repository's file cannot name commands, models, hosts or paths: there is no key for them."""
    text = 'command = "rm"\nmodel = "x"\nstate_root = "/"\nprofile = "minimal"\n[server]\nhost = "h"\n'
    settings = load_settings(write(tmp_path, {"satori.toml": text}).resolve())
    assert settings == SourceSettings(Profile.MINIMAL)
    assert [warning.split("'")[1] for warning in settings.warnings] == ["command", "model", "state_root", "server"]


BROKEN = [
    "profile = 3\n",
    'profile = "everything"\n',
    "not toml at all",
    b"\xff\xfe",
    'ignore = "a"\n',
    "ignore = [1]\n",
    'include = [""]\n',
    'include = ["a\\nb"]\n',
    "ignore = [" + ",".join(['"x"'] * 1001) + "]\n",
    "x = " + "[" * 5000,
    "#" * 70_000,
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_warns_and_leaves_the_defaults(tmp_path: Path, text: str | bytes) -> None:
    """It never stops a codebase from being indexed."""
    settings = load_settings(write(tmp_path, {"satori.toml": text}).resolve())
    assert settings == SourceSettings()
    assert len(settings.warnings) == 1
    assert "satori.toml" in settings.warnings[0]


def test_a_linked_file_is_not_followed(tmp_path: Path) -> None:
    """A link in place of the file says so."""
    write(tmp_path, {"elsewhere": 'profile = "minimal"\n', "r/a.py": ""})
    (tmp_path / "r/satori.toml").symlink_to("../elsewhere")
    settings = load_settings((tmp_path / "r").resolve())
    assert settings == SourceSettings()
    assert "symbolic link" in settings.warnings[0]


def test_wrong_arguments_are_errors_that_name_the_choice() -> None:
    """Unlike the file's, the call's mistakes are refused."""
    with pytest.raises(UsageError, match="minimal, default, all-text"):
        make_settings(profile="all")
    for patterns in ([""], ["a\nb"], ["x"] * 1001, ["a" * 5000], ["\udcff"]):
        with pytest.raises(UsageError, match=r"ignore: .*gitignore"):
            make_settings(ignore=patterns)


def test_a_byte_order_mark_is_fine() -> None:
    """As some editors write it."""
    assert make_settings(b'\xef\xbb\xbfprofile = "minimal"').profile is Profile.MINIMAL
