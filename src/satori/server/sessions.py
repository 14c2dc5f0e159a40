"""One session: a client's connection, the workspaces it named, and the result sets frozen for it.

A frozen set lives 15 minutes, belongs to its session alone, and is refused with its own reason when it is unknown,
expired, read out of order or of another Publication than the served one. Nothing here is shared or stored.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from satori.server.policy import real_and_given

FROZEN_SECONDS = 15 * 60
MAX_FROZEN = 32
MAX_REMEMBERED = 256
MAX_WORKSPACES = 64
CODEX_METADATA = "x-codex-turn-metadata"
# The only environment variables that say anything about a session.
SESSION_ENVIRONMENT = ("CLAUDE_PROJECT_DIR",)


@dataclass(slots=True)
class FrozenSet:
    """The ordered result set of one search over one Publication.

    `pages` maps (offset, limit) to the offset that follows what was shown; a page may begin only where one ended.
    `arguments` are those of the search, so that a refusal can name it as the next call.
    """

    handle: str
    root: str
    publication_id: str
    created: float
    answer: Any
    arguments: dict[str, Any]
    pages: dict[tuple[int, int], int] = field(default_factory=dict)

    def begins_page(self, offset: int) -> bool:
        """Whether a page may begin at `offset`."""
        return offset in self.pages.values()


@dataclass(slots=True)
class Session:
    """What the server knows of one connection.

    `unrestricted` is for the person at the shell, who may name any path but the forbidden ones.
    """

    workspaces: tuple[str, ...] = ()
    unrestricted: bool = False
    clock: Callable[[], float] = time.monotonic
    roots_known: bool = False
    _frozen: OrderedDict[str, FrozenSet] = field(default_factory=OrderedDict)
    _expired: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of_process(cls, environment: Mapping[str, str], directory: str) -> Session:
        """The session of a client that started us in `directory` with `environment`."""
        session = cls()
        session.add_workspaces([*(environment.get(name, "") for name in SESSION_ENVIRONMENT), directory])
        return session

    def add_workspaces(self, paths: list[str]) -> None:
        """Directories the client works in; `/` and the home directory are never workspaces (the policy sees to it)."""
        with self._lock:
            known = dict.fromkeys((*self.workspaces, *real_and_given(paths)))
            self.workspaces = tuple(known)[:MAX_WORKSPACES]

    def observe_metadata(self, meta: Mapping[str, Any] | None) -> None:
        """Take the workspaces out of a request's `_meta`, where Codex puts them."""
        self.add_workspaces(codex_workspaces(meta))

    def freeze(self, root: str, publication_id: str, answer: Any, arguments: dict[str, Any]) -> FrozenSet:
        """Keep a result set for `continue_search`.

        The handle is a name of the question, not a secret: the same question about the same Publication has the same
        answer, handle included, and asking again makes the set live on. Only this session can use it.
        """
        asked = json.dumps([root, publication_id, arguments], sort_keys=True).encode("utf-8", "surrogatepass")
        handle = "c" + hashlib.blake2b(asked, digest_size=8).hexdigest()
        frozen = FrozenSet(handle, root, publication_id, self.clock(), answer, arguments)
        with self._lock:
            self._drop_old()
            earlier = self._frozen.pop(handle, None)
            if earlier is not None:
                frozen.pages = earlier.pages
            self._expired.pop(handle, None)
            self._frozen[handle] = frozen
            while len(self._frozen) > MAX_FROZEN:
                self._expire(next(iter(self._frozen)))
        return frozen

    def frozen(self, handle: str) -> FrozenSet | None:
        """The live frozen set of this handle; None when it is unknown or expired (`expired` tells which)."""
        with self._lock:
            self._drop_old()
            return self._frozen.get(handle)

    def expired(self, handle: str) -> dict[str, Any] | None:
        """The arguments of the search whose set this handle named before it grew too old; None when unknown."""
        with self._lock:
            return self._expired.get(handle)

    def _drop_old(self) -> None:
        limit = self.clock() - FROZEN_SECONDS
        for handle in [handle for handle, frozen in self._frozen.items() if frozen.created < limit]:
            self._expire(handle)

    def _expire(self, handle: str) -> None:
        self._expired[handle] = self._frozen.pop(handle).arguments
        while len(self._expired) > MAX_REMEMBERED:
            self._expired.popitem(last=False)


def codex_workspaces(meta: Mapping[str, Any] | None) -> list[str]:
    """The workspace paths in Codex's turn metadata: an object or its JSON, with a list or a map of paths."""
    found: Any = (meta or {}).get(CODEX_METADATA)
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except ValueError:
            return []
    workspaces = found.get("workspaces") if isinstance(found, Mapping) else None
    if isinstance(workspaces, Mapping):
        return [path for path in workspaces if isinstance(path, str)]
    if isinstance(workspaces, list):
        return [path for path in workspaces if isinstance(path, str)]
    return []


def file_uri_path(uri: str) -> str:
    """The absolute path of a `file://` URI from roots/list, or empty."""
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return ""
    return unquote(parts.path) if Path(unquote(parts.path)).is_absolute() else ""
