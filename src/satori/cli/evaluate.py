"""`satori eval`: owner@1, owner@5, NDCG@10, refusals and latency of Satori and of the naive baseline.

Takes a question set and the tree it was written for, or just a directory, for which questions are drawn with a fixed
seed. It indexes into a state root of its own and leaves the user's alone.
"""

from __future__ import annotations

import json
from pathlib import Path

from satori.errors import UsageError
from satori.evaluation.draw import SEED, draw_set
from satori.evaluation.engine import Engine, NaiveEngine, SatoriEngine
from satori.evaluation.question import load_set
from satori.evaluation.report import as_record, figures, run_set, table, table_by_kind


def evaluate(target: Path, *, tree: Path | None = None, json_output: bool = False) -> int:
    """Evaluate on the set `target` over `tree`, or on questions drawn from the directory `target`; print the figures.

    Returns the exit code 0. Raises UsageError when the target is neither, or the tree does not fit the set.
    """
    drawn = target.is_dir()
    if not drawn and not target.is_file():
        raise UsageError(
            f"{target} does not exist.", next_step="Give a directory, or a set such as evals/sets/asynq.json."
        )
    if not drawn and tree is None:
        raise UsageError(f"{target} is a set; its tree is missing.", next_step=f"Try: satori eval {target} --tree DIR")
    root = target if drawn or tree is None else tree
    written = None if drawn else load_set(target, root)
    corpus = root / written.directory if written else root
    naive = NaiveEngine(corpus)
    questions = written or draw_set(naive, root.name, symbols=50, straddling=20, foreign=20)
    with SatoriEngine(corpus) as satori:
        engines: tuple[Engine, ...] = (naive, satori)
        runs = [(engine, run_set(engine, questions)) for engine in engines]
    rows = [figures(engine, run) for engine, run in runs]
    if json_output:
        records = {row.engine: as_record(row, run) for row, (_, run) in zip(rows, runs, strict=True)}
        source = {"set": questions.name, "revision": questions.revision, "seed": SEED if drawn else None}
        print(json.dumps(source | {"engines": records}, indent=1))
    else:
        origin = f"drawn with seed {SEED}" if drawn else f"written for {questions.repository} {questions.revision[:7]}"
        print(f"{questions.name}: {len(questions.questions)} questions, {origin}\n")
        print(table(rows) + "\n\nowner@1 / owner@5 by kind\n" + table_by_kind(runs))
    return 0
