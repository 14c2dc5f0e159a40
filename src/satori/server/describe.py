"""How symbols, spans and ready calls look in answers: one shape for all tools."""

from __future__ import annotations

from typing import Any

from satori.model.span import Span
from satori.model.symbol import Symbol
from satori.navigation.secrets import mask_text
from satori.server.envelope import Action, action_schema
from satori.server.schema import Schema, anything, listing, number, or_null, record, text


def label_of(symbol: Symbol) -> str:
    """What a symbol is called in answers: its qualified name, or the file's name for the file's own symbol."""
    return symbol.qualified_name or symbol.name


def span_dict(span: Span) -> dict[str, int]:
    """Lines are 1-based and inclusive, bytes half-open."""
    return {
        "startLine": span.start_line,
        "endLine": span.end_line,
        "startByte": span.start,
        "endByte": span.end,
    }


def span_schema() -> Schema:
    """The schema of `span_dict`."""
    return record({"startLine": number(), "endLine": number(), "startByte": number(), "endByte": number()})


def symbol_dict(symbol: Symbol) -> dict[str, Any]:
    """A symbol as tools list it."""
    return {
        "symbolId": symbol.symbol_id,
        "symbolKey": symbol.key,
        "kind": symbol.kind.value,
        "label": label_of(symbol),
        "breadcrumbs": list(symbol.breadcrumbs),
        "span": span_dict(symbol.span),
        "signature": mask_text(symbol.signature),
    }


def symbol_properties() -> dict[str, Schema]:
    """The properties of `symbol_dict`."""
    return {
        "symbolId": text(),
        "symbolKey": text(),
        "kind": text(),
        "label": text(),
        "breadcrumbs": listing(text()),
        "span": span_schema(),
        "signature": text(),
    }


def call_schema() -> Schema:
    """A ready call: tool and arguments."""
    return or_null(record({"tool": text(), "arguments": anything()}))


def call_dict(action: Action) -> dict[str, Any]:
    """A ready call without its reason."""
    return {"tool": action.tool, "arguments": action.arguments}


def open_symbol_call(root: str, symbol: Symbol, why: str = "Read its exact current source.") -> Action:
    """The read_file call that opens a symbol by id."""
    return Action(
        "read_file", {"path": absolute(root, symbol.path), "open_symbol": {"symbolId": symbol.symbol_id}}, why
    )


def read_lines_call(root: str, file: str, first: int, last: int, why: str) -> Action:
    """The read_file call for some lines."""
    return Action("read_file", {"path": absolute(root, file), "start_line": first, "end_line": max(first, last)}, why)


def absolute(root: str, file: str) -> str:
    """A repository-relative file as an absolute path."""
    return f"{root.rstrip('/')}/{file}"


__all__ = [
    "absolute",
    "action_schema",
    "call_dict",
    "call_schema",
    "label_of",
    "open_symbol_call",
    "read_lines_call",
    "span_dict",
    "span_schema",
    "symbol_dict",
    "symbol_properties",
]
