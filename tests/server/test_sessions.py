from __future__ import annotations

from pathlib import Path
from typing import Any

from satori.server.sessions import FROZEN_SECONDS, MAX_FROZEN, Session, codex_workspaces, file_uri_path


def test_workspaces_come_from_the_environment_and_the_directory(tmp_path: Path) -> None:
    """CLAUDE_PROJECT_DIR and the directory the client started us in; relative values are ignored."""
    session = Session.of_process({"CLAUDE_PROJECT_DIR": "/srv/p", "HOME": "/x"}, str(tmp_path))
    assert session.workspaces == ("/srv/p", str(tmp_path))
    assert Session.of_process({"CLAUDE_PROJECT_DIR": "p"}, "").workspaces == ()


def test_codex_metadata_in_every_shape() -> None:
    """A map of paths, a list, the same as JSON text, and nonsense."""
    shapes: list[Any] = [
        {"workspaces": {"/w": {"branch": "main"}}},
        {"workspaces": ["/w", 3]},
        '{"workspaces": {"/w": {}}}',
    ]
    for value in shapes:
        assert codex_workspaces({"x-codex-turn-metadata": value}) == ["/w"]
    nonsense: list[Any] = [None, "not json", {"workspaces": 3}, [], {}]
    for value in nonsense:
        assert codex_workspaces({"x-codex-turn-metadata": value}) == []
    assert codex_workspaces(None) == []


def test_roots_are_file_uris() -> None:
    """Percent-encoded file URIs become paths; anything else becomes nothing."""
    assert file_uri_path("file:///srv/my%20repo") == "/srv/my repo"
    assert file_uri_path("file://localhost/srv") == "/srv"
    assert file_uri_path("file://elsewhere/srv") == ""
    assert file_uri_path("https://example.com/x") == ""


def test_a_frozen_set_lives_fifteen_minutes() -> None:
    """Until then it is found; afterwards it is known as expired, with the search that made it."""
    now = [100.0]
    session = Session(clock=lambda: now[0])
    frozen = session.freeze("/r", "p1", object(), {"path": "/r", "query": "q"})
    now[0] += FROZEN_SECONDS
    assert session.frozen(frozen.handle) is frozen
    now[0] += 1
    assert session.frozen(frozen.handle) is None
    assert session.expired(frozen.handle) == {"path": "/r", "query": "q"}
    assert session.expired("c0000000000000000") is None


def test_frozen_sets_are_bounded_and_private() -> None:
    """The oldest set makes room; another session never sees a handle."""
    session, other = Session(), Session()
    frozen = [session.freeze("/r", "p", None, {"query": str(n)}) for n in range(MAX_FROZEN + 1)]
    assert session.frozen(frozen[0].handle) is None
    assert session.frozen(frozen[-1].handle) is frozen[-1]
    assert other.frozen(frozen[-1].handle) is None
    assert other.expired(frozen[-1].handle) is None


def test_the_same_question_has_the_same_handle_and_lives_on() -> None:
    """An answer is the same byte for byte when it is asked for again; pages that were served stay served."""
    now = [0.0]
    session = Session(clock=lambda: now[0])
    first = session.freeze("/r", "p", None, {"query": "q"})
    first.pages[(0, 8)] = 8
    now[0] = FROZEN_SECONDS - 1
    again = session.freeze("/r", "p", None, {"query": "q"})
    now[0] = FROZEN_SECONDS + 10
    assert again.handle == first.handle
    assert session.frozen(first.handle) is again
    assert again.begins_page(8)
    assert session.freeze("/r", "p2", None, {"query": "q"}).handle != first.handle


def test_a_page_begins_only_where_one_ended() -> None:
    """Offsets that no page led to are out of order."""
    frozen = Session().freeze("/r", "p", None, {})
    frozen.pages[(0, 8)] = 8
    assert frozen.begins_page(8)
    assert not frozen.begins_page(0)
    assert not frozen.begins_page(5)
