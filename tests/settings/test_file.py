"""The user's settings file: what it says, who may write it, and how one value is changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satori.errors import SettingsError
from satori.settings import file
from satori.settings.catalogue import CATALOGUE, Kind
from satori.settings.choice import EmbedderChoice, RerankerChoice, StoreChoice


def _table(name: str) -> st.SearchStrategy[str]:
    keys = st.sampled_from([setting.name for setting in CATALOGUE.values()])
    values = st.sampled_from(
        ['"static"', '"/a"', '"http://a"', "1", "-1", "1.5", "nan", "true", "[]", "{}", '""', "1979-05-27"]
    )
    rows = st.lists(st.tuples(keys, values), max_size=4, unique_by=lambda row: row[0])
    return rows.map(lambda found: f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in found))


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config" / "config.toml"
    monkeypatch.setenv(file.VARIABLE, str(path))
    return path


def _write(path: Path, text: str, mode: int = 0o600) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def test_without_a_file_everything_is_the_default(config: Path) -> None:
    """No file means the offline profile, and nothing is created by looking."""
    settings = file.current()
    assert (settings.embedder, settings.reranker, settings.store) == (EmbedderChoice(), RerankerChoice(), StoreChoice())
    assert not settings.value("embedder.name").is_set
    assert not config.parent.exists()


def test_every_choice_field_has_a_key_and_equal_defaults() -> None:
    """The dataclasses and the catalogue say the same: each field (but the shared proxy) is a key."""
    for table, choice in (("embedder", EmbedderChoice()), ("reranker", RerankerChoice()), ("store", StoreChoice())):
        named = {key.partition(".")[2]: setting for key, setting in CATALOGUE.items() if setting.table == table}
        fields = {name: getattr(choice, name) for name in choice.__dataclass_fields__ if name != "proxy"}
        assert {name: setting.default for name, setting in named.items()} == fields


def test_set_keeps_comments_and_order_and_is_seen_at_once(config: Path) -> None:
    """Changing a value keeps a person's comments; the next look sees it; the file is the user's alone."""
    _write(config, '# mine\n[embedder]\n# why\nname = "ollama" # here\n\n[network]\nproxy = "http://proxy:3128"\n')
    assert file.current().embedder.proxy == "http://proxy:3128"
    file.assign("embedder.dimension", "384")
    text = config.read_text()
    assert text.startswith('# mine\n[embedder]\n# why\nname = "ollama" # here\n') and "dimension = 384" in text
    assert file.current().embedder.dimension == 384
    assert config.stat().st_mode & 0o777 == 0o600


def test_unset_gives_the_default_back(config: Path) -> None:
    """Taking the last value of a table out takes the table out."""
    file.assign("embedder.name", "ollama")
    file.unset(["embedder.name"])
    assert file.current().embedder.name == "static"
    assert "[embedder]\n" not in config.read_text()


def test_what_an_earlier_choice_published_stays_readable(config: Path) -> None:
    """The services and models that were chosen before are kept, the last one first, each once and four at most."""
    for name in ("ollama", "voyage", "openai", "gemini", "ollama"):
        file.assign_all({"embedder.name": name, "embedder.query_seconds": 1.5})
    settings = file.current()
    assert settings.embedder.name == "ollama"
    assert [choice.name for choice in settings.previous] == ["gemini", "openai", "voyage"]
    assert settings.previous[0].query_seconds == 1.5
    file.assign("reranker.name", "cohere")
    assert file.current().previous == settings.previous


@pytest.mark.parametrize(
    ("key", "text", "what"),
    [
        ("embedder.nmae", "ollama", "Did you mean embedder.name"),
        ("embedder.name", "olama", "one of static"),
        ("embedder.dimension", "1e3", "whole number from 8 to 1024"),
        ("embedder.dimension", "2048", "8 to 1024"),
        ("embedder.endpoint", "file:///etc/passwd", "http or https"),
        ("embedder.endpoint", "https://user:secret@host/v1", "without user"),
        ("embedder.endpoint", "https://host/v1?key=secret", "query"),
        ("embedder.query_seconds", "nan", "0.1 to 30"),
        ("embedder.api_key", "sk-secret", "Keys are kept out of settings"),
        ("embedder.model", "a\nb", "text"),
        ("embedder.model", " ", "text"),
        ("embedder.key_file", "", "absolute path"),
    ],
)
def test_a_wrong_value_is_refused_and_never_repeated(config: Path, key: str, text: str, what: str) -> None:
    """Each refusal says what is taken; a value that may be a secret is not in it, and nothing is written."""
    with pytest.raises(SettingsError) as caught:
        file.assign(key, text)
    assert what in str(caught.value)
    assert "secret" not in str(caught.value).replace("Keys are", "")
    assert not config.exists()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[embedder\n", "not valid TOML"),
        ('[embedder]\nname = "magic"\n', "one of static"),
        ("[embedder]\nname = 3\n", "one of static"),
        ("[embedder]\ndimension = true\n", "whole number"),
        ("[embedder]\ndimension = 9.5\n", "whole number"),
        ('[embedder]\nkey_file = "key"\n', "absolute path"),
    ],
)
def test_a_file_that_cannot_be_understood_is_no_default(config: Path, text: str, what: str) -> None:
    """Falling back would rebuild every index with another embedder, so it is an error that names the file."""
    _write(config, text)
    with pytest.raises(SettingsError, match=what) as caught:
        file.current()
    assert str(config) in str(caught.value)


def test_unknown_keys_are_named_and_can_be_taken_out(config: Path) -> None:
    """A file of a newer version is still understood."""
    _write(config, 'novel = 1\n[embedder]\nname = "ollama"\nfuture = 1\n[robot]\narm = 2\n')
    assert file.current().unknown == ("novel", "embedder.future", "robot.arm")
    file.unset(["embedder.future", "robot.arm"])
    assert file.current().unknown == ("novel",)
    with pytest.raises(SettingsError, match="no setting"):
        file.unset(["embedder.never"])


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_refused(config: Path, mode: int) -> None:
    """It decides where source text goes."""
    _write(config, '[embedder]\nname = "ollama"\n', mode)
    with pytest.raises(SettingsError) as caught:
        file.current()
    assert caught.value.code == "settings_unsafe"


def test_a_file_of_somebody_else_is_refused(config: Path) -> None:
    """Its owner must be the user."""
    _write(config, '[embedder]\nname = "ollama"\n')
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(config, 12345, 12345)
    with pytest.raises(SettingsError, match="belongs to somebody"):
        file.current()


def test_odd_files_are_refused_without_waiting(config: Path) -> None:
    """A FIFO, a directory, bytes that are no UTF-8 and a huge file: each an error, none a hang."""
    config.parent.mkdir()
    os.mkfifo(config, 0o600)
    with pytest.raises(SettingsError):
        file.current()
    config.unlink()
    config.mkdir()
    with pytest.raises(SettingsError):
        file.current()
    config.rmdir()
    for data in (b"\xff\xfe", b"#" * (2 << 20)):
        config.write_bytes(data)
        config.chmod(0o600)
        with pytest.raises(SettingsError):
            file.current()


def test_a_link_stays_a_link(config: Path, tmp_path: Path) -> None:
    """A settings file kept among somebody's dotfiles is written where it lies."""
    real = tmp_path / "dotfiles.toml"
    _write(real, "")
    config.parent.mkdir()
    config.symlink_to(real)
    file.assign("embedder.name", "ollama")
    assert config.is_symlink() and 'name = "ollama"' in real.read_text()


def test_every_kind_says_what_it_takes() -> None:
    """A refusal is never without words."""
    assert {setting.kind for setting in CATALOGUE.values()} <= set(Kind)
    assert all(setting.takes and setting.help.endswith(".") for setting in CATALOGUE.values())


def test_another_provider_does_not_inherit_the_last_ones_address(config: Path) -> None:
    """Model, address and key belong to a provider: naming another one takes them out, and a preview shows it first."""
    file.assign_all(
        {"embedder.name": "ollama", "embedder.endpoint": "http://127.0.0.1:1", "embedder.query_seconds": 2.0}
    )
    _, before, after, then = file.preview({"embedder.name": "voyage", "embedder.key_file": "/k"})
    assert "127.0.0.1" in before and "127.0.0.1" not in after.partition("[[previous")[0]
    assert then.embedder.name == "voyage" and file.current().embedder.name == "ollama"
    file.assign_all({"embedder.name": "voyage", "embedder.key_file": "/k"})
    choice = file.current().embedder
    assert (choice.endpoint, choice.key_file, choice.query_seconds) == ("", "/k", 2.0)
    assert file.current().previous[0].endpoint == "http://127.0.0.1:1"
    file.assign("embedder.name", "voyage")
    assert file.current().embedder == choice


def test_a_path_is_from_where_the_person_stands(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path is made absolute when it is set, since other processes stand elsewhere; a tilde stays."""
    monkeypatch.chdir(tmp_path)
    file.assign("embedder.key_file", "keys/voyage")
    assert file.current().embedder.key_file == str(tmp_path / "keys/voyage")
    file.assign("embedder.key_file", "~/voyage")
    assert 'key_file = "~/voyage"' in config.read_text()
    assert file.current().embedder.key_file == str(Path.home() / "voyage")


@given(text=st.one_of(st.text(max_size=200), st.sampled_from(["embedder", "reranker", "store"]).flatmap(_table)))
def test_no_text_makes_anything_but_settings_or_a_named_error(text: str) -> None:
    """Whatever a file holds, it is understood or refused by name; what is understood gives choices."""
    try:
        settings = file.parse(Path("/x/config.toml"), text)
    except SettingsError as error:
        assert "/x/config.toml" in error.message
        return
    assert settings.embedder.name and settings.reranker.name and settings.store.name
