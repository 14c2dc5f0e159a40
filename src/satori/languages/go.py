"""Go: functions, methods, types with their fields and methods, package-level constants and variables.

A method belongs to its receiver's type wherever that type is declared. Embedded fields, blank names, labels and the
variables of functions are not symbols. Build constraints are not evaluated: every file says what it defines.
"""

from __future__ import annotations

import re
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import DECLARATION_ONLY, EXPORTED, TEST, Draft, Scan
from satori.model.definition import SymbolKind

_TEST = re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?![a-z])")
# `*testing.T`, however the package is called here.
_TESTED = re.compile(rb"\*\s*\w+\.[TBFM]\b")
_TYPE_KINDS = {"struct_type": SymbolKind.STRUCT, "interface_type": SymbolKind.INTERFACE}
_HOLDS_FIELDS = (SymbolKind.STRUCT, SymbolKind.PROPERTY, SymbolKind.TYPE, SymbolKind.INTERFACE)


class Go(GrammarLanguage):
    """Go, with type parameters."""

    name: ClassVar[str] = "go"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_go")
    query: ClassVar[str] = """
    (function_declaration) @function
    (method_declaration) @method
    (type_declaration) @types
    (source_file [(const_declaration) (var_declaration)] @values)
    (field_declaration name: (field_identifier)) @field
    (method_elem) @interface_method
    (comment) @comment
    """

    def function(self, scan: Scan, node: Node) -> None:
        """A function; one without a body is implemented elsewhere (assembly)."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        body = node.child_by_field_name("body")
        draft = scan.add(SymbolKind.FUNCTION, node, name, body=body, flags=0 if body is not None else DECLARATION_ONLY)
        if _TEST.match(draft.name):
            parameters = node.child_by_field_name("parameters")
            text = b"" if parameters is None else scan.data[parameters.start_byte : parameters.end_byte]
            if _TESTED.search(text) or draft.name.startswith("Example"):
                draft.kind = SymbolKind.TEST
                draft.flags |= TEST

    def method(self, scan: Scan, node: Node) -> None:
        """A method, named after its receiver's type."""
        name = node.child_by_field_name("name")
        receiver = node.child_by_field_name("receiver")
        if name is None or receiver is None:
            return
        declared = next((child for child in receiver.named_children if child.type == "parameter_declaration"), None)
        kind = None if declared is None else declared.child_by_field_name("type")
        type_name = "" if kind is None else scan.text(kind).lstrip("*( ").split("[", 1)[0].rstrip(") ")
        scan.add(SymbolKind.METHOD, node, name, body=node.child_by_field_name("body"), receiver=type_name)

    def types(self, scan: Scan, node: Node) -> None:
        """The types of one declaration; a lone one covers the keyword too."""
        specs = [child for child in node.named_children if child.type in ("type_spec", "type_alias")]
        for spec in specs:
            name = spec.child_by_field_name("name")
            value = spec.child_by_field_name("type")
            if name is None or value is None:
                continue
            kind = _TYPE_KINDS.get(value.type, SymbolKind.TYPE)
            body = None
            if kind is SymbolKind.STRUCT and value.named_child_count:
                body = value.named_child(0)
            draft = scan.add(kind, node if len(specs) == 1 and _is_bare(node) else spec, name, body=body)
            if kind is SymbolKind.INTERFACE:
                draft.body = scan.data.find(b"{", value.start_byte, value.end_byte)

    def values(self, scan: Scan, node: Node) -> None:
        """Package-level constants and variables; a variable that holds a function literal is a function."""
        specs = [child for child in node.named_children if child.type in ("const_spec", "var_spec")]
        for child in node.named_children:
            if child.type == "var_spec_list":
                specs += [spec for spec in child.named_children if spec.type == "var_spec"]
        for spec in specs:
            names = [child for child in spec.children_by_field_name("name") if child.is_named]
            named = [name for name in names if scan.text(name) != "_"]
            covering = node if len(specs) == 1 and _is_bare(node) else spec
            if len(names) > 1:
                for name in named:
                    scan.add_part(SymbolKind.CONSTANT, covering, name)
            elif named:
                draft = scan.add(SymbolKind.CONSTANT, covering, named[0])
                value = spec.child_by_field_name("value")
                literal = value.named_child(0) if value is not None and value.named_child_count == 1 else None
                if literal is not None and literal.type == "func_literal":
                    body = literal.child_by_field_name("body")
                    draft.kind = SymbolKind.FUNCTION
                    draft.body = -1 if body is None else body.start_byte

    def field(self, scan: Scan, node: Node) -> None:
        """A struct's named fields."""
        names = [child for child in node.children_by_field_name("name") if child.is_named]
        if not scan.first_time(node):
            return
        if len(names) == 1:
            scan.add(SymbolKind.PROPERTY, node, names[0])
            return
        for name in names:
            scan.add_part(SymbolKind.PROPERTY, node, name)

    def interface_method(self, scan: Scan, node: Node) -> None:
        """A method that an interface asks for."""
        name = node.child_by_field_name("name")
        if name is not None:
            scan.add(SymbolKind.METHOD, node, name, flags=DECLARATION_ONLY)

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Fields belong to named types; a capital makes a name exported."""
        if owner is not None and draft.kind is SymbolKind.PROPERTY and owner.kind not in _HOLDS_FIELDS:
            return False
        if owner is not None and draft.flags & DECLARATION_ONLY and owner.kind not in _HOLDS_FIELDS:
            return False
        if draft.name == "_":
            return False
        if draft.name[:1].isupper():
            draft.flags |= EXPORTED
        return True


def _is_bare(declaration: Node) -> bool:
    """Whether a declaration is written without parentheses."""
    return all(child.type != "(" for child in declaration.children[:2])
