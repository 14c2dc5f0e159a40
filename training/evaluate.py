"""What a table is worth: recall on repositories it never saw, and file NDCG@10 on a retrieval benchmark's trees.

Dense ranking alone: no exact evidence, no BM25, no reranking; the product's figures are measured elsewhere.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satori.embedding.port import Embedder
from training.data import document
from training.mine import Pair
from training.projection import projected

__all__ = ["Benchmark", "heldout_recall"]

QUESTIONS = Path(__file__).with_name("questions.json")
"""Benchmark questions put into six other languages by hand."""

_SOURCE = frozenset(
    ".py .js .mjs .cjs .jsx .ts .tsx .mts .go .java .cs .c .h .cc .cpp .cxx .hpp .hh .rs .scala .kt .kts .php .rb "
    ".swift .sh .bash .bats .lua .ex .exs .hs .zig".split()
)
CHUNK = 1_200
"""Characters of a benchmark chunk, cut on line boundaries."""


def _unit(rows: NDArray[np.int8]) -> NDArray[np.float32]:
    values = rows.astype(np.float32)
    lengths: NDArray[np.float32] = np.linalg.norm(values, axis=1, keepdims=True).astype(np.float32)
    return np.divide(values, np.maximum(lengths, np.float32(1e-9)), dtype=np.float32)


def heldout_recall(embedder: Embedder, pairs: Sequence[Pair]) -> dict[str, float]:
    """recall@1 and @10 of `doc` pairs, over all documents of all held-out repositories, in all and per language."""
    chosen = [p for p in pairs if p.kind == "doc"]
    documents = _unit(embedder.encode_documents([document(p) for p in chosen]))
    queries = _unit(embedder.encode_documents([p.query for p in chosen]))
    ranks = np.empty(len(chosen), dtype=np.int64)
    for start in range(0, len(chosen), 512):
        scores = queries[start : start + 512] @ documents.T
        own = scores[np.arange(len(scores)), np.arange(start, start + len(scores))]
        ranks[start : start + 512] = (scores > own[:, None]).sum(axis=1)
    figures = {
        "documents": float(len(chosen)),
        "recall@1": float((ranks < 1).mean()),
        "recall@10": float((ranks < 10).mean()),
    }
    languages = defaultdict(list)
    for pair, rank in zip(chosen, ranks.tolist(), strict=True):
        languages[pair.language].append(rank < 10)
    figures |= {f"recall@10 {k}": float(np.mean(v)) for k, v in sorted(languages.items())}
    return {k: round(v, 4) for k, v in figures.items()}


def _chunks(root: Path) -> list[tuple[str, str]]:
    found = []
    for path in sorted(root.rglob("*")):
        if path.suffix not in _SOURCE or not path.is_file():
            continue
        text, relative, size = path.read_text("utf-8", "replace"), path.relative_to(root).as_posix(), 0
        lines: list[str] = []
        for line in text.splitlines(keepends=True):
            if lines and size + len(line) > CHUNK:
                found.append((relative, "".join(lines)))
                lines, size = [], 0
            lines.append(line[:CHUNK])
            size += len(line)
        if lines:
            found.append((relative, "".join(lines)))
    return found


def _matches(path: str, target: str) -> bool:
    return path == target or path.endswith("/" + target) or target.endswith("/" + path)


def _ndcg(ranking: Sequence[str], targets: Sequence[str]) -> float:
    gains = [0.0] * 10
    for target in targets:
        for place, path in enumerate(ranking[:10]):
            if _matches(path, target):
                gains[place] = 1.0
                break
    ideal = sum(1 / math.log2(i + 2) for i in range(min(10, len(targets))))
    return sum(g / math.log2(i + 2) for i, g in enumerate(gains)) / ideal if ideal else 0.0


def _targets(query: dict[str, Any]) -> list[str]:
    return [t if isinstance(t, str) else t["path"] for t in query["relevant"] + query["secondary"]]


class Benchmark:
    """The benchmark's trees and queries, read once and scored many times."""

    def __init__(self, trees: Path, queries: Path) -> None:
        self.repositories = []
        for file in sorted(queries.glob("*.json")):
            root = trees / file.stem
            if root.is_dir():
                self.repositories.append((file.stem, _chunks(root), json.loads(file.read_text("utf-8"))))

    def _rankings(self, embedder: Embedder) -> Iterator[tuple[str, Callable[[str], list[str]], list[dict[str, Any]]]]:
        for name, chunks, queries in self.repositories:
            documents = _unit(embedder.encode_documents([projected(p, "", code) for p, code in chunks]))
            paths = [p for p, _ in chunks]

            def ranked(text: str, documents: NDArray[np.float32] = documents, paths: list[str] = paths) -> list[str]:
                scores = documents @ _unit(embedder.encode_query(text)[None])[0]
                best = (paths[i] for i in np.argsort(-scores, kind="stable").tolist())
                return list(islice(dict.fromkeys(best), 10))

            yield name, ranked, queries

    def score(self, embedder: Embedder) -> dict[str, float]:
        """Mean NDCG@10 over queries, in all, per category and per repository."""
        groups: dict[str, list[float]] = defaultdict(list)
        for name, ranked, queries in self._rankings(embedder):
            for query in queries:
                value = _ndcg(ranked(query["query"]), _targets(query))
                how = ["how"] if query["query"].lower().startswith("how ") else []
                for key in ("all", query["category"], f"repo {name}", *how):
                    groups[key].append(value)
        return {k: round(float(np.mean(v)), 4) for k, v in sorted(groups.items())}

    def translated(self, embedder: Embedder) -> dict[str, float]:
        """NDCG@10 and recall@10 of `questions.json`: the same questions in seven languages over English code."""
        asked = json.loads(QUESTIONS.read_text("utf-8"))
        groups: dict[str, list[float]] = defaultdict(list)
        for name, ranked, queries in self._rankings(embedder):
            targets = {q["query"]: _targets(q) for q in queries}
            for question in (q for q in asked if q["repository"] == name):
                for language in ("en", "de", "es", "fr", "pt", "zh", "ja"):
                    ranking, wanted = ranked(question[language]), targets[question["en"]]
                    groups[f"ndcg@10 {language}"].append(_ndcg(ranking, wanted))
                    groups[f"recall@10 {language}"].append(any(_matches(p, t) for p in ranking for t in wanted))
        return {k: round(float(np.mean(v)), 4) for k, v in sorted(groups.items())}
