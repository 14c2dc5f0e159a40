"""A remembered look is as good as a new one: whatever happens in the tree is noticed by the very next check."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satori.source import remembered as module
from satori.source.freshness import Freshness, FreshnessState, check
from satori.source.manifest import Manifest
from satori.source.reading import SourceReader
from satori.source.remembered import RememberedFreshness
from satori.source.scan import list_files, load_settings, read_entry
from satori.source.stillness import watch_tree

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")
LONG = 60_000.0


def manifest_of(root: Path) -> Manifest:
    """What a build would record of the tree now."""
    listing = list_files(root, load_settings(root))
    with SourceReader(root) as reader:
        return Manifest.of([read_entry(reader, file, listing.profile)[0] for file in listing.files], listing.profile)


class Looked:
    """A small tree, its manifest, and a memory that has a look to remember."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.manifest = manifest_of(root)
        self.settings = load_settings(root)
        self.memory = RememberedFreshness(str(root))

    def check(self) -> FreshnessState:
        return self.memory.check(self.manifest, self.settings, LONG).state

    def warm_after_change(self) -> None:
        """Record the tree as it is, then as `warm`."""
        self.manifest = manifest_of(self.root)
        self.warm()

    def warm(self) -> None:
        """Two looks: the first tells what to watch, the second is remembered."""
        for _ in range(3):
            assert self.check() is FreshnessState.VERIFIED


@pytest.fixture
def looked(tmp_path: Path) -> Iterator[Looked]:
    root = tmp_path / "tree"
    (root / "a" / "b").mkdir(parents=True)
    (root / "top.py").write_text("x = 1\n")
    (root / "a" / "b" / "deep.py").write_text("y = 1\n")
    (root / ".gitignore").write_text("ignored.py\n")
    (root / "ignored.py").write_text("z = 1\n")
    past = time.time() - 60
    for path in sorted(root.rglob("*")):
        os.utime(path, (past, past))
    one = Looked(root)
    yield one
    one.memory.close()


def same_size_same_time(root: Path) -> None:
    path = root / "top.py"
    status = path.stat()
    path.write_text("x = 2\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replaced_directory(root: Path) -> None:
    (root / "a").rename(root.parent / "elsewhere")
    (root / "a").symlink_to(root.parent / "elsewhere")


def in_new_directory(root: Path) -> None:
    (root / "c").mkdir()
    (root / "c" / "new.py").write_text("n = 1\n")


def renamed_over(root: Path) -> None:
    (root.parent / "other.py").write_text("x = 3\n")
    (root.parent / "other.py").rename(root / "top.py")


CHANGES: dict[str, Callable[[Path], object]] = {
    "written": lambda root: (root / "a/b/deep.py").write_text("y = 2\n"),
    "same size, same time": same_size_same_time,
    "created": lambda root: (root / "a/new.py").write_text("n = 1\n"),
    "created in a new directory": in_new_directory,
    "removed": lambda root: (root / "top.py").unlink(),
    "renamed": lambda root: (root / "top.py").rename(root / "a/top.py"),
    "replaced by rename": renamed_over,
    "no longer ignored": lambda root: (root / ".gitignore").write_text("\n"),
    "a directory became a link": replaced_directory,
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_noticed_at_once(looked: Looked, name: str) -> None:
    """The check right after the change says so, whatever was remembered before it."""
    looked.warm()
    CHANGES[name](looked.root)
    assert looked.check() is FreshnessState.CHANGED
    assert looked.check() is FreshnessState.CHANGED


def test_a_root_that_is_moved_away_is_noticed(looked: Looked) -> None:
    """Renaming a directory above the root says nothing to a watch; the path leads nowhere all the same."""
    looked.warm()
    looked.root.rename(looked.root.parent / "moved")
    assert looked.check() is FreshnessState.UNVERIFIED


@linux
def test_a_quiet_tree_is_not_looked_at_again(looked: Looked, monkeypatch: pytest.MonkeyPatch) -> None:
    """While nothing happens the remembered result itself is given; after two seconds the tree is looked at again."""
    looked.warm()
    found = looked.memory.check(looked.manifest, looked.settings, LONG)
    assert looked.memory.check(looked.manifest, looked.settings, LONG) is found
    other = manifest_of(looked.root)
    assert looked.memory.check(other, looked.settings, LONG) is not found
    looked.warm()
    found = looked.memory.check(looked.manifest, looked.settings, LONG)
    monkeypatch.setattr(module, "LASTS_SECONDS", 0.0)
    assert looked.memory.check(looked.manifest, looked.settings, LONG) is not found


def test_without_a_watch_every_check_looks(looked: Looked) -> None:
    """After it was closed (or where the system lends no watch) nothing is remembered and nothing is missed."""
    looked.warm()
    looked.memory.close()
    first = looked.memory.check(looked.manifest, looked.settings, LONG)
    assert looked.memory.check(looked.manifest, looked.settings, LONG) is not first
    (looked.root / "top.py").write_text("x = 5\n")
    assert looked.check() is FreshnessState.CHANGED


@linux
def test_a_watch_tells_once_and_can_be_closed(tmp_path: Path) -> None:
    """Each event ends one stillness; a closed watch is never still, and one on nothing is none."""
    watch = watch_tree(str(tmp_path), ("",))
    assert watch is not None
    assert watch.still()
    (tmp_path / "x").write_text("1")
    assert not watch.still()
    assert watch.still()
    watch.close()
    watch.close()
    assert not watch.still()
    assert watch_tree(str(tmp_path), ("gone/",)) is None


EDITS = st.sampled_from(["write", "touch", "create", "remove", "move", "ignore", "nothing"])
NAMES = st.sampled_from(["top.py", "a/one.py", "a/b/deep.py", "c/two.py"])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(EDITS, NAMES), max_size=8))
def test_it_always_agrees_with_a_new_look(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]
) -> None:
    """After any edits, each check finds what a look without memory finds."""
    root = tmp_path_factory.mktemp("random")
    (root / "a" / "b").mkdir(parents=True)
    (root / "top.py").write_text("x = 1\n")
    (root / "a" / "b" / "deep.py").write_text("y = 1\n")
    manifest = manifest_of(root)
    memory = RememberedFreshness(str(root))
    for number, (edit, name) in enumerate(steps):
        path = root / name
        if edit in ("write", "create"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"v = {number}\n")
        elif edit == "touch" and path.exists():
            os.utime(path)
        elif edit == "remove" and path.exists():
            path.unlink()
        elif edit == "move" and path.exists():
            path.rename(root / f"moved{number}.py")
        elif edit == "ignore":
            (root / ".gitignore").write_text(f"{name}\n")
        chosen = load_settings(root)
        for _ in range(2):
            remembered = memory.check(manifest, chosen, LONG)
            fresh = check(root, manifest, chosen, LONG)
            assert (remembered.state, remembered.changed_files) == (fresh.state, fresh.changed_files)
    memory.close()


def follow(looked: Looked) -> None:
    """Publish what the last look saw, as a sync does: equal entries stay the very objects."""
    found = looked.memory.check(looked.manifest, looked.settings, LONG)
    assert found.state is FreshnessState.CHANGED
    entries, held = {}, looked.manifest.by_path
    for entry in manifest_of(looked.root).entries:
        same = entry.path in held and held[entry.path].stamp == entry.stamp
        entries[entry.path] = held[entry.path] if same else entry
    looked.manifest = looked.manifest.following(entries, looked.manifest.profile)
    looked.memory.follow(found, looked.manifest)


@linux
def test_what_was_published_from_a_look_need_not_be_looked_at(looked: Looked, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an edit, an addition and a deletion were published as they were seen, the next check takes no look."""
    (looked.root / "a" / "b" / "more.py").write_text("m = 1\n")
    looked.warm_after_change()
    (looked.root / "top.py").write_text("x = 22\n")
    (looked.root / "a" / "new.py").write_text("n = 1\n")
    (looked.root / "a" / "b" / "more.py").unlink()
    follow(looked)
    looks: list[object] = []

    def counted(*arguments: Any) -> Freshness:
        looks.append(arguments)
        return check(*arguments)

    monkeypatch.setattr(module, "check", counted)
    assert looked.check() is FreshnessState.VERIFIED and not looks
    (looked.root / "top.py").write_text("x = 333\n")
    assert looked.check() is FreshnessState.CHANGED and looks


@linux
@pytest.mark.parametrize(
    "late", [lambda root: (root / "top.py").write_text("x = 4\n"), None], ids=["event", "manifest"]
)
def test_what_does_not_fit_the_look_is_looked_at(looked: Looked, late: Callable[[Path], object] | None) -> None:
    """Something that happened after the look, or a manifest that says something else, is no proof."""
    looked.warm()
    (looked.root / "top.py").write_text("x = 22\n")
    found = looked.memory.check(looked.manifest, looked.settings, LONG)
    published = manifest_of(looked.root)
    if late is not None:
        late(looked.root)
    else:
        published = Manifest.of([entry for entry in published.entries if entry.path != "top.py"], published.profile)
    looked.memory.follow(found, published)
    looked.manifest = published
    assert looked.check() is FreshnessState.CHANGED
