"""Operators stand at the start of a query and mean exactly what they say."""

from __future__ import annotations

import pytest

from satori.errors import UsageError
from satori.search.operators import parse_operators


def test_all_operators_in_any_order() -> None:
    """Each key is parsed wherever it stands among the operators; text begins at the first other token."""
    parsed = parse_operators('must:"two words" -path:tests/** lang:py path:src/** exclude:TODO lang:go where is it')
    assert parsed.must == ("two words",)
    assert parsed.not_paths == ("tests/**",)
    assert parsed.languages == ("python", "go")
    assert parsed.paths == ("src/**",)
    assert parsed.exclude == ("TODO",)
    assert parsed.text == "where is it"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("http://example.org is fetched", "http://example.org is fetched"),
        ("note:this stays", "note:this stays"),
        ("where is lang:py used", "where is lang:py used"),
        (r"\lang:py as text", "lang:py as text"),
        ("lang: py", "lang: py"),
        ("std::vector", "std::vector"),
    ],
)
def test_what_is_no_operator_stays_text(query: str, text: str) -> None:
    """Unknown keys, operators after text, escaped tokens and keys without a value are words of the question."""
    assert parse_operators(query).text == text


def test_quotes_hold_escapes() -> None:
    """A quoted value may hold spaces, quotes and backslashes."""
    assert parse_operators(r'must:"say \"hi\" \\ bye"').must == (r'say "hi" \ bye',)


@pytest.mark.parametrize("query", ["exclude:x", "-path:tests/**", "-path:a exclude:b"])
def test_a_query_that_only_excludes_is_refused(query: str) -> None:
    """Everything but something is no question."""
    with pytest.raises(UsageError, match="only says what to leave out"):
        parse_operators(query)


@pytest.mark.parametrize("query", ["lang:py", "path:src/**", "must:x", "must:x exclude:y"])
def test_operators_alone_are_a_query(query: str) -> None:
    """Positive operators need no text beside them."""
    assert parse_operators(query).text == ""
