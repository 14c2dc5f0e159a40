"""Scores Python's edges against the PyCG micro-benchmark: small programs with hand-written call graphs.

    python -m benchmarks.pycg SNIPPETS_DIR

An edge is (caller, callee) by qualified name. A constructed class counts as its `__init__` when the program has one,
as in the benchmark's own graphs. Edges to builtins and edges of lambdas are not asked of us: lambdas are no symbols.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.callgraph import resolve_tree
from satori.model.definition import SymbolKind
from satori.model.relationship import ClaimStatus
from satori.model.symbol import Symbol


def edges_of(case: Path) -> set[tuple[str, str]]:
    """Our edges for one program."""
    tree = resolve_tree(case, "python")
    owners = {(symbol.path, symbol.index): symbol for symbol in tree.symbols.values()}
    found = set()
    for path, claims in tree.claims.items():
        for claim in claims:
            if claim.status is ClaimStatus.RESOLVED:
                target = tree.symbols[claim.targets[-1]]
                if target.kind is not SymbolKind.CLASS:
                    found.add((_name(owners[path, claim.owner]), _name(target)))
    return found


def _name(symbol: Symbol) -> str:
    module = symbol.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    return f"{module}.{symbol.qualified_name}" if symbol.qualified_name else module


def main() -> None:
    """Score every program below a directory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snippets", type=Path)
    right = wrong = wanted = cases = sound = whole = 0
    for graph in sorted(parser.parse_args().snippets.glob("*/*/callgraph.json")):
        truth = {(caller, callee) for caller, callees in json.loads(graph.read_text()).items() for callee in callees}
        asked = {edge for edge in truth if "<builtin>" not in edge[1] and "<lambda" not in f"{edge}"}
        ours = edges_of(graph.parent)
        false = ours - truth
        for edge in sorted(false):
            print(f"{graph.parent.name}: {edge[0]} -> {edge[1]}")
        right, wrong, wanted = right + len(ours & truth), wrong + len(false), wanted + len(asked)
        cases, sound, whole = cases + 1, sound + (not false), whole + (asked <= ours)
    print(f"{cases} programs: precision {right / max(right + wrong, 1):.4f} ({right} right, {wrong} wrong), recall")
    print(f"{right / max(wanted, 1):.4f} of {wanted}; {sound} programs without a false edge, {whole} complete")


if __name__ == "__main__":
    main()
