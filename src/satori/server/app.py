"""The MCP server of one connection: handlers for tools/list and tools/call over the SDK's low-level API.

All shared state is the workbench's; all state of the connection is the session's. Tool calls run in worker threads,
so that a long one delays no other message.
"""

from __future__ import annotations

import contextlib
import logging
import warnings
from functools import partial
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from satori import __version__
from satori.server.envelope import is_error, render
from satori.server.instructions import INSTRUCTIONS
from satori.server.sessions import Session, file_uri_path
from satori.server.tools.call import UnknownToolError, call_tool
from satori.server.tools.context import ToolContext
from satori.server.tools.registry import CONTRACTS
from satori.server.workbench import Workbench

logger = logging.getLogger(__name__)

ROOTS_SECONDS = 2.0
LIST_SECONDS = 300


def tool_definitions() -> list[types.Tool]:
    """The tools as clients see them, in the order of the registry."""
    return [
        types.Tool(
            name=contract.name,
            title=contract.title,
            description=contract.description,
            input_schema=contract.input_schema(),
            output_schema=contract.output_schema(),
            annotations=types.ToolAnnotations(
                title=contract.title,
                read_only_hint=contract.read_only,
                destructive_hint=contract.destructive,
                idempotent_hint=contract.idempotent,
                open_world_hint=False,
            ),
            # Claude Code and Codex otherwise hide MCP tools behind a search.
            _meta={"anthropic/alwaysLoad": True},
        )
        for contract in CONTRACTS
    ]


def build_server(session: Session, workbench: Workbench) -> Server[Any]:
    """The server of one connection."""
    tools = tool_definitions()

    async def list_tools(
        context: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools, ttl_ms=LIST_SECONDS * 1000, cache_scope="public")

    async def call(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        session.observe_metadata(context.meta)
        await _learn_roots(context, session)
        loop_progress = partial(_report, context)

        def progress(done: float, total: float | None, message: str) -> None:
            # A client that went away or asked for no progress must not disturb the work.
            with contextlib.suppress(Exception):
                anyio.from_thread.run(loop_progress, done, total, message)

        tool_context = ToolContext(session=session, workbench=workbench, progress=progress)
        try:
            answer = await anyio.to_thread.run_sync(
                call_tool, params.name, params.arguments or {}, tool_context, abandon_on_cancel=True
            )
        except UnknownToolError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from error
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=render(answer))],
            structured_content=answer,
            is_error=is_error(answer),
        )

    async def roots_changed(context: ServerRequestContext[Any, Any], params: Any) -> None:
        session.roots_known = False

    with warnings.catch_warnings():
        # Roots are deprecated in the newest revision and are what today's clients still have.
        warnings.simplefilter("ignore")
        server: Server[Any] = Server(
            "satori",
            version=__version__,
            title="Satori",
            instructions=INSTRUCTIONS,
            on_list_tools=list_tools,
            on_call_tool=call,
            on_roots_list_changed=roots_changed,
        )
    return server


async def _report(context: ServerRequestContext[Any, Any], done: float, total: float | None, message: str) -> None:
    await context.session.report_progress(done, total, message)


async def _learn_roots(context: ServerRequestContext[Any, Any], session: Session) -> None:
    """Ask the client for its workspaces once, when it offers them and the protocol lets a server ask."""
    capabilities = context.session.client_capabilities
    if session.roots_known or capabilities is None or capabilities.roots is None:
        return
    session.roots_known = True
    if not context.session.can_send_request:
        return
    with anyio.move_on_after(ROOTS_SECONDS):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                listed = await context.session.list_roots()
        except Exception as error:
            logger.warning("the client's workspaces could not be listed: %s", error)
            return
        session.add_workspaces([path for root in listed.roots if (path := file_uri_path(str(root.uri)))])
