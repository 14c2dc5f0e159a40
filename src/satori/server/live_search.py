"""A supplement from live source: for path: queries that name files which changed since the Publication.

Bounded, outside the ranking, and marked as live. Files pass the same rules as indexed ones before anything is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from satori.chunks.lines import LineIndex
from satori.errors import SourceError
from satori.facts.extract import extract_facts
from satori.model.symbol import Symbol
from satori.navigation.secrets import mask_text
from satori.search.operators import Operators, parse_operators
from satori.search.preview import Preview, make_preview
from satori.search.request import Scope
from satori.server.describe import call_dict, open_symbol_call, span_dict, symbol_dict
from satori.server.envelope import Action
from satori.source.filetypes import Category
from satori.source.ignore import parse_lines
from satori.source.scan import look_at, read_entry
from satori.symbols.identify import identify

if TYPE_CHECKING:
    from satori.server.view import FileFreshness, View
    from satori.source.reading import SourceReader

MOST_FILES = 5
MOST_A_FILE = 2


@dataclass(frozen=True, slots=True)
class _Live:
    path: str
    language: str
    data: bytes
    symbols: list[Symbol]


def live_groups(
    view: View, freshness: FileFreshness, query: str, scope: Scope, stems: tuple[str, ...]
) -> list[dict[str, Any]]:
    """Groups from changed files that the query's path: operators name; empty for any other query."""
    if not freshness.changed:
        return []
    operators = parse_operators(query)
    if not operators.paths:
        return []
    named, shut = parse_lines(operators.paths), parse_lines(operators.not_paths)
    wanted = [path for path in freshness.changed if named.excludes(path) and not shut.excludes(path)]
    settings = view.pinned.lifecycle.settings()
    groups: list[dict[str, Any]] = []
    with view.reader() as reader:
        for file in look_at(view.root, wanted[: 4 * MOST_FILES], settings).files:
            live = _read(reader, file, settings.profile, operators, scope) if file.skip is None else None
            if live is not None and len(groups) < MOST_FILES * MOST_A_FILE:
                groups += _groups(view, live, operators, stems, len(groups))
    return groups


def _read(reader: SourceReader, file: Any, profile: Any, operators: Operators, scope: Scope) -> _Live | None:
    try:
        entry, data = read_entry(reader, file, profile)
    except SourceError:
        return None
    documentation = entry.category is Category.DOCUMENTATION
    if (
        entry.skip is not None
        or (scope is Scope.RUNTIME and documentation)
        or (scope is Scope.DOCS and not documentation)
    ):
        return None
    if operators.languages and entry.language not in operators.languages:
        return None
    symbols = identify(entry.path, extract_facts(entry.language, data), data)
    return _Live(entry.path, entry.language, data, symbols)


def _groups(view: View, live: _Live, operators: Operators, stems: tuple[str, ...], rank: int) -> list[dict[str, Any]]:
    lines = LineIndex(live.data)
    ranked = []
    for symbol in live.symbols:
        if not _holds(symbol, live, operators):
            continue
        preview = make_preview(live.data, symbol.span.start, symbol.span.end, symbol.span.start_line, stems)
        ranked.append((-len(preview.matched), symbol.index == 0, symbol.span.end - symbol.span.start, symbol, preview))
    ranked.sort(key=lambda item: (*item[:3], item[3].index))
    if stems:
        ranked = [item for item in ranked if item[4].matched]
    # The file itself only when none of its symbols will do.
    shown = [item for item in ranked if item[3].index][:MOST_A_FILE] or ranked[:1]
    return [_group(view, live, symbol, preview, rank + at + 1, lines) for at, (*_, symbol, preview) in enumerate(shown)]


def _holds(symbol: Symbol, live: _Live, operators: Operators) -> bool:
    text = live.data[symbol.span.start : symbol.span.end]

    def has(literal: str) -> bool:
        return (
            literal.encode("utf-8", "surrogatepass") in text or literal in symbol.qualified_name or literal in live.path
        )

    return all(has(literal) for literal in operators.must) and not any(has(literal) for literal in operators.exclude)


def _group(view: View, live: _Live, symbol: Symbol, preview: Preview, rank: int, lines: LineIndex) -> dict[str, Any]:
    row = view.snapshot.file(live.path)
    if row is not None and row.skip is None:
        read = open_symbol_call(view.root, symbol)
    else:
        # A file that the Publication does not know is read once it is published.
        read = Action("manage_index", {"action": "sync", "path": view.root}, "Publish the new file.")
    return {
        "rank": rank,
        "file": live.path,
        "language": live.language,
        **symbol_dict(symbol),
        "span": span_dict(lines.span(symbol.span.start, symbol.span.end)),
        "preview": {
            "startLine": preview.start_line,
            "endLine": preview.end_line,
            "text": mask_text(preview.text),
        },
        "why": ["lexical"] if preview.matched else ["literal"],
        "matchedTerms": list(preview.matched)[:16],
        "source": "live",
        "capability": {"symbols": view.symbol_capability(live.language), "calls": view.calls_capability(live.language)},
        "read": call_dict(read),
        "graph": None,
    }
