from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from satori.model.relationship import RelationKind
from satori.navigation.overview import Boundary, FileFact, area_paths, areas_of, boundaries_of, cycles_of

CALLS, IMPORTS = RelationKind.CALLS, RelationKind.IMPORTS


def test_a_crowded_directory_is_opened() -> None:
    """src holds everything: its own directories are the areas; a file right in it stays under its name."""
    paths = (
        [f"src/core/f{n}.py" for n in range(3)] + [f"src/web/g{n}.py" for n in range(3)] + ["src/app.py", "setup.py"]
    )
    areas = area_paths(paths)
    assert areas["src/core/f0.py"] == "src/core"
    assert areas["src/web/g0.py"] == "src/web"
    assert areas["src/app.py"] == "src"
    assert areas["setup.py"] == "."


def test_boundaries_count_both_kinds_and_leave_out_what_stays_inside() -> None:
    """Calls and imports between areas; fans count areas."""
    by_path = {"a/x.py": "a", "a/y.py": "a", "b/z.py": "b"}
    areas = areas_of([FileFact(path, "python", 1) for path in by_path], by_path)
    relations = [
        ("a/x.py", "a/y.py", CALLS, 9),
        ("a/x.py", "b/z.py", CALLS, 2),
        ("a/y.py", "b/z.py", IMPORTS, 1),
        ("a/y.py", "elsewhere.py", CALLS, 5),
    ]
    assert boundaries_of(relations, by_path, areas) == [Boundary("a", "b", 2, 1)]
    assert (areas["a"].fan_out, areas["b"].fan_in, areas["b"].calls_in) == (1, 1, 2)


EDGES = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=18)


@given(EDGES)
def test_cycles_are_exactly_the_areas_that_reach_each_other(edges: list[tuple[str, str]]) -> None:
    """Two areas are in one cycle exactly when each reaches the other."""
    reach = {node: {node} for node in "abcdef"}
    for _ in range(6):
        for source, target in edges:
            for node in reach:
                if source in reach[node]:
                    reach[node].add(target)
    expected = {
        frozenset(other for other in "abcdef" if other in reach[node] and node in reach[other]) for node in "abcdef"
    }
    found = cycles_of(Boundary(source, target, 1, 0) for source, target in edges if source != target)
    assert {frozenset(component) for component in found} == {component for component in expected if len(component) > 1}


@given(st.lists(st.text("ab/", min_size=1, max_size=8), max_size=12))
def test_every_file_has_one_area_around_it(names: list[str]) -> None:
    """An area is a directory above the file, or "." for the common directory."""
    paths = sorted({f"{'/'.join(part for part in name.split('/') if part)}/f.py".lstrip("/") for name in names})
    for path, area in area_paths(paths).items():
        assert area == "." or path.startswith(area + "/")
