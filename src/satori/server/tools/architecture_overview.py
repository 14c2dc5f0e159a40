"""architecture_overview: areas, boundaries, hotspots, entries, cycles, each by a named rule from what is published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from satori.chunks.roles import Role, roles_of
from satori.model.definition import SymbolKind
from satori.navigation.overview import (
    AREA_RULE,
    BOUNDARY_RULE,
    CYCLE_RULE,
    ENTRY_FILES,
    ENTRY_RULE,
    HOTSPOT_RULE,
    Area,
    Boundary,
    FileFact,
    area_paths,
    areas_of,
    boundaries_of,
    cycles_of,
    most_called_files,
)
from satori.server.budget import drop_tail
from satori.server.contract import PATH, Contract
from satori.server.describe import label_of
from satori.server.envelope import Action, Answer
from satori.server.reasons import Reason
from satori.server.relations import counts_dict, node_dict, node_schema
from satori.server.schema import Kind, Parameter, listing, number, record, text
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import View, open_view
from satori.server.words import clip, plural

if TYPE_CHECKING:
    from satori.publication.snapshot import Snapshot

HOTSPOT_FILES = 25
MOST_SHAPES = 8
_OUTSIDE_RUNTIME = Role.TEST | Role.EXAMPLE | Role.GENERATED | Role.VENDORED | Role.DOCUMENTATION | Role.BENCHMARK

CONTRACT = Contract(
    name="architecture_overview",
    title="Architecture overview",
    description=(
        "Show the shape of a codebase from what is published: areas (directories by a stated rule, with files and "
        "symbols), boundaries between them with counts of proved calls and imports, fan-in and fan-out, the most "
        "called symbols, entry candidates, and cycles between areas. rules names the rule of each section; coverage "
        "says, by language, how many call sites are decided, so that a missing relation is not taken for none. Narrow "
        "it with subtree and excludePaths."
    ),
    parameters=(
        PATH,
        Parameter(
            "scope",
            Kind.STRING,
            "runtime leaves out tests, examples, documentation, generated and vendored files.",
            default="runtime",
            choices=("runtime", "all"),
        ),
        Parameter("subtree", Kind.STRING, "A directory relative to the root.", minimum=1, maximum=4_096),
        Parameter("excludePaths", Kind.STRINGS, "No files that match one of these patterns.", maximum=64),
        Parameter("limit", Kind.INTEGER, "How many entries a section shows.", default=15, minimum=1, maximum=50),
    ),
    fields={
        "files": number(),
        "symbols": number(),
        "areas": listing(
            record(
                {
                    "area": text(),
                    "files": number(),
                    "symbols": number(),
                    "languages": listing(text()),
                    "fanIn": number(),
                    "fanOut": number(),
                    "callsIn": number(),
                    "callsOut": number(),
                }
            )
        ),
        "boundaries": listing(record({"from": text(), "to": text(), "calls": number(), "imports": number()})),
        "hotspots": listing(record({"symbol": node_schema(), "callers": number(), "callees": number()})),
        "entries": listing(record({"file": text(), "label": text(), "symbolId": text(), "rule": text()})),
        "cycles": listing(record({"areas": listing(text())})),
        "totals": record(
            {"areas": number(), "boundaries": number(), "hotspots": number(), "entries": number(), "cycles": number()}
        ),
        "rules": record(
            {"areas": text(), "boundaries": text(), "hotspots": text(), "entries": text(), "cycles": text()}
        ),
    },
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    with open_view(context, arguments["path"]) as view:
        shape = _shape(arguments, view)
        files, boundaries, hotspots = shape.files, shape.boundaries, shape.hotspots
        entries, cycles = shape.entries, shape.cycles
        limit = arguments["limit"]
        result = Answer(
            "",
            fields={
                "files": len(files),
                "symbols": sum(file.symbols for file in files),
                "areas": [
                    {
                        "area": area.path,
                        "files": area.files,
                        "symbols": area.symbols,
                        "languages": [name for name, _ in area.languages.most_common(4)],
                        "fanIn": area.fan_in,
                        "fanOut": area.fan_out,
                        "callsIn": area.calls_in,
                        "callsOut": area.calls_out,
                    }
                    for area in shape.areas[:limit]
                ],
                "boundaries": [
                    {"from": one.source, "to": one.target, "calls": one.calls, "imports": one.imports}
                    for one in boundaries[:limit]
                ],
                "hotspots": hotspots[:limit],
                "entries": entries[:limit],
                "cycles": [{"areas": component} for component in cycles[:limit]],
                "totals": {
                    "areas": len(shape.areas),
                    "boundaries": len(boundaries),
                    "hotspots": len(hotspots),
                    "entries": len(entries),
                    "cycles": len(cycles),
                },
                "rules": {
                    "areas": AREA_RULE,
                    "boundaries": BOUNDARY_RULE,
                    "hotspots": HOTSPOT_RULE,
                    "entries": ENTRY_RULE,
                    "cycles": CYCLE_RULE,
                },
            },
            publication=view.publication(),
            freshness=view.freshness().as_dict(),
            coverage=_coverage(view, files),
            drops=(
                drop_tail("entries", keep=3),
                drop_tail("boundaries", keep=3),
                drop_tail("hotspots", keep=3),
                drop_tail("areas", keep=3),
                drop_tail("cycles", keep=1),
            ),
        )
        if not files:
            result.reason = Reason.NO_FILTER_MATCH
            result.message = "No indexed file is in this scope."
            return result
        result.settle = _settle
        first = hotspots[0] if hotspots else None
        if first is not None:
            node = first["symbol"]
            result.action = Action(
                "call_graph",
                {
                    "path": arguments["path"],
                    "symbolRef": {"file": node["file"], "symbolKey": node["symbolKey"]},
                    "direction": "callers",
                },
                "See who calls the most called symbol.",
            )
        return result


def _settle(answer: Answer) -> None:
    totals = answer.fields["totals"]
    names = ("areas", "boundaries", "hotspots", "entries", "cycles")
    answer.omitted = {name: count for name, count in answer.omitted.items() if name not in names}
    for name in names:
        left = totals[name] - len(answer.fields[name])
        if left > 0:
            answer.omitted[name] = left
    answer.message = (
        f"{plural(answer.fields['files'], 'file')} and {plural(answer.fields['symbols'], 'symbol')} in "
        f"{plural(totals['areas'], 'area')}; {plural(totals['boundaries'], 'boundary', 'boundaries')}, "
        f"{plural(totals['cycles'], 'cycle')}."
    )


@dataclass(frozen=True, slots=True)
class _Shape:
    """What one scope of one Publication looks like, every section in order; nothing of it is changed afterwards."""

    files: list[FileFact]
    areas: list[Area]
    boundaries: list[Boundary]
    hotspots: list[dict[str, Any]]
    entries: list[dict[str, Any]]
    cycles: list[list[str]]


# A Publication never changes, and agents ask for its shape again and again.
_SHAPES: WeakKeyDictionary[Snapshot, dict[tuple[Any, ...], _Shape]] = WeakKeyDictionary()


def _shape(arguments: dict[str, Any], view: View) -> _Shape:
    excluded = tuple(arguments["excludePaths"] or ())
    scope = (view.place.prefix, arguments["scope"], arguments["subtree"], excluded)
    known = _SHAPES.setdefault(view.snapshot, {})
    shape = known.get(scope)
    if shape is None:
        if len(known) >= MOST_SHAPES:
            known.clear()
        shape = known[scope] = _measured(arguments, view)
    return shape


def _measured(arguments: dict[str, Any], view: View) -> _Shape:
    files = _in_scope(arguments, view)
    by_path = area_paths([file.path for file in files])
    areas = areas_of(files, by_path)
    relations = view.snapshot.file_relations()
    boundaries = boundaries_of(relations, by_path, areas)
    return _Shape(
        files,
        sorted(areas.values(), key=lambda area: (-area.symbols, -area.files, area.path)),
        boundaries,
        _hotspots(view, most_called_files(relations, frozenset(by_path), HOTSPOT_FILES)),
        _entries(view, frozenset(by_path)),
        cycles_of(boundaries),
    )


def _in_scope(arguments: dict[str, Any], view: View) -> list[FileFact]:
    from satori.source.ignore import parse_lines

    subtree = (arguments["subtree"] or "").strip("/")
    exclude = parse_lines(arguments["excludePaths"]) if arguments["excludePaths"] else None
    found = []
    for row in view.snapshot.files():
        if row.skip is not None or row.symbols <= 1 or not view.place.covers(row.path):
            continue
        if subtree and not row.path.startswith(subtree + "/"):
            continue
        if exclude is not None and exclude.excludes(row.path):
            continue
        documentation = row.category == "documentation"
        if arguments["scope"] == "runtime" and roles_of(row.path, documentation=documentation) & _OUTSIDE_RUNTIME:
            continue
        found.append(FileFact(row.path, row.language, row.symbols - 1))
    return found


def _hotspots(view: View, paths: list[str]) -> list[dict[str, Any]]:
    found = []
    for path in paths:
        row = view.snapshot.file(path)
        if row is None:
            continue
        counted = view.snapshot.call_counts(row.file_id)
        for symbol in view.snapshot.symbols(row.file_id):
            callers, callees = counted.get(symbol.key, (0, 0))
            if symbol.index and callers:
                found.append((-callers, symbol.path, symbol.index, symbol, callers, callees))
    found.sort(key=lambda item: item[:3])
    return [
        {"symbol": node_dict(symbol, 0), "callers": callers, "callees": callees}
        for *_, symbol, callers, callees in found[:50]
    ]


def _entries(view: View, in_scope: frozenset[str]) -> list[dict[str, Any]]:
    found = []
    for symbol in view.snapshot.symbols_named("main"):
        if symbol.path in in_scope and symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD):
            found.append((0, symbol.path.count("/"), symbol.path, symbol, "a function called main"))
    for path in sorted(in_scope):
        name = path.rpartition("/")[2]
        row = view.snapshot.file(path) if name in ENTRY_FILES else None
        if row is not None:
            own = view.snapshot.symbols(row.file_id)[0]
            found.append((1, path.count("/"), path, own, f"a file called {clip(name, 60)}"))
    found.sort(key=lambda item: (*item[:3], item[3].index))
    return [
        {"file": path, "label": label_of(symbol), "symbolId": symbol.symbol_id, "rule": rule}
        for _, _, path, symbol, rule in found
    ]


def _coverage(view: View, files: list[FileFact]) -> dict[str, Any]:
    """What is known of relationships in each language in scope."""
    counted = view.snapshot.claim_counts_by_language()
    languages = sorted({file.language for file in files})
    return {
        "relationships": {
            language: counts_dict(counted[language]) if language in counted else view.calls_capability(language)
            for language in languages
        }
    }


TOOL = Tool(CONTRACT, answer)
