"""The shared runtime: one process that serves every session of one user and one version over a Unix socket.

The first line of a connection is the launcher's greeting, answered by a welcome; what follows is MCP, one session a
connection. It ends 60 s after the last session. Deliberately absent: what the tools do, and who starts it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from satori.runtime.process import peer_user

logger = logging.getLogger(__name__)

IDLE_SECONDS = 60.0
IDLE_VARIABLE = "SATORI_RUNTIME_IDLE_SECONDS"
EVICTION_SECONDS = 30.0
GREETING_SECONDS = 5.0
LINE_LIMIT = 16 << 20


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a launcher says of its session."""

    directory: str
    """The client's working directory, "" when unknown."""
    environment: Mapping[str, str]
    """The few variables that say where the client works."""


ReadLine = Callable[[], Awaitable[bytes]]
WriteLine = Callable[[bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Service:
    """What the runtime serves: one MCP session, and the care for what sessions share."""

    serve: Callable[[Greeting, ReadLine, WriteLine], Awaitable[None]]
    """Serves a session until its lines end (`b""`)."""
    evict_idle: Callable[[], None]
    """Called every 30 s: let go of what nobody used for a while."""
    close: Callable[[], None]
    busy: Callable[[], bool] = lambda: False
    """Whether work goes on that no session waits for; the runtime then does not idle out."""


def idle_seconds(environment: Mapping[str, str]) -> float:
    """How long the runtime waits after its last session: 60 s unless the environment says otherwise."""
    try:
        return max(0.1, float(environment.get(IDLE_VARIABLE, "") or IDLE_SECONDS))
    except ValueError:
        return IDLE_SECONDS


class Host:
    """Accepts sessions until it idles out or is told to stop."""

    def __init__(self, listener: socket.socket, service: Service, idle: float = IDLE_SECONDS) -> None:
        self._listener = listener
        self._service = service
        self._idle = idle
        self._sessions: set[asyncio.Task[None]] = set()
        self._last_end = time.monotonic()
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """End soon; from a signal handler of the loop."""
        self._stop.set()

    async def run(self) -> None:
        """Serve; returns when idle for long enough, or stopped."""
        server = await asyncio.start_unix_server(self._accept, sock=self._listener, limit=LINE_LIMIT)
        ticks = [asyncio.create_task(self._watch_idle()), asyncio.create_task(self._evict())]
        try:
            await self._stop.wait()
        finally:
            server.close()
            for task in (*ticks, *self._sessions):
                task.cancel()
            await asyncio.wait({*ticks, *self._sessions}, timeout=1.0)

    async def _watch_idle(self) -> None:
        while True:
            await asyncio.sleep(min(1.0, self._idle / 4))
            quiet = not self._sessions and not self._service.busy()
            if quiet and time.monotonic() - self._last_end >= self._idle:
                self._stop.set()
                return

    async def _evict(self) -> None:
        while True:
            await asyncio.sleep(EVICTION_SECONDS)
            try:
                await asyncio.to_thread(self._service.evict_idle)
            except Exception:
                logger.exception("idle Publications could not be let go")

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        try:
            await self._session(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            logger.debug("a client left in the middle of a message")
        except Exception:
            logger.exception("a session ended with an error")
        finally:
            self._sessions.discard(task)
            self._last_end = time.monotonic()
            writer.close()

    async def _session(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end = writer.get_extra_info("socket")
        user = peer_user(end)
        if user != os.geteuid():
            logger.warning("a connection of user %s was refused", user)
            await _say(writer, {"satori": "refused", "message": "this runtime serves another user"})
            return
        try:
            greeting = _greeting(await asyncio.wait_for(reader.readline(), GREETING_SECONDS))
        except (TimeoutError, ValueError) as error:
            await _say(writer, {"satori": "refused", "message": f"the greeting was not understood: {error}"})
            return
        await _say(writer, {"satori": "welcome", "pid": os.getpid()})

        async def read_line() -> bytes:
            try:
                return await reader.readline()
            except ConnectionError:
                return b""

        async def write_line(line: bytes) -> None:
            # A client that is gone is seen by the next read.
            with contextlib.suppress(ConnectionError):
                writer.write(line)
                await writer.drain()

        await self._service.serve(greeting, read_line, write_line)


def _greeting(line: bytes) -> Greeting:
    fields = json.loads(line)
    if not isinstance(fields, dict) or fields.get("satori") != "hello":
        raise ValueError("not a greeting")
    environment = fields.get("environment")
    directory = fields.get("directory")
    return Greeting(
        directory=directory if isinstance(directory, str) else "",
        environment={str(name): str(value) for name, value in environment.items()}
        if isinstance(environment, dict)
        else {},
    )


async def _say(writer: asyncio.StreamWriter, message: Mapping[str, object]) -> None:
    writer.write(json.dumps(message).encode() + b"\n")
    await writer.drain()
