"""The source manifest: which files a Publication covers, in which state, and one digest over all of them.

It does not look at the disk. How entries are compared with the disk is `scan`'s task, storing them `publication`'s.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from satori.source.filetypes import Category
from satori.source.hashtree import HashTree
from satori.source.profile import Profile
from satori.source.reading import Stamp
from satori.source.skip import SkipReason

#: Raised when the same bytes would be classified or judged otherwise than before, so that every file is looked at
#: again. 1: first (2026-11-30).
POLICY_VERSION = 1

#: How much older than the moment of reading a time stamp must be to prove that the bytes did not change since:
#: above the clock tick of file systems with fine stamps, and the 2 s of those with coarse ones (FAT).
_FINE_MARGIN_NS = 50_000_000
_COARSE_MARGIN_NS = 2_100_000_000
_SECOND_NS = 1_000_000_000

NO_STAMP = Stamp(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One path of the tree that is not ignored.

    `path` is POSIX and relative to the root; a skipped directory ends with a slash. `content_hash` is that of
    `content_hash()`, empty when the content was not read (skipped by name, kind or size). `recorded_ns` is the moment
    just before the bytes were read, nanoseconds since the epoch, 0 when they were not.
    """

    path: str
    stamp: Stamp
    content_hash: str
    language: str
    category: Category
    skip: SkipReason | None
    recorded_ns: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.stamp.size

    @property
    def mtime_ns(self) -> int:
        """Last modification, nanoseconds since the epoch."""
        return self.stamp.mtime_ns

    @property
    def racy(self) -> bool:
        """Whether an equal stamp does not prove equal bytes: the file was changed too close to when it was read."""
        stamp = self.stamp
        latest = max(stamp.mtime_ns, stamp.ctime_ns)
        margin = _FINE_MARGIN_NS if stamp.ctime_ns % _SECOND_NS else _COARSE_MARGIN_NS
        return latest + margin >= self.recorded_ns

    @property
    def says(self) -> tuple[str, str, Category, SkipReason | None]:
        """What the entry says about the content, whatever its stamp."""
        return (self.content_hash, self.language, self.category, self.skip)


def content_hash(data: bytes) -> str:
    """The hash by which equal contents are recognised: 40 hexadecimal digits of BLAKE2b."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()


@dataclass(frozen=True)
class Manifest:
    """All entries, sorted by path, with the profile and policy they were made under."""

    entries: tuple[ManifestEntry, ...]
    profile: Profile = Profile.DEFAULT
    policy: int = POLICY_VERSION

    @classmethod
    def of(
        cls, entries: Iterable[ManifestEntry], profile: Profile = Profile.DEFAULT, policy: int = POLICY_VERSION
    ) -> Manifest:
        """A manifest of entries in any order."""
        return cls(tuple(sorted(entries, key=lambda entry: entry.path)), profile, policy)

    @cached_property
    def by_path(self) -> dict[str, ManifestEntry]:
        """The entries by path."""
        return {entry.path: entry for entry in self.entries}

    @cached_property
    def proven(self) -> dict[str, Stamp]:
        """The stamps that prove that a file's bytes, and what is made of them, are those recorded."""
        return {entry.path: entry.stamp for entry in self._read_and_safe if not self._outside(entry)}

    @cached_property
    def proven_outside(self) -> dict[str, tuple[Stamp, bool]]:
        """The same for files that the profile leaves out by their content, with whether they were included anyway."""
        return {entry.path: (entry.stamp, entry.skip is None) for entry in self._read_and_safe if self._outside(entry)}

    @cached_property
    def _read_and_safe(self) -> list[ManifestEntry]:
        return [entry for entry in self.entries if entry.recorded_ns and not entry.racy]

    def _outside(self, entry: ManifestEntry) -> bool:
        if entry.skip is None:
            return not self.profile.admits(entry.category, entry.stamp.size)
        return entry.skip is SkipReason.NOT_IN_PROFILE

    def indexed(self) -> Iterator[ManifestEntry]:
        """The entries whose content is covered."""
        return (entry for entry in self.entries if entry.skip is None)

    def skip_counts(self) -> dict[SkipReason, int]:
        """How many entries were skipped for which reason."""
        return dict(Counter(entry.skip for entry in self.entries if entry.skip is not None))

    @cached_property
    def _tree(self) -> HashTree:
        return HashTree(self.entries)

    def merkle_root(self) -> str:
        """The digest of what the tree says, 40 hexadecimal digits: a hash tree over its directories.

        It depends on paths, contents, languages, categories and skip reasons, not on time stamps or order.
        """
        return self._tree.root

    def following(self, entries: dict[str, ManifestEntry], profile: Profile) -> Manifest:
        """The manifest of `entries`, by path, where most are the very objects of this one: what can be derived from
        them is taken over, and made anew for the others only."""
        before = self.by_path
        fresh = [entry for path, entry in entries.items() if before.get(path) is not entry]
        added = sum(entry.path not in before for entry in fresh)
        gone = [path for path in before if path not in entries] if len(before) + added != len(entries) else []
        manifest = Manifest.of(entries.values(), profile, self.policy)
        # Cached properties lie in the instance's dictionary; setting them there is how they are given a value.
        made = manifest.__dict__
        made["by_path"] = entries
        said = [entry for entry in fresh if entry.path not in before or before[entry.path].says != entry.says]
        made["_tree"] = self._tree.following([*((path, None) for path in gone), *((one.path, one) for one in said)])
        if profile is self.profile:
            proven, outside = dict(self.proven), dict(self.proven_outside)
            for path in (*gone, *(entry.path for entry in fresh)):
                proven.pop(path, None)
                outside.pop(path, None)
            few = Manifest(tuple(fresh), profile)
            made["proven"] = proven | few.proven
            made["proven_outside"] = outside | few.proven_outside
        return manifest
