"""Dart: classes, mixins, enums, extensions, type aliases, functions, methods, constructors, fields, values, tests.

The grammar puts a function's signature and its body side by side, so members are read from the lists they stand in.
Locals are not symbols. `part` files are read on their own.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import TYPES_WITH_METHODS, child_of_type
from satori.model.definition import DefinitionFlag, SymbolKind

_TYPES = {
    "class_definition": SymbolKind.CLASS,
    "mixin_declaration": SymbolKind.TRAIT,
    "enum_declaration": SymbolKind.ENUM,
    "extension_declaration": SymbolKind.NAMESPACE,
    "extension_type_declaration": SymbolKind.STRUCT,
}
_BODIES = ("class_body", "enum_body", "extension_body")
_SIGNATURES = (
    "function_signature",
    "getter_signature",
    "setter_signature",
    "operator_signature",
    "constructor_signature",
    "constant_constructor_signature",
    "factory_constructor_signature",
    "redirecting_factory_constructor_signature",
)
# What stands before the list of names in a top-level declaration, as siblings of it.
_PREFIXES = (
    "const_builtin final_builtin inferred_type type_identifier type_arguments void_type nullable_type function_type"
    " record_type late external static"
).split()
_FIELD_LISTS = ("initialized_identifier_list", "static_final_declaration_list", "identifier_list")
_TESTS = ("test", "group", "testWidgets", "blocTest")
_OWNERS = TYPES_WITH_METHODS | {SymbolKind.NAMESPACE}


class Dart(GrammarLanguage):
    """Dart 3."""

    name: ClassVar[str] = "dart"
    capability: ClassVar[Capability] = Capability("outline", tests=True)
    grammar: ClassVar[Grammar] = Grammar.bundled("dart")
    query: ClassVar[str] = """
    [(class_definition) (mixin_declaration) (enum_declaration) (extension_declaration)
      (extension_type_declaration)] @type_
    (type_alias) @alias
    (enum_constant) @enum_constant
    [(program) (class_body) (enum_body) (extension_body)] @members
    (expression_statement . (identifier) . (selector (argument_part (arguments . (argument (string_literal)))))) @test
    (comment) @comment
    (documentation_comment) @comment
    """

    def type_(self, scan: Scan, node: Node) -> None:
        """A class-like declaration."""
        name = node.child_by_field_name("name") or child_of_type(node, "identifier")
        if name is None:
            return
        draft = scan.add(_TYPES[node.type], node, name, body=child_of_type(node, *_BODIES), flags=_visible(scan, name))
        extended = node.child_by_field_name("class")
        if node.type == "extension_declaration" and extended is not None:
            draft.receiver = scan.text(extended)
            draft.segment = draft.name
        for child in node.children:
            if child.type == "annotation":
                draft.head = child.end_byte
        if draft.head != draft.start:
            head = scan.data[draft.head : draft.end]
            draft.head += len(head) - len(head.lstrip())

    def alias(self, scan: Scan, node: Node) -> None:
        """`typedef`."""
        name = child_of_type(node, "type_identifier")
        if name is not None:
            scan.add(SymbolKind.TYPE, node, name, flags=_visible(scan, name))

    def enum_constant(self, scan: Scan, node: Node) -> None:
        """A value of an enum."""
        name = node.child_by_field_name("name")
        if name is not None:
            scan.add(SymbolKind.CONSTANT, node, name, flags=_visible(scan, name))

    def members(self, scan: Scan, node: Node) -> None:
        """The members of a body or of the file: a signature takes the body after it and the annotations before it."""
        start = -1
        last: Draft | None = None
        for child in node.children:
            kind = child.type
            if kind == "annotation":
                start = child.start_byte if start < 0 else start
            elif kind == "function_body":
                if last is not None:
                    last.body = last.head_end = child.start_byte
                    last.end = child.end_byte
                last = None
            elif kind in _PREFIXES:
                start = child.start_byte if start < 0 else start
            elif child.is_named and kind not in ("comment", "documentation_comment"):
                last = self._member(scan, child, start)
                start = -1
            elif kind == ";":
                start = -1

    def _member(self, scan: Scan, node: Node, start: int) -> Draft | None:
        signature = node if node.type in _SIGNATURES else child_of_type(node, *_SIGNATURES)
        if signature is not None and node.type in (*_SIGNATURES, "method_signature", "declaration"):
            draft = self._signature(scan, node, signature)
        else:
            draft = self._fields(scan, node)
        if draft is not None and start >= 0:
            draft.start = min(draft.start, start)
            if draft.kind is SymbolKind.PROPERTY:
                draft.head = draft.start
        return draft

    def _signature(self, scan: Scan, node: Node, signature: Node) -> Draft | None:
        names = [child for child in signature.children if child.type == "identifier"]
        if "constructor" in signature.type:
            name = names[-1] if names else None
        elif signature.type == "operator_signature":
            name = signature.child(signature.child_count - 2) if signature.child_count > 2 else None
        else:
            name = signature.child_by_field_name("name")
        if name is None or name.start_byte >= name.end_byte:
            return None
        return scan.add(SymbolKind.FUNCTION, node, name, flags=_visible(scan, name))

    def _fields(self, scan: Scan, node: Node) -> Draft | None:
        """Fields and top-level values; several in one declaration each cover their own name."""
        found: list[Node] = []
        lists = [node] if node.type in _FIELD_LISTS else [c for c in node.children if c.type in _FIELD_LISTS]
        for each in lists:
            for item in each.named_children:
                name = item if item.type == "identifier" else child_of_type(item, "identifier")
                if name is not None:
                    found.append(name)
        for name in found:
            flags = _visible(scan, name)
            if len(found) > 1:
                scan.add_part(SymbolKind.PROPERTY, node, name, flags=flags)
            else:
                return scan.add(SymbolKind.PROPERTY, node, name, flags=flags)
        return None

    def test(self, scan: Scan, node: Node) -> None:
        """`test('...', () {...})` and `group('...', ...)`."""
        word = child_of_type(node, "identifier")
        if word is None or scan.text(word) not in _TESTS:
            return
        literal = node
        for step in ("selector", "argument_part", "arguments", "argument", "string_literal"):
            found = child_of_type(literal, step)
            if found is None:
                return
            literal = found
        start, end = literal.start_byte + 1, literal.end_byte - 1
        if end > start and b"\n" not in scan.data[start:end]:
            draft = scan.add(SymbolKind.TEST, node, literal, flags=DefinitionFlag.TEST)
            draft.name_start, draft.name_end = start, end
            draft.name = scan.data[start:end].decode("utf-8", "replace")
            draft.head_end = literal.end_byte

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Functions of types are methods; top-level values are constants."""
        if draft.kind is SymbolKind.PROPERTY:
            if owner is None:
                draft.kind = SymbolKind.CONSTANT
            return owner is None or owner.kind in _OWNERS
        if owner is not None and draft.kind is SymbolKind.FUNCTION and owner.kind in _OWNERS:
            draft.kind = SymbolKind.METHOD
        return True


def _visible(scan: Scan, name: Node) -> int:
    """Names with a leading underscore are private to their library."""
    return DefinitionFlag.NONE if scan.data.startswith(b"_", name.start_byte) else DefinitionFlag.EXPORTED
