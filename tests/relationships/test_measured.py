"""The figures of calls are those of the page, and decide what the tools may call them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from satori.model.measurement import Measurement
from satori.relationships import measured
from satori.relationships.measured import CALLS, CallSupport, call_support
from satori.relationships.registry import supported_languages

PAGE = Path(__file__).parents[2] / "docs" / "callgraph.md"


def page_rows() -> dict[str, list[str]]:
    """The rows of every table with a column "raw precision", by first cell."""
    found: dict[str, list[str]] = {}
    header: list[str] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else []
        if not line.startswith("|"):
            header = []
        elif cells and not header:
            header = cells
        elif cells and "raw precision" in header:
            found[cells[0]] = [cells[header.index(name)] for name in ("raw precision", "raw recall")]
    return found


def test_the_figures_are_those_of_the_page() -> None:
    """Every measured tree has its row, with the same raw precision and recall, and every row is in the table."""
    rows = page_rows()
    trees = {one.tree: one for figures in CALLS.values() for one in figures}
    assert set(trees) == set(rows)
    for tree, one in trees.items():
        stated = [float(re.findall(r"[01]\.\d+", cell)[0]) for cell in rows[tree]]
        assert stated == [one.precision, one.recall], tree


def test_no_language_has_rules_that_are_wrong_too_often() -> None:
    """Rules below 0.98 are taken out of the registry, so that no edge of theirs is published; figures need rules."""
    assert set(CALLS) <= set(supported_languages())
    for language in supported_languages():
        assert call_support(language) is not CallSupport.UNSUPPORTED


@pytest.mark.parametrize(
    ("precision", "judged", "support"),
    [
        (0.9799, None, "unsupported"),
        (0.98, None, "conservative"),
        (0.9899, None, "conservative"),
        (0.99, None, "qualified"),
        (0.95, 0.995, "qualified"),
        (0.995, 0.985, "conservative"),
    ],
)
def test_the_worst_tree_decides(
    monkeypatch: pytest.MonkeyPatch, precision: float, judged: float | None, support: str
) -> None:
    """Under 0.98 unsupported, under 0.99 conservative, else qualified; judged figures before raw ones."""
    good = Measurement("good", "a compiler", 1.0, 1.0)
    measure = Measurement("tree", "a compiler", 0.5, precision, judged_precision=judged)
    monkeypatch.setattr(measured, "CALLS", {"python": (good, measure)})
    assert call_support("python") == support
    assert call_support("brainfuck") is CallSupport.UNSUPPORTED


def test_rules_without_figures_are_conservative(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was never measured is not called exact."""
    monkeypatch.setattr(measured, "CALLS", {})
    assert call_support("python") is CallSupport.CONSERVATIVE
