"""Svelte components: what their scripts define."""

from __future__ import annotations

from typing import ClassVar

from satori.languages.embedded import EmbeddedScript, Script, script_elements


class Svelte(EmbeddedScript):
    """`.svelte` files."""

    name: ClassVar[str] = "svelte"

    def scripts(self, data: bytes) -> list[Script]:
        """`<script>` and the module script."""
        return script_elements(data)
