"""What PHP files import, and which of their edges are tests'."""

from __future__ import annotations

from satori.model.relationship import RelationKind
from tests.relationships.cases import FIXTURES, resolve_case, resolve_files


def imports(path: str) -> set[tuple[str, str]]:
    """(bytes that import, target) of a file of the fixture of names."""
    case = resolve_case(FIXTURES / "php" / "names")
    data = case.files[path]
    return {
        (data[relation.start : relation.end].decode(), case.name_of(relation.target))
        for relation in case.resolutions[path].relations
        if relation.kind is RelationKind.IMPORTS
    }


def test_use_and_require_are_imports() -> None:
    """`use` of classes, functions and constants leads to them, a path from `__DIR__` to its file."""
    assert imports("src/Sub/Use.php") == {
        ("Plain", "src/Tool.php:Plain"),
        ("Tool", "src/Tool.php:Tool"),
        ("helper", "src/functions.php:helper"),
        ("LIMIT", "src/functions.php:LIMIT"),
        ("__DIR__ . '/../global.php'", "src/global.php:"),
    }


def test_calls_of_test_cases_are_tests() -> None:
    """An edge is a test's where PHPUnit would run its source, and nowhere else."""
    case = resolve_case(FIXTURES / "php" / "names")
    assert {relation.test for relation in case.resolutions["tests/ToolTest.php"].relations} == {True}
    assert {relation.test for relation in case.resolutions["src/Sub/Use.php"].relations} == {False}


def test_a_closed_circle_of_traits_ends() -> None:
    """Traits that use each other, and a class that holds a class without a name of its own heir, are resolved."""
    case = resolve_files(
        {
            "a.php": b"<?php\ntrait A { use B; function a() { $this->b(); } }\n"
            b"trait B { use A; function b() { $this->a(); } }\n"
            b"class C { function c() { $this->d(); return new class extends D { function d() {} }; }\n"
            b"function d() {} }\n"
            b"class D extends C { function d() {} }\n"
        }
    )
    claims = {claim.name: claim.note for claim in case.resolutions["a.php"].claims}
    assert claims["d"].startswith("2 types")
    assert set(claims) == {"a", "b", "d"}
