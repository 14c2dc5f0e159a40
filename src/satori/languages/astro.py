"""Astro components: what the code fence at their top and their scripts define."""

from __future__ import annotations

import re
from typing import ClassVar

from satori.languages.embedded import EmbeddedScript, Script, script_elements

_FENCE = re.compile(rb"(?:\xef\xbb\xbf)?\s*---[ \t]*\r?\n")
_CLOSING = re.compile(rb"^---[ \t]*\r?$", re.MULTILINE)


class Astro(EmbeddedScript):
    """`.astro` files; everything in them is TypeScript."""

    name: ClassVar[str] = "astro"

    def scripts(self, data: bytes) -> list[Script]:
        """The fence, and client scripts below it."""
        found: list[Script] = []
        fence = _FENCE.match(data)
        closing = _CLOSING.search(data, fence.end()) if fence is not None else None
        below = 0
        if fence is not None and closing is not None:
            found.append(Script(fence.end(), closing.start(), "typescript"))
            below = closing.end()
        for script in script_elements(data):
            if script.start >= below:
                found.append(Script(script.start, script.end, "typescript"))
        return found
