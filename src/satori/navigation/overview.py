"""The shape of a codebase from its Publication alone: areas, what crosses between them, hotspots, entries, cycles.

Each section follows one stated rule and holds nothing that is not published: no layers, services or guesses. Areas are
directories; relations are counts of proved calls and imports between their files.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from satori.model.relationship import RelationKind

AREA_RULE = (
    "Areas are directories: those right below the common directory of all files in scope; one that holds more than "
    "half of the files is opened into its own directories, at most three times."
)
BOUNDARY_RULE = "Proved calls and imports from files of one area to files of another, counted."
HOTSPOT_RULE = "Symbols with the most distinct proved callers, looked for in the files that other files call most."
ENTRY_RULE = (
    "Functions called main, and files whose names are customary entry points, tests left out; a candidate is no proof."
)
CYCLE_RULE = "Areas that reach each other over proved calls and imports: strongly connected sets of two or more."
ENTRY_FILES = frozenset(
    "__main__.py main.py main.go main.rs main.c main.cpp main.cc main.ts main.js Main.java Main.kt Program.cs "
    "manage.py cli.py app.py server.py wsgi.py asgi.py index.js index.ts app.js app.ts server.js server.ts "
    "cli.js cli.ts Application.java Application.kt App.java App.kt".split()
)
_OPENED = 3


@dataclass(slots=True)
class Area:
    """One directory with everything below it that is in no other area. `fan_in` and `fan_out` count other areas."""

    path: str
    files: int = 0
    symbols: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    fan_in: int = 0
    fan_out: int = 0
    calls_in: int = 0
    calls_out: int = 0


@dataclass(frozen=True, slots=True)
class Boundary:
    """Relations from one area to another."""

    source: str
    target: str
    calls: int
    imports: int


@dataclass(frozen=True, slots=True)
class FileFact:
    """One file in scope: its path, language and how many symbols it has (the file's own left out)."""

    path: str
    language: str
    symbols: int


def area_paths(paths: Sequence[str]) -> dict[str, str]:
    """The area of each file, by `AREA_RULE`; "." holds files right in the common directory of all."""
    base = _common(paths)
    areas = {path: _child(path, base) for path in paths}
    for _ in range(_OPENED):
        tally = Counter(areas.values())
        crowded = [area for area, count in tally.items() if area != "." and count * 2 > len(paths)]
        if not crowded:
            break
        opened = False
        for path, area in areas.items():
            if area == crowded[0]:
                below = _child(path, area)
                # Files right in an opened directory stay under its own name.
                if below != ".":
                    areas[path] = below
                    opened = True
        if not opened:
            break
    return areas


def _common(paths: Sequence[str]) -> str:
    directories = [path.split("/")[:-1] for path in paths]
    if not directories:
        return ""
    shortest, longest = min(directories), max(directories)
    common = []
    for one, other in zip(shortest, longest, strict=False):
        if one != other:
            break
        common.append(one)
    return "/".join(common)


def _child(path: str, directory: str) -> str:
    rest = path[len(directory) + 1 :] if directory else path
    head, slash, _ = rest.partition("/")
    if not slash:
        return "."
    return f"{directory}/{head}" if directory else head


def areas_of(files: Iterable[FileFact], area_by_path: dict[str, str]) -> dict[str, Area]:
    """Areas with their files, symbols and languages."""
    areas: dict[str, Area] = {}
    for file in files:
        name = area_by_path[file.path]
        area = areas.setdefault(name, Area(name))
        area.files += 1
        area.symbols += file.symbols
        area.languages[file.language] += 1
    return areas


def boundaries_of(
    relations: Iterable[tuple[str, str, RelationKind, int]], area_by_path: dict[str, str], areas: dict[str, Area]
) -> list[Boundary]:
    """Relations between areas, the most first; fills in the areas' fans."""
    calls: Counter[tuple[str, str]] = Counter()
    imports: Counter[tuple[str, str]] = Counter()
    for source, target, kind, count in relations:
        pair = (area_by_path.get(source, ""), area_by_path.get(target, ""))
        if not pair[0] or not pair[1] or pair[0] == pair[1]:
            continue
        if kind is RelationKind.CALLS:
            calls[pair] += count
        elif kind is RelationKind.IMPORTS:
            imports[pair] += count
    pairs = sorted({*calls, *imports}, key=lambda pair: (-calls[pair] - imports[pair], pair))
    for source, target in pairs:
        areas[source].fan_out += 1
        areas[target].fan_in += 1
        areas[source].calls_out += calls[source, target]
        areas[target].calls_in += calls[source, target]
    return [Boundary(source, target, calls[source, target], imports[source, target]) for source, target in pairs]


def cycles_of(boundaries: Iterable[Boundary]) -> list[list[str]]:
    """Strongly connected sets of two or more areas, each sorted, the largest first."""
    graph: dict[str, set[str]] = defaultdict(set)
    for boundary in boundaries:
        graph[boundary.source].add(boundary.target)
        graph.setdefault(boundary.target, set())
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in sorted(graph):
        if root in index:
            continue
        work: list[tuple[str, list[str]]] = [(root, sorted(graph[root]))]
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            if rest:
                following = rest.pop(0)
                if following not in index:
                    work.append((following, sorted(graph[following])))
                elif following in on_stack:
                    low[node] = min(low[node], index[following])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                component = []
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    component.append(member)
                    if member == node:
                        break
                if len(component) > 1:
                    found.append(sorted(component))
    return sorted(found, key=lambda component: (-len(component), component))


def most_called_files(
    relations: Iterable[tuple[str, str, RelationKind, int]], in_scope: frozenset[str], limit: int
) -> list[str]:
    """Files that other files call most, the most first."""
    calls: Counter[str] = Counter()
    for source, target, kind, count in relations:
        if kind is RelationKind.CALLS and source != target and target in in_scope and source in in_scope:
            calls[target] += count
    return [path for path, _ in sorted(calls.items(), key=lambda item: (-item[1], item[0]))[:limit]]
