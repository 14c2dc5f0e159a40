"""Feed every language mutated files in a worker with a time limit, and say which crash, hang or break a rule.

    python -m benchmarks.fuzz_grammars [LANGUAGE...] [--cases N] [--seconds S] [--seeds DIRECTORY]...

A case is a mutated fixture (or a mutated file of the seed directories); the worker gives its facts and checks them
(`tests/languages/fuzz.py`). A worker that dies or is silent for `--seconds` is replaced, and the run goes on with the
next case: what a native crash costs is that one file. One process works at a time. Prints one line a language, as JSON.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from satori.facts.extract import extract_facts
from satori.languages.registry import language_names
from tests.languages.fuzz import FIXTURES, broken_rule, case, seeds_of


def work(language: str, seeds: list[bytes], start: int, stop: int, pipe: Connection) -> None:
    """In the worker: cases `start` to `stop`; sends (case, what went wrong), and (case, "") now and then."""
    slowest = 0.0
    for index in range(start, stop):
        pipe.send((index, "begin"))
        data = case(language, index, seeds)
        began = time.perf_counter()
        facts = extract_facts(language, data)
        slowest = max(slowest, time.perf_counter() - began)
        problem = broken_rule(data, facts)
        if problem or facts.problem.startswith("the extractor failed"):
            pipe.send((index, problem or facts.problem))
    pipe.send((stop, f"slowest {slowest:.3f}"))


def fuzz(language: str, roots: list[Path], cases: int, seconds: float) -> dict[str, object]:
    """All cases of one language."""
    seeds = seeds_of(language, roots)
    report: dict[str, object] = {"language": language, "seeds": len(seeds), "cases": 0}
    crashes: list[int] = []
    hangs: list[int] = []
    broken: dict[str, int] = {}
    slowest = 0.0
    began = time.monotonic()
    start = 0
    while seeds and start < cases:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        worker = multiprocessing.Process(target=work, args=(language, seeds, start, cases, theirs), daemon=True)
        worker.start()
        theirs.close()
        current = start
        try:
            while True:
                if not ours.poll(seconds):
                    hangs.append(current)
                    start = current + 1
                    break
                current, message = ours.recv()
                if message.startswith("slowest "):
                    slowest = max(slowest, float(message.split()[1]))
                    start = cases
                    break
                if message != "begin":
                    broken.setdefault(message, current)
        except EOFError:
            crashes.append(current)
            start = current + 1
        worker.kill()
        worker.join()
        ours.close()
    report |= {"cases": start, "crashes": crashes, "hangs": hangs, "broken": broken}
    report |= {"slowest_s": slowest, "seconds": round(time.monotonic() - began, 1)}
    return report


def main() -> int:
    """Run the languages asked for; 1 when anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", help="default: every language that has a module")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=10.0, help="the longest silence of a worker")
    parser.add_argument("--seeds", type=Path, action="append", default=[], help="a directory of real files")
    arguments = parser.parse_args()
    failed = False
    for language in arguments.languages or language_names():
        report = fuzz(language, [FIXTURES, *arguments.seeds], arguments.cases, arguments.seconds)
        print(json.dumps(report), flush=True)
        failed = failed or bool(report["crashes"] or report["hangs"] or report["broken"] or not report["seeds"])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
