"""Command line of the training: `python -m training COMMAND ...`.

check CLONES                      every clone holds the manifest's revision under the manifest's licence
add CLONES OWNER/NAME LANGUAGE    pin a clone's HEAD in the manifest, its licence read from its own files
mine CLONES WORK                  pairs and translations into WORK
lexicon WORK                      the lexicon of questions in other languages, from WORK's translations
train WORK OUT                    vocabulary, training, evaluation on held-out repositories, model files into OUT
evaluate MODEL WORK               figures of a model directory; with --trees and --queries the benchmark's too
speed MODEL DIRECTORY             encoding speed of one process over the text files below a directory
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from satori.embedding.weights import load_static
from training import corpus, evaluate

__all__ = ["main"]


def _check(arguments: argparse.Namespace) -> int:
    wrong = 0
    for entry in corpus.load():
        clone = entry.clone(arguments.clones)
        try:
            licence, _ = corpus.licence_of(clone, entry.revision)
        except (OSError, corpus.GitError) as error:
            licence = f"unreadable: {error}"
        if licence != entry.licence:
            wrong += 1
            print(f"{entry.repository}@{entry.revision}: {licence}, manifest says {entry.licence}")
    print(f"{wrong} of {len(corpus.load())} differ")
    return 1 if wrong else 0


def _add(arguments: argparse.Namespace) -> int:
    clone = arguments.clones / arguments.repository.replace("/", "+") / "repo"
    entry = corpus.describe(clone, arguments.repository, arguments.language, tuple(arguments.uses))
    corpus.save([*(r for r in corpus.load() if r.repository != entry.repository), entry])
    print(entry)
    return 0


def _mine(arguments: argparse.Namespace) -> int:
    from training import mine, translations

    mine.mine(corpus.load(), arguments.clones, arguments.work)
    translations.mine(corpus.load(), arguments.clones, arguments.work)
    return 0


def _lexicon(arguments: argparse.Namespace) -> int:
    from satori.search.lexicon import DATA
    from training import lexicon

    print(json.dumps(lexicon.build(arguments.work, DATA)))
    return 0


def _train(arguments: argparse.Namespace) -> int:
    from training import export
    from training.model import Recipe, fit
    from training.prepare import prepare

    recipe = Recipe()
    prepared = prepare(corpus.load(), arguments.work)
    print(json.dumps(prepared.counts), flush=True)
    table, weights = fit(prepared.tasks, prepared.idf, recipe)
    name = f"satori-static-{recipe.dimension}"
    record: dict[str, object] = {"recipe": asdict(recipe), "corpus": prepared.counts}
    export.write(arguments.out, name, table, weights, prepared.vocabulary, record)
    record["held_out"] = evaluate.heldout_recall(load_static(arguments.out), prepared.held_out)
    export.write(arguments.out, name, table, weights, prepared.vocabulary, record)
    print(json.dumps(record["held_out"]))
    return 0


def _evaluate(arguments: argparse.Namespace) -> int:
    from training.data import read_pairs

    embedder = load_static(arguments.model)
    held_out = read_pairs(arguments.work, [r.repository for r in corpus.load() if r.held_out])
    print(json.dumps({"held out": evaluate.heldout_recall(embedder, held_out)}))
    if arguments.trees and arguments.queries:
        benchmark = evaluate.Benchmark(arguments.trees, arguments.queries)
        print(json.dumps({"benchmark": benchmark.score(embedder)}))
        print(json.dumps({"questions by language": benchmark.translated(embedder)}))
    return 0


def _speed(arguments: argparse.Namespace) -> int:
    started = time.perf_counter()
    embedder = load_static(arguments.model)
    loaded = time.perf_counter() - started
    texts: list[str] = []
    for path in sorted(arguments.directory.rglob("*")):
        if path.is_file() and path.stat().st_size < corpus.MAX_FILE_BYTES:
            text = path.read_bytes().decode("utf-8", "ignore")
            texts.extend(text[i : i + 700] for i in range(0, len(text), 700))
    texts = texts[:40_000]
    began, used = time.perf_counter(), time.process_time()
    embedder.encode_documents(texts)
    wall, cpu = time.perf_counter() - began, time.process_time() - used
    began = time.perf_counter()
    for _ in range(1_000):
        embedder.encode_query("how is the cache invalidated when a file changes on disk")
    query = (time.perf_counter() - began) * 1e3
    size = sum(len(t.encode("utf-8", "ignore")) for t in texts) / 1e6
    print(
        f"load {loaded:.3f} s; {len(texts)} chunks, {size:.1f} MB in {wall:.2f} s ({cpu:.2f} s of CPU): "
        f"{len(texts) / wall:.0f} chunks/s, {size / wall:.1f} MB/s; a query {query:.1f} us"
    )
    return 0


def main() -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)

    def command(name: str, run: object, *positional: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name)
        for argument in positional:
            sub.add_argument(argument, type=str if argument in ("repository", "language") else Path)
        sub.set_defaults(run=run)
        return sub

    command("check", _check, "clones")
    command("add", _add, "clones", "repository", "language").add_argument("--uses", nargs="+", default=["pairs"])
    command("mine", _mine, "clones", "work")
    command("lexicon", _lexicon, "work")
    command("train", _train, "work", "out")
    measured = command("evaluate", _evaluate, "model", "work")
    measured.add_argument("--trees", type=Path)
    measured.add_argument("--queries", type=Path)
    command("speed", _speed, "model", "directory")
    arguments = parser.parse_args()
    return int(arguments.run(arguments))


if __name__ == "__main__":
    sys.exit(main())
