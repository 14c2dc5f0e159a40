from __future__ import annotations

from typing import Any

import pytest

from satori.server.tools import ToolContext
from tests.conftest import Indexed, write_files
from tests.server.asking import ask, follow


@pytest.fixture
def context(indexed: Indexed) -> ToolContext:
    return indexed.context()


def graph(context: ToolContext, indexed: Indexed, file: str, label: str, **more: Any) -> dict[str, Any]:
    reference = {"file": file, "symbolLabel": label}
    return ask(context, "call_graph", path=str(indexed.root), symbolRef=reference, **more)


def names(answer: dict[str, Any]) -> dict[str, str]:
    return {node["symbolKey"]: node["label"] for node in answer["nodes"]}


def edges(answer: dict[str, Any]) -> set[tuple[str, str]]:
    label = names(answer)
    return {(label[edge["caller"]], label[edge["callee"]]) for edge in answer["edges"]}


def test_callers_and_callees_with_their_sites(indexed: Indexed, context: ToolContext) -> None:
    """Each edge's site slices the callee's name inside the caller's span, and names the rule that proved it."""
    answer = graph(context, indexed, "shop/prices.py", "round_price", direction="callers")
    assert edges(answer) == {("Cart.total_price", "round_price"), ("apply_discount", "round_price")}
    assert answer["counts"]["callers"] == 2
    nodes = {node["symbolKey"]: node for node in answer["nodes"]}
    for edge in answer["edges"]:
        site, caller = edge["site"], nodes[edge["caller"]]
        data = (indexed.root / site["file"]).read_bytes()
        assert data[site["startByte"] : site["endByte"]] == b"round_price"
        assert caller["span"]["startByte"] <= site["startByte"] < site["endByte"] <= caller["span"]["endByte"]
        assert edge["rule"]
        assert edge["proof"]
    assert follow(context, answer, 1)[0]["status"] == "ok"


def test_tests_are_told_apart(indexed: Indexed, context: ToolContext) -> None:
    """Callers that are tests are listed as such."""
    answer = graph(context, indexed, "shop/cart.py", "merge_carts", direction="callers")
    assert [test["label"] for test in answer["tests"]] == ["test_merging"]


def test_no_caller_says_how_complete_that_is(indexed: Indexed, context: ToolContext) -> None:
    """None found: coverage with its reason, and a ready textual search."""
    answer = graph(context, indexed, "shop/retry.py", "schedule_retry", direction="callers")
    assert answer["edges"] == []
    assert answer["coverage"]["callers"] in ("complete", "partial")
    assert answer["coverage"]["callersWhy"]
    assert follow(context, answer, 1)[0]["name"] == "schedule_retry"


def test_undecided_sites_are_notes_and_never_edges(indexed: Indexed, context: ToolContext) -> None:
    """A call on an unknown receiver abstains, visibly: the callees are partial."""
    answer = graph(context, indexed, "shop/cart.py", "merge_carts", direction="callees")
    assert "add_line" in [note["name"].rpartition(".")[2] for note in answer["notes"]]
    assert answer["coverage"]["callees"] == "partial"


def test_a_language_without_rules_is_unsupported(indexed: Indexed, context: ToolContext) -> None:
    """No call rules: status unsupported with relationships_unsupported, and textual references as the way on."""
    answer = graph(context, indexed, "docs/guide.md", "Refunds")
    assert (answer["status"], answer["reason"]) == ("unsupported", "relationships_unsupported")


def test_paths_are_traced_or_honestly_not_found(indexed: Indexed, context: ToolContext) -> None:
    """A proved path with its edges; none, with the bound that ended the search or why that proves nothing."""

    def key(file: str, label: str) -> str:
        exact = {"resolveMode": "exact", "symbolLabelExact": label}
        found = ask(context, "file_outline", path=str(indexed.root), file=file, **exact)
        identifier: str = found["symbols"][0]["symbolId"]
        return identifier

    price, total = key("shop/prices.py", "round_price"), key("shop/cart.py", "Cart.total_price")
    retry = key("shop/retry.py", "schedule_retry")
    path = {"path": str(indexed.root)}
    found = ask(context, "trace_path", **path, sourceSymbolId=total, targetSymbolId=price)
    assert found["found"] is True
    assert [node["label"] for node in found["nodes"]] == ["Cart.total_price", "round_price"]
    none = ask(context, "trace_path", **path, sourceSymbolId=price, targetSymbolId=retry)
    assert (none["status"], none["reason"], none["found"]) == ("ok", "no_path", False)
    assert follow(context, none, 1)[0]["status"] == "ok"
    same = ask(context, "trace_path", **path, sourceSymbolId=price, targetSymbolId=price)
    assert (same["found"], same["edges"]) == (True, [])
    gone = ask(context, "trace_path", **path, sourceSymbolId="s" + "a" * 15, targetSymbolId=price)
    assert gone["reason"] == "symbol_not_found"
    wrong = ask(context, "trace_path", **path, sourceSymbolId=total, targetSymbolId=price, relationshipKinds=["CALL"])
    assert wrong["reason"] == "invalid_value"
    bounded = ask(
        context, "trace_path", **path, sourceSymbolId=total, targetSymbolId=price, relationshipKinds=["IMPORTS"]
    )
    assert bounded["found"] is False


def test_every_tool_tells_the_same_number_of_callers(own_indexed: Indexed) -> None:
    """call_graph, file_outline, read_file and detect_changes agree on a symbol's callers."""
    context, path = own_indexed.context(), str(own_indexed.root)
    counted = graph(context, own_indexed, "shop/prices.py", "round_price")["counts"]["callers"]
    outline = ask(context, "file_outline", path=path, file="shop/prices.py", detail="relationships")
    told = {one["label"]: one["relationships"] for one in outline["symbols"]}
    assert told["round_price"]["callers"] == counted
    opened = {"symbolLabel": "round_price", "context": "call_context"}
    read = ask(context, "read_file", path=f"{path}/shop/prices.py", open_symbol=opened)
    assert len([one for one in read["related"] if one["relation"] == "caller"]) == counted
    text = (own_indexed.root / "shop/prices.py").read_text()
    write_files(own_indexed.root, {"shop/prices.py": text.replace("value + 0.5", "value + 0.25")})
    changed = ask(context, "detect_changes", path=path, depth=1)
    assert [one["label"] for one in changed["callers"]] == ["Cart.total_price", "apply_discount"]
    assert all(one["path"][0] == changed["seeds"][0]["symbolKey"] for one in changed["callers"])


def overview(context: ToolContext, indexed: Indexed, **more: Any) -> dict[str, Any]:
    return ask(context, "architecture_overview", path=str(indexed.root), **more)


def test_the_overview_holds_what_is_published_and_names_its_rules(indexed: Indexed, context: ToolContext) -> None:
    """Areas sum up to the files in scope, boundaries and hotspots agree with call_graph, every section has its rule."""
    answer = overview(context, indexed, limit=50)
    assert sum(area["files"] for area in answer["areas"]) == answer["files"]
    assert sum(area["symbols"] for area in answer["areas"]) == answer["symbols"]
    assert "tests" not in [area["area"] for area in answer["areas"]]
    assert all(answer["rules"].values())
    assert set(answer["rules"]) == {"areas", "boundaries", "hotspots", "entries", "cycles"}
    for hotspot in answer["hotspots"]:
        node = hotspot["symbol"]
        reference = {"file": node["file"], "symbolKey": node["symbolKey"]}
        known = ask(context, "call_graph", path=str(indexed.root), symbolRef=reference)["counts"]
        assert (known["callers"], known["callees"]) == (hotspot["callers"], hotspot["callees"])
    assert "round_price" in [hotspot["symbol"]["label"] for hotspot in answer["hotspots"]]
    assert [entry["file"] for entry in answer["entries"]] == ["server/main.go"]
    everything = overview(context, indexed, scope="all", limit=50)
    boundary = {(one["from"], one["to"]): one for one in everything["boundaries"]}
    assert boundary["tests", "shop"]["calls"] > 0
    assert follow(context, answer, 1)[0]["counts"]["callers"] >= 1


def test_the_overview_is_narrowed_and_bounded(indexed: Indexed, context: ToolContext) -> None:
    """subtree, excludePaths and the requested directory confine it; nothing in scope is said."""
    assert {area["area"] for area in overview(context, indexed, subtree="shop")["areas"]} == {"."}
    without = overview(context, indexed, excludePaths=["shop/"], limit=50)
    assert "shop" not in {area["area"] for area in without["areas"]}
    empty = overview(context, indexed, subtree="docs")
    assert (empty["status"], empty["reason"]) == ("ok", "no_filter_match")
    inside = ask(context, "architecture_overview", path=str(indexed.root / "web"))
    assert inside["files"] == 1


def test_graphs_are_confined_to_the_requested_directory(indexed: Indexed, context: ToolContext) -> None:
    """Callers outside the directory are counted as left out, not shown."""
    reference = {"file": "shop/cart.py", "symbolLabel": "merge_carts"}
    confined = ask(context, "call_graph", path=str(indexed.root / "shop"), symbolRef=reference, direction="callers")
    assert confined["edges"] == []
    assert confined["omitted"]["outsideDirectory"] > 0
    assert {node["file"] for node in confined["nodes"]} == {"shop/cart.py"}


def test_what_is_recommended_after_a_symbol_was_read(indexed: Indexed, context: ToolContext) -> None:
    """Its source shows what it calls, so the next thing is what calls it; a constant has users and no callers."""
    path = str(indexed.root / "shop/prices.py")
    read = ask(context, "read_file", path=path, open_symbol={"symbolLabel": "round_price"})
    action = read["recommendedNextAction"]
    assert (action["tool"], action["arguments"]["direction"]) == ("call_graph", "callers")
    callers = follow(context, read, 1)[0]
    assert callers["counts"]["callers"] == 2
    large = str(indexed.root / "big/long_line.py")
    constant = ask(context, "read_file", path=large, open_symbol={"symbolLabel": "value_3"})
    assert constant["recommendedNextAction"]["tool"] == "find_references"
    test = ask(
        context,
        "read_file",
        path=str(indexed.root / "tests/test_cart.py"),
        open_symbol={"symbolLabel": "test_merging"},
    )
    assert test["recommendedNextAction"] is None


def test_callers_that_may_be_incomplete_lead_to_the_textual_search(indexed: Indexed, context: ToolContext) -> None:
    """Asked for callers alone, proved ones are followed by where else the name stands; else the first site is read."""
    only = graph(context, indexed, "shop/prices.py", "round_price", direction="callers")
    assert only["coverage"]["callers"] == "partial"
    assert only["recommendedNextAction"]["tool"] == "find_references"
    both = graph(context, indexed, "shop/prices.py", "round_price")
    assert both["recommendedNextAction"]["tool"] == "read_file"


def test_a_call_that_runs_with_its_file_names_what_it_stands_in(own_indexed: Indexed) -> None:
    """The caller is the file, the site stands in a value's initialiser: the value is named, the site is read."""
    lines = ["def make():", "    return 1", "", "", "TABLE = {", "    'one': make(),", "}", "", "make()"]
    write_files(own_indexed.root, {"shop/table.py": "\n".join(lines) + "\n"})
    own_indexed.lifecycle().sync()
    context = own_indexed.context()
    answer = graph(context, own_indexed, "shop/table.py", "make", direction="both")
    assert [edge["within"] for edge in answer["edges"]] == ["TABLE", None]
    read = answer["recommendedNextAction"]
    assert read["arguments"]["start_line"] <= 6 <= read["arguments"]["end_line"]
