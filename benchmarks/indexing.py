"""Seconds to index one tree from scratch: `satori index` against semble's command line, alternating in one run.

    python benchmarks/indexing.py TREE --semble VENV/bin/semble --model DIR [--rounds 5] [--content code] [--json]

Both are whole processes with an empty state of their own each time. semble has no command that only indexes: what
builds its index is the first `semble search` on a tree, which also answers one query and saves its cache, as `satori
index` saves its Publication. `--content code` is semble's default and leaves out documents and configuration, which
Satori indexes; `--content all` compares like with like. One unmeasured round of each warms the file cache. On a busy
machine the processor time says more than the wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path


def timed(command: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Run a command to its end; return its wall time and its processor time (all its processes), in seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def satori_seconds(tree: Path) -> tuple[float, float]:
    """Index `tree` with `satori index` into an empty state root."""
    command = str(Path(sys.executable).with_name("satori"))
    with tempfile.TemporaryDirectory(prefix="satori-bench-") as state:
        return timed([command, "index", str(tree), "--json"], {"SATORI_STATE_ROOT": state})


def semble_seconds(tree: Path, semble: Path, model: Path, content: str) -> tuple[float, float]:
    """Index `tree` with semble's first search on it, into an empty cache."""
    search = [str(semble), "search", "where is it", str(tree), "-k", "1", "--max-snippet-lines", "0"]
    with tempfile.TemporaryDirectory(prefix="semble-bench-") as cache:
        environment = {"SEMBLE_CACHE_LOCATION": cache, "SEMBLE_MODEL_NAME": str(model), "HF_HUB_OFFLINE": "1"}
        return timed([*search, "--content", content], environment)


def revision() -> str:
    """Return the commit that is measured, with a mark when the checkout differs from it."""
    git = ["git", "-C", str(Path(__file__).resolve().parent)]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    changed = subprocess.run([*git, "status", "--porcelain", "src"], capture_output=True, text=True, check=False).stdout
    return head.strip() + ("+changes" if changed.strip() else "")


def main() -> None:
    """Measure and print medians and their ratio."""
    parser = argparse.ArgumentParser(description="Indexing from scratch, Satori against semble.")
    parser.add_argument("tree", type=Path)
    parser.add_argument("--semble", type=Path, required=True, help="the semble executable")
    parser.add_argument("--model", type=Path, required=True, help="a local model2vec folder for semble")
    parser.add_argument("--content", default="code", choices=["code", "all"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    satori_seconds(args.tree)
    semble_seconds(args.tree, args.semble, args.model, args.content)
    satori, semble = [], []
    for _ in range(args.rounds):
        satori.append(satori_seconds(args.tree))
        semble.append(semble_seconds(args.tree, args.semble, args.model, args.content))
    walls = {name: [wall for wall, _ in runs] for name, runs in (("satori", satori), ("semble", semble))}
    medians = {name: statistics.median(seconds) for name, seconds in walls.items()}
    processor = {
        name: statistics.median(cpu for _, cpu in runs) for name, runs in (("satori", satori), ("semble", semble))
    }
    result = {
        "revision": revision(),
        "tree": args.tree.name,
        "content": args.content,
        "load": os.getloadavg()[0],
        "seconds": walls,
        "processor": processor,
        "ratio": medians["satori"] / medians["semble"],
    }
    if args.json:
        print(json.dumps(result, indent=1))
        return
    print(f"{args.tree.name} at {result['revision']}, semble --content {args.content}, load {result['load']:.1f}")
    for name, seconds in walls.items():
        rounds = ", ".join(f"{wall:.2f}" for wall in seconds)
        print(f"  {name}  median {medians[name]:6.2f} s  of {rounds}; processor {processor[name]:.2f} s")
    print(f"  ratio   {result['ratio']:.2f}")


if __name__ == "__main__":
    main()
