from __future__ import annotations

import math

import pytest

from benchmarks.retrieval import same_file, score, split


@pytest.mark.parametrize(
    ("found", "target", "expected"),
    [
        ("a/b.py", "a/b.py", True),
        ("src/a/b.py", "a/b.py", True),
        ("b.py", "src/b.py", True),
        ("ab.py", "b.py", False),
        ("a/b.py", "c/b.py", False),
    ],
)
def test_paths_name_one_file_when_one_ends_in_the_other(found: str, target: str, expected: bool) -> None:
    """A suffix counts only at a directory boundary."""
    assert same_file(found, target) is expected


def test_the_first_result_on_a_file_gives_the_rank() -> None:
    """Target at ranks 2 and 3 scores once, at 2."""
    results = [("x.py", 1, 5), ("a.py", 1, 5), ("a.py", 6, 9)]
    assert score(results, ["a.py"]) == pytest.approx(1 / math.log2(3))


def test_lines_have_to_overlap_where_a_target_names_some() -> None:
    """Lines 10-20 are met by 20-30, not by 1-9."""
    target = {"path": "a.py", "start_line": 10, "end_line": 20}
    assert score([("a.py", 1, 9), ("a.py", 20, 30)], [target]) == pytest.approx(1 / math.log2(3))
    assert score([("a.py", 1, 9)], [target]) == 0


def test_only_ten_results_count_and_two_targets_by_hand() -> None:
    """Targets at ranks 1 and 4: (1 + 1/log2 5) / (1 + 1/log2 3); an eleventh result is not read."""
    results = [("a.py", 1, 1), ("x.py", 1, 1), ("y.py", 1, 1), ("b.py", 1, 1)]
    assert score(results, ["a.py", "b.py"]) == pytest.approx((1 + 1 / math.log2(5)) / (1 + 1 / math.log2(3)))
    assert score([("x.py", 1, 1)] * 10 + [("a.py", 1, 1)], ["a.py"]) == 0


def test_folds_deal_whole_repositories_out_once() -> None:
    """Every repository is in exactly one fold."""
    folds = split(["a", "b", "c", "d", "e"], 2)
    assert folds == [["a", "c", "e"], ["b", "d"]]
    assert split(["a"], 0) == []
