"""TOML: tables, arrays of tables, top-level keys, and keys of tables whose value spans lines."""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Scan
from satori.languages.outline import DataLanguage, child_of_type, trimmed
from satori.model.definition import SymbolKind

_KEYS = ("bare_key", "dotted_key", "quoted_key")


class TOML(DataLanguage, GrammarLanguage):
    """TOML 1.0."""

    name: ClassVar[str] = "toml"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("toml")
    query: ClassVar[str] = """
    [(table) (table_array_element)] @table
    (document (pair) @key)
    (table (pair) @inner)
    (table_array_element (pair) @inner)
    (comment) @comment
    """

    def table(self, scan: Scan, node: Node) -> None:
        """`[a.b]` and `[[a.b]]`, up to the last key."""
        name = child_of_type(node, *_KEYS)
        if name is None:
            return
        draft = scan.add(SymbolKind.SECTION, node, name)
        last = [child for child in node.children if child.type != "comment"][-1]
        draft.end = max(last.end_byte, name.end_byte)
        trimmed(scan, draft)
        bracket = child_of_type(node, "]", "]]")
        draft.body = draft.head_end = bracket.end_byte if bracket is not None else name.end_byte

    def key(self, scan: Scan, node: Node) -> None:
        """`key = value`."""
        name = child_of_type(node, *_KEYS)
        if name is not None:
            trimmed(scan, scan.add(SymbolKind.PROPERTY, node, name))

    def inner(self, scan: Scan, node: Node) -> None:
        """A key of a table, when its value spans lines."""
        if node.start_point.row < node.end_point.row:
            self.key(scan, node)
