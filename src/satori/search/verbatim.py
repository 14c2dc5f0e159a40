"""A message that was pasted into a question, found where the code says it.

An error text names nothing and its words are common; what tells its place is that they follow each other there. The few
chunks that hold most of its words are read, and those that have whole stretches of it come before the ranking. Gaps are
allowed for what was filled in. It looks only at questions that could be a message, so others cost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from satori.search.index import SearchIndex
from satori.search.owners import LOWLY, Candidate
from satori.search.signals import Evidence

if TYPE_CHECKING:
    from satori.publication.snapshot import Snapshot

_WORD = re.compile(r"[^\W_]+")
# How people and agents begin when they ask, and programs do not when they fail.
_ASKING = frozenset(
    """how where what which why when who whose does do is are can should find show list explain describe give tell
    """.split()
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
# What programs write and names of topics do not: words of failure and of sentences, marks, numbers, a first capital.
_SAYING = frozenset(
    """already are be because been cannot could did does error exist exists expected fail failed fails failure found
    given got had has have invalid is may missing must no not only required requires should unable unexpected unknown
    unsupported was were without""".split()
)
_MARK = re.compile(r"""[:'"`%(){}\[\]<>=,;!]|\.(?:\s|$)|\d|^[A-Z][a-z]+ [a-z]""")
_FEWEST_WORDS, _MOST_WORDS = 4, 60
# Words that follow each other count as a stretch from this many.
_STRETCH = 3
# How many words of the message, and which share of it, must stand there in stretches: three in a row are a phrase.
_FEWEST_COVERED = 4
_SHARE = 0.5
_SURE_SHARE = 0.8
# Chunks that are looked at, by BM25F, and those of them that are read, by how much of the message's idf they hold
# beside the one that holds most: what was filled in may stand nowhere.
_LOOKED_AT, _READ = 48, 10
_COVERAGE = 0.6


@dataclass(frozen=True, slots=True)
class Verbatim:
    """The owners that say a message, best first, and whether the first one says nearly all of it."""

    candidates: tuple[Candidate, ...]
    sure: bool


def find_verbatim(
    index: SearchIndex, snapshot: Snapshot, text: str, evidence: Evidence, allowed: NDArray[np.bool_]
) -> Verbatim:
    """Where the words of `text` stand in the stored text in stretches of at least three."""
    said = message_of(text)
    message = _words(said)
    if not _FEWEST_WORDS <= len(message) <= _MOST_WORDS or not (_MARK.search(said) or not _SAYING.isdisjoint(message)):
        return Verbatim((), False)
    found = []
    contents: dict[int, bytes] = {}
    for chunk in _likely(index, evidence, allowed):
        file = int(index.chunk_file[chunk])
        shard, at = index.locate_chunk(chunk)
        if file not in contents:
            contents[file] = snapshot.content(index.file_id(file))
        data = contents[file]
        start, end = (int(shard.segment[f"chunk_{key}"][at]) for key in ("start", "end"))
        covered = stretches_of(message, _words(data[start:end].decode("utf-8", "replace")))
        share = covered / len(message)
        if covered >= _FEWEST_COVERED and share >= _SHARE:
            lowly = bool(int(index.roles[file]) & LOWLY)
            candidate = Candidate(file, int(index.chunk_owner[chunk]), chunk, share, False)
            found.append(((lowly, -share, index.paths[file], chunk), candidate))
    ordered = [candidate for _, candidate in sorted(found, key=lambda item: item[0])]
    return Verbatim(tuple(ordered), bool(ordered) and max(c.score for c in ordered) >= _SURE_SHARE)


def message_of(text: str) -> str:
    """What may be a message in `text`: all of it, or what stands before the questions about it; "" if it only asks."""
    sentences = _SENTENCE_END.split(text.strip())
    while sentences and (sentences[-1].endswith("?") or _asks(sentences[-1])):
        sentences.pop()
    return " ".join(sentences) if sentences and not _asks(sentences[0]) else ""


def _asks(sentence: str) -> bool:
    return any(word in _ASKING for word in _words(sentence)[:1])


def stretches_of(message: Sequence[str], text: Sequence[str]) -> int:
    """How many of a message's words stand in `text` in stretches of at least three in the message's order."""
    starts: dict[tuple[str, ...], list[int]] = {}
    for place in range(len(text) - _STRETCH + 1):
        starts.setdefault(tuple(text[place : place + _STRETCH]), []).append(place)
    covered = at = 0
    while at <= len(message) - _STRETCH:
        longest = 0
        for place in starts.get(tuple(message[at : at + _STRETCH]), ()):
            length = _STRETCH
            while (
                at + length < len(message)
                and place + length < len(text)
                and message[at + length] == text[place + length]
            ):
                length += 1
            longest = max(longest, length)
        covered += longest
        at += longest or 1
    return covered


def _likely(index: SearchIndex, evidence: Evidence, allowed: NDArray[np.bool_]) -> list[int]:
    """The chunks that hold most of the message, best first; equal ones by path and place."""
    scores = np.where(allowed[index.chunk_file] & index.live_chunks, evidence.lexical, 0.0)
    chunks = np.flatnonzero(scores)
    if len(chunks) > _LOOKED_AT:
        bound = np.partition(scores[chunks], len(chunks) - _LOOKED_AT)[len(chunks) - _LOOKED_AT]
        chunks = chunks[scores[chunks] >= bound]
    share = evidence.share_of_terms(evidence.holds[chunks])
    order = np.lexsort((chunks, index.path_rank[index.chunk_file[chunks]], -scores[chunks], -share))
    return [int(chunks[i]) for i in order[:_READ] if share[i] >= _COVERAGE * share.max()]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
