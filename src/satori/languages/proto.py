"""Protocol Buffers: messages, enums, services, methods, fields, oneofs, extensions, and the package as qualification.

Options and imports are not symbols.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar
from satori.languages.draft import Draft, Scan
from satori.languages.outline import Outline, OutlineLanguage, child_of_type
from satori.model.definition import DefinitionFlag, SymbolKind


class Proto(OutlineLanguage):
    """proto2, proto3 and editions."""

    name: ClassVar[str] = "proto"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("proto")
    outlines: ClassVar[dict[str, Outline]] = {
        "message": Outline(SymbolKind.STRUCT, "message_name/identifier", "message_body"),
        "enum": Outline(SymbolKind.ENUM, "enum_name/identifier", "enum_body"),
        "service": Outline(SymbolKind.INTERFACE, "service_name/identifier"),
        "rpc": Outline(SymbolKind.METHOD, "rpc_name/identifier", flags=DefinitionFlag.DECLARATION_ONLY),
        "extend": Outline(SymbolKind.NAMESPACE, "full_ident", "message_body"),
        "field": Outline(SymbolKind.PROPERTY, "identifier"),
        "map_field": Outline(SymbolKind.PROPERTY, "identifier"),
        "oneof": Outline(SymbolKind.PROPERTY, "identifier"),
        "oneof_field": Outline(SymbolKind.PROPERTY, "identifier"),
        "enum_field": Outline(SymbolKind.CONSTANT, "identifier"),
    }
    patterns: ClassVar[str] = "(package (full_ident) @package)"

    def package(self, scan: Scan, node: Node) -> None:
        """`package a.b;` qualifies every name of the file."""
        scan.names.add(scan.text(node))

    def outline(self, scan: Scan, node: Node) -> Draft | None:
        """A definition; a service's signature ends at its brace."""
        draft = super().outline(scan, node)
        if draft is not None and node.type in ("service", "rpc", "oneof"):
            brace = child_of_type(node, "{")
            if brace is not None:
                draft.body = brace.start_byte
        return draft

    def finish(self, scan: Scan) -> None:
        """Put the package before every outermost name."""
        package = min(scan.names, default="")
        scan.drafts.sort(key=lambda draft: (draft.start, -draft.end))
        end = 0
        for draft in scan.drafts:
            if draft.start < end:
                continue
            end = draft.end
            if package:
                draft.segment = f"{package}.{draft.name}"

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Everything in a schema is visible."""
        draft.flags |= DefinitionFlag.EXPORTED
        return True
