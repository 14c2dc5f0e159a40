"""Objective-C: interfaces, implementations, categories, protocols, methods, properties, C functions, types, macros.

A method is called by its whole selector (`initWithName:count:`); its name token is the first word of it. `NS_ENUM` and
`NS_OPTIONS`, which the grammar does not know, are read from their text.
"""

from __future__ import annotations

import re
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar
from satori.languages.draft import Draft, Scan
from satori.languages.outline import TYPES_WITH_METHODS, Outline, OutlineLanguage, add_range, blanked, child_of_type
from satori.model.definition import DefinitionFlag, SymbolKind

_NS_ENUM = re.compile(
    rb"typedef\s+(?:NS|CF)_(?:CLOSED_ENUM|ERROR_ENUM|ENUM|OPTIONS)\s*\([^(),;{}]+,\s*(\w+)\s*\)\s*\{([^{}]*)\}\s*;?"
)
_OTHER_BRANCH = re.compile(
    rb"^[ \t]*#[ \t]*el(?:se|if)\b[^\n]*\n(?:(?![ \t]*#)[^\n]*\n)*?(?=[ \t]*#[ \t]*(?:endif|elif|else))", re.MULTILINE
)
_DIRECTIVES = re.compile(
    rb"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|else|endif|pragma|warning|error|undef)\b(?:[^\n\\]|\\\r?\n|\\.)*",
    re.MULTILINE,
)
_ARGUMENTS = rb"[ \t]*\((?:[^()]|\((?:[^()]|\([^()]{0,200}\)){0,200}\)){0,400}\)"
_MACROS = re.compile(
    rb"\b(?:__attribute__|[A-Z][A-Z0-9_]*(?:AVAILABLE|DEPRECATED|SWIFT_NAME|FORMAT_FUNCTION)\w*)"
    + _ARGUMENTS
    + rb"|\b(?:NS_ASSUME_NONNULL_BEGIN|NS_ASSUME_NONNULL_END|NS_DESIGNATED_INITIALIZER|NS_REQUIRES_SUPER|NS_UNAVAILABLE"
    rb"|(?:[A-Z]+_)?(?:EXTERN|EXPORT)(?=[ \t]+\w))\b"
)
_MEMBER = re.compile(rb"(?:^|,)(?:\s|//[^\n]*\n|/\*[^*]*\*/)*([A-Za-z_]\w*)")
_OWNERS = TYPES_WITH_METHODS | {SymbolKind.NAMESPACE}


class ObjC(OutlineLanguage):
    """Objective-C 2."""

    name: ClassVar[str] = "objc"
    capability: ClassVar[Capability] = Capability("outline", tests=True)
    grammar: ClassVar[Grammar] = Grammar.bundled("objc")
    outlines: ClassVar[dict[str, Outline]] = {
        "preproc_def": Outline(SymbolKind.MACRO),
        "preproc_function_def": Outline(SymbolKind.MACRO),
        "enumerator": Outline(SymbolKind.CONSTANT),
    }
    patterns: ClassVar[str] = """
    [(class_interface) (class_implementation) (protocol_declaration)] @class_
    [(method_declaration) (method_definition)] @method
    (property_declaration) @property
    (function_definition) @function
    (type_definition) @typedef
    [(struct_specifier body: (_)) (enum_specifier body: (_))] @tagged
    (translation_unit (declaration declarator: (init_declarator)) @constant)
    """

    def source(self, scan: Scan) -> bytes:
        """The file with the first branch of every conditional only, and without attribute macros."""
        data = _OTHER_BRANCH.sub(blanked, scan.data) if b"#e" in scan.data else scan.data
        if b"_ENUM" in data or b"_OPTIONS" in data:
            data = _NS_ENUM.sub(blanked, data)
        return _MACROS.sub(blanked, _DIRECTIVES.sub(blanked, data))

    def class_(self, scan: Scan, node: Node) -> None:
        """`@interface`, `@implementation`, `@protocol`; with a category it extends its class."""
        name = child_of_type(node, "identifier")
        if name is None:
            return
        kind = SymbolKind.INTERFACE if node.type == "protocol_declaration" else SymbolKind.CLASS
        category = node.child_by_field_name("category")
        draft = scan.add(kind, node, name, flags=DefinitionFlag.EXPORTED)
        line = scan.data.find(b"\n", node.start_byte, node.end_byte)
        draft.head_end = line if line >= 0 else node.end_byte
        if category is not None:
            draft.kind = SymbolKind.NAMESPACE
            draft.receiver = draft.segment = draft.name
        elif (
            kind is SymbolKind.CLASS and b"XCTestCase" in scan.data[draft.start : draft.head_end]
        ) or draft.name.endswith(("Test", "Tests")):
            draft.flags |= DefinitionFlag.TEST

    def method(self, scan: Scan, node: Node) -> None:
        """A method: declared in an interface, defined in an implementation."""
        words = [child for child in node.children if child.type in ("identifier", "method_parameter")]
        first = words[0] if words else None
        if first is None or first.type != "identifier":
            return
        selector = ""
        for child in words:
            selector += scan.text(child) if child.type == "identifier" else ":"
        body = child_of_type(node, "compound_statement")
        flags = (
            DefinitionFlag.EXPORTED if body is not None else DefinitionFlag.EXPORTED | DefinitionFlag.DECLARATION_ONLY
        )
        scan.add(SymbolKind.METHOD, node, first, body=body, flags=flags, text=selector)

    def property(self, scan: Scan, node: Node) -> None:
        """`@property`: the last identifier of its declaration."""
        holder = child_of_type(node, "struct_declaration")
        name = _last_identifier(holder) if holder is not None else None
        if name is not None:
            scan.add(SymbolKind.PROPERTY, node, name, flags=DefinitionFlag.EXPORTED)

    def function(self, scan: Scan, node: Node) -> None:
        """A C function."""
        name = node.child_by_field_name("declarator")
        while name is not None and name.type != "identifier":
            name = name.child_by_field_name("declarator")
        if name is not None:
            static = child_of_type(node, "storage_class_specifier")
            hidden = static is not None and scan.text(static) == "static"
            flags = DefinitionFlag.NONE if hidden else DefinitionFlag.EXPORTED
            scan.add(SymbolKind.FUNCTION, node, name, body=node.child_by_field_name("body"), flags=flags)

    def typedef(self, scan: Scan, node: Node) -> None:
        """`typedef`, of a struct, an enum, a block or another type."""
        if child_of_type(node, "ERROR") is not None:
            return
        name = node.child_by_field_name("declarator")
        if name is not None and name.type != "type_identifier":
            name = _last_identifier(name, "type_identifier")
        if name is None:
            return
        inner = node.child_by_field_name("type")
        kind = SymbolKind.TYPE
        if inner is not None and inner.child_by_field_name("body") is not None:
            kind = SymbolKind.ENUM if inner.type == "enum_specifier" else SymbolKind.STRUCT
        scan.add(kind, node, name, flags=DefinitionFlag.EXPORTED)

    def tagged(self, scan: Scan, node: Node) -> None:
        """`struct name {...}`, `enum name {...}`."""
        name = node.child_by_field_name("name")
        if name is not None:
            kind = SymbolKind.ENUM if node.type == "enum_specifier" else SymbolKind.STRUCT
            scan.add(kind, node, name, body=node.child_by_field_name("body"), flags=DefinitionFlag.EXPORTED)

    def constant(self, scan: Scan, node: Node) -> None:
        """A file-level variable with a value."""
        declarator = node.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "identifier":
            declarator = declarator.child_by_field_name("declarator")
        if declarator is not None:
            scan.add(SymbolKind.CONSTANT, node, declarator, flags=DefinitionFlag.EXPORTED)

    def finish(self, scan: Scan) -> None:
        """`NS_ENUM` and its kin, which the grammar was not shown."""
        if b"_ENUM" not in scan.data and b"_OPTIONS" not in scan.data:
            return
        for match in _NS_ENUM.finditer(scan.data):
            start, end = match.span()
            draft = add_range(scan, SymbolKind.ENUM, (start, end), match.span(1))
            draft.body, draft.flags = match.start(2) - 1, DefinitionFlag.EXPORTED
            for member in _MEMBER.finditer(match.group(2)):
                low, high = (match.start(2) + offset for offset in member.span(1))
                add_range(scan, SymbolKind.CONSTANT, (low, high), (low, high))

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Test methods of a test class are tests."""
        if owner is None:
            return draft.kind is not SymbolKind.METHOD
        if draft.kind is SymbolKind.METHOD and owner.flags & DefinitionFlag.TEST and draft.name.startswith("test"):
            draft.kind = SymbolKind.TEST
            draft.flags |= DefinitionFlag.TEST
        if draft.kind is SymbolKind.CONSTANT:
            return owner.kind in _OWNERS
        return not (draft.kind is SymbolKind.STRUCT and owner.kind is SymbolKind.STRUCT and draft.name == owner.name)


def _last_identifier(node: Node, kind: str = "identifier") -> Node | None:
    """The last node of a type in a declaration, whatever pointers and blocks stand around it."""
    found: Node | None = None
    stack = [node]
    while stack:
        top = stack.pop()
        if top.type == kind:
            found = top
            break
        stack.extend(top.named_children)
    return found
