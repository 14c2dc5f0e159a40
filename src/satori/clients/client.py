"""What Satori knows of one agent: where its configuration lies, in which syntax, and the entry it expects.

A description only: nothing here reads or writes a file, except `Surroundings.detected`, which looks for names.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from satori.clients.formats import Format, JsonValue

ENTRY_NAME = "satori"
"""The server's name in every configuration; clients prefix tool names with it."""


class Verification:
    """How an integration is known to work."""

    RUN = "run with the real client"
    DOCUMENTED = "from the client's documentation"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The home and environment in which clients are looked for; tests hand in temporary ones."""

    home: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    platform: str = sys.platform

    @classmethod
    def current(cls) -> Surroundings:
        """Those of this process."""
        return cls(Path.home(), dict(os.environ))

    def directory(self, variable: str, default: str) -> Path:
        """An absolute directory named by an environment variable, else one under the home directory."""
        configured = self.environment.get(variable, "")
        return Path(configured) if configured.startswith("/") else self.home / default

    def has_command(self, command: str) -> bool:
        """Whether the command is on this environment's PATH."""
        return bool(command) and shutil.which(command, path=self.environment.get("PATH", "")) is not None


@dataclass(frozen=True, slots=True)
class Client:
    """One supported agent."""

    name: str
    """What `--client` takes."""
    title: str
    format: Format
    container: tuple[str, ...]
    """Keys that lead to the object, table or list of servers."""
    entry: Callable[[str], JsonValue]
    """Makes the entry from the launcher's absolute path."""
    files: Callable[[Surroundings], tuple[Path, ...]]
    """Configuration files in order of preference: the first that exists is edited, else the first is created."""
    signs: Callable[[Surroundings], tuple[Path, ...]]
    """Files or directories that are there when the client has been used."""
    command: str = ""
    """Its executable, "" when it has none of a telling name."""
    header: str = ""
    """What a newly created file must hold besides the entry."""
    skill_link: Callable[[Surroundings], Path] | None = None
    """The directory of user skills to link into, when the client does not read ~/.agents/skills."""
    verification: str = Verification.DOCUMENTED

    def file(self, surroundings: Surroundings) -> Path:
        """The configuration file to edit."""
        files = self.files(surroundings)
        return next((path for path in files if os.path.lexists(path)), files[0])

    def detected(self, surroundings: Surroundings) -> bool:
        """Whether the client seems to be in use here."""
        return surroundings.has_command(self.command) or any(os.path.lexists(path) for path in self.signs(surroundings))


def launcher_of(entry: JsonValue) -> str | None:
    """The command that an entry of any client's shape starts, None when it names none."""
    if not isinstance(entry, dict):
        return None
    transport = entry.get("transport")
    command = transport.get("command") if isinstance(transport, dict) else entry.get("command")
    if isinstance(command, list):
        command = command[0] if command else None
    return command if isinstance(command, str) else None
