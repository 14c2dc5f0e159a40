"""find_references: every whole-identifier occurrence of a symbol's name in published source, labelled as textual."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from satori.model.definition import SymbolKind
from satori.navigation.references import Reference, ReferenceKind, describe, find_occurrences
from satori.navigation.secrets import mask
from satori.search.identifiers import files_that_may_hold
from satori.server.budget import drop_detail, drop_tail
from satori.server.contract import ANSWER_BUDGET, PATH, Contract
from satori.server.describe import (
    call_schema,
    label_of,
    read_lines_call,
    span_dict,
    span_schema,
    symbol_dict,
    symbol_properties,
)
from satori.server.envelope import Action, Answer
from satori.server.failures import RefusalError
from satori.server.reasons import Reason, WarningCode
from satori.server.schema import Kind, Parameter, counts, flag, listing, number, or_null, record, text
from satori.server.symbolref import SYMBOL_REF, resolve
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import View, open_view
from satori.server.words import plural

LINE_CHARACTERS = 160
# The least that one occurrence takes in an answer is about 150 bytes; more cannot fit and need not be parsed for.
MOST_SHOWN = ANSWER_BUDGET // 150

CONTRACT = Contract(
    name="find_references",
    title="Find textual references",
    description=(
        "Find every whole-identifier occurrence of a symbol's name in the indexed source, each with its exact span, "
        "the symbol that owns the place, and its kind: declaration, import, member, identifier, string_or_comment, or "
        "text where no grammar can tell. All files in scope are scanned before the limit applies, so totals are "
        "exact. It is textual: another thing of the same name is listed too, and no occurrence is proof of a call. "
        "subtree, includePaths and excludePaths (gitignore patterns) narrow it. complete says whether every eligible "
        "file was scanned and matches the Publication."
    ),
    parameters=(
        PATH,
        SYMBOL_REF,
        Parameter("subtree", Kind.STRING, "A directory relative to the root.", minimum=1, maximum=4_096),
        Parameter("includePaths", Kind.STRINGS, "Only files that match one of these patterns.", maximum=64),
        Parameter("excludePaths", Kind.STRINGS, "No files that match one of these patterns.", maximum=64),
        Parameter("limit", Kind.INTEGER, "How many occurrences to show.", default=100, minimum=1, maximum=500),
    ),
    fields={
        "name": text(),
        "symbol": or_null(record(symbol_properties())),
        "references": listing(
            record(
                {
                    "file": text(),
                    "kind": text(*(kind.value for kind in ReferenceKind)),
                    "span": span_schema(),
                    "owner": or_null(record({"symbolId": text(), "label": text(), "kind": text()})),
                    "line": text(),
                }
            )
        ),
        "candidates": listing(record({**symbol_properties(), "call": call_schema()})),
        "total": number(),
        "shown": number(),
        "filesWithReferences": number(),
        "filesScanned": number(),
        "byDirectory": counts(),
        "complete": flag(),
        "incompleteWhy": or_null(text()),
    },
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    with open_view(context, arguments["path"]) as view:
        wanted = _wanted(arguments, view)
        resolved = resolve(view, arguments["symbolRef"])
        symbol = resolved.symbol
        if symbol.kind is SymbolKind.FILE:
            raise RefusalError(Reason.INVALID_VALUE, "'symbolRef' names a file; references are of a symbol's name.")
        freshness = view.freshness()
        may_hold = files_that_may_hold(view.engine.index, view.snapshot, symbol.name)
        found = find_occurrences(view.snapshot, symbol.name, wanted, may_hold)
        shown = describe(view.snapshot, found.occurrences, min(arguments["limit"], MOST_SHOWN))
        changed = [path for path in freshness.changed if wanted(path)]
        result = Answer(
            "",
            fields={
                "name": symbol.name,
                "symbol": symbol_dict(symbol),
                "references": [_described(reference) for reference in shown],
                "total": len(found.occurrences),
                "shown": len(shown),
                "filesWithReferences": len({occurrence.row.path for occurrence in found.occurrences}),
                "filesScanned": found.scanned,
                "byDirectory": _by_directory(found.occurrences),
                "complete": freshness.state != "unverified" and not changed,
                "incompleteWhy": _why(freshness.state, changed),
            },
            publication=view.publication(),
            freshness=freshness.as_dict(),
            coverage={"filesScanned": found.scanned, "evidence": "textual"},
            drops=(
                drop_detail("references", "line", ""),
                drop_detail("references", "owner"),
                drop_tail("references", keep=1),
            ),
        )
        for code, message in view.warnings(freshness):
            result.warn(code, message)
        if resolved.changed:
            result.warn(WarningCode.SYMBOL_CHANGED, WarningCode.SYMBOL_CHANGED.explanation)
        if not any(reference.kind is not ReferenceKind.DECLARATION for reference in shown):
            result.reason = Reason.NO_REFERENCES
        result.settle = lambda settled: _settle(settled, arguments, view, shown, label_of(symbol))
        return result


def _wanted(arguments: dict[str, Any], view: View) -> Callable[[str], bool]:
    from satori.source.ignore import parse_lines

    subtree = (arguments["subtree"] or "").strip("/")
    include = parse_lines(arguments["includePaths"]) if arguments["includePaths"] else None
    exclude = parse_lines(arguments["excludePaths"]) if arguments["excludePaths"] else None

    def wanted(path: str) -> bool:
        return (
            view.place.covers(path)
            and (not subtree or path == subtree or path.startswith(subtree + "/"))
            and (include is None or include.excludes(path))
            and (exclude is None or not exclude.excludes(path))
        )

    return wanted


def _described(reference: Reference) -> dict[str, Any]:
    owner = reference.owner
    line = mask(reference.line).data.decode("utf-8", "replace").strip()
    return {
        "file": reference.row.path,
        "kind": reference.kind.value,
        "span": span_dict(reference.span),
        "owner": {"symbolId": owner.symbol_id, "label": label_of(owner), "kind": owner.kind.value}
        if owner.index
        else None,
        "line": line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS - 1] + "…",
    }


def _by_directory(occurrences: Any) -> dict[str, int]:
    """Totals by directory, the most first, so that what is not shown can be narrowed to."""
    tally = Counter(occurrence.row.path.rpartition("/")[0] or "." for occurrence in occurrences)
    return dict(sorted(tally.items(), key=lambda item: (-item[1], item[0]))[:12])


def _why(state: str, changed: list[str]) -> str | None:
    if state == "unverified":
        return "The files on disk could not all be compared with the Publication."
    if changed:
        return f"{plural(len(changed), 'file')} in scope changed since the Publication."
    return None


def _settle(answer: Answer, arguments: dict[str, Any], view: View, shown: list[Reference], label: str) -> None:
    fields = answer.fields
    fields["shown"] = len(fields["references"])
    left = fields["total"] - fields["shown"]
    answer.omitted = {name: count for name, count in answer.omitted.items() if name != "references"}
    if left:
        answer.omitted["references"] = left
    answer.message = (
        f"{plural(fields['total'], 'textual occurrence')} of '{fields['name']}' ({label}) in "
        f"{plural(fields['filesWithReferences'], 'file')}; {fields['shown']} shown."
    )
    narrower = next((name for name in fields["byDirectory"] if name != "."), "")
    if left and narrower and len(fields["byDirectory"]) > 1:
        kept = {name: value for name, value in arguments.items() if value is not None}
        reference = {name: value for name, value in arguments["symbolRef"].items() if value is not None}
        answer.action = Action(
            "find_references",
            {**kept, "symbolRef": reference, "subtree": narrower},
            "Only the directory with the most occurrences.",
        )
    else:
        use = next((one for one in shown if one.kind not in (ReferenceKind.DECLARATION, ReferenceKind.IMPORT)), None)
        if use is not None:
            line = use.span.start_line
            answer.action = read_lines_call(
                view.root, use.row.path, max(1, line - 5), line + 10, "Read the first use in its place."
            )


TOOL = Tool(CONTRACT, answer)
