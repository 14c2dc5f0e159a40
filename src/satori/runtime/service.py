"""Joins the runtime to Satori's server: one workbench for the process, one session for each connection."""

from __future__ import annotations

import sys
from functools import partial

from satori.runtime.host import Greeting, ReadLine, Service, WriteLine
from satori.runtime.owners import mutation_block
from satori.runtime.paths import RuntimeDirectory

WORKER_SECONDS = 300.0
"""How long a warm analysis worker (about 100 MB) is kept for the next sync."""


def satori_service(directory: RuntimeDirectory) -> Service:
    """The eleven tools over the directory's state root."""
    # Imported here: a runtime that finds another one running never pays for these.
    from satori.server import app  # noqa: F401 - imported before clients arrive, since it takes the longest
    from satori.server.sessions import Session
    from satori.server.transport import OversizedLineError, serve_lines
    from satori.server.workbench import Workbench

    workbench = Workbench(directory.state_root, mutation_block=partial(mutation_block, directory), catches_up=True)

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
        pool = sys.modules.get("satori.publication.pool")
        if pool is not None:
            pool.shared_pool().close_idle(WORKER_SECONDS)

    return Service(serve=serve, evict_idle=evict_idle, close=workbench.close, busy=busy)
