"""A question, read once: its words, its terms with what they came from, and the words that look like identifiers.

It does not look into any Publication, so the same question reads the same everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from satori.chunks.stem import stem
from satori.chunks.words import STOP_WORDS, parts_of, term_hash, terms_of, words_in

# Inner capital, underscore or a digit beside a letter: how code is named, not prose.
_IDENTIFIER_WORD = re.compile(r"[a-z][a-z0-9]*[A-Z]|[A-Z]+[a-z0-9]+[A-Z]|[A-Z]{2,}[a-z]|_|[A-Za-z][0-9]|[0-9][A-Za-z]")
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)+")
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)+|[\w-]+\.[A-Za-z]{1,5}\b")
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
# A question of this size holds more terms than any answer could use; the rest is dropped, never an error.
MAX_CHARACTERS = 8000
MAX_TERMS = 400
MAX_NAMES = 48


@dataclass(frozen=True, slots=True)
class Question:
    """`terms` are hashes of the stems and whole identifiers, in order of first mention; `words` are the unstemmed
    parts they came from (stop words and `ignored` words dropped unless nothing else is left); `pairs` are hashes of
    neighbouring parts written as one identifier; `identifiers` are words that can only be names, as written; `names`
    are all words as written that could be a name; `unread` counts terms that were left out."""

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    terms: tuple[int, ...]
    wholes: tuple[int, ...]
    pairs: tuple[int, ...]
    identifiers: tuple[str, ...]
    names: tuple[str, ...]
    capitalised: tuple[str, ...]
    paths: tuple[str, ...]
    about_tests: bool
    about_examples: bool
    unread: int = 0


_TEST_WORDS = frozenset(
    {"test", "tests", "testing", "spec", "specs", "fixture", "fixtures", "mock", "mocks", "unittest"}
)
_EXAMPLE_WORDS = frozenset({"example", "examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials"})


def read_question(text: str, ignored: Collection[str] = ()) -> Question:
    """Read `text`; `ignored` are words that say nothing here (the codebase's name)."""
    text = text[:MAX_CHARACTERS]
    quoted = _QUOTED.findall(text)
    dotted = _DOTTED.findall(text)
    written = words_in(text)
    parts = [(part, word) for word in written for part in parts_of(word)]
    kept = [(p, w) for p, w in parts if w.lower() not in STOP_WORDS and p not in ignored and len(p) > 1]
    kept = kept or [(p, w) for p, w in parts if p not in STOP_WORDS] or parts
    words = _unique(p for p, _ in kept)[:MAX_TERMS]
    stems = _unique(stem(p) for p in words)
    wholes = _unique(t for _, w in kept for t in terms_of(w) if t.startswith("="))[:MAX_TERMS]
    ordered = [p for p, _ in kept][:MAX_TERMS]
    pairs = _unique("=" + a + b for a, b in pairwise(ordered) if a != b)
    identifiers = _unique([w for w in written if _IDENTIFIER_WORD.search(w)] + dotted + [q.strip() for q in quoted])
    names = _unique([*identifiers, *(w for w in written if w.lower() not in STOP_WORDS)])
    lowered = {p for p, _ in parts}
    return Question(
        text=text,
        words=words,
        stems=stems,
        terms=tuple(term_hash(s) for s in stems),
        wholes=tuple(term_hash(w) for w in wholes),
        pairs=tuple(term_hash(p) for p in pairs if p not in wholes),
        identifiers=identifiers[:MAX_NAMES],
        names=names[:MAX_NAMES],
        capitalised=tuple(name for name in names if name[:1].isupper())[:MAX_NAMES],
        paths=_unique(match.strip(".") for match in _PATH.findall(text))[:MAX_NAMES],
        about_tests=bool(lowered & _TEST_WORDS),
        about_examples=bool(lowered & _EXAMPLE_WORDS),
    )


def without_unread(question: Question, standing: Sequence[bool]) -> Question:
    """A translated question without the terms that stand nowhere here (most are words that were not translated),
    unless none does; how many were left out is kept."""
    kept = [i for i, stands in enumerate(standing) if stands]
    if not kept:
        return question
    return replace(
        question,
        stems=tuple(question.stems[i] for i in kept),
        terms=tuple(question.terms[i] for i in kept),
        unread=len(standing) - len(kept),
    )


def _unique(items: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))  # type: ignore[call-overload]
