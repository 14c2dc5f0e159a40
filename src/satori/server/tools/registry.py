"""The one list of tools, in the order that clients see. Adding a tool is one line here and one module."""

from __future__ import annotations

from satori.server.contract import Contract
from satori.server.tools import (
    architecture_overview,
    call_graph,
    continue_search,
    detect_changes,
    file_outline,
    find_references,
    list_codebases,
    manage_index,
    read_file,
    search_codebase,
    trace_path,
)
from satori.server.tools.context import Tool

TOOLS: tuple[Tool, ...] = (
    list_codebases.TOOL,
    manage_index.TOOL,
    search_codebase.TOOL,
    continue_search.TOOL,
    architecture_overview.TOOL,
    file_outline.TOOL,
    read_file.TOOL,
    call_graph.TOOL,
    trace_path.TOOL,
    find_references.TOOL,
    detect_changes.TOOL,
)

CONTRACTS: tuple[Contract, ...] = tuple(tool.contract for tool in TOOLS)
BY_NAME: dict[str, Tool] = {tool.contract.name: tool for tool in TOOLS}
