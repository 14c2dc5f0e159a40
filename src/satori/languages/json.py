"""JSON, with comments where files have them: top-level keys, and second-level keys whose value spans lines.

A list has no keys; it is text.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Scan
from satori.languages.outline import DataLanguage
from satori.model.definition import SymbolKind


class JSON(DataLanguage, GrammarLanguage):
    """JSON and JSON with comments."""

    name: ClassVar[str] = "json"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("json")
    query: ClassVar[str] = """
    (document (object (pair) @top))
    (document (object (pair value: (object (pair) @second))))
    (comment) @comment
    """

    def top(self, scan: Scan, node: Node) -> None:
        """A key of the document."""
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is None or value is None or key.end_byte - key.start_byte < 3:
            return
        is_section = value.type == "object" and value.start_point.row < value.end_point.row
        body = value if value.type in ("object", "array") else None
        draft = scan.add(SymbolKind.SECTION if is_section else SymbolKind.PROPERTY, node, key, body=body)
        draft.name_start, draft.name_end = key.start_byte + 1, key.end_byte - 1
        draft.name = scan.data[draft.name_start : draft.name_end].decode("utf-8", "replace")

    def second(self, scan: Scan, node: Node) -> None:
        """A key below a key, when there is something in it."""
        if node.start_point.row < node.end_point.row:
            self.top(scan, node)
