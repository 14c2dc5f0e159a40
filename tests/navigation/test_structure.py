from __future__ import annotations

import pytest

from satori.facts.extract import extract_facts
from satori.navigation.structure import Structure, measure
from satori.symbols.identify import identify

PYTHON = """\
def flat(a, b):
    return a + b


def nested(items, *, limit=3):
    for item in items:
        if item:
            while item > limit:
                item -= 1
        elif limit:
            pass
    return [x for x in items if x]
"""

GO = """\
package p

func Pick(kind string, n int) int {
\tswitch kind {
\tcase "a":
\t\treturn 1
\tcase "b":
\t\tif n > 1 {
\t\t\treturn 2
\t\t}
\t}
\treturn 0
}
"""


def structure(language: str, source: str, name: str) -> Structure:
    data = source.encode()
    symbols = identify("f", extract_facts(language, data), data)
    measured = measure(language, data, symbols[1:])
    return measured[next(symbol.key for symbol in symbols if symbol.name == name)]


@pytest.mark.parametrize(
    ("language", "source", "name", "expected"),
    [
        ("python", PYTHON, "flat", Structure(2, 0, 0, 2)),
        ("python", PYTHON, "nested", Structure(8, 3, 6, 3)),
        ("go", GO, "Pick", Structure(11, 2, 3, 2)),
    ],
)
def test_structure_is_counted_on_the_tree(language: str, source: str, name: str, expected: Structure) -> None:
    """Lines, nesting, decision points and parameters of real functions, counted by hand."""
    assert structure(language, source, name) == expected


def test_a_language_without_a_grammar_has_no_structure() -> None:
    """Nothing is invented where nothing can be measured."""
    assert measure("text", b"hello", []) == {}
