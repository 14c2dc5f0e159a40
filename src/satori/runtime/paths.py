"""Where an installed runtime keeps its files under the state root.

    bin/satori-mcp, bin/satori          what configurations and people start; they name one directory below
    runtimes/<version>-<code>/          one installed version: bin/python and its packages,
        launcher.pyc, payload.json      the proxy and the replies it knows by heart,
        runtime.json                    version, code hash, when it was made,
        run/{socket,lock,owner.json,watches.json,runtime.log}   the live runtime of this version, at most one

Names only; nothing here reads or writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RuntimeDirectory:
    """One installed version."""

    path: Path

    @property
    def name(self) -> str:
        """`<version>-<code>`."""
        return self.path.name

    @property
    def state_root(self) -> Path:
        """The state root that holds it."""
        return self.path.parent.parent

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.path / "bin" / "python"

    @property
    def launcher(self) -> Path:
        """The proxy, compiled for the directory's interpreter."""
        return self.path / "launcher.pyc"

    @property
    def payload(self) -> Path:
        """The recorded replies."""
        return self.path / "payload.json"

    @property
    def record(self) -> Path:
        """What was installed; written last, so that a directory without it is incomplete."""
        return self.path / "runtime.json"

    @property
    def run(self) -> Path:
        """Files of the live runtime."""
        return self.path / "run"

    @property
    def socket(self) -> Path:
        """The Unix socket."""
        return self.run / "socket"

    @property
    def lock(self) -> Path:
        """Locked by the live runtime for as long as it lives."""
        return self.run / "lock"

    @property
    def owner(self) -> Path:
        """Who the live runtime is."""
        return self.run / "owner.json"

    @property
    def watches(self) -> Path:
        """Which codebases the live runtime watches, and why not; absent while it watches none."""
        return self.run / "watches.json"

    @property
    def log(self) -> Path:
        """What the runtime said."""
        return self.run / "runtime.log"


def launcher_command(state_root: Path) -> Path:
    """The command that configurations name."""
    return state_root / "bin" / "satori-mcp"


def shell_command(state_root: Path) -> Path:
    """The `satori` of the installed version, for people."""
    return state_root / "bin" / "satori"


def runtime_directories(state_root: Path) -> Iterator[RuntimeDirectory]:
    """Every installed version, complete or not, by name."""
    try:
        entries = sorted((state_root / "runtimes").iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink() and not entry.name.startswith("."):
            yield RuntimeDirectory(entry)
