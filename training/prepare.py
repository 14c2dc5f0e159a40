"""From mined pairs to what the trainer takes: a vocabulary and one task per kind of pair.

Held-out repositories contribute neither words nor pairs. It trains nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from satori.embedding.tokens import Tokenizer
from training import vocabulary
from training.corpus import Repository
from training.data import bags, balanced, document, read_pairs
from training.mine import Pair
from training.model import Task

__all__ = ["SHARES", "Prepared", "prepare"]

SHARES = {"doc": 1.0, "name": 0.3, "file": 1.0, "test": 0.3, "guide": 1.0, "section": 1.0, "translation": 1.0}
"""The share of each kind's pairs that an epoch draws."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many entries of each sort the vocabulary has at most."""

    words: int = 28_000
    pieces: int = 4_000
    foreign_words: int = 16_000
    foreign_pieces: int = 9_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """The vocabulary, its inverse document frequencies, the tasks, the held-out pairs, and what was counted."""

    vocabulary: list[str]
    idf: NDArray[np.float32]
    tasks: list[Task]
    held_out: list[Pair]
    counts: dict[str, object] = field(default_factory=dict)


def prepare(
    repositories: list[Repository], folder: Path, sizes: Sizes | None = None, shares: dict[str, float] | None = None
) -> Prepared:
    """Read FOLDER's pair files and FOLDER/translations.jsonl as the manifest's repositories use them."""
    sizes, shares = sizes or Sizes(), shares or SHARES
    mined = [r for r in repositories if "pairs" in r.uses]
    train = balanced(read_pairs(folder, [r.repository for r in mined if not r.held_out]))
    held_out = read_pairs(folder, [r.repository for r in mined if r.held_out])
    translated = [json.loads(line) for line in (folder / "translations.jsonl").read_text("utf-8").splitlines()]
    words = vocabulary.build(((p.repository, f"{p.query}\n{document(p)}") for p in train), sizes.words, sizes.pieces)
    own = len(words)
    words += vocabulary.foreign(
        ((language, text) for _, language, text, _ in translated), words, sizes.foreign_words, sizes.foreign_pieces
    )
    tokenizer = Tokenizer(words)
    frequency, texts, tasks = np.zeros(len(words)), 0, []
    for kind, share in shares.items():
        if kind == "translation":
            sides = [bags(tokenizer, (t[column] for t in translated)) for column in (2, 3)]
            task = Task(kind, sides[0], sides[1], None, share, fixed_tokens=own)
        else:
            chosen = [p for p in train if p.kind == kind]
            queries, codes = bags(tokenizer, (p.query for p in chosen)), bags(tokenizer, (p.code for p in chosen))
            task = Task(kind, queries, codes, bags(tokenizer, map(document, chosen)), share)
        for side in (task.queries, task.documents):
            frequency += np.bincount(side.ids, minlength=len(words))
            texts += len(side)
        tasks.append(task)
    counts = {
        "repositories": len({p.repository for p in train}),
        "pairs": len(train),
        "kinds": dict(Counter(p.kind for p in train).most_common()),
        "languages": dict(Counter(p.language for p in train).most_common()),
        "translations": dict(Counter(t[1] for t in translated).most_common()),
        "held_out_repositories": len({p.repository for p in held_out}),
    }
    return Prepared(words, np.log((texts + 1) / (frequency + 1)).astype(np.float32), tasks, held_out, counts)
