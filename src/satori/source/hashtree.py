"""A hash tree over directories: one digest of what a set of entries says, made anew only where something changed.

It depends on paths, contents, languages, categories and skip reasons, not on time stamps, order or history. It knows
nothing of files on disk.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satori.source.manifest import ManifestEntry

# What lies directly in a directory: by path, the name that is hashed and what is said of it.
_Children = dict[str, tuple[bytes, bytes]]


class HashTree:
    """Immutable once made; trees that follow one another share what is equal."""

    __slots__ = ("_directories",)

    def __init__(self, entries: Iterable[ManifestEntry]) -> None:
        directories: dict[str, _Children] = {"": {}}
        for entry in entries:
            directory = _above(entry.path)
            children = directories.get(directory)
            if children is None:
                children = directories[directory] = {}
                above = directory
                while above:
                    above = _above(above)
                    directories.setdefault(above, {})
            children[entry.path] = _leaf(entry)
        self._directories = directories
        # Longest first: children are digested before the directories they lie in.
        for directory in sorted(directories, key=lambda path: (-path.count("/"), path)):
            if directory:
                directories[_above(directory)][_node(directory)] = _branch(directory, directories[directory])

    @property
    def root(self) -> str:
        """The digest, 40 hexadecimal digits."""
        return _digest(self._directories[""]).hex()

    def following(self, changed: Iterable[tuple[str, ManifestEntry | None]]) -> HashTree:
        """The tree in which these paths have these entries (None: are gone) and all others are as they are here."""
        directories = dict(self._directories)
        touched: set[str] = set()

        def own(directory: str) -> _Children:
            if directory not in touched:
                touched.add(directory)
                directories[directory] = dict(directories.get(directory, {}))
            return directories[directory]

        for path, entry in changed:
            children = own(_above(path))
            if entry is None:
                children.pop(path, None)
            else:
                children[path] = _leaf(entry)
        depths = {directory: directory.count("/") for directory in touched}
        while depths:
            directory = max(depths, key=lambda path: (depths[path], len(path), path))
            del depths[directory]
            if not directory:
                continue
            above = _above(directory)
            if above not in touched:
                depths[above] = above.count("/")
            siblings = own(above)
            if directories[directory]:
                siblings[_node(directory)] = _branch(directory, directories[directory])
            else:
                siblings.pop(_node(directory), None)
                del directories[directory]
        tree = HashTree.__new__(HashTree)
        tree._directories = directories
        return tree


def _above(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0]


def _node(directory: str) -> str:
    # No entry has such a path, so a file and a directory of one name keep apart.
    return directory + "//"


def _leaf(entry: ManifestEntry) -> tuple[bytes, bytes]:
    name = entry.path.rstrip("/").rpartition("/")[2]
    said = "\0".join((entry.content_hash, entry.language, entry.category, entry.skip or ""))
    return b"f" + name.encode("utf-8", "surrogateescape"), said.encode()


def _branch(directory: str, children: _Children) -> tuple[bytes, bytes]:
    name = directory.rpartition("/")[2]
    return b"d" + name.encode("utf-8", "surrogateescape"), _digest(children)


def _digest(children: _Children) -> bytes:
    hasher = hashlib.blake2b(digest_size=20)
    for name, value in sorted(children.values()):
        hasher.update(struct.pack("<II", len(name), len(value)))
        hasher.update(name)
        hasher.update(value)
    return hasher.digest()
