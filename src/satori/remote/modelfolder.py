"""A local model's folder under the state root: made once, complete or not there, every file with its size and hash.

`satori.json` names the model, where it came from, and each file. Opening checks all sizes, and the hashes of files up
to a bound: reading some hundred megabytes at each start would cost more than it tells; `verify` reads everything. It
knows nothing of what the files mean.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satori.errors import ModelError

MANIFEST = "satori.json"
_FORMAT = 1
_HASHED_BYTES = 8 << 20
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """`files` are (bytes, SHA-256) by name; `source` says where they came from."""

    path: Path
    name: str
    source: str
    files: Mapping[str, tuple[int, str]]

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of all files' hashes: another model has others."""
        joined = "\n".join(f"{name} {digest}" for name, (_, digest) in sorted(self.files.items()))
        return hashlib.sha256(joined.encode()).hexdigest()[:8]

    def verify(self) -> None:
        """Read every file. Raises ModelError naming the first that is not what it was."""
        for name in self.files:
            self._check(name, most=None)

    def _check(self, name: str, most: int | None) -> None:
        size, digest = self.files[name]
        try:
            found = (self.path / name).stat()
            whole = most is None or size <= most
            if found.st_size != size or (whole and file_digest(self.path / name) != digest):
                raise _unusable(self.path, f"{name} is not what it was")
        except OSError as error:
            raise _unusable(self.path, f"{name} cannot be read: {error.strerror}") from error


def open_folder(path: Path) -> ModelFolder:
    """The provisioned folder at `path`, its files checked. Raises ModelError."""
    try:
        raw: dict[str, Any] = json.loads((path / MANIFEST).read_text("utf-8"))
        if raw["format"] != _FORMAT:
            raise _unusable(path, f"its format is {raw['format']}, not {_FORMAT}")
        files = {str(name): (int(entry["bytes"]), str(entry["sha256"])) for name, entry in raw["files"].items()}
        folder = ModelFolder(path, str(raw["name"]), str(raw["source"]), files)
    except FileNotFoundError as error:
        raise _unusable(path, f"it holds no {MANIFEST}: it was not provisioned") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unusable(path, f"its {MANIFEST} cannot be read: {error}") from error
    for name in files:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise _unusable(path, f"its {MANIFEST} names a file outside")
        folder._check(name, _HASHED_BYTES)
    return folder


def provision(files: Mapping[str, Path], models: Path, name: str, source: str) -> ModelFolder:
    """Copy `files` (name in the folder -> where it lies) into a folder of their own below `models`.

    The folder's name ends with the files' hash, so the same model is provisioned once. Raises ModelError.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", name.rpartition("/")[2].lower()).strip("-")[:48] or "model"
    staging = models / f".staging-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        for missing in [place for place in (staging, *staging.parents) if not place.exists()][::-1]:
            missing.mkdir(mode=0o700)
        found = {target: _copy(place, staging / target) for target, place in files.items()}
        folder = ModelFolder(staging, name, source, found)
        entries = {target: {"bytes": size, "sha256": digest} for target, (size, digest) in sorted(found.items())}
        document = {"format": _FORMAT, "name": name, "source": source, "files": entries}
        (staging / MANIFEST).write_text(json.dumps(document, indent=1) + "\n", "utf-8")
        final = models / f"{slug}-{folder.digest}"
        try:
            staging.rename(final)
        except OSError:
            # It is there already; what it holds is checked below, and replaced when it is damaged.
            try:
                return open_folder(final)
            except ModelError:
                shutil.rmtree(final)
                staging.rename(final)
        return open_folder(final)
    except OSError as error:
        raise ModelError(
            f"The model could not be put under {models}: {error.strerror or error}.",
            next_step="Free space, fix permissions, or set SATORI_STATE_ROOT.",
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _copy(source: Path, target: Path) -> tuple[int, str]:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as reading, target.open("wb") as writing:
        if not stat.S_ISREG(os.fstat(reading.fileno()).st_mode):
            raise ModelError(f"{source} is no regular file.", next_step="Name a model's folder.")
        digest, size = hashlib.sha256(), 0
        while piece := reading.read(_PIECE):
            digest.update(piece)
            size += len(piece)
            writing.write(piece)
    target.chmod(0o600)
    return size, digest.hexdigest()


def file_digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits. Raises OSError."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _unusable(path: Path, why: str) -> ModelError:
    return ModelError(
        f"The model in {path} cannot be used: {why}.",
        next_step="Provision it again: satori install --embedder or --reranker, with its name.",
    )
