"""Decides what a configuration becomes: bytes in, bytes or a refusal out.

Pure: nothing here reads or writes a file. `satori.clients.apply` carries a plan out.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import ModuleType

from satori.clients import jsonc, toml, yaml
from satori.clients.client import ENTRY_NAME, Client, launcher_of
from satori.clients.formats import Entry, Format, RefusedError
from satori.clients.receipts import Receipt, digest

_EDITORS: dict[Format, ModuleType] = {Format.JSON: jsonc, Format.TOML: toml, Format.YAML: yaml}


class Action(StrEnum):
    """What a plan does to the file."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"
    NONE = "none"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Plan:
    """One client's configuration, before and after."""

    client: Client
    file: Path
    action: Action
    before: bytes | None
    """The bytes that the plan was made from; None when there was no file."""
    after: bytes | None
    """The bytes to write; None deletes the file or changes nothing, as the action says."""
    base: bytes | None = None
    """An installation's bytes without the entry: what uninstalling gives back."""
    created_container: tuple[str, ...] = ()
    reason: str = ""
    """Why it was refused, or why there is nothing to do."""

    def diff(self) -> str:
        """The exact change as a unified diff, "" when nothing changes."""
        if self.action in (Action.NONE, Action.REFUSE):
            return ""
        old = _lines(self.before)
        new = _lines(self.after)
        name = str(self.file)
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(
                old,
                new,
                name if self.before is not None else "/dev/null",
                name if self.after is not None else "/dev/null",
            )
        )


def find_entry(client: Client, data: bytes | None) -> Entry | None:
    """Satori's entry in the client's configuration, whoever wrote it. Raises RefusedError for unreadable text."""
    return None if data is None else _find(client, _decode(data))


def is_managed(entry: Entry, launcher: str) -> bool:
    """Whether the entry starts the launcher of this state root, and is therefore Satori's own."""
    return launcher_of(entry.value) == launcher


def plan_install(client: Client, file: Path, data: bytes | None, launcher: str, receipt: Receipt | None) -> Plan:
    """Plan the client's entry.

    Args:
        client: The client's description.
        file: Its configuration file, for messages.
        data: The file's bytes, None when there is none.
        launcher: Absolute path of the launcher.
        receipt: What an earlier installation recorded, if any.
    """
    wanted = client.entry(launcher)
    try:
        if data is None:
            created = _editor(client).insert(client.header, client.container, ENTRY_NAME, wanted)
            after = created.text.encode()
            return Plan(client, file, Action.CREATE, None, after, None, client.container[:1])
        text = _decode(data)
        entry = _find(client, text)
        created_container: tuple[str, ...] = ()
        if entry is not None:
            if not is_managed(entry, launcher):
                return _refusal(
                    client,
                    file,
                    data,
                    f"An entry {ENTRY_NAME} that Satori did not write is there already (line {entry.start_line}). "
                    f"Rename or remove it, then run `satori install --client {client.name}` again.",
                )
            if _same(entry, wanted):
                return Plan(client, file, Action.NONE, data, None, reason="already installed")
            created_container = receipt.created_container if receipt else ()
            text = _editor(client).remove(text, client.container, ENTRY_NAME, created_container)
        insertion = _editor(client).insert(text, client.container, ENTRY_NAME, wanted)
        return Plan(
            client,
            file,
            Action.CHANGE,
            data,
            insertion.text.encode(),
            text.encode(),
            insertion.created or created_container,
        )
    except RefusedError as error:
        return _refusal(client, file, data, f"{error.message} {_by_hand(client, launcher)}")


def plan_uninstall(
    client: Client, file: Path, data: bytes | None, launcher: str, receipt: Receipt | None, backup: bytes | None
) -> Plan:
    """Plan the removal: the bytes of before where nothing else changed, else only the entry goes.

    Args:
        client: The client's description.
        file: Its configuration file, for messages.
        data: The file's bytes, None when there is none.
        launcher: Absolute path of the launcher.
        receipt: What the installation recorded, if anything.
        backup: The bytes kept before the entry, if any.
    """
    if data is None:
        return Plan(client, file, Action.NONE, None, None, reason="no configuration file")
    if receipt is not None and digest(data) == receipt.after:
        if receipt.before is None:
            return Plan(client, file, Action.DELETE, data, None)
        if backup is not None:
            return Plan(client, file, Action.CHANGE, data, backup)
    try:
        text = _decode(data)
        entry = _find(client, text)
        if entry is None:
            return Plan(client, file, Action.NONE, data, None, reason="no entry of Satori")
        if not is_managed(entry, launcher):
            return Plan(client, file, Action.NONE, data, None, reason="the entry is not Satori's own")
        created = receipt.created_container if receipt else ()
        rest = _editor(client).remove(text, client.container, ENTRY_NAME, created)
    except RefusedError as error:
        return _refusal(client, file, data, f"{error.message} Remove the entry {ENTRY_NAME} by hand.")
    if receipt is not None and receipt.before is None and _is_blank(client, rest):
        return Plan(client, file, Action.DELETE, data, None)
    return Plan(client, file, Action.CHANGE, data, rest.encode())


def _is_blank(client: Client, text: str) -> bool:
    """Whether nothing is left but what Satori itself put in a new file."""
    return text.strip("\ufeff \t\r\n") in ("", "{}", client.header.strip())


def _editor(client: Client) -> ModuleType:
    return _EDITORS[client.format]


def _find(client: Client, text: str) -> Entry | None:
    found: Entry | None = _editor(client).find(text, client.container, ENTRY_NAME)
    return found


def _same(entry: Entry, wanted: object) -> bool:
    if isinstance(entry.value, dict) and isinstance(wanted, dict) and "name" in entry.value:
        flat = {key: value for key, value in entry.value.items() if key != "name"}
        return flat == {key: value if isinstance(value, str) else str(value) for key, value in wanted.items()}
    return entry.value == wanted


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedError(f"The file is not UTF-8 (byte {error.start}).") from error


def _refusal(client: Client, file: Path, data: bytes | None, reason: str) -> Plan:
    return Plan(client, file, Action.REFUSE, data, None, reason=reason)


def _by_hand(client: Client, launcher: str) -> str:
    snippet = _editor(client).insert("", client.container, ENTRY_NAME, client.entry(launcher)).text
    return f"Add this by hand:\n{snippet}"


def _lines(data: bytes | None) -> list[str]:
    return [] if data is None else data.decode("utf-8", "replace").splitlines(keepends=True)
