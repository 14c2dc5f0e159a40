"""Small helpers for text that people read: clipping, quoting and counting."""

from __future__ import annotations

import unicodedata


def clip(text: str, limit: int) -> str:
    """`text` on one line, invisible characters spelt out, at most `limit` characters."""
    shown = "".join(_visible(character) for character in text[: limit + 1])
    return shown if len(shown) <= limit else shown[: max(0, limit - 1)] + "…"


def _visible(character: str) -> str:
    if character == " " or character.isprintable():
        return character
    code = ord(character)
    if character in "\t\n\r":
        return {"\t": "\\t", "\n": "\\n", "\r": "\\r"}[character]
    # Bidirectional overrides, zero-width and control characters can make one name look like another.
    return f"\\u{code:04x}" if unicodedata.category(character).startswith(("C", "Z")) else character


def plural(count: int, noun: str, many: str = "") -> str:
    """`3 files`, `1 file`."""
    return f"{count:,} {noun if count == 1 else (many or noun + 's')}"
