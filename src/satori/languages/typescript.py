"""TypeScript and TSX: all of JavaScript, and interfaces, type aliases, enums, namespaces, overloads, declarations.

Signatures without a body (overloads, abstract and interface methods, `declare`) are definitions flagged
DECLARATION_ONLY. It does not resolve types.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar
from satori.languages.draft import ABSTRACT, DECLARATION_ONLY, Draft, Scan
from satori.languages.javascript import JSX_QUERY, SHARED_QUERY, WRAPPER_QUERY, JavaScript
from satori.model.definition import SymbolKind

_TYPE_QUERY = """
(ambient_declaration) @ambient
[(class_declaration) (abstract_class_declaration)] @class_
(public_field_definition) @field
(interface_declaration) @interface
(type_alias_declaration) @alias
(enum_declaration) @enum
(enum_body [name: (property_identifier) name: (string) (enum_assignment)] @enum_member)
[(internal_module) (module)] @namespace
(internal_module body: (statement_block [(lexical_declaration) (variable_declaration)] @variable))
(module body: (statement_block [(lexical_declaration) (variable_declaration)] @variable))
(ambient_declaration [(lexical_declaration) (variable_declaration)] @variable)
(ambient_declaration (statement_block [(lexical_declaration) (variable_declaration)] @variable))
(function_signature) @function_signature
(class_body [(method_signature) (abstract_method_signature)] @method_signature)
(interface_body (method_signature) @method_signature)
(interface_body (property_signature) @property_signature)
(type_alias_declaration value: (object_type (property_signature) @property_signature))
(type_alias_declaration value: (object_type (method_signature) @method_signature))
(class_body (decorator) @lead)
[(required_parameter) (optional_parameter)] @parameter
"""
_DECLARED = (SymbolKind.FUNCTION, SymbolKind.METHOD)


class TypeScript(JavaScript):
    """TypeScript without JSX."""

    name: ClassVar[str] = "typescript"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_typescript", "language_typescript")
    query: ClassVar[str] = WRAPPER_QUERY + _TYPE_QUERY + SHARED_QUERY

    def ambient(self, scan: Scan, node: Node) -> None:
        """`declare` belongs to what it declares."""
        inner = next((child for child in node.named_children if child.type != "comment"), None)
        if inner is not None and inner.type != "statement_block":
            scan.widen(node, inner, DECLARATION_ONLY)

    def class_(self, scan: Scan, node: Node) -> None:
        """A class; `abstract` is a flag."""
        super().class_(scan, node)
        if node.type == "abstract_class_declaration" and scan.drafts:
            scan.drafts[-1].flags |= ABSTRACT

    def interface(self, scan: Scan, node: Node) -> None:
        """An interface."""
        self._named(scan, node, SymbolKind.INTERFACE)

    def alias(self, scan: Scan, node: Node) -> None:
        """A type alias."""
        self._named(scan, node, SymbolKind.TYPE)

    def enum(self, scan: Scan, node: Node) -> None:
        """An enum."""
        self._named(scan, node, SymbolKind.ENUM)

    def enum_member(self, scan: Scan, node: Node) -> None:
        """An enum's member is a constant."""
        name = node.child_by_field_name("name") if node.type == "enum_assignment" else node
        if name is not None:
            draft = scan.add(SymbolKind.CONSTANT, node, name)
            draft.name = draft.name.strip("'\"")

    def namespace(self, scan: Scan, node: Node) -> None:
        """`namespace A.B` is a namespace, `declare module "x"` a module."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        kind = SymbolKind.MODULE if name.type == "string" else SymbolKind.NAMESPACE
        draft = scan.add(kind, node, name, body=node.child_by_field_name("body"))
        if kind is SymbolKind.MODULE:
            draft.name_start += 1
            draft.name_end -= 1
            draft.name = draft.name[1:-1]

    def function_signature(self, scan: Scan, node: Node) -> None:
        """An overload or a declared function."""
        name = node.child_by_field_name("name")
        if name is not None:
            scan.add(SymbolKind.FUNCTION, node, name, flags=DECLARATION_ONLY)

    def method_signature(self, scan: Scan, node: Node) -> None:
        """A method without a body: in an interface, abstract, or an overload."""
        before = len(scan.drafts)
        self.member(scan, node, SymbolKind.METHOD, None)
        for draft in scan.drafts[before:]:
            draft.flags |= DECLARATION_ONLY | (ABSTRACT if node.type == "abstract_method_signature" else 0)

    def property_signature(self, scan: Scan, node: Node) -> None:
        """A property of an interface or of an object type."""
        self.member(scan, node, SymbolKind.PROPERTY, None)

    def parameter(self, scan: Scan, node: Node) -> None:
        """`constructor(private a: A)`: a parameter with a visibility or `readonly` is a property of the class."""
        name = node.child_by_field_name("pattern")
        first = node.child(0)
        if name is None or name.type != "identifier" or first is None:
            return
        if first.type in ("accessibility_modifier", "readonly", "override_modifier"):
            scan.add(SymbolKind.PROPERTY, node, name).peer = True

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """As in JavaScript; parameter properties stay with their constructor."""
        return (draft.peer and draft.kind is SymbolKind.PROPERTY) or super().place(draft, owner)

    def _named(self, scan: Scan, node: Node, kind: SymbolKind) -> Draft | None:
        name = node.child_by_field_name("name")
        if name is None:
            return None
        body = node.child_by_field_name("body") or node.child_by_field_name("value")
        return scan.add(kind, node, name, body=body if kind is not SymbolKind.TYPE else None)


class Tsx(TypeScript):
    """TypeScript with JSX."""

    name: ClassVar[str] = "tsx"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_typescript", "language_tsx")
    query: ClassVar[str] = WRAPPER_QUERY + _TYPE_QUERY + SHARED_QUERY + JSX_QUERY
