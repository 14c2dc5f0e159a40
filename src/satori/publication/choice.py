"""What a caller chose for a codebase, remembered beside its state: the call's own arguments and nothing else.

satori.toml is read anew each time, so that a change of it converges; the remembered choice beats it. Which files follow
from the settings is `satori.source`'s business.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satori.publication.state import CodebasePaths, read_json, write_json
from satori.source.scan import load_settings
from satori.source.settings import SourceSettings


@dataclass(frozen=True, slots=True)
class SettingsChoice:
    """None means "not given": the file, then the default, decides."""

    profile: str | None = None
    include: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None

    def resolve(self, root: Path) -> SourceSettings:
        """The settings for the canonical `root`. Raises UsageError for a wrong value, SourceError for a lost root."""
        return load_settings(root, profile=self.profile, include=self.include, ignore=self.ignore)

    def over(self, earlier: SettingsChoice) -> SettingsChoice:
        """This choice, with what it leaves open taken from an earlier one."""
        return SettingsChoice(
            self.profile if self.profile is not None else earlier.profile,
            self.include if self.include is not None else earlier.include,
            self.ignore if self.ignore is not None else earlier.ignore,
        )

    def document(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "profile": self.profile,
            "include": None if self.include is None else list(self.include),
            "ignore": None if self.ignore is None else list(self.ignore),
        }

    @classmethod
    def from_document(cls, document: object) -> SettingsChoice:
        """The inverse of `document`; anything else reads as no choice."""
        if not isinstance(document, dict):
            return cls()
        profile = document.get("profile")
        return cls(
            profile if isinstance(profile, str) else None,
            _texts(document.get("include")),
            _texts(document.get("ignore")),
        )


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return None


def remembered(paths: CodebasePaths) -> SettingsChoice:
    """The last choice for this codebase."""
    return SettingsChoice.from_document((read_json(paths.record) or {}).get("choice"))


def remember(paths: CodebasePaths, choice: SettingsChoice) -> None:
    """Keep `choice` for later syncs; raises OSError."""
    record = read_json(paths.record) or {}
    if record.get("choice") != choice.document():
        write_json(paths.record, {**record, "choice": choice.document()}, durable=True)
