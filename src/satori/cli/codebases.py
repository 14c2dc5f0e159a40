"""`satori list` and `satori clear`: every codebase with an index, and the way to delete one."""

from __future__ import annotations

import sys

import click

from satori.cli.output import absolute_path, call, print_json, require_ok
from satori.errors import UsageError


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
def list_command(as_json: bool) -> None:
    """List every indexed codebase with its state."""
    answer = call("list_codebases", {})
    if as_json:
        print_json(answer)
        return
    require_ok(answer)
    if not answer["codebases"]:
        click.echo("No codebase is indexed. Index one: satori index PATH")
    for one in answer["codebases"]:
        gone = "" if one["rootExists"] else ", directory gone"
        counts = one["counts"]
        size = f"{counts['indexed']:,} files, {counts['symbols']:,} symbols" if counts else "nothing published"
        fresh = f", {one['freshness']['state']}" if one["freshness"] else ""
        click.echo(f"{one['root']}: {one['state']}{gone} ({size}, {one['diskBytes'] / 1_000_000:.1f} MB{fresh})")
        if one["message"]:
            click.echo(f"  {one['message']}")
    hidden = answer["omitted"].get("codebases")
    if hidden:
        click.echo(f"… and {hidden} more: satori list --json", err=True)


@click.command()
@click.argument("path", default=".")
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear(path: str, yes: bool) -> None:
    """Delete the index of the codebase at PATH; its source is not touched."""
    absolute = absolute_path(path)
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                "Deleting an index needs --yes when nobody can be asked.", next_step="satori clear PATH --yes"
            )
        click.confirm(f"Delete the index of {absolute}?", abort=True, err=True)
    answer = call("manage_index", {"action": "clear", "path": absolute})
    require_ok(answer)
    click.echo(answer["message"])
