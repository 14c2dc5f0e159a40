"""Ask a tool and hold every answer to what all answers promise."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema

from satori.server.contract import LARGE_BUDGET
from satori.server.envelope import is_error, render
from satori.server.reasons import Reason
from satori.server.tools import ToolContext, call_tool
from satori.server.tools.registry import BY_NAME
from satori.server.validate import validate


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(BY_NAME[name].contract.output_schema())


def ask(context: ToolContext, name: str, /, **arguments: Any) -> dict[str, Any]:
    """The answer of one call, after checking its schema, budget, layout, status and recommended action."""
    answer = call_tool(name, arguments, context)
    _validator(name).validate(answer)
    text = render(answer)
    size = len(text.encode("utf-8"))
    larger = name == "read_file" or (name == "search_codebase" and arguments.get("debug") == "full")
    assert size <= (LARGE_BUDGET if larger else 16 * 1024)
    assert json.loads(text) == answer
    assert text.count("\n") >= 8
    reason = answer["reason"]
    assert answer["status"] == (Reason(reason).status.value if reason else "ok")
    assert answer["message"]
    action = answer["recommendedNextAction"]
    if is_error(answer):
        assert action is None
    elif action is not None:
        validate(action["tool"], BY_NAME[action["tool"]].contract.parameters, action["arguments"])
    return answer


def follow(context: ToolContext, answer: dict[str, Any], steps: int = 3) -> list[dict[str, Any]]:
    """Execute recommended actions one after the other; none may be an invalid request."""
    seen = []
    for _ in range(steps):
        action = answer["recommendedNextAction"]
        if action is None or action["arguments"].get("action") in ("create", "sync", "reindex"):
            break
        answer = ask(context, action["tool"], **action["arguments"])
        assert not is_error(answer), (action, answer["message"])
        seen.append(answer)
    return seen


def ready_calls(answer: Any) -> list[dict[str, Any]]:
    """Every complete call that an answer offers, wherever it stands."""
    found = []
    if isinstance(answer, dict):
        if isinstance(answer.get("tool"), str) and isinstance(answer.get("arguments"), dict):
            found.append(answer)
        for value in answer.values():
            found += ready_calls(value)
    elif isinstance(answer, list):
        for value in answer:
            found += ready_calls(value)
    return found
