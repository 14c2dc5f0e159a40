"""Run the tasks both ways and print the table: `python -m evals.agent TREES`."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from evals.agent import baseline, tools
from evals.agent.report import Row, table
from evals.agent.task import load_tasks
from satori.publication.lifecycle import Lifecycle
from satori.server.sessions import Session
from satori.server.tools import ToolContext
from satori.server.workbench import Workbench


def main() -> None:
    """Index each tree once, then work on its tasks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path, help="the directory that evals.agent.layout filled")
    parser.add_argument("--state", type=Path, help="keep the indexes here (default: a temporary directory)")
    parser.add_argument("--task", action="append", help="only this task (may be repeated)")
    parser.add_argument("--steps", action="store_true", help="show every call with its bytes")
    options = parser.parse_args()
    trees, tasks = load_tasks()
    chosen = [task for task in tasks if not options.task or task.id in options.task]
    with tempfile.TemporaryDirectory(prefix="satori-agent-") as scratch:
        state = options.state or Path(scratch)
        workbench = Workbench(state, lasting=False)
        rows = []
        for name in trees:
            root = (options.trees / name).resolve()
            of_tree = [task for task in chosen if task.tree == name]
            if of_tree:
                Lifecycle(state, root).sync()
            for task in of_tree:
                context = ToolContext(Session(unrestricted=True), workbench)
                rows.append(Row(task, baseline.run(task, root), tools.run(task, root, context)))
        workbench.close()
    order = {task.id: at for at, task in enumerate(tasks)}
    print(table(sorted(rows, key=lambda row: order[row.task.id]), steps=options.steps))


if __name__ == "__main__":
    main()
