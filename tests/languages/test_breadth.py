"""Every fixture's outline is what its comments say, and stays so when its bytes change in ways that mean nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satori.facts.extract import extract_facts
from satori.languages.registry import language_for
from satori.model.definition import FileFacts
from tests.languages.expectations import expected, outline
from tests.languages.fuzz import FIXTURES, broken_rule

BREADTH = (
    "astro bash cmake css dart dockerfile elixir erlang graphql haskell hcl html json julia lua make markdown notebook"
    " objc ocaml perl proto r rst ruby scss sql svelte swift toml vue yaml zig"
).split()
FILES = [path for name in BREADTH for path in sorted((FIXTURES / name).iterdir())]
# Bytes that mean nothing to any language here: two- and four-byte characters, and one that reverses text.
INSERTED = ("é", "\N{GRINNING FACE}", "\N{RIGHT-TO-LEFT OVERRIDE}", "\t", "\r\n")


def facts_of(path: Path, data: bytes) -> FileFacts:
    """Facts of `data` read as the language whose folder `path` is in; the extractor may not have given up."""
    facts = extract_facts(path.parent.name, data)
    assert not facts.problem, facts.problem
    return facts


def test_every_language_has_a_fixture_and_a_declared_capability() -> None:
    """A language without a fixture is not tested; a language says what it reads."""
    assert {path.parent.name for path in FILES} == set(BREADTH)
    for name in BREADTH:
        language = language_for(name)
        assert language is not None
        assert language.name == name
        assert language.capability.symbols == "outline"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_outline_is_what_the_fixture_says(path: Path) -> None:
    """Kinds, qualified names, lines and flags of all definitions, in order, none missing and none too many."""
    data = path.read_bytes()
    facts = facts_of(path, data)
    assert expected(data), "the fixture says nothing"
    assert outline(facts) == expected(data)
    assert not facts.error_ranges
    assert broken_rule(data, facts) == ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_line_ends_and_a_byte_order_mark_change_nothing(path: Path) -> None:
    """CRLF and a BOM move bytes; kinds, names and lines stay, and every span still slices its own definition."""
    plain = path.read_bytes()
    before = facts_of(path, plain)
    for data in (
        plain.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + plain,
        b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n"),
    ):
        after = facts_of(path, data)
        assert outline(after) == outline(before)
        assert broken_rule(data, after) == ""
        for old, new in zip(before.definitions, after.definitions, strict=True):
            was = plain[old.span.start : old.span.end]
            now = data[new.span.start : new.span.end].replace(b"\r\n", b"\n")
            assert now.removeprefix(b"\xef\xbb\xbf") == was
            assert plain[old.name_start : old.name_end] == data[new.name_start : new.name_end]
            assert new.signature == old.signature
            assert new.documentation == old.documentation


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FILES), st.lists(st.tuples(st.floats(0, 1), st.sampled_from(INSERTED)), min_size=1, max_size=6))
def test_spans_are_exact_whatever_is_inserted(path: Path, inserted: list[tuple[float, str]]) -> None:
    """Forest, spans, names and lines hold when astral characters, tabs and line ends land anywhere."""
    data = path.read_bytes()
    for where, text in inserted:
        at = int(where * len(data))
        while at < len(data) and data[at] & 0xC0 == 0x80:
            at += 1
        data = data[:at] + text.encode() + data[at:]
    assert broken_rule(data, facts_of(path, data)) == ""


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(BREADTH), st.binary(max_size=400))
def test_any_bytes_give_facts(name: str, data: bytes) -> None:
    """No bytes make an extractor raise, and what it says keeps the rules."""
    facts = extract_facts(name, data)
    assert not facts.problem.startswith("the extractor failed")
    assert broken_rule(data, facts) == ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_file_cut_anywhere_keeps_the_rules(path: Path) -> None:
    """A half-written file is read up to where it stops."""
    data = path.read_bytes()
    for cut in range(0, len(data), max(1, len(data) // 40)):
        assert broken_rule(data[:cut], facts_of(path, data[:cut])) == ""
