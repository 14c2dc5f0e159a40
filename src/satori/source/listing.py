"""What one look at the tree found: names and stamps, no contents.

Only shapes live here; `walk` fills them and `scan` compares them with a manifest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from satori.source.profile import Profile
from satori.source.reading import Stamp
from satori.source.skip import SkipReason


class ListedFile(NamedTuple):
    """One path that is not ignored; `skip` is the reason if name, kind or size already give one.

    `path` is POSIX and relative to the root; a skipped directory ends with a slash. `included` files are covered
    whatever the profile (the settings' include patterns name them). `stamp` is all zeros for paths skipped by name.
    A named tuple, because a listing holds one for every file.
    """

    path: str
    stamp: Stamp
    skip: SkipReason | None = None
    included: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """All paths that are not ignored, sorted.

    `unreadable` names what could not be looked at: files, and directories with a trailing slash ("" is the root);
    whatever a manifest says about these and what lies below them is kept. `complete` is False when the look was
    ended by its time limit. The counts are of entries that ignore rules left out (directories are not entered).
    `directories` are those that were entered, with a trailing slash ("" is the root): what a watcher must watch.
    """

    files: tuple[ListedFile, ...]
    profile: Profile
    unreadable: tuple[str, ...] = ()
    ignored_files: int = 0
    ignored_directories: int = 0
    complete: bool = True
    warnings: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()

    @property
    def partial(self) -> bool:
        """Whether something could not be looked at."""
        return bool(self.unreadable) or not self.complete
