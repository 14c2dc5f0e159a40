"""Which files can hold an identifier, told from the postings alone: so that exact scans read few files.

A file that holds the identifier as a whole word has postings for each of its parts, unless the word was never counted:
words of more parts or letters than `chunks.words` reads, words cut by a chunk's bound. Files with such words are found
once for each stored file and always included, so nothing is ever missed. What really stands there is for the caller to
look up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from satori.chunks.stem import stem
from satori.chunks.words import parts_of, term_hash
from satori.search.index import SearchIndex, Shard

if TYPE_CHECKING:
    from satori.publication.segment import Segment
    from satori.publication.snapshot import Snapshot

LONGEST_NAME = 60
MOST_PARTS = 11
# Two words joined by hyphens are one word to the postings; only such words can be longer than the identifier itself.
_JOINED = re.compile(rb"[\w\x80-\xff]+(?:-[\w\x80-\xff]+)+")
_LONGEST_JOINED = 80
_FEWEST_BYTES = MOST_PARTS + 2
_TAIL = re.compile(rb"[\w\x80-\xff]+\Z")
_WORD = re.compile(rb"[\w\x80-\xff]")
_IRREGULAR: WeakKeyDictionary[Segment, dict[int, bool]] = WeakKeyDictionary()


def files_that_may_hold(index: SearchIndex, snapshot: Snapshot, name: str) -> frozenset[int] | None:
    """The file ids of all files in which `name` can stand as a whole identifier; None when the postings cannot tell."""
    parts = set(parts_of(name)) if name.isascii() and len(name) <= LONGEST_NAME else set()
    if not parts or len(parts_of(name)) > MOST_PARTS:
        return None
    terms = [term_hash(stem(part)) for part in sorted(parts)]
    found: set[int] = set()
    for shard in index.shards:
        holding = shard.live_files.copy()
        for term in terms:
            with_term = np.zeros(len(holding), bool)
            with_term[shard.derived.chunk_file[shard.postings(term)[0]]] = True
            holding &= with_term
        found.update(shard.segment["file_id"][holding].tolist())
        found.update(_irregular(shard, snapshot))
    return frozenset(found)


def _irregular(shard: Shard, snapshot: Snapshot) -> list[int]:
    """The live files of a shard with words that the postings do not count; each stored file is read once for that."""
    known = _IRREGULAR.setdefault(shard.segment, {})
    live = np.flatnonzero(shard.live_files).tolist()
    ids = shard.segment["file_id"]
    bounds = shard.segment["file_chunks"]
    for local in live:
        file_id = int(ids[local])
        if file_id not in known:
            low, high = int(bounds[local]), int(bounds[local + 1])
            starts = shard.segment["chunk_start"][low:high].tolist()
            ends = shard.segment["chunk_end"][low:high].tolist()
            data = snapshot.content(file_id)
            known[file_id] = _cuts_words(data, sorted(zip(starts, ends, strict=True))) or _has_long_words(data)
    return [file_id for local in live if known[file_id := int(ids[local])]]


def _cuts_words(data: bytes, chunks: list[tuple[int, int]]) -> bool:
    """Whether a word stands in no chunk, or across the bound of one."""
    reached = 0
    for start, end in (*chunks, (len(data), len(data))):
        if start > reached and _WORD.search(data, reached, start):
            return True
        for bound in (start, end):
            if 0 < bound < len(data) and _WORD.match(data, bound - 1) and _WORD.match(data, bound):
                return True
        reached = max(reached, end)
    return False


def _has_long_words(data: bytes) -> bool:
    reached = 0
    at = data.find(b"-")
    while at != -1:
        if at >= reached and _WORD.match(data, at - 1 if at else 0) and _WORD.match(data, at + 1):
            # Back to where the joined word begins, or so far that it is too long whatever stands before.
            tail = _TAIL.search(data, max(reached, at - _LONGEST_JOINED - 1), at)
            match = _JOINED.match(data, tail.start()) if tail is not None else None
            if match is None:
                return True
            size = match.end() - match.start()
            if size > _LONGEST_JOINED:
                return True
            if size > _FEWEST_BYTES and len(parts_of(match[0].decode("utf-8", "replace"))) > MOST_PARTS:
                return True
            reached = match.end()
        at = data.find(b"-", at + 1)
    return False
