"""Questions about stored relationships: one indexed lookup each, in an order that no history decides.

The base of `Snapshot`. Only resolved claims are edges; `candidates_for` gives what merely may be one, for notes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from satori.model.relationship import Claim, ClaimCounts, Relation, RelationKind
from satori.publication.relationrows import CANDIDATE, KINDS, LIVE, unpack_claims
from satori.publication.rows import loaded_key, stored_key

if TYPE_CHECKING:
    from satori.model.symbol import Symbol
    from satori.publication.snapshot import FileRow, PublicationInfo

_Value = TypeVar("_Value")
_CALLS = (RelationKind.CALLS,)
_COLUMNS = "kind, source, target, resolution.file_id, start, end, line, rule, proof, test"
_COUNTS = "resolved, external, ambiguous, unresolved, unsupported"
_KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}


class RelationQueries(ABC):
    """Edges, candidates and claims of one Publication."""

    info: PublicationInfo

    @abstractmethod
    def file_by_id(self, file_id: int) -> FileRow | None:
        """The row of a file id, when that version of the file is in this Publication."""

    @abstractmethod
    def symbols(self, file_id: int) -> list[Symbol]:
        """The file's symbols in source order."""

    @abstractmethod
    def _query(self, query: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """The rows of a query."""

    @abstractmethod
    def _intact(self, unpack: Callable[[bytes], _Value], packed: bytes) -> _Value:
        """The unpacked value; damage raises DamagedError."""

    def relations_from(self, key: str, kinds: Sequence[RelationKind] = _CALLS) -> list[Relation]:
        """What the symbol calls, imports or exports, by kind and place. TESTS are asked for by that name."""
        return sorted(self._relations("source", key, kinds), key=_by_place)

    def relations_to(self, key: str, kinds: Sequence[RelationKind] = _CALLS) -> list[Relation]:
        """What calls, imports, exports or tests the symbol, by kind, path and place."""
        return sorted(self._relations("target", key, kinds), key=_by_place)

    def candidates_for(self, key: str) -> list[Relation]:
        """Ambiguous call sites that name the symbol among their candidates, by path and place. They are no edges: their
        rule is empty, and `proof` says why nothing was proved."""
        at = {"key": stored_key(key), "kind": CANDIDATE, "sequence": self.info.sequence}
        rows = self._query(_select("target = :key AND kind = :kind"), at)
        return sorted((self._relation(row, RelationKind.CALLS) for row in rows), key=_by_place)

    def claims(self, file_id: int) -> list[Claim]:
        """Every call site of a file, in source order; empty for a file whose language has no rules."""
        at = {"file_id": file_id, "sequence": self.info.sequence}
        query = f"SELECT claims FROM resolution WHERE file_id = :file_id AND {LIVE}"  # noqa: S608 (constant condition)
        rows = self._query(query, at)
        return self._intact(unpack_claims, rows[0][0]) if rows else []

    def claim_counts(self, file_id: int | None = None) -> ClaimCounts:
        """How many call sites ended how, in a file or in the whole Publication."""
        where = "" if file_id is None else "file_id = :file_id AND "
        sums = ", ".join(f"sum({name})" for name in _COUNTS.split(", "))
        query = f"SELECT {sums} FROM resolution WHERE {where}{LIVE}"  # noqa: S608 (constant names)
        at = {"sequence": self.info.sequence} | ({} if file_id is None else {"file_id": file_id})
        return ClaimCounts(*(int(value or 0) for value in self._query(query, at)[0]))

    def claim_counts_by_language(self) -> dict[str, ClaimCounts]:
        """The same by language, sorted; languages without rules are not in it."""
        query = f"SELECT file_id, {_COUNTS} FROM resolution WHERE {LIVE}"  # noqa: S608 (constant names)
        found: dict[str, ClaimCounts] = {}
        for file_id, *counts in self._query(query, {"sequence": self.info.sequence}):
            row = self.file_by_id(file_id)
            if row is not None:
                found[row.language] = found.get(row.language, ClaimCounts()) + ClaimCounts(*counts)
        return dict(sorted(found.items()))

    def call_counts(self, file_id: int) -> dict[str, tuple[int, int]]:
        """Direct callers and callees of each symbol of a file that has any, as (callers, callees), counted as distinct
        symbols: the same symbols that `relations_to` and `relations_from` name."""
        found: dict[str, tuple[int, int]] = {}
        for symbol in self.symbols(file_id):
            key = symbol.key
            callers = self._distinct("source", "target", key)
            callees = self._distinct("target", "source", key)
            if callers or callees:
                found[key] = (callers, callees)
        return found

    def _distinct(self, counted: str, given: str, key: str) -> int:
        query = (
            f"SELECT count(DISTINCT {counted}) FROM relation JOIN resolution USING (resolution_id) "  # noqa: S608
            f"WHERE {given} = :key AND kind = 0 AND {LIVE}"
        )
        return int(self._query(query, {"key": stored_key(key), "sequence": self.info.sequence})[0][0])

    def file_relations(self) -> list[tuple[str, str, RelationKind, int]]:
        """Edges counted between files as (source path, target path, kind, count), sorted; a file's edges to itself are
        in it."""
        query = (
            "SELECT resolution.file_id, symbol_key.file_id, kind, count(*) FROM relation "  # noqa: S608 (constant)
            "JOIN resolution USING (resolution_id) JOIN symbol_key ON symbol_key.key = relation.target "
            f"WHERE kind < {CANDIDATE} AND {LIVE} GROUP BY 1, 2, 3"
        )
        found: dict[tuple[str, str, RelationKind], int] = {}
        for source_id, target_id, kind, count in self._query(query, {"sequence": self.info.sequence}):
            source, target = self.file_by_id(source_id), self.file_by_id(target_id)
            if source is not None and target is not None:
                place = (source.path, target.path, KINDS[kind])
                found[place] = found.get(place, 0) + count
        return sorted((*place, count) for place, count in found.items())

    def _relations(self, end: str, key: str, kinds: Sequence[RelationKind]) -> list[Relation]:
        found: list[Relation] = []
        for kind in kinds:
            number = _KIND_NUMBER.get(kind, 0)
            tests = " AND test = 1" if kind is RelationKind.TESTS else ""
            at = {"key": stored_key(key), "kind": number, "sequence": self.info.sequence}
            rows = self._query(_select(f"{end} = :key AND kind = :kind{tests}"), at)
            found.extend(self._relation(row, kind) for row in rows)
        return found

    def _relation(self, row: tuple[Any, ...], kind: RelationKind) -> Relation:
        _, source, target, file_id, start, end, line, rule, proof, test = row
        held = self.file_by_id(file_id)
        path = held.path if held is not None else ""
        return Relation(kind, loaded_key(source), loaded_key(target), path, start, end, line, rule, proof, bool(test))


def _select(condition: str) -> str:
    edges = "relation JOIN resolution USING (resolution_id) JOIN ground USING (ground)"
    return f"SELECT {_COLUMNS} FROM {edges} WHERE {condition} AND {LIVE}"  # noqa: S608


def _by_place(relation: Relation) -> tuple[object, ...]:
    return relation.kind, relation.path, relation.start, relation.target, relation.source
