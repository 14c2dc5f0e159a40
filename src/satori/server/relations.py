"""How relationships look in answers: nodes, edges with their proof, claims that abstained, and how complete it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from satori.model.relationship import Claim, ClaimCounts, Relation
from satori.model.symbol import Symbol
from satori.server.describe import label_of, span_dict, span_schema
from satori.server.schema import Schema, flag, listing, number, or_null, record, text

if TYPE_CHECKING:
    from satori.publication.snapshot import Snapshot
    from satori.server.view import View


# A snapshot never changes, and every call_graph asks this of all its files.
_UNSERVED: WeakKeyDictionary[Snapshot, tuple[str, ...]] = WeakKeyDictionary()


def node_schema() -> Schema:
    """One symbol of a graph."""
    return record(
        {
            "symbolId": text(),
            "symbolKey": text(),
            "label": text(),
            "kind": text(),
            "file": text(),
            "span": span_schema(),
            "depth": number(),
        }
    )


def node_dict(symbol: Symbol, depth: int) -> dict[str, Any]:
    """A symbol as a node."""
    return {
        "symbolId": symbol.symbol_id,
        "symbolKey": symbol.key,
        "label": label_of(symbol),
        "kind": symbol.kind.value,
        "file": symbol.path,
        "span": span_dict(symbol.span),
        "depth": depth,
    }


def edge_schema() -> Schema:
    """One proved edge; caller and callee are symbol keys."""
    return record(
        {
            "caller": text(),
            "callee": text(),
            "kind": text("CALLS", "IMPORTS", "EXPORTS", "TESTS"),
            "site": site_schema(),
            "rule": text(),
            "proof": text(),
            "test": flag(),
        }
    )


def edge_dict(relation: Relation) -> dict[str, Any]:
    """An edge with its call site, its rule and what proved it."""
    return {
        "caller": relation.source,
        "callee": relation.target,
        "kind": relation.kind.value,
        "site": {
            "file": relation.path,
            "line": relation.line,
            "startByte": relation.start,
            "endByte": relation.end,
        },
        "rule": relation.rule,
        "proof": relation.proof,
        "test": relation.test,
    }


def site_schema() -> Schema:
    """Where a call stands."""
    return record({"file": text(), "line": number(), "startByte": number(), "endByte": number()})


def note_schema() -> Schema:
    """A call site that abstained."""
    return record(
        {
            "status": text("ambiguous", "unresolved", "unsupported"),
            "name": text(),
            "site": site_schema(),
            "why": text(),
            "candidates": listing(text()),
            "candidateCount": number(),
            "side": text("callee", "caller"),
        }
    )


def claim_note(claim: Claim, path: str, names: dict[str, str]) -> dict[str, Any]:
    """A claim of the symbol itself that is no edge."""
    written = f"{claim.receiver}.{claim.name}" if claim.receiver else claim.name
    return {
        "status": claim.status.value,
        "name": written[:120],
        "site": {"file": path, "line": claim.line, "startByte": claim.start, "endByte": claim.end},
        "why": claim.note,
        "candidates": [names.get(key, key) for key in claim.targets],
        "candidateCount": claim.candidates,
        "side": "callee",
    }


def candidate_note(relation: Relation, label: str) -> dict[str, Any]:
    """A site elsewhere that may call the symbol."""
    return {
        "status": "ambiguous",
        "name": label,
        "site": edge_dict(relation)["site"],
        "why": relation.proof,
        "candidates": [relation.target],
        "candidateCount": 1,
        "side": "caller",
    }


def counts_schema() -> Schema:
    """How call sites ended."""
    return or_null(
        record(
            {
                "resolved": number(),
                "external": number(),
                "ambiguous": number(),
                "unresolved": number(),
                "unsupported": number(),
            }
        )
    )


def counts_dict(counts: ClaimCounts) -> dict[str, int]:
    """How call sites ended."""
    return {
        "resolved": counts.resolved,
        "external": counts.external,
        "ambiguous": counts.ambiguous,
        "unresolved": counts.unresolved,
        "unsupported": counts.unsupported,
    }


def unserved_languages(view: View) -> tuple[str, ...]:
    """Languages of this Publication that have symbols and no call rules: calls from them are unknown."""
    from satori.relationships.measured import CallSupport, call_support

    snapshot = view.snapshot
    known = _UNSERVED.get(snapshot)
    if known is None:
        found = {row.language for row in snapshot.files() if row.skip is None and row.symbols > 1}
        known = _UNSERVED[snapshot] = tuple(
            sorted(language for language in found if call_support(language) is CallSupport.UNSUPPORTED)
        )
    return known


def labels_of(view: View, keys: Iterable[str]) -> dict[str, str]:
    """Labels by key, for the keys that live."""
    found = {}
    for key in keys:
        symbol = view.snapshot.symbol_by_key(key)
        if symbol is not None:
            found[key] = f"{symbol.path}:{label_of(symbol)}"
    return found
