"""A symbol's identity survives edits elsewhere in its file, and its id changes exactly with its own text."""

from __future__ import annotations

import re

import pytest

from satori.facts.extract import extract_facts
from satori.model.definition import SymbolKind
from satori.model.symbol import Symbol
from satori.symbols.identify import identify
from tests.languages.fuzz import FIXTURES

SOURCE = b"""def first():
    return 1


class Box:
    def put(self):
        return 2

    def take(self):
        return 3


def second():
    return 4
"""


def symbols_of(data: bytes, path: str = "pkg/a.py", language: str = "python") -> list[Symbol]:
    """The symbols of `data`."""
    return identify(path, extract_facts(language, data), data)


def by_name(data: bytes) -> dict[str, Symbol]:
    """Symbols by qualified name."""
    return {symbol.qualified_name: symbol for symbol in symbols_of(data)}


def test_the_first_symbol_is_the_file() -> None:
    """Index 0 spans the whole file and owns what nothing else does."""
    symbols = symbols_of(SOURCE)
    file = symbols[0]
    assert (file.kind, file.name, file.qualified_name, file.parent, file.index) == (SymbolKind.FILE, "a.py", "", -1, 0)
    assert (file.span.start, file.span.end, file.span.start_line, file.span.end_line) == (0, len(SOURCE), 1, 14)
    assert [symbol.parent for symbol in symbols] == [-1, 0, 0, 2, 2, 0]
    assert [symbol.index for symbol in symbols] == list(range(len(symbols)))


def test_breadcrumbs_are_the_owners_without_the_file() -> None:
    """Outermost first."""
    assert by_name(SOURCE)["Box.take"].breadcrumbs == ("Box",)
    assert by_name(SOURCE)["first"].breadcrumbs == ()


@pytest.mark.parametrize(
    ("edit", "changed"),
    [
        ((b"return 1", b"return 10"), {"", "first"}),
        ((b"return 3", b"return 30"), {"", "Box", "Box.take"}),
        ((b"def first", b"# new\n\ndef added():\n    pass\n\n\ndef first"), {""}),
        ((b"class Box:", b"class Box:\n    size = 1\n"), {"", "Box"}),
    ],
    ids=["a body", "a member's body", "code above", "a new member"],
)
def test_an_edit_changes_ids_of_what_it_touches_only(edit: tuple[bytes, bytes], changed: set[str]) -> None:
    """Keys stay everywhere; text hashes change for the edited symbol and its owners."""
    before, after = by_name(SOURCE), by_name(SOURCE.replace(*edit))
    assert all(after[name].key == symbol.key for name, symbol in before.items())
    assert {name for name, symbol in before.items() if after[name].symbol_id != symbol.symbol_id} == changed


def test_equal_names_are_told_apart_by_ordinal() -> None:
    """Overloads, redefinitions and conditional definitions are distinct symbols."""
    data = b"if x:\n    def f(): 1\nelse:\n    def f(): 2\ndef f(): 3\n"
    keys = [symbol.key for symbol in symbols_of(data)]
    assert len(set(keys)) == 4
    longer = [symbol.key for symbol in symbols_of(data + b"def f(): 4\n")]
    assert longer[:4] == keys


def test_path_language_and_kind_are_part_of_the_identity() -> None:
    """The same text elsewhere is another symbol with the same text hash."""
    here, there = symbols_of(SOURCE)[1], symbols_of(SOURCE, "pkg/b.py")[1]
    assert here.key != there.key
    assert here.text_hash == there.text_hash


def test_keys_and_hashes_have_their_shape() -> None:
    """s and 15 base32 characters; 8 for the text."""
    for symbol in symbols_of(SOURCE):
        assert re.fullmatch(r"s[a-z2-7]{15}", symbol.key)
        assert re.fullmatch(r"[a-z2-7]{8}", symbol.text_hash)


def test_no_fixture_has_two_symbols_with_one_key() -> None:
    """Keys are unique in a file, in every language."""
    for path in sorted(FIXTURES.glob("*/*")):
        data = path.read_bytes()
        symbols = symbols_of(data, path.name, path.parent.name)
        assert len({symbol.key for symbol in symbols}) == len(symbols), path
