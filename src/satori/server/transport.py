"""JSON-RPC lines in, JSON-RPC lines out: one connection of the MCP server over any pair of byte streams.

Only whole JSON-RPC messages are ever written. When the other side closes its end, requests already received get a
moment to be answered. It opens no descriptor itself; `stdio` and the runtime hand it theirs.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from satori.server.sessions import Session
    from satori.server.workbench import Workbench

logger = logging.getLogger(__name__)

MAX_LINE = 8 * 1024 * 1024
DRAIN_SECONDS = 1.0

ReadLine = Callable[[], Awaitable[bytes]]
WriteLine = Callable[[bytes], Awaitable[None]]


class OversizedLineError(Exception):
    """One message is larger than `MAX_LINE` bytes."""


async def serve_lines(read_line: ReadLine, write_line: WriteLine, session: Session, workbench: Workbench) -> None:
    """Serve one connection until `read_line` returns b"".

    `read_line` returns one line with or without its newline, and raises OversizedLineError for one that is too long;
    `write_line` takes one line with its newline.
    """
    import mcp_types as types
    from mcp.shared.message import SessionMessage

    from satori.server.app import build_server

    server = build_server(session, workbench)
    incoming_send, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, outgoing_receive = anyio.create_memory_object_stream[SessionMessage](0)
    unanswered: set[str | int] = set()

    async def read() -> None:
        async with incoming_send:
            while True:
                try:
                    line = await read_line()
                except OversizedLineError as error:
                    await incoming_send.send(error)
                    continue
                if not line:
                    break
                if not line.strip():
                    continue
                try:
                    message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError as error:
                    await write_line(_parse_error(str(error)))
                    continue
                if isinstance(message, types.JSONRPCRequest):
                    unanswered.add(message.id)
                await incoming_send.send(SessionMessage(message))
            with anyio.move_on_after(DRAIN_SECONDS):
                while unanswered:
                    await anyio.sleep(0.005)

    async def write() -> None:
        async with outgoing_receive:
            async for item in outgoing_receive:
                line = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await write_line(line.encode("utf-8") + b"\n")
                if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                    unanswered.discard(item.message.id)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        tasks.start_soon(write)
        await server.run(incoming, outgoing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


def _parse_error(detail: str) -> bytes:
    import json

    logger.warning("a line that is no JSON-RPC message was refused: %s", detail[:200])
    error = {"code": -32700, "message": "Parse error: the line is not a JSON-RPC 2.0 message"}
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode() + b"\n"
