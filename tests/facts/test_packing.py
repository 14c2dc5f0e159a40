"""Facts cross processes and caches as bytes: what comes out is what went in, and damage is noticed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satori.facts.extract import extract_facts
from satori.facts.packing import pack, unpack
from satori.model.definition import Definition, DefinitionFlag, FileFacts, SymbolKind
from satori.model.span import Span
from tests.languages.fuzz import FIXTURES

FILES = [path for path in sorted(FIXTURES.glob("*/*")) if path.is_file()]
_number = st.integers(0, 2**31 - 1)
_text = st.text(max_size=30)
_definition = st.builds(
    Definition,
    st.sampled_from(SymbolKind),
    _text,
    _text,
    st.integers(-1, 1_000),
    st.builds(Span, _number, _number, _number, _number),
    _number,
    _number,
    _number,
    _text,
    _text,
    st.integers(0, 63).map(DefinitionFlag),
    _text,
)
_facts = st.builds(
    FileFacts,
    _text,
    st.lists(_definition, max_size=6).map(tuple),
    st.lists(st.tuples(_number, _number), max_size=6).map(tuple),
    _text,
    st.booleans(),
    _text,
    _number,
    st.booleans(),
)


@given(_facts)
def test_unpacking_is_the_inverse_of_packing(facts: FileFacts) -> None:
    """Every field of every shape survives."""
    assert unpack(pack(facts)) == facts


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_facts_of_real_files_survive(path: object) -> None:
    """So do the facts of every fixture, and equal facts pack to equal bytes."""
    file = FIXTURES / str(path)
    data = file.read_bytes()
    facts = extract_facts(file.parent.name, data)
    assert unpack(pack(facts)) == facts
    assert pack(extract_facts(file.parent.name, data)) == pack(facts)


@settings(max_examples=200)
@given(_facts, st.data())
def test_cut_or_lengthened_bytes_are_refused(facts: FileFacts, data: st.DataObject) -> None:
    """Whatever was lost at the end, or added, is a ValueError and never other facts."""
    packed = pack(facts)
    cut = data.draw(st.integers(0, len(packed) - 1))
    with pytest.raises(ValueError, match="damaged"):
        unpack(packed[:cut])
    with pytest.raises(ValueError, match="damaged"):
        unpack(packed + b"\0")
