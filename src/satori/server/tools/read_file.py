"""read_file: exact current source, by lines or by symbol, of files in the source manifest and of no others.

A symbol is resolved against the bytes on disk now. Same text: served, moved or not. Edited: served, with both hashes.
Gone or no longer one of a kind: refused, with a ready read of where it was. Never another symbol's body.
"""

from __future__ import annotations

from typing import Any

from satori.model.symbol import Symbol
from satori.navigation.live import LiveFile
from satori.navigation.outline import in_range, members, siblings
from satori.navigation.relocate import Located, Loss, Standing, labelled, locate, split_id
from satori.navigation.window import Window, line_window, span_window
from satori.server.budget import drop_tail
from satori.server.contract import LARGE_BUDGET, Contract
from satori.server.describe import (
    absolute,
    call_dict,
    call_schema,
    label_of,
    open_symbol_call,
    read_lines_call,
    span_dict,
    span_schema,
    symbol_dict,
    symbol_properties,
)
from satori.server.envelope import Action, Answer
from satori.server.failures import RefusalError
from satori.server.reasons import Reason, WarningCode
from satori.server.relations import may_be_called, may_be_used
from satori.server.schema import Kind, Parameter, listing, number, or_null, record, text
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import View, open_file
from satori.server.words import clip, plural

MAX_LINE = 10_000_000
# What is left of the budget for everything but the text.
TEXT_BUDGET = LARGE_BUDGET - 9 * 1024
AROUND = 60

_LISTED = record({**symbol_properties(), "call": call_schema()})
_RELATED = record(
    {
        **symbol_properties(),
        "file": text(),
        "relation": text("member", "sibling", "caller", "callee"),
        "call": call_schema(),
    }
)
MOST_RELATED = 64

CONTRACT = Contract(
    name="read_file",
    title="Read current source",
    description=(
        "Read the exact current source of an indexed file: lines, or one symbol. `path` is the absolute path of the "
        "file. With open_symbol {symbolId} (or symbolKey, symbolLabel) it finds that symbol in the file as it is now: "
        "unchanged text is served even when it moved, edited text is served with both hashes, and a symbol that is "
        "gone or no longer unique is refused with a ready read instead; it never shows another symbol's body. context "
        "definition is the symbol alone, implementation adds its members and siblings with ready calls, call_context "
        "adds direct callers and callees. Windows hold at most 1,000 lines; continuation is the exact next call. mode "
        "annotated lists the symbols that begin in the window. Keys and tokens in source are masked, offsets kept."
    ),
    parameters=(
        Parameter("path", Kind.STRING, "Absolute path of the file.", True, minimum=1, maximum=4_096, absolute=True),
        Parameter("start_line", Kind.INTEGER, "First line (1-based).", minimum=1, maximum=MAX_LINE),
        Parameter("end_line", Kind.INTEGER, "Last line, inclusive.", minimum=1, maximum=MAX_LINE),
        Parameter(
            "open_symbol",
            Kind.OBJECT,
            "Open one symbol of the file instead of lines; give one of symbolId, symbolKey and symbolLabel.",
            fields=(
                Parameter("symbolId", Kind.STRING, "A symbolId from an earlier answer.", minimum=1, maximum=64),
                Parameter("symbolKey", Kind.STRING, "A symbolKey from an earlier answer.", minimum=1, maximum=64),
                Parameter("symbolLabel", Kind.STRING, "A label or name, as answers show it.", minimum=1, maximum=512),
                Parameter(
                    "context",
                    Kind.STRING,
                    "What to show with it.",
                    default="definition",
                    choices=("definition", "implementation", "call_context"),
                ),
            ),
        ),
        Parameter(
            "mode",
            Kind.STRING,
            "plain is text alone; annotated adds the symbols that begin in the window.",
            default="plain",
            choices=("plain", "annotated"),
        ),
    ),
    fields={
        "file": text(),
        "language": text(),
        "source": text("live"),
        "startLine": number(),
        "endLine": number(),
        "totalLines": number(),
        "startByte": number(),
        "endByte": number(),
        "text": text(),
        "symbol": record(
            {
                **symbol_properties(),
                "standing": text(*(standing.value for standing in Standing)),
                "requestedHash": text(),
                "currentHash": text(),
                "publishedSpan": or_null(span_schema()),
            },
            nullable=True,
        ),
        "candidates": listing(_LISTED),
        "related": listing(_RELATED),
        "annotations": listing(record(symbol_properties())),
        "continuation": call_schema(),
    },
    budget=LARGE_BUDGET,
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    wanted = arguments["open_symbol"]
    _check(arguments, wanted)
    with open_file(context, arguments["path"]) as (view, live):
        result = Answer(
            "",
            fields={"file": live.row.path, "language": live.row.language, "source": "live"},
            publication=view.publication(),
            freshness=view.live_freshness(live),
            coverage={
                "symbols": view.symbol_capability(live.row.language),
                "calls": view.calls_capability(live.row.language),
            },
            drops=(drop_tail("annotations"), drop_tail("related"), drop_tail("candidates", keep=1)),
        )
        if wanted is None:
            _read_lines(arguments, view, live, result)
        else:
            _read_symbol(wanted, arguments["mode"], view, live, result)
        return result


def _check(arguments: dict[str, Any], wanted: dict[str, Any] | None) -> None:
    first, last = arguments["start_line"], arguments["end_line"]
    if wanted is not None and (first is not None or last is not None):
        raise RefusalError(Reason.INVALID_VALUE, "Give either 'open_symbol' or 'start_line' and 'end_line', not both.")
    if wanted is not None and not any(wanted[name] for name in ("symbolId", "symbolKey", "symbolLabel")):
        raise RefusalError(
            Reason.MISSING_PARAMETER, "'open_symbol' takes one of symbolId, symbolKey and symbolLabel; none is given."
        )
    if first is not None and last is not None and first > last:
        raise RefusalError(Reason.INVALID_VALUE, f"'start_line' ({first}) lies after 'end_line' ({last}).")


def _read_lines(arguments: dict[str, Any], view: View, live: LiveFile, result: Answer) -> None:
    total = len(live.lines)
    first, last = arguments["start_line"] or 1, arguments["end_line"]
    if first > total:
        result.warn(
            WarningCode.RANGE_CLAMPED,
            f"The file has {plural(total, 'line')}; line {first} does not exist, so its last is shown.",
        )
        first, last = total, total
    elif last is not None and last > total:
        result.warn(WarningCode.RANGE_CLAMPED, f"The file ends at line {total}.")
    window = line_window(live.data, live.lines, first, total if last is None else last, TEXT_BUDGET)
    stop = None if last is None or last >= total else last
    _show(window, view, live, result, stop, annotated=arguments["mode"] == "annotated")
    result.fields |= {"symbol": None, "candidates": [], "related": []}
    result.message = f"{live.row.path}, lines {window.start_line}-{window.end_line} of {total}."


def _show(window: Window, view: View, live: LiveFile, result: Answer, stop: int | None, *, annotated: bool) -> None:
    """Put the window into the answer; `stop` is the last line that the continuation goes to."""
    within = in_range(live.symbols, window.start_line, window.end_line)[0] if annotated else []
    follow = None
    if window.next_line is not None:
        arguments: dict[str, Any] = {"path": absolute(view.root, live.row.path), "start_line": window.next_line}
        if stop is not None:
            arguments["end_line"] = stop
        if annotated:
            arguments["mode"] = "annotated"
        follow = Action("read_file", arguments, "The lines that follow.")
    result.fields |= {
        "startLine": window.start_line,
        "endLine": window.end_line,
        "totalLines": window.total_lines,
        "startByte": window.start,
        "endByte": window.end,
        "text": window.text,
        "annotations": [symbol_dict(symbol) for symbol in within],
        "continuation": call_dict(follow) if follow else None,
    }
    result.action = follow
    if window.masked:
        result.warn(WarningCode.SECRETS_MASKED, WarningCode.SECRETS_MASKED.explanation)
    if window.undecodable:
        result.warn(WarningCode.NOT_UTF8, WarningCode.NOT_UTF8.explanation)
    if window.clipped:
        result.omitted["bytesOfLastLine"] = window.clipped
        result.warn(
            WarningCode.LINE_CLIPPED,
            f"Line {window.end_line} is longer than an answer; {plural(window.clipped, 'byte')} of it are not shown.",
        )


def _read_symbol(wanted: dict[str, Any], mode: str, view: View, live: LiveFile, result: Answer) -> None:
    located = _resolve(wanted, view, live)
    symbol = located.symbol
    window = span_window(live.data, live.lines, symbol.span, TEXT_BUDGET)
    _show(window, view, live, result, symbol.span.end_line, annotated=mode == "annotated")
    result.fields |= {
        "symbol": {
            **symbol_dict(symbol),
            "standing": located.standing.value,
            "requestedHash": located.requested_hash,
            "currentHash": symbol.text_hash,
            "publishedSpan": span_dict(located.published.span) if located.published else None,
        },
        "candidates": [],
        "related": _related(wanted["context"], view, live, located),
    }
    label, span = label_of(symbol), symbol.span
    place = f"{live.row.path}:{span.start_line}-{span.end_line}"
    if located.standing is Standing.MOVED:
        result.reason = Reason.SYMBOL_MOVED
        was = f" from line {located.published.span.start_line}" if located.published else ""
        result.message = f"{label} is unchanged and moved{was} to {place}."
    elif located.standing is Standing.EDITED:
        result.reason = Reason.SYMBOL_EDITED
        result.message = f"{label} is at {place}; its text changed since the id was given."
        result.warn(WarningCode.SYMBOL_CHANGED, WarningCode.SYMBOL_CHANGED.explanation)
    else:
        result.message = f"{label} is at {place}."
    if wanted["context"] == "call_context":
        _say_calls(result, view, live, located)
    _recommend_users(result, view, live, located)


def _say_calls(result: Answer, view: View, live: LiveFile, located: Located) -> None:
    """How complete the listed callers and callees are, and a call that shows more."""
    if view.calls_capability(live.row.language) == "unsupported":
        result.warn(WarningCode.RELATIONSHIPS_UNAVAILABLE, f"There are no call rules for {live.row.language}.")
        return
    if live.changed:
        result.warn(WarningCode.SYMBOL_CHANGED, "Callers and callees are those published; the file changed since.")


def _recommend_users(result: Answer, view: View, live: LiveFile, located: Located) -> None:
    """What a symbol calls stands in its source, which was just read; what uses it stands elsewhere."""
    published = located.published
    if result.action is not None or published is None or not may_be_used(published):
        return
    arguments = {"path": view.root, "symbolRef": {"file": live.row.path, "symbolKey": published.key}}
    if may_be_called(view, published):
        result.action = Action("call_graph", {**arguments, "direction": "callers"}, "See what calls it.")
    else:
        result.action = Action("find_references", arguments, "See where its name stands.")


def _related(context: str, view: View, live: LiveFile, located: Located) -> list[dict[str, Any]]:
    if context == "implementation":
        symbol = located.symbol
        near = [("member", other) for other in members(live.symbols, symbol)]
        near += [("sibling", other) for other in siblings(live.symbols, symbol)]
    elif context == "call_context" and located.published is not None:
        near = _neighbours(view, located.published)
    else:
        near = []
    return [{**_listed(view, other), "file": other.path, "relation": how} for how, other in near[:MOST_RELATED]]


def _neighbours(view: View, symbol: Symbol) -> list[tuple[str, Symbol]]:
    """Direct callers, then direct callees, each symbol once."""
    callers = dict.fromkeys(relation.source for relation in view.relations.relations_to(symbol.key))
    callees = dict.fromkeys(relation.target for relation in view.relations.relations_from(symbol.key))
    found = [("caller", view.snapshot.symbol_by_key(key)) for key in callers]
    found += [("callee", view.snapshot.symbol_by_key(key)) for key in callees]
    return [(how, other) for how, other in found if other is not None and view.may_name(other.path)]


def _listed(view: View, symbol: Symbol) -> dict[str, Any]:
    return {**symbol_dict(symbol), "call": call_dict(open_symbol_call(view.root, symbol))}


def _resolve(wanted: dict[str, Any], view: View, live: LiveFile) -> Located:
    """The one current symbol that is meant. Raises RefusalError."""
    given = wanted["symbolId"] or wanted["symbolKey"]
    if not given:
        return _by_label(wanted["symbolLabel"], view, live)
    key, text_hash = split_id(given)
    found = locate(live.published, live.symbols, key, text_hash)
    if isinstance(found, Located):
        return found
    if found.loss is Loss.UNKNOWN:
        raise _unknown(given, key, view, live)
    was = found.published
    first = max(1, min(was.span.start_line if was else 1, len(live.lines)) - 2)
    last = min(len(live.lines), (was.span.end_line if was else first) + 2, first + AROUND)
    label = label_of(was or found.candidates[0])
    how = "is no longer one of a kind in" if found.loss is Loss.AMBIGUOUS else "is gone from"
    raise RefusalError(
        Reason.SYMBOL_GONE,
        f"{label} {how} the current {clip(live.row.path, 200)}; nothing is shown in its place.",
        action=read_lines_call(view.root, live.row.path, first, last, "Read where it was."),
        fields={
            "file": live.row.path,
            "language": live.row.language,
            "candidates": [_listed(view, symbol) for symbol in found.candidates[:10]],
        },
    )


def _unknown(given: str, key: str, view: View, live: LiveFile) -> RefusalError:
    elsewhere = view.snapshot.symbol_by_key(key)
    if elsewhere is not None and view.may_name(elsewhere.path):
        return RefusalError(
            Reason.SYMBOL_ELSEWHERE,
            f"{label_of(elsewhere)} is in {clip(elsewhere.path, 200)}, not in {clip(live.row.path, 200)}.",
            action=open_symbol_call(view.root, elsewhere, "Open it where it is."),
        )
    return RefusalError(
        Reason.SYMBOL_NOT_FOUND,
        f"No symbol has the id '{clip(given, 64)}' in {clip(live.row.path, 200)}.",
        action=_outline_call(view, live),
    )


def _outline_call(view: View, live: LiveFile) -> Action:
    return Action("file_outline", {"path": view.root, "file": live.row.path}, "List the file's symbols.")


def _by_label(label: str, view: View, live: LiveFile) -> Located:
    found = labelled(live.symbols, label)
    if len(found) == 1:
        symbol = found[0]
        known = next((s for s in live.published if s.key == symbol.key), None)
        return Located(symbol, Standing.EXACT, symbol.text_hash, known)
    if found:
        raise RefusalError(
            Reason.SYMBOL_AMBIGUOUS,
            f"{len(found)} symbols of {clip(live.row.path, 200)} are '{clip(label, 80)}'; open one by its id.",
            action=open_symbol_call(view.root, found[0], "Open the first candidate."),
            fields={
                "file": live.row.path,
                "language": live.row.language,
                "candidates": [_listed(view, symbol) for symbol in found[:20]],
            },
        )
    raise RefusalError(
        Reason.SYMBOL_NOT_FOUND,
        f"No symbol of {clip(live.row.path, 200)} is called '{clip(label, 80)}'.",
        action=_outline_call(view, live),
    )


TOOL = Tool(CONTRACT, answer)
