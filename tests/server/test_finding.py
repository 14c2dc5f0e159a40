from __future__ import annotations

import subprocess
from typing import Any

import pytest

from satori.server.tools import ToolContext
from tests.conftest import Indexed, write_files
from tests.server.asking import ask, follow


@pytest.fixture
def context(indexed: Indexed) -> ToolContext:
    return indexed.context()


def references(context: ToolContext, indexed: Indexed, file: str, label: str, **more: Any) -> dict[str, Any]:
    path = str(more.pop("path", indexed.root))
    return ask(context, "find_references", path=path, symbolRef={"file": file, "symbolLabel": label}, **more)


def grep(indexed: Indexed, name: str) -> int:
    """How often git's own word search finds a name in tracked files (its words are those of ASCII identifiers)."""
    done = subprocess.run(
        ["git", "grep", "-o", "-w", "-I", name], cwd=indexed.root, capture_output=True, text=True, check=False
    )
    return len(done.stdout.splitlines())


@pytest.mark.parametrize("label", ["round_price", "Cart", "add_line", "handler_7", "RetryPolicy"])
def test_every_occurrence_is_found_with_its_exact_span(indexed: Indexed, context: ToolContext, label: str) -> None:
    """The total is git grep's; each span slices the name; owners enclose it."""
    file = {"round_price": "shop/prices.py", "handler_7": "big/many.py", "RetryPolicy": "shop/retry.py"}.get(
        label, "shop/cart.py"
    )
    answer = references(context, indexed, file, label)
    assert answer["total"] == grep(indexed, label)
    assert answer["complete"] is True
    for one in answer["references"]:
        data = (indexed.root / one["file"]).read_bytes()
        assert data[one["span"]["startByte"] : one["span"]["endByte"]].decode() == label
        assert label in one["line"]
    declared = [one for one in answer["references"] if one["kind"] == "declaration"]
    assert [one["file"] for one in declared] == [file]


def test_kinds_and_owners(indexed: Indexed, context: ToolContext) -> None:
    """Imported, called in a method, declared: each with the symbol it stands in."""
    answer = references(context, indexed, "shop/prices.py", "round_price")
    told = [(one["file"], one["kind"], one["owner"] and one["owner"]["label"]) for one in answer["references"]]
    assert told == [
        ("shop/cart.py", "import", None),
        ("shop/cart.py", "identifier", "Cart.total_price"),
        ("shop/prices.py", "declaration", "round_price"),
        ("shop/prices.py", "identifier", "apply_discount"),
    ]
    assert follow(context, answer, 1)[0]["file"] == "shop/cart.py"


def test_scopes_narrow_and_totals_come_before_the_limit(indexed: Indexed, context: ToolContext) -> None:
    """subtree, patterns and the requested directory; a small limit still tells the whole total."""
    everything = references(context, indexed, "big/many.py", "handler_7", limit=1)
    assert everything["shown"] == 1
    assert references(context, indexed, "shop/prices.py", "round_price", subtree="shop/")["total"] == 4
    assert references(context, indexed, "shop/prices.py", "round_price", includePaths=["cart.py"])["total"] == 2
    assert references(context, indexed, "shop/prices.py", "round_price", excludePaths=["cart.py"])["total"] == 2
    inside = references(context, indexed, "shop/prices.py", "round_price", path=indexed.root / "shop")
    assert inside["total"] == 4
    outside = references(context, indexed, "shop/prices.py", "round_price", path=indexed.root / "web")
    assert outside["reason"] == "file_not_indexed"


def test_a_name_that_stands_nowhere_else_says_so(indexed: Indexed, context: ToolContext) -> None:
    """Only its declaration: no_references, after scanning everything."""
    answer = references(context, indexed, "shop/twins.py", "other")
    assert answer["filesScanned"] > 10
    alone = references(context, indexed, "naïve dir/файл 名.py", "unicode_named_file")
    assert (alone["status"], alone["reason"], alone["total"]) == ("ok", "no_references", 1)


def test_ids_keys_and_labels_and_what_is_gone(own_indexed: Indexed) -> None:
    """A changed symbol is resolved by its key with a warning; a gone one, another file's and twins are refused."""
    context, path = own_indexed.context(), str(own_indexed.root)
    outline = ask(context, "file_outline", path=path, file="shop/cart.py")
    by_label = {one["label"]: one for one in outline["symbols"]}
    old = by_label["merge_carts"]["symbolId"]
    text = (own_indexed.root / "shop/cart.py").read_text()
    write_files(own_indexed.root, {"shop/cart.py": text.replace("return first\n", "return first  # merged\n")})
    stale = ask(context, "find_references", path=path, symbolRef={"file": "shop/cart.py", "symbolId": old})
    assert (stale["complete"], stale["freshness"]["state"]) == (False, "changed")
    own_indexed.lifecycle().sync()
    changed = ask(context, "find_references", path=path, symbolRef={"file": "shop/cart.py", "symbolId": old})
    assert changed["total"] == 3
    assert "symbol_changed" in [warning["code"] for warning in changed["warnings"]]
    for reference, reason in (
        ({"file": "shop/retry.py", "symbolId": old}, "symbol_elsewhere"),
        ({"file": "shop/cart.py", "symbolKey": "s" + "a" * 15}, "symbol_not_found"),
        ({"file": "shop/cart.py", "symbolLabel": "nothing"}, "symbol_not_found"),
        ({"file": "shop/twins.py", "symbolLabel": "twin"}, "symbol_ambiguous"),
        ({"file": "shop/cart.py"}, "missing_parameter"),
        ({"file": "shop/none.py", "symbolLabel": "x"}, "file_not_indexed"),
    ):
        refused = ask(context, "find_references", path=path, symbolRef=reference)
        assert refused["reason"] == reason
        follow(context, refused, 1)


def test_many_occurrences_stay_within_the_budget(indexed: Indexed, context: ToolContext) -> None:
    """Three hundred occurrences: exact total, directories counted, the rest reachable by narrowing."""
    write = references(context, indexed, "shop/cart.py", "Cart.add_line", limit=500)
    assert write["total"] == grep(indexed, "add_line")
