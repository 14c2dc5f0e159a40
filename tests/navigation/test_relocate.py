from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from satori.facts.extract import extract_facts
from satori.model.symbol import Symbol
from satori.navigation.relocate import Located, Loss, Lost, Standing, labelled, locate, split_id
from satori.symbols.identify import identify


def symbols(source: str) -> list[Symbol]:
    """The symbols of a Python file of this text."""
    data = source.encode()
    return identify("m.py", extract_facts("python", data), data)


def named(found: list[Symbol], name: str, nth: int = 0) -> Symbol:
    return [symbol for symbol in found if symbol.name == name][nth]


BEFORE = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"


def find(before: str, after: str, name: str, nth: int = 0) -> Located | Lost:
    published, current = symbols(before), symbols(after)
    return locate(published, current, *split_id(named(published, name, nth).symbol_id))


def test_unchanged_source_is_exact() -> None:
    """The same bytes: the same symbol at the same place."""
    found = find(BEFORE, BEFORE, "b")
    assert isinstance(found, Located)
    assert found.standing is Standing.EXACT


def test_twenty_lines_above_move_it() -> None:
    """Edits elsewhere move a symbol; it is found by its key, its text proves it."""
    found = find(BEFORE, "# line\n" * 20 + BEFORE, "b")
    assert isinstance(found, Located)
    assert found.standing is Standing.MOVED
    assert found.symbol.span.start_line == 25


def test_an_edited_body_is_the_same_symbol_with_another_hash() -> None:
    """Edited: served, and both hashes are known."""
    found = find(BEFORE, BEFORE.replace("return 2", "return 22"), "b")
    assert isinstance(found, Located)
    assert found.standing is Standing.EDITED
    assert found.symbol.text_hash != found.requested_hash


def test_a_deleted_symbol_is_gone_and_its_neighbour_is_not_shown() -> None:
    """Gone is gone: no nearest thing."""
    found = find(BEFORE, "def a():\n    return 1\n", "b")
    assert isinstance(found, Lost)
    assert found.loss is Loss.GONE
    assert found.candidates == ()


TWINS = "def f():\n    return 1\n\n\ndef f():\n    return 2\n"


def test_a_key_that_now_names_the_twin_is_not_trusted() -> None:
    """The first of two equal definitions is deleted: its key names the second now, and is refused."""
    found = find(TWINS, "def f():\n    return 2\n", "f", 0)
    assert isinstance(found, Lost)
    assert found.loss is Loss.AMBIGUOUS


def test_the_twin_that_stayed_is_found_by_its_text() -> None:
    """Its key changed (it is the first now); its text did not."""
    found = find(TWINS, "def f():\n    return 2\n", "f", 1)
    assert isinstance(found, Located)
    assert found.standing is Standing.MOVED


def test_moved_into_a_class_it_is_found_by_its_text() -> None:
    """Another owner is another key; one function of that name and text is still the one."""
    before = "def helper(x):\n    return x\n"
    after = "if True:\n    pass\n\n\ndef helper(x):\n    return x\n"
    found = find(before, after, "helper")
    assert isinstance(found, Located)
    assert found.symbol.name == "helper"


def test_an_unknown_key_is_unknown() -> None:
    """A key of another file or an invented one finds nothing."""
    found = locate(symbols(BEFORE), symbols(BEFORE), "s" + "a" * 15)
    assert isinstance(found, Lost)
    assert found.loss is Loss.UNKNOWN


def test_labels_in_any_separator_name_the_same_symbol() -> None:
    """Session.send, Session::send and Session#send are one name; a bare name fits all of them."""
    found = symbols("class Session:\n    def send(self):\n        pass\n\n\ndef send():\n    pass\n")
    for label in ("Session.send", "Session::send", "Session#send"):
        assert [symbol.qualified_name for symbol in labelled(found, label)] == ["Session.send"]
    assert [symbol.qualified_name for symbol in labelled(found, "send")] == ["send"]


BODIES = st.lists(st.tuples(st.sampled_from("fgh"), st.integers(0, 2)), max_size=6)


@given(BODIES, BODIES, st.integers(0, 5))
def test_never_another_symbols_body(before: list[tuple[str, int]], after: list[tuple[str, int]], which: int) -> None:
    """Whatever was edited, what is served has the name asked for; other text is served only as edited."""

    def source(functions: list[tuple[str, int]]) -> str:
        return "\n\n".join(f"def {name}():\n    return {value}\n" for name, value in functions)

    published, current = symbols(source(before)), symbols(source(after))
    if len(published) < 2:
        return
    wanted = published[1 + which % (len(published) - 1)]
    found = locate(published, current, *split_id(wanted.symbol_id))
    if isinstance(found, Located):
        assert found.symbol.name == wanted.name
        if found.standing is Standing.EDITED:
            # Only where nothing else of that name changed can the key be trusted.
            rest_before = [s.text_hash for s in published if s.name == wanted.name and s.key != wanted.key]
            rest_after = [s.text_hash for s in current if s.name == wanted.name and s.key != wanted.key]
            assert rest_before == rest_after
        else:
            assert found.symbol.text_hash == wanted.text_hash
