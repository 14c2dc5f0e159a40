"""Small trees for the source tests: written, listed, compared."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from satori.source.listing import Listing
from satori.source.manifest import Manifest
from satori.source.reading import SourceReader
from satori.source.scan import Changes, compare, list_files, read_entry
from satori.source.settings import SourceSettings


def git(directory: Path, *arguments: str, stdin: bytes = b"", codes: tuple[int, ...] = (0,)) -> bytes:
    """The git of the machine, as a user of it would run it."""
    line = ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments]
    names = {"GIT_AUTHOR_NAME": "N", "GIT_COMMITTER_NAME": "N"}
    emails = {"GIT_AUTHOR_EMAIL": "n@example.org", "GIT_COMMITTER_EMAIL": "n@example.org"}
    done = subprocess.run(
        line, cwd=directory, env={**os.environ, **names, **emails, "LC_ALL": "C"}, input=stdin, capture_output=True
    )
    assert done.returncode in codes, done.stderr
    return done.stdout


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    """Write files (and the directories they need) below `root`, which is returned."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    root.mkdir(parents=True, exist_ok=True)
    return root


def commit(root: Path, message: str = "x") -> None:
    """Commit everything that git does not ignore, in a repository that is made if need be."""
    if not (root / ".git").exists():
        git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)


def paths(root: Path, settings: SourceSettings | None = None) -> list[str]:
    """The paths that would be read."""
    return [file.path for file in list_files(root.resolve(), settings).files if file.skip is None]


def skips(root: Path, settings: SourceSettings | None = None) -> dict[str, str]:
    """The paths that are in the tree and skipped, by name or by content, with the reason."""
    return {entry.path: entry.skip.value for entry in record(root, settings).entries if entry.skip is not None}


def record(root: Path, settings: SourceSettings | None = None) -> Manifest:
    """The manifest of the tree as it is."""
    listing = list_files(root.resolve(), settings)
    with SourceReader(root.resolve()) as reader:
        entries = [read_entry(reader, file, listing.profile)[0] for file in listing.files]
    return Manifest.of(entries, listing.profile)


def differences(root: Path, manifest: Manifest | None, settings: SourceSettings | None = None) -> Changes:
    """How the tree differs from the manifest."""
    listing: Listing = list_files(root.resolve(), settings)
    with SourceReader(root.resolve()) as reader:
        return compare(listing, manifest, reader)


def settle(root: Path) -> None:
    """Make every file look as if it had been written long before now, as far as a user can: its mtime."""
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            os.utime(path, ns=(10**18, 10**18))
