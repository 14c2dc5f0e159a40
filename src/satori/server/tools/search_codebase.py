"""search_codebase: ranked owners for a question, with evidence, from one Publication."""

from __future__ import annotations

from typing import Any

from satori.search.request import GroupBy, ResultMode, Scope, SearchRequest
from satori.server.budget import drop_detail, drop_tail
from satori.server.contract import PATH, Contract
from satori.server.envelope import Action, Answer
from satori.server.live_search import live_groups
from satori.server.reasons import Reason, WarningCode
from satori.server.results import coverage_dict, group_schema, must_schema, page_fields, put_page
from satori.server.schema import Kind, Parameter, anything, listing, number, or_null, text
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import View, open_view
from satori.server.words import clip, plural

DEFAULT_LIMIT = 20
DEFAULT_DISCLOSURE = 8

CONTRACT = Contract(
    name="search_codebase",
    title="Search a codebase",
    description=(
        "Find the code that answers a question. Ask in plain words, or give an identifier exactly as it is "
        "written: its definition comes first. Results are owner symbols in order of relevance with exact spans, a "
        "bounded preview, why each was found, and a ready read_file call. relevance says whether anything here "
        "answers the question: strong, weak, or none (then no groups are shown and the nearest thing is not an "
        "answer). scope runtime is implementation, configuration and tests; docs is documentation; mixed is "
        "everything. Operators at the start of the query narrow it: lang:python, path:src/** and -path:tests/** "
        '(gitignore patterns), must:"text" (every one must occur; exhaustive), exclude:"text"; quotes group, a '
        "backslash makes a word literal. limit is the size of the frozen result set, disclosureLimit how many this "
        "answer shows; continuation pages through the rest. altTerms are words you think the code uses."
    ),
    parameters=(
        PATH,
        Parameter(
            "query",
            Kind.STRING,
            "A question in plain words or an exact identifier, optionally preceded by operators.",
            required=True,
            minimum=1,
            maximum=8_000,
        ),
        Parameter(
            "scope",
            Kind.STRING,
            "Which files may answer.",
            default="runtime",
            choices=tuple(scope.value for scope in Scope),
        ),
        Parameter(
            "resultMode",
            Kind.STRING,
            "grouped: one result an owner; raw: the ranked pieces of source themselves.",
            default="grouped",
            choices=tuple(mode.value for mode in ResultMode),
        ),
        Parameter(
            "groupBy",
            Kind.STRING,
            "One result a symbol, or one a file.",
            default="symbol",
            choices=tuple(group.value for group in GroupBy),
        ),
        Parameter(
            "limit", Kind.INTEGER, "Size of the frozen result set.", default=DEFAULT_LIMIT, minimum=1, maximum=200
        ),
        Parameter(
            "disclosureLimit",
            Kind.INTEGER,
            "How many results this answer shows; at most limit.",
            default=DEFAULT_DISCLOSURE,
            minimum=1,
            maximum=200,
        ),
        Parameter("altTerms", Kind.STRINGS, "Words that the code may use for it.", maximum=8, item_maximum=128),
        Parameter(
            "debug",
            Kind.STRING,
            "How much to explain about the answer itself.",
            default="none",
            choices=("none", "summary", "ranking", "freshness", "full"),
        ),
    ),
    fields={
        "query": text(),
        "relevance": text("strong", "weak", "none"),
        **page_fields(),
        "limit": number(),
        "operators": listing(text()),
        "must": must_schema(),
        "live": listing(group_schema()),
        "reranker": text("absent", "applied", "failed", "timeout"),
        "debug": or_null(anything()),
    },
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    with open_view(context, arguments["path"]) as view:
        request = SearchRequest(
            query=arguments["query"],
            scope=Scope(arguments["scope"]),
            limit=arguments["limit"],
            group_by=GroupBy(arguments["groupBy"]),
            result_mode=ResultMode(arguments["resultMode"]),
            alt_terms=tuple(term for term in arguments["altTerms"] or () if term.strip()),
            subdirectory=view.place.prefix,
        )
        freshness = view.freshness()
        found = view.engine.answer(request)
        raw = request.result_mode is ResultMode.RAW
        result = Answer(
            "",
            fields={"query": clip(arguments["query"], 300), "relevance": found.relevance.value},
            publication=view.publication(),
            freshness=freshness.as_dict(),
            coverage=coverage_dict(view, found),
        )
        for code, message in (*view.warnings(freshness), *found.warnings):
            result.warn(code, message)
        live = live_groups(view, freshness, arguments["query"], request.scope, found.stems)
        if live:
            result.warn(
                WarningCode.LIVE_SOURCE, "Files that path: names changed since; `live` shows them as they are now."
            )
        again = repeatable(arguments)
        frozen = None
        if found.candidates:
            frozen = context.session.freeze(view.root, view.snapshot.info.id, found, again)
        disclosed = min(arguments["disclosureLimit"], arguments["limit"])
        result.settle = lambda settled: _say(settled, found.relevance.value, found.available)
        put_page(result, view, found, frozen, 0, disclosed, raw=raw)
        result.drops = (drop_detail("live", "preview"), *result.drops, drop_tail("live"))
        result.fields |= {
            "limit": arguments["limit"],
            "operators": [clip(operator, 200) for operator in found.operators[:32]],
            "must": _must(found.must_total),
            "live": live,
            "reranker": found.reranker,
            "debug": _debug(arguments["debug"], view, found, freshness),
        }
        if not found.candidates:
            _nothing(result, found.operators, arguments, again)
        return result


def repeatable(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that were given, without defaults: the same search again."""
    defaults = {parameter.name: parameter.default for parameter in CONTRACT.parameters}
    return {name: value for name, value in arguments.items() if value is not None and value != defaults[name]}


def _say(answer: Answer, relevance: str, available: int) -> None:
    groups = answer.fields["groups"]
    if groups:
        answer.message = (
            f"{plural(len(groups), 'result')} shown of {plural(available, 'candidate')}; relevance {relevance}."
        )
        answer.action = Action(
            groups[0]["read"]["tool"], groups[0]["read"]["arguments"], "Read the best result's exact current source."
        )


def _nothing(result: Answer, operators: tuple[str, ...], arguments: dict[str, Any], again: dict[str, Any]) -> None:
    files = (result.coverage or {}).get("filesSearched", 0)
    if operators and (result.fields["must"] or not files):
        result.reason = Reason.NO_FILTER_MATCH
        result.message = f"Nothing satisfies the operators; {plural(files, 'file')} in scope passed the path filters."
    else:
        result.reason = Reason.NO_RELEVANT_MATCH
        result.message = f"Nothing in the {plural(files, 'file')} searched is relevant enough to be an answer."
    if arguments["scope"] != Scope.MIXED.value:
        result.action = Action("search_codebase", {**again, "scope": "mixed"}, "Search every kind of file.")


def _must(total: int | None) -> dict[str, Any] | None:
    return None if total is None else {"complete": True, "total": total, "why": None}


def _debug(level: str, view: View, found: Any, freshness: Any) -> dict[str, Any] | None:
    if level == "none":
        return None
    said: dict[str, Any] = {"candidates": len(found.candidates), "available": found.available}
    verdict = found.verdict
    if verdict is not None:
        said["verdict"] = {
            "score": round(verdict.score, 4),
            "similarity": round(verdict.similarity, 4),
            "lexical": round(verdict.lexical, 4),
            "unmatchedIdentifier": bool(verdict.unmatched_identifier),
        }
    if level in ("ranking", "full"):
        said["stems"] = list(found.stems)[:64]
        said["order"] = [
            {
                "rank": at + 1,
                "file": view.engine.index.paths[candidate.file],
                "owner": candidate.owner,
                "score": None if candidate.exact else round(candidate.score, 4),
                "exact": candidate.exact,
            }
            for at, candidate in enumerate(found.candidates[: 200 if level == "full" else 40])
        ]
    if level in ("freshness", "full"):
        said["freshness"] = {"state": freshness.state, "changedFiles": list(freshness.changed)[:200]}
        said["merkleRoot"] = view.snapshot.info.merkle_root
    if level == "full":
        said["fingerprint"] = view.snapshot.info.fingerprint.document()
    return said


TOOL = Tool(CONTRACT, answer, larger=lambda arguments: arguments["debug"] == "full")

__all__ = ["CONTRACT", "TOOL", "answer", "repeatable"]
