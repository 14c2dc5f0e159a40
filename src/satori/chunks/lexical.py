"""The lexical projection: which terms each chunk and each file holds, by field.

Fields are the chunk's text, its comments, its owner's name, its owner's qualified name (per chunk), the file's stem and
its directories (per file). Output is plain arrays of 64-bit term hashes; statistics over the repository are computed
where a Publication is read, so that a file's projection depends on nothing but the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

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


def lexical_part(
    symbols: Sequence[Symbol], chunks: Sequence[Chunk], comments: Sequence[tuple[int, int]], data: bytes
) -> LexicalPart:
    """Postings of one file's chunks."""
    terms: list[int] = []
    where: list[int] = []
    packed: list[int] = []
    lengths = np.zeros((len(chunks), CHUNK_FIELDS), dtype=np.int32)
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
        owner = symbols[chunk.owner]
        texts = (
            data[start:end].decode("utf-8", "replace"),
            b" ".join(docs).decode("utf-8", "replace"),
            owner.name if chunk.owner else "",
            owner.qualified_name,
        )
        for field, text in enumerate(texts):
            if not text:
                continue
            counts, length = _count(text)
            lengths[index, field] = length
            base = field << 5
            for term, count in counts.items():
                terms.append(term)
                where.append(index)
                packed.append(base | (count if count < MAX_COUNT else MAX_COUNT))
    return LexicalPart(
        np.array(terms, dtype=np.uint64),
        np.array(where, dtype=np.int32),
        np.array(packed, dtype=np.uint8),
        lengths,
    )


def _count(text: str) -> tuple[dict[int, int], int]:
    counts: dict[int, int] = {}
    length = 0
    get = counts.get
    for word, times in Counter(WORD.findall(text)).items():
        hashes = hashes_of(word)
        length += times * len(hashes)
        for term in hashes:
            counts[term] = get(term, 0) + times
    return counts, length


def path_words(path: str) -> list[list[str]]:
    """The unstemmed words of a path, by place: the file's stem first, then its directories, innermost first."""
    *directories, name = path.split("/")
    stem = name.lstrip(".").split(".", 1)[0] or name
    return [
        [part for word in WORD.findall(place) for part in parts_of(word)] for place in (stem, *reversed(directories))
    ]
