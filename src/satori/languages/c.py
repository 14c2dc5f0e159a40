"""C: functions, prototypes, types with their fields and enumerators, file-level variables, macros.

A prototype is a definition flagged DECLARATION_ONLY; both branches of an `#if` define. Attribute-like macros that the
grammar cannot read are blanked out before parsing, so that what they decorate is still read. Nothing is preprocessed:
what macros expand to, forward declarations of types, and include guards are not symbols. C++ builds on this module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import DECLARATION_ONLY, EXPORTED, TEST, Draft, Scan
from satori.languages.macros import blank_macros
from satori.model.definition import SymbolKind

# A name that the language reserves is no name: an error elsewhere made it look like one.
_RESERVED = frozenset(
    "if else for while do switch case default return break continue goto sizeof void int char long short float double "
    "signed unsigned const static extern inline struct union enum typedef volatile register auto class namespace "
    "template public private protected virtual using new delete throw try catch this true false operator".split()
)
_TYPE_KINDS = {
    "struct_specifier": SymbolKind.STRUCT,
    "union_specifier": SymbolKind.STRUCT,
    "enum_specifier": SymbolKind.ENUM,
    "class_specifier": SymbolKind.CLASS,
}
# Declarators whose inner one has no field name.
_UNNAMED_INNER = frozenset({"parenthesized_declarator", "reference_declarator", "attributed_declarator"})
NAMES = frozenset({"identifier", "field_identifier", "type_identifier"})
FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.TEST)
TYPES = (SymbolKind.CLASS, SymbolKind.STRUCT)

# What C and C++ share. Declarations are asked for where they are not local.
SHARED_QUERY = """
(type_definition) @typedef
(struct_specifier body: (_)) @type
(union_specifier body: (_)) @type
(enum_specifier body: (_)) @type
(enumerator) @enumerator
(function_definition) @function
(field_declaration) @field
(translation_unit (declaration) @declaration)
(preproc_if (declaration) @declaration)
(preproc_ifdef (declaration) @declaration)
(preproc_else (declaration) @declaration)
(preproc_elif (declaration) @declaration)
(declaration_list (declaration) @declaration)
(linkage_specification (declaration) @declaration)
(ERROR (declaration) @stray_declaration)
[(preproc_def) (preproc_function_def)] @macro
(comment) @comment
"""


class C(GrammarLanguage):
    """C, in the dialects that its grammar reads, K&R definitions included."""

    name: ClassVar[str] = "c"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_c")
    query: ClassVar[str] = SHARED_QUERY
    type_header: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"^(?:(?P<keyword>struct|union|enum)[ \t]+(?=\w+\s*\{)"
        rb"|[A-Za-z_][\w \t*]*?[\s*](?=\w+[ \t]*\([^;{}]*\)\s*\{))(?P<name>\w+)",
        re.MULTILINE,
    )
    header_kinds: ClassVar[Mapping[bytes, SymbolKind]] = {
        b"struct": SymbolKind.STRUCT,
        b"union": SymbolKind.STRUCT,
        b"enum": SymbolKind.ENUM,
        b"": SymbolKind.FUNCTION,
    }

    def source(self, scan: Scan) -> bytes:
        """The file with macros blanked out that the grammar cannot read; they still lead what they stand before."""
        data, leading = blank_macros(scan.data)
        scan.leads += leading
        return data

    def function(self, scan: Scan, node: Node) -> None:
        """A function; when a macro stands for the whole header (`TEST_IMPL(name) {`), its argument names it."""
        declarator = node.child_by_field_name("declarator")
        if declarator is None:
            return
        name, is_function = declared_name(declarator)
        if name is None:
            return
        body = node.child_by_field_name("body")
        draft = scan.add(SymbolKind.FUNCTION, node, name, body=body)
        self.qualify(scan, draft, declarator, name)
        header = scan.data[draft.head : name.start_byte]
        if not header.startswith(b"static") and b"static " not in header:
            draft.flags |= EXPORTED
        if not is_function and header.lstrip().startswith(b"TEST"):
            draft.kind = SymbolKind.TEST
            draft.flags |= TEST

    def qualify(self, scan: Scan, draft: Draft, declarator: Node, name: Node) -> None:
        """Give the draft a receiver when its name is qualified; C has no such names."""

    def declaration(self, scan: Scan, node: Node) -> None:
        """Prototypes and variables outside functions."""
        if not scan.first_time(node):
            return
        self.declare(scan, node, SymbolKind.CONSTANT, SymbolKind.FUNCTION)

    def stray_declaration(self, scan: Scan, node: Node) -> None:
        """Inside a syntax error what a declaration stands in is lost; at the margin it is the file's, else a local."""
        if scan.data[node.start_byte - 1 : node.start_byte] in (b"", b"\n"):
            self.declaration(scan, node)

    def field(self, scan: Scan, node: Node) -> None:
        """Fields of a struct, union or class; functions declared in a class are its methods."""
        self.declare(scan, node, SymbolKind.PROPERTY, SymbolKind.METHOD)

    def declare(self, scan: Scan, node: Node, value_kind: SymbolKind, function_kind: SymbolKind) -> None:
        """One draft for each declarator of a declaration."""
        declarators = [child for child in node.children_by_field_name("declarator") if child.is_named]
        declared_type = node.child_by_field_name("type")
        holds_type = declared_type is not None and declared_type.child_by_field_name("body") is not None
        for declarator in declarators:
            name, is_function = declared_name(declarator)
            if name is None:
                continue
            kind = function_kind if is_function else value_kind
            # `struct {...} field;` covers its type, whose fields are its own; `struct tag {...} name;` is beside it.
            named_type = (
                holds_type and declared_type is not None and declared_type.child_by_field_name("name") is not None
            )
            if len(declarators) > 1 or named_type:
                draft = scan.add_part(kind, node, name)
            else:
                draft = scan.add(kind, node, name)
            self.qualify(scan, draft, declarator, name)
            header = scan.data[node.start_byte : name.start_byte]
            if is_function or header.startswith(b"extern"):
                draft.flags |= DECLARATION_ONLY
            if value_kind is SymbolKind.CONSTANT and b"static" not in header:
                draft.flags |= EXPORTED

    def typedef(self, scan: Scan, node: Node) -> None:
        """`typedef struct a {...} b`: a struct a and a type b; an anonymous struct is called b."""
        declared_type = node.child_by_field_name("type")
        if declared_type is None:
            return
        tag = declared_type.child_by_field_name("name")
        body = declared_type.child_by_field_name("body")
        kind = _TYPE_KINDS.get(declared_type.type) if body is not None else None
        covered = False
        if kind is not None and tag is not None:
            scan.seen.add(declared_type.id)
            scan.add(kind, node, tag, body=body)
            covered = True
        for declarator in node.children_by_field_name("declarator"):
            name, _ = declared_name(declarator)
            if name is None or (covered and tag is not None and scan.text(tag) == scan.text(name)):
                continue
            if covered:
                scan.add_part(SymbolKind.TYPE, node, name).peer = True
                continue
            draft = scan.add(SymbolKind.TYPE if kind is None else kind, node, name, body=body)
            if kind is not None:
                draft.head_end = node.end_byte
                scan.seen.add(declared_type.id)
            covered = True

    def type(self, scan: Scan, node: Node) -> None:
        """A struct, union, enum or class with a body; anonymous ones only lend their members to what is around."""
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None or body is None or not scan.first_time(node):
            return
        draft = scan.add(_TYPE_KINDS[node.type], node, self.type_name(name), body=body)
        draft.end += scan.data.startswith(b";", draft.end)

    def type_name(self, name: Node) -> Node:
        """The token that names a type."""
        return name

    def enumerator(self, scan: Scan, node: Node) -> None:
        """An enumerator is a constant."""
        name = node.child_by_field_name("name")
        if name is not None:
            draft = scan.add(SymbolKind.CONSTANT, node, name)
            draft.end += scan.data.startswith(b",", draft.end)

    def macro(self, scan: Scan, node: Node) -> None:
        """A macro; an include guard is none."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        if node.child_by_field_name("value") is None and _is_guard(scan.data, node.start_byte, scan.text(name)):
            return
        draft = scan.add(SymbolKind.MACRO, node, name)
        while draft.end > name.end_byte and scan.data[draft.end - 1 : draft.end].isspace():
            draft.end -= 1

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Locals and block-scope prototypes go; functions of a type are methods."""
        if draft.name in _RESERVED:
            return False
        if owner is None or draft.kind is SymbolKind.MACRO:
            return True
        kind = draft.kind
        if owner.kind in FUNCTIONS:
            return kind not in (SymbolKind.CONSTANT, SymbolKind.PROPERTY) and not draft.flags & DECLARATION_ONLY
        if kind is SymbolKind.FUNCTION and owner.kind in TYPES:
            draft.kind = SymbolKind.METHOD
        if kind is SymbolKind.CONSTANT and owner.kind in TYPES:
            draft.kind = SymbolKind.PROPERTY
        return True


def declared_name(declarator: Node) -> tuple[Node | None, bool]:
    """(the name a declarator declares, whether it is a function's): `*f(int)` is, `(*f)(int)` is not."""
    at: Node | None = declarator
    is_function = False
    while at is not None:
        kind = at.type
        if kind in NAMES:
            return at, is_function
        if kind == "function_declarator":
            is_function = True
        elif kind in ("pointer_declarator", "array_declarator", "reference_declarator"):
            is_function = False
        elif kind in ("operator_name", "destructor_name", "qualified_identifier", "template_function", "operator_cast"):
            return at, is_function or kind == "operator_cast"
        following = at.child_by_field_name("declarator")
        if following is None and kind in _UNNAMED_INNER:
            following = at.named_child(at.named_child_count - 1) if at.named_child_count else None
        at = following
    return None, False


def _is_guard(data: bytes, start: int, name: str) -> bool:
    """Whether `#define name` at `start` follows `#ifndef name`, and that is the file's first directive."""
    above = data[:start].rstrip()
    line_start = above.rfind(b"\n") + 1
    line = above[line_start:].replace(b"# ", b"#").split()
    first = above.find(b"\n#") + 1 if not above.startswith(b"#") else 0
    return line[-2:] == [b"#ifndef", name.encode()] and first == line_start
