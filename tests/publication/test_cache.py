"""The shared caches: bounded, never stale, never trusted."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from satori.publication.cache import BlobCache, Caches, facts_key, pack_value, unpack_value, vector_key
from satori.publication.lifecycle import Lifecycle
from tests.publication.conftest import write


def _key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def test_what_is_put_is_found_by_another_connection(tmp_path: Path) -> None:
    """Rule: entries are shared between processes; unknown keys are left out."""
    writer = BlobCache(tmp_path / "c.sqlite")
    writer.put_many([(_key(number), bytes([number]) * 10) for number in range(200)])
    reader = BlobCache(tmp_path / "c.sqlite", writable=False)
    assert reader.get_many([_key(3), _key(199), _key(500)]) == {_key(3): b"\x03" * 10, _key(199): b"\xc7" * 10}
    assert (tmp_path / "c.sqlite").stat().st_mode & 0o777 == 0o600


def test_the_size_is_bounded_and_the_oldest_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule: beyond the limit the entries used longest ago are dropped, down to the limit; the file shrinks."""
    cache = BlobCache(tmp_path / "c.sqlite", limit_bytes=200_000)
    clock = [time.time()]
    monkeypatch.setattr("satori.publication.cache.time.time", lambda: clock[0])
    for day in range(10):
        clock[0] += 100_000
        cache.put_many([(_key(day * 1_000 + number), os.urandom(500)) for number in range(100)])
        assert cache.size_bytes() <= 200_000
    assert cache.get_many([_key(9_000 + number) for number in range(100)]).keys() == {
        _key(9_000 + number) for number in range(100)
    }
    assert cache.get_many([_key(number) for number in range(100)]) == {}
    cache.close()
    assert (tmp_path / "c.sqlite").stat().st_size < 300_000


def test_a_use_renews_an_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule: what a reader used is kept before what nobody used."""
    clock = [time.time()]
    monkeypatch.setattr("satori.publication.cache.time.time", lambda: clock[0])
    cache = BlobCache(tmp_path / "c.sqlite", limit_bytes=120_000)
    cache.put_many([(_key(number), os.urandom(500)) for number in range(100)])
    clock[0] += 200_000
    reader = BlobCache(tmp_path / "c.sqlite", writable=False)
    reader.get_many([_key(7)])
    cache.renew(reader.renewals())
    cache.put_many([(_key(1_000), b"x")])
    clock[0] += 10
    cache.put_many([(_key(2_000 + number), os.urandom(500)) for number in range(110)])
    assert _key(7) in cache.get_many([_key(7), _key(8)])
    assert _key(8) not in cache.get_many([_key(7), _key(8)])


def test_a_damaged_cache_costs_time_only(lifecycle: Lifecycle) -> None:
    """Rule: a cache of garbage is thrown away, the sync succeeds, and the next one has a cache again."""
    lifecycle.sync()
    for name in ("facts.sqlite", "vectors.sqlite"):
        (lifecycle.state.cache / name).write_bytes(b"not a database at all" * 500)
    write(lifecycle.root, "app/new.py", "def new():\n    return 1\n")
    assert lifecycle.sync().changed == ("app/new.py",)
    write(lifecycle.root, "app/newer.py", "def newer():\n    return 1\n")
    lifecycle.sync()
    caches = Caches(lifecycle.state.cache, writable=False)
    assert caches.facts.size_bytes() > 0 and caches.vectors.size_bytes() > 0
    caches.close()


@pytest.mark.parametrize(
    "value", [b"\x00\xff\x00", pack_value(b"SF1\n", b""), pack_value(b"SF1\n" + b"\x01" * 9, b"x")]
)
def test_a_wrong_value_in_a_cache_is_not_believed(lifecycle: Lifecycle, value: bytes) -> None:
    """Rule: a value of the wrong shape is a miss, not an answer and not a failed build."""
    lifecycle.sync()
    for name in ("facts.sqlite", "vectors.sqlite"):
        connection = sqlite3.connect(lifecycle.state.cache / name)
        connection.execute("UPDATE entry SET value = ?", (value,))
        connection.commit()
        connection.close()
    (lifecycle.root / "app/store.py").rename(lifecycle.root / "app/renamed.py")
    lifecycle.sync()
    with lifecycle.pin() as snapshot:
        assert snapshot.symbols_named("Store")
        row = snapshot.file("app/renamed.py")
        assert row is not None and row.problem == ""


def test_a_second_worktree_parses_and_embeds_only_what_it_has_never_seen(
    lifecycle: Lifecycle, tmp_path: Path, open_lifecycle: Callable[..., Lifecycle]
) -> None:
    """Rule: another root with the same files adds nothing to the caches; one new file adds its own entries."""
    import shutil

    lifecycle.sync()
    entries = _entries(lifecycle)
    shutil.copytree(lifecycle.root, tmp_path / "worktree")
    other = open_lifecycle(tmp_path / "worktree")
    other.sync()
    assert _entries(lifecycle) == entries
    write(other.root, "lone.py", "def lone():\n    return 1\n")
    other.sync()
    facts, vectors = _entries(lifecycle)
    assert facts == entries[0] + 1 and entries[1] < vectors <= entries[1] + 3


def test_switching_back_to_a_branch_adds_nothing(lifecycle: Lifecycle) -> None:
    """Rule: A -> B -> A: the second A comes from the caches and equals the first."""
    lifecycle.sync()
    first = lifecycle.pin().info.merkle_root
    before = (lifecycle.root / "app/store.py").read_bytes()
    write(lifecycle.root, "app/store.py", "class Other:\n    pass\n")
    lifecycle.sync()
    entries = _entries(lifecycle)
    write(lifecycle.root, "app/store.py", before)
    lifecycle.sync()
    assert _entries(lifecycle) == entries
    assert lifecycle.pin().info.merkle_root == first


def test_keys_depend_on_every_version() -> None:
    """Rule: another language, version, model or content is another key."""
    keys = {
        facts_key("a", "python", "1.1"),
        facts_key("b", "python", "1.1"),
        facts_key("a", "go", "1.1"),
        facts_key("a", "python", "1.2"),
        vector_key(b"a", "m/256/1"),
        vector_key(b"a", "m/256/2"),
    }
    assert len(keys) == 6
    for source in (b"", b"the facts stand in this text", b"x" * 100_000):
        packed = pack_value(b"facts", source)
        assert unpack_value(packed, source) == b"facts"
        assert unpack_value(packed[:-2], source) is None
    assert unpack_value(b"damaged", b"") is None
    assert unpack_value(pack_value(b"facts", b"some facts"), b"another source") is None


def _entries(lifecycle: Lifecycle) -> tuple[int, int]:
    found = []
    for name in ("facts.sqlite", "vectors.sqlite"):
        connection = sqlite3.connect(lifecycle.state.cache / name)
        found.append(int(connection.execute("SELECT count(*) FROM entry").fetchone()[0]))
        connection.close()
    return found[0], found[1]
