"""What a local reranker is worth on a laid-out benchmark: NDCG@10 by how many candidates it orders, and its cost.

    python benchmarks/rerank.py --trees DIR --queries DIR --model FOLDER [--depths 5 10 20 40] [--fused W ...]

Trees and queries are those of benchmarks/retrieval.py; FOLDER holds a ColBERT model in PyLate's ONNX layout (a BERT
encoder is turned into one by benchmarks/encoder_folder.py). Each question's candidates are scored once; the order of
the first N of them is then the reranker's, for each N, behind definitions that the question names, as in the product.
Depth 0 is the retrieval order. `--fused W` also shows what the product does not do: reciprocal-rank fusion (K = 60) of
the retrieval order with W times the model's. Costs are of the model alone, for the deepest candidates of a question.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.retrieval import score
from satori.evaluation.engine import SatoriEngine
from satori.evaluation.metrics import mean, percentile
from satori.search.rerank import RerankPolicy
from satori.search.rerankers.colbert import ColbertReranker

LIMIT = 10
_K = 60
_PATIENCE = 600.0


Order = tuple[int, float]


@dataclass
class Depth:
    """Scores a question's first passages with the model once, and gives `depth` of them; others stay behind.

    `weight` of 0 gives the model's own order, else its order fused with the one that the passages came in."""

    model: ColbertReranker
    deepest: int
    depth: int = 0
    weight: float = 0.0
    known: dict[tuple[str, ...], list[float]] = field(default_factory=dict)
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    passages: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """A number for each passage: the order that is to be judged."""
        key = (question, *passages)
        if key not in self.known:
            wall, processor = time.perf_counter(), time.process_time()
            self.known[key] = self.model.score(question, passages[: self.deepest])
            self.wall.append(time.perf_counter() - wall)
            self.processor.append(time.process_time() - processor)
            self.passages.append(len(self.known[key]))
        scores = self.known[key][: self.depth]
        if self.weight:
            ranks = {place: rank for rank, place in enumerate(sorted(range(len(scores)), key=lambda at: -scores[at]))}
            scores = [1 / (_K + place) + self.weight / (_K + ranks[place]) for place in range(len(scores))]
        lowest = min(scores, default=0.0)
        return [*scores, *(lowest - 1.0 - place for place in range(len(passages) - len(scores)))]


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description="Quality and cost of a local reranker.")
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--depths", type=int, nargs="*", default=[5, 10, 20, 40])
    parser.add_argument("--fused", type=float, nargs="*", default=[])
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    depth = Depth(ColbertReranker(args.model, _PATIENCE), max(args.depths))
    depth.model.load()
    rows: dict[tuple[str, Order], list[float]] = defaultdict(list)
    for entry in json.loads((args.trees / "meta.json").read_text()):
        if not args.only or entry["name"] in args.only:
            run_repository(entry, args, depth, rows)
    categories = sorted({category for category, _ in rows})
    print(f"{'depth, fused':>12}  " + "  ".join(f"{category:>12}" for category in [*categories, "all"]))
    for order in orders(args):
        found = [rows[category, order] for category in categories]
        cells = [mean(values) for values in found] + [mean([value for values in found for value in values])]
        print(f"{order[0]:5}  {order[1]:5.2f}  " + "  ".join(f"{cell:12.4f}" for cell in cells))
    each = [seconds / max(count, 1) for seconds, count in zip(depth.processor, depth.passages, strict=True)]
    print(
        f"{depth.name}: {mean(depth.passages):.1f} passages a question; wall p50 {percentile(depth.wall, 50):.3f} "
        f"p95 {percentile(depth.wall, 95):.3f} s; processor {1000 * mean(each):.1f} ms a passage"
    )


def orders(args: argparse.Namespace) -> list[Order]:
    """(depth, weight of the model in a fusion; 0 for its own order) of every order that is judged."""
    return [(0, 0.0), *((number, weight) for weight in (0.0, *args.fused) for number in args.depths)]


def run_repository(
    entry: dict[str, Any], args: argparse.Namespace, depth: Depth, rows: dict[tuple[str, Order], list[float]]
) -> None:
    """Ask one repository's questions at every depth."""
    engine = SatoriEngine(args.trees / "repos" / entry["name"] / entry["root"])
    with engine.codebase.serving() as served:
        for query in json.loads((args.queries / f"{entry['name']}.json").read_text()):
            targets = query["relevant"] + query.get("secondary", [])
            for order in orders(args):
                depth.depth, depth.weight = order
                served.rerank_policy = RerankPolicy(depth, _PATIENCE) if depth.depth else RerankPolicy()
                hits = engine.codebase.search(query["query"], LIMIT)
                found = [(hit.path, hit.start_line, hit.end_line) for hit in hits]
                rows[query["category"], order].append(score(found, targets))
    engine.close()


if __name__ == "__main__":
    main()
