"""YAML: top-level keys, second-level keys that span lines, and named items of a top-level list.

Anchors are not resolved and templates are not expanded: where a template breaks the grammar, there are fewer symbols.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import DataLanguage, child_of_type, trimmed
from satori.model.definition import SymbolKind

_MAPPINGS = ("block_mapping", "flow_mapping")
_PAIRS = ("block_mapping_pair", "flow_pair")


class YAML(DataLanguage, GrammarLanguage):
    """YAML 1.2 streams."""

    name: ClassVar[str] = "yaml"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("yaml")
    comments_align: ClassVar[bool] = True
    query: ClassVar[str] = """
    (document [(block_node) (flow_node)] @content)
    (comment) @comment
    """

    def content(self, scan: Scan, node: Node) -> None:
        """One document: its keys, or the items of its list."""
        mapping = child_of_type(node, *_MAPPINGS)
        if mapping is not None:
            self._keys(scan, mapping, top=True)
            return
        sequence = child_of_type(node, "block_sequence")
        for item in sequence.named_children if sequence is not None else ():
            if item.type == "block_sequence_item":
                self._item(scan, item)

    def _keys(self, scan: Scan, mapping: Node, *, top: bool) -> None:
        for pair in mapping.named_children:
            if pair.type not in _PAIRS:
                continue
            name = _scalar(pair.child_by_field_name("key"))
            lines = pair.end_point.row - pair.start_point.row
            if name is None or (not top and not lines):
                continue
            value = pair.child_by_field_name("value")
            inner = child_of_type(value, *_MAPPINGS) if value is not None else None
            kind = SymbolKind.PROPERTY if inner is None else SymbolKind.SECTION
            draft = trimmed(scan, scan.add(kind, pair, name, body=inner))
            _unquote(scan, draft)
            if draft.body < 0:
                line = scan.data.find(b"\n", draft.start, draft.end)
                draft.head_end = line if line >= 0 else draft.end
            if top and inner is not None:
                self._keys(scan, inner, top=False)

    def _item(self, scan: Scan, item: Node) -> None:
        """`- name: ...` in a top-level list, the way playbooks name their plays."""
        content = child_of_type(item, "block_node")
        mapping = child_of_type(content, "block_mapping") if content is not None else None
        for pair in mapping.named_children if mapping is not None else ():
            key = _scalar(pair.child_by_field_name("key")) if pair.type == "block_mapping_pair" else None
            if key is None or scan.text(key) not in ("name", "id"):
                continue
            name = _scalar(pair.child_by_field_name("value"))
            if name is not None:
                _unquote(scan, trimmed(scan, scan.add(SymbolKind.SECTION, item, name, body=mapping)))
            return


def _scalar(node: Node | None) -> Node | None:
    """The one-line scalar a key or value is; None for anything else."""
    if node is None or node.type != "flow_node":
        return None
    scalar = child_of_type(node, "plain_scalar", "double_quote_scalar", "single_quote_scalar")
    if scalar is None or scalar.start_point.row != scalar.end_point.row:
        return None
    return scalar


def _unquote(scan: Scan, draft: Draft) -> None:
    if scan.data[draft.name_start] in b"\"'" and draft.name_end - draft.name_start > 2:
        draft.name_start, draft.name_end = draft.name_start + 1, draft.name_end - 1
        draft.name = scan.data[draft.name_start : draft.name_end].decode("utf-8", "replace")
