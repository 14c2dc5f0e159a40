"""From ranked files to ranked owners: which symbols of each file are shown, and in which order overall.

The best owner of each file comes at the file's own place; further owners of the same file follow with a penalty, so
that a second good function of the best file is seen, and ten pieces of one file never fill a page. Definitions that the
question names exactly come before all of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satori.chunks.roles import Role
from satori.model.definition import DefinitionFlag
from satori.publication.analysis import KINDS
from satori.search.index import SearchIndex
from satori.search.ranking import FileRanking
from satori.search.signals import Evidence

# How much a definition-name match weighs against z-scores when a file's owner is chosen.
_NAME_WEIGHT = 3.0
# What each further owner of one file costs, in units of the file score, and per unit of evidence it lacks.
_NEXT_OWNER = 3.0
_LACKING = 0.6
# What the best owner's own evidence adds to its file's score.
_OWN_EVIDENCE = 0.15
# A further owner that holds this much of the question which the first one lacks answers its other half: it costs less.
_COMPLEMENT = 0.3
_COMPLEMENT_OWNER = 1.0
_LEXICAL_WEIGHT = 9.0
_OWNERS_A_FILE = 6
_ROW_BITS = 26
_FEWEST_FILES = 40
LOWLY = int(Role.TEST | Role.EXAMPLE | Role.GENERATED | Role.VENDORED | Role.COMPAT | Role.DECLARATION | Role.BENCHMARK)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One result before it is shown: `file` and `chunk` are index numbers, `owner` the symbol's index in its file (0:
    the file itself), `exact` whether the question names it."""

    file: int
    owner: int
    chunk: int
    score: float
    exact: bool
    reranked: bool = False


def rank_owners(
    index: SearchIndex,
    evidence: Evidence,
    ranking: FileRanking,
    pinned: Sequence[Candidate],
    limit: int,
    *,
    by_file: bool = False,
    by_chunk: bool = False,
) -> list[Candidate]:
    """At most `limit` candidates; `pinned` come first, in their order."""
    results = {(c.file, 0 if by_file else c.owner): c for c in reversed(pinned)}
    first = [c for c in pinned if results.get((c.file, 0 if by_file else c.owner)) is c]
    if not len(ranking.files):
        return first[:limit]
    files = ranking.files[: max(limit, _FEWEST_FILES)]
    starts, sizes = index.file_chunks[files], index.file_chunks[files + 1] - index.file_chunks[files]
    place = np.repeat(np.arange(len(files)), sizes)
    chunks = np.arange(int(sizes.sum())) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    owners = index.chunk_owner[chunks]
    scores = _evidence_of(index, evidence, chunks)
    # The best chunk of each owner, then each file's owners, best first.
    best = _best_of_runs((place << 32) | (chunks if by_chunk else owners), scores)
    order = best[_by_place_and_score(place[best], scores[best])]
    leader = np.maximum.accumulate(np.where(_first_of_runs(place[order]), np.arange(len(order)), 0))
    position = np.arange(len(order)) - leader
    adds = _adds(evidence, chunks[order], chunks[order][leader])
    penalty = np.where(adds >= _COMPLEMENT, _COMPLEMENT_OWNER, _NEXT_OWNER) * np.minimum(position, 3)
    lacking = _LACKING * (scores[order][leader] - scores[order])
    value = ranking.scores[place[order]] + _OWN_EVIDENCE * scores[order][leader] - penalty - lacking
    kept = np.flatnonzero(position < (1 if by_file else _OWNERS_A_FILE))
    path_rank = index.path_rank[files[place[order]]]
    kept = kept[np.lexsort((chunks[order][kept], path_rank[kept], -value[kept]))]
    at = order[kept]
    columns = (files[place[at]], owners[at], chunks[at], value[kept])
    for file, owner, chunk, score in zip(*(column.tolist() for column in columns), strict=True):
        if len(first) >= limit:
            break
        if by_chunk or (file, 0 if by_file else owner) not in results:
            first.append(Candidate(file, owner, chunk, score, False))
    return first[:limit]


def _evidence_of(index: SearchIndex, evidence: Evidence, chunks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Similarity and BM25F on one scale, and the name of the owner when the question spells it whole."""
    scores = evidence.z[chunks] + _LEXICAL_WEIGHT * evidence.lexical[chunks] / evidence.query_idf
    symbols = index.chunk_symbol[chunks]
    owned = np.flatnonzero(symbols >= 0)
    rows = symbols[owned]
    named = np.where(evidence.name_complete[rows], evidence.name_match[rows], 0.0)
    scores[owned] += _NAME_WEIGHT * named / evidence.query_idf
    return scores


def _adds(evidence: Evidence, chunks: NDArray[np.int64], leaders: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share of the question's idf that stands in each chunk and not in its file's leading one."""
    return evidence.share_of_terms(evidence.holds[chunks] & ~evidence.holds[leaders])


def _best_of_runs(key: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each distinct key, ascending, the first place that has its highest score."""
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(_first_of_runs(key[order]))
    lengths = np.concatenate((starts[1:], [len(order)])) - starts
    ordered = scores[order]
    is_highest = ordered == np.repeat(np.maximum.reduceat(ordered, starts), lengths)
    places = np.where(is_highest, np.arange(len(order)), len(order))
    first: NDArray[np.int64] = order[np.minimum.reduceat(places, starts)]
    return first


def _by_place_and_score(place: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The order by ascending place, then descending score, then as given: `np.lexsort((-scores, place))`, whose merge
    sort of floats takes four times as long as one sort of distinct integers."""
    descending = np.argsort(-scores)
    ranks = np.empty(len(scores), np.int64)
    ranks[descending] = np.cumsum(_first_of_runs(scores[descending]))
    order: NDArray[np.int64] = np.argsort((((place << _ROW_BITS) | ranks) << _ROW_BITS) | np.arange(len(scores)))
    return order


def _first_of_runs(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a sorted array's value differs from the one before."""
    return np.concatenate(([True], values[1:] != values[:-1])) if len(values) else np.zeros(0, bool)


def order_named(index: SearchIndex, ranking: FileRanking, rows: NDArray[np.int64]) -> list[Candidate]:
    """Symbols of one name as candidates, best first: implementation before tests and generated code, definitions before
    declarations, types before functions, outer before nested, then file score."""
    score = dict(zip(ranking.files.tolist(), ranking.scores.tolist(), strict=True))

    def key(symbol: int) -> tuple[object, ...]:
        file = int(index.symbol_file[symbol])
        kind = KINDS[int(index.symbol_kind[symbol])]
        return (
            bool(int(index.roles[file]) & LOWLY),
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
    """The chunk in which a symbol begins."""
    shard, _ = index.locate_file(file)
    return index.chunk_at(file, int(shard.segment["symbol_start"][symbol - shard.first_symbol]))
