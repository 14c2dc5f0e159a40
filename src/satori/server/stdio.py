"""The server on standard input and output, guarded: nothing but JSON-RPC can ever reach the client.

The real descriptors are moved aside before anything heavy is imported; descriptor 1 then is standard error and
descriptor 0 the null device, so warnings, native libraries and child processes cannot speak on the wire or eat from it.
Ends within about a second of end of input, SIGINT, SIGTERM, a closed output or the death of its parent.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType

PARENT_CHECK_SECONDS = 0.5
EXIT_SECONDS = 0.8


def guard() -> tuple[int, int]:
    """Move the real standard input and output aside; returns their new descriptors."""
    source, wire = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout = sys.stderr
    return source, wire


def serve(state_root: Path) -> int:
    """Serve one client until it goes away; returns the exit code (and in fact exits the process itself)."""
    source, wire = guard()
    _watch_parent()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="satori: %(levelname)s: %(message)s")
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        # A second signal, or a clean-up that hangs, must not keep the process.
        if stopping.is_set():
            os._exit(0)
        stopping.set()
        threading.Thread(target=_exit_soon, daemon=True).start()
        _clean_up()
        os._exit(0)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)

    import anyio

    anyio.run(_serve, state_root, source, wire)
    _clean_up()
    sys.stderr.flush()
    # Worker threads may still be inside native code; the client is gone, so nobody waits for them.
    os._exit(0)


async def _serve(state_root: Path, source: int, wire: int) -> None:
    import anyio.to_thread

    from satori.server.sessions import Session
    from satori.server.transport import MAX_LINE, OversizedLineError, serve_lines
    from satori.server.workbench import Workbench

    global _workbench
    session = Session.of_process(os.environ, _directory())
    _workbench = Workbench(state_root, catches_up=True)
    stream = os.fdopen(source, "rb", buffering=1 << 16)

    def next_line() -> bytes:
        line = stream.readline(MAX_LINE + 1)
        if len(line) <= MAX_LINE:
            return line
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
        raise OversizedLineError(f"a message is longer than {MAX_LINE} bytes")

    def put(line: bytes) -> None:
        view = memoryview(line)
        while view:
            view = view[os.write(wire, view) :]

    async def read_line() -> bytes:
        return await anyio.to_thread.run_sync(next_line, abandon_on_cancel=True)

    async def write_line(line: bytes) -> None:
        try:
            await anyio.to_thread.run_sync(put, line, abandon_on_cancel=True)
        except OSError:
            _clean_up()
            os._exit(0)

    await serve_lines(read_line, write_line, session, _workbench)


_workbench = None


def _clean_up() -> None:
    """Stop what this process started."""
    if _workbench is not None:
        _workbench.close()


def _exit_soon() -> None:
    time.sleep(EXIT_SECONDS)
    os._exit(0)


def _directory() -> str:
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _watch_parent() -> None:
    """End when the process that started us does, even while something else holds our input open."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="satori-parent-watch").start()
