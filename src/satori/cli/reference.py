"""The command reference in Markdown: every command's own --help.

`python -m satori.cli.reference` prints it; docs/cli.md holds exactly that, and a test compares the two.
"""

from __future__ import annotations

import sys
from importlib import import_module

import click

from satori.cli.group import cli
from satori.cli.main import COMMANDS

_HEAD = """\
# The command line

This page is written by `python -m satori.cli.reference` from the commands' own `--help`; a test keeps the two equal.

State is kept in `SATORI_STATE_ROOT`, or in `~/.satori`; nothing is ever written in a repository. PATH is the current
directory unless given. Exit codes: 0 done, 1 it could not be done, 2 the command was used wrongly, 3 a protocol-level
failure of `satori tool call`, 130 interrupted. Every error is a plain sentence and the next command to try.
"""


def render() -> str:
    """The whole page."""
    parts = [_HEAD, _help(cli, "satori")]
    for name, (target, _) in COMMANDS.items():
        module, _, attribute = target.partition(":")
        parts += _command(getattr(import_module(module), attribute), f"satori {name}")
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _command(command: click.Command, name: str) -> list[str]:
    parts = [_help(command, name)]
    if isinstance(command, click.Group):
        for below, nested in command.commands.items():
            parts += _command(nested, f"{name} {below}")
    return parts


def _help(command: click.Command, name: str) -> str:
    settings = {**command.context_settings, "max_content_width": 100, "terminal_width": 100}
    context = click.Context(command, info_name=name, **settings)
    return f"## {name}\n\n```text\n{command.get_help(context)}\n```"


if __name__ == "__main__":
    sys.stdout.write(render())
