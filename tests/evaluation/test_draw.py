from __future__ import annotations

from collections import Counter

import pytest

from satori.evaluation.draw import draw_set
from satori.evaluation.engine import NaiveEngine
from satori.evaluation.question import QuestionKind


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> NaiveEngine:
    """The baseline over forty functions of 500 characters, a name defined twice and one in a docstring only."""
    root = tmp_path_factory.mktemp("tree")
    body = "".join(f"    value += {number} * scale\n" for number in range(18))
    functions = [f"def compute_part_{number}(scale):\n    value = 0\n{body}    return value\n" for number in range(40)]
    (root / "parts.py").write_text("\n\n".join(functions))
    (root / "twice.py").write_text('def repeated_name():\n    """\ndef only_quoted():\n    """\n')
    (root / "again.ts").write_text("export type repeated_name = string\n")
    (root / "notes.md").write_text("# Notes\n\ndef only_in_prose(): pass\n")
    return NaiveEngine(root)


def test_the_same_seed_draws_the_same_questions_and_another_seed_others(engine: NaiveEngine) -> None:
    """A figure can be reproduced from its seed."""
    first, again, other = (
        draw_set(engine, "t", symbols=10, straddling=5, foreign=5, seed=seed).questions for seed in (1, 1, 2)
    )
    assert first == again != other
    assert Counter(question.kind for question in first) == {
        QuestionKind.SYMBOL: 10,
        QuestionKind.STRADDLING: 5,
        QuestionKind.UNANSWERABLE: 5,
    }


def test_only_unique_real_definitions_are_drawn(engine: NaiveEngine) -> None:
    """Not a name with a second definition, nor one that stands only in a string or in prose."""
    questions = draw_set(engine, "t", symbols=99, straddling=0, foreign=0).questions
    assert {question.query for question in questions} == {f"compute_part_{number}" for number in range(40)}


def test_a_straddling_definition_is_held_whole_by_no_window(engine: NaiveEngine) -> None:
    """Its lines are those of the definition, and every window lacks one of them."""
    questions = draw_set(engine, "t", symbols=0, straddling=99, foreign=0).questions
    assert questions
    for question in questions:
        assert question.owner is not None
        lines = engine.rag.documents["parts.py"].splitlines()[question.owner.start_line - 1 : question.owner.end_line]
        assert lines[0].startswith("def ") and lines[-1] == "    return value"
        for window in engine.rag.windows:
            held = engine.lines_of(window)
            whole = held.start_line <= question.owner.start_line and question.owner.end_line <= held.end_line
            assert not (whole and window.path == "parts.py")


def test_lines_of_a_window_count_a_torn_line_as_touched(engine: NaiveEngine) -> None:
    """The window that starts at character 800 touches the line that holds that character."""
    second = engine.rag.windows[[w.start for w in engine.rag.windows].index(800)]
    text = engine.rag.documents[second.path]
    assert engine.lines_of(second).start_line == text[:800].count("\n") + 1
