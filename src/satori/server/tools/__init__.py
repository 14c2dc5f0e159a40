"""The tools: one module each, one registry, one way to call them (MCP and the shell use the same)."""

from __future__ import annotations

from satori.server.tools.call import UnknownToolError, call_tool
from satori.server.tools.context import ToolContext

__all__ = ["ToolContext", "UnknownToolError", "call_tool"]
