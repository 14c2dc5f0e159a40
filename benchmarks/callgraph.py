"""Scores our CALLS edges against a compiler's or indexer's answers: precision and recall, by rule and by call form.

    python -m benchmarks.callgraph --language python --tree DIR --oracle FILE [--format scip] [--disagreements OUT]

It reads the tree's files of the language as a build would, resolves them, and compares site by site. An oracle says for
a call site (file, byte of the callee's name) where the callee is defined; `benchmarks.oracles` reads the raw outputs.

    precision = 1 - false / resolved sites that the oracle resolved too
    recall    = agreed / oracle's sites whose target is a function or type of the tree

Both are raw: a disagreement counts against us whoever errs. Adjudicated figures stand in docs/callgraph.md.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.oracles import EXTERNAL, Answer, Oracle, read_oracle
from satori.facts.extract import extract_facts
from satori.model.definition import DefinitionFlag
from satori.model.relationship import Claim, ClaimStatus
from satori.model.symbol import Symbol
from satori.relationships.unit import FUNCTION_KINDS, TYPE_KINDS, Body, Unit, pack_unit
from satori.relationships.whole import resolve_all
from satori.symbols.identify import identify

_SUFFIXES: dict[str, dict[str, str]] = {
    "python": {".py": "python"},
    "typescript": {".json": "json", ".ts": "typescript", ".tsx": "tsx", ".mts": "typescript", ".cts": "typescript"},
    "javascript": {
        ".json": "json",
        ".js": "javascript",
        ".jsx": "javascript",
        ".mjs": "javascript",
        ".cjs": "javascript",
    },
    "go": {".go": "go", ".mod": "gomod", ".work": "gomod"},
    "java": {".java": "java"},
    "kotlin": {".kt": "kotlin"},
    "c": {".c": "c", ".h": "c"},
    "cpp": {".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".h": "cpp", ".hpp": "cpp", ".inc": "cpp"},
    "csharp": {".cs": "csharp"},
    "rust": {".rs": "rust", ".toml": "toml"},
    "scala": {".scala": "scala"},
    "php": {".php": "php"},
}


@dataclass(slots=True)
class Tree:
    """A resolved tree: claims and symbols by path, symbols by key, the bytes, and the seconds each step took."""

    claims: dict[str, tuple[Claim, ...]] = field(default_factory=dict)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    by_name: dict[tuple[str, int], Symbol] = field(default_factory=dict)
    data: dict[str, bytes] = field(default_factory=dict)
    extraction: float = 0.0
    resolution: float = 0.0


@dataclass(slots=True)
class Score:
    """Sites by how we and the oracle ended."""

    agreed: int = 0
    wrong: int = 0
    unjudged: int = 0

    @property
    def precision(self) -> float:
        """Share of our judged edges that agree."""
        judged = self.agreed + self.wrong
        return self.agreed / judged if judged else 1.0


@dataclass(slots=True)
class Report:
    """Everything one comparison found."""

    rules: dict[str, Score] = field(default_factory=dict)
    forms: dict[str, Score] = field(default_factory=dict)
    total: Score = field(default_factory=Score)
    wanted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Share of the oracle's inner sites that we resolved to the same target."""
        wanted = self.wanted.total()
        return self.found.total() / wanted if wanted else 1.0


def resolve_tree(root: Path, language: str, only: Collection[str] = ()) -> Tree:
    """The tree resolved as a full build resolves it; `only` limits the files by their paths."""
    suffixes = _SUFFIXES[language]
    tree = Tree()
    units: dict[str, Unit] = {}
    bodies: dict[str, Body] = {}
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    for path in paths:
        name = suffixes.get(Path(path).suffix)
        if name is None or (only and path not in only):
            continue
        data = tree.data[path] = (root / path).read_bytes()
        began = time.process_time()
        facts = extract_facts(name, data)
        tree.extraction += time.process_time() - began
        symbols = identify(path, facts, data)
        for symbol in symbols:
            tree.symbols[symbol.key] = symbol
            if symbol.index:
                tree.by_name.setdefault((path, symbol.name_start), symbol)
        packed = pack_unit(symbols, facts)
        if packed is not None:
            units[path] = Unit(path, name, packed.interface)
            bodies[path] = Body(packed.body)
    gc.disable()  # as a build does
    began = time.process_time()
    _, resolutions = resolve_all(paths, units, bodies)
    tree.resolution = time.process_time() - began
    gc.enable()
    tree.claims = {path: resolution.claims for path, resolution in resolutions.items()}
    return tree


def compare(tree: Tree, oracle: Oracle) -> Report:
    """Our claims beside the oracle's answers."""
    report = Report()
    for path, claims in tree.claims.items():
        for claim in claims:
            report.statuses[claim.status.value] += 1
            answer = oracle.at(path, claim.start, claim.line, claim.name)
            wanted = _wanted(tree, answer)
            if wanted is not None:
                report.wanted[claim.form.value] += 1
            if claim.status is ClaimStatus.RESOLVED:
                _judge(report, tree, claim, path, answer, wanted)
            elif wanted is not None:
                report.missed[f"{claim.status.value}: {_folded(claim.note)}"] += 1
                report.misses.append(f"{_place(tree, path, claim)}\t{wanted.path}:{wanted.name}\t{claim.note}")
    return report


def _judge(report: Report, tree: Tree, claim: Claim, path: str, answer: Answer | None, wanted: Symbol | None) -> None:
    scores = (
        report.total,
        report.rules.setdefault(claim.rule, Score()),
        report.forms.setdefault(claim.form.value, Score()),
    )
    targets = [tree.symbols[key] for key in claim.targets]
    if answer is None or (wanted is None and answer.path != EXTERNAL):
        for score in scores:
            score.unjudged += 1
        return
    agrees = wanted is not None and any(_same(tree, target, wanted) for target in targets)
    if answer.also:
        agrees = _is_one_of(targets, answer)
    if agrees:
        report.found[claim.form.value] += 1
    elif wanted is not None:
        report.missed[f"wrong: {claim.rule}"] += 1
    for score in scores:
        score.agreed += agrees
        score.wrong += not agrees
    if not agrees:
        theirs = f"{wanted.path}:{wanted.span.start_line} {wanted.qualified_name}" if wanted else answer.name
        ours = f"{targets[0].path}:{targets[0].span.start_line} {targets[0].qualified_name}"
        report.disagreements.append(f"{_place(tree, path, claim)}\t{claim.rule}\tours {ours}\toracle {theirs}")


def _same(tree: Tree, ours: Symbol, theirs: Symbol) -> bool:
    """Whether both are one definition; a constructor and its type are the two targets of one construction."""
    if ours.key == theirs.key:
        return True
    if theirs.flags & DefinitionFlag.DECLARATION_ONLY:
        # The oracle names the first of several declarations (overloads, prototypes) of what runs.
        return ours.name == theirs.name and ours.breadcrumbs == theirs.breadcrumbs and ours.kind == theirs.kind
    if ours.path == theirs.path and ours.parent == theirs.index and ours.name == "__init__":
        return True
    # A construction whose constructor the types of its arguments decide has the type alone as its target.
    return theirs.path == ours.path and theirs.parent == ours.index and theirs.name in (ours.name, "constructor")


def _is_one_of(targets: list[Symbol], answer: Answer) -> bool:
    """Whether a target stands at one of the answer's places, and no function among them stands elsewhere."""
    places = {(answer.path, answer.start), *answer.also}
    inside = [target for target in targets if (target.path, target.name_start) in places]
    outside = [target for target in targets if target not in inside and target.kind in FUNCTION_KINDS]
    return bool(inside) and not outside


def _wanted(tree: Tree, answer: Answer | None) -> Symbol | None:
    """The function or type of the tree that the oracle names."""
    if answer is None or answer.path == EXTERNAL:
        return None
    for place in ((answer.path, answer.start), *answer.also):
        symbol = tree.by_name.get(place)
        if symbol is not None and _callable(symbol):
            return symbol
    return None


def _callable(symbol: Symbol) -> bool:
    return symbol.kind in FUNCTION_KINDS or symbol.kind in TYPE_KINDS


def _place(tree: Tree, path: str, claim: Claim) -> str:
    line = tree.data[path].splitlines()[claim.line - 1].strip().decode("utf-8", "replace")
    return f"{path}:{claim.line} `{line[:100]}`"


def _folded(note: str) -> str:
    return " ".join("N" if word.isdigit() else word for word in note.split())[:60]


def render(tree: Tree, report: Report) -> str:
    """The report as text."""
    total = report.total
    lines = [
        f"facts {tree.extraction:.2f} s, resolution {tree.resolution:.2f} s "
        f"({tree.resolution / max(tree.extraction, 1e-9):.0%})",
        "claims " + ", ".join(f"{name} {count}" for name, count in sorted(report.statuses.items())),
        f"raw precision {total.precision:.4f} ({total.agreed} agree, {total.wrong} do not, {total.unjudged} unjudged)",
        f"raw recall {report.recall:.4f} ({report.found.total()} of {report.wanted.total()})",
        "",
        f"{'rule':40} {'agree':>7} {'wrong':>6} {'unjudged':>9} {'precision':>10}",
    ]
    for name, score in sorted(report.rules.items(), key=lambda item: -item[1].agreed):
        lines.append(f"{name:40} {score.agreed:7} {score.wrong:6} {score.unjudged:9} {score.precision:10.4f}")
    lines += ["", f"{'form':40} {'wanted':>7} {'found':>6} {'recall':>9} {'precision':>10}"]
    for name, count in report.wanted.most_common():
        score = report.forms.get(name, Score())
        found = report.found[name]
        lines.append(f"{name:40} {count:7} {found:6} {found / count:9.4f} {score.precision:10.4f}")
    lines += ["", "missed, by reason"]
    lines += [f"{count:7} {reason}" for reason, count in report.missed.most_common(25)]
    return "\n".join(lines)


def main() -> None:
    """Run one comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", required=True, choices=sorted(_SUFFIXES))
    parser.add_argument("--tree", required=True, type=Path)
    parser.add_argument("--oracle", required=True, type=Path)
    parser.add_argument("--format", default="", help="how to read the oracle's file; by default the language's own")
    parser.add_argument("--disagreements", type=Path, help="write 100 of them here, drawn with a fixed seed")
    parser.add_argument("--misses", type=Path, help="write 200 missed edges here, drawn with a fixed seed")
    arguments = parser.parse_args()
    tree = resolve_tree(arguments.tree, arguments.language)
    oracle = read_oracle(arguments.oracle, arguments.format or arguments.language, arguments.tree, tree.data)
    report = compare(tree, oracle)
    print(render(tree, report))
    for path, items, size in (
        (arguments.disagreements, report.disagreements, 100),
        (arguments.misses, report.misses, 200),
    ):
        if path is not None:
            drawn = random.Random(20261130).sample(items, min(size, len(items)))
            path.write_text("".join(line + "\n" for line in sorted(drawn)), encoding="utf-8")


if __name__ == "__main__":
    main()
