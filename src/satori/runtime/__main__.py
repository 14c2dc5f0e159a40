"""`python -m satori.runtime RUNTIME_DIRECTORY [--ready DESCRIPTOR]`: become the runtime of that directory.

The lock is taken before anything heavy is imported, so that of several started at once only one pays. One byte is
written to the descriptor when a runtime listens; closing it without one means failure.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from satori.runtime.exclusion import bind, exclusive, listening, trim_log
from satori.runtime.paths import RuntimeDirectory

if TYPE_CHECKING:
    from satori.runtime.host import Service

WAIT_SECONDS = 30.0
END_SECONDS = 2.0


def main(arguments: list[str], make_service: Callable[[RuntimeDirectory], Service] | None = None) -> int:
    """Run the runtime; the exit code is 0 also when another one already does."""
    directory = RuntimeDirectory(Path(arguments[0]))
    ready = int(arguments[2]) if arguments[1:2] == ["--ready"] else None
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        with exclusive(directory) as mine:
            if mine:
                return _run(directory, ready, make_service or _service)
        # Another runtime starts, serves or is about to end: wait until one of the three is decided.
        if listening(directory):
            _announce(ready)
            return 0
        if time.monotonic() > deadline:
            sys.stderr.write(f"satori: another process holds {directory.lock} but does not listen\n")
            return 1
        time.sleep(0.02)


def _run(directory: RuntimeDirectory, ready: int | None, make_service: Callable[[RuntimeDirectory], Service]) -> int:
    import asyncio
    import logging
    import signal
    import threading

    from satori.runtime import owners
    from satori.runtime.host import Host, idle_seconds

    trim_log(directory.log)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    owners.register(directory)
    service = make_service(directory)
    listener = bind(directory)
    _announce(ready)

    async def run() -> None:
        host = Host(listener, service, idle_seconds(os.environ))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, host.stop)
        try:
            await host.run()
        finally:
            # From here on new clients start a runtime of their own, which waits for the lock.
            directory.socket.unlink(missing_ok=True)
            threading.Thread(target=_end_soon, daemon=True).start()

    asyncio.run(run())
    service.close()
    directory.owner.unlink(missing_ok=True)
    # Worker threads may still be inside native code; nobody waits for them.
    sys.stderr.flush()
    os._exit(0)


def _announce(ready: int | None) -> None:
    if ready is not None:
        os.write(ready, b"1")
        os.close(ready)


def _end_soon() -> None:
    time.sleep(END_SECONDS)
    os._exit(0)


def _service(directory: RuntimeDirectory) -> Service:
    """Satori's own tools."""
    from satori.runtime.service import satori_service

    return satori_service(directory)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
