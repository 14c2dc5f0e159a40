"""What each ranking signal is worth, and whether the weights hold on repositories that they were not fitted on.

    python -m benchmarks.ablation --trees DIR --queries DIR [--folds 5]

For every signal: NDCG@10 without it, through the whole engine. Then leave-repositories-out: weights are fitted by
coordinate ascent on all but one fold of whole repositories and judged on that fold; and the fitted figure, which is
no measure of anything but the room left. Same layout and scoring rule as benchmarks/retrieval.py.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.retrieval import LIMIT, score, split
from satori import Codebase
from satori.evaluation.metrics import mean
from satori.search.engine import SearchEngine
from satori.search.ranking import WEIGHTS
from satori.search.request import SearchRequest

# Factors and offsets that the ascent tries for each weight, and how often it goes round.
_FACTORS = (0.0, 0.5, 0.8, 1.25, 2.0)
_ROUNDS = 1


@dataclass(slots=True)
class Case:
    """One repository: its engine and its queries."""

    name: str
    engine: SearchEngine
    queries: Sequence[dict[str, Any]]


def ndcg_of(case: Case, weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """(category, NDCG@10) of each query of one repository under some weights."""
    engine = SearchEngine.with_weights(case.engine, weights)
    scores = []
    for query in case.queries:
        answer = engine.answer(SearchRequest(query=query["query"], limit=LIMIT))
        results = []
        for candidate in answer.candidates:
            first, last = engine.lines(candidate)
            results.append((engine.index.paths[candidate.file], first, last))
        scores.append((query["category"], score(results, query["relevant"] + query.get("secondary", []))))
    return scores


def overall(cases: Sequence[Case], weights: Mapping[str, float]) -> float:
    """The mean over all queries of some repositories."""
    return mean([value for case in cases for _, value in ndcg_of(case, weights)])


def fit(cases: Sequence[Case], weights: Mapping[str, float]) -> dict[str, float]:
    """Coordinate ascent from `weights`."""
    best, current = overall(cases, weights), dict(weights)
    for _ in range(_ROUNDS):
        for name in weights:
            for factor in _FACTORS:
                tried = {**current, name: current[name] * factor}
                value = overall(cases, tried)
                if value > best + 1e-5:
                    best, current = value, tried
    return current


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=0, help="also leave repositories out in so many folds (slow)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="satori-ablation-") as state:
        cases, opened = [], []
        for entry in json.loads((args.trees / "meta.json").read_text()):
            codebase = Codebase.open(args.trees / "repos" / entry["name"] / entry["root"], state)
            codebase.sync()
            opened.append(codebase)
            with codebase.serving() as engine:
                queries = json.loads((args.queries / f"{entry['name']}.json").read_text())
                cases.append(Case(entry["name"], engine, queries))
        base = overall(cases, WEIGHTS)
        print(f"all signals            {base:.4f}")
        for name in WEIGHTS:
            without = overall(cases, {**WEIGHTS, name: 0.0})
            print(f"without {name:14} {without:.4f}  {without - base:+.4f}", flush=True)
        if args.folds:
            left_out = []
            for names in split(sorted(case.name for case in cases), args.folds):
                weights = fit([case for case in cases if case.name not in names], WEIGHTS)
                left_out += [v for case in cases if case.name in names for _, v in ndcg_of(case, weights)]
            print(f"leave repositories out {mean(left_out):.4f}", flush=True)
            print(f"fitted on everything   {overall(cases, fit(cases, WEIGHTS)):.4f}")
        for codebase in opened:
            codebase.close()


if __name__ == "__main__":
    main()
