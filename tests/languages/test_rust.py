"""Rust's macros that take expressions: read as calls, with every byte where it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from satori.facts.extract import extract_facts
from satori.languages.draft import Scan
from satori.languages.rust import Rust

SOURCE = b"""/// First.
fn first() {
    assert_eq!(second(1), 2, "{}", third());
    let a = vec![second(3)];
    let b = std::vec![second(4)];
    own!(second(5));
    if !(third()) {}
}

fn last() -> String { format!("{}", third()) }
"""


def test_what_stands_in_macros_of_expressions_is_called() -> None:
    """Arguments of std's macros are read; those of other macros, and the macros themselves, are no calls."""
    references = extract_facts("rust", SOURCE).references
    assert references is not None
    found = [(site.name, SOURCE[site.start : site.end].decode(), site.line) for site in references.sites]
    assert found == [
        ("second", "second", 3),
        ("third", "third", 3),
        ("second", "second", 4),
        ("third", "third", 7),
        ("third", "third", 10),
    ]


def test_definitions_keep_their_bytes() -> None:
    """Spans and signatures are those of the file, not of what the parser was given."""
    facts = extract_facts("rust", SOURCE)
    assert facts.error_ranges == 0
    assert [item.name for item in facts.definitions] == ["first", "last"]
    last = facts.definitions[1]
    assert SOURCE[last.span.start : last.span.end] == b'fn last() -> String { format!("{}", third()) }'


@given(st.lists(st.sampled_from([b"vec![", b"assert!(", b"x", b"!", b"::", b"]", b")", b"(", b" ", b"println!", b"["])))
def test_nothing_moves(pieces: list[bytes]) -> None:
    """Whatever is blanked out, what the parser is given has the file's length and line breaks."""
    data = b"".join(pieces) + b"\n"
    given_to_parser = Rust().source(Scan(data))
    assert len(given_to_parser) == len(data)
    changed = [at for at in range(len(data)) if data[at] != given_to_parser[at]]
    assert all(given_to_parser[at] == 32 and data[at] in b"vec!" for at in changed)
