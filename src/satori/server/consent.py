"""Which codebases a person indexed from the shell: the list that lets any session of theirs ask about them.

One small file in the state root, replaced atomically. A damaged or missing list grants nothing. A session's own
workspaces need no entry here.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from satori.errors import StateError

NAME = "shell-codebases.json"
MAX_BYTES = 1 << 20


def granted(state_root: Path) -> tuple[str, ...]:
    """The roots indexed from the shell, canonical, sorted."""
    try:
        with (state_root / NAME).open("rb") as stream:
            roots = json.loads(stream.read(MAX_BYTES))["roots"]
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    return tuple(sorted(root for root in roots if isinstance(root, str) and root.startswith("/")))


def grant(state_root: Path, root: str) -> None:
    """Add one root. Raises StateError when the state root cannot be written."""
    _write(state_root, {*granted(state_root), root})


def revoke(state_root: Path, root: str) -> None:
    """Take one root out again, when its state is cleared."""
    remaining = set(granted(state_root))
    if root in remaining:
        _write(state_root, remaining - {root})


def _write(state_root: Path, roots: set[str]) -> None:
    if roots == set(granted(state_root)) and (state_root / NAME).exists():
        return
    try:
        state_root.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".consent-", dir=state_root)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump({"roots": sorted(roots)}, stream, ensure_ascii=True, indent=1)
            Path(temporary).replace(state_root / NAME)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StateError(
            f"The state root {state_root} cannot be written: {error.strerror}.",
            next_step="Free space, fix its permissions, or set SATORI_STATE_ROOT to another directory.",
        ) from error
