"""A type that a syntax error swallowed is found by its header and braces, or not at all."""

from __future__ import annotations

import pytest

from satori.facts.extract import extract_facts
from satori.languages.draft import Scan
from satori.languages.recovery import brace_pairs, opening_brace
from satori.model.definition import DefinitionFlag


def test_braces_in_strings_and_comments_do_not_count() -> None:
    """Only braces that a compiler sees are paired."""
    data = b"{ \"}\" '}' // }\n /* } */ { } }"
    assert brace_pairs(Scan(data)) == {0: len(data), 24: 27}


@pytest.mark.parametrize(
    ("header", "offset"),
    [
        (b"(a: Int, f: () -> Unit = {}) : B() { }", 35),
        (b" extends B {}", 11),
        (b";\nclass B {}", -1),
        (b"}", -1),
    ],
)
def test_a_header_ends_at_the_brace_of_its_body(header: bytes, offset: int) -> None:
    """Braces in parentheses are not the body's; a statement's end means that there is none."""
    assert opening_brace(header, 0) == offset


@pytest.mark.parametrize(
    ("language", "data", "name", "text"),
    [
        ("kotlin", b"val x = if ) 1\n\nclass After {\n  fun f() {}\n}\n", "After", b"class After {\n  fun f() {}\n}"),
        (
            "c",
            b"#if A\nint f(void) {\n#else\nint g(void) {\n#endif\n  if (\n}\n\nint after(int x) {\n  return x;\n}\n",
            "after",
            b"int after(int x) {\n  return x;\n}",
        ),
    ],
    ids=["kotlin", "c"],
)
def test_what_stands_behind_an_error_is_still_found(language: str, data: bytes, name: str, text: bytes) -> None:
    """The span is exact, whoever found it."""
    (found,) = [one for one in extract_facts(language, data).definitions if one.name == name]
    assert data[found.span.start : found.span.end] == text


def test_a_header_in_a_comment_is_none() -> None:
    """Text about a class is not a class."""
    data = b"val x = if ) 1\n/*\nclass Told {\n}\n*/\nclass Real {\n}\n"
    assert {one.name for one in extract_facts("kotlin", data).definitions} >= {"Real"}
    assert "Told" not in {one.name for one in extract_facts("kotlin", data).definitions}


def test_what_is_found_this_way_is_marked() -> None:
    """An answer can say that the file does not parse there."""
    facts = extract_facts("kotlin", b"val x = if ) 1\nclass Real {\n}\n")
    assert all(one.flags & DefinitionFlag.IN_ERROR for one in facts.definitions if one.name == "Real")
    assert facts.error_ranges
