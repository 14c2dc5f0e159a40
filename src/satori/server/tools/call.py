"""Call a tool: validate, answer, turn any failure into an envelope, keep within the budget.

This is the only door to the tools; MCP, the shell and the tests come through it.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Mapping
from typing import Any

from satori.errors import SatoriError, UsageError
from satori.server.budget import bounded
from satori.server.contract import LARGE_BUDGET
from satori.server.envelope import Action, Answer
from satori.server.failures import failed
from satori.server.tools.context import Tool, ToolContext
from satori.server.validate import InvalidArgumentsError, validate
from satori.server.words import clip

logger = logging.getLogger(__name__)


class UnknownToolError(UsageError):
    """No tool has this name; the message names the nearest one."""

    default_code = "unknown_tool"


def call_tool(name: str, arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """The answer of tool `name` as the dictionary that clients get. Raises UnknownToolError, and nothing else."""
    from satori.server.tools.registry import BY_NAME

    tool = BY_NAME.get(name)
    if tool is None:
        near = difflib.get_close_matches(name, BY_NAME, n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]}?" if near else "The tools are " + ", ".join(BY_NAME) + "."
        raise UnknownToolError(f"There is no tool '{clip(name, 60)}'.", next_step=hint)
    answer, checked = _answer(tool, arguments, context)
    answer.action = _valid(answer.action)
    larger = checked is not None and tool.larger(checked)
    return bounded(answer, LARGE_BUDGET if larger else tool.contract.budget)


def _answer(tool: Tool, arguments: Mapping[str, Any], context: ToolContext) -> tuple[Answer, dict[str, Any] | None]:
    checked: dict[str, Any] | None = None
    try:
        checked = validate(tool.contract.name, tool.contract.parameters, arguments)
        return tool.answer(checked, context), checked
    except SatoriError as error:
        return failed(error, checked), checked
    except Exception as error:
        logger.exception("%s failed", tool.contract.name)
        return failed(error, checked), checked


def _valid(action: Action | None) -> Action | None:
    """A recommended call that would itself be refused is worse than none; it is a fault of ours, and logged."""
    from satori.server.tools.registry import BY_NAME

    if action is None:
        return None
    tool = BY_NAME.get(action.tool)
    if tool is None:
        logger.error("the recommended tool %s does not exist", action.tool)
        return None
    try:
        validate(action.tool, tool.contract.parameters, action.arguments)
    except InvalidArgumentsError as error:
        logger.error("the recommended call of %s is invalid: %s", action.tool, error.message)
        return None
    return action
