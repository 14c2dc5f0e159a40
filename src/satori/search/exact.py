"""Exact identifier evidence: the definitions and files that a word of the question names.

A name is found as written, and without case and separators when nothing has it as written and the question is that name
alone. A qualified name (`Command.invoke`, `fmt::format`, `Foo#bar`) needs the right owner: an enclosing definition or
the file it stands in. A path or a dotted module name (`mini.files`, `src/app.py`) names a file. It does not rank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from satori.publication.analysis import folded_hash, name_hash
from satori.search.index import SearchIndex

_QUALIFIERS = re.compile(r"::|->|[.#/\\]")
# Below this many letters a name without case and separators is too common to be evidence.
_SHORTEST_FOLDED = 3
# A file name that more files have means none of them.
_MOST_MEANT = 4


def find_named(index: SearchIndex, name: str, *, folded: bool = False) -> NDArray[np.int64]:
    """Live symbols (index numbers) that `name` names; empty when none does."""
    parts = _parts(name)
    if not parts:
        return np.zeros(0, np.int64)
    rows = _rows(index, "symbol_name", name_hash(parts[-1]))
    if len(parts) > 1:
        return rows[[_belongs(index, row, parts[-2]) for row in rows.tolist()]] if len(rows) else rows
    if not len(rows) and folded and len(parts[-1]) >= _SHORTEST_FOLDED:
        rows = _rows(index, "symbol_folded", folded_hash(parts[-1]))
    return rows


def find_files(index: SearchIndex, name: str) -> list[int]:
    """Live files (index numbers) whose path ends with what `name` spells, by path; only for names of several parts."""
    parts = _parts(name)
    if len(parts) < 2:
        return []
    exact, module = "/" + name.strip("/"), "/" + "/".join(parts).lower()
    found = []
    for file in np.flatnonzero(index.live_files).tolist():
        path = "/" + index.paths[file]
        stem = path.rsplit(".", 1)[0].lower()
        if path.endswith(exact) or stem.endswith(module):
            found.append(file)
    return sorted(found, key=index.paths.__getitem__)


def mentioned_files(index: SearchIndex, paths: Sequence[str]) -> dict[int, float]:
    """Files that paths in a text mean (a traceback's absolute path, a bare file name): index number to certainty,
    divided by how many files the same words could mean."""
    found: dict[int, float] = {}
    if not paths:
        return found
    by_name: dict[str, list[int]] = index.memo.setdefault("by_name", {})
    if not by_name:
        for file in np.flatnonzero(index.live_files).tolist():
            by_name.setdefault(index.paths[file].rsplit("/", 1)[-1], []).append(file)
    for path in paths:
        parts = path.strip("/").split("/")
        shared = {file: _shared_tail(index.paths[file].split("/"), parts) for file in by_name.get(parts[-1], ())}
        best = max(shared.values(), default=0)
        meant = [file for file, count in shared.items() if count == best]
        for file in meant if len(meant) <= _MOST_MEANT else ():
            found[file] = max(found.get(file, 0.0), 1.0 / len(meant))
    return found


def _shared_tail(path: Sequence[str], mention: Sequence[str]) -> int:
    count = 0
    for mine, theirs in zip(reversed(path), reversed(mention), strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _parts(name: str) -> list[str]:
    return [part for part in _QUALIFIERS.split(name.removesuffix("()")) if part]


def _belongs(index: SearchIndex, symbol: int, owner: str) -> bool:
    """Whether a symbol's owner, its file or its directory is called `owner`."""
    for shard in reversed(index.shards):
        if symbol >= shard.first_symbol:
            if int(shard.segment["symbol_owner_name"][symbol - shard.first_symbol]) == name_hash(owner):
                return True
            break
    parts = index.paths[int(index.symbol_file[symbol])].lower().split("/")
    return owner.lower() in (parts[-1].split(".", 1)[0], *parts[-2:-1])


def _rows(index: SearchIndex, column: str, wanted: int) -> NDArray[np.int64]:
    found = [
        np.flatnonzero((shard.segment[column] == np.uint64(wanted)) & shard.live_symbols) + shard.first_symbol
        for shard in index.shards
    ]
    return np.concatenate(found) if found else np.zeros(0, np.int64)
