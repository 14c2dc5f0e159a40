"""PHP: classes, interfaces, traits, enums, their members, functions, constants, `define`d names, function variables.

A `namespace X;` statement says where the file is, as a package does, and is not a symbol; a braced namespace is one.
Promoted constructor parameters are properties. Plain variables of scripts are not symbols. HTML around is text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import ABSTRACT, DECLARATION_ONLY, EXPORTED, TEST, Draft, Scan
from satori.model.definition import SymbolKind

_TYPE_KINDS = {
    "class_declaration": SymbolKind.CLASS,
    "interface_declaration": SymbolKind.INTERFACE,
    "trait_declaration": SymbolKind.TRAIT,
    "enum_declaration": SymbolKind.ENUM,
}


class Php(GrammarLanguage):
    """PHP 7 and 8, with or without HTML around it."""

    name: ClassVar[str] = "php"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_php", "language_php")
    type_header: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"^[ \t]*(?:(?:abstract|final|readonly)[ \t]+)*(?P<keyword>class|interface|trait|enum)[ \t]+(?P<name>\w+)",
        re.MULTILINE,
    )
    header_kinds: ClassVar[Mapping[bytes, SymbolKind]] = {
        b"class": SymbolKind.CLASS,
        b"interface": SymbolKind.INTERFACE,
        b"trait": SymbolKind.TRAIT,
        b"enum": SymbolKind.ENUM,
    }
    query: ClassVar[str] = """
    (namespace_definition body: (_)) @namespace
    [(class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)] @type
    (method_declaration) @method
    (function_definition) @function
    (property_declaration) @property
    (property_promotion_parameter) @promoted
    (const_declaration) @constants
    (enum_case) @enum_case
    (program (expression_statement (assignment_expression left: (variable_name)
      right: [(anonymous_function) (arrow_function)])) @function_variable)
    (expression_statement (function_call_expression function: (name)) @define)
    (comment) @comment
    """

    def namespace(self, scan: Scan, node: Node) -> None:
        """A namespace with braces."""
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is not None and body is not None:
            draft = scan.add(SymbolKind.NAMESPACE, node, name, body=body)
            draft.segment = draft.name.replace("\\", ".")

    def type(self, scan: Scan, node: Node) -> None:
        """A class, interface, trait or enum."""
        self._declare(scan, node, _TYPE_KINDS[node.type])

    def method(self, scan: Scan, node: Node) -> None:
        """A method, of a named or an anonymous class."""
        draft = self._declare(scan, node, SymbolKind.METHOD)
        if draft is not None and draft.body < 0:
            draft.flags |= DECLARATION_ONLY

    def function(self, scan: Scan, node: Node) -> None:
        """A function, conditional ones included."""
        self._declare(scan, node, SymbolKind.FUNCTION)

    def property(self, scan: Scan, node: Node) -> None:
        """Properties, named without the dollar sign."""
        self._parts(scan, node, SymbolKind.PROPERTY, "property_element")

    def constants(self, scan: Scan, node: Node) -> None:
        """Constants of a class or a file."""
        self._parts(scan, node, SymbolKind.CONSTANT, "const_element")

    def _parts(self, scan: Scan, node: Node, kind: SymbolKind, element_type: str) -> None:
        flags, head = _modifiers(scan, node)
        elements = [child for child in node.named_children if child.type == element_type]
        for element in elements:
            name = element.named_child(0) if element.named_child_count else None
            if name is not None and name.type == "variable_name" and name.named_child_count:
                name = name.named_child(0)
            if name is None:
                continue
            if len(elements) > 1:
                scan.add_part(kind, node, name, flags=flags)
            else:
                scan.add(kind, node, name, flags=flags, head=head)

    def promoted(self, scan: Scan, node: Node) -> None:
        """A constructor parameter with a visibility is a property of the class."""
        variable = node.child_by_field_name("name")
        if variable is not None and variable.type != "variable_name":
            variable = variable.named_child(0) if variable.named_child_count else None
        if variable is not None and variable.named_child_count:
            scan.add(SymbolKind.PROPERTY, node, variable.named_child(0)).peer = True

    def enum_case(self, scan: Scan, node: Node) -> None:
        """A case of an enum is a constant."""
        self._declare(scan, node, SymbolKind.CONSTANT)

    def function_variable(self, scan: Scan, node: Node) -> None:
        """`$f = function () {};` in a script."""
        assignment = node.named_child(0) if node.named_child_count else None
        if assignment is None:
            return
        left = assignment.child_by_field_name("left")
        right = assignment.child_by_field_name("right")
        if left is None or right is None or right.type not in ("anonymous_function", "arrow_function"):
            return
        if left.type == "variable_name" and left.named_child_count:
            scan.add(SymbolKind.FUNCTION, node, left.named_child(0), body=right.child_by_field_name("body"))

    def define(self, scan: Scan, node: Node) -> None:
        """`define('NAME', ...)`."""
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None or scan.text(function).lower() != "define":
            return
        literal: Node | None = arguments
        for wanted in ("argument", "string", "string_content"):
            literal = literal.named_child(0) if literal is not None and literal.named_child_count else None
            if literal is None or literal.type != wanted:
                return
        if literal is None:
            return
        draft = scan.add(SymbolKind.CONSTANT, node, literal, flags=EXPORTED)
        draft.end += scan.data.startswith(b";", draft.end)

    def _declare(self, scan: Scan, node: Node, kind: SymbolKind) -> Draft | None:
        name = node.child_by_field_name("name")
        if name is None:
            return None
        flags, head = _modifiers(scan, node)
        return scan.add(kind, node, name, body=node.child_by_field_name("body"), flags=flags, head=head)

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Methods of test cases that PHPUnit runs are tests."""
        if owner is None:
            return True
        if draft.kind in (SymbolKind.PROPERTY, SymbolKind.CONSTANT):
            # Never a local: a class's own, be it anonymous, or what `define` makes anywhere.
            return True
        if (
            draft.kind is SymbolKind.METHOD
            and owner.kind is SymbolKind.CLASS
            and owner.name.endswith(("Test", "TestCase"))
        ):
            owner.flags |= TEST
            if draft.name.startswith("test"):
                draft.kind = SymbolKind.TEST
                draft.flags |= TEST
        return super().place(draft, owner)


def _modifiers(scan: Scan, node: Node) -> tuple[int, int]:
    """(flags, where the declaration begins after its attributes)."""
    head = -1
    text = b""
    for child in node.children:
        kind = child.type
        if kind in ("attribute_list", "comment"):
            continue
        if head < 0:
            head = child.start_byte
        if not kind.endswith("_modifier"):
            break
        text += scan.data[child.start_byte : child.end_byte] + b" "
    flags = 0 if b"private" in text or b"protected" in text else EXPORTED
    if b"abstract" in text:
        flags |= ABSTRACT
    return flags, head if head >= 0 else node.start_byte
