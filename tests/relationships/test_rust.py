"""What Rust files import, export and test, and where crates lie."""

from __future__ import annotations

from satori.model.relationship import RelationKind
from tests.relationships.cases import FIXTURES, Resolved, resolve_case, resolve_files

CASE = FIXTURES / "rust" / "crates"


def edges(case: Resolved, path: str, kind: RelationKind) -> set[str]:
    return {case.name_of(item.target) for item in case.resolutions[path].relations if item.kind is kind}


def test_use_and_mod_lead_to_definitions_and_files() -> None:
    """`mod a;` leads to the file, `use` to what it names, through re-exports of other crates; std is no edge."""
    case = resolve_case(CASE)
    assert edges(case, "app/src/lib.rs", RelationKind.IMPORTS) == {
        "app/src/deep/mod.rs:",
        "app/src/odd/place.rs:",
        "app/src/deep/mod.rs:lower",
        "util/src/inner.rs:Tool",
    }


def test_exports_are_what_is_public_and_what_is_re_exported() -> None:
    """Private items, members and fields are left out."""
    case = resolve_case(CASE)
    found = edges(case, "util/src/root.rs", RelationKind.EXPORTS)
    assert found == {"util/src/root.rs:top", "util/src/inner.rs:helper", "util/src/inner.rs:Tool"}


def test_calls_of_tests_are_tests() -> None:
    """Integration tests by their directory, unit tests by `#[test]` and `#[cfg(test)]`."""
    case = resolve_case(CASE)
    calls = [
        item
        for resolution in case.resolutions.values()
        for item in resolution.relations
        if item.kind is RelationKind.CALLS
    ]
    assert {item.path for item in calls if item.test} == {"app/tests/first.rs", "app/tests/second.rs", "app/src/lib.rs"}
    sources = {case.name_of(item.source) for item in calls if item.test and item.path == "app/src/lib.rs"}
    assert sources == {"app/src/lib.rs:tests.starts"}


def test_a_dependency_without_a_path_is_outside() -> None:
    """A version number names the registry's crate, even beside a package of that name."""
    files = {
        "a/Cargo.toml": b'[package]\nname = "a"\n[dependencies]\nb = "1"\n',
        "a/src/lib.rs": b"pub fn call() { b::run(); }\n",
        "b/Cargo.toml": b'[package]\nname = "b"\n',
        "b/src/lib.rs": b"pub fn run() {}\n",
    }
    (claim,) = resolve_files(files).resolutions["a/src/lib.rs"].claims
    assert (claim.status.value, claim.note) == ("external", "b::run")
    files["a/Cargo.toml"] = b'[package]\nname = "a"\n[dependencies]\nb = { version = "1", path = "../b" }\n'
    (claim,) = resolve_files(files).resolutions["a/src/lib.rs"].claims
    assert claim.status.value == "resolved"


def test_an_implementation_for_a_type_from_outside_stays_possible() -> None:
    """What a trait of the repository gives to u32 is a candidate, since the type's own method would come first."""
    files = {
        "src/lib.rs": b"trait Wide { fn wide(&self) -> u64; }\nimpl Wide for u32 { fn wide(&self) -> u64 { 1 } }\n"
        b"fn f(x: u32) { x.wide(); x.count_ones(); }\n"
    }
    first, second = resolve_files(files).resolutions["src/lib.rs"].claims
    assert (first.status.value, len(first.targets)) == ("ambiguous", 1)
    assert (second.status.value, second.note) == ("external", "u32.count_ones")


def test_what_is_above_a_file_that_two_modules_declare_is_not_known() -> None:
    """One file in two crates has two roots, and so no `crate`."""
    files = {
        "tests/one.rs": b"mod common;\nfn helper() {}\n",
        "tests/two.rs": b"mod common;\nfn helper() {}\n",
        "tests/common/mod.rs": b"pub fn f() { super::helper(); crate::helper(); }\n",
    }
    claims = resolve_files(files).resolutions["tests/common/mod.rs"].claims
    assert {claim.status.value for claim in claims} == {"unresolved"}
