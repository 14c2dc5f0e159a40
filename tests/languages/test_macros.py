"""C and C++ macros that hide declarations from a grammar are blanked; everything else stays, byte for byte."""

from __future__ import annotations

import pytest

from satori.facts.extract import extract_facts
from satori.languages.macros import blank_macros


@pytest.mark.parametrize(
    ("language", "data", "names"),
    [
        ("c", b"API_EXPORT int f(int x);\n", ["f"]),
        ("c", b"static FORCE_INLINE int f(int x) { return x; }\n", ["f"]),
        ("c", b"typedef BOOL (WINAPI *handler)(int x);\n", ["handler"]),
        ("c", b"static void CALLBACK f(int x) { }\n", ["f"]),
        ("c", b"struct a {\n  TAILQ_HEAD(, b) items;\n  int x;\n};\nint after;\n", ["a", "items", "x", "after"]),
        ("c", b"LIB_BEGIN_DECLS\nint f(void);\nLIB_END_DECLS\n", ["f"]),
        ("cpp", b"class API_EXPORT A : public B { void f(); };\n", ["A", "f"]),
        ("cpp", b"struct A { int f() const LOCKS_REQUIRED(m); int x GUARDED_BY(m); };\n", ["A", "f", "x"]),
        ("cpp", b"LIB_BEGIN_NAMESPACE\nnamespace a {\nint x;\n}\nLIB_END_NAMESPACE\n", ["a", "x"]),
        ("cpp", b"struct A { int f() LIB_NOEXCEPT { return 1; } };\n", ["A", "f"]),
    ],
)
def test_a_declaration_behind_a_macro_is_read(language: str, data: bytes, names: list[str]) -> None:
    """The names are those a preprocessor would leave, and no syntax error remains."""
    facts = extract_facts(language, data)
    assert [one.name for one in facts.definitions] == names
    assert facts.error_ranges == 0


@pytest.mark.parametrize(
    "data",
    [
        b"#define MAX(a, b) ((a) > (b))\n#ifdef DEBUG\n#endif\n",
        b"FILE *open_it(void);\nDWORD size;\n",
        b"enum { RED, GREEN = 2, BLUE };\n",
        b"int x = LIMIT;\nint y = MAX(1, 2);\n",
        b'const char *s = "API_EXPORT int f(int x);";\n',
    ],
)
def test_capitals_that_are_names_and_values_stay(data: bytes) -> None:
    """Types, enumerators, values, directives and strings are not decorations."""
    assert blank_macros(data) == (data, [])


def test_blanking_keeps_every_byte_offset() -> None:
    """The parser is given as many bytes and lines as the file has."""
    data = b"API_EXPORT int f(int x);\r\nclass API_EXPORT A {\r\n};\r\n"
    blanked, leading = blank_macros(data)
    assert len(blanked) == len(data)
    assert blanked.count(b"\r\n") == data.count(b"\r\n")
    assert leading == [(0, 10)]


def test_a_leading_macro_belongs_to_the_span() -> None:
    """The definition begins where a reader sees it begin."""
    data = b"int before;\n/* doc */\nAPI_EXPORT int f(int x);\n"
    found = extract_facts("c", data).definitions[1]
    assert data[found.span.start : found.span.end] == b"/* doc */\nAPI_EXPORT int f(int x);"
