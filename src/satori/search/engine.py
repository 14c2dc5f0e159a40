"""A question over one pinned Publication, from words to ranked owners.

Operators -> exact, BM25F and dense evidence -> filters -> one fusion -> final score over named signals -> owners ->
verdict. Everything is computed from the snapshot's arrays; stored text is read only for literals and for what is shown.
It does not know tools, budgets or live files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from satori.embedding.port import Embedder
from satori.errors import EmbedderError, UsageError
from satori.model.span import Span
from satori.publication.background import Background
from satori.search.answer import Coverage, Group, SearchAnswer
from satori.search.exact import find_files, find_named
from satori.search.filters import allowed_files
from satori.search.index import SearchIndex
from satori.search.lexicon import translate
from satori.search.literals import LiteralFilter
from satori.search.operators import Operators, parse_operators
from satori.search.owners import Candidate, order_named, rank_owners
from satori.search.preview import make_preview, preview_size
from satori.search.question import Question, read_question, without_unread
from satori.search.ranking import WEIGHTS, FileRanking, rank_files
from satori.search.relevance import Relevance, judge
from satori.search.request import GroupBy, ResultMode, SearchRequest
from satori.search.rerank import MAX_CANDIDATES, RerankOutcome, RerankPolicy, rerank
from satori.search.signals import Evidence, gather, words_of_name
from satori.search.verbatim import find_verbatim

if TYPE_CHECKING:
    from satori.publication.snapshot import Snapshot

# How many times the limit is ranked: further owners change places, and literal filters need something to drop.
_SPARE, _SPARE_FOR_LITERALS = 2, 4
# Definitions of one name that a longer question brings to the top.
_NAMESAKES = 3
MAX_LIMIT = 200


class SearchEngine:
    """Answers questions over one snapshot; cheap to make, safe to share between threads."""

    def __init__(
        self,
        snapshot: Snapshot,
        embedder: Embedder,
        rerank_policy: RerankPolicy | None = None,
        weights: Mapping[str, float] = WEIGHTS,
    ) -> None:
        self.rerank_policy = rerank_policy or RerankPolicy()
        self.weights = weights
        self.snapshot = snapshot
        self.embedder = embedder
        self.index = SearchIndex(snapshot.base, snapshot.dead, snapshot.delta)
        self._background = Background(embedder, snapshot.base.arrays.get("background_query"))
        self._own_name = words_of_name(snapshot.info.root.rstrip("/").rsplit("/", 1)[-1])

    @classmethod
    def with_weights(cls, engine: SearchEngine, weights: Mapping[str, float]) -> SearchEngine:
        """The same engine over the same arrays under other ranking weights, for ablation."""
        other = cls.__new__(cls)
        other.__dict__.update(engine.__dict__)
        other.weights = weights
        return other

    def answer(self, request: SearchRequest) -> SearchAnswer:
        """Rank owners for a request. Raises UsageError for an empty or only-negative query."""
        if not request.query.strip():
            raise UsageError(
                "The query is empty.", next_step="Say in a few words what you look for.", code="query_empty"
            )
        operators = parse_operators(request.query)
        allowed = allowed_files(self.index, request.scope, operators, request.subdirectory)
        literals = LiteralFilter(self.snapshot, self.index, operators.must, operators.exclude)
        must = literals.owners(allowed) if operators.must else None
        if not operators.text:
            return self._listing(request, operators, allowed, literals, must)
        return self._ranked(request, operators, allowed, literals, must)

    def _ranked(
        self,
        request: SearchRequest,
        operators: Operators,
        allowed: NDArray[np.bool_],
        literals: LiteralFilter,
        must: list[tuple[int, int]] | None,
    ) -> SearchAnswer:
        index = self.index
        question, text, translated = self._read(operators.text)
        vector, without = self._vector(text)
        evidence, signals = gather(index, question, vector)
        if must is not None:
            holding = np.zeros(len(index.paths), bool)
            holding[[file for file, _ in must]] = True
            allowed = allowed & holding
        ranking = rank_files(index, question, signals, allowed, self.weights)
        pinned, missing = self._pinned(question, ranking, allowed)
        verbatim = find_verbatim(index, self.snapshot, text, evidence, allowed)
        verdict = judge(
            index,
            question,
            evidence,
            None if without else self._background,
            allowed,
            named=bool(pinned) or verbatim.sure,
            missing=missing,
        )
        spare = _SPARE_FOR_LITERALS if operators.must or operators.exclude else _SPARE
        candidates, outcome, detail = self._reranked(
            operators.text, self._candidates(request, evidence, ranking, [*pinned, *verbatim.candidates], spare)
        )
        if must is not None:
            candidates = _must_first(candidates, must, index)
        if operators.exclude:
            candidates = [c for c in candidates if literals.accepts(c.file, c.owner)]
        if request.alt_terms:
            candidates = self._with_alternatives(request, text, allowed, candidates)
        relevance = verdict.relevance
        if must is not None:
            relevance = (
                relevance
                if must and relevance is not Relevance.NONE
                else (Relevance.STRONG if must else Relevance.NONE)
            )
        shown = tuple(candidates[: request.limit]) if relevance is not Relevance.NONE else ()
        return SearchAnswer(
            candidates=shown,
            relevance=relevance,
            verdict=verdict,
            available=len(must) if must is not None else len(candidates),
            operators=operators.applied,
            must_total=len(must) if must is not None else None,
            coverage=self._coverage(allowed),
            reranker=outcome.value,
            stems=question.stems,
            read_as=text if translated else None,
            warnings=(
                *((("embedder_unavailable", without),) if without else ()),
                *((("reranker", detail),) if outcome in (RerankOutcome.FAILED, RerankOutcome.TIMEOUT) else ()),
            ),
            dense=not without,
        )

    def _read(self, text: str) -> tuple[Question, str, bool]:
        """The question, its text, and whether that was put into English word by word: code has few words of others."""
        translation = translate(text)
        if translation is None:
            return read_question(text, self._own_name), text, False
        question = read_question(translation.text, self._own_name)
        standing = self.index.file_frequency(question.terms) > 0
        return without_unread(question, standing.tolist()), translation.text, True

    def _vector(self, text: str) -> tuple[NDArray[np.int8], str]:
        """The question's vector and "", or zeros, which are like nothing, and why a service gave none."""
        try:
            return self.embedder.encode_query(text), ""
        except EmbedderError as error:
            return np.zeros(self.embedder.dimension, np.int8), f"{error.message} Ranked by words and names alone."

    def _reranked(self, question: str, candidates: list[Candidate]) -> tuple[list[Candidate], RerankOutcome, str]:
        """The reranker's order behind what the question names; the retrieval order when it does not run."""
        if self.rerank_policy.reranker is None:
            return candidates, RerankOutcome.ABSENT, ""
        named = [candidate for candidate in candidates if candidate.exact]
        others = [candidate for candidate in candidates if not candidate.exact]
        passages = [self._passage(candidate) for candidate in others[:MAX_CANDIDATES]]
        ordered, outcome, detail = rerank(self.rerank_policy, question, others, passages)
        if outcome is RerankOutcome.APPLIED:
            ordered = [replace(candidate, reranked=True) for candidate in ordered[: len(passages)]] + ordered[
                len(passages) :
            ]
        return named + ordered, outcome, detail

    def _passage(self, candidate: Candidate) -> str:
        span = self.chunk_span(candidate)
        data = self.snapshot.content(self.index.file_id(candidate.file))
        return f"{self.index.paths[candidate.file]}\n{data[span['start'] : span['end']].decode('utf-8', 'replace')}"

    def _pinned(
        self, question: Question, ranking: FileRanking, allowed: NDArray[np.bool_]
    ) -> tuple[list[Candidate], bool]:
        """Definitions and files that the question names, and whether an identifier-like word names none.

        When the question is one name, everything that has it comes first. A name inside a longer question brings the
        first definition of each of a few files; its namesakes are found by the ranking.
        """
        whole = question.text.strip()
        alone = len(whole.split()) == 1
        pinned: list[Candidate] = []
        missing = False
        for name in dict.fromkeys([whole, *question.identifiers] if alone else question.identifiers):
            rows = find_named(self.index, name, folded=alone)
            named = order_named(self.index, ranking, rows[allowed[self.index.symbol_file[rows]]])
            if not named:
                files = [file for file in find_files(self.index, name) if allowed[file]]
                named = [Candidate(f, 0, int(self.index.file_chunks[f]), float("inf"), True) for f in files]
            missing |= name in question.identifiers and not named
            pinned.extend(named if alone else _one_a_file(named)[:_NAMESAKES])
        return pinned, missing

    def _candidates(
        self,
        request: SearchRequest,
        evidence: Evidence,
        ranking: FileRanking,
        pinned: list[Candidate],
        spare: int = _SPARE,
    ) -> list[Candidate]:
        return rank_owners(
            self.index,
            evidence,
            ranking,
            pinned,
            min(MAX_LIMIT, max(request.limit, 20)) * spare,
            by_file=request.group_by is GroupBy.FILE,
            by_chunk=request.result_mode is ResultMode.RAW,
        )

    def _with_alternatives(
        self, request: SearchRequest, asked: str, allowed: NDArray[np.bool_], candidates: list[Candidate]
    ) -> list[Candidate]:
        """Candidates of the caller's guesses, behind everything that the first page holds without them."""
        text = " ".join(request.alt_terms)
        question = read_question(text, self._own_name)
        vector, _ = self._vector(f"{asked} {text}")
        evidence, signals = gather(self.index, question, vector)
        ranking = rank_files(self.index, question, signals, allowed, self.weights)
        pinned, _ = self._pinned(question, ranking, allowed)
        more = self._candidates(request, evidence, ranking, pinned)
        kept = candidates[: max(10, request.limit // 2)]
        seen = {(c.file, c.owner, c.chunk) for c in kept}
        merged = list(kept)
        rest = candidates[len(kept) :]
        for position in range(max(len(more), len(rest))):
            for source in (more, rest):
                if position < len(source):
                    candidate = source[position]
                    identity = (candidate.file, candidate.owner, candidate.chunk)
                    if identity not in seen:
                        seen.add(identity)
                        merged.append(candidate)
        return merged

    def _listing(
        self,
        request: SearchRequest,
        operators: Operators,
        allowed: NDArray[np.bool_],
        literals: LiteralFilter,
        must: list[tuple[int, int]] | None,
    ) -> SearchAnswer:
        """A query of operators alone: everything they allow, by path and place."""
        if must is None:
            files = sorted(np.flatnonzero(allowed).tolist(), key=self.index.paths.__getitem__)
            must_or_files = [(file, 0) for file in files if not operators.exclude or literals.accepts(file, 0)]
        else:
            must_or_files = must
        candidates = tuple(
            Candidate(file, owner, self._first_chunk(file, owner), 0.0, False)
            for file, owner in must_or_files[: request.limit]
        )
        return SearchAnswer(
            candidates=candidates,
            relevance=Relevance.STRONG if candidates else Relevance.NONE,
            verdict=None,
            available=len(must_or_files),
            operators=operators.applied,
            must_total=len(must) if must is not None else None,
            coverage=self._coverage(allowed),
            reranker=RerankOutcome.ABSENT.value,
            stems=(),
        )

    def _first_chunk(self, file: int, owner: int) -> int:
        symbol = self.snapshot.symbols(self.index.file_id(file))[owner]
        return self.index.chunk_at(file, symbol.span.start)

    def _coverage(self, allowed: NDArray[np.bool_]) -> Coverage:
        codes, names = self.index.language_codes
        counts = np.bincount(codes[allowed], minlength=len(names)).tolist()
        counted = sorted(
            ((n, c) for n, c in zip(names, counts, strict=True) if c), key=lambda item: (-item[1], item[0])
        )
        chunks = int((self.index.chunk_counts * allowed).sum())
        return Coverage(int(allowed.sum()), chunks, dict(counted), dict(self._skipped))

    @cached_property
    def _skipped(self) -> dict[str, int]:
        """Files of the manifest that are not searched, by skip reason."""
        return self.snapshot.skip_counts()

    def render(self, answer: SearchAnswer, candidates: Sequence[Candidate], first_rank: int = 1) -> list[Group]:
        """Candidates of an answer with names, source and previews; the first of them has `first_rank`."""
        return [self._group(answer, candidate, first_rank + at) for at, candidate in enumerate(candidates)]

    def _group(self, answer: SearchAnswer, candidate: Candidate, rank: int) -> Group:
        file_id = self.index.file_id(candidate.file)
        symbols = self.snapshot.symbols(file_id)
        data = self.snapshot.content(file_id)
        span = self.chunk_span(candidate)
        symbol = symbols[candidate.owner]
        preview = make_preview(data, span["start"], span["end"], span["first"], answer.stems, preview_size(rank))
        why = []
        if candidate.exact:
            why.append("exact")
        if preview.matched:
            why.append("lexical")
        if answer.dense and (not candidate.exact or not why):
            why.append("dense")
        elif not why:
            why.append("lexical")
        if candidate.reranked:
            why.append("reranked")
        return Group(
            file=self.index.paths[candidate.file],
            file_id=file_id,
            language=self.index.languages[candidate.file],
            symbol=symbol,
            chunk=Span(span["start"], span["end"], span["first"], span["last"]),
            preview=preview,
            why=tuple(why),
        )

    def lines(self, candidate: Candidate) -> tuple[int, int]:
        """First and last line of a candidate: those of a definition that was named, else of its chunk."""
        if candidate.exact and candidate.owner:
            span = self.snapshot.symbols(self.index.file_id(candidate.file))[candidate.owner].span
            return span.start_line, span.end_line
        chunk = self.chunk_span(candidate)
        return chunk["first"], chunk["last"]

    def chunk_span(self, candidate: Candidate) -> dict[str, Any]:
        """Bytes and lines of a candidate's chunk; a file without chunks has none and is shown from its start."""
        if int(self.index.file_chunks[candidate.file]) == int(self.index.file_chunks[candidate.file + 1]):
            return {"start": 0, "end": 0, "first": 1, "last": 1}
        shard, at = self.index.locate_chunk(candidate.chunk)
        return {key: int(shard.segment[f"chunk_{key}"][at]) for key in ("start", "end", "first", "last")}


def _one_a_file(candidates: list[Candidate]) -> list[Candidate]:
    return list({candidate.file: candidate for candidate in reversed(candidates)}.values())[::-1]


def _must_first(candidates: list[Candidate], must: list[tuple[int, int]], index: SearchIndex) -> list[Candidate]:
    """Ranked candidates that hold every literal, then all other holders by path and place."""
    holders = dict.fromkeys(must)
    kept = [c for c in candidates if (c.file, c.owner) in holders]
    seen = {(c.file, c.owner) for c in kept}
    lasting = [Candidate(f, o, int(index.file_chunks[f]), 0.0, False) for f, o in must if (f, o) not in seen]
    return kept + lasting
