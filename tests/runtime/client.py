"""Runtime directories made for tests, and a client that speaks to a launcher as agents do."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from satori.runtime import launcher
from satori.runtime.environment import compile_launcher
from satori.runtime.paths import RuntimeDirectory
from satori.runtime.payload import record_payload
from tests.runtime.fixture_runtime import fixture_service

REPOSITORY = Path(__file__).parents[2]


def make_runtime(state_root: Path, name: str = "1.0-test", *, with_payload: bool = True) -> RuntimeDirectory:
    """A runtime directory around the fixture server."""
    directory = RuntimeDirectory(state_root / "runtimes" / name)
    for path in (directory.path / "bin", directory.run):
        path.mkdir(parents=True, mode=0o700)
    fixture = Path(__file__).with_name("fixture_runtime.py")
    # Stands in for an interpreter with Satori in it: the launcher runs as it is, the runtime is the fixture's.
    directory.python.write_text(
        f'#!/bin/sh\n[ "$2" = -S ] && exec \'{sys.executable}\' "$@"\n'
        f"PYTHONPATH='{REPOSITORY}' exec '{sys.executable}' '{fixture}' \"$@\"\n"
    )
    directory.python.chmod(0o700)
    compile_launcher(Path(launcher.__file__), directory)
    if with_payload:
        directory.payload.write_text(json.dumps(record_payload(fixture_service(directory))))
    return directory


class Client:
    """One agent session over a launcher's standard streams."""

    def __init__(
        self, command: list[str], *, cwd: Path | None = None, environment: dict[str, str] | None = None
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env={"SATORI_RUNTIME_IDLE_SECONDS": "1", "PATH": os.environ["PATH"], **(environment or {})},
        )
        self.rest = b""
        self.identity = 0

    @classmethod
    def of(cls, directory: RuntimeDirectory, *, cwd: Path | None = None, **environment: str) -> Client:
        """A client of the directory's launcher."""
        command = [sys.executable, "-I", "-S", str(directory.launcher), str(directory.path)]
        return cls(command, cwd=cwd, environment=environment)

    def say(self, method: str, params: dict[str, Any] | None = None, *, identity: int | str | None = None) -> None:
        """Send a request with the identity, or a notification without."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if identity is not None:
            message["id"] = identity
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def hear(self, seconds: float = 15.0) -> dict[str, Any]:
        """The next message; fails after the time, or at the launcher's end."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + seconds
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "no message in time"
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            assert data, "the launcher ended"
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def ask(self, method: str, params: dict[str, Any] | None = None, seconds: float = 15.0) -> dict[str, Any]:
        """Send a request and wait for its reply; messages of others are passed over."""
        self.identity += 1
        self.say(method, params, identity=self.identity)
        while True:
            message = self.hear(seconds)
            if message.get("id") == self.identity:
                return message

    def open(self, version: str = "2025-06-18") -> dict[str, Any]:
        """The handshake; returns the reply to initialize."""
        client = {"name": "test", "version": "1"}
        reply = self.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})
        self.say("notifications/initialized")
        return reply

    def call(self, name: str, **arguments: object) -> dict[str, Any]:
        """Call a tool."""
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def text(self, name: str, **arguments: object) -> str:
        """The text that a tool call gives."""
        reply = self.call(name, **arguments)
        said = reply["result"]["content"][0]["text"]
        assert isinstance(said, str)
        return said

    def close(self) -> int:
        """Close the launcher's input and wait for its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(5)
