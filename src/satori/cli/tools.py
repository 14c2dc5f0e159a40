"""`satori tools list` and `satori tool call`: the MCP tools from the shell, through the same door as MCP."""

from __future__ import annotations

import json
import sys

import click

from satori.cli.output import EXIT_FAILED, EXIT_PROTOCOL, EXIT_USAGE, call, print_json


@click.group(invoke_without_command=True)
@click.pass_context
def tools(ctx: click.Context) -> None:
    """List the MCP tools and their parameters."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_tools)


@tools.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print names, descriptions and input schemas as JSON.")
def list_tools(as_json: bool = False) -> None:
    """List every tool with its parameters."""
    from satori.server.tools.registry import CONTRACTS

    if as_json:
        print_json(
            [
                {"name": c.name, "title": c.title, "description": c.description, "inputSchema": c.input_schema()}
                for c in CONTRACTS
            ]
        )
        return
    for contract in CONTRACTS:
        click.echo(f"{contract.name} — {contract.title}")
        for parameter in contract.parameters:
            need = "required" if parameter.required else "optional"
            click.echo(f"    {parameter.name} ({need}): {parameter.expects}")


@click.group()
def tool() -> None:
    """Call an MCP tool from the shell."""


@tool.command("call")
@click.argument("name")
@click.option(
    "--args-json", default="{}", show_default=True, help="The arguments as a JSON object; - reads standard input."
)
def call_command(name: str, args_json: str) -> int:
    """Call the tool NAME and print its answer as JSON.

    Exit code 0: answered (read `status`); 1: the tool answered with an error; 2: the arguments are no JSON object;
    3: there is no such tool.
    """
    from satori.server.envelope import is_error
    from satori.server.tools import UnknownToolError

    text = sys.stdin.read() if args_json == "-" else args_json
    try:
        arguments = json.loads(text)
    except ValueError as error:
        click.echo(f"satori: --args-json is not JSON: {error}", err=True)
        return EXIT_USAGE
    if not isinstance(arguments, dict):
        click.echo('satori: --args-json takes a JSON object, such as {"path": "/repo"}.', err=True)
        return EXIT_USAGE
    try:
        answer = call(name, arguments)
    except UnknownToolError as error:
        click.echo(f"satori: {error}", err=True)
        return EXIT_PROTOCOL
    print_json(answer)
    return EXIT_FAILED if is_error(answer) else 0
