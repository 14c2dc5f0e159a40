"""Scripts inside other files: what Vue, Svelte and Astro share.

Everything but the script is blanked out, byte for byte, and the whole is read as TypeScript or JavaScript: spans are
then those of the containing file. Markup and styles are text.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

from satori.languages.base import Capability, Language
from satori.languages.draft import Scan
from satori.languages.outline import BLANK, text_only
from satori.languages.registry import language_for
from satori.model.definition import FileFacts

_OPENING = re.compile(rb"<script(?=[\s>])", re.IGNORECASE)
_ATTRIBUTES = re.compile(rb"""((?:[^>"']|"[^"]*+"|'[^']*+')*+)>""")
# What an opening tag and a file may cost: generic attributes of Vue hold type parameters, nothing holds pages.
_MAX_TAG_BYTES = 4_000
_MAX_ELEMENTS = 100
_LANG = re.compile(rb"""\blang\s*=\s*["']?(?:ts|typescript|tsx)\b""", re.IGNORECASE)
_TSX = re.compile(rb"""\blang\s*=\s*["']?(?:tsx|jsx)\b""", re.IGNORECASE)
_DATA_TYPE = re.compile(
    rb"""\btype\s*=\s*["']?(?:application/(?:ld\+)?json|text/(?:x-)?template|speculationrules)""", re.I
)


@dataclass(frozen=True, slots=True)
class Script:
    """`data[start:end]` is script; `dialect` is the language that reads it."""

    start: int
    end: int
    dialect: str


class EmbeddedScript(Language):
    """A file format that holds scripts."""

    capability: ClassVar[Capability] = Capability("outline", tests=False)
    max_bytes: ClassVar[int] = 4 << 20

    @abstractmethod
    def scripts(self, data: bytes) -> list[Script]:
        """The scripts of one file, in order."""

    def collect(self, scan: Scan) -> None:
        """Nothing of its own: `extract` hands the scripts to their language."""

    def extract(self, data: bytes) -> FileFacts:
        """What the scripts define, by the dialect that reads all of them."""
        if len(data) > self.max_bytes:
            return text_only(self, f"{self.name} files above {self.max_bytes:,} bytes are served as text only")
        scripts = self.scripts(data)
        dialects = {script.dialect for script in scripts}
        name = next((each for each in ("tsx", "typescript", "javascript") if each in dialects), "")
        host = language_for(name) if name else None
        if host is None:
            return FileFacts(self.name, ())
        masked = bytearray(data.translate(BLANK))
        for script in scripts:
            masked[script.start : script.end] = data[script.start : script.end]
        return replace(host.extract(bytes(masked)), language=self.name)


def script_elements(data: bytes) -> list[Script]:
    """The contents of `<script>` elements that hold code."""
    found: list[Script] = []
    lowered = data.lower()
    position = 0
    for _ in range(_MAX_ELEMENTS):
        opening = _OPENING.search(data, position)
        if opening is None:
            break
        position = opening.end()
        tag = _ATTRIBUTES.match(data, position, position + _MAX_TAG_BYTES)
        if tag is None:
            continue
        start = tag.end()
        end = lowered.find(b"</script", start)
        if end < 0:
            break
        position = end
        attributes = tag.group(1)
        if attributes.rstrip().endswith(b"/") or _DATA_TYPE.search(attributes):
            continue
        dialect = "javascript"
        if _TSX.search(attributes):
            dialect = "tsx"
        elif _LANG.search(attributes):
            dialect = "typescript"
        found.append(Script(start, end, dialect))
    return found
