"""Where a provider's key comes from: a file that the user names, the system's keyring, the shell's environment.

The environment counts only for commands that a person runs in a shell: the shared runtime was started with whatever
environment its first client had. A key is never stored, logged, pickled or shown; what is shown is where it came from.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from satori.errors import RemoteError
from satori.settings.private import UnsafeFileError, read_private

KEYRING_SERVICE = "satori"
VARIABLES = {
    "openai": "OPENAI_API_KEY",
    "voyage": "VOYAGE_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "cohere": "COHERE_API_KEY",
    "milvus": "MILVUS_TOKEN",
}
_LIMIT_BYTES = 4096
_KEYRING_SECONDS = 5.0
_environment: Mapping[str, str] = {}


class Key:
    """A secret and where it came from; only `reveal` gives the secret."""

    __slots__ = ("_secret", "source")

    def __init__(self, secret: str, source: str) -> None:
        self._secret = secret
        self.source = source

    def reveal(self) -> str:
        """The secret, for a request's header and for nothing else."""
        return self._secret

    def hide(self, text: str) -> str:
        """`text` with the secret blotted out, should somebody have sent it back."""
        return text.replace(self._secret, "[key]") if self._secret else text

    def __repr__(self) -> str:
        return f"Key(from {self.source})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not written anywhere")


def use_environment(environment: Mapping[str, str]) -> None:
    """Let keys come from `environment` in this process: for a person's shell command, and nothing else."""
    global _environment
    _environment = environment


def environment_counts() -> bool:
    """Whether keys may come from this process's environment."""
    return bool(_environment)


def find_key(provider: str, key_file: str = "", *, host: str = "") -> Key | None:
    """The provider's key, None when there is none anywhere.

    `host` is given for an address that is not the provider's own: the provider's key is not for it, so only a named
    file counts, and a keyring entry named PROVIDER@HOST.

    Raises RemoteError (`key_unsafe`, `key_unreadable`) for a named file that must not or cannot be used; nothing else
    is then tried.
    """
    if key_file:
        return _from_file(Path(key_file))
    found = _from_keyring(f"{provider}@{host}" if host else provider)
    if found is not None or host:
        return found
    variable = VARIABLES.get(provider, "")
    secret = _environment.get(variable, "").strip() if variable else ""
    return _checked(secret, f"{variable} (this command only)") if secret else None


def require_key(provider: str, key_file: str = "", *, table: str = "embedder") -> Key:
    """As `find_key`. Raises RemoteError (`key_missing`) when there is none."""
    found = find_key(provider, key_file)
    if found is None:
        shell = f", or in a shell set {VARIABLES[provider]}" if provider in VARIABLES else ""
        raise RemoteError(
            f"There is no key for {provider}.",
            next_step=f"Put it in a file of mode 0600 and run: satori config set {table}.key_file FILE. "
            f"Or store it in the system's keyring (keyring set {KEYRING_SERVICE} {provider}){shell}.",
            code="key_missing",
        )
    return found


def _from_file(path: Path) -> Key:
    try:
        data = read_private(path, forbidden=0o077, limit=_LIMIT_BYTES)
    except OSError as error:
        raise RemoteError(
            f"The key file {path} cannot be read: {error.strerror}.",
            next_step="Name another: satori config show",
            code="key_unreadable",
        ) from error
    except UnsafeFileError as error:
        raise RemoteError(
            f"The key file {path} {error}.", next_step=f"Make it yours alone: chmod 600 {path}", code="key_unsafe"
        ) from error
    try:
        secret = data.decode("ascii").strip()
    except UnicodeDecodeError:
        secret = ""
    return _checked(secret, f"file {path}")


def _from_keyring(provider: str) -> Key | None:
    """The keyring is optional (`satori-code[keyring]`); one that is locked, broken or waits for somebody holds none."""
    said: list[str | None] = []

    def ask() -> None:
        with contextlib.suppress(Exception):
            _find_bus()
            import keyring

            said.append(keyring.get_password(KEYRING_SERVICE, provider))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(_KEYRING_SECONDS)
    secret = (said[0] or "").strip() if said else ""
    return _checked(secret, f"keyring ({KEYRING_SERVICE}, {provider})") if secret else None


def _find_bus() -> None:
    """The user's message bus, for a process that was started without being told: the shared runtime gets no such
    variable from its first client, and the keyring of a desktop is asked over this bus."""
    bus = _bus()
    if "DBUS_SESSION_BUS_ADDRESS" not in os.environ and bus.is_socket() and bus.stat().st_uid == os.geteuid():
        os.environ["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={bus}"


def _bus() -> Path:
    return Path(f"/run/user/{os.geteuid()}/bus")


def _checked(secret: str, source: str) -> Key:
    """A key is one line of visible ASCII: anything else would break or forge a header."""
    if not secret or len(secret) > _LIMIT_BYTES or not all(33 <= ord(letter) < 127 for letter in secret):
        raise RemoteError(
            f"What {source} holds is no key: a key is one word of visible ASCII.",
            next_step="Put the key, and nothing else, there.",
            code="key_unreadable",
        )
    return Key(secret, source)
