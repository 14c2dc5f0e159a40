"""The languages read in depth: every fixture says its definitions, and their spans survive any writing of the bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satori.facts.extract import extract_facts
from satori.languages.registry import language_for
from satori.model.definition import DefinitionFlag, FileFacts
from tests.languages.expectations import expected, outline
from tests.languages.fuzz import FIXTURES, broken_rule, case, seeds_of

DEEP = "c cpp csharp go java javascript kotlin php python rust scala tsx typescript".split()
FILES = [path for name in DEEP for path in sorted((FIXTURES / name).iterdir())]
# Line-comment languages all: a comment line of astral characters and tabs may stand before any line's definition.
ASTRAL = "\t{mark} \N{GRINNING FACE}é\N{RIGHT-TO-LEFT OVERRIDE}\t漢\n"
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")


def facts_of(path: Path, data: bytes) -> FileFacts:
    """Facts of `data` in the language whose folder holds `path`; the extractor may not have given up."""
    facts = extract_facts(path.parent.name, data)
    assert not facts.problem, facts.problem
    return facts


def test_every_language_has_a_fixture_and_a_declared_capability() -> None:
    """A language read in depth has a fixture, and says that it is."""
    assert {path.parent.name for path in FILES} == set(DEEP)
    for name in DEEP:
        language = language_for(name)
        assert language is not None
        assert (language.name, language.capability.symbols) == (name, "deep")


@each_file
def test_the_outline_is_what_the_fixture_says(path: Path) -> None:
    """Kinds, qualified names, lines and flags of all definitions, in order, none missing and none too many."""
    data = path.read_bytes()
    facts = facts_of(path, data)
    assert expected(data), "the fixture says nothing"
    assert outline(facts) == expected(data)
    assert broken_rule(data, facts) == ""


@each_file
def test_line_ends_and_a_byte_order_mark_move_bytes_only(path: Path) -> None:
    """Under CRLF and a BOM every span slices the same definition, with the same name, signature and documentation."""
    plain = path.read_bytes()
    before = facts_of(path, plain)
    for data in (plain.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")):
        after = facts_of(path, data)
        assert outline(after) == outline(before)
        assert after.module_doc == before.module_doc
        assert broken_rule(data, after) == ""
        for old, new in zip(before.definitions, after.definitions, strict=True):
            now = data[new.span.start : new.span.end].replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf")
            assert now == plain[old.span.start : old.span.end]
            assert (new.signature, new.documentation) == (old.signature, old.documentation)


@each_file
def test_astral_characters_and_tabs_before_everything_move_bytes_only(path: Path) -> None:
    """A comment of four-byte characters at the top shifts every span by its bytes and every line by one."""
    plain = path.read_bytes()
    mark = "#" if path.parent.name == "python" else "//"
    opening = b"<?php\n" if plain.startswith(b"<?php") else b"#!/usr/bin/env python\n" if plain[:2] == b"#!" else b""
    added = ASTRAL.format(mark=mark).lstrip("\t").encode() + b"\n"
    data = opening + added + plain[len(opening) :]
    before, after = facts_of(path, plain), facts_of(path, data)
    assert len(after.definitions) == len(before.definitions)
    for old, new in zip(before.definitions, after.definitions, strict=True):
        assert (new.span.start - old.span.start, new.span.end - old.span.end) == (len(added), len(added))
        assert new.span.start_line == old.span.start_line + 2
        assert data[new.name_start : new.name_end] == plain[old.name_start : old.name_end]


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(FILES),
    st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from(("é", "\N{GRINNING FACE}", "\t", "\r\n", "{", "}", '"', "(", "\n"))),
        min_size=1,
        max_size=6,
    ),
)
def test_spans_are_sound_whatever_is_inserted(path: Path, inserted: list[tuple[float, str]]) -> None:
    """Forest, spans, names and lines hold when characters that mean something, or nothing, land anywhere."""
    data = path.read_bytes()
    for where, text in inserted:
        at = int(where * len(data))
        while at < len(data) and data[at] & 0xC0 == 0x80:
            at += 1
        data = data[:at] + text.encode() + data[at:]
    assert broken_rule(data, facts_of(path, data)) == ""


@pytest.mark.parametrize("name", DEEP)
def test_mutated_files_give_sound_facts(name: str) -> None:
    """A sample of the long fuzz run: no mutation of a fixture makes an extractor fail or break a rule."""
    seeds = seeds_of(name, [FIXTURES / name])
    for index in range(60):
        data = case(name, index, seeds)
        facts = extract_facts(name, data)
        assert not facts.problem.startswith("the extractor failed"), (index, facts.problem)
        assert broken_rule(data, facts) == "", index


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize(
    "piece", [b"(", b"{", b"[", b"if (x) {\n", b"class A {\n", b"<div>", b'"', b"/*", b"namespace a {\n"]
)
def test_five_thousand_deep_ends(name: str, piece: bytes) -> None:
    """Nesting without end is read in bounded depth and time."""
    data = piece * 5_000 + b"\n"
    assert broken_rule(data, extract_facts(name, data)) == ""


def test_deep_nesting_of_real_definitions_has_sound_owners() -> None:
    """Five hundred classes inside each other are five hundred definitions, each in the one before."""
    data = b"".join(b"  " * depth + b"class C%d:\n" % depth for depth in range(500)) + b"  " * 500 + b"pass\n"
    facts = extract_facts("python", data)
    assert [definition.parent for definition in facts.definitions] == list(range(-1, 499))


def test_definitions_inside_a_syntax_error_are_kept_only_when_sound() -> None:
    """A type that an error swallowed is found by its braces and marked; one whose braces do not balance is not."""
    whole = b"class Before {\n  val x = if ) 1\n\n  fun kept() {}\n}\n\nclass After {\n  fun last() {}\n}\n"
    names = {one.qualified_name: one for one in extract_facts("kotlin", whole).definitions}
    for name, text in (("Before", whole[:50]), ("After", whole[52:-1])):
        assert whole[names[name].span.start : names[name].span.end] == text
        assert names[name].flags & DefinitionFlag.IN_ERROR
    unbalanced = extract_facts("kotlin", b"class Before {\n  val x = if ) 1\n}\nclass Open {\n  fun a() {\n}\n")
    assert "Open" not in {one.name for one in unbalanced.definitions}
