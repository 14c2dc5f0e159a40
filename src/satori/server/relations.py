"""How relationships look in answers: nodes, edges with their proof, claims that abstained, and how complete it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from satori.model.definition import SymbolKind
from satori.model.relationship import Claim, ClaimCounts, Relation
from satori.model.symbol import Symbol
from satori.server.describe import label_of, span_dict, span_schema
from satori.server.schema import Schema, flag, listing, number, or_null, record, text

if TYPE_CHECKING:
    from satori.publication.snapshot import Snapshot
    from satori.server.view import View


# A snapshot never changes, and every call_graph asks this of all its files.
_UNSERVED: WeakKeyDictionary[Snapshot, tuple[str, ...]] = WeakKeyDictionary()


_NEVER_USED = frozenset({SymbolKind.FILE, SymbolKind.SECTION, SymbolKind.TEST})
_NEVER_CALLED = _NEVER_USED | {SymbolKind.MODULE, SymbolKind.NAMESPACE, SymbolKind.CONSTANT, SymbolKind.PROPERTY}


def may_be_used(symbol: Symbol) -> bool:
    """Whether other source can be expected to name the symbol."""
    return symbol.kind not in _NEVER_USED


def may_be_called(view: View, symbol: Symbol) -> bool:
    """Whether asking for the symbol's callers makes sense: its kind is called at all, and its language has rules."""
    return symbol.kind not in _NEVER_CALLED and view.calls_capability(symbol.language) != "unsupported"


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
    """One proved edge; caller and callee are symbol keys. `within` names the innermost symbol around a site that runs
    with the file and so has the file's own symbol as caller."""
    return record(
        {
            "caller": text(),
            "callee": text(),
            "kind": text("CALLS", "IMPORTS", "EXPORTS", "TESTS"),
            "site": site_schema(),
            "within": or_null(text()),
            "rule": text(),
            "proof": text(),
            "test": flag(),
        }
    )


def edge_dict(relation: Relation, within: str | None = None) -> dict[str, Any]:
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
        "within": within,
        "rule": relation.rule,
        "proof": relation.proof,
        "test": relation.test,
    }


def within_of(view: View, relation: Relation) -> str | None:
    """The label of the innermost symbol around a site whose caller is the file itself, when there is one: a value whose
    initialiser calls, a type whose body does. None for every other edge."""
    from satori.search.literals import innermost

    source = view.snapshot.symbol_by_key(relation.source)
    row = view.snapshot.file(relation.path)
    if source is None or source.kind is not SymbolKind.FILE or row is None:
        return None
    symbols = view.snapshot.symbols(row.file_id)
    around = symbols[innermost(symbols, relation.start, relation.end)]
    return label_of(around) if around.index else None


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
            "caller": text(),
        }
    )


def claim_note(claim: Claim, path: str, names: dict[str, str], caller: str) -> dict[str, Any]:
    """A claim of the symbol itself, whose label is `caller`, that is no edge."""
    written = f"{claim.receiver}.{claim.name}" if claim.receiver else claim.name
    return {
        "status": claim.status.value,
        "name": written[:120],
        "site": {"file": path, "line": claim.line, "startByte": claim.start, "endByte": claim.end},
        "why": claim.note,
        "candidates": [names.get(key, key) for key in claim.targets],
        "candidateCount": claim.candidates,
        "side": "callee",
        "caller": caller,
    }


def candidate_note(relation: Relation, label: str, caller: str) -> dict[str, Any]:
    """A site elsewhere, in the symbol labelled `caller`, that may call the symbol labelled `label`."""
    return {
        "status": "ambiguous",
        "name": label,
        "site": edge_dict(relation)["site"],
        "why": relation.proof,
        "candidates": [relation.target],
        "candidateCount": 1,
        "side": "caller",
        "caller": caller,
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
