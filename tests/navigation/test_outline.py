from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from satori.facts.extract import extract_facts
from satori.model.symbol import Symbol
from satori.navigation.outline import cut, in_range, members, siblings
from satori.symbols.identify import identify


def symbols(source: str) -> list[Symbol]:
    data = source.encode()
    return identify("m.py", extract_facts("python", data), data)


NESTED = "class A:\n    def one(self):\n        pass\n\n    def two(self):\n        pass\n\n\ndef three():\n    pass\n"


def test_a_range_knows_what_encloses_it() -> None:
    """In the middle of a class, the class is named beside the members that begin in the range."""
    within, enclosing = in_range(symbols(NESTED), 5, 7)
    assert [s.qualified_name for s in within] == ["A.two"]
    assert [s.qualified_name for s in enclosing] == ["A"]


def test_members_and_siblings() -> None:
    """Members are direct; siblings share the owner."""
    found = symbols(NESTED)
    by_name = {s.qualified_name: s for s in found}
    assert [s.name for s in members(found, by_name["A"])] == ["one", "two"]
    assert [s.name for s in siblings(found, by_name["A.one"])] == ["two"]
    assert [s.name for s in siblings(found, by_name["A"])] == ["three"]


@given(st.lists(st.integers(1, 6), max_size=12), st.integers(1, 5))
def test_paging_always_advances_and_skips_nothing_but_crowds(lines: list[int], limit: int) -> None:
    """Every page begins behind the one before; each line's symbols are shown once, up to a page's limit."""
    source, at = [], 0
    for gap in lines:
        at += gap
        source.append("; ".join(f"x{at}_{n} = {n}" for n in range(gap)))
        source.extend([""] * (gap - 1))
    found = symbols("\n".join(source) + "\n")
    everything = [s for s in found if s.index]
    seen: list[str] = []
    line = 1
    for _ in range(len(everything) + 2):
        within, _enclosing = in_range(found, line, 10_000)
        shown, following = cut(within, limit)
        seen += [s.name for s in shown]
        if following is None:
            break
        assert following > line
        line = following
    else:
        raise AssertionError("paging did not end")
    assert len(seen) == len(set(seen))
    for start in {s.span.start_line for s in everything}:
        names = [s.name for s in everything if s.span.start_line == start]
        assert [name for name in seen if name in names] == names[: max(limit, 0)] or set(names) <= set(seen)
