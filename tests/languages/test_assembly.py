"""What every language gets: leading comments, owners, signatures, documentation, module documentation."""

from __future__ import annotations

import pytest

from satori.facts.extract import extract_facts
from satori.model.definition import Definition, DefinitionFlag


def find(language: str, data: bytes, name: str) -> Definition:
    """The only definition called `name`."""
    (found,) = [one for one in extract_facts(language, data).definitions if one.qualified_name == name]
    return found


@pytest.mark.parametrize(
    ("language", "data", "name", "text"),
    [
        ("go", b"// A is.\nfunc A() {}\n", "A", b"// A is.\nfunc A() {}"),
        ("go", b"// far\n\nfunc A() {}\n", "A", b"func A() {}"),
        ("go", b"var x = 1 // trailing\nfunc A() {}\n", "A", b"func A() {}"),
        (
            "java",
            b"class A {\n  // one\n  /** two */\n  @X void f() {}\n}\n",
            "A.f",
            b"// one\n  /** two */\n  @X void f() {}",
        ),
        ("python", b"def a():\n    pass\n    # of a\ndef b():\n    pass\n", "b", b"def b():\n    pass"),
        ("python", b"# of b\n@d\ndef b():\n    pass\n", "b", b"# of b\n@d\ndef b():\n    pass"),
        ("rust", b"/// doc\n\n#[x]\n\nfn a() {}\n", "a", b"#[x]\n\nfn a() {}"),
        ("rust", b"//! crate\nfn a() {}\n", "a", b"fn a() {}"),
        ("javascript", b"#!/usr/bin/node\nfunction a() {}\n", "a", b"function a() {}"),
        ("typescript", b"/* x */ export const a = () => 1;\n", "a", b"/* x */ export const a = () => 1;"),
        ("cpp", b"template <class T>\nT f(T x) { return x; }\n", "f", b"template <class T>\nT f(T x) { return x; }"),
        ("c", b"typedef struct { int x; } p;\n", "p", b"typedef struct { int x; } p;"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_stands_directly_above_belongs_to_the_span(language: str, data: bytes, name: str, text: bytes) -> None:
    """Comments without a blank line between, attributes, decorators and export keywords; nothing of the neighbour."""
    span = find(language, data, name).span
    assert data[span.start : span.end] == text


@pytest.mark.parametrize(
    ("language", "data", "name", "documentation"),
    [
        ("python", b'def a():\n    """First.\n\n    Second.\n    """\n', "a", "First.\n\nSecond."),
        ("python", b"#: the name\nx = 1\n", "x", "the name"),
        (
            "java",
            b"class A {\n  /**\n   * One.\n   *\n   * @param x two\n   */\n  void f() {}\n}",
            "A.f",
            "One.\n\n@param x two",
        ),
        ("java", b"class A {\n  // plain\n  /** doc */\n  void f() {}\n}", "A.f", "doc"),
        ("rust", b"/// One.\n/// Two.\nfn a() {}\n", "a", "One.\nTwo."),
        ("go", b"// A does.\n//\n// Much.\nfunc A() {}\n", "A", "A does.\n\nMuch."),
        ("csharp", b"class A {\n  /// <summary>x</summary>\n  void F() {}\n}", "A.F", "<summary>x</summary>"),
        ("c", b"/*\n * Adds.\n * - one\n */\nint add(void);\n", "add", "Adds.\n- one"),
        ("typescript", b"//////////\n// Title\n//////////\nconst x = 1;\n", "x", "Title"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_documentation_is_what_a_reader_sees(language: str, data: bytes, name: str, documentation: str) -> None:
    """Marks and rules go, text and paragraphs stay; documenting comments win over plain ones."""
    assert find(language, data, name).documentation == documentation


@pytest.mark.parametrize(
    ("language", "data", "name", "signature"),
    [
        ("python", b"@d\ndef a(\n    x: int,\n    y=1,\n) -> int:\n    pass\n", "a", "def a( x: int, y=1, ) -> int"),
        ("javascript", b"const a = async (x, y) => {\n  return 1;\n};\n", "a", "const a = async (x, y) =>"),
        (
            "java",
            b'class A {\n  @X("a {")\n  public int f(int x) {\n    return 1;\n  }\n}',
            "A.f",
            "public int f(int x)",
        ),
        ("go", b"func (s *S) F(x int) error {\n}\n", "S.F", "func (s *S) F(x int) error"),
        (
            "rust",
            b"pub fn a<T>(x: T) -> T\nwhere\n    T: Copy,\n{\n    x\n}\n",
            "a",
            "pub fn a<T>(x: T) -> T where T: Copy",
        ),
        ("cpp", b"struct A { virtual int f() const = 0; };", "A.f", "virtual int f() const = 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_signature_is_one_line_without_the_body(language: str, data: bytes, name: str, signature: str) -> None:
    """The language's own words, white space folded, decorators and annotations left out."""
    assert find(language, data, name).signature == signature


@pytest.mark.parametrize(
    ("language", "data", "receiver"),
    [
        ("go", b"func (s *Server[T]) f() {}\n", "Server"),
        ("rust", b"impl<T> a::Server<T> { fn f() {} }\n", "Server"),
        ("cpp", b"void ns::Server<int>::f() {}\n", "ns.Server"),
        ("kotlin", b"fun Server<Int>?.f() {}\n", "Server"),
        ("scala", b"extension (s: Server[Int]) def f = 1\n", "Server"),
        ("javascript", b"Server.prototype.f = function () {};\n", "Server"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_definition_written_outside_its_type_names_it(language: str, data: bytes, receiver: str) -> None:
    """The receiver is the bare type, and leads the qualified name."""
    (found,) = [one for one in extract_facts(language, data).definitions if one.name == "f"]
    assert found.receiver == receiver
    assert found.qualified_name == f"{receiver}.f"


def test_the_parts_of_a_partial_class_are_each_a_definition() -> None:
    """C# partial classes are not merged: each part owns what is written in it."""
    facts = extract_facts("csharp", b"partial class A { int x; }\npartial class A { int y; }\n")
    assert [(one.qualified_name, one.parent) for one in facts.definitions] == [
        ("A", -1),
        ("A.x", 0),
        ("A", -1),
        ("A.y", 2),
    ]


@pytest.mark.parametrize(
    ("data", "generated"),
    [
        (b"// Code generated by x. DO NOT EDIT.\npackage a\nfunc F() {}\n", True),
        (b"// @generated\npackage a\nfunc F() {}\n", True),
        (b"// How code is generated.\npackage a\nfunc F() {}\n", False),
        (b'package a\nvar x = "Code generated by x. DO NOT EDIT."\n', False),
    ],
)
def test_a_generated_file_says_so_in_a_comment(data: bytes, generated: bool) -> None:
    """The mark counts in a comment near the top, and every definition carries it."""
    facts = extract_facts("go", data)
    assert facts.generated is generated
    assert all(bool(one.flags & DefinitionFlag.GENERATED) is generated for one in facts.definitions)


@pytest.mark.parametrize(
    ("language", "data", "documentation"),
    [
        ("python", b'# Copyright x\n"""Doc."""\nimport a\n', "Doc."),
        ("python", b'import a\n"""Not doc."""\n', ""),
        ("go", b"// Copyright x. License y.\n\n// Package a is.\npackage a\n", "Package a is."),
        ("javascript", b"/* Doc. */\n\nconst x = 1;\n", "Doc."),
        ("javascript", b"/* Of x. */\nconst x = 1;\n", ""),
        ("rust", b"//! Doc.\n//! More.\n\nuse a;\n", "Doc.\nMore."),
        ("c", b"#include <a.h>\n/* Late. */\n\nint x;\n", ""),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_files_own_documentation_is_its_first_comment(language: str, data: bytes, documentation: str) -> None:
    """Above all code, and neither a licence nor a definition's."""
    assert extract_facts(language, data).module_doc == documentation
