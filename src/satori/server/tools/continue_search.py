"""continue_search: further pages of one search's frozen result set. Nothing is searched again."""

from __future__ import annotations

from typing import Any

from satori.search.request import ResultMode
from satori.server.contract import Contract
from satori.server.envelope import Action, Answer
from satori.server.failures import RefusalError
from satori.server.reasons import Reason
from satori.server.results import coverage_dict, page_fields, put_page
from satori.server.schema import Kind, Parameter, text
from satori.server.sessions import FrozenSet
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import open_view
from satori.server.words import clip, plural

CONTRACT = Contract(
    name="continue_search",
    title="Continue a search",
    description=(
        "Show more of a search's frozen result set: the handle and expectedOffset come from the continuation of "
        "search_codebase or of the page before. Nothing is searched again, and the same call shows the same page. A "
        "frozen set lives 15 minutes, belongs to this session, and is refused when it is expired, unknown, read out of "
        "order, or when a newer Publication is served; the refusal names the search to run again."
    ),
    parameters=(
        Parameter("handle", Kind.STRING, "The handle from a continuation.", True, minimum=1, maximum=64),
        Parameter(
            "expectedOffset",
            Kind.INTEGER,
            "The offset from a continuation: how many results came before.",
            True,
            minimum=0,
            maximum=200,
        ),
        Parameter("limit", Kind.INTEGER, "How many results to show.", default=8, minimum=1, maximum=200),
    ),
    fields={"handle": text(), "relevance": text("strong", "weak", "none"), **page_fields()},
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    frozen = _frozen(arguments["handle"], context)
    offset = arguments["expectedOffset"]
    if not frozen.begins_page(offset):
        expected = sorted(set(frozen.pages.values()))
        raise RefusalError(
            Reason.HANDLE_OUT_OF_ORDER,
            f"No page begins at offset {offset}; the next one begins at {expected[-1]}.",
            action=Action(
                "continue_search", {"handle": frozen.handle, "expectedOffset": expected[-1]}, "Read the next page."
            ),
        )
    with open_view(context, frozen.arguments["path"]) as view:
        if view.snapshot.info.id != frozen.publication_id:
            raise RefusalError(
                Reason.HANDLE_SUPERSEDED,
                "A newer Publication is served than the one these results came from.",
                action=_again(frozen.arguments),
            )
        found = frozen.answer
        result = Answer(
            "",
            fields={"handle": frozen.handle, "relevance": found.relevance.value},
            publication=view.publication(),
            freshness=view.freshness().as_dict(),
            coverage=coverage_dict(view, found),
        )
        raw = frozen.arguments.get("resultMode") == ResultMode.RAW.value
        result.settle = _say
        put_page(result, view, found, frozen, offset, arguments["limit"], raw=raw)
        if offset >= len(found.candidates):
            result.reason = Reason.END_OF_RESULTS
            result.message = f"All {plural(len(found.candidates), 'result')} of this search have been shown."
        return result


def _frozen(handle: str, context: ToolContext) -> FrozenSet:
    frozen = context.session.frozen(handle)
    if frozen is not None:
        return frozen
    arguments = context.session.expired(handle)
    if arguments is not None:
        raise RefusalError(Reason.HANDLE_EXPIRED, "These results are older than 15 minutes.", action=_again(arguments))
    raise RefusalError(
        Reason.HANDLE_UNKNOWN,
        f"The handle '{clip(handle, 64)}' was not given to this session.",
        action=Action("list_codebases", {}, "See what can be searched."),
    )


def _again(arguments: dict[str, Any]) -> Action:
    return Action("search_codebase", arguments, "Search again.")


def _say(answer: Answer) -> None:
    groups = answer.fields["groups"]
    if groups:
        first, last = groups[0]["rank"], groups[-1]["rank"]
        answer.message = f"Results {first} to {last} of {answer.fields['frozen']}."
        follow = answer.fields["continuation"]
        read = groups[0]["read"]
        answer.action = (
            Action(follow["tool"], follow["arguments"], "The next page.")
            if follow
            else Action(read["tool"], read["arguments"], "Read the first of these.")
        )


TOOL = Tool(CONTRACT, answer)
