"""Starts a server command as a client would, with next to no environment, and asks for its tools.

Used after an installation and by the doctor. It judges names and order only.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satori.errors import SatoriError

PROBE_SECONDS = 30.0
# Codex passes some twenty variables, others fewer: what works with these works everywhere.
_PASSED = ("HOME", "PATH", "USER", "TMPDIR", "LANG", "SATORI_RUNTIME_IDLE_SECONDS")


@dataclass(frozen=True, slots=True)
class Probe:
    """What a started server said."""

    tools: tuple[str, ...]
    server: str
    handshake_ms: float
    """From the start of the process to the reply to initialize."""
    call_ms: float
    """From the request to the answer of list_codebases: the runtime's start included, when it had to be started."""


def probe(command: list[str], *, environment: dict[str, str] | None = None, call: bool = True) -> Probe:
    """Start the command, list its tools, call list_codebases, and close it.

    Raises:
        SatoriError: it cannot be started, ends early, answers with an error, or not within 30 s.
    """
    started = time.perf_counter()
    with Conversation(command, environment=environment) as talk:
        try:
            opened = talk.open()
            handshake = time.perf_counter() - started
            tools = tuple(tool["name"] for tool in talk.ask("tools/list", {})["tools"])
            began = time.perf_counter()
            if call:
                talk.ask("tools/call", {"name": "list_codebases", "arguments": {}})
            waited = time.perf_counter() - began
            return Probe(tools, str(opened["serverInfo"]["version"]), handshake * 1e3, waited * 1e3)
        except (KeyError, TypeError, ValueError) as error:
            raise SatoriError(f"{Path(command[0]).name} answered something that is not MCP.") from error


class Conversation:
    """A server process and the line to it; leaving the context ends the process.

    Raises:
        SatoriError: when started: it cannot be; when asked: it ended, refused, or did not answer within 30 s.
    """

    def __init__(
        self,
        command: list[str],
        *,
        environment: Mapping[str, str] | None = None,
        directory: str = "/",
        seconds: float = PROBE_SECONDS,
    ) -> None:
        given = os.environ if environment is None else environment
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd=directory,
                env={name: given[name] for name in _PASSED if name in given},
            )
        except OSError as error:
            raise SatoriError(f"{command[0]} cannot be started: {error.strerror}.") from error
        self._rest = b""
        self._identity = 0
        self._seconds = seconds

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()

    def open(self) -> dict[str, Any]:
        """The handshake; the result of initialize."""
        client = {"name": "satori-doctor", "version": "1"}
        opened = self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return opened

    def say(self, message: dict[str, Any]) -> None:
        """Send one message."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise SatoriError("The server ended before it answered.") from error

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result; other messages are passed over."""
        self._identity += 1
        self.say({"jsonrpc": "2.0", "id": self._identity, "method": method, "params": params})
        deadline = time.monotonic() + self._seconds
        while True:
            message = json.loads(self._line(deadline))
            if not isinstance(message, dict):
                raise ValueError("a message is an object")
            if message.get("id") == self._identity and "method" not in message:
                break
        if "error" in message:
            raise SatoriError(f"The server refused {method}: {message['error'].get('message')}")
        result = message["result"]
        if not isinstance(result, dict):
            raise TypeError(method)
        return result

    def _line(self, deadline: float) -> bytes:
        assert self.process.stdout is not None
        while b"\n" not in self._rest:
            left = deadline - time.monotonic()
            ready = left > 0 and select.select([self.process.stdout], [], [], left)[0]
            if not ready:
                raise SatoriError(f"The server did not answer within {self._seconds:.0f} s.")
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                raise SatoriError("The server ended before it answered.")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line
