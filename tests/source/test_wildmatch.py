"""Patterns that are hard on regular expressions; equality with git is tested by the oracle."""

from __future__ import annotations

import re
import time

import pytest

from satori.source.ignore import parse, parse_lines
from satori.source.wildmatch import translate

HARD = [
    ("*a" * 30 + "b", "a" * 250),
    ("/x/" + "*a" * 30 + "b", "x/" + "a" * 250),
    ("**/a/" * 15 + "b", "a/" * 100 + "c"),
    ("a/**/" * 15 + "b", "a/" * 100 + "c"),
    ("[ab]*" * 20 + "c", "ab" * 120),
    ("?*" * 20 + "c", "a" * 250),
    ("**/*a*/" * 8 + "b", "aa/" * 60 + "c"),
]


@pytest.mark.parametrize(("pattern", "path"), HARD, ids=range(len(HARD)))
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    """Nested stars on long names, which hang a backtracking matcher, are answered at once."""
    started = time.process_time()
    assert not parse_lines([pattern]).excludes(path)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py", ".py"], ["a.pyc", "a/b.py"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "b/a/b"]),
        ("**/a", ["a", "b/a", "b/c/a"], ["ba", "a/b"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/bb", "xa/b"]),
        ("a*b?c", ["abxc", "axbyc"], ["abc", "a/bxc"]),
        ("[!a-c]x", ["dx"], ["ax", "/x"]),
        ("[[:digit:]_]", ["1", "_"], ["a"]),
        ("\\*", ["*"], ["a", "\\*"]),
        ("a\\", [], ["a", "a\\"]),
        ("[a", [], ["a", "[a"]),
    ],
)
def test_patterns_with_slashes_kept_apart(pattern: str, yes: list[str], no: list[str]) -> None:
    """Stars, questions and brackets stop at slashes; double stars do not."""
    expression = re.compile(translate(pattern, True), re.DOTALL)
    assert [text for text in yes + no if expression.fullmatch(text)] == yes


def test_any_bytes_are_a_list() -> None:
    """Ignore files may hold anything; a hostile one of 300 kB is parsed in bounded time."""
    started = time.process_time()
    parse(bytes(range(256)) * 4)
    parse(b"[" * 100_000 + b"\n" + b"*" * 100_000 + b"\n" + b"a/" * 50_000)
    assert time.process_time() - started < 5.0
