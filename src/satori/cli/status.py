"""`satori status`: one codebase's state in a few lines, or the whole answer of the tool as JSON."""

from __future__ import annotations

from typing import Any

import click

from satori.cli.output import EXIT_FAILED, absolute_path, call, next_command, print_json
from satori.errors import SatoriError, UsageError


@click.command()
@click.argument("path", default=".")
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
@click.option(
    "--detail",
    type=click.Choice(["summary", "capabilities", "diagnostics"]),
    default="diagnostics",
    show_default=True,
    help="capabilities: what is known of every language, and how exactly that was measured.",
)
def status(path: str, as_json: bool, detail: str) -> int:
    """Show the state of the codebase at PATH (default: the current directory).

    Exit code 0: it is served; 1: it is not, and the reason is said.
    """
    answer = call("manage_index", {"action": "status", "path": absolute_path(path), "detail": detail})
    if as_json:
        print_json(answer)
    elif "state" in answer:
        _tell(answer)
        if detail == "capabilities":
            _tell_capabilities([one["language"] for one in answer["languages"]])
    else:
        kind = UsageError if answer["status"] == "error" else SatoriError
        raise kind(answer["message"], next_step=next_command(answer))
    return 0 if answer.get("served") else EXIT_FAILED


def _tell(answer: dict[str, Any]) -> None:
    click.echo(f"{answer['root']}: {answer['state']}" + ("" if answer["rootExists"] else " (the directory is gone)"))
    click.echo(f"  {answer['message']}")
    counts = answer["counts"]
    if counts:
        publication = answer["publication"]
        click.echo(
            f"  publication {publication['id']}, sequence {publication['sequence']}, {publication['activatedAt']}"
        )
        click.echo(f"  {counts['indexed']:,} files, {counts['symbols']:,} symbols, {counts['chunks']:,} chunks")
    if answer["languages"]:
        click.echo(
            "  " + ", ".join(f"{one['language']} {one['files']:,} ({one['symbols']})" for one in answer["languages"])
        )
    if answer["skipped"]:
        click.echo("  skipped: " + ", ".join(f"{reason} {count:,}" for reason, count in answer["skipped"].items()))
    freshness = answer["freshness"]
    if freshness:
        changed = f": {', '.join(freshness['changedFiles'][:5])}" if freshness["changedFiles"] else ""
        click.echo(f"  freshness: {freshness['state']}{changed}")
    for difference in answer["fingerprintDifferences"]:
        click.echo(
            f"  {difference['field']}: {difference['published']} published, {difference['runtime']} in this runtime"
        )
    for problem in answer["fileProblems"]:
        click.echo(f"  as text only: {problem['file']}: {problem['problem']}")
    for warning in answer["warnings"]:
        click.echo(f"  warning: {warning['message']}")
    click.echo(f"  disk: {answer['diskBytes'] / 1_000_000:.1f} MB")
    hint = next_command(answer)
    if hint:
        click.echo(f"  {hint}")


def _tell_capabilities(held: list[str]) -> None:
    """The whole table: what a tool's answer has no room for, a terminal has."""
    from satori.server.capabilities import capability_table

    click.echo("  languages:")
    for one in capability_table(first=held):
        also = [name for name in ("imports", "tests") if one[name]]
        words = [f"symbols {one['symbols']}", f"calls {one['calls']}", *also]
        click.echo(f"    {one['language']}: {', '.join(words)}")
        for name in ("definitions", "calls"):
            for sentence in one[f"{name}Measured"]:
                click.echo(f"      {name}: {sentence}")
