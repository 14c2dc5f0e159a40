"""Scala 2 and 3: classes, traits, objects, enums, methods, values, types, givens, extensions, `test("...")` blocks.

An object is a class with one instance. A method of an `extension` names its receiver. Package clauses, anonymous
givens, locals and constructor parameters that are not fields are not symbols. Macros are not expanded.
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
    "class_definition": SymbolKind.CLASS,
    "object_definition": SymbolKind.CLASS,
    "trait_definition": SymbolKind.TRAIT,
    "enum_definition": SymbolKind.ENUM,
    "package_object": SymbolKind.MODULE,
}
_VALUES = "[(val_definition) (var_definition) (val_declaration) (var_declaration) (given_definition)]"
_LEADING = frozenset({"annotation", "comment", "block_comment"})


class Scala(GrammarLanguage):
    """Scala, both syntaxes."""

    name: ClassVar[str] = "scala"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_scala")
    type_header: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"^[ \t]*(?:(?:private|protected|final|sealed|abstract|implicit|case|lazy)(?:\[\w+\])?[ \t]+)*"
        rb"(?P<keyword>class|trait|object)[ \t]+(?P<name>\w+)",
        re.MULTILINE,
    )
    header_kinds: ClassVar[Mapping[bytes, SymbolKind]] = {
        b"class": SymbolKind.CLASS,
        b"object": SymbolKind.CLASS,
        b"trait": SymbolKind.TRAIT,
    }
    # Values are asked for where they are not local.
    query: ClassVar[str] = f"""
    (extension_definition) @extension
    [(class_definition) (object_definition) (trait_definition) (enum_definition) (package_object)] @type
    [(simple_enum_case) (full_enum_case)] @enum_case
    [(function_definition) (function_declaration)] @function
    (template_body {_VALUES} @value)
    (with_template_body {_VALUES} @value)
    (enum_body {_VALUES} @value)
    (compilation_unit {_VALUES} @value)
    (package_clause (template_body {_VALUES} @value))
    (type_definition) @alias
    (call_expression function: (call_expression function: (identifier) arguments: (arguments . (string)))
      arguments: (block)) @test_call
    [(comment) (block_comment)] @comment
    """

    def extension(self, scan: Scan, node: Node) -> None:
        """`extension (s: String)`: its methods have String as receiver."""
        receiver = ""
        for group in node.children_by_field_name("parameters"):
            for parameter in group.named_children:
                kind = parameter.child_by_field_name("type")
                if kind is not None and not receiver:
                    receiver = scan.text(kind).split("[", 1)[0]
        waiting = list(node.children_by_field_name("body"))
        while waiting:
            child = waiting.pop()
            if child.type in ("function_definition", "function_declaration"):
                scan.labels[child.id] = receiver
            elif child.type == "template_body":
                waiting += child.named_children

    def type(self, scan: Scan, node: Node) -> None:
        """A class, object, trait or enum, and the fields its header declares."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        draft = self._declare(scan, node, _TYPE_KINDS[node.type], name)
        case = b"case" in scan.data[draft.head : name.start_byte].split()
        for group in node.children_by_field_name("class_parameters"):
            for parameter in group.named_children:
                named = parameter.child_by_field_name("name")
                if named is None or parameter.type != "class_parameter":
                    continue
                words = scan.data[parameter.start_byte : named.start_byte].split()
                if case or b"val" in words or b"var" in words:
                    self._declare(scan, parameter, SymbolKind.PROPERTY, named)
            # Only the first list of a case class is its fields.
            case = False

    def enum_case(self, scan: Scan, node: Node) -> None:
        """A case of a Scala 3 enum."""
        name = node.child_by_field_name("name")
        if name is not None:
            self._declare(scan, node, SymbolKind.CONSTANT, name)

    def function(self, scan: Scan, node: Node) -> None:
        """A method or a function; `def this` is a constructor."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        draft = self._declare(scan, node, SymbolKind.FUNCTION, name)
        draft.receiver = scan.labels.get(node.id, "")
        if draft.body < 0:
            draft.flags |= DECLARATION_ONLY

    def value(self, scan: Scan, node: Node) -> None:
        """`val`, `var` and named givens of a type or a file; a pattern declares each of its names."""
        pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
        if pattern is None or not scan.first_time(node):
            return
        if pattern.type in ("identifier", "operator_identifier"):
            draft = self._declare(scan, node, SymbolKind.PROPERTY, pattern)
            draft.body = -1
            return
        waiting = [pattern]
        while waiting:
            part = waiting.pop()
            if part.type == "identifier":
                scan.add_part(SymbolKind.PROPERTY, node, part)
            elif part.type in ("tuple_pattern", "identifiers"):
                waiting += reversed(part.named_children)

    def alias(self, scan: Scan, node: Node) -> None:
        """A type alias or an abstract type."""
        name = node.child_by_field_name("name")
        if name is not None:
            self._declare(scan, node, SymbolKind.TYPE, name)

    def test_call(self, scan: Scan, node: Node) -> None:
        """`test("...") {`: a test named by its string."""
        call = node.child_by_field_name("function")
        function = None if call is None else call.child_by_field_name("function")
        arguments = None if call is None else call.child_by_field_name("arguments")
        if function is None or arguments is None or scan.text(function) not in ("test", "property"):
            return
        title = arguments.named_child(0) if arguments.named_child_count else None
        if title is None or title.type != "string":
            return
        draft = scan.add(SymbolKind.TEST, node, title, body=node.child_by_field_name("arguments"), flags=TEST)
        quotes = 3 if draft.name.startswith('"""') else 1
        if len(draft.name) > 2 * quotes:
            draft.name_start += quotes
            draft.name_end -= quotes
            draft.name = draft.name[quotes:-quotes]

    def _declare(self, scan: Scan, node: Node, kind: SymbolKind, name: Node) -> Draft:
        head = node.start_byte
        if scan.data[head : head + 1] == b"@":
            head = next((child.start_byte for child in node.children if child.type not in _LEADING), head)
        draft = scan.add(kind, node, name, body=node.child_by_field_name("body"), head=head)
        if draft.name.startswith("`") and len(draft.name) > 2:
            draft.name_start += 1
            draft.name_end -= 1
            draft.name = draft.name[1:-1]
        before = scan.data[head : name.start_byte]
        if b"private" not in before and b"protected" not in before:
            draft.flags |= EXPORTED
        if b"abstract" in before:
            draft.flags |= ABSTRACT
        return draft

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """A file's own values are constants; functions of a type are methods; a suite is marked by its tests."""
        if owner is None or owner.kind is SymbolKind.MODULE:
            if draft.kind is SymbolKind.PROPERTY:
                draft.kind = SymbolKind.CONSTANT
            return True
        if draft.kind is SymbolKind.TEST and owner.kind is SymbolKind.CLASS:
            owner.flags |= TEST
        if draft.kind is SymbolKind.FUNCTION and owner.kind in (SymbolKind.CONSTANT, SymbolKind.PROPERTY):
            draft.kind = SymbolKind.METHOD
        # Values are only captured as members: in a method they are an anonymous class's.
        return draft.kind in (SymbolKind.PROPERTY, SymbolKind.CONSTANT) or super().place(draft, owner)
