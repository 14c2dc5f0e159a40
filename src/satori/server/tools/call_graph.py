"""call_graph: callers and callees that rules proved, what abstained beside them, and how complete that is."""

from __future__ import annotations

from typing import Any

from satori.model.relationship import Claim, ClaimCounts
from satori.model.symbol import Symbol
from satori.navigation.graph import Direction, Step, Walk, abstained, walk_calls
from satori.server.budget import drop_tail
from satori.server.contract import PATH, Contract
from satori.server.describe import (
    call_schema,
    label_of,
    open_symbol_call,
    read_lines_call,
    symbol_dict,
    symbol_properties,
)
from satori.server.envelope import Action, Answer
from satori.server.reasons import Reason, WarningCode
from satori.server.relations import (
    candidate_note,
    claim_note,
    counts_dict,
    counts_schema,
    edge_dict,
    edge_schema,
    labels_of,
    node_dict,
    node_schema,
    note_schema,
    unserved_languages,
    within_of,
)
from satori.server.schema import Kind, Parameter, listing, number, or_null, record, text
from satori.server.symbolref import SYMBOL_REF, resolve
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import View, open_view
from satori.server.words import plural

MOST_NOTES = 40
MOST_TESTS = 20
# A caller of more lines is not opened whole: the lines around the call site say how it calls.
LONGEST_OPENED = 120
AROUND = 12

CONTRACT = Contract(
    name="call_graph",
    title="Callers and callees",
    description=(
        "List the callers and callees of one symbol, each edge with its call site and the rule that proved it. Only "
        "proved calls are edges; sites that could not be decided are notes with their candidates, and coverage says "
        "complete, partial, unsupported or unavailable, and why. No callers found is not proof that there are none: "
        "follow the recommended textual search. direction callers, callees or both; depth up to 3; the order is "
        "breadth first and always the same. tests are the callers that are tests."
    ),
    parameters=(
        PATH,
        SYMBOL_REF,
        Parameter(
            "direction",
            Kind.STRING,
            "Which way to walk.",
            default="both",
            choices=tuple(direction.value for direction in Direction),
        ),
        Parameter("depth", Kind.INTEGER, "How far to walk.", default=1, minimum=1, maximum=3),
        Parameter("limit", Kind.INTEGER, "How many edges to show.", default=20, minimum=1, maximum=50),
    ),
    fields={
        "symbol": or_null(record(symbol_properties())),
        "direction": text(*(direction.value for direction in Direction)),
        "nodes": listing(node_schema()),
        "edges": listing(edge_schema()),
        "notes": listing(note_schema()),
        "tests": listing(node_schema()),
        "cycles": listing(record({"caller": text(), "callee": text()})),
        "counts": or_null(
            record(
                {
                    "callers": number(),
                    "callees": number(),
                    "edges": number(),
                    "edgesShown": number(),
                    "notes": number(),
                    "tests": number(),
                }
            )
        ),
        "sites": counts_schema(),
        "candidates": listing(record({**symbol_properties(), "call": call_schema()})),
    },
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    with open_view(context, arguments["path"]) as view:
        resolved = resolve(view, arguments["symbolRef"])
        symbol = resolved.symbol
        direction = Direction(arguments["direction"])
        result = Answer(
            "",
            fields={"symbol": symbol_dict(symbol), "direction": direction.value},
            publication=view.publication(),
            drops=(
                drop_tail("notes"),
                drop_tail("tests"),
                drop_tail("edges", keep=1),
                drop_tail("cycles"),
            ),
        )
        if resolved.changed:
            result.warn(WarningCode.SYMBOL_CHANGED, WarningCode.SYMBOL_CHANGED.explanation)
        walk = walk_calls(view.relations, symbol.key, direction, arguments["depth"])
        outside = _confine(view, walk)
        if outside:
            result.omitted["outsideDirectory"] = outside
        _fill(result, view, symbol, walk, arguments["limit"])
        return result


def _confine(view: View, walk: Walk) -> int:
    """Leave out edges that lead out of the requested directory; returns how many."""
    if not view.place.prefix:
        return 0

    def inside(step: Step) -> bool:
        target = view.snapshot.symbol_by_key(step.relation.target)
        return view.may_name(step.relation.path) and target is not None and view.may_name(target.path)

    kept = [step for step in walk.steps if inside(step)]
    outside = len(walk.steps) - len(kept)
    walk.steps = kept
    return outside


def _fill(result: Answer, view: View, symbol: Symbol, walk: Walk, limit: int) -> None:
    row = view.snapshot.file(symbol.path)
    claims = view.relations.claims(row.file_id) if row is not None else []
    own = [claim for claim in claims if claim.owner == symbol.index]
    direct = [step for step in walk.steps if step.depth == 1]
    callers = {step.relation.source for step in direct if step.direction is Direction.CALLERS}
    callees = {step.relation.target for step in direct if step.direction is Direction.CALLEES}
    wanted = Direction(result.fields["direction"])
    notes = []
    abstentions = abstained(claims, symbol.index) if wanted is not Direction.CALLERS else []
    if abstentions:
        names = labels_of(view, {key for claim in abstentions for key in claim.targets})
        notes += [claim_note(claim, symbol.path, names, label_of(symbol)) for claim in abstentions]
    candidates = view.relations.candidates_for(symbol.key) if wanted is not Direction.CALLEES else []
    candidates = [relation for relation in candidates if view.may_name(relation.path)]
    notes += [candidate_note(one, label_of(symbol), _label(view, one.source)) for one in candidates[:MOST_NOTES]]
    tests = [
        found
        for key in dict.fromkeys(
            step.relation.source for step in walk.steps if step.direction is Direction.CALLERS and step.relation.test
        )
        if (found := view.snapshot.symbol_by_key(key)) is not None
    ]
    result.fields |= {
        "nodes": [],
        "edges": [edge_dict(step.relation, within_of(view, step.relation)) for step in walk.steps[:limit]],
        "notes": notes[:MOST_NOTES],
        "tests": [node_dict(test, walk.depths.get(test.key, 1)) for test in tests[:MOST_TESTS]],
        "cycles": [{"caller": source, "callee": target} for source, target in walk.cycles[:20]],
        "counts": {
            "callers": len(callers),
            "callees": len(callees),
            "edges": len(walk.steps),
            "edgesShown": 0,
            "notes": len(abstentions) + len(candidates),
            "tests": len(tests),
        },
        "sites": counts_dict(_counts(own)),
        "candidates": [],
    }
    result.coverage = _coverage(view, symbol, wanted, _counts(own), len(candidates), walk)
    if view.calls_capability(symbol.language) == "unsupported":
        result.reason = Reason.RELATIONSHIPS_UNSUPPORTED
    nodes = {symbol.key: symbol}
    for step in walk.steps[:limit]:
        for key in (step.relation.source, step.relation.target):
            found = nodes.get(key) or view.snapshot.symbol_by_key(key)
            if found is not None:
                nodes[key] = found
    files = {found.path for found in nodes.values()} | {step.relation.path for step in walk.steps[:limit]}
    result.freshness = view.answer_freshness(files).as_dict()
    result.settle = lambda settled: _settle(settled, view, symbol, walk, nodes)


def _settle(answer: Answer, view: View, symbol: Symbol, walk: Walk, nodes: dict[str, Symbol]) -> None:
    fields = answer.fields
    shown = fields["edges"]
    keys = dict.fromkeys([symbol.key, *(key for edge in shown for key in (edge["caller"], edge["callee"]))])
    fields["nodes"] = [node_dict(nodes[key], walk.depths.get(key, 0)) for key in keys if key in nodes]
    counts = fields["counts"]
    counts["edgesShown"] = len(shown)
    answer.omitted = {name: count for name, count in answer.omitted.items() if name not in ("edges", "notes", "tests")}
    for name, total in (("edges", counts["edges"]), ("notes", counts["notes"]), ("tests", counts["tests"])):
        if total > len(fields[name]):
            answer.omitted[name] = total - len(fields[name])
    coverage = answer.coverage or {}
    told = [f"{plural(counts['callers'], 'direct caller')}"] if fields["direction"] != "callees" else []
    told += [f"{plural(counts['callees'], 'direct callee')}"] if fields["direction"] != "callers" else []
    state = coverage.get("callers" if fields["direction"] != "callees" else "callees")
    answer.message = f"{label_of(symbol)}: {', '.join(told)}; coverage {state}."
    answer.action = _next(fields, state, view, symbol, nodes)


def _next(
    fields: dict[str, Any], state: str | None, view: View, symbol: Symbol, nodes: dict[str, Symbol]
) -> Action | None:
    """The textual search where callers were asked for and may be missing; else the first edge in its place."""
    asked_only_for_callers = fields["direction"] == Direction.CALLERS.value
    if fields["direction"] != Direction.CALLEES.value and (
        not fields["counts"]["callers"] or (asked_only_for_callers and state != "complete")
    ):
        why = "No proved caller is not no caller: look at the textual occurrences."
        if fields["counts"]["callers"]:
            why = "These are the proved callers; see whether the name stands anywhere else."
        reference = {"file": symbol.path, "symbolKey": symbol.key}
        return Action("find_references", {"path": view.path, "symbolRef": reference}, why)
    if not fields["edges"]:
        return None
    edge = fields["edges"][0]
    other = nodes.get(edge["caller"] if edge["caller"] != symbol.key else edge["callee"])
    if other is None:
        return None
    if other.index and other.span.end_line - other.span.start_line < LONGEST_OPENED:
        return open_symbol_call(view.root, other, "Read the first one's exact current source.")
    if edge["caller"] != symbol.key:
        line = edge["site"]["line"]
        why = "Read the first call site in its place."
        return read_lines_call(view.root, edge["site"]["file"], max(1, line - AROUND), line + AROUND, why)
    first = other.span.start_line
    return read_lines_call(view.root, other.path, first, first + LONGEST_OPENED, "Read where the first one begins.")


def _label(view: View, key: str) -> str:
    found = view.snapshot.symbol_by_key(key)
    return label_of(found) if found is not None else key


def _counts(claims: list[Claim]) -> ClaimCounts:
    total = ClaimCounts()
    for claim in claims:
        total += ClaimCounts(**{claim.status.value: 1})
    return total


def _coverage(
    view: View, symbol: Symbol, wanted: Direction, own: ClaimCounts, candidates: int, walk: Walk
) -> dict[str, Any]:
    """How complete callers and callees are, each with its reason."""
    capability = view.calls_capability(symbol.language)
    coverage: dict[str, Any] = {"language": symbol.language, "calls": capability}
    if walk.cut:
        coverage["walk"] = "cut at its bound"
    if wanted is not Direction.CALLERS:
        undecided = own.ambiguous + own.unresolved + own.unsupported
        state, why = "complete", "Every call site in it is decided."
        if capability == "unsupported":
            state, why = "unsupported", f"There are no call rules for {symbol.language}."
        elif undecided:
            state, why = "partial", f"{plural(undecided, 'call site')} in it could not be decided."
        coverage |= {"callees": state, "calleesWhy": why}
    if wanted is not Direction.CALLEES:
        everywhere = view.relations.claim_counts()
        undecided = everywhere.ambiguous + everywhere.unresolved + everywhere.unsupported
        unserved = unserved_languages(view)
        state, why = "complete", "Every call site of this codebase is decided."
        if capability == "unsupported":
            state, why = "unsupported", f"There are no call rules for {symbol.language}."
        elif candidates or undecided or unserved:
            reasons = [f"{plural(undecided, 'call site')} of this codebase could not be decided"] if undecided else []
            reasons += (
                [f"{plural(candidates, 'of them names', 'of them name')} this symbol as a candidate"]
                if candidates
                else []
            )
            reasons += [f"there are no call rules for {', '.join(unserved[:8])}"] if unserved else []
            state, why = "partial", "; ".join(reasons) + "."
        coverage |= {"callers": state, "callersWhy": why}
    return coverage


TOOL = Tool(CONTRACT, answer)
