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

from satori.chunks.lexical import Field
from satori.chunks.roles import Role
from satori.chunks.words import parts_of
from satori.model.definition import DefinitionFlag
from satori.publication.analysis import KINDS
from satori.search.evidence import bm25f, dense, dense_files, standardised, term_masks, to_fixed, top_means
from satori.search.exact import find_named, mentioned_files
from satori.search.index import SearchIndex
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
    `name_complete` (all words of the name matched). `holds` are the question's terms in each chunk, bit by bit, and
    `term_idf` what each is worth. `terms_known` of the question's terms stand somewhere here."""

    cosine: NDArray[np.int64]
    z: NDArray[np.float64]
    lexical: NDArray[np.float64]
    name_match: NDArray[np.float64]
    name_complete: NDArray[np.bool_]
    holds: NDArray[np.uint64]
    term_idf: NDArray[np.float64]
    query_idf: float
    terms_known: int


def gather(
    index: SearchIndex, question: Question, vector: NDArray[np.int8]
) -> tuple[Evidence, dict[str, NDArray[np.float64]]]:
    """All evidence for a question and the signals made from it."""
    question = _focused(index, question)
    cosine = dense(index, vector)
    z = standardised(cosine, index.live_chunks)
    terms = list(question.terms) + list(question.wholes)
    chunk_idf = index.chunk_idf(terms)
    known = index.chunk_frequency(terms) > 0
    total = float((chunk_idf * known).sum()) or 1.0
    lexical = bm25f(index, terms, chunk_idf)
    docs = bm25f(index, terms, chunk_idf, only=Field.DOC)
    signals = {
        "dense_chunks": top_means(index, to_fixed(z), 3) / (1 << 24),
        "dense_file": standardised(dense_files(index, vector), index.live_files),
        "lexical": top_means(index, to_fixed(lexical), 2) / (1 << 24) / total,
        "comments": top_means(index, to_fixed(docs), 2) / (1 << 24) / total,
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
    holds = term_masks(index, question.terms)
    evidence = Evidence(
        cosine, z, lexical, match, complete, holds, chunk_idf[:count][:64], total, int(known[:count].sum())
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
    stem_query = np.zeros(files)
    matched = np.zeros((files, 2))
    whole = np.zeros((files, 2))
    query_idf = index.file_idf(question.terms)
    total = float(query_idf.sum()) or 1.0
    idf_of = dict(zip(question.stems, query_idf.tolist(), strict=True))
    for shard in index.shards:
        derived, segment = shard.derived, shard.segment
        if not len(segment.path_words):
            continue
        word_idf = index.file_idf(derived.path_stems)
        credit = np.zeros(len(segment.path_words))
        place = segment["path_place"]
        stem_rows, directory_rows = place == 0, (place == 1) | (place == 2)
        low = shard.first_file
        for stemmed, hashed in zip(question.stems, question.terms, strict=True):
            hits = _similar_words(shard.segment.path_words, derived.path_word_at, derived.path_stem_at, stemmed, hashed)
            if not hits:
                continue
            one = np.zeros(len(segment.path_words))
            for word, similar in hits.items():
                one[word] = similar
            np.maximum(credit, one, out=credit)
            best = np.zeros(len(segment))
            np.maximum.at(best, segment["path_file"][stem_rows], one[segment["path_terms"][stem_rows]])
            stem_query[low : low + len(segment)] += best * idf_of[stemmed]
        for column, rows in ((0, stem_rows), (1, directory_rows)):
            files_at = segment["path_file"][rows]
            words_at = segment["path_terms"][rows]
            size = len(segment)
            whole[low : low + size, column] = np.bincount(files_at, weights=word_idf[words_at], minlength=size)
            matched[low : low + size, column] = np.bincount(
                files_at, weights=(word_idf * credit)[words_at], minlength=size
            )
    share = matched / np.maximum(whole, 1e-9)
    return {"stem_query": stem_query / total, "stem": share[:, 0], "directory": share[:, 1]}


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
    symbols = len(index.symbol_file)
    matched = np.zeros(symbols)
    hits = np.zeros(symbols, np.int64)
    idf = index.file_idf(question.terms)
    total = float(idf.sum()) or 1.0
    for shard in index.shards:
        low = shard.first_symbol
        size = len(shard.segment["symbol_index"])
        for term, weight in zip(question.terms, idf.tolist(), strict=True):
            found = shard.symbols_with_word(term)
            matched[low : low + size][found] += weight
            hits[low : low + size][found] += 1
    complete = (hits >= index.symbol_words) & (hits > 0) & index.live_symbols
    type_like = _TYPE_LIKE[index.symbol_kind] & (hits > 0) & index.live_symbols
    declared = (index.symbol_flags & int(DefinitionFlag.DECLARATION_ONLY)) > 0
    discount = np.where(declared, 0.7, 1.0)
    coverage = _best_by_file(index, np.where(complete, matched / total * discount, 0.0), complete)
    overlap = matched / np.sqrt(np.maximum(index.symbol_idf * total, 1e-9)) * discount
    types = _best_by_file(index, np.where(type_like, overlap, 0.0), type_like)
    return matched, complete, {"definition": coverage, "type_name": types}


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


def _best_by_file(index: SearchIndex, values: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    best = np.zeros(len(index.paths))
    rows = np.flatnonzero(chosen)
    np.maximum.at(best, index.symbol_file[rows], values[rows])
    return best


def words_of_name(name: str) -> frozenset[str]:
    """Words of a codebase's own name, which say nothing inside it."""
    return frozenset(parts_of(name)) | {name.lower()}
