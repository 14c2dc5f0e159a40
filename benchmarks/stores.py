"""The same trees under LanceDB on this machine and under Milvus: are ranked answers equal, and what does asking cost?

    python -m benchmarks.stores --trees DIR --queries DIR --only NAME NAME NAME [--uri http://HOST:PORT]

Trees and queries are those of benchmarks/retrieval.py. Without `--uri` a Milvus Lite server is started on a loopback
port and ended again; it is pure Python, so its times say nothing of a Milvus server. Equal means: the same owners in
the same order by the same scores with the same verdict, for every question. Exit status 1 when any differs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from satori.codebase.codebase import Codebase
from satori.evaluation.metrics import percentile
from satori.publication.status import disk_bytes
from satori.settings.file import VARIABLE
from tests.publication.milvus import choose, milvus_server

_SECONDS = 120.0


@contextlib.contextmanager
def serving(uri: str, directory: Path) -> Iterator[str]:
    """The server's address: the given one, or one of our own."""
    if uri:
        yield uri
        return
    with milvus_server(directory / "milvus") as server:
        yield server.uri


def ask(codebase: Codebase, questions: list[str]) -> tuple[list[Any], list[float]]:
    """(everything that ranking says, milliseconds) of each question, after one that is not counted."""
    codebase.answer("warm up")
    said, times = [], []
    for question in questions:
        began = time.perf_counter()
        answer = codebase.answer(question)
        times.append((time.perf_counter() - began) * 1e3)
        said.append((answer.relevance, answer.verdict, answer.candidates))
    return said, times


def run(tree: Path, questions: list[str], state: Path) -> tuple[list[Any], str]:
    """Index a tree as the settings now say and ask it; what it said, and a line of figures."""
    with Codebase.open(tree, state) as codebase:
        began = time.perf_counter()
        counts = codebase.sync().info.counts
        built = time.perf_counter() - began
        said, times = ask(codebase, questions)
        generation = next((state / "codebases").glob("*/generations/*"))
        base = sum(path.stat().st_size for path in generation.glob("base-*.segment"))
    return said, (
        f"{counts.chunks:6} chunks  build {built:6.2f} s  question p50 {percentile(times, 50):7.1f} "
        f"p95 {percentile(times, 95):7.1f} ms  state {disk_bytes(generation) / 1e6:6.2f} MB (base {base / 1e6:.2f})"
    )


def main() -> None:
    """Compare the trees and print a line for each store and tree."""
    parser = argparse.ArgumentParser(description="LanceDB and Milvus on the same trees.")
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--only", nargs="+", required=True)
    parser.add_argument("--uri", default="")
    args = parser.parse_args()
    equal = True
    with tempfile.TemporaryDirectory(prefix="satori-stores-") as place, serving(args.uri, Path(place)) as uri:
        config = Path(place) / "config.toml"
        os.environ[VARIABLE] = str(config)
        for entry in json.loads((args.trees / "meta.json").read_text()):
            if entry["name"] not in args.only:
                continue
            tree = args.trees / "repos" / entry["name"] / entry["root"]
            questions = [row["query"] for row in json.loads((args.queries / f"{entry['name']}.json").read_text())]
            config.unlink(missing_ok=True)
            local, said = run(tree, questions, Path(place) / f"{entry['name']}-lancedb")
            print(f"{entry['name']:18} lancedb  {said}", flush=True)
            choose(config, name="milvus", uri=uri, seconds=_SECONDS)
            remote, said = run(tree, questions, Path(place) / f"{entry['name']}-milvus")
            same = sum(mine == theirs for mine, theirs in zip(local, remote, strict=True))
            print(f"{entry['name']:18} milvus   {said}  equal {same} of {len(questions)}", flush=True)
            equal &= same == len(questions)
    sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()
