"""What a local reranker is worth on a laid-out benchmark: NDCG@10 by how many candidates it orders, and its cost.

    python benchmarks/rerank.py --trees DIR --queries DIR --model FOLDER [--depths 5 10 20 40] [--only NAME ...]

Trees and queries are those of benchmarks/retrieval.py; FOLDER holds a ColBERT model in PyLate's ONNX layout (a BERT
encoder is turned into one by benchmarks/encoder_folder.py). Each question's candidates are scored once; the order of
the first N of them is then the reranker's, for each N, behind definitions that the question names, as in the product.
Depth 0 is the retrieval order. Costs are of the model alone, for all candidates of a question.
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
_PATIENCE = 600.0


@dataclass
class Depth:
    """Scores a question's passages with the model once, and gives the first `depth` of them; others stay behind."""

    model: ColbertReranker
    depth: int = 0
    known: dict[tuple[str, ...], list[float]] = field(default_factory=dict)
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    passages: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """The model's score for the first passages, then ever lower ones."""
        key = (question, *passages)
        if key not in self.known:
            wall, processor = time.perf_counter(), time.process_time()
            self.known[key] = self.model.score(question, passages)
            self.wall.append(time.perf_counter() - wall)
            self.processor.append(time.process_time() - processor)
            self.passages.append(len(passages))
        lowest = min(self.known[key], default=0.0)
        return [value if place < self.depth else lowest - 1.0 - place for place, value in enumerate(self.known[key])]


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description="Quality and cost of a local reranker.")
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--depths", type=int, nargs="*", default=[5, 10, 20, 40])
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    depth = Depth(ColbertReranker(args.model, _PATIENCE))
    depth.model.load()
    rows: dict[tuple[str, int], list[float]] = defaultdict(list)
    for entry in json.loads((args.trees / "meta.json").read_text()):
        if not args.only or entry["name"] in args.only:
            run_repository(entry, args, depth, rows)
    categories = sorted({category for category, _ in rows})
    print(f"{'depth':>5}  " + "  ".join(f"{category:>12}" for category in [*categories, "all"]))
    for number in [0, *args.depths]:
        found = [rows[category, number] for category in categories]
        cells = [mean(values) for values in found] + [mean([value for values in found for value in values])]
        print(f"{number:5}  " + "  ".join(f"{cell:12.4f}" for cell in cells))
    each = [seconds / max(count, 1) for seconds, count in zip(depth.processor, depth.passages, strict=True)]
    print(
        f"{depth.name}: {mean(depth.passages):.1f} passages a question; wall p50 {percentile(depth.wall, 50):.3f} "
        f"p95 {percentile(depth.wall, 95):.3f} s; processor {1000 * mean(each):.1f} ms a passage"
    )


def run_repository(
    entry: dict[str, Any], args: argparse.Namespace, depth: Depth, rows: dict[tuple[str, int], list[float]]
) -> None:
    """Ask one repository's questions at every depth."""
    engine = SatoriEngine(args.trees / "repos" / entry["name"] / entry["root"])
    with engine.codebase.serving() as served:
        for query in json.loads((args.queries / f"{entry['name']}.json").read_text()):
            targets = query["relevant"] + query.get("secondary", [])
            for number in [0, *args.depths]:
                depth.depth = number
                served.rerank_policy = RerankPolicy(depth, _PATIENCE) if number else RerankPolicy()
                hits = engine.codebase.search(query["query"], LIMIT)
                found = [(hit.path, hit.start_line, hit.end_line) for hit in hits]
                rows[query["category"], number].append(score(found, targets))
    engine.close()


if __name__ == "__main__":
    main()
