"""The lexicon of questions in other languages: which English words a foreign word means in software documentation.

IBM Model 1 (Brown et al., "The Mathematics of Statistical Machine Translation", 1993, section 4.2) in both directions
over the aligned sentences of `training/translations.py`, one language at a time, a NULL word included. A meaning is
kept when both directions support it. It learns nothing from questions, and reads no benchmark.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from satori.chunks.stem import stem
from satori.chunks.words import STOP_WORDS, parts_of, words_in
from satori.search.lexicon import LONGEST_PIECE, is_ideograph, segments, stretches

__all__ = ["align", "build"]

_ROUNDS = 6
_LONGEST = 40
_FEWEST = 2
_FEWEST_PIECES = 6
# A stretch that a longer one contains nearly always is only a part of it.
_CONTAINED = 0.7
# Probability of the English word given the foreign one, its share of the best meaning's, and the other direction's.
_SURE, _SHARE, _BACK = 0.12, 0.55, 0.03
_MOST = 2
# A word that English text has this often is no evidence of another language.
_ENGLISH = 4


def build(folder: Path, target: Path) -> dict[str, int]:
    """Learn from FOLDER/translations.jsonl, write the lexicon, and return its words by language."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    english: Counter[str] = Counter()
    for line in (folder / "translations.jsonl").read_text("utf-8").splitlines():
        _, language, foreign, source = json.loads(line)
        pairs.setdefault(language, []).append((foreign, source))
        english.update(_words(source))
    blocks, sizes = [], {}
    for language in sorted(pairs):
        meanings = _language(language, pairs[language], english)
        sizes[language] = len(meanings)
        lines = [
            f"{'~' if english[word] >= _ENGLISH else ''}{word}\t{' '.join(meaning)}"
            for word, meaning in sorted(meanings.items())
        ]
        blocks.append(f"\n# {language}\n" + "\n".join(lines))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("Made by training/lexicon.py." + "".join(blocks) + "\n", "utf-8")
    return sizes


def _language(language: str, pairs: Sequence[tuple[str, str]], english: Counter[str]) -> dict[str, tuple[str, ...]]:
    unspaced = language in ("ja", "zh")
    known = _pieces(foreign for foreign, _ in pairs) if unspaced else set()
    sides = []
    for foreign, source in dict.fromkeys(pairs):
        left = list(segments(foreign, known)) if unspaced else list(_words(foreign))
        right = list(_words(source))
        if left and right and len(left) <= _LONGEST and len(right) <= _LONGEST:
            sides.append((left, right))
    counts = Counter(word for left, _ in sides for word in set(left))
    forward, backward = align(sides), align([(right, left) for left, right in sides])
    meanings: dict[str, tuple[str, ...]] = {}
    for word, number in counts.items():
        if number < _FEWEST or word.isdigit() or (unspaced and word.isascii()):
            continue
        kept = [p for p in _meanings(forward.get(word, {})) if backward.get(p[0], {}).get(word, 0.0) >= _BACK]
        # A word that is English in the first place has only strayed into these sentences.
        if kept and (kept[0][0] == word or english[word] <= number):
            meanings[word] = tuple(meaning for meaning, _ in kept if meaning not in STOP_WORDS and len(meaning) > 1)
    return meanings


def _meanings(probability: dict[str, float]) -> list[tuple[str, float]]:
    """The likeliest English words, the forms of one word taken together and its likeliest form standing for them."""
    forms: dict[str, list[tuple[float, str]]] = {}
    for word, p in probability.items():
        forms.setdefault(stem(word), []).append((p, word))
    ranked = sorted(
        ((sum(p for p, _ in found), max(found)[1]) for found in forms.values()), key=lambda i: (-i[0], i[1])
    )
    best = ranked[0][0] if ranked else 0.0
    return [(word, p) for p, word in ranked[:_MOST] if p >= max(_SURE, _SHARE * best)]


def align(sides: Sequence[tuple[Sequence[str], Sequence[str]]]) -> dict[str, dict[str, float]]:
    """p(target | source) for every (source, target) that occur in one pair, source first in `sides`."""
    source_ids: dict[str, int] = {"": 0}
    target_ids: dict[str, int] = {}
    rows: list[NDArray[np.int64]] = []
    columns: list[NDArray[np.int64]] = []
    groups: list[NDArray[np.int64]] = []
    group = 0
    for source, target in sides:
        left = np.array([0, *(source_ids.setdefault(w, len(source_ids)) for w in source)])
        right = np.array([target_ids.setdefault(w, len(target_ids)) for w in target])
        rows.append(np.tile(left, len(right)))
        columns.append(np.repeat(right, len(left)))
        groups.append(np.repeat(np.arange(group, group + len(right)), len(left)))
        group += len(right)
    cell_source, cell_group = np.concatenate(rows), np.concatenate(groups)
    keys, cell = np.unique(cell_source * len(target_ids) + np.concatenate(columns), return_inverse=True)
    key_source = keys // len(target_ids)
    probability = np.full(len(keys), 1.0 / len(target_ids))
    for _ in range(_ROUNDS):
        share = probability[cell]
        share /= np.bincount(cell_group, weights=share)[cell_group]
        count = np.bincount(cell, weights=share, minlength=len(keys))
        probability = count / np.bincount(key_source, weights=count)[key_source]
    words, targets = list(source_ids), list(target_ids)
    table: dict[str, dict[str, float]] = {}
    for key, p in zip(keys.tolist(), probability.tolist(), strict=True):
        if p >= _BACK and key >= len(target_ids):
            table.setdefault(words[key // len(target_ids)], {})[targets[key % len(target_ids)]] = p
    return table


def _words(text: str) -> Iterator[str]:
    return (part for word in words_in(text) for part in parts_of(word) if not part.isdigit())


def _pieces(texts: Iterable[str]) -> set[str]:
    """What stands for words: katakana runs, and frequent ideographs that are not merely part of a longer stretch."""
    runs: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for text in texts:
        for stretch in stretches(text):
            if not is_ideograph(stretch[0]):
                runs[stretch] += 1
                continue
            for length in range(2, LONGEST_PIECE + 1):
                counts.update(stretch[i : i + length] for i in range(len(stretch) - length + 1))
    frequent = {piece: number for piece, number in counts.items() if number >= _FEWEST_PIECES}
    longer: Counter[str] = Counter()
    for piece, number in frequent.items():
        for inner in (piece[1:], piece[:-1]):
            longer[inner] = max(longer[inner], number)
    whole = {piece for piece, number in frequent.items() if longer[piece] < _CONTAINED * number}
    return whole | {run for run, number in runs.items() if number >= _FEWEST}
