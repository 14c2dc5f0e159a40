"""Whether a repository's answers are the same in every process: hash seeds, thread counts, locales, fresh indexes.

    python -m benchmarks.determinism TREE --queries FILE [--runs 20]

Each run is a process of its own with another PYTHONHASHSEED, BLAS thread count and locale; every fourth builds its own
index first, the others share one. A run prints a digest of all candidates, scores to
the last bit and verdicts. `--queries` is a JSON list of questions or of objects with a `query`. One digest is a pass.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import cycle
from pathlib import Path

THREADS, LOCALES = ("1", "2", "4"), ("C", "C.UTF-8", "POSIX")


def digest(root: Path, state: Path, questions: list[str]) -> str:
    """All that an answer holds, for all questions, as one hash."""
    from satori import Codebase
    from satori.search.request import SearchRequest

    seen = hashlib.sha256()
    with Codebase.open(root, state) as codebase:
        codebase.sync()
        with codebase.serving() as engine:
            for question in questions:
                answer = engine.answer(SearchRequest(query=question, limit=50))
                found = [
                    (engine.index.paths[c.file], c.owner, engine.chunk_span(c), c.score.hex(), c.exact)
                    for c in answer.candidates
                ]
                verdict = answer.verdict.score.hex() if answer.verdict else None
                seen.update(repr((question, found, answer.relevance.value, verdict, answer.available)).encode())
    return seen.hexdigest()


def main() -> int:
    """Compare the runs; the exit status is 1 when two differ."""
    parser = argparse.ArgumentParser(description="Identical answers over processes.")
    parser.add_argument("tree", type=Path)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--state", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.state:
        asked = json.loads(args.queries.read_text("utf-8"))
        print(digest(args.tree, args.state, [item if isinstance(item, str) else item["query"] for item in asked]))
        return 0
    threads, locales = cycle(THREADS), cycle(LOCALES)
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="satori-determinism-") as folder:
        for run in range(args.runs):
            state = Path(folder) / (f"own{run}" if run % 4 == 3 else "shared")
            environment = {
                **os.environ,
                "PYTHONHASHSEED": str(run * 7919),
                "OPENBLAS_NUM_THREADS": next(threads),
                "LC_ALL": next(locales),
            }
            command = [sys.executable, "-m", "benchmarks.determinism", str(args.tree), "--queries", str(args.queries)]
            output = subprocess.run(
                [*command, "--state", str(state)], env=environment, capture_output=True, text=True, check=True
            )
            found[output.stdout.strip()] += 1
    print(f"{args.runs} runs, {len(found)} distinct: {dict(found)}")
    return int(len(found) != 1)


if __name__ == "__main__":
    sys.exit(main())
