"""Starts a server command as a client would, with next to no environment, and asks for its tools.

Used after an installation and by the doctor. It judges names and order only.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
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
    given = os.environ if environment is None else environment
    started = time.perf_counter()
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env={name: given[name] for name in _PASSED if name in given},
        )
    except OSError as error:
        raise SatoriError(f"{command[0]} cannot be started: {error.strerror}.") from error
    talk = _Talk(process)
    try:
        client = {"name": "satori-doctor", "version": "1"}
        opened = talk.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        handshake = time.perf_counter() - started
        talk.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools = tuple(tool["name"] for tool in talk.ask("tools/list", {})["tools"])
        began = time.perf_counter()
        if call:
            talk.ask("tools/call", {"name": "list_codebases", "arguments": {}})
        return Probe(tools, str(opened["serverInfo"]["version"]), handshake * 1e3, (time.perf_counter() - began) * 1e3)
    except (KeyError, TypeError, ValueError) as error:
        raise SatoriError(f"{Path(command[0]).name} answered something that is not MCP.") from error
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


class _Talk:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._rest = b""
        self._identity = 0
        self._deadline = time.monotonic() + PROBE_SECONDS

    def say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise SatoriError("The server ended before it answered.") from error

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._identity += 1
        self.say({"jsonrpc": "2.0", "id": self._identity, "method": method, "params": params})
        while True:
            message = json.loads(self._line())
            if message.get("id") == self._identity and "method" not in message:
                break
        if "error" in message:
            raise SatoriError(f"The server refused {method}: {message['error'].get('message')}")
        result = message["result"]
        if not isinstance(result, dict):
            raise TypeError(method)
        return result

    def _line(self) -> bytes:
        assert self._process.stdout is not None
        while b"\n" not in self._rest:
            left = self._deadline - time.monotonic()
            ready = left > 0 and select.select([self._process.stdout], [], [], left)[0]
            if not ready:
                raise SatoriError(f"The server did not answer within {PROBE_SECONDS:.0f} s.")
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            if not data:
                raise SatoriError("The server ended before it answered.")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line
