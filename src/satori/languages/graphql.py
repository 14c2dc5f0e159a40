"""GraphQL: schema types with their fields, enums with values, directives, and named operations and fragments.

Fields selected by an operation are not symbols. Descriptions are documentation.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar
from satori.languages.documentation import clean_docstring
from satori.languages.draft import Draft, Scan
from satori.languages.outline import DataLanguage, Outline, OutlineLanguage, child_of_type
from satori.model.definition import SymbolKind

_TYPES = {
    "object_type": (SymbolKind.TYPE, "fields_definition"),
    "interface_type": (SymbolKind.INTERFACE, "fields_definition"),
    "input_object_type": (SymbolKind.STRUCT, "input_fields_definition"),
    "enum_type": (SymbolKind.ENUM, "enum_values_definition"),
    "union_type": (SymbolKind.TYPE, "union_member_types"),
    "scalar_type": (SymbolKind.TYPE, ""),
}


class GraphQL(DataLanguage, OutlineLanguage):
    """Schemas and executable documents."""

    name: ClassVar[str] = "graphql"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("graphql")
    max_bytes: ClassVar[int] = 4 << 20
    max_symbols: ClassVar[int] = 20_000
    outlines: ClassVar[dict[str, Outline]] = {
        **{f"{name}_definition": Outline(kind, "name", body) for name, (kind, body) in _TYPES.items()},
        **{f"{name}_extension": Outline(kind, "name", body) for name, (kind, body) in _TYPES.items()},
        "directive_definition": Outline(SymbolKind.MACRO),
        "field_definition": Outline(SymbolKind.PROPERTY),
        "enum_value_definition": Outline(SymbolKind.CONSTANT, "enum_value"),
        "operation_definition": Outline(SymbolKind.FUNCTION, "name", "selection_set"),
        "fragment_definition": Outline(SymbolKind.FUNCTION, "fragment_name", "selection_set"),
    }
    patterns: ClassVar[str] = "(input_fields_definition (input_value_definition) @input_field)"

    def outline(self, scan: Scan, node: Node) -> Draft | None:
        """A definition with its description as documentation, not as signature."""
        return _described(scan, node, super().outline(scan, node))

    def input_field(self, scan: Scan, node: Node) -> None:
        """A field of an input type."""
        name = child_of_type(node, "name")
        if name is not None:
            _described(scan, node, scan.add(SymbolKind.PROPERTY, node, name))


def _described(scan: Scan, node: Node, draft: Draft | None) -> Draft | None:
    description = child_of_type(node, "description")
    if draft is not None and description is not None:
        start, end = description.start_byte, description.end_byte
        scan.add_comment(start, end)
        draft.documentation = clean_docstring(scan.data[start:end])
        head = scan.data[end : draft.end]
        draft.head = end + len(head) - len(head.lstrip())
    return draft
