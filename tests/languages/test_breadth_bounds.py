"""Data files are cheap whatever they hold, hostile input ends soon, and a crash of a grammar costs one file."""

from __future__ import annotations

import json
import time

import pytest

from benchmarks.fuzz_grammars import fuzz
from satori.facts.extract import extract_facts
from satori.languages.outline import MAX_DATA_BYTES, MAX_DATA_SYMBOLS
from satori.languages.registry import language_for, language_names
from satori.model.definition import FileFacts
from tests.languages.fuzz import FIXTURES, broken_rule
from tests.languages.test_breadth import BREADTH

_PIECES = (b"(", b"{", b"[", b"<div>", b"- ", b"begin ", b"#{", b"def f\n", b"<script ", b"<!--", b'"', b"> ", b"do\n")
# Generous: the machine may be shared. A quadratic reader takes minutes on these.
SECONDS = 20.0


def extract(name: str, data: bytes) -> FileFacts:
    """Facts straight from the language, without the limits that stand before it."""
    language = language_for(name)
    assert language is not None
    return language.extract(data)


@pytest.mark.parametrize(
    "name", ["json", "yaml", "toml", "css", "markdown", "rst", "html", "make", "sql", "dockerfile"]
)
def test_a_data_file_above_the_limit_is_text_and_says_so(name: str) -> None:
    """Above the limit nothing is parsed, at once, with the reason."""
    began = time.monotonic()
    facts = extract(name, b"a: 1\n" * (MAX_DATA_BYTES // 5 + 1))
    assert time.monotonic() - began < 1
    assert not facts.parsed
    assert f"{MAX_DATA_BYTES:,} bytes" in facts.problem


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("json", json.dumps({f"key{i}": i for i in range(5_000)}, indent=1).encode()),
        ("yaml", "".join(f"key{i}:\n  a:\n    b: 1\n" for i in range(3_000)).encode()),
        ("toml", "".join(f"[t{i}]\na = [\n1]\n" for i in range(3_000)).encode()),
        ("markdown", "".join(f"# H{i}\n## S\n\ntext\n\n" for i in range(3_000)).encode()),
        ("css", "".join(f".c{i} {{ --v: {i} }}\n" for i in range(3_000)).encode()),
    ],
)
def test_a_table_of_keys_is_cut_to_its_outermost(name: str, data: bytes) -> None:
    """The first definitions by depth stay, with sound parents, and the file says how many there were."""
    facts = extract(name, data)
    assert len(facts.definitions) == MAX_DATA_SYMBOLS
    assert facts.parsed
    assert f"{MAX_DATA_SYMBOLS:,}" in facts.problem
    assert broken_rule(data, facts) == ""
    assert all(definition.parent == -1 for definition in facts.definitions)


@pytest.mark.parametrize("name", BREADTH)
def test_deep_nesting_and_unclosed_constructs_end(name: str) -> None:
    """Hundreds of anything, never closed, is read in bounded time and depth; so are ever deeper lines."""
    began = time.monotonic()
    for piece in _PIECES:
        data = piece * 400 + b"\n"
        assert broken_rule(data, extract(name, data)) == ""
    for line in (b"- x\n", b"a:\n", b"> x\n"):
        data = b"".join(b" " * depth + line for depth in range(300))
        assert broken_rule(data, extract(name, data)) == ""
    assert time.monotonic() - began < SECONDS


@pytest.mark.parametrize("name", ["yaml", "markdown"])
@pytest.mark.parametrize("piece", [b"> ", b"- ", b"- > ", b"? ", b"{", b"[", b"a: "])
def test_what_overflows_the_grammars_that_are_not_used(name: str, piece: bytes) -> None:
    """Five thousand containers in one line crash the tree-sitter grammars of YAML and Markdown; here they are read."""
    data = b"# a\n" + piece * 5_000 + b"\n"
    assert broken_rule(data, extract(name, data)) == ""


@pytest.mark.parametrize("name", BREADTH)
def test_a_megabyte_on_one_line_ends(name: str) -> None:
    """A line of 1 MB of words is no source: text, at once, or read in proportion."""
    data = b"lorem_ipsum dolor " * 58_000
    began = time.monotonic()
    assert broken_rule(data, extract_facts(name, data)) == ""
    assert time.monotonic() - began < SECONDS


@pytest.mark.parametrize("name", language_names())
def test_mutated_files_neither_crash_nor_hang(name: str) -> None:
    """A sample of the long run of `benchmarks/fuzz_grammars.py`, in its worker."""
    report = fuzz(name, [FIXTURES], cases=25, seconds=30.0)
    if not report["seeds"]:
        pytest.skip("no fixture of this language yet")
    assert (report["crashes"], report["hangs"], report["broken"]) == ([], [], {})
