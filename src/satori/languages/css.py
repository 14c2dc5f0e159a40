"""CSS: rules by selector, key frames, custom properties, and Sass's mixins, functions and variables.

Rules nested in `@media` and its kin are symbols under it. A selector list is named by its first line.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import DataLanguage, child_of_type, trim_end
from satori.model.definition import SymbolKind

_NAME_BYTES = 120


class CSS(DataLanguage, GrammarLanguage):
    """Style sheets."""

    name: ClassVar[str] = "css"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("css")
    query: ClassVar[str] = """
    (rule_set) @rule
    (keyframes_statement) @keyframes
    (declaration) @declaration
    [(comment) (js_comment)] @comment
    """

    def rule(self, scan: Scan, node: Node) -> None:
        """`selector { ... }`."""
        selectors = child_of_type(node, "selectors")
        if selectors is None:
            return
        draft = scan.add(SymbolKind.SECTION, node, selectors, body=child_of_type(node, "block"))
        start = selectors.start_byte
        end = min(selectors.end_byte, start + _NAME_BYTES)
        for stop in (b"\n", b"{"):
            found = scan.data.find(stop, start, end)
            end = found if found > start else end
        if end < selectors.end_byte:
            # A cut list ends at a whole selector, or at least at a whole character.
            comma = scan.data.rfind(b",", start, end)
            end = comma if comma > start else end
            while end > start + 1 and scan.data[end] & 0xC0 == 0x80:
                end -= 1
        draft.name_end = trim_end(scan.data, start, end)
        draft.name = scan.data[start : draft.name_end].decode("utf-8", "replace")

    def keyframes(self, scan: Scan, node: Node) -> None:
        """`@keyframes name`."""
        name = child_of_type(node, "keyframes_name", "name")
        if name is not None:
            scan.add(SymbolKind.SECTION, node, name, body=child_of_type(node, "keyframe_block_list"))

    def declaration(self, scan: Scan, node: Node) -> None:
        """`--name: value` and `$name: value`."""
        name = child_of_type(node, "property_name", "variable_name", "variable")
        if name is not None and scan.data.startswith((b"--", b"$"), name.start_byte):
            scan.add(SymbolKind.PROPERTY, node, name)

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """A variable of the sheet itself is a constant of it."""
        if draft.kind is SymbolKind.PROPERTY and owner is None:
            draft.kind = SymbolKind.CONSTANT
        return True


class SCSS(CSS):
    """Sass's CSS-like dialect."""

    name: ClassVar[str] = "scss"
    grammar: ClassVar[Grammar] = Grammar.bundled("scss")
    query: ClassVar[str] = CSS.query + "[(mixin_statement) (function_statement)] @callable"

    def callable(self, scan: Scan, node: Node) -> None:
        """`@mixin name`, `@function name`."""
        name = node.child_by_field_name("name") or child_of_type(node, "name", "identifier")
        if name is not None:
            kind = SymbolKind.MACRO if node.type == "mixin_statement" else SymbolKind.FUNCTION
            scan.add(kind, node, name, body=child_of_type(node, "block"))
