"""The manifest's digest: what it depends on and what it does not."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from satori.source.filetypes import Category
from satori.source.manifest import NO_STAMP, Manifest, ManifestEntry, content_hash
from satori.source.profile import Profile
from satori.source.reading import Stamp
from satori.source.skip import SkipReason

ENTRY = ManifestEntry("a/b.py", NO_STAMP, content_hash(b"x"), "python", Category.SOURCE, None, 1)

_parts = st.sampled_from(["a", "b", "a.b", "ab", "é", "x\ny"])
entries = st.dictionaries(
    st.lists(_parts, min_size=1, max_size=4).map("/".join),
    st.tuples(st.sampled_from(["", "h1", "h2"]), st.sampled_from([None, SkipReason.BINARY])),
    max_size=8,
).map(lambda found: [replace(ENTRY, path=path, content_hash=h, skip=s) for path, (h, s) in found.items()])


@given(entries, st.randoms(use_true_random=False))
def test_the_digest_depends_on_what_is_said_alone(given_entries: list[ManifestEntry], random: object) -> None:
    """Not on order, stamps or when the bytes were read."""
    first = Manifest.of(given_entries)
    moved = [replace(entry, stamp=Stamp(1, 2, 3, 4), recorded_ns=9) for entry in given_entries]
    random.shuffle(moved)  # type: ignore[attr-defined]
    assert Manifest.of(moved).merkle_root() == first.merkle_root()
    assert [entry.path for entry in Manifest.of(moved).entries] == sorted(entry.path for entry in moved)


@given(entries, entries)
def test_different_manifests_have_different_digests(one: list[ManifestEntry], other: list[ManifestEntry]) -> None:
    """Equal digests mean equal paths, contents, languages, categories and reasons."""
    said = [sorted((entry.path, *map(str, entry.says)) for entry in entries) for entries in (one, other)]
    assert (said[0] == said[1]) == (Manifest.of(one).merkle_root() == Manifest.of(other).merkle_root())


def test_a_file_and_a_directory_of_one_name_differ() -> None:
    """The tree's nodes carry their kind."""
    file = Manifest.of([replace(ENTRY, path="a")])
    directory = Manifest.of([replace(ENTRY, path="a/", content_hash="")])
    below = Manifest.of([replace(ENTRY, path="a/b")])
    assert len({file.merkle_root(), directory.merkle_root(), below.merkle_root(), Manifest(()).merkle_root()}) == 4


def test_skips_are_counted_by_reason() -> None:
    """For status and coverage."""
    manifest = Manifest.of(
        [
            ENTRY,
            replace(ENTRY, path="b.png", skip=SkipReason.BINARY),
            replace(ENTRY, path="c.png", skip=SkipReason.BINARY),
            replace(ENTRY, path=".env", skip=SkipReason.SECRET),
        ]
    )
    assert manifest.skip_counts() == {SkipReason.BINARY: 2, SkipReason.SECRET: 1}
    assert [entry.path for entry in manifest.indexed()] == ["a/b.py"]


@given(entries, entries, st.sampled_from(list(Profile)), st.sampled_from(list(Profile)))
def test_a_following_manifest_is_the_one_made_anew(
    given_before: list[ManifestEntry], given_after: list[ManifestEntry], profile: Profile, another: Profile
) -> None:
    """Whatever is taken over from the manifest before: digest, order and what stamps prove are those of a fresh one."""
    before = Manifest.of(given_before, profile)
    held = before.by_path
    # As a sync has it: an entry that says the same is the very same object.
    after = {entry.path: held[entry.path] if held.get(entry.path) == entry else entry for entry in given_after}
    followed, fresh = before.following(after, another), Manifest.of(after.values(), another)
    assert followed.merkle_root() == fresh.merkle_root()
    assert followed == fresh and followed.by_path == fresh.by_path
    assert followed.proven == fresh.proven and followed.proven_outside == fresh.proven_outside
    again = followed.following(dict(held), profile)
    assert again.merkle_root() == before.merkle_root() and again.proven == before.proven
