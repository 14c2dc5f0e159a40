"""Live processes that may change a state root, with their versions: two versions must not both change one state.

Registrations are files named by pid and start time, so a dead or recycled pid is recognised and its file removed. This
module blocks nothing by itself beyond `refuse_other_versions`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from satori.errors import StateError
from satori.publication.process import ProcessIdentity, own_identity
from satori.publication.state import StateRoot, make_directory, read_json, state_error, write_json


@dataclass(frozen=True, slots=True)
class Owner:
    """One live process that may change state."""

    pid: int
    version: str
    start: str


@contextlib.contextmanager
def register(state_root: Path, version: str) -> Iterator[None]:
    """Be known as an owner while this runs. Raises StateError when the state root cannot be written."""
    me = own_identity()
    directory = StateRoot(state_root).owners
    path = directory / f"{me.pid}-{me.start.replace(':', '-')}.json"
    mine = not path.exists()
    if mine:
        try:
            make_directory(directory)
            write_json(path, {"pid": me.pid, "start": me.start, "version": version})
        except OSError as error:
            raise state_error(error, "register this process") from error
    try:
        yield
    finally:
        if mine:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def owners(state_root: Path) -> tuple[Owner, ...]:
    """All live owners, this process included, ordered by pid. Files of dead ones are removed on the way."""
    found: list[Owner] = []
    try:
        paths = list(StateRoot(state_root).owners.glob("*.json"))
    except OSError:
        return ()
    for path in paths:
        document = read_json(path)
        if document is None:
            continue
        pid, start, version = document.get("pid"), document.get("start"), document.get("version")
        if not (isinstance(pid, int) and isinstance(start, str) and isinstance(version, str)):
            continue
        if ProcessIdentity(pid, start).alive:
            found.append(Owner(pid, version, start))
        else:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
    return tuple(sorted(found, key=lambda owner: (owner.pid, owner.version)))


def others(state_root: Path, version: str) -> tuple[Owner, ...]:
    """Live owners of another version than `version`."""
    return tuple(owner for owner in owners(state_root) if owner.version != version)


def refuse_other_versions(state_root: Path, version: str) -> None:
    """Raise StateError (`runtime_version_conflict`) naming both versions when a live owner has another one."""
    for owner in others(state_root, version):
        raise StateError(
            f"Another Satori runtime is alive on this state root: pid {owner.pid} is version {owner.version}, "
            f"this one is version {version}. Two versions must not change one state.",
            next_step="End the other one (`satori terminate`), then run this again.",
            code="runtime_version_conflict",
        )
