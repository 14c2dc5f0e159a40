"""Exact identifier evidence: the definitions that a word of the question names.

A name is found as written first, and without case and separators only when nothing has it as written. A qualified name
(`Command.invoke`, `fmt::format`, `Foo#bar`) is found through its last part with the right owner. It does not rank.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from satori.publication.analysis import folded_hash, name_hash
from satori.search.index import SearchIndex

_QUALIFIERS = re.compile(r"::|->|[.#/]")
# Below this many letters a name without case and separators is too common to be evidence.
_SHORTEST_FOLDED = 3


def find_named(index: SearchIndex, name: str) -> NDArray[np.int64]:
    """Live symbols (index numbers) that `name` names; empty when none does."""
    parts = [part for part in _QUALIFIERS.split(name) if part]
    if not parts:
        return np.zeros(0, np.int64)
    last = parts[-1].removesuffix("()")
    rows = _rows(index, "symbol_name", name_hash(last))
    if not len(rows) and len(last) >= _SHORTEST_FOLDED:
        rows = _rows(index, "symbol_folded", folded_hash(last))
    if len(parts) > 1 and len(rows):
        owned = rows[_owner_names(index)[rows] == np.uint64(name_hash(parts[-2]))]
        return owned if len(owned) else rows
    return rows


def _rows(index: SearchIndex, column: str, wanted: int) -> NDArray[np.int64]:
    found = [
        np.flatnonzero((shard.segment[column] == np.uint64(wanted)) & shard.live_symbols) + shard.first_symbol
        for shard in index.shards
    ]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def _owner_names(index: SearchIndex) -> NDArray[np.uint64]:
    return index.column("symbol_owner_name")
