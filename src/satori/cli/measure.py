"""`satori compare` and `satori eval` as commands; what they do is in `compare` and `evaluate`."""

from __future__ import annotations

from pathlib import Path

import click

from satori.cli.output import existing_directory


@click.command()
@click.argument("directory", default=".")
@click.option("--json", "as_json", is_flag=True, help="Print questions, answers and verdicts as JSON.")
def compare(directory: str, as_json: bool) -> int:
    """Ask the naive baseline and Satori the same four questions about DIRECTORY, side by side.

    An exact symbol, an answer that straddles a boundary, a question nothing answers and a question in other words; then
    what happens to both when a file is edited or deleted. Works on a copy, in a state of its own.
    """
    from satori.cli.compare import compare as run

    return run(Path(existing_directory(directory)), json_output=as_json)


@click.command("eval")
@click.argument("target", default=".")
@click.option("--tree", type=click.Path(path_type=Path), help="The tree that the question set TARGET was written for.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures and every question's outcome as JSON.")
def evaluate(target: str, tree: Path | None, as_json: bool) -> int:
    """Measure both engines on TARGET: owner@1, owner@5, NDCG@10, refusals and latency.

    TARGET is a question set with --tree, or a directory, for which questions are drawn with a fixed seed.
    """
    from satori.cli.evaluate import evaluate as run

    return run(Path(target), tree=tree, json_output=as_json)
