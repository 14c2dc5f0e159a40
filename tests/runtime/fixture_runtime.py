"""A real runtime, its socket and its sessions, around a server of three tools that costs nothing to start.

Run as the `bin/python` of a runtime directory would run `-m satori.runtime`; its arguments are the same. The server
speaks just enough MCP to be told apart from the launcher's own replies; Satori's real one is installed in
tests/clients/test_install.py.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from satori.runtime.__main__ import main
from satori.runtime.paths import RuntimeDirectory

if TYPE_CHECKING:
    from satori.runtime.host import Greeting, ReadLine, Service, WriteLine

TOOLS = ("echo", "crash", "sleep")


def fixture_service(directory: RuntimeDirectory) -> Service:
    """A service whose tools say where the session works, end the process, and take their time."""
    from satori.runtime.host import Service

    async def serve(greeting: Greeting, read_line: ReadLine, write_line: WriteLine) -> None:
        opened = False

        async def answer(message: dict[str, Any]) -> None:
            nonlocal opened
            params = message.get("params", {})
            method = message["method"]
            reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
            if method == "initialize":
                opened = True
                version = params["protocolVersion"]
                reply["result"] = {
                    "protocolVersion": version if version.startswith("202") else "2025-11-25",
                    "serverInfo": {"name": "fixture", "version": "1"},
                }
            elif method == "server/discover":
                reply["result"] = {"supportedVersions": ["2026-07-28"]}
            elif method == "tools/list":
                reply["result"] = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}
            elif method == "tools/call" and (opened or "_meta" in params):
                arguments = params["arguments"]
                if params["name"] == "crash":
                    os.kill(os.getpid(), 9)
                if params["name"] == "sleep":
                    await asyncio.sleep(arguments["seconds"])
                said = f"{greeting.directory}|{greeting.environment.get('CLAUDE_PROJECT_DIR', '')}|{os.getpid()}"
                reply["result"] = {"content": [{"type": "text", "text": said + str(arguments.get("x", ""))}]}
            elif method == "ping":
                reply["result"] = {}
            else:
                reply["error"] = {"code": -32601, "message": f"no {method}"}
            await write_line(json.dumps(reply).encode() + b"\n")

        running: set[asyncio.Task[None]] = set()
        while line := await read_line():
            message = json.loads(line)
            if "id" in message and message["method"] == "initialize":
                await answer(message)
            elif "id" in message:
                running.add(asyncio.create_task(answer(message)))
        for task in running:
            task.cancel()

    return Service(serve=serve, evict_idle=lambda: None, close=lambda: None)


if __name__ == "__main__":
    if (failure := os.environ.get("SATORI_FIXTURE_FAILS")) is not None:
        sys.exit(int(failure))
    sys.exit(main(sys.argv[sys.argv.index("satori.runtime") + 1 :], fixture_service))
