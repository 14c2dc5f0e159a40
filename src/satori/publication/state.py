"""Where Satori keeps its state, and nothing else: names of directories and files, and how they are made.

    state_root/                       0700, files 0600; `SATORI_STATE_ROOT` or ~/.satori
        cache/{facts,vectors}.sqlite  shared by all codebases; may be deleted at any time
        owners/                       one file for each live process that may change state, with its version
        codebases/<slug>-<id>/
            codebase.json             the root this directory belongs to
            current                   which generation is served; replaced by atomic rename
            lease, operation.json     who may change this codebase, and what the last operation did
            generations/<n>/          publication.sqlite, base-<sequence>.segment, vectors/, readers/

It reads no source and knows no Publication.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satori.errors import StateError

DIRECTORY_MODE = 0o700
FILE_MODE = 0o600
NEXT_STEP = "Free space, fix permissions, or set SATORI_STATE_ROOT to a directory of your own."


def default_state_root() -> Path:
    """`SATORI_STATE_ROOT`, else ~/.satori."""
    configured = os.environ.get("SATORI_STATE_ROOT", "")
    return Path(configured) if configured else Path.home() / ".satori"


def codebase_id(root: Path) -> str:
    """A readable slug and 60 bits of the canonical root path's hash: `django-k3v0q2m5xw7a`."""
    digest = hashlib.blake2b(os.fsencode(str(root)), digest_size=10, person=b"satori-codebase").digest()
    name = base64.b32encode(digest).decode("ascii").lower()[:12]
    slug = re.sub(r"[^a-z0-9]+", "-", root.name.lower()).strip("-")[:32] or "codebase"
    return f"{slug}-{name}"


def state_error(error: OSError, doing: str) -> StateError:
    """An operating-system failure under the state root, as a refusal that names it.

    Codes: `state_full` (no space, over quota), `state_read_only` (permissions, read-only file system),
    `state_unusable` (anything else, input/output errors included).
    """
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        code, why = "state_full", "the disk that holds Satori's state is full"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        code, why = "state_read_only", "Satori's state cannot be written"
    else:
        code, why = "state_unusable", os.strerror(error.errno) if error.errno else str(error)
    return StateError(f"Could not {doing}: {why}.", next_step=NEXT_STEP, code=code)


def make_directory(path: Path) -> None:
    """Make `path` and its parents, private to the user; existing directories keep their mode."""
    if not path.is_dir():
        make_directory(path.parent)
        path.mkdir(mode=DIRECTORY_MODE, exist_ok=True)


def write_atomically(path: Path, data: bytes, *, durable: bool) -> None:
    """Replace `path` by `data` in one step; `durable` also survives a power failure.

    A reader sees the old bytes or the new ones, never a mix. Raises OSError; `path` is then untouched.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make renames and creations in `path` durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Make the bytes of `path` durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_json(path: Path) -> dict[str, Any] | None:
    """The object stored at `path`, or None when there is no such file or it holds anything else."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def write_json(path: Path, document: dict[str, Any], *, durable: bool = False) -> None:
    """Store `document` at `path` in one step."""
    write_atomically(path, json.dumps(document, ensure_ascii=True, sort_keys=True).encode("ascii"), durable=durable)


@dataclass(frozen=True, slots=True)
class GenerationPaths:
    """One generation's files; `number` grows with each full build."""

    directory: Path
    number: int

    @property
    def database(self) -> Path:
        """The manifest, symbols, chunks, contents and the publication rows."""
        return self.directory / "publication.sqlite"

    @property
    def vectors(self) -> Path:
        """The directory that LanceDB keeps the chunks table in."""
        return self.directory / "vectors"

    @property
    def readers(self) -> Path:
        """One empty file for each published sequence; a reader holds a shared lock on its own."""
        return self.directory / "readers"

    def base(self, sequence: int) -> Path:
        """The base segment that publication `sequence` wrote."""
        return self.directory / f"base-{sequence}.segment"

    def reader(self, sequence: int) -> Path:
        """The lock file of publication `sequence`."""
        return self.readers / str(sequence)


@dataclass(frozen=True, slots=True)
class CodebasePaths:
    """One codebase's directory."""

    directory: Path

    @property
    def id(self) -> str:
        """The directory's name is the codebase's id."""
        return self.directory.name

    @property
    def record(self) -> Path:
        """Which root this directory belongs to."""
        return self.directory / "codebase.json"

    @property
    def current(self) -> Path:
        """The pointer to the served generation."""
        return self.directory / "current"

    @property
    def lease(self) -> Path:
        """Who may change this codebase."""
        return self.directory / "lease"

    @property
    def operation(self) -> Path:
        """The last operation: progress while it runs, its outcome afterwards."""
        return self.directory / "operation.json"

    @property
    def rebuild(self) -> Path:
        """How often a rebuild was tried by itself for the present fingerprint."""
        return self.directory / "rebuild.json"

    @property
    def generations(self) -> Path:
        """All generations, served and swept ones."""
        return self.directory / "generations"

    def generation(self, number: int) -> GenerationPaths:
        """The files of generation `number`."""
        return GenerationPaths(self.generations / str(number), number)

    def generation_numbers(self) -> list[int]:
        """Numbers of the generations on disk, ascending."""
        try:
            return sorted(int(entry.name) for entry in self.generations.iterdir() if entry.name.isdecimal())
        except FileNotFoundError:
            return []

    def root(self) -> Path | None:
        """The recorded root, or None when the record is missing or damaged."""
        record = read_json(self.record)
        return Path(record["root"]) if record and isinstance(record.get("root"), str) else None

    def prepare(self, root: Path) -> None:
        """Make the directory and its record; raises StateError when that is not possible."""
        try:
            make_directory(self.generations)
            if self.root() != root:
                write_json(self.record, {"root": str(root), "id": self.id}, durable=True)
        except OSError as error:
            raise state_error(error, f"prepare the state of {root}") from error


@dataclass(frozen=True, slots=True)
class StateRoot:
    """The directory that holds all state of one user; it need not exist yet."""

    path: Path

    @classmethod
    def default(cls) -> StateRoot:
        """The state root of this environment."""
        return cls(default_state_root())

    @property
    def cache(self) -> Path:
        """Caches shared by all codebases."""
        return self.path / "cache"

    @property
    def owners(self) -> Path:
        """Registrations of live processes that may change state."""
        return self.path / "owners"

    @property
    def logs(self) -> Path:
        """Log files of supervised children."""
        return self.path / "logs"

    def codebase(self, root: Path) -> CodebasePaths:
        """The directory of the codebase at the canonical `root`; it need not exist yet."""
        return CodebasePaths(self.path / "codebases" / codebase_id(root))

    def codebases(self) -> Iterator[CodebasePaths]:
        """Every codebase directory, ordered by id."""
        try:
            entries = sorted((self.path / "codebases").iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return
        for entry in entries:
            if entry.is_dir() and not entry.name.startswith("."):
                yield CodebasePaths(entry)
