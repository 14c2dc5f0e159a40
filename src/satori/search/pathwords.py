"""Words of paths under one index: which files have them in their name or directories, and what each is worth there.

Made once an index and kept with it. Matching words of a question to words of paths is `satori.search.signals`' work.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satori.search.index import SearchIndex, Shard

# Places of a word in a path: the file's stem, and the two innermost directories.
_STEM, _NEAR = 0, 2


class _Place:
    """One kind of place: rows of (file, word), and each file's summed idf."""

    def __init__(self, shard: Shard, rows: NDArray[np.bool_], idf: NDArray[np.float64]) -> None:
        self.files = shard.segment["path_file"][rows]
        self.words = shard.segment["path_terms"][rows]
        self._idf = idf
        self._whole = np.maximum(self._sum(idf, len(shard.segment)), 1e-9)

    def share(self, credit: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each file, the share of its words' idf that `credit` (per word, 0 to 1) gives it."""
        return self._sum(self._idf * credit, len(self._whole)) / self._whole

    def best(self, credit: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each file, the highest credit of its words."""
        found = credit[self.words]
        rows = np.flatnonzero(found)
        best = np.zeros(len(self._whole))
        np.maximum.at(best, self.files[rows], found[rows])
        return best

    def _sum(self, weights: NDArray[np.float64], files: int) -> NDArray[np.float64]:
        return np.bincount(self.files, weights=weights[self.words], minlength=files).astype(np.float64, copy=False)


class PathWords:
    """One shard's words of file stems and of the two innermost directories."""

    def __init__(self, index: SearchIndex, shard: Shard) -> None:
        idf = index.file_idf(shard.derived.path_stems)
        place = shard.segment["path_place"]
        self.stem = _Place(shard, place == _STEM, idf)
        self.directory = _Place(shard, (place > _STEM) & (place <= _NEAR), idf)


def path_words(index: SearchIndex) -> list[PathWords]:
    """The words of each shard of the index."""
    known: list[PathWords] | None = index.memo.get("path_words")
    if known is None:
        known = index.memo["path_words"] = [PathWords(index, shard) for shard in index.shards]
    return known
