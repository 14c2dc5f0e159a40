from __future__ import annotations

import json
from pathlib import Path

import pytest

from satori.cli.compare import compare
from satori.errors import UsageError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small repository with one torn definition, one that names its topic, and something ignored."""
    filler = ("# " + "n" * 67 + "\n") * 10
    body = "".join(f"    total += weights[{number}] * number\n" for number in range(10))
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text("[core]\n")
    (root / "engine.py").write_text(
        f"{filler}def weigh_numbers(number, weights):\n    total = 0\n{body}    return total\n\n\n{filler}"
    )
    (root / "wait.py").write_text("def raise_deadline():\n    raise TimeoutError\n")
    return root


def snapshot(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file's bytes and modification time."""
    return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(root.rglob("*")) if p.is_file()}


def test_both_engines_answer_the_four_questions_and_live_on(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON holds four questions with both sides and two lives; the directory is left as it was."""
    before = snapshot(tree)
    assert compare(tree, json_output=True) == 0
    record = json.loads(capsys.readouterr().out)
    assert snapshot(tree) == before
    questions = {question["kind"]: question for question in record["questions"]}
    assert list(questions) == ["exact symbol", "straddling", "unanswerable", "other words"]
    assert questions["straddling"]["expected"].startswith("engine.py:11-")
    assert questions["straddling"]["naive"]["right"] is False
    assert questions["straddling"]["satori"]["right"] is True
    assert questions["unanswerable"]["naive"]["right"] is False
    naive, satori = record["lifecycle"]
    assert (naive["update"]["files"], satori["update"]["files"]) == (2, 1)
    assert satori["update"]["found"] is True
    assert "changed" in satori["update"]["age"] and not naive["update"]["age"]
    assert naive["cites_deleted"] > 0 == satori["cites_deleted"]
    assert naive["from_neighbour"] > 0 == satori["from_neighbour"]


def test_the_table_has_two_columns_and_a_count(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A person sees both verdicts on one line, the score of each, and what else differs."""
    compare(tree)
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("  wrong: ") and "right: " in line for line in lines)
    assert any(line.startswith("  naive   ") and line.endswith("of 4") for line in lines)
    assert any("embedded again" in line for line in lines)
    assert all(len(line) <= 120 for line in lines[2:] if line.startswith("  "))


def test_an_empty_directory_is_compared_without_a_life(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing to edit is nothing to report, not an error."""
    assert compare(tmp_path, json_output=True) == 0
    assert json.loads(capsys.readouterr().out)["lifecycle"] == []


def test_what_is_no_directory_is_refused(tmp_path: Path) -> None:
    """One sentence with the next command."""
    with pytest.raises(UsageError, match="not a directory"):
        compare(tmp_path / "missing")
