from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from satori.evaluation.baseline import load_baseline

BASELINE = load_baseline()
SOURCE = Path(__file__).parents[2] / "examples" / "naive_rag.py"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small repository: one definition torn by a window boundary, one that names its topic, a hidden file."""
    filler = ("# " + "n" * 67 + "\n") * 10
    body = "".join(f"    total += weights[{number}] * number\n" for number in range(10))
    torn = f"def weigh_numbers(number, weights):\n    total = 0\n{body}    return total\n"
    (tmp_path / "engine.py").write_text(filler + torn + "\n\n" + filler)
    (tmp_path / "wait.py").write_text("def raise_deadline():\n    raise TimeoutError\n")
    (tmp_path / ".hidden").write_text("def never_read(): pass\n")
    (tmp_path / "image.bin").write_bytes(b"\x00\x01\x02")
    return tmp_path


def test_it_is_one_file_of_at_most_150_lines_without_a_database() -> None:
    """The baseline stays what it claims to be."""
    text = SOURCE.read_text()
    assert len(text.splitlines()) <= 150
    assert not any(word in text for word in ("sqlite", "lancedb", "faiss", "open("))


@pytest.mark.parametrize("length", [0, 1, 999, 1_000, 1_001, 1_200, 1_201, 5_000])
def test_windows_are_1000_characters_with_200_of_overlap_and_cover_the_text(length: int) -> None:
    """Windows start every 800 characters and the last one ends with the text."""
    windows = BASELINE.windows_of("a", "x" * length)
    assert [window.start for window in windows] == [800 * number for number in range(len(windows))]
    assert all(window.end - window.start == 1_000 for window in windows[:-1])
    assert windows[-1].end == length
    assert len(windows) == 1 or windows[-1].end - windows[-2].end > 0


def test_it_ranks_by_cosine_and_always_returns_k(tree: Path) -> None:
    """Scores fall, lie between -1 and 1, and nonsense gets k windows all the same."""
    rag = BASELINE.NaiveRag(tree)
    for question in ("where are numbers weighed", "How is Parmesan cheese aged?"):
        scores = [score for score, _ in rag.search(question, 2)]
        assert len(scores) == 2
        assert scores == sorted(scores, reverse=True)
        assert all(-1.0001 <= score <= 1.0001 for score in scores)
    assert len(rag.search("anything", 99)) == len(rag.windows)


def test_its_vectors_have_length_one(tree: Path) -> None:
    """The dot product is the cosine."""
    rag = BASELINE.NaiveRag(tree)
    lengths = np.linalg.norm(rag.vectors, axis=1)  # type: ignore[attr-defined]
    assert np.allclose(lengths[lengths > 0], 1, atol=1e-5)


def test_hidden_files_are_not_read(tree: Path) -> None:
    """Neither .git nor .env ends up in a window."""
    assert ".hidden" not in BASELINE.NaiveRag(tree).documents


def test_the_four_questions_come_from_the_directory(tree: Path) -> None:
    """Symbol and straddling question name what is there; the torn definition fits in no window."""
    rag = BASELINE.NaiveRag(tree)
    exact, straddling, unanswerable, reworded = BASELINE.failure_questions(rag, 3)
    assert exact.text in {"weigh_numbers", "raise_deadline"}
    assert straddling.text.startswith("What does weigh_numbers do")
    (answer,) = straddling.answers
    text = rag.documents["engine.py"][answer.start : answer.end]
    assert text.startswith("def weigh_numbers(") and text.endswith("return total")
    assert not any(straddling.answered_by(window) for window in rag.windows)
    assert unanswerable.answers == ()
    assert [answer.name for answer in reworded.answers] == ["raise_deadline"]


def test_prose_and_empty_directories_have_four_questions_too(tmp_path: Path) -> None:
    """Where there is no code a heading is the symbol; where there is nothing the questions are general."""
    assert len(BASELINE.failure_questions(BASELINE.NaiveRag(tmp_path), 3)) == 4
    (tmp_path / "tea.md").write_text("# Brewing tea\n\nUse hot water.\n\n## Steeping times\n\nThree minutes.\n")
    questions = BASELINE.failure_questions(BASELINE.NaiveRag(tmp_path), 3)
    assert questions[0].text in {"Brewing tea", "Steeping times"}


@pytest.mark.parametrize(
    ("source", "last"),
    [
        ("def outer_one():\n    if x:\n        pass\n\n    return 1\n\nnext_thing = 1\n", "    return 1"),
        ("func Compute(\n\ta int,\n) int {\n\treturn a\n}\n\nvar x = 1\n", "}"),
        ("class Holder {\n  function compute() {\n    return 1\n  }\n}\n", "}"),
        ("  function inner_one() {\n    return 1\n  }\n}\n", "  }"),
        ("def compute_it\n  1\nend\n\nother\n", "end"),
    ],
)
def test_a_definition_ends_with_its_last_line(source: str, last: str) -> None:
    """By indentation, closing lines of its own included, those of its owner not."""
    (_, whole), *_ = BASELINE.definitions({"a.py": source})
    assert source[whole.start : whole.end].splitlines()[-1] == last


def test_the_command_prints_rank_score_offset_and_snippet(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four questions, k rows each, every row with rank, cosine, path:offset and text."""
    monkeypatch.setattr(sys, "argv", ["naive_rag.py", str(tree), "--failures", "-k", "2"])
    BASELINE.main()  # type: ignore[attr-defined]
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("  1  ", "  2  "))]
    assert len(rows) == 8
    for row in rows:
        rank, score, place, _ = row.split(maxsplit=3)
        assert rank in {"1", "2"} and -1 <= float(score) <= 1
        assert place.rpartition(":")[2].isdigit()


@pytest.mark.parametrize("arguments", [[], ["--failures", "a question"], ["--failures", "-k", "0"]])
def test_a_wrong_call_is_refused(tree: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    """Neither question nor --failures, both, or no k: a usage error."""
    monkeypatch.setattr(sys, "argv", ["naive_rag.py", str(tree), *arguments])
    with pytest.raises(SystemExit):
        BASELINE.main()  # type: ignore[attr-defined]


def test_a_hit_that_quotes_the_question_stays_in(tmp_path: Path) -> None:
    """A file that holds the very question is the top hit, and nothing filters it."""
    (tmp_path / "faq.py").write_text(SOURCE.read_text())
    rag = BASELINE.NaiveRag(tmp_path)
    _, _, unanswerable, _ = BASELINE.failure_questions(rag, 1)
    ((_, top),) = rag.search(unanswerable.text, 1)
    assert unanswerable.text in rag.text_of(top)
