from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from satori.errors import UsageError
from satori.evaluation.question import QuestionKind, Target, load_set

CHECKOUT = Path(__file__).parents[2]
SETS = CHECKOUT / "evals" / "sets"


def write_set(folder: Path, **changes: Any) -> Path:
    """Write a set of two questions over one file, with changes, and its tree."""
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src" / "store.py").write_text("import os\n\n\ndef open_store():\n    return os\n")
    questions = [
        {
            "query": "where is the store opened",
            "kind": "behaviour",
            "owner": {"path": "store.py", "symbol": "open_store", "anchor": "def open_store("},
        },
        {"query": "how is tea made", "kind": "unanswerable"},
    ]
    file = folder / "set.json"
    file.write_text(json.dumps({"name": "tiny", "directory": "src", "questions": questions} | changes))
    return file


def test_anchors_become_lines(tmp_path: Path) -> None:
    """The owner stands on the line of its anchor; an unanswerable question has none."""
    loaded = load_set(write_set(tmp_path), tmp_path)
    assert [question.kind for question in loaded.questions] == [QuestionKind.BEHAVIOUR, QuestionKind.UNANSWERABLE]
    assert loaded.questions[0].targets == (Target("store.py", 4, 4, "open_store", last_line=5),)
    assert loaded.questions[1].targets == ()


def test_a_tree_that_does_not_fit_is_refused_with_the_anchor(tmp_path: Path) -> None:
    """An anchor that is gone, or there twice, would judge wrongly without a word."""
    file = write_set(tmp_path)
    (tmp_path / "src" / "store.py").write_text("def open_store():\n    pass\n\n\ndef open_store():\n    pass\n")
    with pytest.raises(UsageError, match="exactly once"):
        load_set(file, tmp_path)


@pytest.mark.parametrize("changes", [{"questions": 3}, {"questions": [{"kind": "riddle"}]}, {"questions": [{}]}])
def test_a_file_that_is_no_set_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    """A malformed set is one plain error, not a traceback."""
    with pytest.raises(UsageError, match="not a question set"):
        load_set(write_set(tmp_path, **changes), tmp_path)


@pytest.mark.parametrize("file", sorted(SETS.glob("*.json")), ids=lambda file: file.stem)
def test_the_sets_of_this_repository_are_complete(file: Path) -> None:
    """Every set names repository, full revision, scope, and owners for all but its unanswerable questions."""
    data = json.loads(file.read_text())
    assert data["name"] == file.stem
    assert data["scope"] in {"runtime", "docs", "mixed"}
    assert len(data["revision"]) == 40
    kinds = [question["kind"] for question in data["questions"]]
    assert kinds.count("unanswerable") >= 5
    for question in data["questions"]:
        assert ("owner" in question) == (question["kind"] != "unanswerable")
        for target in [question.get("owner"), *question.get("alternatives", [])]:
            assert target is None or set(target) == {"path", "symbol", "anchor"}
    assert len({question["query"] for question in data["questions"]}) == len(kinds)


def test_the_set_over_this_repository_fits_this_checkout() -> None:
    """Whoever moves or renames an owner also moves its anchor in evals/sets/satori.json."""
    assert len(load_set(SETS / "satori.json", CHECKOUT).questions) > 20
