"""symbolRef: how a request names one symbol, and how it is resolved in the Publication.

An id whose key lives but whose text changed is resolved by its key, with a warning; a key that is gone is not found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from satori.model.symbol import Symbol
from satori.navigation.relocate import labelled, split_id
from satori.server.describe import call_dict, label_of, open_symbol_call, symbol_dict
from satori.server.envelope import Action
from satori.server.failures import RefusalError
from satori.server.reasons import Reason
from satori.server.schema import Kind, Parameter
from satori.server.view import View, indexed_row
from satori.server.words import clip

SYMBOL_REF = Parameter(
    "symbolRef",
    Kind.OBJECT,
    "The symbol: its file, and one of symbolId, symbolKey and symbolLabel.",
    required=True,
    fields=(
        Parameter("file", Kind.STRING, "The file, relative to the codebase's root.", True, minimum=1, maximum=4_096),
        Parameter("symbolId", Kind.STRING, "A symbolId from an earlier answer.", minimum=1, maximum=64),
        Parameter("symbolKey", Kind.STRING, "A symbolKey from an earlier answer.", minimum=1, maximum=64),
        Parameter("symbolLabel", Kind.STRING, "A label or name, as answers show it.", minimum=1, maximum=512),
    ),
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The symbol, and whether its text differs from the one that the given id names."""

    symbol: Symbol
    changed: bool


def resolve(view: View, reference: dict[str, Any]) -> Resolved:
    """The one published symbol that `reference` names. Raises RefusalError."""
    row = indexed_row(view, reference["file"])
    given = reference["symbolId"] or reference["symbolKey"]
    label = reference["symbolLabel"]
    if not given and not label:
        raise RefusalError(
            Reason.MISSING_PARAMETER, "'symbolRef' takes one of symbolId, symbolKey and symbolLabel; none is given."
        )
    symbols = view.snapshot.symbols(row.file_id)
    outline = Action("file_outline", {"path": view.path, "file": row.path}, "List the file's symbols.")
    if given:
        key, text_hash = split_id(given)
        found = next((symbol for symbol in symbols if symbol.key == key), None)
        if found is not None:
            return Resolved(found, bool(text_hash) and text_hash != found.text_hash)
        elsewhere = view.snapshot.symbol_by_key(key)
        if elsewhere is not None and view.may_name(elsewhere.path):
            raise RefusalError(
                Reason.SYMBOL_ELSEWHERE,
                f"{label_of(elsewhere)} is in {clip(elsewhere.path, 200)}, not in {clip(row.path, 200)}.",
                action=open_symbol_call(view.root, elsewhere, "Open it where it is."),
            )
        raise RefusalError(
            Reason.SYMBOL_NOT_FOUND,
            f"No symbol of {clip(row.path, 200)} has the id '{clip(given, 64)}'.",
            action=outline,
        )
    fitting = labelled(symbols, label)
    if len(fitting) == 1:
        return Resolved(fitting[0], False)
    if fitting:
        raise RefusalError(
            Reason.SYMBOL_AMBIGUOUS,
            f"{len(fitting)} symbols of {clip(row.path, 200)} are '{clip(label, 80)}'; name one by its id.",
            action=outline,
            fields={
                "candidates": [
                    {**symbol_dict(symbol), "call": call_dict(open_symbol_call(view.root, symbol))}
                    for symbol in fitting[:20]
                ]
            },
        )
    raise RefusalError(
        Reason.SYMBOL_NOT_FOUND, f"No symbol of {clip(row.path, 200)} is called '{clip(label, 80)}'.", action=outline
    )
