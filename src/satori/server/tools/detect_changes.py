"""detect_changes: from git's hunks to exactly the symbols they touch; what could not be mapped is named."""

from __future__ import annotations

from typing import Any

from satori.model.symbol import Symbol
from satori.navigation.changeset import Changeset, Mapped, spread, untracked
from satori.navigation.diff import ChangeStatus, Comparison, compare_refs, read_changes, read_untracked
from satori.navigation.graph import impact
from satori.server.budget import drop_detail, drop_tail
from satori.server.contract import PATH, Contract
from satori.server.describe import label_of, open_symbol_call, span_dict, span_schema, symbol_dict, symbol_properties
from satori.server.envelope import Action, Answer
from satori.server.reasons import Reason
from satori.server.schema import Kind, Parameter, flag, listing, number, or_null, record, text
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import View, open_view
from satori.server.words import plural

SHOWN_LINES = 12
MOST_REACHED = 2_000

_IMPACT = record(
    {
        "symbolId": text(),
        "symbolKey": text(),
        "label": text(),
        "file": text(),
        "distance": number(),
        "path": listing(text()),
        "site": record({"file": text(), "line": number()}),
        "rule": text(),
    }
)

CONTRACT = Contract(
    name="detect_changes",
    title="Detect changes",
    description=(
        "Map what changed in git to exactly the symbols it touches. baseRef is one revision (the working tree is "
        "compared with its merge base with HEAD) or base...head (two commits, from their merge base). A one-line edit "
        "seeds the one symbol around it, a deleted function is reported as deleted, a pure rename seeds nothing. "
        "Files and hunks that cannot be mapped are named with the reason. includeUntracked adds files that git does "
        "not track and does not ignore. callers and tests reach the touched symbols over proved calls, each with its "
        "path; coverage counts undecided call sites."
    ),
    parameters=(
        PATH,
        Parameter("baseRef", Kind.STRING, "A revision, or base...head.", default="HEAD", minimum=1, maximum=1_000),
        Parameter("includeUntracked", Kind.BOOLEAN, "Also files that git does not track.", default=False),
        Parameter("depth", Kind.INTEGER, "How far callers are followed.", default=3, minimum=1, maximum=3),
        Parameter("limit", Kind.INTEGER, "How many touched symbols to show.", default=100, minimum=1, maximum=200),
    ),
    fields={
        "comparison": record(
            {"baseRef": text(), "base": text(), "headRef": text(), "head": text(), "note": or_null(text())}
        ),
        "seeds": listing(
            record(
                {
                    "file": text(),
                    **symbol_properties(),
                    "change": text("added", "modified"),
                    "lines": listing(number()),
                }
            )
        ),
        "deleted": listing(
            record({"file": text(), "label": text(), "kind": text(), "symbolKey": text(), "oldSpan": span_schema()})
        ),
        "files": listing(
            record(
                {
                    "file": text(),
                    "oldFile": or_null(text()),
                    "status": text(*(status.value for status in ChangeStatus)),
                    "hunks": number(),
                    "seeds": number(),
                    "hunksOutsideSymbols": number(),
                    "unmapped": or_null(text()),
                }
            )
        ),
        "callers": listing(_IMPACT),
        "tests": listing(_IMPACT),
        "totals": record(
            {
                "callers": number(),
                "tests": number(),
                "files": number(),
                "hunks": number(),
                "seeds": number(),
                "deleted": number(),
                "hunksOutsideSymbols": number(),
                "filesUnmapped": number(),
            }
        ),
        "shown": number(),
        "truncated": flag(),
    },
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    with open_view(context, arguments["path"]) as view:
        comparison = compare_refs(view.root, arguments["baseRef"])
        changes = read_changes(view.root, comparison)
        if arguments["includeUntracked"] and not comparison.head:
            changes += [untracked(path) for path in read_untracked(view.root)]
        changes = [one for one in changes if view.place.covers(one.path) or view.place.covers(one.old_path or one.path)]
        settings = view.pinned.lifecycle.settings()
        mapped = Changeset(view.root, view.snapshot, settings, comparison).map(changes)
        seeds = spread(mapped, arguments["limit"])
        result = Answer(
            "",
            fields=_fields(comparison, mapped, seeds),
            publication=view.publication(),
            freshness=view.freshness().as_dict(),
            coverage=_coverage(view, mapped),
            drops=(
                drop_tail("files", keep=1),
                drop_detail("seeds", "breadcrumbs", []),
                drop_detail("seeds", "lines", []),
                drop_detail("seeds", "signature", ""),
                drop_tail("callers", keep=3),
                drop_tail("tests", keep=3),
                drop_tail("deleted", keep=1),
                drop_tail("seeds", keep=1),
            ),
        )
        if not mapped:
            result.reason = Reason.NO_CHANGES
        _reach(result, view, mapped, arguments)
        result.settle = lambda settled: _settle(settled, view, comparison, seeds)
        return result


def _fields(comparison: Comparison, mapped: list[Mapped], seeds: list[tuple[Mapped, int]]) -> dict[str, Any]:
    deleted = [(one, symbol) for one in mapped for symbol in one.touched.deleted]
    return {
        "comparison": {
            "baseRef": comparison.base_ref,
            "base": comparison.base,
            "headRef": comparison.head_ref or "working tree",
            "head": comparison.head,
            "note": comparison.note or None,
        },
        "seeds": [_seed(one, one.new[index], one.touched.seeds[index]) for one, index in seeds],
        "deleted": [_deleted(one, symbol) for one, symbol in deleted],
        "files": [_file(one) for one in mapped],
        "callers": [],
        "tests": [],
        "totals": {
            "callers": 0,
            "tests": 0,
            "files": len(mapped),
            "hunks": sum(len(one.change.hunks) for one in mapped),
            "seeds": sum(len(one.touched.seeds) for one in mapped),
            "deleted": len(deleted),
            "hunksOutsideSymbols": sum(one.touched.outside for one in mapped),
            "filesUnmapped": sum(bool(one.why) for one in mapped),
        },
        "shown": len(seeds),
        "truncated": False,
    }


def _reach(result: Answer, view: View, mapped: list[Mapped], arguments: dict[str, Any]) -> None:
    """Callers of every seed and of every deleted symbol, nearest first, each with its causal path from the seed."""
    keys = [one.new[index].key for one in mapped for index in one.touched.seeds]
    keys += [symbol.key for one in mapped for symbol in one.touched.deleted]
    found, cut = impact(view.relations, keys, arguments["depth"], MOST_REACHED)
    callers: list[dict[str, Any]] = []
    tests: list[dict[str, Any]] = []
    for one in found:
        symbol = view.snapshot.symbol_by_key(one.key)
        if symbol is None or not view.may_name(symbol.path):
            continue
        described = {
            "symbolId": symbol.symbol_id,
            "symbolKey": symbol.key,
            "label": label_of(symbol),
            "file": symbol.path,
            "distance": one.distance,
            "path": list(one.path),
            "site": {"file": one.via.path, "line": one.via.line},
            "rule": one.via.rule,
        }
        (tests if one.via.test else callers).append(described)
    limit = arguments["limit"]
    result.fields |= {"callers": callers[:limit], "tests": tests[:limit]}
    result.fields["totals"] |= {"callers": len(callers), "tests": len(tests)}
    if cut and result.coverage is not None:
        result.coverage["reach"] = f"cut at {MOST_REACHED:,} symbols"


def _coverage(view: View, mapped: list[Mapped]) -> dict[str, Any]:
    counts = view.relations.claim_counts()
    languages = sorted({symbol.language for one in mapped for symbol in one.new[:1]})
    return {
        "filesMapped": sum(not one.why for one in mapped),
        "filesUnmapped": sum(bool(one.why) for one in mapped),
        "relationships": {language: view.calls_capability(language) for language in languages},
        "undecidedCallSites": counts.ambiguous + counts.unresolved + counts.unsupported,
    }


def _seed(one: Mapped, symbol: Symbol, lines: list[int]) -> dict[str, Any]:
    return {
        "file": symbol.path,
        **symbol_dict(symbol),
        "change": "added" if one.is_new(symbol) else "modified",
        "lines": lines[:SHOWN_LINES],
    }


def _deleted(one: Mapped, symbol: Symbol) -> dict[str, Any]:
    return {
        "file": one.change.old_path or one.change.path,
        "label": label_of(symbol),
        "kind": symbol.kind.value,
        "symbolKey": symbol.key,
        "oldSpan": span_dict(symbol.span),
    }


def _file(one: Mapped) -> dict[str, Any]:
    moved = one.change.old_path and one.change.new_path and one.change.old_path != one.change.new_path
    return {
        "file": one.change.path,
        "oldFile": one.change.old_path if moved else None,
        "status": one.change.status.value,
        "hunks": len(one.change.hunks),
        "seeds": len(one.touched.seeds),
        "hunksOutsideSymbols": one.touched.outside,
        "unmapped": one.why or None,
    }


def _settle(answer: Answer, view: View, comparison: Comparison, seeds: list[tuple[Mapped, int]]) -> None:
    fields, totals = answer.fields, answer.fields["totals"]
    fields["shown"] = len(fields["seeds"])
    left = totals["seeds"] - fields["shown"]
    fields["truncated"] = left > 0
    for name in ("seeds", "callers", "tests"):
        answer.omitted.pop(name, None)
        hidden = totals[name] - len(fields[name])
        if hidden > 0:
            answer.omitted[name] = hidden
    if not totals["files"]:
        answer.message = f"Nothing differs from {comparison.base_ref}."
        return
    answer.message = (
        f"{plural(totals['files'], 'file')} changed: {plural(totals['seeds'], 'symbol')} touched, "
        f"{totals['deleted']:,} deleted; {fields['shown']} shown; {plural(totals['callers'], 'caller')} and "
        f"{plural(totals['tests'], 'test')} reach them over proved calls."
    )
    if comparison.head:
        return
    known = next(((one, index) for one, index in seeds if view.snapshot.file(one.change.new_path)), None)
    if known is not None:
        answer.action = open_symbol_call(view.root, known[0].new[known[1]], "Read the first touched symbol.")
    elif seeds:
        answer.action = Action("manage_index", {"action": "sync", "path": view.root}, "Publish the new files.")


TOOL = Tool(CONTRACT, answer)
