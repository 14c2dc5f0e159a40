"""What an installation changed, so that it can be taken back: one receipt a client, kept in the state root.

    clients/receipts.json               {"clients": {name: receipt}, "skill": receipt, "directories": [made for these]}
    clients/backups/<client>-<hash>     the configuration as it was before Satori's entry

Receipts are advice: a configuration is only changed after its present bytes were read and understood.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from satori.publication.state import make_directory, read_json, state_error, write_atomically, write_json


@dataclass(frozen=True, slots=True)
class Receipt:
    """One client's configuration change."""

    file: str
    """The path as the client names it; it may be a symbolic link."""
    before: str | None
    """SHA-256 of the bytes before the entry; None when there was no file."""
    after: str
    """SHA-256 of the bytes with the entry."""
    created_container: tuple[str, ...]
    """The outermost container that was made for the entry, or ()."""


@dataclass(frozen=True, slots=True)
class SkillReceipt:
    """The skill's files."""

    file: str
    content: str
    """SHA-256 of SKILL.md as written."""
    links: tuple[str, ...] = ()


def digest(data: bytes) -> str:
    """SHA-256 of the bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class ReceiptBook:
    """All receipts under one state root."""

    state_root: Path

    @property
    def _file(self) -> Path:
        return self.state_root / "clients" / "receipts.json"

    def _load(self) -> dict[str, Any]:
        document = read_json(self._file) or {}
        clients = document.get("clients")
        directories = document.get("directories")
        return {
            "clients": clients if isinstance(clients, dict) else {},
            "skill": document.get("skill"),
            "directories": [str(name) for name in directories] if isinstance(directories, list) else [],
        }

    def _store(self, document: dict[str, Any]) -> None:
        try:
            make_directory(self._file.parent)
            write_json(self._file, document, durable=True)
        except OSError as error:
            raise state_error(error, "record what was installed") from error

    def clients(self) -> dict[str, Receipt]:
        """Receipts by client name; unreadable ones are left out."""
        receipts = {}
        for name, fields in self._load()["clients"].items():
            try:
                receipt = Receipt(**fields)
            except TypeError:
                continue
            receipts[str(name)] = replace(receipt, created_container=tuple(receipt.created_container))
        return receipts

    def put(self, name: str, receipt: Receipt | None) -> None:
        """Store a client's receipt, or forget it."""
        document = self._load()
        document["clients"].pop(name, None)
        if receipt is not None:
            document["clients"][name] = asdict(receipt)
        self._store(document)

    def skill(self) -> SkillReceipt | None:
        """The skill's receipt."""
        fields = self._load()["skill"]
        try:
            receipt = SkillReceipt(**fields) if isinstance(fields, dict) else None
        except TypeError:
            return None
        if receipt is None:
            return None
        return replace(receipt, links=tuple(receipt.links))

    def put_skill(self, receipt: SkillReceipt | None) -> None:
        """Store the skill's receipt, or forget it."""
        document = self._load()
        document["skill"] = None if receipt is None else asdict(receipt)
        self._store(document)

    def note_directories(self, made: tuple[str, ...]) -> None:
        """Remember directories that were made, outermost first; several clients may come to share them."""
        if made:
            document = self._load()
            document["directories"] = [*document["directories"], *(d for d in made if d not in document["directories"])]
            self._store(document)

    def release_directories(self) -> None:
        """Remove the remembered directories that are empty again, innermost first, and forget those that are gone."""
        document = self._load()
        if not document["directories"]:
            return
        for name in sorted(document["directories"], key=len, reverse=True):
            with suppress(OSError):
                Path(name).rmdir()
        document["directories"] = [name for name in document["directories"] if Path(name).is_dir()]
        self._store(document)

    def backup(self, name: str, sha256: str) -> Path:
        """Where the bytes of that hash are kept for the client."""
        return self.state_root / "clients" / "backups" / f"{name}-{sha256[:16]}"

    def save_backup(self, name: str, data: bytes) -> Path:
        """Keep the bytes as the client's one backup; an older one of this client is dropped."""
        path = self.backup(name, digest(data))
        try:
            make_directory(path.parent)
            write_atomically(path, data, durable=True)
            for other in path.parent.glob(f"{name}-{'[0-9a-f]' * 16}"):
                if other != path:
                    other.unlink(missing_ok=True)
        except OSError as error:
            raise state_error(error, "keep a backup of the configuration") from error
        return path

    def load_backup(self, name: str, sha256: str) -> bytes | None:
        """The kept bytes, None when they are missing or not those."""
        try:
            data = self.backup(name, sha256).read_bytes()
        except OSError:
            return None
        return data if digest(data) == sha256 else None

    def drop_backup(self, name: str, sha256: str) -> None:
        """Forget the kept bytes."""
        self.backup(name, sha256).unlink(missing_ok=True)

    def forget(self) -> None:
        """Remove the book itself, when no receipt is left in it."""
        if not self.clients() and self.skill() is None:
            self._file.unlink(missing_ok=True)
            for directory in (self._file.parent / "backups", self._file.parent):
                with suppress(OSError):
                    directory.rmdir()
