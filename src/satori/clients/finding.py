"""What an examination says of one thing: how well it is, why, and the command that mends it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """How well something is."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One examined thing."""

    subject: str
    level: Level
    reason: str
    mend: str = ""
    """The command that mends it, "" when nothing is to be done."""

    def document(self) -> dict[str, Any]:
        """The finding as JSON data."""
        return {**asdict(self), "level": self.level.value}
