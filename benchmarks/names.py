"""How often a unique symbol's exact name finds its definition first.

    python -m benchmarks.names TREE [TREE ...] [--count N]

From each tree `--count` names are drawn that exactly one symbol has (three letters or more, no test); the question
is the name alone, through the whole engine. Prints a line a tree and the total, and every name that was not first.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path

from satori import Codebase
from satori.chunks.roles import Role, roles_of
from satori.model.symbol import Symbol
from satori.search.engine import SearchEngine
from satori.search.request import Scope, SearchRequest

_SHORTEST = 3


def unique_symbols(engine: SearchEngine) -> list[Symbol]:
    """Symbols of implementation files whose name no other symbol has, whatever its case, ordered by path and place."""
    symbols = [
        symbol
        for row in engine.snapshot.files()
        if row.indexed and not roles_of(row.path) & (Role.TEST | Role.EXAMPLE | Role.DOCUMENTATION)
        for symbol in engine.snapshot.symbols(row.file_id)[1:]
    ]
    counts = Counter(symbol.name.casefold() for symbol in symbols)
    wanted = (s for s in symbols if counts[s.name.casefold()] == 1 and len(s.name) >= _SHORTEST)
    return [symbol for symbol in wanted if symbol.name.isidentifier()]


def measure(tree: Path, count: int, seed: int, state: str) -> tuple[int, int, list[str]]:
    """(first, asked, names that were not first) of one tree."""
    with Codebase.open(tree, state) as codebase:
        codebase.sync()
        with codebase.serving() as engine:
            found = unique_symbols(engine)
            drawn = random.Random(seed).sample(found, min(count, len(found)))
            missed = []
            for symbol in drawn:
                answer = engine.answer(SearchRequest(query=symbol.name, limit=1, scope=Scope.MIXED))
                groups = engine.render(answer, answer.candidates)
                if not groups or groups[0].symbol.key != symbol.key:
                    missed.append(f"{symbol.name} ({symbol.path})")
            return len(drawn) - len(missed), len(drawn), missed


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    total = asked = 0
    with tempfile.TemporaryDirectory(prefix="satori-names-") as state:
        for tree in args.trees:
            first, drawn, missed = measure(tree, args.count, args.seed, state)
            total, asked = total + first, asked + drawn
            print(f"{tree.name:20} {first} of {drawn}  {'; '.join(missed[:5])}", flush=True)
    print(f"{'all':20} {total} of {asked} = {total / max(1, asked):.4f}")


if __name__ == "__main__":
    main()
