"""Named signals: what each piece of evidence says of each file, before they are combined.

One function a group; every signal is a float per file, higher is better, and is defined by its docstring or by the
table in docs/retrieval.md. Weights live in `satori.search.ranking`, so that each signal can be switched off alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from satori.chunks.roles import Role
from satori.chunks.words import parts_of
from satori.model.definition import DefinitionFlag
from satori.publication.analysis import KINDS
from satori.search.evidence import bm25f, dense, standardised, to_fixed, top_means
from satori.search.exact import find_named, mentioned_files
from satori.search.index import SearchIndex
from satori.search.pathwords import path_words
from satori.search.question import Question

_TYPE_LIKE = np.array([kind.is_type_like for kind in KINDS])
# Terms that a long text is reduced to.
_MOST_TERMS = 32
# A word of a path answers a query word that starts like it when they share this much.
_PREFIX_LETTERS = 3
_PREFIX_SHARE = 0.4
_PREFIX_CREDIT = 0.8
# Entry points of a directory: the file to read first when a directory is meant.
_MAIN_STEMS = frozenset({"mod", "lib", "index", "main", "__init__", "__main__", "init"})

_ROLES = {
    "test": Role.TEST,
    "example": Role.EXAMPLE | Role.BENCHMARK,
    "compat": Role.COMPAT,
    "generated": Role.GENERATED | Role.VENDORED,
    "declaration": Role.DECLARATION,
    "documentation": Role.DOCUMENTATION,
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Per chunk: cosine (fixed point), its z-score, BM25F. Per symbol: `name_match` (idf of matched name words),
    `name_complete` (all words of the name matched). `holds` are the terms in each chunk, bit by bit, the question's
    first, and `term_idf` what each of those is worth. `terms_known` of them stand somewhere here."""

    cosine: NDArray[np.int64]
    z: NDArray[np.float64]
    lexical: NDArray[np.float64]
    name_match: NDArray[np.float64]
    name_complete: NDArray[np.bool_]
    holds: NDArray[np.uint64]
    term_idf: NDArray[np.float64]
    query_idf: float
    terms_known: int

    def share_of_terms(self, holds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The share of the question's idf that is in each of these sets of terms."""
        bits = (holds[:, None] >> np.arange(len(self.term_idf), dtype=np.uint64)) & np.uint64(1)
        total = float(self.term_idf.sum()) or 1.0
        share: NDArray[np.float64] = bits.astype(np.float64) @ self.term_idf / total
        return share


def gather(
    index: SearchIndex, question: Question, vector: NDArray[np.int8]
) -> tuple[Evidence, dict[str, NDArray[np.float64]]]:
    """All evidence for a question and the signals made from it."""
    question = _focused(index, question)
    cosine, identity = dense(index, vector)
    z = standardised(cosine, index.live_chunks)
    terms = list(question.terms) + list(question.wholes)
    chunk_idf = index.chunk_idf(terms)
    known = index.chunk_frequency(terms) > 0
    total = float((chunk_idf * known).sum()) or 1.0
    lexical = bm25f(index, terms, chunk_idf)
    signals = {
        "dense_chunks": top_means(index, to_fixed(z), 3) / (1 << 24),
        "dense_file": standardised(identity, index.live_files),
        "lexical": top_means(index, to_fixed(lexical.scores), 2) / (1 << 24) / total,
        "comments": top_means(index, to_fixed(lexical.comments), 2) / (1 << 24) / total,
    }
    signals.update(_path_signals(index, question))
    match, complete, name_signals = _name_signals(index, question)
    signals.update(name_signals)
    named = [find_named(index, name) for name in (*question.identifiers, *question.capitalised)]
    signals.update(_exact_signals(index, named))
    signals["pairs"] = _pair_signal(index, question)
    signals["mentioned"] = np.zeros(len(index.paths))
    for file, certainty in mentioned_files(index, question.paths).items():
        signals["mentioned"][file] = certainty
    signals.update(_shape_signals(index))
    count = len(question.terms)
    evidence = Evidence(
        cosine,
        z,
        lexical.scores,
        match,
        complete,
        lexical.holds,
        chunk_idf[:count],
        total,
        int(known[:count].sum()),
    )
    return evidence, signals


def _focused(index: SearchIndex, question: Question) -> Question:
    """A long text (an issue, a stack trace) reduced to its rarest terms here; a question stays as it is."""
    if len(question.terms) <= _MOST_TERMS and len(question.wholes) <= _MOST_TERMS:
        return question
    kept = _rarest(index, question.terms)
    return replace(
        question,
        terms=tuple(question.terms[i] for i in kept),
        stems=tuple(question.stems[i] for i in kept),
        wholes=tuple(question.wholes[i] for i in _rarest(index, question.wholes)),
        pairs=question.pairs[:_MOST_TERMS],
    )


def _rarest(index: SearchIndex, terms: Sequence[int]) -> list[int]:
    frequency = index.file_frequency(terms)
    known = [i for i in range(len(terms)) if frequency[i]]
    return sorted(sorted(known, key=lambda i: (int(frequency[i]), i))[:_MOST_TERMS])


def _path_signals(index: SearchIndex, question: Question) -> dict[str, NDArray[np.float64]]:
    """How much of the question the file's stem says (`stem_query`), how much of the stem the question says (`stem`),
    and the same for the two innermost directories (`directory`); shares of idf."""
    files = len(index.paths)
    stem_query, stem, directory = np.zeros(files), np.zeros(files), np.zeros(files)
    query_idf = index.file_idf(question.terms)
    total = float(query_idf.sum()) or 1.0
    for shard, words in zip(index.shards, path_words(index), strict=True):
        derived, segment = shard.derived, shard.segment
        part = slice(shard.first_file, shard.first_file + len(segment))
        credit = np.zeros(len(segment.path_words))
        for stemmed, hashed, idf in zip(question.stems, question.terms, query_idf.tolist(), strict=True):
            hits = _similar_words(segment.path_words, derived.path_word_at, derived.path_stem_at, stemmed, hashed)
            if hits:
                one = np.zeros(len(credit))
                one[list(hits)] = list(hits.values())
                np.maximum(credit, one, out=credit)
                stem_query[part] += words.stem.best(one) * idf
        if credit.any():
            stem[part] = words.stem.share(credit)
            directory[part] = words.directory.share(credit)
    return {"stem_query": stem_query / total, "stem": stem, "directory": directory}


def _similar_words(
    words: list[str], at: dict[str, int], stems: dict[int, list[int]], stemmed: str, hashed: int
) -> dict[int, float]:
    hits = {}
    if len(stemmed) >= _PREFIX_LETTERS:
        low = bisect_left(words, stemmed)
        while low < len(words) and words[low].startswith(stemmed):
            if len(stemmed) >= _PREFIX_SHARE * len(words[low]):
                hits[low] = _PREFIX_CREDIT
            low += 1
        for length in range(_PREFIX_LETTERS, len(stemmed)):
            shorter = at.get(stemmed[:length])
            if shorter is not None and length >= _PREFIX_SHARE * len(stemmed):
                hits[shorter] = _PREFIX_CREDIT
    for exact in stems.get(hashed, ()):
        hits[exact] = 1.0
    return hits


def _name_signals(
    index: SearchIndex, question: Question
) -> tuple[NDArray[np.float64], NDArray[np.bool_], dict[str, NDArray[np.float64]]]:
    """Definitions whose names the question spells: `definition` (best share of the question's idf over names all of
    whose words it holds) and `type_name` (best cosine-like overlap over class-like names)."""
    matched = np.zeros(len(index.symbol_file))
    hits = np.zeros(len(index.symbol_file), np.int64)
    idf = index.file_idf(question.terms)
    total = float(idf.sum()) or 1.0
    for shard in index.shards:
        low = shard.first_symbol
        for term, weight in zip(question.terms, idf.tolist(), strict=True):
            found = low + shard.symbols_with_word(term)
            matched[found] += weight
            hits[found] += 1
    rows = np.flatnonzero((hits > 0) & index.live_symbols)
    named, share = hits[rows] >= index.symbol_words[rows], matched[rows]
    complete = np.zeros(len(hits), bool)
    complete[rows] = named
    declared = (index.symbol_flags[rows] & int(DefinitionFlag.DECLARATION_ONLY)) > 0
    discount = np.where(declared, 0.7, 1.0)
    overlap = share / np.sqrt(np.maximum(index.symbol_idf[rows] * total, 1e-9)) * discount
    typed = _TYPE_LIKE[index.symbol_kind[rows]]
    definition, type_name = np.zeros(len(index.paths)), np.zeros(len(index.paths))
    np.maximum.at(definition, index.symbol_file[rows[named]], (share / total * discount)[named])
    np.maximum.at(type_name, index.symbol_file[rows[typed]], overlap[typed])
    return matched, complete, {"definition": definition, "type_name": type_name}


def _exact_signals(index: SearchIndex, named: Sequence[NDArray[np.int64]]) -> dict[str, NDArray[np.float64]]:
    """Words of the question that name a definition: `exact_type` and `exact_function` per file (nested and merely
    declared ones count less)."""
    rows = np.unique(np.concatenate(named)) if named else np.zeros(0, np.int64)
    strength = 1.0 / (1.0 + 0.5 * index.symbol_depth[rows])
    declared = (index.symbol_flags[rows] & int(DefinitionFlag.DECLARATION_ONLY)) > 0
    strength = np.where(declared, strength * 0.6, strength)
    types = _TYPE_LIKE[index.symbol_kind[rows]]
    exact_type, exact_function = np.zeros(len(index.paths)), np.zeros(len(index.paths))
    np.maximum.at(exact_type, index.symbol_file[rows[types]], strength[types])
    np.maximum.at(exact_function, index.symbol_file[rows[~types]], strength[~types])
    return {"exact_type": exact_type, "exact_function": exact_function}


def _pair_signal(index: SearchIndex, question: Question) -> NDArray[np.float64]:
    """The share of the question's neighbouring words that the file writes as one identifier."""
    share = np.zeros(len(index.paths))
    if not question.pairs:
        return share
    for shard in index.shards:
        part = share[shard.first_file : shard.first_file + len(shard.segment)]
        for pair in question.pairs:
            chunks, _ = shard.postings(pair)
            part[np.unique(shard.derived.chunk_file[chunks])] += 1.0 / len(question.pairs)
    return share


def _shape_signals(index: SearchIndex) -> dict[str, NDArray[np.float64]]:
    """What the file is whatever the question: its depth below the shallowest, whether it opens its directory, roles."""
    known: dict[str, NDArray[np.float64]] | None = index.memo.get("shape")
    if known is None:
        roles = index.roles
        known = {name: ((roles & int(role)) > 0).astype(np.float64) for name, role in _ROLES.items()}
        known["depth"] = (index.depth - index.shallowest).astype(np.float64)
        known["main"] = np.array([_opens_directory(path) for path in index.paths], dtype=np.float64)
        # Configuration, data and unknown text: read by programs, rarely what a question about behaviour means.
        known["plain"] = np.array(
            [c not in ("source", "query", "infrastructure", "script") for c in index.categories], float
        )
        index.memo["shape"] = known
    return known


def _opens_directory(path: str) -> bool:
    parts = path.split("/")
    stem = parts[-1].split(".", 1)[0]
    return stem in _MAIN_STEMS or (len(parts) > 1 and stem.lower() == parts[-2].lower())


def words_of_name(name: str) -> frozenset[str]:
    """Words of a codebase's own name, which say nothing inside it."""
    return frozenset(parts_of(name)) | {name.lower()}
