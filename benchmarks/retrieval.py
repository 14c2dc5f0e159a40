"""NDCG@10 of `Codebase`, or of the naive baseline, on a laid-out benchmark: by category, by language and over all.

    python benchmarks/retrieval.py --trees DIR --queries DIR [--engine naive] [--only NAME ...] [--folds K]

`--trees` holds meta.json (name, language, root) and repos/NAME; `--queries` holds NAME.json (query, relevant,
secondary, category). The rank of a target is that of the first of ten results on its file, overlapping its lines where
it names some; gains are binary; the mean is over queries. A refusal is an empty ranking, and counted. Weights are not
fitted here: `--folds` reports the run by folds of whole repositories, the split that any fitting has to leave out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from satori.evaluation.engine import Engine, NaiveEngine, SatoriEngine
from satori.evaluation.metrics import mean, ndcg, percentile

LIMIT = 10
ENGINES: dict[str, Callable[[Path], Engine]] = {"satori": SatoriEngine, "naive": NaiveEngine}


@dataclass(frozen=True, slots=True)
class Row:
    """One query's outcome; `index_seconds` belongs to its repository."""

    repository: str
    language: str
    category: str
    query: str
    ndcg: float
    milliseconds: float
    refused: bool
    index_seconds: float
    wanted: tuple[str, ...]
    got: tuple[str, ...]


def same_file(found: str, target: str) -> bool:
    """Whether two paths name one file, either of them possibly relative to a directory further down."""
    return found == target or found.endswith("/" + target) or target.endswith("/" + found)


def score(results: Sequence[tuple[str, int, int]], targets: Sequence[str | dict[str, Any]]) -> float:
    """Return NDCG@10 of ranked (path, first line, last line) against targets, by the benchmark's own rule.

    Each target has the rank of the first result that matches it; two targets on one rank gain once.
    """
    gains = [0.0] * LIMIT
    for target in targets:
        wanted: dict[str, Any] = {"path": target} if isinstance(target, str) else target
        for rank, (path, first, last) in enumerate(results[:LIMIT]):
            named = wanted.get("start_line") is not None
            overlaps = not named or not (last < wanted["start_line"] or first > wanted["end_line"])
            if same_file(path, wanted["path"]) and overlaps:
                gains[rank] = 1.0
                break
    return ndcg(gains, [1.0] * len(targets), LIMIT)


def run_repository(entry: dict[str, Any], engine: Engine, queries: Path, scope: str) -> Iterable[Row]:
    """Put one repository's queries to an engine that has indexed it, after one unmeasured query, and yield its rows."""
    engine.ask("warm up", LIMIT, scope)
    for query in json.loads((queries / f"{entry['name']}.json").read_text()):
        response = engine.ask(query["query"], LIMIT, scope)
        targets = query["relevant"] + query.get("secondary", [])
        yield Row(
            repository=entry["name"],
            language=entry["language"],
            category=query["category"],
            query=query["query"],
            ndcg=score([(found.path, found.start_line, found.end_line) for found in response.results], targets),
            milliseconds=response.milliseconds,
            refused=response.refused,
            index_seconds=engine.index_seconds,
            wanted=tuple(target if isinstance(target, str) else target["path"] for target in targets),
            got=tuple(f"{f.path}:{f.start_line}-{f.end_line} {f.symbol}".strip() for f in response.results),
        )


def line(name: str, rows: Sequence[Row]) -> str:
    """Lay out one row of the table."""
    times = [row.milliseconds for row in rows]
    seconds = list({row.repository: row.index_seconds for row in rows}.values())
    quality = f"ndcg@10={mean([row.ndcg for row in rows]):.3f}  refused={sum(row.refused for row in rows):3}"
    speed = f"query p50={percentile(times, 50):6.2f} p95={percentile(times, 95):6.2f} ms  index={mean(seconds):6.2f} s"
    return f"{name:18} n={len(rows):4}  {quality}  {speed}"


def table(rows: Sequence[Row], folds: int) -> str:
    """Lay out the whole table; `folds` of 0 leaves the folds out."""
    lines = []
    for key in ("category", "language"):
        values = sorted({str(getattr(row, key)) for row in rows})
        lines += [line(value, [row for row in rows if getattr(row, key) == value]) for value in values]
    for number, names in enumerate(split(sorted({row.repository for row in rows}), folds), 1):
        lines.append(line(f"fold {number}/{folds}", [row for row in rows if row.repository in names]))
    return "\n".join([*lines, line("all", rows)])


def split(names: Sequence[str], folds: int) -> list[list[str]]:
    """Deal repositories out to folds in turn; whole repositories only."""
    return [list(names[number::folds]) for number in range(folds)]


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description="Retrieval benchmark of satori.Codebase.")
    parser.add_argument("--trees", type=Path, required=True, help="directory with meta.json and repos/")
    parser.add_argument("--queries", type=Path, required=True, help="directory with NAME.json")
    parser.add_argument("--only", nargs="*", help="names of repositories")
    parser.add_argument("--engine", default="satori", choices=list(ENGINES))
    parser.add_argument("--scope", default="runtime")
    parser.add_argument("--folds", type=int, default=0, help="also report by so many folds of whole repositories")
    parser.add_argument("--misses", type=Path, help="write the queries with NDCG under 0.4 to this file")
    parser.add_argument("--json", type=Path, help="write every row to this file")
    args = parser.parse_args()
    rows: list[Row] = []
    for entry in json.loads((args.trees / "meta.json").read_text()):
        if not args.only or entry["name"] in args.only:
            engine = ENGINES[args.engine](args.trees / "repos" / entry["name"] / entry["root"])
            rows += run_repository(entry, engine, args.queries, args.scope)
            engine.close()
    print(table(rows, args.folds))
    if args.misses:
        missed = sorted((row for row in rows if row.ndcg < 0.4), key=lambda row: row.ndcg)
        lines = (
            f"{row.ndcg:.2f} {row.repository} [{row.category}] {row.query!r}\n    want {', '.join(row.wanted)}\n"
            + "".join(f"    {rank:2} {got}\n" for rank, got in enumerate(row.got[:5], 1))
            for row in missed
        )
        args.misses.write_text("".join(lines))
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
