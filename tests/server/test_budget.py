from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from satori.server.budget import bounded, drop_detail, drop_field, drop_tail
from satori.server.envelope import Action, Answer, render

BUDGET = 4_096


def answer(items: list[dict[str, Any]], message: str = "m") -> Answer:
    return Answer(
        message,
        fields={"groups": items, "notes": "n"},
        drops=(drop_detail("groups", "preview"), drop_tail("groups", keep=1), drop_field("notes", "")),
        action=Action("t", {"path": "/r"}, "w"),
    )


def size(value: dict[str, Any]) -> int:
    return len(render(value).encode("utf-8"))


def test_within_the_budget_nothing_changes() -> None:
    """A small answer is left exactly as it is."""
    given_answer = answer([{"preview": "x", "n": 1}])
    assert bounded(given_answer, BUDGET) == given_answer.as_dict()


def test_parts_go_in_the_fixed_order_and_are_counted() -> None:
    """Previews go first, from the last group; groups go only when that was not enough."""
    some = bounded(answer([{"preview": "p" * 300, "n": n} for n in range(20)]), BUDGET)
    assert size(some) <= BUDGET
    kept = [group["preview"] is not None for group in some["groups"]]
    assert kept == sorted(kept, reverse=True)
    assert len(some["groups"]) == 20
    assert some["omitted"] == {"groups.preview": kept.count(False)}
    many = bounded(answer([{"preview": "p" * 300, "n": n} for n in range(400)]), BUDGET)
    assert size(many) <= BUDGET
    assert many["omitted"] == {"groups.preview": 400, "groups": 400 - len(many["groups"])}


def test_no_more_is_dropped_than_needed() -> None:
    """One more preview would not have fitted."""
    items = [{"preview": "p" * 300, "n": n} for n in range(20)]
    kept = sum(group["preview"] is not None for group in bounded(answer(items), BUDGET)["groups"])
    fuller = [{**item, "preview": item["preview"] if at <= kept else None} for at, item in enumerate(items)]
    assert size({**answer(fuller).as_dict(), "omitted": {"groups.preview": 20 - kept - 1}}) > BUDGET


def test_what_depends_on_the_shown_part_is_settled() -> None:
    """A count that a tool derives from its list is true after dropping."""
    given_answer = answer([{"preview": "p" * 300, "n": n} for n in range(400)])

    def settle(current: Answer) -> None:
        current.fields["shown"] = len(current.fields["groups"])

    given_answer.settle = settle
    result = bounded(given_answer, BUDGET)
    assert result["shown"] == len(result["groups"])


def test_texts_that_no_drop_reaches_are_clipped_and_the_action_is_not() -> None:
    """The last resort keeps the shape, says so, and never shortens a call's arguments."""
    result = bounded(answer([], message="é" * 50_000), BUDGET)
    assert size(result) <= BUDGET
    assert result["warnings"][0]["code"] == "clipped"
    assert result["recommendedNextAction"]["arguments"] == {"path": "/r"}


ITEMS = st.lists(
    st.fixed_dictionaries({"preview": st.none() | st.text(max_size=600), "n": st.text(max_size=40)}), max_size=40
)


@given(ITEMS, st.text(max_size=3_000), st.integers(1_200, 8_000))
def test_no_answer_exceeds_its_budget(items: list[dict[str, Any]], message: str, budget: int) -> None:
    """Any content: within the budget, valid JSON over several lines, the same each time, and honest about groups."""
    first = bounded(answer(items, message), budget)
    text = render(first)
    assert len(text.encode("utf-8")) <= budget
    assert json.loads(text) == first
    assert text.count("\n") > 5
    assert bounded(answer(items, message), budget) == first
    if "clipped" not in [warning["code"] for warning in first["warnings"]]:
        assert len(first["groups"]) + first["omitted"].get("groups", 0) == len(items)


def test_bytes_that_are_no_text_still_make_json() -> None:
    """A path with undecodable bytes is spelt out, not sent as broken JSON."""
    result = bounded(answer([], message="caf\udce9.py"), BUDGET)
    assert result["message"] == "caf\\udce9.py"
    render(result).encode("utf-8")
