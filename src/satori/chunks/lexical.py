"""The lexical projection: which terms each chunk and each file holds, by field.

Fields are the chunk's text, its comments, its owner's name, its owner's qualified name (per chunk), the file's stem and
its directories (per file). Output is plain arrays of 64-bit term hashes; statistics over the repository are computed
where a Publication is read, so that a file's projection depends on nothing but the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satori.chunks.words import WORD, hashes_of, parts_of
from satori.model.chunk import Chunk
from satori.model.symbol import Symbol


class Field(IntEnum):
    """Where a term stands; three bits of a posting."""

    BODY = 0
    DOC = 1
    SYMBOL = 2
    QUALIFIED = 3


CHUNK_FIELDS = len(Field)
# A posting's byte is field << 5 | count, so counts saturate: beyond this, more mentions say nothing more.
MAX_COUNT = 31


@dataclass(frozen=True, slots=True)
class LexicalPart:
    """One file's postings: `terms` (uint64), `chunks` (int32, local), `packed` (uint8: field << 5 | count), and
    `lengths` (int32, one row a chunk, one column a field): how many terms each field holds."""

    terms: NDArray[np.uint64]
    chunks: NDArray[np.int32]
    packed: NDArray[np.uint8]
    lengths: NDArray[np.int32]


class _Vocabulary(dict[str, int]):
    """Words met by this process, numbered, each with the terms it yields; counting then works on arrays of numbers.

    It is a memory of pure functions: what it holds changes no result.
    """

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[int, int] = {}
        self.hashes = np.zeros(1 << 14, np.uint64)  # term number -> hash
        self.starts = np.zeros(1 << 14, np.int64)  # word number -> first place in `members`
        self.sizes = np.zeros(1 << 14, np.int64)
        self.members = np.zeros(1 << 15, np.int64)  # term numbers of all words
        self._used = 0

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        hashes = hashes_of(word)
        self.starts, self.sizes = _roomy(self.starts, number), _roomy(self.sizes, number)
        self.members = _roomy(self.members, self._used + len(hashes))
        self.starts[number], self.sizes[number] = self._used, len(hashes)
        for term in hashes:
            at = self._numbers.setdefault(term, len(self._numbers))
            self.hashes = _roomy(self.hashes, at)
            self.hashes[at] = term
            self.members[self._used] = at
            self._used += 1
        return number


def _roomy(array: NDArray[Any], index: int) -> NDArray[Any]:
    return array if index < len(array) else np.concatenate([array, np.zeros(max(len(array), index), array.dtype)])


# A vocabulary of more words than this belongs to noise; it is forgotten and grows anew.
_MOST_WORDS = 500_000
_vocabulary = _Vocabulary()


def lexical_part(
    symbols: Sequence[Symbol], chunks: Sequence[Chunk], comments: Sequence[tuple[int, int]], data: bytes
) -> LexicalPart:
    """Postings of one file's chunks, ordered by chunk, field and term hash."""
    global _vocabulary
    if len(_vocabulary) > _MOST_WORDS:
        _vocabulary = _Vocabulary()
    lookup = _vocabulary.__getitem__
    numbers: list[int] = []
    word_counts = np.zeros(len(chunks) * CHUNK_FIELDS, np.int64)
    for group, text in _texts(symbols, chunks, comments, data):
        before = len(numbers)
        numbers.extend(map(lookup, WORD.findall(text)))
        word_counts[group] = len(numbers) - before
    return _counted(np.array(numbers, np.int64), word_counts, len(chunks))


def _texts(
    symbols: Sequence[Symbol], chunks: Sequence[Chunk], comments: Sequence[tuple[int, int]], data: bytes
) -> Iterator[tuple[int, str]]:
    """(chunk x fields + field, text) in order."""
    comment_at = 0
    for index, chunk in enumerate(chunks):
        start, end = chunk.span.start, chunk.span.end
        while comment_at < len(comments) and comments[comment_at][1] <= start:
            comment_at += 1
        docs = []
        at = comment_at
        while at < len(comments) and comments[at][0] < end:
            docs.append(data[max(start, comments[at][0]) : min(end, comments[at][1])])
            at += 1
        group = index * CHUNK_FIELDS
        yield group + Field.BODY, data[start:end].decode("utf-8", "replace")
        if docs:
            yield group + Field.DOC, b" ".join(docs).decode("utf-8", "replace")
        if chunk.owner:
            owner = symbols[chunk.owner]
            yield group + Field.SYMBOL, owner.name
            yield group + Field.QUALIFIED, owner.qualified_name


def _counted(numbers: NDArray[np.int64], word_counts: NDArray[np.int64], chunk_count: int) -> LexicalPart:
    vocabulary = _vocabulary
    groups = np.repeat(np.arange(len(word_counts)), word_counts)
    sizes = vocabulary.sizes[numbers]
    # All terms of all words, word by word: each word's stretch of `members`, end to end.
    first = np.cumsum(sizes) - sizes
    places = np.repeat(vocabulary.starts[numbers] - first, sizes) + np.arange(int(sizes.sum()))
    terms = vocabulary.members[places]
    term_groups = np.repeat(groups, sizes)
    lengths = np.bincount(term_groups, minlength=len(word_counts)).astype(np.int32).reshape(chunk_count, CHUNK_FIELDS)
    keys, counts = np.unique((term_groups << 32) | terms, return_counts=True)
    hashes = vocabulary.hashes[keys & 0xFFFFFFFF]
    group = keys >> 32
    order = np.lexsort((hashes, group))
    packed = ((group % CHUNK_FIELDS) << 5) | np.minimum(counts, MAX_COUNT)
    return LexicalPart(
        hashes[order],
        (group // CHUNK_FIELDS)[order].astype(np.int32),
        packed[order].astype(np.uint8),
        lengths,
    )


def path_words(path: str) -> list[list[str]]:
    """The unstemmed words of a path, by place: the file's stem first, then its directories, innermost first."""
    *directories, name = path.split("/")
    stem = name.lstrip(".").split(".", 1)[0] or name
    return [
        [part for word in WORD.findall(place) for part in parts_of(word)] for place in (stem, *reversed(directories))
    ]
