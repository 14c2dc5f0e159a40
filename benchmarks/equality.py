"""When two Publications are the same: everything that an answer could be made of, in an order that no history decides.

File ids, sequences and time stamps are left out, since they tell histories apart; rows, symbols, chunks, vectors,
counts and ranked answers are not. Used by the crash harness and by the tests of "incremental equals clean".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from satori.embedding.registry import load_embedder
from satori.model.relationship import RelationKind
from satori.publication.snapshot import Snapshot
from satori.search.engine import SearchEngine
from satori.search.request import Scope, SearchRequest

QUERIES = (
    "where are values kept",
    "retry a task later",
    "fetch the user",
    "how do I call put",
    "Store",
    "server port",
    "lang:python combine",
    "satellite orbits from two line elements",
)


def description(snapshot: Snapshot, queries: Sequence[str] = QUERIES) -> dict[str, Any]:
    """Everything that two equal Publications have in common."""
    return {
        "merkle": snapshot.info.merkle_root,
        "counts": snapshot.info.counts,
        "fingerprint": snapshot.info.fingerprint,
        "files": {row.path: _file(snapshot, row.path) for row in snapshot.files()},
        "vectors": _vectors(snapshot),
        "relations": {row.path: _relations(snapshot, row.file_id) for row in snapshot.files() if row.indexed},
        "claims": snapshot.claim_counts_by_language(),
        "between files": snapshot.file_relations(),
        "answers": answers(snapshot, queries),
    }


def _relations(snapshot: Snapshot, file_id: int) -> dict[str, Any]:
    """A file's edges both ways, its candidates and its claims."""
    kinds = tuple(RelationKind)
    keys = [symbol.key for symbol in snapshot.symbols(file_id)]
    return {
        "from": [snapshot.relations_from(key, kinds) for key in keys],
        "to": [snapshot.relations_to(key, kinds) for key in keys],
        "candidates": [snapshot.candidates_for(key) for key in keys],
        "claims": snapshot.claims(file_id),
        "counts": snapshot.call_counts(file_id),
    }


def differences(one: dict[str, Any], other: dict[str, Any], where: str = "") -> list[str]:
    """Where two descriptions differ, as short paths."""
    found: list[str] = []
    for key in sorted({*one, *other}, key=str):
        mine, theirs = one.get(key), other.get(key)
        if isinstance(mine, dict) and isinstance(theirs, dict):
            found += differences(mine, theirs, f"{where}/{key}")
        elif mine != theirs:
            found.append(f"{where}/{key}: {str(mine)[:200]} against {str(theirs)[:200]}")
    return found


def answers(snapshot: Snapshot, queries: Sequence[str]) -> dict[str, Any]:
    """The ranked answers to a set of questions: verdict, order, owners, spans, reasons and previews."""
    engine = SearchEngine(snapshot, load_embedder())
    found = {}
    for query in queries:
        answer = engine.answer(SearchRequest(query=query, limit=20, scope=Scope.MIXED))
        groups = engine.render(answer, answer.candidates)
        found[query] = {
            "relevance": answer.relevance,
            "verdict": answer.verdict,
            "available": answer.available,
            "coverage": (answer.coverage.files, answer.coverage.chunks, sorted(answer.coverage.languages.items())),
            "groups": [(group.file, group.symbol.symbol_id, group.chunk, group.preview, group.why) for group in groups],
        }
    return found


def _file(snapshot: Snapshot, path: str) -> tuple[Any, ...]:
    row = snapshot.file(path)
    assert row is not None
    said = (row.content_hash, row.language, row.category, row.skip, row.problem, row.lines, row.symbols, row.chunks)
    if not row.indexed:
        return said
    symbols = snapshot.symbols(row.file_id)
    for symbol in symbols:
        assert snapshot.symbol_by_key(symbol.key) == symbol, f"{path}: {symbol.key} does not lead to its symbol"
    return (*said, snapshot.content(row.file_id), symbols, snapshot.chunks(row.file_id))


def _vectors(snapshot: Snapshot) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = {}
    for segment in (snapshot.base, snapshot.delta):
        if segment is None:
            continue
        ids = segment["file_id"].tolist()
        for number, path in enumerate(segment.paths):
            if segment is snapshot.base and ids[number] in snapshot.dead:
                continue
            start, end = segment["file_chunks"][number : number + 2].tolist()
            assert path not in found, f"{path} is live twice"
            found[path] = [segment["chunk_vector"][at].tobytes() for at in range(start, end)]
            found[path].append(segment["file_vector"][number].tobytes())
    return found
