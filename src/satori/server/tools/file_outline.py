"""file_outline: the symbols of one file, or one of them resolved exactly.

Everything comes from the Publication; when the file on disk differs, freshness says so and nothing is mixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from satori.model.symbol import Symbol
from satori.navigation.outline import cut, in_range
from satori.navigation.relocate import labelled, split_id
from satori.navigation.structure import measure
from satori.server.budget import drop_tail
from satori.server.contract import ANSWER_BUDGET, PATH, Contract
from satori.server.describe import (
    call_dict,
    call_schema,
    label_of,
    open_symbol_call,
    read_lines_call,
    symbol_dict,
    symbol_properties,
)
from satori.server.envelope import Action, Answer
from satori.server.failures import RefusalError
from satori.server.reasons import Reason, WarningCode
from satori.server.relations import counts_dict
from satori.server.schema import Kind, Parameter, Schema, listing, number, or_null, record, text
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import View, indexed_row, open_view
from satori.server.words import clip, plural

if TYPE_CHECKING:
    from satori.publication.snapshot import FileRow

MAX_LINE = 10_000_000
# The least that one symbol takes in an answer is about 250 bytes.
MOST_SHOWN = ANSWER_BUDGET // 240

_STRUCTURE = record(
    {"lines": number(), "nesting": number(), "branches": number(), "parameters": or_null(number())}, nullable=True
)


def _symbol_schema() -> Schema:
    return record(
        {
            **symbol_properties(),
            "parentKey": or_null(text()),
            "structure": _STRUCTURE,
            "relationships": record({"callers": number(), "callees": number()}, nullable=True),
        }
    )


CONTRACT = Contract(
    name="file_outline",
    title="Outline of a file",
    description=(
        "List the symbols of one indexed file in source order with exact spans, signatures, ids and owners, or resolve "
        "one symbol exactly. Use it before reading: open a single symbol with read_file instead of reading the whole "
        "file. `file` is relative to the codebase's root. resolveMode exact with symbolIdExact (an id or a key) or "
        "symbolLabelExact (a name such as Session.send) answers with that one symbol; several that fit are listed as "
        "ambiguous and none is picked. detail analysis adds measured structure (lines, nesting, branches, parameters); "
        "detail relationships says what is known of callers and callees. Long outlines are paged by line: follow "
        "continuation."
    ),
    parameters=(
        PATH,
        Parameter("file", Kind.STRING, "The file, relative to the codebase's root.", True, minimum=1, maximum=4_096),
        Parameter("start_line", Kind.INTEGER, "First line of the range (1-based).", minimum=1, maximum=MAX_LINE),
        Parameter("end_line", Kind.INTEGER, "Last line of the range, inclusive.", minimum=1, maximum=MAX_LINE),
        Parameter("limit", Kind.INTEGER, "How many symbols to list.", default=200, minimum=1, maximum=500),
        Parameter(
            "resolveMode",
            Kind.STRING,
            "outline lists; exact resolves the one symbol named by symbolIdExact or symbolLabelExact.",
            default="outline",
            choices=("outline", "exact"),
        ),
        Parameter("symbolIdExact", Kind.STRING, "A symbolId or symbolKey.", minimum=1, maximum=64),
        Parameter("symbolLabelExact", Kind.STRING, "A label or name, as answers show it.", minimum=1, maximum=512),
        Parameter(
            "detail",
            Kind.STRING,
            "What to say about each symbol.",
            default="summary",
            choices=("summary", "analysis", "relationships"),
        ),
    ),
    fields={
        "file": text(),
        "language": text(),
        "totalLines": number(),
        "resolveMode": text("outline", "exact"),
        "symbols": listing(_symbol_schema()),
        "enclosing": listing(_symbol_schema()),
        "total": number(),
        "shown": number(),
        "continuation": call_schema(),
    },
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    first, last = _range(arguments)
    exact = arguments["resolveMode"] == "exact"
    if exact != bool(arguments["symbolIdExact"] or arguments["symbolLabelExact"]):
        raise RefusalError(
            Reason.MISSING_PARAMETER if exact else Reason.INVALID_VALUE,
            "resolveMode 'exact' and one of symbolIdExact and symbolLabelExact belong together.",
        )
    with open_view(context, arguments["path"]) as view:
        row = indexed_row(view, arguments["file"])
        symbols = view.snapshot.symbols(row.file_id)
        if len(symbols) == 1 and not view.has_symbols(row.language):
            raise RefusalError(
                Reason.SYMBOLS_UNSUPPORTED,
                f"'{clip(row.path, 200)}' ({row.language}) is indexed as text; Satori has no symbols for it.",
                action=read_lines_call(view.root, row.path, 1, min(row.lines, 200) or 1, "Read its text."),
            )
        result = Answer(
            "",
            fields={
                "file": row.path,
                "language": row.language,
                "totalLines": row.lines,
                "resolveMode": arguments["resolveMode"],
            },
            publication=view.publication(),
            freshness=view.file_freshness(row),
            coverage={"symbols": view.symbol_capability(row.language), "calls": view.calls_capability(row.language)},
            drops=(drop_tail("symbols", keep=1), drop_tail("enclosing")),
        )
        if row.problem:
            result.warn(WarningCode.PARSER_PROBLEM, f"{row.path}: {row.problem}.")
        if exact:
            _exact(arguments, view, symbols, result)
        else:
            _outline(arguments, view, symbols, first, last, result)
        if arguments["detail"] == "relationships":
            _relate(view, row, result)
        if arguments["detail"] == "analysis":
            _analyse(row.language, view.snapshot.content(row.file_id), symbols, result)
        return result


def _range(arguments: dict[str, Any]) -> tuple[int, int]:
    first, last = arguments["start_line"] or 1, arguments["end_line"] or MAX_LINE
    if first > last:
        raise RefusalError(Reason.INVALID_VALUE, f"'start_line' ({first}) lies after 'end_line' ({last}).")
    return first, last


def _exact(arguments: dict[str, Any], view: View, symbols: list[Symbol], result: Answer) -> None:
    given = arguments["symbolIdExact"] or arguments["symbolLabelExact"]
    if arguments["symbolIdExact"]:
        key, text_hash = split_id(given)
        found = [symbol for symbol in symbols if symbol.key == key]
        if found and text_hash and found[0].text_hash != text_hash:
            result.warn(WarningCode.SYMBOL_CHANGED, WarningCode.SYMBOL_CHANGED.explanation)
    else:
        found = labelled(symbols, given)
    result.fields |= {
        "symbols": [_described(symbol, symbols) for symbol in found],
        "enclosing": [],
        "total": len(found),
        "shown": len(found),
        "continuation": None,
    }
    file = result.fields["file"]
    result.settle = _settle_shown
    if not found:
        result.reason = Reason.SYMBOL_NOT_FOUND
        result.message = f"No symbol of '{clip(file, 200)}' is '{clip(given, 80)}'."
        result.action = Action("file_outline", _base(arguments), "List the file's symbols.")
    elif len(found) > 1:
        result.reason = Reason.SYMBOL_AMBIGUOUS
        result.message = f"{len(found)} symbols of '{clip(file, 200)}' are '{clip(given, 80)}'; name one by its id."
        result.action = open_symbol_call(view.root, found[0], "Open the first candidate; the others have ids too.")
    else:
        span = found[0].span
        result.message = f"{label_of(found[0])} is at {file}:{span.start_line}-{span.end_line}."
        result.action = open_symbol_call(view.root, found[0])


def _outline(
    arguments: dict[str, Any], view: View, symbols: list[Symbol], first: int, last: int, result: Answer
) -> None:
    within, enclosing = in_range(symbols, first, last)
    # No more than a page's budget can hold are described at all.
    page, _ = cut(within, min(arguments["limit"], MOST_SHOWN))
    result.fields |= {
        "symbols": [_described(symbol, symbols) for symbol in page],
        "enclosing": [_described(symbol, symbols) for symbol in enclosing],
        "total": len(within),
        "shown": len(page),
        "continuation": None,
    }
    if not within:
        result.reason = Reason.NO_SYMBOLS
    where = f", lines {first}-{min(last, result.fields['totalLines'])}" if _ranged(arguments) else ""

    def settle(answer: Answer) -> None:
        shown, next_line = cut(within, max(1, len(answer.fields["symbols"])))
        answer.fields["symbols"] = answer.fields["symbols"][: len(shown)]
        answer.fields["shown"] = len(shown)
        left = len(within) - len(shown)
        answer.omitted = {**answer.omitted, "symbols": left} if left else answer.omitted
        follow = None
        if next_line is not None:
            end = {} if arguments["end_line"] is None else {"end_line": arguments["end_line"]}
            why = "The next page of this outline."
            follow = Action("file_outline", {**_base(arguments), "start_line": next_line, **end}, why)
        answer.fields["continuation"] = call_dict(follow) if follow else None
        answer.action = follow or (open_symbol_call(view.root, within[0]) if len(within) == 1 else None)
        answer.message = f"{plural(len(within), 'symbol')} in {clip(answer.fields['file'], 200)}{where}" + (
            f"; {len(shown)} shown." if left else "."
        )

    result.settle = settle


def _ranged(arguments: dict[str, Any]) -> bool:
    return arguments["start_line"] is not None or arguments["end_line"] is not None


def _base(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a follow-up of the same kind repeats."""
    kept = {"path": arguments["path"], "file": arguments["file"]}
    if arguments["limit"] != 200:
        kept["limit"] = arguments["limit"]
    if arguments["detail"] != "summary":
        kept["detail"] = arguments["detail"]
    return kept


def _settle_shown(answer: Answer) -> None:
    answer.fields["shown"] = len(answer.fields["symbols"])


def _described(symbol: Symbol, symbols: list[Symbol]) -> dict[str, Any]:
    parent = symbols[symbol.parent] if symbol.parent > 0 else None
    return {
        **symbol_dict(symbol),
        "parentKey": parent.key if parent else None,
        "structure": None,
        "relationships": None,
    }


def _relate(view: View, row: FileRow, result: Answer) -> None:
    """Direct callers and callees of every symbol shown, and how the file's own call sites ended."""
    if view.calls_capability(row.language) == "unsupported":
        result.warn(WarningCode.RELATIONSHIPS_UNAVAILABLE, f"There are no call rules for {row.language}.")
        return
    counted = view.snapshot.call_counts(row.file_id)
    for item in result.fields["symbols"]:
        callers, callees = counted.get(item["symbolKey"], (0, 0))
        item["relationships"] = {"callers": callers, "callees": callees}
    if result.coverage is not None:
        result.coverage["callSites"] = counts_dict(view.snapshot.claim_counts(row.file_id))


def _analyse(language: str, data: bytes, symbols: list[Symbol], result: Answer) -> None:
    shown = {item["symbolKey"] for item in result.fields["symbols"]}
    measured = measure(language, data, [symbol for symbol in symbols if symbol.key in shown and symbol.index])
    for item in result.fields["symbols"]:
        found = measured.get(item["symbolKey"])
        if found is not None:
            item["structure"] = {
                "lines": found.lines,
                "nesting": found.nesting,
                "branches": found.branches,
                "parameters": found.parameters,
            }


TOOL = Tool(CONTRACT, answer)
