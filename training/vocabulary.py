"""The vocabulary: words that many repositories use, words of other languages people ask in, and pieces for the rest.

Words are counted over training texts as the runtime tokenizer splits them; a word must occur in several repositories so
that no project's private names fill the table. Pieces are chosen by what they cover of the words left out. Scripts
without spaces have no words here, only pieces of one to four characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from satori.embedding.tokens import runs, split_run

__all__ = ["build", "foreign", "word_counts"]

_PIECE_LENGTHS = range(2, 8)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")


def word_counts(texts: Iterable[tuple[str, str]]) -> tuple[Counter[str], Counter[str]]:
    """(occurrences, repositories) of each word over (repository, text) pairs; repositories must come grouped."""
    counts: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    current, pending = "", Counter[str]()

    def settle() -> None:
        words: Counter[str] = Counter()
        for run, number in pending.items():
            parts = split_run(run)
            for i, part in enumerate(parts):
                if part.isdigit():
                    continue
                words[part] += number
                if i + 1 < len(parts) and parts[i + 1].isdigit() and len(parts[i + 1]) <= 4:
                    words[part + parts[i + 1]] += number
        counts.update(words)
        spread.update(words.keys())
        pending.clear()

    for repository, text in texts:
        if repository != current:
            settle()
            current = repository
        pending.update(runs(text))
    settle()
    return counts, spread


def build(texts: Iterable[tuple[str, str]], words: int, pieces: int, min_repositories: int = 3) -> list[str]:
    """At most `words` whole words, then `pieces` word pieces, then the single letters."""
    counts, spread = word_counts(texts)
    ranked = [w for w in counts if w.isascii() and spread[w] >= min_repositories and 2 <= len(w) <= 24]
    ranked.sort(key=lambda w: (-counts[w] * min(spread[w], 20), w))
    chosen = ranked[:words]
    known = set(chosen)
    cover: Counter[str] = Counter()
    for word, number in counts.items():
        if word in known or not word.isascii() or not word.isalpha() or len(word) > 24:
            continue
        weight = min(number, 50)
        for length in _PIECE_LENGTHS:
            for start in range(len(word) - length + 1):
                cover[word[start : start + length]] += weight
    candidates = [p for p in cover if p not in known]
    candidates.sort(key=lambda p: (-cover[p] * (len(p) - 1) ** 2, p))
    letters = [c for c in "abcdefghijklmnopqrstuvwxyz" if c not in known]
    chosen += candidates[:pieces]
    return chosen + [c for c in letters if c not in set(chosen)]


def foreign(texts: Iterable[tuple[str, str]], known: Iterable[str], words: int, pieces: int) -> list[str]:
    """Additions for (language, text) pairs: `words` spaced words over all languages, `pieces` of unspaced scripts."""
    taken = set(known)
    counts: dict[str, Counter[str]] = {}
    grams: Counter[str] = Counter()
    for language, text in texts:
        if language in ("ja", "zh"):
            for stretch in _UNSPACED.findall(text):
                for length in range(1, 5):
                    grams.update(stretch[i : i + length] for i in range(len(stretch) - length + 1))
            continue
        found = counts.setdefault(language, Counter())
        for run in runs(text):
            found.update(split_run(run))
    scores: Counter[str] = Counter()
    for found in counts.values():
        total = sum(found.values())
        for word, number in found.items():
            if number >= 3 and 2 <= len(word) <= 32 and word not in taken:
                scores[word] += int(1e9 * number / total)
    ranked = sorted(scores, key=lambda w: (-scores[w], w))[:words]
    singles = sorted((g for g in grams if len(g) == 1 and grams[g] >= 2), key=lambda g: (-grams[g], g))
    longer = [g for g in grams if len(g) > 1 and grams[g] >= 8]
    longer.sort(key=lambda g: (-grams[g] * (len(g) - 1), g))
    return ranked + (singles[: pieces // 3] + longer)[:pieces]
