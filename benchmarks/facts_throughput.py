"""Measure how fast files become facts: against the bare parse and query a language, and for a mix on all cores.

    python -m benchmarks.facts_throughput DIRECTORY... [--language NAME]... [--processes N] [--mix]

For each language found: MB/s of the parse alone, of the bare parse and the same query ("bare", and with the second
query that references need), of definitions, and of everything the facts hold. CPU time, file by file in turn, best of
three, so that other work on the machine weighs on all alike. Then all files together, packed as between processes: wall
clock and CPU on N worker processes against the bare figure on one. It does not read files while measuring.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path

import tree_sitter

from benchmarks.languages import EXTENSIONS, read_trees
from satori.facts.extract import extract_facts
from satori.facts.packing import pack
from satori.languages.assembly import assemble
from satori.languages.base import GrammarLanguage
from satori.languages.draft import Scan
from satori.languages.references.registry import reader_for
from satori.languages.registry import language_for

BATCH = 64
Work = list[tuple[str, bytes]]


def main() -> None:
    """Read the trees, then measure each language and the mix."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="+", type=Path)
    parser.add_argument("--language", action="append", choices=sorted(EXTENSIONS))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--mix", action="store_true", help="only all files together")
    arguments = parser.parse_args()
    work: Work = []
    for language in arguments.language or sorted(EXTENSIONS):
        contents = [data for data in read_trees(language, arguments.directory).values() if parses(language, data)]
        if contents:
            if not arguments.mix:
                report(language, contents)
            work += [(language, data) for data in contents]
    report_mix(work, arguments.processes)


def parses(language: str, data: bytes) -> bool:
    """Whether the file is one that is parsed at all (not minified, not too large)."""
    return extract_facts(language, data).parsed


def report(language: str, contents: list[bytes]) -> None:
    """Print the rates of one language."""
    served = grammar_language(language)
    tools = served.tools()

    def bare(data: bytes) -> None:
        tree_sitter.QueryCursor(tools.query).captures(tools.parser.parse(data).root_node)

    references = reader_for(language)
    second = tree_sitter.Query(served.grammar.load(), references.query) if references is not None else None

    def bare_twice(data: bytes) -> None:
        root = tools.parser.parse(data).root_node
        tree_sitter.QueryCursor(tools.query).captures(root)
        if second is not None:
            tree_sitter.QueryCursor(second).captures(root)

    def definitions(data: bytes) -> None:
        scan = Scan(data)
        served.collect(scan)
        assemble(served, scan)

    readers: dict[str, Callable[[bytes], object]] = {
        "parse": tools.parser.parse,
        "bare": bare,
        "bare with references": bare_twice,
        "definitions": definitions,
        "facts": lambda data: extract_facts(language, data),
    }
    totals = dict.fromkeys(readers, 0.0)
    gc.disable()
    for data in contents:
        for name, reader in readers.items():
            totals[name] += min(timed(reader, data) for _ in range(3))
    gc.enable()
    size = sum(map(len, contents)) / 1e6
    lines = sum(data.count(b"\n") for data in contents)
    rates = "  ".join(f"{name} {size / seconds:.1f}" for name, seconds in totals.items())
    pairs = (("bare", "definitions"), ("bare with references", "facts"))
    ratios = "  ".join(f"{name} {totals[bare_name] / totals[name]:.2f}" for bare_name, name in pairs)
    print(
        f"{language}: {len(contents)} files, {lines:,} lines, {size:.1f} MB; MB/s {rates}; of its bare {ratios}",
        flush=True,
    )


def report_mix(work: Work, processes: int) -> None:
    """Print the wall clock of all files, bare on one process and to packed facts on several."""
    lines = sum(data.count(b"\n") for _, data in work)
    batches = [work[at : at + BATCH] for at in range(0, len(work), BATCH)]
    gc.disable()
    start = time.perf_counter()
    cpu = time.process_time()
    for language, data in work:
        tools = grammar_language(language).tools()
        tree_sitter.QueryCursor(tools.query).captures(tools.parser.parse(data).root_node)
    bare, bare_cpu = time.perf_counter() - start, time.process_time() - cpu
    gc.enable()
    with multiprocessing.get_context("forkserver").Pool(processes) as pool:
        pool.map(warm, range(processes * 4))
        start = time.perf_counter()
        answers = pool.map(to_facts, batches, chunksize=1)
        wall = time.perf_counter() - start
    packed = sum(size for size, _ in answers)
    worked = sum(seconds for _, seconds in answers)
    print(
        f"mix: {len(work)} files, {lines:,} lines; bare, one process {bare:.1f} s ({bare_cpu:.1f} s CPU); "
        f"to packed facts, {processes} processes {wall:.1f} s ({worked:.1f} s CPU, {packed / 1e6:.1f} MB packed); "
        f"of the bare figure {wall / bare:.2f} by the clock, {worked / bare_cpu:.2f} of its CPU"
    )


def warm(_: int) -> None:
    """Load what a worker needs before the clock starts."""
    gc.disable()
    for language in EXTENSIONS:
        extract_facts(language, b"x\n")


def to_facts(batch: Work) -> tuple[int, float]:
    """(bytes of packed facts, CPU seconds) of one batch, as a worker process answers them."""
    start = time.process_time()
    size = sum(len(pack(extract_facts(language, data))) for language, data in batch)
    return size, time.process_time() - start


def grammar_language(language: str) -> GrammarLanguage:
    """The language, which has a grammar."""
    served = language_for(language)
    assert isinstance(served, GrammarLanguage)
    return served


def timed(reader: Callable[[bytes], object], data: bytes) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    reader(data)
    return time.process_time() - start


if __name__ == "__main__":
    main()
