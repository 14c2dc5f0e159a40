"""Chunks follow symbols, cover everything and repeat nothing but the stated overlap."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satori.chunks.chunker import MAX_BYTES, OVERLAP_BYTES, chunk_file
from satori.facts.extract import extract_facts
from satori.model.chunk import Chunk, ChunkKind
from satori.model.symbol import Symbol
from satori.symbols.identify import identify


def chunked(source: str | bytes, language: str = "python") -> tuple[bytes, list[Symbol], list[Chunk]]:
    data = source if isinstance(source, bytes) else source.encode()
    symbols = identify("pkg/mod.py", extract_facts(language, data), data)
    return data, symbols, chunk_file(symbols, data)


def assert_complete(data: bytes, chunks: list[Chunk]) -> None:
    """Every non-blank byte is in a chunk; a byte is in two chunks only inside the overlap of a split."""
    covered = bytearray(len(data))
    for chunk in chunks:
        assert chunk.span.start < chunk.span.end
        for at in range(chunk.span.start, chunk.span.end):
            covered[at] = min(covered[at] + 1, 2)
    missed = [at for at in range(len(data)) if not covered[at] and data[at : at + 1].strip()]
    assert not missed, data[missed[0] : missed[0] + 40]
    twice = sum(1 for count in covered if count == 2)
    assert twice <= OVERLAP_BYTES * len(chunks)


PIECE = st.sampled_from(
    [
        "import os\n",
        "X = 1\n",
        "def f(a):\n    return a\n",
        "class C:\n    x: int = 0\n\n    def m(self):\n        return 1\n\n    # note\n    y = 2\n",
        "class Big:\n" + "".join(f"    def m{i}(self):\n        return {i} * {i}\n\n" for i in range(40)),
        "def long():\n" + "    value = compute(1, 2, 3)\n" * 90 + "    return value\n",
        "@decorated\ndef g():\n    def inner():\n        pass\n    return inner\n",
        "}\n",
        "\n\n",
        "# comment — 𝒳\n",
        "DATA = '" + "é" * 2000 + "'\n",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECE, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_chunks_cover_every_non_blank_byte_once(pieces: list[str], newline: str) -> None:
    """Coverage and non-repetition hold for any sequence of constructs and either line ending."""
    data, _, chunks = chunked("".join(pieces).replace("\n", newline))
    assert_complete(data, chunks)


@given(st.binary(max_size=6000))
@settings(max_examples=60, deadline=None)
def test_any_bytes_as_text_are_covered(data: bytes) -> None:
    """A file that no grammar serves is cut into bounded text chunks."""
    _, _, chunks = chunked(data, "text")
    assert_complete(data, chunks)
    assert all(c.span.end - c.span.start <= MAX_BYTES + OVERLAP_BYTES for c in chunks)


def test_a_leaf_is_one_chunk_owned_by_its_symbol() -> None:
    """A function below the bound is whole."""
    data, symbols, chunks = chunked("def f():\n    return 1\n\n\ndef g():\n    return 2\n")
    owners = [(symbols[c.owner].name, data[c.span.start : c.span.end]) for c in chunks]
    assert owners == [("f", b"def f():\n    return 1"), ("g", b"def g():\n    return 2")]


def test_a_large_class_is_a_header_and_its_methods() -> None:
    """Members are chunks of their own, and the container keeps signature, documentation and fields."""
    methods = "".join(
        f"    def m{i}(self):\n        return {i} * 'some text that makes it longer'\n\n" for i in range(20)
    )
    data, symbols, chunks = chunked(f'class C:\n    """About C."""\n\n    field: int = 0\n\n{methods}')
    header = chunks[0]
    assert header.kind is ChunkKind.HEADER
    assert symbols[header.owner].name == "C"
    assert b"About C." in data[header.span.start : header.span.end]
    assert b"field: int" in data[header.span.start : header.span.end]
    assert [symbols[c.owner].name for c in chunks[1:]] == [f"m{i}" for i in range(20)]


def test_a_long_function_is_split_on_lines_with_overlap() -> None:
    """Parts stay below the bound, begin on line starts and overlap by whole lines."""
    data, symbols, chunks = chunked("def f():\n" + "    total = total + 1\n" * 200)
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.kind is ChunkKind.PART
        assert symbols[chunk.owner].name == "f"
        assert chunk.span.start == 0 or data[chunk.span.start - 1 : chunk.span.start] == b"\n"
        assert chunk.span.end - chunk.span.start <= MAX_BYTES + OVERLAP_BYTES
    assert any(a.span.end > b.span.start for a, b in pairwise(chunks))


@pytest.mark.parametrize("character", ["é", "𝒳"])
def test_a_long_line_is_cut_between_characters(character: str) -> None:
    """A cut inside a line never splits a UTF-8 sequence."""
    data, _, chunks = chunked(character * 5000, "text")
    assert len(chunks) > 2
    for chunk in chunks:
        data[chunk.span.start : chunk.span.end].decode("utf-8")
