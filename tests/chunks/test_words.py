"""Identifiers and prose become the same terms."""

from __future__ import annotations

import pytest

from satori.chunks.stem import stem
from satori.chunks.words import parts_of, term_hash, terms_of, words_in


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("getUserName", ("get", "user", "name")),
        ("get_user_name", ("get", "user", "name")),
        ("get-user-name", ("get", "user", "name")),
        ("HTTPServer2", ("http", "server", "2")),
        ("__init__", ("init",)),
        ("Größe", ("grosse",)),
        ("検索エンジン", ("検索", "索エ", "エン", "ンジ", "ジン")),
    ],
)
def test_a_word_splits_into_its_parts(word: str, parts: tuple[str, ...]) -> None:
    """camelCase, snake_case, kebab-case, digits, accents and unspaced scripts are split, lower-cased."""
    assert parts_of(word) == parts


def test_one_whole_for_every_style() -> None:
    """The whole identifier is found whatever style the question is written in."""
    wholes = {terms_of(word)[-1] for word in ("getUserName", "get_user_name", "get-user-name", "GetUserName")}
    assert wholes == {"=getusername"}


@pytest.mark.parametrize(
    "family",
    [
        "serialize serializer serialization serialized serializing serializers",
        "parse parser parsing parsed parsers",
        "route router routing routes",
        "configuration config configure configured cfg",
        "validate validation validator validating",
        "retry retries retried",
        "dependency dependencies deps",
        "authenticate authentication authenticator",
    ],
)
def test_a_family_of_words_has_one_stem(family: str) -> None:
    """Inflected and derived forms of a word meet, and so do its usual abbreviations."""
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("pair", [("string", "strip"), ("process", "processor2"), ("class", "clas2"), ("user", "use")])
def test_other_words_stay_apart(pair: tuple[str, str]) -> None:
    """Stemming does not merge words that only begin alike."""
    assert stem(pair[0]) != stem(pair[1])


def test_hashes_are_the_same_in_every_process() -> None:
    """Term hashes are stored, so they may not depend on the process's hash seed."""
    assert term_hash("stem") == 0x33E29A4A99FDABD7


def test_noise_is_not_indexed() -> None:
    """A base64 line yields no terms of its own."""
    assert terms_of("A" * 500) == ()
    assert words_in("a.b-c") == ["a", "b-c"]
