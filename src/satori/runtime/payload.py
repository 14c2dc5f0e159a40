"""Records the replies that the launcher knows by heart, by asking the real server once for each protocol version.

    {"default": version, version: {method: JSON text of the result}}

initialize, server/discover and tools/list depend on the code alone, so a record made at installation stays true.
Deliberately absent: any reply that depends on state.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from satori.errors import SatoriError
from satori.publication.state import read_json, write_json
from satori.runtime.host import Greeting, Service
from satori.runtime.paths import RuntimeDirectory

PROTOCOL_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
_CLIENT = {"name": "satori-install", "version": "1"}
_SECONDS = 30.0

Payload = dict[str, Any]


def record_payload(service: Service) -> Payload:
    """Ask the service for every recordable reply. Raises SatoriError when it answers with an error or not at all."""
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

    payload: Payload = {"default": LATEST_HANDSHAKE_VERSION}
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        opening = {"protocolVersion": version, "capabilities": {}, "clientInfo": _CLIENT}
        payload[version] = _ask(service, [("initialize", opening), ("tools/list", {})])
    for version in MODERN_PROTOCOL_VERSIONS:
        envelope = {"_meta": {PROTOCOL_KEY: version, CLIENT_KEY: _CLIENT, CAPABILITIES_KEY: {}}}
        payload[version] = _ask(service, [("server/discover", envelope), ("tools/list", envelope)])
    return payload


def recorded_tools(directory: RuntimeDirectory) -> list[str]:
    """The names in the directory's recorded tools/list, in order; [] when there is no usable record."""
    payload = read_json(directory.payload) or {}
    try:
        listed = json.loads(payload[payload["default"]]["tools/list"])
        return [str(tool["name"]) for tool in listed["tools"]]
    except (KeyError, TypeError, ValueError):
        return []


def _ask(service: Service, requests: list[tuple[str, dict[str, Any]]]) -> dict[str, str]:
    async def ask() -> dict[str, str]:
        incoming: asyncio.Queue[bytes] = asyncio.Queue()
        outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        session = asyncio.ensure_future(service.serve(Greeting("", {}), incoming.get, outgoing.put))
        try:
            return await asyncio.wait_for(_converse(requests, incoming.put, outgoing.get), _SECONDS)
        except TimeoutError as error:
            raise SatoriError("The server did not answer its own installer.") from error
        finally:
            await incoming.put(b"")
            await asyncio.wait({session}, timeout=_SECONDS)

    return asyncio.run(ask())


async def _converse(
    requests: list[tuple[str, dict[str, Any]]],
    say: Callable[[bytes], Awaitable[None]],
    hear: Callable[[], Awaitable[bytes]],
) -> dict[str, str]:
    results: dict[str, str] = {}
    for identity, (method, params) in enumerate(requests):
        request = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
        await say(json.dumps(request).encode())
        while True:
            message = json.loads(await hear())
            if message.get("id") == identity and "method" not in message:
                break
        if "result" not in message:
            raise SatoriError(f"The server refused {method}: {message.get('error')}.")
        results[method] = json.dumps(message["result"], ensure_ascii=False)
        if method == "initialize":
            await say(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    return results


def main(path: str) -> None:
    """Record the replies of the code that runs this into the runtime directory at `path`."""
    from satori.runtime.service import satori_service

    directory = RuntimeDirectory(Path(path))
    service = satori_service(directory)
    write_json(directory.payload, record_payload(service))
    service.close()


if __name__ == "__main__":
    import sys

    main(sys.argv[1])
