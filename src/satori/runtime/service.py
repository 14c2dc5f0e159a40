"""Joins the runtime to Satori's server: one workbench for the process, one session for each connection."""

from __future__ import annotations

import sys
import threading
from functools import partial
from typing import TYPE_CHECKING

from satori.runtime.host import Greeting, ReadLine, Service, WriteLine
from satori.runtime.owners import mutation_block
from satori.runtime.paths import RuntimeDirectory

if TYPE_CHECKING:
    from satori.runtime.watch import Watcher

WATCH_SETTING = "watch.files"
WORKER_SECONDS = 300.0
"""How long a warm analysis worker (about 100 MB) is kept for the next sync."""


def satori_service(directory: RuntimeDirectory) -> Service:
    """The eleven tools over the directory's state root."""
    # Imported here: a runtime that finds another one running never pays for these.
    from satori.server import app  # noqa: F401 - imported before clients arrive, since it takes the longest
    from satori.server.sessions import Session
    from satori.server.transport import OversizedLineError, serve_lines
    from satori.server.workbench import Workbench

    watching = Watching(directory)
    workbench = Workbench(
        directory.state_root,
        mutation_block=partial(mutation_block, directory),
        catches_up=True,
        on_use=watching.use,
    )

    async def serve(greeting: Greeting, read_line: ReadLine, write_line: WriteLine) -> None:
        async def read_bounded() -> bytes:
            try:
                return await read_line()
            except ValueError as error:
                raise OversizedLineError("a message is too long") from error

        session = Session.of_process(greeting.environment, greeting.directory)
        await serve_lines(read_bounded, write_line, session, workbench)

    def busy() -> bool:
        # Nobody has started an operation while the module is not even imported.
        operations = sys.modules.get("satori.publication.operations")
        return operations is not None and operations.any_running()

    def evict_idle() -> None:
        workbench.evict_idle()
        watching.heed_settings()
        pool = sys.modules.get("satori.publication.pool")
        if pool is not None:
            pool.shared_pool().close_idle(WORKER_SECONDS)

    def close() -> None:
        watching.close()
        workbench.close()

    return Service(serve=serve, evict_idle=evict_idle, close=close, busy=busy)


class Watching:
    """The watcher of codebases in use, while the user's settings ask for one."""

    def __init__(self, directory: RuntimeDirectory) -> None:
        self._directory = directory
        self._watcher: Watcher | None = None
        self._guard = threading.Lock()

    def use(self, root: str) -> None:
        """A session asks about this codebase."""
        if not _wanted():
            return
        # Imported here: without a watcher nothing of it is ever loaded.
        from satori.runtime.watch import Watcher

        with self._guard:
            if self._watcher is None:
                directory = self._directory
                self._watcher = Watcher(
                    directory.state_root, directory.watches, lambda: mutation_block(directory) is not None
                )
            self._watcher.watch(root)

    def heed_settings(self) -> None:
        """Stop watching when the user switched it off."""
        if self._watcher is not None and not _wanted():
            self.close()

    def close(self) -> None:
        """Stop watching."""
        with self._guard:
            watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.close()


def _wanted() -> bool:
    from satori.errors import SettingsError
    from satori.settings.file import current

    try:
        return current().value(WATCH_SETTING).value == "on"
    except SettingsError:
        # Whoever needs the settings says what is wrong with them.
        return False
