"""The figures of definitions are those of the pages."""

from __future__ import annotations

import re
from pathlib import Path

from satori.languages.measured import DEFINITIONS
from satori.languages.registry import language_names

DOCS = Path(__file__).parents[2] / "docs"
NAMES = {"C#": "csharp", "C++": "cpp"}


def rows(page: str, columns: int) -> list[list[str]]:
    """The cells of every table row of that many columns."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [cells for cells in found if len(cells) == columns]


def figures(cell: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d\.\d+", cell)]


def test_the_table_of_the_languages_read_in_depth_is_the_page() -> None:
    """Language, tree, other reader, recall and precision, raw and judged, row by row."""
    page = []
    for name, against, trees, _, recall, precision in rows("languages.md", 6):
        if name != "language" and figures(recall) and not figures(trees):
            page.append((NAMES.get(name, name.lower()), trees, against, figures(recall), figures(precision)))
    breadth = {cells[0] for cells in rows("languages-breadth.md", 10)}
    table = []
    for language, measured in DEFINITIONS.items():
        for one in measured if language not in breadth else ():
            told = [value for value in (one.recall, one.judged_recall) if value is not None]
            exact = [value for value in (one.precision, one.judged_precision) if value is not None]
            table.append((language, one.tree, one.against, told, exact))
    assert sorted(table) == sorted(page)
    assert len(page) >= 15


def test_the_table_of_the_outlined_languages_is_the_page() -> None:
    """Every outlined language that was compared with another reader, and no other."""
    page = {
        cells[0]: (f"{cells[1]} files", float(cells[6]), float(cells[8]) if cells[8] else None)
        for cells in rows("languages-breadth.md", 10)
        if cells[0] != "language" and figures(cells[6])
    }
    table = {name: (one.tree, one.recall, one.precision) for name in page for one in DEFINITIONS[name]}
    assert table == page
    assert len(page) >= 17
    assert set(DEFINITIONS) <= set(language_names())
