"""Vue single-file components: what their scripts define."""

from __future__ import annotations

from typing import ClassVar

from satori.languages.embedded import EmbeddedScript, Script, script_elements


class Vue(EmbeddedScript):
    """`.vue` files."""

    name: ClassVar[str] = "vue"

    def scripts(self, data: bytes) -> list[Script]:
        """`<script>` and `<script setup>`."""
        return script_elements(data)
