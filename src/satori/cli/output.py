"""What commands share: the shell's session, tool answers as output, exit codes. It decides no content."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from satori.errors import SatoriError, UsageError

if TYPE_CHECKING:
    from satori.server.tools.context import ToolContext

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_PROTOCOL = 3


def absolute_path(path: str) -> str:
    """The shell's PATH argument, absolute; "." when the directory we stand in still exists."""
    try:
        return os.path.abspath(path)  # noqa: PTH100 (keeps `..` lexical and needs no existing path)
    except FileNotFoundError as error:
        raise UsageError(
            "The current directory no longer exists.", next_step="Change to a directory that does and try again."
        ) from error


def existing_directory(path: str) -> str:
    """PATH as an absolute directory that exists and can be listed. Raises UsageError or SourceError."""
    from satori.errors import SourceError

    absolute = absolute_path(path)
    if not os.path.lexists(absolute):
        raise UsageError(f"{absolute} does not exist.", next_step="Give a directory: satori index PATH")
    if not Path(absolute).is_dir():
        raise UsageError(
            f"{absolute} is not a directory.", next_step=f"Give the directory: satori index {Path(absolute).parent}"
        )
    if not os.access(absolute, os.R_OK | os.X_OK):
        raise SourceError(
            f"{absolute} cannot be read.", next_step=f"Fix its permissions and run: satori index {absolute}"
        )
    return absolute


def shell_context() -> ToolContext:
    """The person at the shell: any path but `/`, the home directory and the state root."""
    from satori.publication.state import default_state_root
    from satori.server.sessions import Session
    from satori.server.tools.context import ToolContext
    from satori.server.workbench import Workbench

    return ToolContext(Session(unrestricted=True), Workbench(default_state_root(), lasting=False))


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """One tool call as the person at the shell."""
    from satori.server.tools import call_tool

    context = shell_context()
    try:
        return call_tool(name, arguments, context)
    finally:
        context.workbench.close()


def print_json(value: Any) -> None:
    """JSON over several lines."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1))


def require_ok(answer: dict[str, Any]) -> None:
    """Raise what a person should read when the answer is a refusal."""
    if answer["status"] == "ok":
        return
    kind = UsageError if answer["status"] == "error" else SatoriError
    raise kind(answer["message"], next_step=next_command(answer), code=answer["reason"] or "")


def next_command(answer: dict[str, Any]) -> str:
    """The recommended action as a shell command, when it has one that the message does not name already."""
    action = answer["recommendedNextAction"]
    if not action or "satori " in answer["message"]:
        return ""
    arguments = action["arguments"]
    path = arguments.get("path", "")
    shell = {
        ("manage_index", "create"): f"satori index {quoted(path)}",
        ("manage_index", "sync"): f"satori index {quoted(path)}",
        ("manage_index", "reindex"): f"satori index --force {quoted(path)}",
        ("manage_index", "status"): f"satori status {quoted(path)}",
    }.get((action["tool"], arguments.get("action", "")))
    return f"Try: {shell}" if shell else ""


def quoted(path: str) -> str:
    """A path as the shell takes it."""
    import shlex

    return shlex.quote(path)


def interactive() -> bool:
    """Whether a person watches standard error."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
