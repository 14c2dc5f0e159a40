"""The tokenizer: one spelling-independent split, total on any text, bounded."""

from __future__ import annotations

import string
import time

from hypothesis import given
from hypothesis import strategies as st

from satori.embedding.tokens import MAX_CHARACTERS, Tokenizer, split_run

WORDS = [
    "parse",
    "http2",
    "http",
    "header",
    "cache",
    "naive",
    "valid",
    "ator",
    "keep",
    "uber",
    "缓存",
    "失效",
    "缓",
]


def words(text: str) -> list[str]:
    return [WORDS[i] for i in Tokenizer(WORDS).ids(text)]


def test_spellings_of_one_identifier_agree() -> None:
    """camelCase, PascalCase, snake_case, kebab-case and prose give the same tokens."""
    spellings = [
        "parseHttp2Header",
        "ParseHTTP2Header",
        "parse_http2_header",
        "PARSE-HTTP2-HEADER",
        "parse http2 header",
    ]
    assert {tuple(words(s)) for s in spellings} == {("parse", "http2", "header")}


def test_acronyms_end_before_the_next_word() -> None:
    """A run of capitals keeps its last one for the word that follows."""
    assert split_run("HTTPServerURL") == ["http", "server", "url"]
    assert split_run("getX509Cert") == ["get", "x", "509", "cert"]


def test_unknown_words_fall_back_to_pieces_and_drop_the_rest() -> None:
    """Greedy longest pieces from the left; characters that no piece covers are skipped."""
    assert words("validator") == ["valid", "ator"]
    assert words("zzcachezz") == ["cache"]
    assert words("12345 0xFF") == []


def test_diacritics_fold_and_cjk_is_cut_by_longest_piece() -> None:
    """Latin accents do not separate spellings; unspaced scripts are cut greedily."""
    assert words("naïve Über") == ["naive", "uber"]
    assert words("缓存失效策略") == ["缓存", "失效"]
    assert words("\uff43\uff41\uff43\uff48\uff45") == ["cache"]


@given(st.text())
def test_any_text_gives_known_ids(text: str) -> None:
    """No text fails, and every id is in the vocabulary."""
    assert all(0 <= i < len(WORDS) for i in Tokenizer(WORDS).ids(text))


@given(st.lists(st.text(alphabet=string.ascii_letters + "_ \n", max_size=30), max_size=8))
def test_memo_does_not_change_ids(texts: list[str]) -> None:
    """What was read before never changes what is read now."""
    used = Tokenizer(WORDS)
    assert [used.ids(t) for t in texts] == [Tokenizer(WORDS).ids(t) for t in texts]


def test_odd_and_huge_text_is_bounded() -> None:
    """NULs and astral characters pass; a megabyte on one line costs no more than the characters that are read."""
    assert words("parse\0header 🚀\U00020000 cache") == ["parse", "header", "cache"]
    tokenizer = Tokenizer(WORDS)
    started = time.perf_counter()
    assert tokenizer.ids("q" * 1_000_000) == []
    assert len(tokenizer.ids("parse " * 200_000)) <= MAX_CHARACTERS // 6 + 1
    assert tokenizer.ids("缓" * 1_000_000) != []
    assert time.perf_counter() - started < 5.0
