"""What Go files import, export and test, and where modules lie."""

from __future__ import annotations

from satori.model.relationship import RelationKind
from tests.relationships.cases import FIXTURES, Resolved, resolve_case, resolve_files

CASE = FIXTURES / "go" / "packages"


def edges(case: Resolved, path: str, kind: RelationKind) -> set[str]:
    return {case.name_of(item.target) for item in case.resolutions[path].relations if item.kind is kind}


def test_an_import_leads_to_the_file_that_stands_for_the_package() -> None:
    """doc.go, or the file named after the directory; packages outside and vendored copies are no edges."""
    case = resolve_case(CASE)
    imports = edges(case, "cmd/tool/main.go", RelationKind.IMPORTS)
    assert imports == {"internal/store/store.go:", "other/sub/sub.go:"}


def test_exports_are_the_names_with_a_capital() -> None:
    """Functions, types and values of the package, methods and test files left out."""
    case = resolve_case(CASE)
    exports = edges(case, "internal/store/store.go", RelationKind.EXPORTS)
    assert {name.rpartition(":")[2] for name in exports} == {"Store", "New", "Default"}
    assert not edges(case, "internal/store/store_test.go", RelationKind.EXPORTS)


def test_calls_of_test_files_are_tests() -> None:
    """`_test.go` is the go command's convention."""
    case = resolve_case(CASE)
    for path, resolution in case.resolutions.items():
        assert all(item.test == path.endswith("_test.go") for item in resolution.relations), path
    assert any(
        item.test and item.kind is RelationKind.CALLS
        for item in case.resolutions["internal/store/store_test.go"].relations
    )


def test_modules_of_a_workspace_see_each_other() -> None:
    """go.work lists directories; without it a module of the same repository is outside."""
    files = {
        "a/go.mod": b"module example.org/a\n",
        "b/go.mod": b"module example.org/b\n",
        "a/a.go": b'package a\n\nimport "example.org/b/c"\n\nfunc Use() { c.Run() }\n',
        "b/c/c.go": b"package c\n\nfunc Run() {}\n",
    }
    (alone,) = resolve_files(files).resolutions["a/a.go"].claims
    assert (alone.status.value, alone.note) == ("external", "example.org/b/c.Run")
    together = resolve_files(files | {"go.work": b"go 1.19\n\nuse (\n\t./a\n\t./b\n)\n"})
    (claim,) = together.resolutions["a/a.go"].claims
    assert [together.name_of(key) for key in claim.targets] == ["b/c/c.go:Run"]


def test_a_package_does_not_see_the_tests_of_another() -> None:
    """What a test file declares is seen by the tests of its directory alone."""
    files = {
        "go.mod": b"module m\n",
        "p/p.go": b"package p\n\ntype T struct{}\n\nfunc own(t T) { t.Help(); Only() }\n",
        "p/p_test.go": b"package p\n\nfunc (T) Help() {}\n\nfunc Only() {}\n\nfunc use(t T) { t.Help(); Only() }\n",
        "q/q_test.go": b'package q\n\nimport "m/p"\n\nfunc use(t p.T) { t.Help(); p.Only() }\n',
    }
    resolved = resolve_files(files)
    found = {path: [claim.status.value for claim in item.claims] for path, item in resolved.resolutions.items()}
    assert found["p/p_test.go"] == ["resolved", "resolved"]
    assert "resolved" not in found["p/p.go"] + found["q/q_test.go"]


def test_candidates_of_an_interface_are_what_may_stand_behind_it() -> None:
    """Its own method, and those of types that have all that it asks for, or that embed what may have the rest."""
    files = {
        "p/p.go": b"package p\n\ntype I interface {\n\tRun()\n\tStop()\n}\n\nfunc f(i I) { i.Run() }\n",
        "q/whole.go": b"package q\n\ntype Whole struct{}\n\nfunc (Whole) Run() {}\n",
        "q/rest.go": b"package q\n\nfunc (Whole) Stop() {}\n",
        "r/part.go": b"package r\n\ntype Part struct{}\n\nfunc (Part) Run() {}\n",
        "r/more.go": b"package r\n\ntype More struct{ Part }\n\nfunc (*More) Run() {}\n",
    }
    resolved = resolve_files(files)
    (claim,) = resolved.resolutions["p/p.go"].claims
    assert claim.note == "3 methods of that name may stand behind the interface"
    assert [resolved.name_of(key) for key in claim.targets] == [
        "p/p.go:I.Run",
        "q/whole.go:Whole.Run",
        "r/more.go:More.Run",
    ]
