"""`satori search`: the search tool for a person at a terminal; the same call, the same order."""

from __future__ import annotations

from typing import Any

import click

from satori.cli.output import call, existing_directory, print_json, require_ok


@click.command()
@click.argument("query")
@click.argument("path", default=".")
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="How many results.")
@click.option(
    "--scope",
    type=click.Choice(["runtime", "mixed", "docs"]),
    default="runtime",
    show_default=True,
    help="Which files may answer.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
def search(query: str, path: str, limit: int, scope: str, as_json: bool) -> None:
    """Find the code in PATH (default: the current directory) that answers QUERY.

    QUERY is a plain question or an exact identifier; operators at its start narrow it:
    lang:python path:src/** -path:tests/** must:"text" exclude:"text".
    """
    directory = existing_directory(path)
    arguments = {"path": directory, "query": query, "limit": limit, "disclosureLimit": limit, "scope": scope}
    answer = call("search_codebase", arguments)
    require_ok(answer)
    if as_json:
        print_json(answer)
        return
    for group in answer["groups"]:
        _show(group)
    for warning in answer["warnings"]:
        click.echo(f"warning: {warning['message']}", err=True)
    if not answer["groups"]:
        click.echo(answer["message"])
    elif answer["omitted"].get("groups"):
        click.echo(
            f"{answer['omitted']['groups']} more; narrow the query, or use --json with a smaller --limit.", err=True
        )
    freshness = answer["freshness"]
    if freshness and freshness["pendingSync"]:
        click.echo(f"{freshness['changedCount']} files changed since; publish them: satori index", err=True)


def _show(group: dict[str, Any]) -> None:
    span = group["span"]
    place = f"{group['file']}:{span['startLine']}-{span['endLine']}"
    click.echo(f"{group['rank']:>3}. {place}  {group['kind']} {group['label']}  [{', '.join(group['why'])}]")
    if group["signature"]:
        click.echo(f"     {group['signature'][:110]}")
    preview = group["preview"]
    if preview:
        for at, line in enumerate(preview["text"].split("\n")[:4]):
            click.echo(f"     {preview['startLine'] + at:>5} | {line[:104]}")
