"""Zig: container types (struct, enum, union, opaque, error set), functions, fields, constants and variables, tests.

A function that returns a type owns what it declares. Locals and imports are not symbols.
"""

from __future__ import annotations

import re
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import child_of_type, first_named, last_named, trimmed
from satori.model.definition import DefinitionFlag, SymbolKind

_PUBLIC = re.compile(rb"\bpub\s+\Z")
_NAME = re.compile(r'[A-Za-z_]\w*|@"[^"]*"')
_KINDS = {
    b"struct": SymbolKind.STRUCT,
    b"union": SymbolKind.STRUCT,
    b"enum": SymbolKind.ENUM,
    b"opaque": SymbolKind.STRUCT,
}
_CONTAINERS = (SymbolKind.STRUCT, SymbolKind.ENUM)


class Zig(GrammarLanguage):
    """Zig 0.11 and newer, as far as the grammar reads it."""

    name: ClassVar[str] = "zig"
    capability: ClassVar[Capability] = Capability("outline", tests=True)
    grammar: ClassVar[Grammar] = Grammar.bundled("zig")
    query: ClassVar[str] = """
    (Decl (VarDecl)) @variable
    (Decl (FnProto)) @function
    (ContainerField) @container_field
    (TestDecl) @test
    (container_doc_comment) @file_doc
    (doc_comment) @comment
    (line_comment) @comment
    """

    def variable(self, scan: Scan, node: Node) -> None:
        """`const X = struct {...}` is the type; other values are constants; an import is not a symbol."""
        declaration = child_of_type(node, "VarDecl")
        name = declaration.child_by_field_name("variable_type_function") if declaration is not None else None
        if declaration is None or name is None:
            return
        value = last_named(declaration)
        text = scan.data[value.start_byte : value.start_byte + 16] if value is not None else b""
        if text.startswith(b"@import("):
            return
        kind, body = SymbolKind.CONSTANT, None
        container = _container(value)
        if container is not None:
            kind, body = _container_kind(scan, container), container
        draft = self._add(scan, kind, node, name)
        if body is not None:
            brace = scan.data.find(b"{", body.start_byte, body.end_byte)
            draft.body = brace if brace >= 0 else -1

    def function(self, scan: Scan, node: Node) -> None:
        """A function, or a prototype of an external one."""
        prototype = child_of_type(node, "FnProto")
        name = prototype.child_by_field_name("function") if prototype is not None else None
        if name is None:
            return
        body = child_of_type(node, "Block")
        draft = self._add(scan, SymbolKind.FUNCTION, node, name)
        if body is None:
            draft.flags |= DefinitionFlag.DECLARATION_ONLY
        else:
            draft.body = body.start_byte

    def _add(self, scan: Scan, kind: SymbolKind, node: Node, name: Node) -> Draft:
        draft = trimmed(scan, scan.add(kind, node, name))
        # `pub` stands beside the declaration in this grammar.
        public = _PUBLIC.search(scan.data, max(0, node.start_byte - 24), node.start_byte)
        if public is not None:
            draft.start = draft.head = public.start()
            draft.flags |= DefinitionFlag.EXPORTED
        return draft

    def container_field(self, scan: Scan, node: Node) -> None:
        """A field of a struct or union, or a value of an enum."""
        name = node.child_by_field_name("field_member") or child_of_type(node, "IDENTIFIER")
        if name is None:
            # An enum's value is a bare type expression in this grammar.
            name = first_named(node)
        if name is not None and name.end_byte - name.start_byte <= 128:
            draft = scan.add(SymbolKind.PROPERTY, node, name)
            for child in node.children:
                if child.type != "doc_comment":
                    draft.start = draft.head = child.start_byte
                    break
            if not _NAME.fullmatch(draft.name):
                scan.drafts.pop()

    def test(self, scan: Scan, node: Node) -> None:
        """`test "name" {`, `test Name {`, and the nameless one, which is called test."""
        literal = child_of_type(node, "STRINGLITERALSINGLE", "IDENTIFIER")
        body = child_of_type(node, "Block")
        name = literal or node.child(0)
        if name is None:
            return
        draft = scan.add(SymbolKind.TEST, node, name, body=body, flags=DefinitionFlag.TEST)
        if literal is not None and literal.type == "STRINGLITERALSINGLE" and literal.end_byte - literal.start_byte > 2:
            draft.name_start, draft.name_end = literal.start_byte + 1, literal.end_byte - 1
            draft.name = scan.data[draft.name_start : draft.name_end].decode("utf-8", "replace")

    def file_doc(self, scan: Scan, node: Node) -> None:
        """`//!` documents the file or container around it, never what follows."""
        self.comment(scan, node)

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Members of containers are methods and properties, whether or not a function makes the container."""
        if owner is None:
            return True
        if draft.kind is SymbolKind.FUNCTION and owner.kind in _CONTAINERS:
            draft.kind = SymbolKind.METHOD
        if draft.kind is SymbolKind.CONSTANT and owner.kind in _CONTAINERS:
            draft.kind = SymbolKind.PROPERTY
        if draft.kind is SymbolKind.PROPERTY and owner.kind is SymbolKind.ENUM:
            draft.kind = SymbolKind.CONSTANT
        return owner.kind is not SymbolKind.TEST or draft.kind is not SymbolKind.PROPERTY


def _container(value: Node | None) -> Node | None:
    """The container declaration that is the whole value, if it is one."""
    while value is not None and value.type in ("ErrorUnionExpr", "SuffixExpr"):
        if value.named_child_count != 1:
            return None
        value = first_named(value)
    return value if value is not None and value.type in ("ContainerDecl", "ErrorSetDecl") else None


def _container_kind(scan: Scan, container: Node) -> SymbolKind:
    if container.type == "ErrorSetDecl":
        return SymbolKind.ENUM
    head = scan.data[container.start_byte : container.start_byte + 24]
    for word in head.replace(b"(", b" ").replace(b"{", b" ").split():
        if word in _KINDS:
            return _KINDS[word]
    return SymbolKind.STRUCT
