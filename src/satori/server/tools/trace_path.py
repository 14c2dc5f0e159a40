"""trace_path: one shortest path between two symbols over proved relationships, or an honest nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from satori.model.relationship import RelationKind
from satori.model.symbol import Symbol
from satori.navigation.graph import trace
from satori.navigation.relocate import split_id
from satori.server.contract import PATH, Contract
from satori.server.describe import label_of, open_symbol_call
from satori.server.envelope import Action, Answer
from satori.server.failures import RefusalError
from satori.server.reasons import Reason, WarningCode
from satori.server.relations import counts_dict, counts_schema, edge_dict, edge_schema, node_dict, node_schema
from satori.server.schema import Kind, Parameter, flag, listing, number, or_null, text
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import View, open_view
from satori.server.words import clip, plural

_KINDS = (RelationKind.CALLS, RelationKind.IMPORTS, RelationKind.EXPORTS)

CONTRACT = Contract(
    name="trace_path",
    title="Trace a path",
    description=(
        "Find one shortest path from a source symbol to a target symbol over proved relationships (CALLS, IMPORTS, "
        "EXPORTS), each edge with its site and rule. The search is deterministic and bounded; when a bound ended it, "
        "truncatedBy names it. No path is not proof that none exists: undecided call sites are no edges. Symbols are "
        "given by symbolId or symbolKey."
    ),
    parameters=(
        PATH,
        Parameter("sourceSymbolId", Kind.STRING, "The symbol to start from.", True, minimum=1, maximum=64),
        Parameter("targetSymbolId", Kind.STRING, "The symbol to reach.", True, minimum=1, maximum=64),
        Parameter(
            "relationshipKinds",
            Kind.STRINGS,
            "Which of CALLS, IMPORTS and EXPORTS to follow; all unless given.",
            maximum=3,
        ),
        Parameter("maxDepth", Kind.INTEGER, "The longest path looked for.", default=3, minimum=1, maximum=6),
        Parameter(
            "maxVisitedNodes", Kind.INTEGER, "How many symbols to visit at most.", default=100, minimum=1, maximum=500
        ),
        Parameter(
            "maxTraversedEdges",
            Kind.INTEGER,
            "How many edges to follow at most.",
            default=500,
            minimum=1,
            maximum=2_000,
        ),
    ),
    fields={
        "source": or_null(node_schema()),
        "target": or_null(node_schema()),
        "found": flag(),
        "nodes": listing(node_schema()),
        "edges": listing(edge_schema()),
        "truncatedBy": or_null(text("maxDepth", "maxVisitedNodes", "maxTraversedEdges")),
        "visitedNodes": number(),
        "traversedEdges": number(),
        "sites": counts_schema(),
    },
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    kinds = _kinds(arguments["relationshipKinds"])
    with open_view(context, arguments["path"]) as view:
        result = Answer("", publication=view.publication())
        source = _symbol(view, arguments["sourceSymbolId"], "sourceSymbolId", result)
        target = _symbol(view, arguments["targetSymbolId"], "targetSymbolId", result)
        found = trace(
            view.relations,
            source.key,
            target.key,
            kinds,
            max_depth=arguments["maxDepth"],
            max_nodes=arguments["maxVisitedNodes"],
            max_edges=arguments["maxTraversedEdges"],
        )
        path = found.path or ()
        ways = (view.snapshot.symbol_by_key(edge.target) for edge in path)
        if not all(symbol is not None and view.may_name(symbol.path) for symbol in ways):
            # A way through files outside the requested directory is not told.
            found, path = replace(found, path=None), ()
        keys = [source.key, *(edge.target for edge in path)]
        nodes = [symbol for key in keys if (symbol := view.snapshot.symbol_by_key(key)) is not None]
        files = {symbol.path for symbol in (*nodes, source, target)} | {edge.path for edge in path}
        result.freshness = view.answer_freshness(files).as_dict()
        counts = view.relations.claim_counts()
        result.fields = {
            "source": node_dict(source, 0),
            "target": node_dict(target, len(path)),
            "found": found.path is not None,
            "nodes": [node_dict(symbol, at) for at, symbol in enumerate(nodes)] if found.path is not None else [],
            "edges": [edge_dict(edge) for edge in path],
            "truncatedBy": found.cut_by or None,
            "visitedNodes": found.visited,
            "traversedEdges": found.traversed,
            "sites": counts_dict(counts),
        }
        undecided = counts.ambiguous + counts.unresolved + counts.unsupported
        result.coverage = {
            "relationships": view.calls_capability(source.language),
            "kinds": [kind.value for kind in kinds],
            "undecidedCallSites": undecided,
        }
        _say(result, view, source, target, undecided)
        return result


def _kinds(given: list[str] | None) -> tuple[RelationKind, ...]:
    wanted = given if given else [kind.value for kind in _KINDS]
    wrong = next((name for name in wanted if name not in {kind.value for kind in _KINDS}), None)
    if wrong is not None:
        raise RefusalError(
            Reason.INVALID_VALUE, f"'relationshipKinds' takes CALLS, IMPORTS and EXPORTS, not '{clip(wrong, 40)}'."
        )
    return tuple(kind for kind in _KINDS if kind.value in wanted)


def _symbol(view: View, given: str, parameter: str, result: Answer) -> Symbol:
    key, text_hash = split_id(given)
    symbol = view.snapshot.symbol_by_key(key)
    if symbol is None or not view.may_name(symbol.path):
        raise RefusalError(
            Reason.SYMBOL_NOT_FOUND,
            f"No symbol here has the {parameter} '{clip(given, 64)}'.",
            action=Action("manage_index", {"action": "status", "path": view.path}, "See whether the index is current."),
        )
    if text_hash and text_hash != symbol.text_hash:
        result.warn(WarningCode.SYMBOL_CHANGED, WarningCode.SYMBOL_CHANGED.explanation)
    return symbol


def _say(result: Answer, view: View, source: Symbol, target: Symbol, undecided: int) -> None:
    fields = result.fields
    if fields["found"]:
        result.message = f"{label_of(source)} reaches {label_of(target)} in {plural(len(fields['edges']), 'step')}."
        if fields["edges"]:
            result.action = open_symbol_call(view.root, target, "Read where the path ends.")
        return
    result.reason = Reason.NO_PATH
    bound = f" The search ended at {fields['truncatedBy']}." if fields["truncatedBy"] else ""
    result.message = (
        f"No proved path from {label_of(source)} to {label_of(target)}.{bound} "
        f"That is no proof that none exists: {plural(undecided, 'call site')} here could not be decided."
    )
    result.action = Action(
        "find_references",
        {"path": view.path, "symbolRef": {"file": target.path, "symbolKey": target.key}},
        "See where the target's name stands.",
    )


TOOL = Tool(CONTRACT, answer)
