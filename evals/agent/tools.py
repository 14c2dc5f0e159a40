"""Working on a task with Satori's tools: one first call, then nothing but what each answer recommends.

The first call is search_codebase with the question as it stands, or call_graph when the question names a symbol. It
ends when the answer has been seen, when nothing is recommended, when a call would be repeated, or after six calls.
"Nothing does this" is concluded from a search that says so and is not taken back by the search recommended after it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evals.agent.outcome import Named, Outcome
from evals.agent.task import Line, Task
from satori.server.envelope import is_error, render
from satori.server.tools import ToolContext, call_tool

MOST_CALLS = 6


def run(task: Task, root: Path, context: ToolContext) -> Outcome:
    """Work on the task as an agent does that trusts the tools."""
    outcome = Outcome()
    wanted = task.wanted(root)
    tool, arguments = _first(task, root)
    asked: set[str] = set()
    relevances: list[str] = []
    while outcome.calls < MOST_CALLS:
        asked.add(_call_name(tool, arguments))
        answer = call_tool(tool, arguments, context)
        if is_error(answer):
            raise RuntimeError(f"{tool} {arguments} was answered with: {answer['message']}")
        named = (*_named(answer), *_named_at_sites(answer))
        outcome.add(tool, len(render(answer).encode("utf-8")), _lines(answer), named)
        if tool == "search_codebase":
            relevances.append(answer.get("relevance", "none"))
        if wanted and not outcome.missing(wanted):
            outcome.solved = True
            break
        if not wanted and relevances[0] == "none" and len(relevances) > 1:
            break
        action = answer["recommendedNextAction"]
        if action is None or _call_name(action["tool"], action["arguments"]) in asked:
            break
        tool, arguments = action["tool"], action["arguments"]
    if not wanted:
        outcome.solved = relevances[0] == "none" and "strong" not in relevances
    return outcome


def _first(task: Task, root: Path) -> tuple[str, dict[str, Any]]:
    if task.symbol is None:
        return "search_codebase", {"path": str(root), "query": task.question}
    file, label = task.symbol
    reference = {"file": file, "symbolLabel": label}
    return "call_graph", {"path": str(root), "symbolRef": reference, "direction": "callers"}


def _call_name(tool: str, arguments: dict[str, Any]) -> str:
    return f"{tool} {json.dumps(arguments, sort_keys=True)}"


def _lines(answer: dict[str, Any]) -> Iterator[Line]:
    """The source lines that an answer shows, and the sites that it gives by file and line."""
    if "text" in answer and "startLine" in answer:
        yield from _shown(answer["file"], answer["startLine"], answer["text"])
    for group in (*answer.get("groups", ()), *answer.get("live", ())):
        preview = group["preview"]
        if preview is not None:
            yield from _shown(group["file"], preview["startLine"], preview["text"])
    for item in (*answer.get("edges", ()), *answer.get("notes", ())):
        yield item["site"]["file"], item["site"]["line"]
    for item in answer.get("references", ()):
        yield item["file"], item["span"]["startLine"]


def _named_at_sites(answer: dict[str, Any]) -> Iterator[Named]:
    """Owners that are told by label and a place in them, without a span: they begin at or above that place."""
    for edge in answer.get("edges", ()):
        if edge["within"] is not None:
            yield Named(edge["site"]["file"], _own_name(edge["within"]), 1, edge["site"]["line"])
    for note in answer.get("notes", ()):
        yield Named(note["site"]["file"], _own_name(note["caller"]), 1, note["site"]["line"])
    for reference in answer.get("references", ()):
        if reference["owner"] is not None:
            line = reference["span"]["startLine"]
            yield Named(reference["file"], _own_name(reference["owner"]["label"]), 1, line)


def _own_name(label: str) -> str:
    return label.rpartition(".")[2]


def _shown(file: str, first: int, text: str) -> Iterator[Line]:
    count = text.count("\n") + (0 if text.endswith("\n") else 1)
    return ((file, first + at) for at in range(count))


def _named(value: Any, file: str = "") -> Iterator[Named]:
    """Every symbol with a label and a span, wherever it stands in an answer."""
    if isinstance(value, list):
        for item in value:
            yield from _named(item, file)
    elif isinstance(value, dict):
        file = value["file"] if isinstance(value.get("file"), str) else file
        label, span = value.get("label"), value.get("span")
        if file and isinstance(label, str) and isinstance(span, dict):
            yield Named(file, _own_name(label), span["startLine"], span["endLine"])
        for item in value.values():
            yield from _named(item, file)
