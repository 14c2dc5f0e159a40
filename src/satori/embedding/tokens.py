"""Text to token ids: identifiers and prose split alike into the words and word pieces of a fixed vocabulary.

`parse_http2Header`, "parse HTTP2 header" and `ParseHttp2Header` give the same ids. Letters without case (CJK) are cut
greedily by the longest piece. It knows no grammar, drops punctuation and lone digits, and never fails on any text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain

__all__ = ["MAX_CHARACTERS", "MAX_RUN", "Tokenizer", "runs", "split_run"]

MAX_CHARACTERS = 65_536
"""Characters of a text that are read. A chunk holds some hundred; this bounds minified files and hostile queries."""

MAX_RUN = 96
"""Characters of one unbroken run of letters that are read: longer runs are encoded data, not words."""

_MEMO_LIMIT = 400_000
"""Distinct runs remembered at most: about 60 MB; a larger repository merely starts a new memo."""

_ASCII_RUN = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_UNICODE_RUN = re.compile(r"[^\W\d_][^\W_]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7f]+|[A-Z]")
_MARKS = re.compile(r"[\u0300-\u036f]")


def _folded(run: str) -> str:
    """A run without diacritics and in compatibility form (full-width letters become ASCII), case kept."""
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", run)))


def runs(text: str) -> list[str]:
    """The unbroken runs of letters and digits of a text that begin with a letter, in order."""
    found: list[str] = _ASCII_RUN.findall(text) if text.isascii() else _UNICODE_RUN.findall(text)
    return found


def split_run(run: str) -> list[str]:
    """The lower-cased camelCase and digit parts of one run of letters and digits, in order."""
    if not run.isascii():
        run = _folded(run)
    return [part.lower() for part in _PART.findall(run[:MAX_RUN])]


class Tokenizer(dict[str, tuple[int, ...]]):
    """A memo from a run of letters and digits to its token ids, filled on demand from a vocabulary.

    It is its own cache so that a lookup of a known run is one dictionary access in C.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        super().__init__()
        self._index = {word: number for number, word in enumerate(vocabulary)}
        self._longest = max(map(len, vocabulary), default=0)

    def __missing__(self, run: str) -> tuple[int, ...]:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        ids = self[run] = tuple(self._ids(run))
        return ids

    def _ids(self, run: str) -> list[int]:
        index = self._index
        parts = split_run(run)
        ids: list[int] = []
        position = 0
        while position < len(parts):
            part = parts[position]
            position += 1
            if position < len(parts) and parts[position].isdigit():
                numbered = index.get(part + parts[position])
                if numbered is not None:
                    ids.append(numbered)
                    position += 1
                    continue
            known = index.get(part)
            if known is not None:
                ids.append(known)
            elif not part.isdigit():
                ids.extend(self._pieces(part))
        return ids

    def _pieces(self, word: str) -> list[int]:
        """Greedy longest pieces from the left; characters that no piece covers are skipped."""
        index, ids, start = self._index, [], 0
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                known = index.get(word[start:end])
                if known is not None:
                    ids.append(known)
                    start = end
                    break
            else:
                start += 1
        return ids

    def ids(self, text: str) -> list[int]:
        """Token ids of a text in reading order; characters after the first `MAX_CHARACTERS` are not read."""
        if len(text) > MAX_CHARACTERS:
            text = text[:MAX_CHARACTERS]
        return list(chain.from_iterable(map(self.__getitem__, runs(text))))
