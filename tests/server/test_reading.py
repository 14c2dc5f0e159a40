from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from satori.server.tools import ToolContext
from tests.conftest import FILES, Indexed, write_files
from tests.server.asking import ask, follow, ready_calls


@pytest.fixture
def context(indexed: Indexed) -> ToolContext:
    return indexed.context()


def symbol_of(context: ToolContext, root: Path, file: str, label: str) -> dict[str, Any]:
    answer = ask(context, "file_outline", path=str(root), file=file, resolveMode="exact", symbolLabelExact=label)
    assert answer["status"] == "ok", answer["message"]
    found: dict[str, Any] = answer["symbols"][0]
    return found


def open_symbol(context: ToolContext, root: Path, file: str, /, **symbol: str) -> dict[str, Any]:
    return ask(context, "read_file", path=f"{root}/{file}", open_symbol=symbol)


def test_lines_are_exact_with_continuation(indexed: Indexed, context: ToolContext) -> None:
    """A window is the file's bytes; following continuation shows the rest and ends."""
    path = indexed.root / "big/many.py"
    answer = ask(context, "read_file", path=str(path), start_line=1)
    text, seen = answer["text"], [answer["endLine"]]
    while answer["continuation"]:
        answer = ask(context, answer["continuation"]["tool"], **answer["continuation"]["arguments"])
        assert answer["startLine"] == seen[-1] + 1
        seen.append(answer["endLine"])
        text += answer["text"]
    assert text.encode() == path.read_bytes()
    assert seen[-1] == answer["totalLines"]


@pytest.mark.parametrize(("first", "last", "code"), [(9_000, None, "range_clamped"), (10, 90_000, "range_clamped")])
def test_lines_outside_the_file_are_clamped_with_a_word(
    indexed: Indexed, context: ToolContext, first: int, last: int | None, code: str
) -> None:
    """Past the end: the last lines are shown and the warning says so."""
    bounds = {"start_line": first} | ({"end_line": last} if last else {})
    answer = ask(context, "read_file", path=f"{indexed.root}/shop/cart.py", **bounds)
    assert answer["status"] == "ok"
    assert answer["endLine"] == answer["totalLines"]
    assert code in [warning["code"] for warning in answer["warnings"]]


def test_a_range_that_ends_before_it_begins_is_refused(indexed: Indexed, context: ToolContext) -> None:
    """start_line after end_line is an invalid request, in both tools that take lines."""
    calls = {
        "read_file": {"path": f"{indexed.root}/shop/cart.py"},
        "file_outline": {"path": str(indexed.root), "file": "shop/cart.py"},
    }
    for tool, where in calls.items():
        answer = ask(context, tool, **where, start_line=9, end_line=3)
        assert (answer["status"], answer["reason"]) == ("error", "invalid_value")


def test_a_line_of_sixty_thousand_characters_is_clipped_and_said(indexed: Indexed, context: ToolContext) -> None:
    """One line larger than an answer: its beginning, how much is missing, and the next line as continuation."""
    path = indexed.root / "big/long_line.py"
    answer = ask(context, "read_file", path=str(path))
    assert "line_clipped" in [warning["code"] for warning in answer["warnings"]]
    first = path.read_bytes().split(b"\n")[0]
    assert len(answer["text"].encode()) + answer["omitted"]["bytesOfLastLine"] == len(first) + 1
    assert answer["continuation"]["arguments"]["start_line"] == 2


def test_open_symbol_is_exactly_the_symbol(indexed: Indexed, context: ToolContext) -> None:
    """By id, by key and by label: the same bytes, those of its span."""
    symbol = symbol_of(context, indexed.root, "shop/cart.py", "Cart.add_line")
    for named in (
        {"symbolId": symbol["symbolId"]},
        {"symbolKey": symbol["symbolKey"]},
        {"symbolLabel": "Cart::add_line"},
    ):
        answer = open_symbol(context, indexed.root, "shop/cart.py", **named)
        data = (indexed.root / "shop/cart.py").read_bytes()
        assert answer["text"].encode() == data[symbol["span"]["startByte"] : symbol["span"]["endByte"]]
        assert answer["symbol"]["standing"] == "exact"
        assert answer["freshness"]["state"] == "verified"


def test_implementation_names_members_and_siblings(indexed: Indexed, context: ToolContext) -> None:
    """Each is listed with a call that opens it."""
    answer = open_symbol(context, indexed.root, "shop/cart.py", symbolLabel="Cart", context="implementation")
    assert [one["label"] for one in answer["related"]] == [
        "Cart.__init__",
        "Cart.add_line",
        "Cart.total_price",
        "merge_carts",
    ]
    for call in ready_calls(answer["related"]):
        assert ask(context, call["tool"], **call["arguments"])["status"] == "ok"


def test_annotated_lists_what_begins_in_the_window(indexed: Indexed, context: ToolContext) -> None:
    """The same text, and the symbols in it."""
    answer = ask(context, "read_file", path=f"{indexed.root}/shop/retry.py", mode="annotated")
    assert [one["label"] for one in answer["annotations"]] == [
        "RetryPolicy", "RetryPolicy.attempts", "RetryPolicy.backoff_seconds", "schedule_retry"
    ]  # fmt: skip


def test_a_moved_symbol_is_relocated_and_said_so(own_indexed: Indexed) -> None:
    """Twenty lines above it, not synced: the same text from its new place."""
    context, root = own_indexed.context(), own_indexed.root
    symbol = symbol_of(context, root, "shop/cart.py", "merge_carts")
    before = open_symbol(context, root, "shop/cart.py", symbolId=symbol["symbolId"])
    write_files(root, {"shop/cart.py": "# a line\n" * 20 + FILES["shop/cart.py"]})
    after = open_symbol(context, root, "shop/cart.py", symbolId=symbol["symbolId"])
    assert after["text"] == before["text"]
    assert after["startLine"] == before["startLine"] + 20
    assert (after["reason"], after["symbol"]["standing"]) == ("symbol_moved", "moved")
    assert after["freshness"]["state"] == "changed"
    assert after["symbol"]["publishedSpan"]["startLine"] == before["startLine"]


def test_an_edited_symbol_is_served_with_both_hashes(own_indexed: Indexed) -> None:
    """Before the sync and after it: the new text, and both hashes."""
    context, root = own_indexed.context(), own_indexed.root
    symbol = symbol_of(context, root, "shop/cart.py", "merge_carts")
    write_files(root, {"shop/cart.py": FILES["shop/cart.py"].replace("return first", "return first  # merged")})
    for _ in range(2):
        answer = open_symbol(context, root, "shop/cart.py", symbolId=symbol["symbolId"])
        assert "# merged" in answer["text"]
        assert (answer["reason"], answer["symbol"]["standing"]) == ("symbol_edited", "edited")
        assert answer["symbol"]["requestedHash"] == symbol["symbolId"].split(".")[1]
        assert answer["symbol"]["currentHash"] != answer["symbol"]["requestedHash"]
        own_indexed.lifecycle().sync()
    assert answer["freshness"]["state"] == "verified"


def test_a_symbol_that_is_gone_is_refused_with_a_ready_read(own_indexed: Indexed) -> None:
    """Deleted: stale, no other body, and a bounded read of where it was."""
    context, root = own_indexed.context(), own_indexed.root
    symbol = symbol_of(context, root, "shop/cart.py", "merge_carts")
    write_files(root, {"shop/cart.py": FILES["shop/cart.py"].split("def merge_carts")[0]})
    answer = open_symbol(context, root, "shop/cart.py", symbolId=symbol["symbolId"])
    assert (answer["status"], answer["reason"]) == ("stale", "symbol_gone")
    assert "text" not in answer
    assert follow(context, answer, 1)[0]["status"] == "ok"


def test_twins_are_ambiguous_and_never_swapped(own_indexed: Indexed) -> None:
    """A label names both, an id one; when the first goes, its id does not open the second."""
    context, root = own_indexed.context(), own_indexed.root
    both = open_symbol(context, root, "shop/twins.py", symbolLabel="twin")
    assert (both["status"], both["reason"], len(both["candidates"])) == ("ambiguous", "symbol_ambiguous", 2)
    first, second = (one["symbolId"] for one in both["candidates"])
    assert "return 2" in open_symbol(context, root, "shop/twins.py", symbolId=second)["text"]
    write_files(root, {"shop/twins.py": FILES["shop/twins.py"].split("\n\n\n", 1)[1]})
    lost = open_symbol(context, root, "shop/twins.py", symbolId=first)
    assert lost["reason"] == "symbol_gone"
    kept = open_symbol(context, root, "shop/twins.py", symbolId=second)
    assert "return 2" in kept["text"]


def test_what_read_file_refuses(indexed: Indexed, context: ToolContext) -> None:
    """Files outside the manifest, skipped, special, missing; symbols of other files: each refused with its reason."""
    root = indexed.root
    elsewhere = symbol_of(context, root, "shop/cart.py", "merge_carts")["symbolId"]
    assert open_symbol(context, root, "shop/retry.py", symbolId=elsewhere)["reason"] == "symbol_elsewhere"
    assert open_symbol(context, root, "shop/retry.py", symbolId="s" + "a" * 15)["reason"] == "symbol_not_found"
    assert open_symbol(context, root, "shop/retry.py", symbolLabel="nothing")["reason"] == "symbol_not_found"
    for file, reason in {
        "logo.png": "file_skipped",
        ".env": "file_skipped",
        "pipe.py": "file_skipped",
        "ignored/secret_plan.py": "file_not_indexed",
        "shop/nothing.py": "file_not_indexed",
        ".git/config": "file_not_indexed",
        "outside.py": "path_denied",
    }.items():
        answer = ask(context, "read_file", path=f"{root}/{file}")
        assert answer["reason"] == reason, (file, answer["message"])
        assert "text" not in answer
    wrongs: list[dict[str, Any]] = [{"open_symbol": {}}, {"open_symbol": {"symbolId": "s1"}, "start_line": 1}]
    for wrong in wrongs:
        assert ask(context, "read_file", path=f"{root}/shop/cart.py", **wrong)["status"] == "error"
    assert ask(context, "read_file", path=str(root))["reason"] == "invalid_value"


def test_a_file_swapped_for_a_link_or_a_pipe_is_not_read(own_indexed: Indexed, tmp_path: Path) -> None:
    """After indexing: a link to the outside, a linked ancestor, a pipe, a deletion. Nothing hangs, nothing leaks."""
    import os

    context, root = own_indexed.context(), own_indexed.root
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/cart.py").write_text("SECRET = 'outside'\n")
    (root / "shop/retry.py").unlink()
    (root / "shop/retry.py").symlink_to(tmp_path / "secret/cart.py")
    (root / "shop/prices.py").unlink()
    os.mkfifo(root / "shop/prices.py")
    (root / "shop/twins.py").unlink()
    assert ask(context, "read_file", path=f"{root}/shop/retry.py")["reason"] == "path_denied"
    assert ask(context, "read_file", path=f"{root}/shop/prices.py")["reason"] == "file_skipped"
    assert ask(context, "read_file", path=f"{root}/shop/twins.py")["reason"] == "file_missing"
    (root / "shop").rename(tmp_path / "moved")
    (root / "shop").symlink_to(tmp_path / "secret")
    assert ask(context, "read_file", path=f"{root}/shop/cart.py")["reason"] == "path_denied"
    outline = ask(context, "file_outline", path=str(root), file="shop/cart.py")
    assert outline["freshness"]["state"] == "changed"


def test_outline_of_a_file_in_any_script(indexed: Indexed, context: ToolContext) -> None:
    """Names with spaces and CJK work in every tool that takes a file."""
    file = "naïve dir/файл 名.py"
    answer = ask(context, "file_outline", path=str(indexed.root), file=file)
    assert [one["label"] for one in answer["symbols"]] == ["unicode_named_file"]
    opened = follow(context, answer, 1)[0]
    assert opened["text"].startswith("def unicode_named_file")


def test_an_outline_is_paged_by_lines_and_never_stands_still(indexed: Indexed, context: ToolContext) -> None:
    """Three hundred functions in pages of any size: each once, in order."""
    for limit in (7, 500):
        answer = ask(context, "file_outline", path=str(indexed.root), file="big/many.py", limit=limit)
        seen = [one["label"] for one in answer["symbols"]]
        while answer["continuation"]:
            answer = ask(context, "file_outline", **answer["continuation"]["arguments"])
            seen += [one["label"] for one in answer["symbols"]]
        assert seen == [f"handler_{n}" for n in range(300)]


def test_outline_details(indexed: Indexed, context: ToolContext) -> None:
    """analysis measures; relationships counts, or says that it cannot; a range names what encloses it."""
    path = str(indexed.root)
    analysed = ask(context, "file_outline", path=path, file="shop/retry.py", detail="analysis")
    measured = {one["label"]: one["structure"] for one in analysed["symbols"]}
    assert measured["schedule_retry"] == {"lines": 8, "nesting": 2, "branches": 2, "parameters": 2}
    related = ask(context, "file_outline", path=path, file="shop/retry.py", detail="relationships")
    counted = {one["label"]: one["relationships"] for one in related["symbols"]}
    assert counted["schedule_retry"] == {"callers": 0, "callees": 0}
    assert related["coverage"]["callSites"]["unresolved"] > 0
    unserved = ask(context, "file_outline", path=path, file="docs/guide.md", detail="relationships")
    assert "relationships_unavailable" in [warning["code"] for warning in unserved["warnings"]]
    ranged = ask(context, "file_outline", path=path, file="shop/cart.py", start_line=13, end_line=22)
    assert [one["label"] for one in ranged["enclosing"]] == ["Cart"]
    assert [one["label"] for one in ranged["symbols"]] == ["Cart.add_line"]


def test_what_file_outline_refuses(indexed: Indexed, context: ToolContext) -> None:
    """No grammar, nothing there, outside the directory, several symbols, none: each with its reason."""
    path = str(indexed.root)
    assert ask(context, "file_outline", path=path, file="web/page.vue")["reason"] in (
        "symbols_unsupported",
        "no_symbols",
        None,
    )
    assert ask(context, "file_outline", path=path, file="config/settings.toml")["status"] in ("ok", "unsupported")
    assert ask(context, "file_outline", path=path, file="shop/__init__.py")["reason"] == "no_symbols"
    outside = ask(context, "file_outline", path=path + "/web", file="shop/cart.py")
    assert outside["reason"] == "file_not_indexed"
    assert follow(context, outside, 1)[0]["status"] == "ok"
    absolute = ask(context, "file_outline", path=path, file=path + "/shop/cart.py")
    assert absolute["file"] == "shop/cart.py"
    assert ask(context, "file_outline", path=path, file="/etc/passwd")["reason"] == "invalid_value"
    assert ask(context, "file_outline", path=path + "/shop/cart.py", file="x")["reason"] == "invalid_value"
    exact = {"resolveMode": "exact", "path": path, "file": "shop/twins.py"}
    assert ask(context, "file_outline", **exact, symbolLabelExact="twin")["reason"] == "symbol_ambiguous"
    assert ask(context, "file_outline", **exact, symbolIdExact="s1")["reason"] == "symbol_not_found"
    assert ask(context, "file_outline", **exact)["reason"] == "missing_parameter"
