"""Questions in seven languages over English code: recall@10, NDCG@10 and refusals through the whole engine.

    python -m benchmarks.translated --trees DIR --queries DIR [--only NAME ...]

`training/questions.json` holds benchmark questions with hand-made translations (German, Spanish, French, Portuguese,
Chinese, Japanese); laying out trees and the scoring rule are those of `benchmarks/retrieval.py`. The ratio beside each
language is its recall over that of the English questions of the same run. It fits nothing.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from benchmarks.retrieval import LIMIT, same_file, score
from satori.evaluation.engine import SatoriEngine
from satori.evaluation.metrics import mean

QUESTIONS = Path(__file__).parent.parent / "training" / "questions.json"
LANGUAGES = ("en", "de", "es", "fr", "pt", "zh", "ja")


def main() -> None:
    """Run the benchmark and print one line a language."""
    parser = argparse.ArgumentParser(description="Translated questions over satori.Codebase.")
    parser.add_argument("--trees", type=Path, required=True, help="directory with meta.json and repos/")
    parser.add_argument("--queries", type=Path, required=True, help="directory with NAME.json")
    parser.add_argument("--only", nargs="*", help="names of repositories")
    args = parser.parse_args()
    asked = json.loads(QUESTIONS.read_text("utf-8"))
    recall: dict[str, list[float]] = defaultdict(list)
    gain: dict[str, list[float]] = defaultdict(list)
    refused: dict[str, int] = defaultdict(int)
    for entry in json.loads((args.trees / "meta.json").read_text()):
        name = entry["name"]
        mine = [question for question in asked if question["repository"] == name]
        if not mine or (args.only and name not in args.only):
            continue
        engine = SatoriEngine(args.trees / "repos" / name / entry["root"])
        queries = json.loads((args.queries / f"{name}.json").read_text())
        wanted = {query["query"]: query["relevant"] + query.get("secondary", []) for query in queries}
        for question in mine:
            targets = wanted[question["en"]]
            for language in LANGUAGES:
                answer = engine.ask(question[language], LIMIT)
                results = [(found.path, found.start_line, found.end_line) for found in answer.results]
                paths = [target if isinstance(target, str) else target["path"] for target in targets]
                recall[language].append(float(any(same_file(found[0], path) for found in results for path in paths)))
                gain[language].append(score(results, targets))
                refused[language] += answer.refused
        engine.close()
    for language in LANGUAGES:
        found = mean(recall[language])
        print(
            f"{language}  n={len(recall[language])}  recall@10={found:.3f} ({found / mean(recall['en']):.2f} x en)  "
            f"ndcg@10={mean(gain[language]):.3f}  refused={refused[language]}"
        )


if __name__ == "__main__":
    main()
