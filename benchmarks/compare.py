"""Success rates of Satori and the naive baseline on questions drawn from repositories with a fixed seed.

    python benchmarks/compare.py TREE TREE TREE [--symbols 50] [--straddling 20] [--unanswerable 20] [--failures]

Unique symbols: the definition stands first. Straddling: among three results one holds the whole definition (that the
baseline has no such window is how these are drawn, so the second figure counts it when its three windows together do).
Unanswerable: the engine declines. How questions are drawn, and that neither engine marks its own work, is in
satori.evaluation.draw.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from satori.evaluation.draw import SEED, draw_set
from satori.evaluation.engine import Engine, NaiveEngine, SatoriEngine
from satori.evaluation.judge import Judgement
from satori.evaluation.metrics import hit_at, share
from satori.evaluation.question import QuestionKind
from satori.evaluation.report import run_set

TOP = 3


@dataclass(frozen=True, slots=True)
class Rates:
    """One engine's success rates, 0 to 1, with how many questions each is over."""

    tree: str
    engine: str
    symbols: int
    symbol_first: float
    straddling: int
    straddling_whole: float
    straddling_pieced: float
    unanswerable: int
    refused: float


def pieced_together(judgement: Judgement) -> bool:
    """Whether the first three results together cover all lines of the definition."""
    owner = judgement.question.owner
    if owner is None:
        return False
    shown = [found for found in judgement.response.results[:TOP] if found.path == owner.path]
    covered = {line for found in shown for line in range(found.start_line, found.end_line + 1)}
    return covered.issuperset(range(owner.start_line, owner.end_line + 1))


def rates(tree: str, engine: str, run: Sequence[Judgement]) -> Rates:
    """Sum up one engine's judgements."""
    by_kind = {kind: [judgement for judgement in run if judgement.question.kind is kind] for kind in QuestionKind}
    symbols, torn = by_kind[QuestionKind.SYMBOL], by_kind[QuestionKind.STRADDLING]
    foreign = by_kind[QuestionKind.UNANSWERABLE]
    return Rates(
        tree=tree,
        engine=engine,
        symbols=len(symbols),
        symbol_first=hit_at([judgement.rank for judgement in symbols], 1),
        straddling=len(torn),
        straddling_whole=hit_at([judgement.rank for judgement in torn], TOP),
        straddling_pieced=share([pieced_together(judgement) for judgement in torn]),
        unanswerable=len(foreign),
        refused=share([judgement.response.refused for judgement in foreign]),
    )


def failures(run: Sequence[Judgement]) -> list[str]:
    """Name every question that failed, with the first result."""
    lines = []
    for judgement in run:
        owner, results = judgement.question.owner, judgement.response.results
        bar = 1 if judgement.question.kind is QuestionKind.SYMBOL else TOP
        failed = judgement.rank is None or judgement.rank > bar if owner else not judgement.response.refused
        if failed:
            wanted = f"{owner.path}:{owner.start_line}-{owner.end_line}" if owner else "a refusal"
            lines.append(
                f"    {judgement.question.query!r} wanted {wanted}, got {results[0] if results else 'nothing'}"
            )
    return lines


def main() -> None:
    """Run both engines on every tree and print the rates."""
    parser = argparse.ArgumentParser(description="Success rates on drawn questions.")
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("--symbols", type=int, default=50)
    parser.add_argument("--straddling", type=int, default=20)
    parser.add_argument("--unanswerable", type=int, default=20)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--failures", action="store_true", help="name what Satori got wrong")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows: list[Rates] = []
    pooled: dict[str, list[Judgement]] = {}
    for tree in args.trees:
        naive = NaiveEngine(tree)
        questions = draw_set(
            naive,
            tree.name,
            symbols=args.symbols,
            straddling=args.straddling,
            foreign=args.unanswerable,
            seed=args.seed,
        )
        with SatoriEngine(tree) as satori:
            engines: tuple[Engine, ...] = (naive, satori)
            for engine in engines:
                run = run_set(engine, questions)
                pooled.setdefault(engine.name, []).extend(run)
                rows.append(rates(tree.name, engine.name, run))
    rows += [rates("all", engine, run) for engine, run in pooled.items()]
    if args.json:
        print(json.dumps({"seed": args.seed, "rates": [asdict(row) for row in rows]}, indent=1))
        return
    print(f"seed {args.seed}\ntree            engine  symbol first    straddling whole (pieced)   unanswerable refused")
    for row in rows:
        print(
            f"{row.tree:15} {row.engine:7} {row.symbol_first:.3f} n={row.symbols:<4}   {row.straddling_whole:.3f}"
            f" ({row.straddling_pieced:.3f}) n={row.straddling:<4}     {row.refused:.3f} n={row.unanswerable}"
        )
    if args.failures:
        print("\n".join(["", "What Satori got wrong:", *failures(pooled["satori"])]))


if __name__ == "__main__":
    main()
