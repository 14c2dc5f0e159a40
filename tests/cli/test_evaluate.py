from __future__ import annotations

import json
from pathlib import Path

import pytest

from satori.cli.evaluate import evaluate
from satori.errors import UsageError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with two functions and a set of three questions beside it."""
    root = tmp_path / "tree"
    root.mkdir()
    (root / "store.py").write_text(
        'def open_store(path):\n    """Open the store at a path."""\n    return path\n\n\n'
        'def close_store(store):\n    """Flush and close the store."""\n    return None\n'
    )
    questions = [
        {
            "query": "open_store",
            "kind": "symbol",
            "owner": {"path": "store.py", "symbol": "open_store", "anchor": "def open_store("},
        },
        {"query": "How long should green tea steep?", "kind": "unanswerable"},
    ]
    (tmp_path / "set.json").write_text(json.dumps({"name": "tiny", "revision": "0" * 40, "questions": questions}))
    return root


def test_a_written_set_gives_both_engines_figures(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Satori finds the symbol first; the record holds every question's outcome."""
    assert evaluate(tree.parent / "set.json", tree=tree, json_output=True) == 0
    record = json.loads(capsys.readouterr().out)
    satori = record["engines"]["satori"]
    assert (satori["answerable"], satori["unanswerable"], satori["owner_at_1"]) == (1, 1, 1.0)
    assert record["engines"]["naive"]["refused"] == 0.0
    assert [question["query"] for question in satori["questions"]] == [
        "open_store",
        "How long should green tea steep?",
    ]


def test_a_directory_is_evaluated_on_drawn_questions(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both functions are unique symbols; the table names the seed and both engines."""
    assert evaluate(tree) == 0
    out = capsys.readouterr().out
    assert "drawn with seed" in out
    assert "naive" in out and "satori" in out
    assert "symbol        n=2" in out


def test_a_set_without_its_tree_and_a_missing_target_are_refused(tree: Path) -> None:
    """Each with the command to try."""
    with pytest.raises(UsageError, match="its tree is missing"):
        evaluate(tree.parent / "set.json")
    with pytest.raises(UsageError, match="does not exist"):
        evaluate(tree / "nothing")
