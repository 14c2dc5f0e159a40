"""The agent tasks are judged alike for both ways of working, on a small repository of our own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evals.agent import baseline, tools
from evals.agent.layout import lay_out
from evals.agent.outcome import Named, Outcome
from evals.agent.report import Row, table
from evals.agent.task import Place, Task, TreeError, load_tasks
from tests.conftest import Indexed

needs_ripgrep = pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")


def task(kind: str, question: str, *places: Place, symbol: tuple[str, str] | None = None) -> Task:
    return Task("a-task", kind, "tree", question, places, symbol)


def test_the_twenty_tasks_are_complete() -> None:
    """Twenty tasks of four kinds, each on a named commit; an answer of nothing has no places, every other has some."""
    trees, tasks = load_tasks()
    assert len(tasks) == len({one.id for one in tasks}) == 20
    assert {one.kind for one in tasks} == {"owner", "trace", "breaks", "nothing"}
    assert {one.tree for one in tasks} == set(trees)
    for one in tasks:
        assert bool(one.places) == (one.kind != "nothing")
        assert (one.symbol is not None) == (one.kind == "breaks")
        assert one.kind != "breaks" or all(place.caller for place in one.places)
    assert all(len(tree.commit) == 40 for tree in trees.values())


def test_a_tree_that_is_not_the_one_named_is_refused(tmp_path: Path) -> None:
    """A place that stands nowhere is an error, never a task that nobody can solve."""
    (tmp_path / "a.py").write_text("x = 1\n")
    assert Place("a.py", "x = 1").wanted(tmp_path).lines == {("a.py", 1)}
    with pytest.raises(TreeError, match="lay out the commit"):
        Place("a.py", "x = 2").wanted(tmp_path)
    with pytest.raises(TreeError):
        Place("b.py", "x = 1").wanted(tmp_path)
    assert len(lay_out(tmp_path, tmp_path / "trees")) == len(load_tasks()[0])


def test_a_place_counts_when_its_caller_is_known_too(tmp_path: Path) -> None:
    """The line alone does not do; the symbol named there, or its first line seen, does."""
    (tmp_path / "a.py").write_text("def outer():\n    return inner()\n")
    wanted = (Place("a.py", "    return inner()", ("outer", "def outer():")).wanted(tmp_path),)
    told, read = Outcome(), Outcome()
    told.add("x", 1, [("a.py", 2)])
    assert told.missing(wanted)
    told.add("x", 1, [], [Named("a.py", "outer", 1, 2)])
    assert not told.missing(wanted)
    read.add("x", 1, [("a.py", 1), ("a.py", 2)])
    assert not read.missing(wanted)


def test_the_words_that_the_baseline_looks_for() -> None:
    """Words that carry meaning, or the name of the symbol alone."""
    assert baseline.content_words("How is the session cookie signed?", None) == ("session", "cookie", "signed")
    assert baseline.content_words("What calls it?", ("a.py", "Cart.add")) == ("add",)


@needs_ripgrep
def test_both_ways_solve_a_small_task(indexed: Indexed) -> None:
    """Found, counted in calls and bytes, and told in one row; what nothing does is found out too."""
    site = Place("shop/cart.py", *("    def total_price(self, catalogue):",))
    owner = task("owner", "How is the total price of a cart computed?", site)
    merge = task(
        "breaks",
        "Which code calls backoff_seconds?",
        Place("shop/retry.py", "def schedule_retry(policy, charge):"),
        symbol=("shop/retry.py", "schedule_retry"),
    )
    nothing = task("nothing", "Where are astronauts launched into orbit?")
    rows = [
        Row(one, baseline.run(one, indexed.root), tools.run(one, indexed.root, indexed.context()))
        for one in (owner, merge, nothing)
    ]
    assert [row.baseline.solved for row in rows] == [True, True, True]
    assert [row.tools.solved for row in rows] == [True, True, True]
    for row in rows:
        assert 1 <= row.tools.calls <= tools.MOST_CALLS
        assert row.tools.bytes > 0
        assert len(row.tools.steps) == row.tools.calls
    assert "On the tasks that both solved: calls" in table(rows)
