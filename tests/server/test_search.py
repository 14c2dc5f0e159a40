from __future__ import annotations

from typing import Any

import pytest

from satori.codebase.codebase import Codebase
from satori.server.envelope import render
from satori.server.sessions import FROZEN_SECONDS, Session
from satori.server.tools import ToolContext
from satori.server.workbench import Workbench
from tests.conftest import Indexed, write_files
from tests.server.asking import ask, follow, ready_calls


@pytest.fixture
def context(indexed: Indexed) -> ToolContext:
    return indexed.context()


def labels(answer: dict[str, Any]) -> list[str]:
    return [group["label"] for group in answer["groups"]]


def test_a_question_finds_its_owner_with_evidence_and_ready_calls(indexed: Indexed, context: ToolContext) -> None:
    """The owner comes with exact span, signature, preview, reasons, and a call that opens it."""
    answer = ask(
        context, "search_codebase", path=str(indexed.root), query="how is a failed payment retried with backoff"
    )
    assert answer["relevance"] in ("strong", "weak")
    files = [group["file"] for group in answer["groups"]]
    assert files[0] == "shop/retry.py"
    first = answer["groups"][0]
    data = (indexed.root / first["file"]).read_bytes()
    source = data[first["span"]["startByte"] : first["span"]["endByte"]]
    assert first["preview"]["text"].split("\n")[0].encode() in data
    assert source
    assert first["why"]
    opened = ask(context, first["read"]["tool"], **first["read"]["arguments"])
    assert source in opened["text"].encode()


def test_an_exact_identifier_comes_first(indexed: Indexed, context: ToolContext) -> None:
    """A query that is a symbol's name finds its definition first, and says exact."""
    answer = ask(context, "search_codebase", path=str(indexed.root), query="merge_carts")
    assert labels(answer)[0] == "merge_carts"
    assert "exact" in answer["groups"][0]["why"]
    assert answer["relevance"] == "strong"


def test_nothing_relevant_is_none_with_what_was_covered(indexed: Indexed, context: ToolContext) -> None:
    """A nearest neighbour is not an answer: no groups, a reason, and coverage."""
    answer = ask(context, "search_codebase", path=str(indexed.root), query="have you ever been to a five-star resort?")
    assert (answer["relevance"], answer["reason"]) == ("none", "no_relevant_match")
    assert answer["groups"] == []
    assert answer["coverage"]["filesSearched"] > 10
    assert follow(context, answer)


def test_operators_alone_work_and_say_how_complete_they_are(indexed: Indexed, context: ToolContext) -> None:
    """must: is exhaustive with its total; what nothing satisfies is no_filter_match; only excluding is refused."""
    root = str(indexed.root)
    answer = ask(context, "search_codebase", path=root, query="must:round_price")
    assert answer["must"] == {"complete": True, "total": answer["available"], "why": None}
    assert {group["file"] for group in answer["groups"]} == {"shop/cart.py", "shop/prices.py"}
    none = ask(context, "search_codebase", path=root, query="must:no_such_text_anywhere")
    assert (none["reason"], none["relevance"]) == ("no_filter_match", "none")
    refused = ask(context, "search_codebase", path=root, query="exclude:round_price")
    assert (refused["status"], refused["reason"]) == ("error", "invalid_query")


def test_a_subdirectory_confines_the_answer_and_its_follow_ups(indexed: Indexed, context: ToolContext) -> None:
    """The effective root is named, every file lies inside it, and every ready call works."""
    answer = ask(context, "search_codebase", path=str(indexed.root / "web"), query="session timeout", scope="mixed")
    assert answer["publication"]["root"] == str(indexed.root)
    assert answer["publication"]["effectiveRoot"] == str(indexed.root / "web")
    assert answer["groups"]
    assert all(group["file"].startswith("web/") for group in answer["groups"])
    for call in ready_calls(answer):
        assert ask(context, call["tool"], **call["arguments"])["status"] == "ok"


def test_secrets_in_previews_are_masked(indexed: Indexed, context: ToolContext) -> None:
    """A token in indexed source never leaves, whichever way it is asked for."""
    for query in ("must:API_TOKEN", "api token constant"):
        answer = ask(context, "search_codebase", path=str(indexed.root), query=query, debug="full")
        assert "ghp_" not in render(answer)
    read = ask(context, "read_file", path=str(indexed.root / "shop/prices.py"))
    assert "ghp_" not in read["text"]
    assert "# é 𝕏 stays where it is" in read["text"]
    assert len(read["text"].encode()) == len((indexed.root / "shop/prices.py").read_bytes())
    assert "secrets_masked" in [warning["code"] for warning in read["warnings"]]


def test_ten_thousand_matches_stay_within_the_budget(indexed: Indexed, context: ToolContext) -> None:
    """A query that matches everywhere is answered under budget, with what was left out counted."""
    answer = ask(
        context,
        "search_codebase",
        path=str(indexed.root),
        query="handler event dispatch",
        limit=200,
        disclosureLimit=200,
    )
    assert answer["shown"] == len(answer["groups"])
    assert answer["omitted"]["groups"] == answer["frozen"] - answer["shown"]
    assert answer["continuation"]["arguments"]["expectedOffset"] == answer["shown"]


def pages(context: ToolContext, answer: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    while answer["continuation"]:
        answer = ask(context, "continue_search", **answer["continuation"]["arguments"])
        found.append(answer)
    return found


def test_pages_of_the_frozen_set_join_without_gap_or_repeat(indexed: Indexed, context: ToolContext) -> None:
    """Following continuations shows the frozen set once, in order, whatever the budget cut."""
    answer = ask(context, "search_codebase", path=str(indexed.root), query="handler event dispatch", limit=60)
    seen = [(group["rank"], group["symbolId"]) for group in answer["groups"]]
    for page in pages(context, answer):
        seen += [(group["rank"], group["symbolId"]) for group in page["groups"]]
    assert [rank for rank, _ in seen] == list(range(1, answer["frozen"] + 1))
    everything = Codebase.open(indexed.root, indexed.state_root)
    with everything:
        hits = everything.search("handler event dispatch", limit=60)
    assert [hit.symbol_id for hit in hits] == [symbol for _, symbol in seen]


def test_the_same_call_shows_the_same_page(indexed: Indexed, context: ToolContext) -> None:
    """Nothing is searched again: a replay is the same byte for byte, and so is the search itself."""
    arguments = {"path": str(indexed.root), "query": "handler event dispatch", "limit": 40}
    first, again = ask(context, "search_codebase", **arguments), ask(context, "search_codebase", **arguments)
    assert render(first) == render(again)
    call = first["continuation"]["arguments"]
    assert render(ask(context, "continue_search", **call)) == render(ask(context, "continue_search", **call))
    other = indexed.context()
    assert render(ask(other, "search_codebase", **arguments)) == render(first)


def test_a_handle_is_refused_with_its_own_reason(indexed: Indexed) -> None:
    """Unknown, of another session, out of order, at the end, expired: each says which and what to do."""
    now = [0.0]
    session = Session(clock=lambda: now[0])
    session.add_workspaces([str(indexed.root)])
    context = ToolContext(session, Workbench(indexed.state_root))
    found = ask(context, "search_codebase", path=str(indexed.root), query="handler event dispatch", limit=20)
    handle = found["continuation"]["arguments"]["handle"]
    unknown = ask(context, "continue_search", handle="c0123456789abcdef", expectedOffset=8)
    foreign = ask(indexed.context(), "continue_search", handle=handle, expectedOffset=8)
    assert unknown["reason"] == foreign["reason"] == "handle_unknown"
    early = ask(context, "continue_search", handle=handle, expectedOffset=3)
    assert early["reason"] == "handle_out_of_order"
    assert follow(context, early, 1)[0]["status"] == "ok"
    last = pages(context, found)[-1]
    end = ask(context, "continue_search", handle=handle, expectedOffset=last["frozen"])
    assert (end["reason"], end["groups"]) == ("end_of_results", [])
    now[0] = FROZEN_SECONDS + 1.0
    expired = ask(context, "continue_search", handle=handle, expectedOffset=8)
    assert expired["reason"] == "handle_expired"
    assert follow(context, expired, 1)[0]["groups"]


def test_a_newer_publication_supersedes_the_frozen_set(own_indexed: Indexed) -> None:
    """Results of a Publication that is no longer served are refused; the search to repeat is named."""
    context = own_indexed.context()
    found = ask(context, "search_codebase", path=str(own_indexed.root), query="handler event dispatch", limit=20)
    write_files(own_indexed.root, {"shop/new.py": "def brand_new_function():\n    return 1\n"})
    own_indexed.lifecycle().sync()
    refused = ask(context, "continue_search", **found["continuation"]["arguments"])
    assert refused["reason"] == "handle_superseded"
    assert follow(context, refused, 1)[0]["publication"]["sequence"] > found["publication"]["sequence"]
    fresh = ask(context, "search_codebase", path=str(own_indexed.root), query="brand_new_function")
    assert labels(fresh)[0] == "brand_new_function"


def test_freshness_tells_of_changes_at_once(own_indexed: Indexed) -> None:
    """An edit that was not synced shows as changed, with the file and the sync as a next step in status."""
    context = own_indexed.context()
    path = str(own_indexed.root)
    assert ask(context, "search_codebase", path=path, query="round_price")["freshness"]["state"] == "verified"
    write_files(own_indexed.root, {"shop/cart.py": "x = 1\n"})
    changed = ask(context, "search_codebase", path=path, query="round_price")["freshness"]
    assert changed == {
        "state": "changed",
        "changedFiles": ["shop/cart.py"],
        "changedCount": 1,
        "pendingSync": True,
        "of": "directory",
    }
    elsewhere = ask(context, "search_codebase", path=path + "/web", query="session timeout")["freshness"]
    assert elsewhere["state"] == "verified"
    status = ask(context, "manage_index", action="status", path=path)
    assert status["recommendedNextAction"]["arguments"] == {"action": "sync", "path": path}


@pytest.mark.parametrize("debug", ["none", "summary", "ranking", "freshness", "full"])
def test_debug_explains_without_changing_the_answer(indexed: Indexed, context: ToolContext, debug: str) -> None:
    """The same groups at every level; full has the fingerprint."""
    answer = ask(context, "search_codebase", path=str(indexed.root), query="add a product to the cart", debug=debug)
    plain = ask(context, "search_codebase", path=str(indexed.root), query="add a product to the cart")
    assert [group["symbolId"] for group in answer["groups"]] == [group["symbolId"] for group in plain["groups"]]
    assert (answer["debug"] is None) == (debug == "none")
    if debug == "full":
        assert len(answer["debug"]["fingerprint"]) == 10


@pytest.mark.parametrize("query", ['"', "x" * 5_000, "zzqqxx_no_such_symbol", "?!;,.", "the of and to", "नमस्ते दुनिया"])
def test_queries_without_content_are_refused_or_none(indexed: Indexed, context: ToolContext, query: str) -> None:
    """Punctuation, noise, stop words, another script: none or a refusal, not ten arbitrary hits."""
    answer = ask(context, "search_codebase", path=str(indexed.root), query=query)
    assert answer.get("groups", []) == []
    assert answer["reason"] in ("no_relevant_match", "no_filter_match", "invalid_query")


def test_path_queries_are_supplemented_from_changed_files(own_indexed: Indexed) -> None:
    """path: names a file edited or created since: its live symbols are shown beside the ranking, marked as live."""
    context, path = own_indexed.context(), str(own_indexed.root)
    text = (own_indexed.root / "shop/cart.py").read_text()
    write_files(
        own_indexed.root,
        {
            "shop/cart.py": text + "\n\ndef gift_wrapping(order):\n    return order\n",
            "shop/gift.py": "def gift_card(order):\n    return order\n",
            ".env": "GIFT=secret gift\n",
        },
    )
    answer = ask(context, "search_codebase", path=path, query="path:shop/** gift wrapping")
    assert [(one["file"], one["label"], one["source"]) for one in answer["live"]] == [
        ("shop/cart.py", "gift_wrapping", "live"),
        ("shop/gift.py", "gift_card", "live"),
    ]
    assert "live_source" in [warning["code"] for warning in answer["warnings"]]
    opened = ask(context, answer["live"][0]["read"]["tool"], **answer["live"][0]["read"]["arguments"])
    assert opened["text"].startswith("def gift_wrapping")
    assert answer["live"][1]["read"]["arguments"]["action"] == "sync"
    assert ask(context, "search_codebase", path=path, query="gift wrapping")["live"] == []
    assert ask(context, "search_codebase", path=path, query="path:.env gift")["live"] == []
    held = ask(context, "search_codebase", path=path, query="path:shop/** must:gift_card")
    assert [one["label"] for one in held["live"]] == ["gift_card"]
