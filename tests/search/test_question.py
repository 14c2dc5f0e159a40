"""A question is read into terms, names and what it is about."""

from __future__ import annotations

import pytest

from satori.chunks.words import term_hash
from satori.search.question import read_question


def test_stop_words_and_the_codebase_s_own_name_say_nothing() -> None:
    """Only topical words become terms."""
    assert read_question("how does satori parse the arguments", {"satori"}).words == ("parse", "arguments")


def test_a_question_of_stop_words_keeps_them() -> None:
    """When nothing else is left, stop words are better than no terms at all."""
    assert read_question("how to").words


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("iter_source_files", ("iter_source_files",)),
        ("where is parseArgs called", ("parseArgs",)),
        ("what does `open` do", ("open",)),
        ("Command.invoke", ("Command.invoke",)),
        ("fmt::format with args", ("fmt::format",)),
        ("the HTTPServer class", ("HTTPServer",)),
        ("utf8 decoding", ("utf8",)),
        ("HTTP request parsing", ()),
        ("Where are retries scheduled", ()),
    ],
)
def test_identifier_shaped_words(text: str, identifiers: tuple[str, ...]) -> None:
    """Inner capitals, underscores, scope operators, digits and backticks mark a name; plain words do not."""
    assert read_question(text).identifiers == identifiers


def test_neighbours_may_be_one_identifier() -> None:
    """Adjacent words are looked up joined, as code often writes them."""
    assert term_hash("=retrypolicy") in read_question("the retry policy").pairs


def test_a_long_question_is_bounded() -> None:
    """Five thousand letters or words cost no more than a few."""
    question = read_question("word " * 5000 + "x" * 5000)
    assert len(question.terms) <= 48
