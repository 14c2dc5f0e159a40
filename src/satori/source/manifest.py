"""The source manifest: which files a Publication covers, in which state, and one digest over all of them.

It does not look at the disk. How entries are compared with the disk is `scan`'s task, storing them `publication`'s.
"""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from satori.source.filetypes import Category
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

    def merkle_root(self) -> str:
        """The digest of what the tree says, 40 hexadecimal digits: a hash tree over its directories.

        It depends on paths, contents, languages, categories and skip reasons, not on time stamps or order.
        """
        tree: dict[str, list[tuple[bytes, bytes]]] = {"": []}
        for entry in self.entries:
            directory, _, name = entry.path.rstrip("/").rpartition("/")
            _make_directories(tree, directory)
            said = "\0".join((entry.content_hash, entry.language, entry.category, entry.skip or ""))
            tree[directory].append((b"f" + name.encode("utf-8", "surrogateescape"), said.encode()))
        # Longest first: children are digested before the directories they lie in.
        for directory in sorted(tree, key=lambda path: (-path.count("/"), path)):
            if directory:
                above, _, name = directory.rpartition("/")
                digest = _directory_digest(tree[directory])
                tree[above].append((b"d" + name.encode("utf-8", "surrogateescape"), digest))
        return _directory_digest(tree[""]).hex()


def _make_directories(tree: dict[str, list[tuple[bytes, bytes]]], directory: str) -> None:
    while directory not in tree:
        tree[directory] = []
        directory = directory.rpartition("/")[0]


def _directory_digest(children: list[tuple[bytes, bytes]]) -> bytes:
    hasher = hashlib.blake2b(digest_size=20)
    for name, value in sorted(children):
        hasher.update(struct.pack("<II", len(name), len(value)))
        hasher.update(name)
        hasher.update(value)
    return hasher.digest()
