"""Swift: classes, structs, enums with cases, actors, protocols, extensions, functions, properties, macros.

An extension is a container that carries its type's name without being that type. Locals are not symbols; every branch
of an `#if` counts.
"""

from __future__ import annotations

import re
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import TYPES_WITH_METHODS, blanked, child_of_type
from satori.model.definition import DefinitionFlag, SymbolKind

_KINDS = {
    "class": SymbolKind.CLASS,
    "actor": SymbolKind.CLASS,
    "struct": SymbolKind.STRUCT,
    "enum": SymbolKind.ENUM,
    "extension": SymbolKind.NAMESPACE,
}
_OWNERS = TYPES_WITH_METHODS | {SymbolKind.NAMESPACE}
# Conditional compilation between members, and newer spellings of types and parameters, that the grammar does not know.
_UNREAD = re.compile(
    rb"^[ \t]*#(?:if|elseif|else|endif)\b[^\n]*|\((?:un)?safe\)|(?<=throws)\([\w. ]+\)|=[ \t]*#isolation\b"
    rb"|\b(?:sending|isolated)\b(?=[ \t]*[(@A-Z])",
    re.MULTILINE,
)
_HIDDEN = (b"private", b"fileprivate")


class Swift(GrammarLanguage):
    """Swift 5 and 6, as far as the grammar reads it."""

    name: ClassVar[str] = "swift"
    capability: ClassVar[Capability] = Capability("outline", tests=True)
    grammar: ClassVar[Grammar] = Grammar.bundled("swift")
    query: ClassVar[str] = """
    (class_declaration) @type_
    (protocol_declaration) @protocol
    [(function_declaration) (protocol_function_declaration)] @function
    [(init_declaration) (deinit_declaration) (subscript_declaration)] @special
    [(property_declaration) (protocol_property_declaration)] @property
    (enum_entry) @case
    [(typealias_declaration) (associatedtype_declaration)] @alias
    (macro_declaration) @macro
    (comment) @comment
    (multiline_comment) @comment
    """

    def source(self, scan: Scan) -> bytes:
        """The file with conditional lines blanked out, so that both branches count, and what is not read."""
        return _UNREAD.sub(blanked, scan.data)

    def type_(self, scan: Scan, node: Node) -> None:
        """A class, actor, struct, enum or extension; an XCTestCase is a test class."""
        word, name = node.child_by_field_name("declaration_kind"), node.child_by_field_name("name")
        if word is None or name is None:
            return
        kind = _KINDS.get(word.type, SymbolKind.CLASS)
        body = node.child_by_field_name("body")
        draft = scan.add(kind, node, name, body=body, flags=_visibility(scan, node))
        if kind is SymbolKind.NAMESPACE:
            draft.receiver = draft.segment = draft.name
        head = scan.data[node.start_byte : body.start_byte if body is not None else node.end_byte]
        if kind is SymbolKind.CLASS and b"XCTestCase" in head:
            draft.flags |= DefinitionFlag.TEST

    def protocol(self, scan: Scan, node: Node) -> None:
        """A protocol."""
        name = node.child_by_field_name("name")
        if name is not None:
            body = node.child_by_field_name("body")
            scan.add(SymbolKind.INTERFACE, node, name, body=body, flags=_visibility(scan, node))

    def function(self, scan: Scan, node: Node) -> None:
        """A function, an operator function, or a protocol's requirement."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        body = node.child_by_field_name("body")
        flags = _visibility(scan, node)
        if node.type == "protocol_function_declaration" and body is None:
            flags |= DefinitionFlag.ABSTRACT | DefinitionFlag.DECLARATION_ONLY
        draft = scan.add(SymbolKind.FUNCTION, node, name, body=body, flags=flags)
        modifiers = child_of_type(node, "modifiers")
        if modifiers is not None and b"@Test" in scan.data[modifiers.start_byte : modifiers.end_byte]:
            draft.kind = SymbolKind.TEST
            draft.flags |= DefinitionFlag.TEST

    def special(self, scan: Scan, node: Node) -> None:
        """`init`, `deinit` and `subscript`, which are called by these words."""
        name = child_of_type(node, "init", "deinit", "subscript")
        if name is not None:
            body = node.child_by_field_name("body") or child_of_type(node, "computed_property")
            scan.add(SymbolKind.METHOD, node, name, body=body, flags=_visibility(scan, node))

    def property(self, scan: Scan, node: Node) -> None:
        """A stored or computed property, or a global; `let a = 1, b = 2` binds two."""
        names = []
        for pattern in node.children_by_field_name("name"):
            name = pattern.child_by_field_name("bound_identifier")
            if name is not None:
                names.append(name)
        for name in names:
            if len(names) > 1:
                scan.add_part(SymbolKind.PROPERTY, node, name, flags=_visibility(scan, node))
                continue
            body = node.child_by_field_name("computed_value")
            draft = scan.add(SymbolKind.PROPERTY, node, name, body=body, flags=_visibility(scan, node))
            if node.type == "protocol_property_declaration":
                draft.flags |= DefinitionFlag.ABSTRACT

    def case(self, scan: Scan, node: Node) -> None:
        """The cases of an enum; `case a, b` declares two."""
        names = node.children_by_field_name("name")
        for name in names:
            if len(names) > 1:
                scan.add_part(SymbolKind.CONSTANT, node, name, flags=DefinitionFlag.EXPORTED)
            else:
                scan.add(SymbolKind.CONSTANT, node, name, flags=DefinitionFlag.EXPORTED)

    def alias(self, scan: Scan, node: Node) -> None:
        """`typealias` and `associatedtype`."""
        name = node.child_by_field_name("name")
        if name is not None:
            scan.add(SymbolKind.TYPE, node, name, flags=_visibility(scan, node))

    def macro(self, scan: Scan, node: Node) -> None:
        """A macro declaration."""
        name = child_of_type(node, "simple_identifier")
        if name is not None:
            scan.add(SymbolKind.MACRO, node, name, flags=_visibility(scan, node))

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Functions of types and extensions are methods; globals are constants; values in functions are locals."""
        if draft.kind is SymbolKind.PROPERTY:
            if owner is None:
                draft.kind = SymbolKind.CONSTANT
            return owner is None or owner.kind in _OWNERS
        if owner is not None and draft.kind is SymbolKind.FUNCTION and owner.kind in _OWNERS:
            draft.kind = SymbolKind.METHOD
            if owner.flags & DefinitionFlag.TEST and draft.name.startswith("test"):
                draft.kind = SymbolKind.TEST
                draft.flags |= DefinitionFlag.TEST
        return True


def _visibility(scan: Scan, node: Node) -> int:
    modifiers = child_of_type(node, "modifiers")
    if modifiers is None:
        return DefinitionFlag.EXPORTED
    words = scan.data[modifiers.start_byte : modifiers.end_byte].split()
    return DefinitionFlag.NONE if any(word in _HIDDEN for word in words) else DefinitionFlag.EXPORTED
