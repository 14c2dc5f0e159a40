"""From ranked files to ranked owners: which symbols of each file are shown, and in which order overall.

The best owner of each file comes at the file's own place; further owners of the same file follow with a penalty, so
that a second good function of the best file is seen, and ten pieces of one file never fill a page. Definitions that the
question names exactly come before all of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satori.chunks.roles import Role
from satori.model.definition import DefinitionFlag
from satori.publication.analysis import KINDS
from satori.search.index import SearchIndex
from satori.search.question import Question
from satori.search.ranking import FileRanking
from satori.search.signals import Evidence

# How much a definition-name match weighs against z-scores when a file's owner is chosen.
_NAME_WEIGHT = 2.5
# What each further owner of one file costs, in units of the file score, and per unit of evidence it lacks.
_NEXT_OWNER = 3.0
_LACKING = 0.6
_OWNERS_A_FILE = 6
_LOWLY = int(
    Role.TEST | Role.EXAMPLE | Role.GENERATED | Role.VENDORED | Role.COMPAT | Role.DECLARATION | Role.BENCHMARK
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One result before it is shown: `file` and `chunk` are index numbers, `owner` the symbol's index in its file (0:
    the file itself), `exact` whether the question names it."""

    file: int
    owner: int
    chunk: int
    score: float
    exact: bool


def rank_owners(
    index: SearchIndex,
    question: Question,
    evidence: Evidence,
    ranking: FileRanking,
    pinned: Sequence[Candidate],
    limit: int,
    *,
    by_file: bool = False,
    by_chunk: bool = False,
) -> list[Candidate]:
    """At most `limit` candidates; `pinned` come first, in their order."""
    results: list[Candidate] = []
    seen: set[tuple[int, int]] = set()
    chunk_score = evidence.z + _share(evidence)
    for candidate in pinned:
        identity = (candidate.file, 0 if by_file else candidate.owner)
        if identity not in seen:
            seen.add(identity)
            results.append(candidate)
    rest: list[tuple[float, str, int, Candidate]] = []
    for file, score in zip(ranking.files.tolist(), ranking.scores.tolist(), strict=True):
        for position, (owner, chunk, own_score, best) in enumerate(
            _owners(index, evidence, chunk_score, file, by_chunk)
        ):
            if position and by_file:
                break
            if (file, 0 if by_file else owner) in seen and not by_chunk:
                continue
            value = score - _NEXT_OWNER * min(position, 3) - _LACKING * (best - own_score)
            candidate = Candidate(file, owner, chunk, value, False)
            rest.append((-value, index.paths[file], chunk, candidate))
    rest.sort(key=lambda row: row[:3])
    results.extend(candidate for *_, candidate in rest[: max(0, limit - len(results))])
    return results[:limit]


def _share(evidence: Evidence) -> NDArray[np.float64]:
    """BM25F as a share of the question, on the scale of a z-score."""
    return 4.0 * evidence.lexical / evidence.query_idf


def _owners(
    index: SearchIndex, evidence: Evidence, chunk_score: NDArray[np.float64], file: int, by_chunk: bool
) -> list[tuple[int, int, float, float]]:
    """(owner, chunk, score, best score in the file) of a file's owners, best first."""
    shard, _ = index.locate_file(file)
    low, high = (int(x) for x in index.file_chunks[file : file + 2])
    if low == high:
        return []
    owners = shard.segment["chunk_owner"][low - shard.first_chunk : high - shard.first_chunk]
    scores = chunk_score[low:high].copy()
    first_symbol, last_symbol = (int(x) for x in index.file_symbols[file : file + 2])
    # Chunks of a definition whose name the question spells gain by how much of the question that is.
    match = np.where(
        evidence.name_complete[first_symbol:last_symbol], evidence.name_match[first_symbol:last_symbol], 0.0
    )
    if match.any():
        owned = owners > 0
        scores[owned] += _NAME_WEIGHT * match[owners[owned] - 1] / evidence.query_idf
    best: dict[int, tuple[float, int]] = {}
    for at, (owner, score) in enumerate(zip(owners.tolist(), scores.tolist(), strict=True)):
        key = at if by_chunk else owner
        if key not in best or score > best[key][0]:
            best[key] = (score, at)
    ordered = sorted(best.values(), key=lambda row: (-row[0], row[1]))[:_OWNERS_A_FILE]
    top = ordered[0][0]
    return [(int(owners[at]), low + at, score, top) for score, at in ordered]


def order_named(index: SearchIndex, ranking: FileRanking, rows: NDArray[np.int64]) -> list[Candidate]:
    """Symbols of one name as candidates, best first: implementation before tests and generated code, definitions before
    declarations, types before functions, outer before nested, then file score."""
    score = dict(zip(ranking.files.tolist(), ranking.scores.tolist(), strict=True))

    def key(symbol: int) -> tuple[object, ...]:
        file = int(index.symbol_file[symbol])
        kind = KINDS[int(index.symbol_kind[symbol])]
        return (
            bool(int(index.roles[file]) & _LOWLY),
            bool(int(index.symbol_flags[symbol]) & int(DefinitionFlag.DECLARATION_ONLY)),
            not kind.is_type_like,
            int(index.symbol_depth[symbol]),
            -score.get(file, -1e9),
            index.paths[file],
            symbol,
        )

    return [_named(index, symbol) for symbol in sorted(rows.tolist(), key=key)]


def _named(index: SearchIndex, symbol: int) -> Candidate:
    file = int(index.symbol_file[symbol])
    return Candidate(file, _symbol_index(index, symbol), _chunk_of(index, file, symbol), float("inf"), True)


def _symbol_index(index: SearchIndex, symbol: int) -> int:
    for shard in reversed(index.shards):
        if symbol >= shard.first_symbol:
            return int(shard.segment["symbol_index"][symbol - shard.first_symbol])
    raise IndexError(symbol)


def _chunk_of(index: SearchIndex, file: int, symbol: int) -> int:
    """The chunk in which a symbol begins (the last one that starts at or before it)."""
    shard, _ = index.locate_file(file)
    low, high = (int(x) for x in index.file_chunks[file : file + 2])
    start = int(shard.segment["symbol_start"][symbol - shard.first_symbol])
    ends = shard.segment["chunk_end"][low - shard.first_chunk : high - shard.first_chunk]
    return low + min(int(np.searchsorted(ends, start, side="right")), max(high - low - 1, 0))
