"""How ranked results look in answers: groups with evidence and ready calls, and pages of a frozen set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from satori.model.definition import SymbolKind
from satori.navigation.secrets import mask_text
from satori.server.budget import Drop, drop_detail, drop_tail
from satori.server.describe import (
    call_dict,
    call_schema,
    open_symbol_call,
    read_lines_call,
    span_dict,
    symbol_dict,
    symbol_properties,
)
from satori.server.envelope import Action, Answer
from satori.server.relations import may_be_called
from satori.server.schema import Schema, listing, number, or_null, record, text

if TYPE_CHECKING:
    from satori.model.symbol import Symbol
    from satori.search.answer import Group, SearchAnswer
    from satori.server.sessions import FrozenSet
    from satori.server.view import View

READ_MARGIN = 400


def group_schema() -> Schema:
    """One result."""
    return record(
        {
            "rank": number(),
            "file": text(),
            "language": text(),
            **symbol_properties(),
            "preview": record({"startLine": number(), "endLine": number(), "text": text()}, nullable=True),
            "why": listing(text("exact", "lexical", "dense", "reranked", "literal")),
            "matchedTerms": listing(text()),
            "source": text("publication", "live"),
            "capability": record(
                {"symbols": text("deep", "outline", "text"), "calls": text("qualified", "conservative", "unsupported")}
            ),
            "read": call_schema(),
            "graph": call_schema(),
        }
    )


def page_fields() -> dict[str, Schema]:
    """What a search and each of its continuations have in common."""
    return {
        "groups": listing(group_schema()),
        "offset": number(),
        "shown": number(),
        "frozen": number(),
        "available": number(),
        "continuation": call_schema(),
    }


def page_drops() -> tuple[Drop, ...]:
    """What goes first when a page is too large: previews from the last, then signatures, then whole groups."""
    return (
        drop_detail("groups", "preview"),
        drop_detail("groups", "signature", ""),
        drop_detail("groups", "breadcrumbs", []),
        drop_detail("groups", "graph"),
        drop_tail("groups", keep=1),
    )


def group_dict(view: View, group: Group, rank: int, *, raw: bool) -> dict[str, Any]:
    """One result of the Publication."""
    symbol = group.symbol
    whole_file = symbol.kind is SymbolKind.FILE
    span = group.chunk if raw or whole_file else symbol.span
    described = symbol_dict(symbol)
    described["span"] = span_dict(span)
    if whole_file or raw:
        last = min(span.end_line, span.start_line + READ_MARGIN)
        read = read_lines_call(view.root, group.file, span.start_line, last, "Read it.")
    else:
        read = open_symbol_call(view.root, symbol)
    return {
        "rank": rank,
        "file": group.file,
        "language": group.language,
        **described,
        "preview": {
            "startLine": group.preview.start_line,
            "endLine": group.preview.end_line,
            "text": mask_text(group.preview.text),
        },
        "why": list(group.why),
        "matchedTerms": list(group.preview.matched)[:16],
        "source": "publication",
        "capability": {
            "symbols": view.symbol_capability(group.language),
            "calls": view.calls_capability(group.language),
        },
        "read": call_dict(read),
        "graph": _graph(view, group.file, symbol),
    }


def _graph(view: View, file: str, symbol: Symbol) -> dict[str, Any] | None:
    """A ready call_graph call, where the language has call rules and the symbol can be called."""
    if not may_be_called(view, symbol):
        return None
    arguments = {"path": view.path, "symbolRef": {"file": file, "symbolKey": symbol.key}}
    return call_dict(Action("call_graph", arguments, "See its callers and callees."))


def put_page(
    result: Answer, view: View, found: SearchAnswer, frozen: FrozenSet | None, offset: int, limit: int, *, raw: bool
) -> None:
    """Fill in one page of `found`, at most `limit` groups from `offset`, and keep its continuation true to what the
    budget leaves."""
    page = found.candidates[offset : offset + limit]
    groups = [
        group_dict(view, group, offset + at + 1, raw=raw)
        for at, group in enumerate(view.engine.render(found, page, offset + 1))
    ]
    total = len(found.candidates)
    result.fields |= {
        "groups": groups,
        "offset": offset,
        "shown": len(groups),
        "frozen": total,
        "available": found.available,
        "continuation": None,
    }
    result.drops = page_drops()
    before = result.settle

    def settle(answer: Answer) -> None:
        shown = len(answer.fields["groups"])
        answer.fields["shown"] = shown
        following = offset + shown
        left = total - following
        answer.omitted = {name: count for name, count in answer.omitted.items() if name != "groups"}
        follow = None
        if left > 0:
            answer.omitted["groups"] = left
        if frozen is not None:
            frozen.pages[(offset, limit)] = following
            if left > 0:
                arguments = {"handle": frozen.handle, "expectedOffset": following, "limit": min(limit, left)}
                follow = Action("continue_search", arguments, "More of the same results.")
        answer.fields["continuation"] = call_dict(follow) if follow else None
        if before is not None:
            before(answer)

    result.settle = settle


def coverage_dict(view: View, found: SearchAnswer) -> dict[str, Any]:
    """What the search could have drawn on."""
    coverage = found.coverage
    return {
        "filesSearched": coverage.files,
        "chunksSearched": coverage.chunks,
        "languages": dict(list(coverage.languages.items())[:24]),
        "skipped": coverage.skipped,
        "relationships": relationship_coverage(view, coverage.languages),
        **({"readAs": found.read_as} if found.read_as else {}),
    }


def relationship_coverage(view: View, languages: Iterable[str]) -> dict[str, str]:
    """What is known of calls, by language, for the languages that have symbols."""
    known = {language: view.calls_capability(language) for language in languages if view.has_symbols(language)}
    return dict(list(known.items())[:16])


def must_schema() -> Schema:
    """Whether `must:` was exhaustive."""
    return or_null(record({"complete": {"type": "boolean"}, "total": number(), "why": or_null(text())}))
