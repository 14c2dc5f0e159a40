"""Which runtimes live under a state root, and how they are ended.

A runtime writes its owner file while it holds its lock; a file whose process is gone, or whose number was reused, is
no owner. Deliberately absent: anything about codebases.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path

from satori.publication.process import own_identity, start_time
from satori.publication.state import read_json, write_json
from satori.runtime.paths import RuntimeDirectory, runtime_directories
from satori.runtime.process import end_process


@dataclass(frozen=True, slots=True)
class Owner:
    """A live runtime."""

    runtime: str
    """`<version>-<code>`: the name of its directory."""
    pid: int
    started: str
    """The process's start in the system's own words."""
    since: float
    """Seconds since the epoch."""

    def __str__(self) -> str:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.since))
        return f"Satori {self.runtime}, process {self.pid}, since {when}"


def register(directory: RuntimeDirectory) -> Owner:
    """Record this process as the directory's runtime. Raises OSError."""
    me = own_identity()
    owner = Owner(directory.name, me.pid, me.start, time.time())
    write_json(directory.owner, asdict(owner))
    return owner


def owner_of(directory: RuntimeDirectory) -> Owner | None:
    """The directory's live runtime, verified by process number and start."""
    fields = read_json(directory.owner)
    try:
        owner = Owner(**fields) if fields else None
    except TypeError:
        return None
    if owner is None or not isinstance(owner.pid, int) or start_time(owner.pid) != owner.started:
        return None
    return owner


def live_owners(state_root: Path) -> tuple[Owner, ...]:
    """Every live runtime under the state root, by name."""
    owners = (owner_of(directory) for directory in runtime_directories(state_root))
    return tuple(owner for owner in owners if owner is not None)


def mutation_block(directory: RuntimeDirectory) -> str | None:
    """Why this runtime must not change state now: another version or state of the code is live; else None."""
    others = [owner for owner in live_owners(directory.state_root) if owner.runtime != directory.name]
    if not others:
        return None
    own = owner_of(directory) or f"Satori {directory.name}"
    named = "; ".join(str(owner) for owner in others)
    return (
        f"Two runtimes own this state: {own}; and {named}. Changing it is blocked, reading goes on. "
        f"Restart the agents that still use the older one, or run `satori terminate`."
    )


def terminate(state_root: Path) -> tuple[tuple[Owner, bool], ...]:
    """End every verified runtime under the state root; each with whether it is gone. Indexes stay."""
    return tuple((owner, end_process(owner.pid, owner.started)) for owner in live_owners(state_root))
