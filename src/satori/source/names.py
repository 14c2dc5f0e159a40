"""What an entry's name alone decides, remembered, since a codebase is looked at again and again.

No I/O and no rules from the tree here: secrets, version control, well-known binary files, the profile's categories,
dependency trees by name, and names that no answer could carry.
"""

from __future__ import annotations

import os

from satori.source.denied import denied_name
from satori.source.filetypes import BINARY, classify_name
from satori.source.profile import Profile
from satori.source.skip import SkipReason
from satori.source.trees import is_dependency_tree

_MEMORY_LIMIT = 200_000


class FileDecisions(dict[str, SkipReason | None]):
    """`decisions[name]`: the reason to skip a file of this name under one profile, as far as the name tells."""

    def __init__(self, profile: Profile) -> None:
        super().__init__()
        self._profile = profile

    def __missing__(self, name: str) -> SkipReason | None:
        if len(self) > _MEMORY_LIMIT:
            self.clear()
        reason = denied_name(name)
        if reason is None and spelled(name) != name:
            reason = SkipReason.UNDECODABLE_NAME
        if reason is None:
            kind = classify_name(name)
            if kind is BINARY:
                reason = SkipReason.BINARY
            elif kind is not None and not self._profile.covers(kind.category):
                reason = SkipReason.NOT_IN_PROFILE
        self[name] = reason
        return reason


class DirectoryDecisions(dict[str, SkipReason | None]):
    """`decisions[name]`: the reason not to enter a directory of this name (dependency trees unless git tracks them)."""

    def __missing__(self, name: str) -> SkipReason | None:
        if len(self) > _MEMORY_LIMIT:
            self.clear()
        reason = denied_name(name, True)
        if reason is None and spelled(name) != name:
            reason = SkipReason.UNDECODABLE_NAME
        if reason is None and is_dependency_tree(name):
            reason = SkipReason.DEPENDENCY_TREE
        self[name] = reason
        return reason


FILES = {profile: FileDecisions(profile) for profile in Profile}
DIRECTORIES = DirectoryDecisions()


def spelled(path: str) -> str:
    """A path that can be stored and shown: bytes that are not UTF-8 become backslash escapes."""
    if path.isascii():
        return path
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    return path
