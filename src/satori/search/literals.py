"""Literal filters: `must:` and `exclude:` over stored source, symbol labels and paths.

Both are case-sensitive substring tests on an owner: its text, its qualified name, its file's path. `must:` is
exhaustive: every live file that the other filters allow is read from the Publication, so its total is exact. It never
reads the disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from satori.model.symbol import Symbol
from satori.search.index import SearchIndex

if TYPE_CHECKING:
    from satori.publication.snapshot import Snapshot


class LiteralFilter:
    """Tests owners of one Publication against literals; remembers what it has read for the length of one question."""

    def __init__(self, snapshot: Snapshot, index: SearchIndex, must: Sequence[str], exclude: Sequence[str]) -> None:
        self.snapshot = snapshot
        self.index = index
        self.must = [(text, text.encode("utf-8", "surrogatepass")) for text in must]
        self.exclude = [(text, text.encode("utf-8", "surrogatepass")) for text in exclude]
        self._content: dict[int, bytes] = {}

    def accepts(self, file: int, owner: int) -> bool:
        """Whether the owner holds every `must` and no `exclude`."""
        symbol = self._symbols(file)[owner]
        text = self._text(file)[symbol.span.start : symbol.span.end]
        label = symbol.qualified_name if owner else ""
        return all(self._holds(m, text, label, symbol.path) for m in self.must) and not any(
            self._holds(x, text, label, symbol.path) for x in self.exclude
        )

    def owners(self, allowed: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """Every (file, owner) that holds all `must` literals and no `exclude`, by path and place: for each place of the
        rarest literal the innermost symbol around it that holds the others too."""
        found: list[tuple[int, int]] = []
        for file in sorted(np.flatnonzero(allowed).tolist(), key=self.index.paths.__getitem__):
            found.extend((file, owner) for owner in self._owners_in(file))
        return found

    def _owners_in(self, file: int) -> list[int]:
        path = self.index.paths[file]
        data = self._text(file)
        symbols = self._symbols(file)
        pending = [m for m in self.must if m[0] not in path]
        if not pending:
            owners = {0}
        else:
            if not all(m[1] in data or any(m[0] in s.qualified_name for s in symbols) for m in pending):
                return []
            owners = set()
            first = max(pending, key=lambda m: len(m[1]))
            position = data.find(first[1])
            while position != -1:
                owner = innermost(symbols, position, position + len(first[1]))
                owners.add(self._climb(symbols, owner, data, path))
                position = data.find(first[1], position + 1)
            owners.update(s.index for s in symbols[1:] if first[0] in s.qualified_name)
        return sorted(owner for owner in owners if owner >= 0 and self.accepts(file, owner))

    def _climb(self, symbols: Sequence[Symbol], owner: int, data: bytes, path: str) -> int:
        """The nearest owner, going outward, that holds every `must`; -1 when even the file does not."""
        while owner >= 0:
            symbol = symbols[owner]
            text = data[symbol.span.start : symbol.span.end]
            if all(self._holds(m, text, symbol.qualified_name, path) for m in self.must):
                return owner
            owner = symbol.parent
        return -1

    @staticmethod
    def _holds(literal: tuple[str, bytes], text: bytes, label: str, path: str) -> bool:
        return literal[1] in text or literal[0] in label or literal[0] in path

    def _text(self, file: int) -> bytes:
        if file not in self._content:
            if len(self._content) > 64:
                self._content.clear()
            self._content[file] = self.snapshot.content(self.index.file_id(file))
        return self._content[file]

    def _symbols(self, file: int) -> list[Symbol]:
        return self.snapshot.symbols(self.index.file_id(file))


def innermost(symbols: Sequence[Symbol], start: int, end: int) -> int:
    """The index of the smallest symbol whose span covers `start:end` (0, the file, when no other does)."""
    best = 0
    for symbol in symbols[1:]:
        if symbol.span.start > start:
            break
        if symbol.span.end >= end:
            best = symbol.index
    return best
