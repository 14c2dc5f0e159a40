"""Pairs as arrays: reading mined pairs, balancing languages, splitting, and token ids in compressed rows.

It decides which pairs are trained on, not how. Everything is a function of the pair files and the seed.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from satori.embedding.tokens import Tokenizer
from training.mine import Pair
from training.projection import projected

__all__ = ["Bags", "bags", "balanced", "read_pairs"]

MAX_SHARE = 0.195
"""Share of the pairs that one language may have."""


@dataclass(frozen=True, slots=True)
class Bags:
    """Bags of tokens in compressed rows: row i is ids[offsets[i]:offsets[i + 1]], each token once with its count."""

    ids: NDArray[np.int32]
    counts: NDArray[np.float32]
    """1 + ln(occurrences)."""
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
        """(ids, counts, starts) of the chosen rows, concatenated."""
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        where = np.arange(int(lengths.sum())) - np.repeat(starts - self.offsets[rows], lengths)
        return self.ids[where].astype(np.int64), self.counts[where], starts


def bags(tokenizer: Tokenizer, texts: Iterable[str]) -> Bags:
    """The bags of many texts."""
    ids: list[NDArray[np.int32]] = []
    counts: list[NDArray[np.float32]] = []
    lengths = [0]
    for text in texts:
        found = Counter(tokenizer.ids(text))
        ids.append(np.fromiter(found.keys(), np.int32, len(found)))
        counts.append(np.fromiter(found.values(), np.float32, len(found)))
        lengths.append(len(found))
    empty = [np.zeros(0, np.float32)]
    return Bags(
        np.concatenate([np.zeros(0, np.int32), *ids]),
        1.0 + np.log(np.concatenate(empty + counts)).astype(np.float32),
        np.cumsum(np.array(lengths, dtype=np.int64)),
    )


def read_pairs(folder: Path, repositories: Iterable[str]) -> list[Pair]:
    """All pairs of the named repositories, in the given order."""
    pairs: list[Pair] = []
    for name in repositories:
        path = folder / f"{name.replace('/', '+')}.jsonl"
        if path.exists():
            pairs.extend(Pair(*json.loads(line)) for line in path.read_text("utf-8").splitlines())
    return pairs


def balanced(pairs: Sequence[Pair], seed: int = 0) -> list[Pair]:
    """The pairs with no language above `MAX_SHARE` of what is kept; what is dropped is drawn evenly."""
    by_language: dict[str, list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        by_language[pair.language].append(number)
    sizes = {language: len(numbers) for language, numbers in by_language.items()}
    while True:
        total = sum(sizes.values())
        over = {k: v for k, v in sizes.items() if v > MAX_SHARE * total + 1}
        if not over:
            break
        largest = max(over, key=lambda k: over[k])
        sizes[largest] = int(MAX_SHARE / (1 - MAX_SHARE) * (total - sizes[largest]))
    random = np.random.default_rng(seed)
    kept: list[int] = []
    for language, numbers in sorted(by_language.items()):
        kept.extend(np.array(numbers)[np.sort(random.permutation(len(numbers))[: sizes[language]])].tolist())
    return [pairs[i] for i in sorted(kept)]


def document(pair: Pair) -> str:
    """A pair's document with its header."""
    return projected(pair.path, pair.symbol, pair.code)
