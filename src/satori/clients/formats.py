"""What the three editors of configuration text share: an edit, an entry found, a refusal.

Deliberately absent: any knowledge of clients, files or the launcher.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from satori.errors import SatoriError

JsonValue = str | bool | int | list["JsonValue"] | dict[str, "JsonValue"]
"""What an entry is made of; the same shape is rendered as JSON, TOML and YAML."""


class Format(StrEnum):
    """The syntax of a configuration file."""

    JSON = "json"
    """JSON; comments and trailing commas are accepted and kept, and never introduced."""
    TOML = "toml"
    YAML = "yaml"


class RefusedError(SatoriError):
    """The configuration cannot be edited with certainty; it is left as it is. Edit it by hand as the text says."""

    default_code = "configuration_refused"


@dataclass(frozen=True, slots=True)
class Entry:
    """A server entry found in a configuration."""

    value: JsonValue
    start_line: int
    """1-based line on which the entry begins, for messages."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """A configuration with one entry added."""

    text: str
    created: tuple[str, ...]
    """Path of the outermost container that had to be created, or () when every container was there."""


def newline_of(text: str) -> str:
    """The line ending that the text uses first; a line feed when it has none."""
    position = text.find("\n")
    return "\r\n" if position > 0 and text[position - 1] == "\r" else "\n"


def line_number(text: str, offset: int) -> int:
    """1-based line of a character offset."""
    return text.count("\n", 0, offset) + 1
