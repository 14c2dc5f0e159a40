"""Questions in German, Spanish, French, Portuguese, Chinese and Japanese, word by word into English.

Code is written in English, so a question in another language shares few words with what answers it. The lexicon says
which English words a word of the six languages means in software documentation; it was learned from aligned sentences
(`training/lexicon.py`) and ships as a text file. What is not in it (identifiers, loan words, names) stays as written.
It orders no words and knows no grammar: the result is for matching terms, never for showing as a translation.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from satori.chunks.words import STOP_WORDS, parts_of

DATA = Path(__file__).with_name("data") / "lexicon.txt"
# Grammar by which a question shows its language, without accents; what English has too says nothing.
_GRAMMAR_WORDS = {
    language: frozenset(words.split()) - STOP_WORDS
    for language, words in {
        "de": """aus auf bei beim das dem den der des die durch ein eine einem einen einer eines fur im ins ist mit
            nach nicht oder ohne sind uber und vom von warum welche welcher welches werden wie wird wo wurde zu zum
            zur""",
        "es": """al como con cual cuando de del donde el en es la las lo los o para por que se sin son su sus un una
            unas unos y""",
        "fr": """au aux avec ce cette comment d dans de des du en est et l la le les lors ou par pour qu quel quelle
            que qui sans sont sur un une""",
        "pt": """ao aos as com como da das de do dos e em na nas no nos o onde os ou para pela pelo por qual que sao
            sem um uma umas uns""",
    }.items()
}
_ANY_GRAMMAR = frozenset().union(*_GRAMMAR_WORDS.values())
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
# Runs that are read apart: katakana, ideographs, and letters; hiragana is grammar.
_RUN = re.compile("[\u30a0-\u30ff]+|[\u3400-\u9fff\u3005]+|[^\\W\\d_\u3040-\u30ff\u3400-\u9fff]+")
# Characters of Chinese grammar: no word of software runs across them.
_GRAMMAR = re.compile("[的了是和与及或将被把从]|如何|怎样|怎么")
# A word, or letters joined by what only code joins them with; those stay whole.
_WRITTEN = re.compile(r"`[^`\n]*`|[\w$]+(?:(?:\.|::|->|/|#)[\w$]+)+|\w+")
_CODE = re.compile(r"[`._$#/:>0-9]|[a-z][A-Z]|^[A-Z]{2,}$")
LONGEST_PIECE = 6
# A word that the lexicon lacks is taken for an inflection of one that it has when they share this much.
_SHORTEST_SHARED = 5
_SHARED = 0.75
_SHARED_WITH_ENGLISH = 0.6
_LONGER = 3
_SHORTEST_PART = 4
_EVIDENCE = 2
_EVIDENCE_SHARE = 0.34


@dataclass(frozen=True, slots=True)
class Words:
    """One language: English words by word (none: the word is grammar), the words that no English text has, and all its
    words and their English ones in order, for looking up inflections and cognates."""

    english: dict[str, tuple[str, ...]]
    distinctive: Collection[str]
    ordered: Sequence[str]
    meanings: Sequence[str]

    def evidence(self, word: str) -> int:
        """How much a word speaks for this language: 2 when it is one of its words and none that English text has, 1
        when it grows out of one."""
        if word in self.distinctive:
            return 2
        return int(word not in self.english and self._grown(word) is not None)

    def look_up(self, word: str) -> tuple[str, ...] | None:
        """What a folded word means; None when nothing is known of it."""
        known = self.english.get(word)
        if known is None:
            known = self._grown(word)
        return known if known is not None else self._cognate(word)

    def _grown(self, word: str) -> tuple[str, ...] | None:
        """What a compound or an inflection of known words means."""
        compound = self._compound(word)
        if compound is not None:
            return compound
        near = _nearest(self.ordered, word, _SHARED)
        return self.english[near] if near else None

    def _cognate(self, word: str) -> tuple[str, ...] | None:
        near = _nearest(self.meanings, word, _SHARED_WITH_ENGLISH)
        return (near,) if near else None

    def _compound(self, word: str) -> tuple[str, ...] | None:
        """Known words written as one, as German does (an `s` may join them): the longest last one that leaves some."""
        for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            last = self.english.get(word[cut:])
            if last is None:
                continue
            for first in (word[:cut], word[:cut].removesuffix("s")):
                head = self.english.get(first)
                head = self._compound(first) if head is None else head
                if head is not None:
                    return (*head, *last)
        return None


@dataclass(frozen=True, slots=True)
class Translation:
    """A question's language and its words in English."""

    language: str
    text: str


@cache
def _blocks() -> dict[str, str]:
    """The lines of each language."""
    blocks = (block.partition("\n") for block in DATA.read_text("utf-8").split("\n# ")[1:])
    return {language: lines for language, _, lines in blocks}


@cache
def load(language: str) -> Words:
    """The lexicon of one language. A line is `word TAB English words`; `~word` is one that English text has too."""
    english: dict[str, tuple[str, ...]] = {}
    distinctive = set()
    for line in _blocks()[language].splitlines():
        word, _, meaning = line.partition("\t")
        english[word.lstrip("~")] = tuple(meaning.split())
        if word[0] != "~":
            distinctive.add(word)
    return Words(english, distinctive, sorted(english), _meanings())


@cache
def _meanings() -> Sequence[str]:
    """The English words of all languages, in order."""
    lines = (line for block in _blocks().values() for line in block.splitlines())
    return sorted({meaning for line in lines for meaning in line.partition("\t")[2].split()})


def translate(text: str) -> Translation | None:
    """The question in English words, or None for a question that is (or may as well be) English."""
    unspaced = bool(_UNSPACED.search(text))
    written = [word for word in _WRITTEN.findall(text) if not _CODE.search(word)]
    folded = [part for word in written for part in parts_of(word)] if not unspaced else []
    if not unspaced and not any(word in _ANY_GRAMMAR for word in folded) and text.isascii():
        return None
    language = _language(text, folded, unspaced)
    if language is None:
        return None
    words = load(language)
    english = [meaning for word in _WRITTEN.findall(text) for meaning in _meaning(words, word, language)]
    return Translation(language, " ".join(dict.fromkeys(english)))


def _language(text: str, folded: Sequence[str], unspaced: bool) -> str | None:
    if unspaced:
        return "ja" if re.search("[\u3040-\u30ff]", text) else "zh"
    best, most = None, 0
    for language, grammar in _GRAMMAR_WORDS.items():
        words = load(language)
        evidence = [2 if word in grammar else words.evidence(word) for word in folded]
        enough = sum(map(bool, evidence)) >= max(_EVIDENCE, _EVIDENCE_SHARE * len(folded))
        if enough and sum(evidence) > most:
            best, most = language, sum(evidence)
    return best


def _meaning(words: Words, word: str, language: str) -> Iterator[str]:
    if _CODE.search(word):
        yield word
        return
    for piece in segments(word, words.english) if _UNSPACED.search(word) else (word,):
        folded = "".join(parts_of(piece)) if not _UNSPACED.search(piece) else piece
        if len(folded) < 2 or folded in _GRAMMAR_WORDS.get(language, ()):
            continue
        known = words.look_up(folded)
        if known is None:
            yield piece
        else:
            yield from (meaning for meaning in known if meaning not in STOP_WORDS)


def segments(text: str, known: Collection[str]) -> Iterator[str]:
    """The words of a text in an unspaced script: runs of one script, cut at grammar and then greedily into the longest
    `known` words; letters that stand between them, and katakana that holds no known word, are words as they are."""
    for run in _RUN.findall(text):
        if not _UNSPACED.match(run) or run in known:
            yield run
            continue
        ideographs = is_ideograph(run[0])
        for stretch in filter(None, _GRAMMAR.split(run)):
            at = 0
            while at < len(stretch):
                rest = len(stretch) - at
                sizes = range(min(LONGEST_PIECE, rest) if ideographs else rest, 1, -1)
                unknown = 1 if ideographs else rest
                size = next((n for n in sizes if stretch[at : at + n] in known), unknown)
                yield stretch[at : at + size]
                at += size


def stretches(text: str) -> Iterator[str]:
    """The stretches of one unspaced script that `segments` cuts."""
    for run in _RUN.findall(text):
        if _UNSPACED.match(run):
            yield from filter(None, _GRAMMAR.split(run))


def is_ideograph(character: str) -> bool:
    """Whether a character is one of the Chinese and Japanese ideographs."""
    return "\u3400" <= character <= "\u9fff"


def _nearest(ordered: Sequence[str], word: str, share: float) -> str | None:
    """The word of a sorted list that begins most like `word`, when that is at least `share` of it and it is not much
    longer; None otherwise, and for words of unspaced scripts."""
    if len(word) <= _SHORTEST_SHARED or _UNSPACED.search(word):
        return None
    at = bisect_left(ordered, word)
    best, longest = None, max(_SHORTEST_SHARED, round(share * len(word))) - 1
    for near in ordered[max(0, at - 1) : at + 1]:
        common = next(
            (i for i, (a, b) in enumerate(zip(near, word, strict=False)) if a != b), min(len(near), len(word))
        )
        if common > longest and len(near) <= len(word) + _LONGER:
            best, longest = near, common
    return best
