"""Running a function as a user without rights, for rules about permissions: the tests themselves may run as root."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

_NOBODY = 65534


def run_unprivileged(directory: Path, function: Callable[[], str], *, read_only: Path) -> str:
    """Call `function` in a forked child as nobody, with everything below `read_only` readable and nothing writable.

    The interpreter may lie where nobody can read, so nothing is executed anew, and `function` must not import. The
    ancestors of `directory` are opened for passage while it runs.
    """
    changed: list[tuple[Path, int]] = []
    for path in [*directory.parents, directory, *directory.rglob("*")]:
        mode = path.stat().st_mode & 0o7777
        wanted = (mode | 0o055) if path.is_dir() else (mode | 0o044)
        if read_only in (path, *path.parents):
            wanted &= ~0o222
        if wanted != mode and path != Path("/"):
            changed.append((path, mode))
            path.chmod(wanted)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(_NOBODY)
                os.setuid(_NOBODY)
            os.write(writer, function().encode())
            status = 0
        except BaseException as error:
            print(repr(error), file=sys.__stderr__, flush=True)
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        answer = stream.read().decode()
    _, ended = os.waitpid(child, 0)
    for path, mode in reversed(changed):
        if path.exists():
            path.chmod(mode)
    assert ended == 0, answer
    return answer
