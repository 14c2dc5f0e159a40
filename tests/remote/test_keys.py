"""Where a key comes from, in which order, and that it never shows."""

from __future__ import annotations

import os
import pickle
import socket
from collections.abc import Iterator
from pathlib import Path

import keyring
import keyring.backend
import pytest

from satori.errors import RemoteError
from satori.remote import keys
from satori.remote.keys import find_key, require_key, use_environment

SECRET = "sk-verysecret"


class _Ring(keyring.backend.KeyringBackend):
    """A real backend of the keyring package that keeps its secrets in memory."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.secrets: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.secrets.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.secrets[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.secrets[service, username]


@pytest.fixture(autouse=True)
def ring() -> Iterator[_Ring]:
    before = keyring.get_keyring()
    ring = _Ring()
    keyring.set_keyring(ring)
    yield ring
    keyring.set_keyring(before)
    use_environment({})


def _file(tmp_path: Path, text: str = SECRET + "\n", mode: int = 0o600) -> str:
    path = tmp_path / "provider.key"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_file_then_keyring_then_shell(tmp_path: Path, ring: _Ring) -> None:
    """What the user named is first, what lies around is last, and each says where it came from."""
    assert find_key("voyage") is None
    use_environment({"VOYAGE_API_KEY": "from-shell"})
    found = find_key("voyage")
    assert found is not None and found.reveal() == "from-shell" and "VOYAGE_API_KEY" in found.source
    ring.set_password("satori", "voyage", "from-ring")
    found = find_key("voyage")
    assert found is not None and found.reveal() == "from-ring" and found.source.startswith("keyring")
    found = find_key("voyage", _file(tmp_path))
    assert found is not None and found.reveal() == SECRET and found.source.startswith("file")


def test_the_process_environment_alone_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shared runtime has its first client's environment: without `use_environment` no variable is looked at."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    assert find_key("openai") is None
    with pytest.raises(RemoteError) as caught:
        require_key("openai")
    assert caught.value.code == "key_missing" and "key_file" in caught.value.next_step


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o601, 0o660])
def test_an_open_file_is_refused_and_nothing_else_tried(tmp_path: Path, ring: _Ring, mode: int) -> None:
    """Mode 0600 is enforced; falling back to another key would hide it."""
    ring.set_password("satori", "voyage", "from-ring")
    with pytest.raises(RemoteError) as caught:
        find_key("voyage", _file(tmp_path, mode=mode))
    assert caught.value.code == "key_unsafe" and "chmod 600" in caught.value.next_step


@pytest.mark.parametrize("text", ["", "  \n", "two words", "a\nb", "schlüssel", "x" * 5000, "a\x00b"])
def test_what_is_no_key_is_refused_without_being_shown(tmp_path: Path, text: str) -> None:
    """A key is one word of visible ASCII: anything else would break a header or is another file."""
    with pytest.raises(RemoteError) as caught:
        find_key("voyage", _file(tmp_path, text))
    assert text.strip() == "" or text.strip() not in str(caught.value)


def test_a_missing_file_and_a_directory_are_refused(tmp_path: Path) -> None:
    """Each names the path."""
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(RemoteError, match=path.name):
            find_key("voyage", str(path))


def test_a_broken_keyring_holds_no_key(ring: _Ring, monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked or failing keyring costs nothing but itself; one that waits for a person is not waited for."""
    monkeypatch.setattr(ring, "get_password", lambda *_: 1 / 0)
    assert find_key("voyage") is None
    import threading

    never = threading.Event()
    monkeypatch.setattr(ring, "get_password", lambda *_: never.wait(30) and None)
    monkeypatch.setattr(keys, "_KEYRING_SECONDS", 0.1)
    assert find_key("voyage") is None
    never.set()


def test_a_key_does_not_show(tmp_path: Path) -> None:
    """Not in its text, not in a format, not in a pickle; and what echoes it is blotted out."""
    key = require_key("voyage", _file(tmp_path))
    assert SECRET not in repr(key) + str(key) + f"{key}"
    assert key.hide(f"bad key {SECRET}!") == "bad key [key]!"
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_a_keyring_is_found_without_its_variable(ring: _Ring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A desktop's keyring is asked over the user's bus; a process that was not told of it looks where it is."""
    bus = tmp_path / "bus"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(bus))
        monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
        monkeypatch.setattr(keys, "_bus", lambda: bus)
        find_key("voyage")
        assert os.environ.pop("DBUS_SESSION_BUS_ADDRESS") == f"unix:path={bus}"
