"""What must be noticed when a tree changes, and what must not."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satori.errors import SourceError
from satori.source.filetypes import Category
from satori.source.freshness import FreshnessState, check
from satori.source.listing import ListedFile
from satori.source.manifest import NO_STAMP, Manifest, ManifestEntry
from satori.source.profile import Profile
from satori.source.reading import SourceReader
from satori.source.scan import compare, list_files, read_entry
from satori.source.settings import SourceSettings
from satori.source.skip import SkipReason
from tests.source.tree import commit, differences, git, record, settle, write

Paths = list[str]


def _paths(files: tuple[ListedFile, ...]) -> Paths:
    return [file.path for file in files]


def aged(manifest: Manifest) -> Manifest:
    """The manifest as if every file had been read long after it was written, so that stamps prove."""
    later = time.time_ns() + 60 * 10**9
    return Manifest.of((replace(entry, recorded_ns=later) for entry in manifest.entries), manifest.profile)


def test_same_length_rewrite_with_the_old_mtime_restored_is_seen(tmp_path: Path) -> None:
    """`x=1` becomes `x=2` at once and the modification time is put back: the file counts as modified."""
    file = write(tmp_path, {"a.py": "x=1\n"}) / "a.py"
    before = file.stat()
    manifest = record(tmp_path)
    file.write_text("x=2\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert _paths(differences(tmp_path, manifest).modified) == ["a.py"]


def test_same_length_rewrite_in_the_same_tick_is_seen(tmp_path: Path) -> None:
    """Even if no stamp differs at all, a file read within a clock tick of its last change is hashed again."""
    file = write(tmp_path, {"a.py": "x=1\n"}) / "a.py"
    manifest = record(tmp_path)
    file.write_text("x=2\n")
    # The worst case: the file system gives the new state the very stamps of the old one.
    listing = list_files(tmp_path)
    (old,) = manifest.entries
    forged = replace(old, stamp=listing.files[0].stamp, recorded_ns=max(listing.files[0].stamp[1:3]) + 1_000_000)
    with SourceReader(tmp_path) as reader:
        changes = compare(listing, Manifest.of([forged]), reader)
    assert _paths(changes.modified) == ["a.py"]


def test_a_stamp_that_is_safely_old_is_not_hashed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at an unchanged tree opens no file."""
    write(tmp_path, {"a.py": "x=1\n", "b/c.md": "# c\n", "d": "#!/bin/sh\n", "e.bin": "x", "f.py": b"a\0"})
    manifest = aged(record(tmp_path))

    def refuse(*_: object) -> None:
        raise AssertionError("a file was read")

    monkeypatch.setattr(SourceReader, "read", refuse)
    changes = differences(tmp_path, manifest)
    assert changes.is_empty
    assert not changes.touched
    assert changes.unchanged == 5


@pytest.mark.parametrize("granularity", [1, 10_000_000, 1_000_000_000])
def test_the_racily_clean_margin_follows_the_file_systems_ticks(granularity: int) -> None:
    """Whole-second stamps need two seconds of distance, fine ones a few clock ticks."""
    written = 1_700_000_000_123_456_789 // granularity * granularity
    entry = ManifestEntry("a", NO_STAMP, "h", "text", Category.SOURCE, None, 0)
    stamp = entry.stamp._replace(mtime_ns=written, ctime_ns=written)
    assert replace(entry, stamp=stamp, recorded_ns=written).racy
    assert replace(entry, stamp=stamp, recorded_ns=written + granularity).racy
    assert not replace(entry, stamp=stamp, recorded_ns=written + 3_000_000_000).racy
    future = stamp._replace(mtime_ns=written + 10**15)
    assert replace(entry, stamp=future, recorded_ns=written + 3_000_000_000).racy


def test_changed_bytes_with_an_older_mtime_are_seen(tmp_path: Path) -> None:
    """A checkout of an old commit or `tar -x` sets times back: older is different, not unchanged."""
    file = write(tmp_path, {"a.py": "x=1\n"}) / "a.py"
    manifest = aged(record(tmp_path))
    file.write_text("x=2\n")
    hour_ago = time.time_ns() - 3600 * 10**9
    os.utime(file, ns=(hour_ago, hour_ago))
    assert _paths(differences(tmp_path, manifest).modified) == ["a.py"]


def test_touching_every_file_changes_nothing(tmp_path: Path) -> None:
    """New times on equal bytes: no change, the same digest, and recording the new stamps spares the next hash."""
    write(tmp_path, {"a.py": "x=1\n", "b/c.py": "y=1\n"})
    manifest = aged(record(tmp_path))
    settle(tmp_path)
    changes = differences(tmp_path, manifest)
    assert changes.is_empty
    assert [entry.path for entry in changes.touched] == ["a.py", "b/c.py"]
    after = Manifest.of(changes.touched)
    assert after.merkle_root() == manifest.merkle_root()
    assert not differences(tmp_path, aged(after)).touched


def test_a_replaced_file_with_equal_size_and_mtime_is_seen(tmp_path: Path) -> None:
    """Renaming another file over it changes the inode, whatever the times say."""
    write(tmp_path, {"a.py": "x=1\n", "other": "x=2\n"})
    settle(tmp_path)
    manifest = aged(record(tmp_path))
    (tmp_path / "other").rename(tmp_path / "a.py")
    assert _paths(differences(tmp_path, manifest).modified) == ["a.py"]


def test_deleted_and_renamed_files_are_gone(tmp_path: Path) -> None:
    """Two deletions and a rename: removed names the old paths, added the new one."""
    write(tmp_path, {"a.py": "x=1\n", "doc.md": "# d\n", "old.py": "z=1\n", "kept.py": ""})
    manifest = record(tmp_path)
    (tmp_path / "a.py").unlink()
    (tmp_path / "doc.md").unlink()
    (tmp_path / "old.py").rename(tmp_path / "new.py")
    changes = differences(tmp_path, manifest)
    assert [entry.path for entry in changes.removed] == ["a.py", "doc.md", "old.py"]
    assert _paths(changes.added) == ["new.py"]
    assert changes.content_paths == ("a.py", "doc.md", "new.py", "old.py")


def test_a_hard_reset_is_not_fresh(tmp_path: Path) -> None:
    """After `git reset --hard HEAD~1` the freshness check names the files that differ."""
    root = tmp_path.resolve()
    write(root, {"a.py": "one\n", "b.py": "b\n"})
    commit(root)
    write(root, {"a.py": "two\n", "c.py": "c\n"})
    commit(root)
    manifest = record(root)
    assert check(root, manifest, budget_ms=5000).state is FreshnessState.VERIFIED
    git(root, "reset", "-q", "--hard", "HEAD~1")
    seen = check(root, manifest, budget_ms=5000)
    assert seen.state is FreshnessState.CHANGED
    assert seen.changed_files == ("a.py", "c.py")
    assert seen.changes is not None


def test_an_untracked_file_and_a_new_directory_are_picked_up(tmp_path: Path) -> None:
    """Git need not know a file for it to be indexed."""
    write(tmp_path, {"a.py": ""})
    commit(tmp_path)
    manifest = record(tmp_path)
    write(tmp_path, {"new.py": "", "fresh/deep/x.py": ""})
    assert _paths(differences(tmp_path, manifest).added) == ["fresh/deep/x.py", "new.py"]


def test_switching_branches_and_back_ends_where_it_began(tmp_path: Path) -> None:
    """Branch A to B to A: the digest of the second A is that of the first."""
    write(tmp_path, {"a.py": "a\n"})
    commit(tmp_path)
    first = record(tmp_path)
    git(tmp_path, "checkout", "-q", "-b", "b")
    write(tmp_path, {"a.py": "b\n", "b.py": "b\n"})
    commit(tmp_path)
    second = record(tmp_path)
    git(tmp_path, "checkout", "-q", "-")
    assert record(tmp_path).merkle_root() == first.merkle_root() != second.merkle_root()
    assert _paths(differences(tmp_path, second).modified) == ["a.py"]


def test_a_file_that_becomes_skipped_or_eligible_is_modified(tmp_path: Path) -> None:
    """A file replaced by a link, one that turns binary, and a link that turns into a file: each is a change."""
    write(tmp_path, {"a.py": "x\n", "b.py": "y\n", "t.py": "t\n"})
    (tmp_path / "l.py").symlink_to("t.py")
    manifest = record(tmp_path)
    (tmp_path / "a.py").unlink()
    (tmp_path / "a.py").symlink_to("t.py")
    (tmp_path / "b.py").write_bytes(b"\0\0")
    (tmp_path / "l.py").unlink()
    write(tmp_path, {"l.py": "now a file\n"})
    changes = differences(tmp_path, manifest)
    assert [(file.path, file.skip) for file in changes.modified] == [
        ("a.py", SkipReason.SYMLINK),
        ("b.py", None),
        ("l.py", None),
    ]


def test_a_file_skipped_by_name_may_change_without_a_word(tmp_path: Path) -> None:
    """A log that grows, or an image that is exported again, is not a change of what is covered."""
    write(tmp_path, {"a.py": "", "app.log": "1", "logo.png": "1"})
    manifest = aged(record(tmp_path))
    write(tmp_path, {"app.log": "12", "logo.png": "12"})
    assert differences(tmp_path, manifest).is_empty
    assert check(tmp_path.resolve(), manifest, budget_ms=5000).state is FreshnessState.VERIFIED


def test_another_profile_or_include_pattern_changes_what_is_covered(tmp_path: Path) -> None:
    """Widening and narrowing are noticed for unchanged files, and the way back restores the digest."""
    write(tmp_path, {"a.py": "", "c.yaml": "a: 1\n", "t.csv": "1,2\n", "note.zzz": "text\n"})
    default = aged(record(tmp_path))
    wide = SourceSettings(Profile.ALL_TEXT)
    assert _paths(differences(tmp_path, default, wide).modified) == ["note.zzz", "t.csv"]
    minimal = differences(tmp_path, default, SourceSettings(Profile.MINIMAL))
    assert _paths(minimal.modified) == ["c.yaml"]
    included = SourceSettings(include=("*.csv", "*.zzz"))
    assert _paths(differences(tmp_path, default, included).modified) == ["note.zzz", "t.csv"]
    with_include = aged(record(tmp_path, included))
    assert differences(tmp_path, with_include, included).is_empty
    assert not differences(tmp_path, with_include, included).touched
    back = differences(tmp_path, with_include)
    assert _paths(back.modified) == ["note.zzz", "t.csv"]


def test_a_newer_policy_looks_at_everything_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When classification changed, unchanged files whose entry would differ now are modified, the others are not."""
    write(tmp_path, {"a.py": "", "b.py": ""})
    manifest = aged(record(tmp_path))
    old = tuple(replace(entry, language="old") if entry.path == "a.py" else entry for entry in manifest.entries)
    changes = differences(tmp_path, Manifest(old, policy=0))
    assert _paths(changes.modified) == ["a.py"]
    assert [entry.path for entry in changes.touched] == ["b.py"]


def test_unreadable_directories_and_files_keep_their_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deny: Callable[[str], None]
) -> None:
    """What cannot be looked at is neither removed nor changed, and is named."""
    write(tmp_path, {"a.py": "1", "secretive/b.py": "2", "secretive/deep/c.py": "3", "gone.py": "4", "odd.py": "5"})
    manifest = record(tmp_path)
    (tmp_path / "gone.py").unlink()
    deny("secretive")
    deny("odd.py")
    changes = differences(tmp_path, manifest)
    assert changes.partial
    assert changes.unreadable == ("odd.py", "secretive/")
    assert [entry.path for entry in changes.removed] == ["gone.py"]
    assert [entry.path for entry in changes.kept] == ["odd.py", "secretive/b.py", "secretive/deep/c.py"]
    seen = check(tmp_path.resolve(), manifest, budget_ms=5000)
    assert seen.state is FreshnessState.CHANGED
    assert seen.changed_files == ("gone.py",)


@pytest.fixture
def deny(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes opening entries of these names fail as it does without permission (the tests may run as root)."""
    names: set[str] = set()
    real = os.open

    def opening(path: object, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path in names:
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, mode, dir_fd=dir_fd)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", opening)
    return names.add


def test_an_unreadable_root_is_an_error_not_an_empty_tree(tmp_path: Path) -> None:
    """A root that vanished is unverified; nothing is taken for deleted."""
    root = write(tmp_path / "r", {"a.py": ""}).resolve()
    manifest = record(root)
    shutil.rmtree(root)
    seen = check(root, manifest)
    assert seen.state is FreshnessState.UNVERIFIED
    assert "cannot be opened" in seen.reason
    with pytest.raises(SourceError):
        list_files(root)


def test_a_listing_that_ran_out_of_time_removes_nothing(tmp_path: Path) -> None:
    """With no time at all the state is unverified, and no file counts as removed."""
    root = write(tmp_path, {f"d{i}/a.py": "" for i in range(50)}).resolve()
    manifest = record(root)
    seen = check(root, manifest, budget_ms=0.0)
    assert seen.state is FreshnessState.UNVERIFIED
    assert "longer" in seen.reason
    listing = list_files(root, time_limit=0.0)
    assert not listing.complete
    with SourceReader(root) as reader:
        changes = compare(listing, manifest, reader)
    assert not changes.removed
    assert not changes.complete


def test_a_file_deleted_between_listing_and_comparison_is_removed(tmp_path: Path) -> None:
    """The file was listed, its stamp does not prove it, and reading finds it gone."""
    file = write(tmp_path, {"a.py": "1"}) / "a.py"
    manifest = record(tmp_path)
    listing = list_files(tmp_path)
    file.unlink()
    with SourceReader(tmp_path) as reader:
        changes = compare(listing, manifest, reader)
    assert [entry.path for entry in changes.removed] == ["a.py"]


def test_the_first_look_adds_everything(tmp_path: Path) -> None:
    """Without a manifest every path is added, skipped ones with their reason."""
    write(tmp_path, {"a.py": "", ".env": "A=1", "b.png": ""})
    changes = differences(tmp_path, None)
    assert [(file.path, file.skip) for file in changes.added] == [
        (".env", SkipReason.SECRET),
        ("a.py", None),
        ("b.png", SkipReason.BINARY),
    ]
    assert changes.content_paths == ("a.py",)


def test_no_quick_rewrite_escapes(tmp_path: Path) -> None:
    """A hundred times: record, rewrite at once with equal length and the old mtime; each rewrite is seen."""
    file = write(tmp_path, {"a.py": "000"}) / "a.py"
    for turn in range(1, 101):
        manifest = record(tmp_path)
        before = file.stat()
        file.write_text(f"{turn:03}")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert _paths(differences(tmp_path, manifest).modified) == ["a.py"]


def updated(root: Path, manifest: Manifest) -> Manifest:
    """The manifest brought up to date from the differences alone, as a sync does it."""
    listing = list_files(root)
    with SourceReader(root) as reader:
        changes = compare(listing, manifest, reader)
        entries = dict(manifest.by_path)
        for entry in changes.removed:
            del entries[entry.path]
        for file in (*changes.added, *changes.modified):
            entries[file.path] = read_entry(reader, file, listing.profile)[0]
    entries.update({entry.path: entry for entry in changes.touched})
    return Manifest.of(entries.values(), listing.profile)


_NAMES = ["a.py", "b.md", "d/a.py", "d/e/c.ts", "f/x.csv", ".env", "build/o.py", "l.py"]
_CONTENTS = ["", "x\n", "y\n", "longer text\n", "\0"]
_IGNORES = ["", "*.py\n", "d/\n", "*\n!*.md\n", "/a.py\n!d/\n"]
edits = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(_NAMES), st.sampled_from(_CONTENTS)),
    st.tuples(st.just("quietly"), st.sampled_from(_NAMES), st.sampled_from(_CONTENTS)),
    st.tuples(st.just("delete"), st.sampled_from(_NAMES), st.just("")),
    st.tuples(st.just("link"), st.sampled_from(_NAMES), st.just("")),
    st.tuples(st.just("move"), st.sampled_from(_NAMES), st.sampled_from(_NAMES)),
    st.tuples(st.just("touch"), st.sampled_from(_NAMES), st.just("")),
    st.tuples(st.just("ignore"), st.sampled_from(["", "d/"]), st.sampled_from(_IGNORES)),
    st.tuples(st.just("satoriignore"), st.just(""), st.sampled_from(["", "!build/\n", "!*.py\n", "*.ts\n"])),
)


def apply(root: Path, edit: tuple[str, str, str]) -> None:
    """One edit of the tree; edits that are impossible as it is do nothing."""
    kind, name, value = edit
    path = root / name
    present = path.is_file() and not path.is_symlink()
    if kind in ("ignore", "satoriignore"):
        write(root, {f"{name}.git{kind}" if kind == "ignore" else ".satoriignore": value})
    elif kind == "write" and not path.is_symlink():
        write(root, {name: value})
    elif kind == "quietly" and present:
        before = path.stat()
        path.write_text(value)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif kind == "delete":
        path.unlink(missing_ok=True)
    elif kind == "link" and path.parent.is_dir():
        path.unlink(missing_ok=True)
        path.symlink_to("/etc/passwd")
    elif kind == "move" and present and (root / value).parent.is_dir():
        path.rename(root / value)
    elif kind == "touch" and present:
        os.utime(path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(edits, min_size=1, max_size=4), max_size=6))
def test_differences_alone_lead_to_what_a_fresh_look_records(
    tmp_path_factory: pytest.TempPathFactory, steps: list[list[tuple[str, str, str]]]
) -> None:
    """After any edits, and after each step, the manifest made from the differences says what a new one says."""
    root = write(tmp_path_factory.mktemp("steps"), {"a.py": "x\n", "d/a.py": "y\n"}).resolve()
    manifest = updated(root, Manifest(()))
    for step in steps:
        for edit in step:
            apply(root, edit)
        manifest = updated(root, manifest)
        fresh = record(root)
        assert [(entry.path, entry.says) for entry in manifest.entries] == [
            (entry.path, entry.says) for entry in fresh.entries
        ]
        assert manifest.merkle_root() == fresh.merkle_root()
