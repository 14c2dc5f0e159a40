"""What Scala files import, which of their edges are tests', and what overriding members without a name do."""

from __future__ import annotations

from satori.model.relationship import ClaimStatus, RelationKind
from tests.relationships.cases import FIXTURES, resolve_case, resolve_files


def test_imports_lead_to_types_objects_and_methods() -> None:
    """Renamed and relative imports lead to what they name, wildcards to an object; a package has no symbol."""
    case = resolve_case(FIXTURES / "scala" / "names")
    data = case.files["Main.scala"]
    found = {
        (data[relation.start : relation.end].decode(), case.name_of(relation.target))
        for relation in case.resolutions["Main.scala"].relations
        if relation.kind is RelationKind.IMPORTS
    }
    assert found == {
        ("Helper", "util/Util.scala:Helper"),
        ("Plain", "util/Util.scala:Plain"),
        ("make", "util/Util.scala:Tools.make"),
        ("deep", "Main.scala:Nested.deep"),
    }


def test_calls_of_suites_are_tests() -> None:
    """Edges of files named after suites, and of those in test directories, are tests'."""
    source = b"package a\nclass S { def go(a: Int) = 1; go(1) }\n"
    case = resolve_files({"src/main/S.scala": source, "src/main/SSpec.scala": source.replace(b"S ", b"S2 ")})
    assert [r.test for r in case.resolutions["src/main/S.scala"].relations] == [False]
    assert [r.test for r in case.resolutions["src/main/SSpec.scala"].relations] == [True]


def test_a_member_without_a_name_replaces_wherever_it_stands() -> None:
    """A class without a name that extends an heir of the type around it still counts among what may replace."""
    case = resolve_files(
        {
            "a.scala": b"package a\ntrait P { def m(a: Int) = 1; def n(a: Int) = m(a)\n"
            b"def made = new Q { override def m(a: Int) = 2 } }\n"
            b"trait Q extends P\n"
        }
    )
    (claim,) = [claim for claim in case.resolutions["a.scala"].claims if claim.name == "m"]
    assert claim.status is ClaimStatus.AMBIGUOUS
    assert claim.note.startswith("1 type")


def test_circles_end() -> None:
    """Types that extend each other, aliases of themselves and imports through each other are resolved to nothing."""
    case = resolve_files(
        {
            "a.scala": b"package a\nimport b.B.x\nobject A extends A { import A._; def y(a: Int) = x(a) }\n"
            b"trait A extends A2 { type T = T }\n"
            b"trait A2 extends A { def z(t: T) = t.go(1) }\n",
            "b.scala": b"package b\nimport a.A.y\nobject B { import B.x; def w(a: Int) = y(a) }\n",
        }
    )
    assert {claim.status for item in case.resolutions.values() for claim in item.claims} & {
        ClaimStatus.UNRESOLVED,
        ClaimStatus.RESOLVED,
    }
    assert not any(
        claim.status is ClaimStatus.UNSUPPORTED for item in case.resolutions.values() for claim in item.claims
    )
