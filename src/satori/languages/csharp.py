"""C#: types of every form, methods, constructors, operators, properties, events, fields, enum members, local functions.

Each part of a partial class is a symbol of its own. A file-scoped namespace reaches to the end of its file, so that
names are the same as in a braced one. Accessors, locals and lambdas are not symbols. `#if` is not evaluated.
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
    "record_declaration": SymbolKind.CLASS,
    "struct_declaration": SymbolKind.STRUCT,
    "interface_declaration": SymbolKind.INTERFACE,
    "enum_declaration": SymbolKind.ENUM,
    "delegate_declaration": SymbolKind.TYPE,
}
# A name that the language reserves is no name: an error elsewhere made it look like one.
_RESERVED = frozenset(
    "if else for foreach while do switch case return using lock fixed checked unchecked unsafe try catch finally throw "
    "new typeof sizeof default base this await".split()
)
# xUnit, NUnit, MSTest, BenchmarkDotNet.
_TEST_MARKS = (b"[Fact", b"[Theory", b"[Test", b"[Benchmark", b"[SkippableFact")


class CSharp(GrammarLanguage):
    """C#, up to records and file-scoped namespaces."""

    name: ClassVar[str] = "csharp"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_c_sharp")
    type_header: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"^[ \t]*"
        rb"(?:(?:public|protected|private|internal|static|sealed|abstract|partial|readonly|ref|unsafe|new|file)[ \t]+)*"
        rb"(?P<keyword>class|interface|enum|record|struct|namespace)[ \t]+(?P<name>[\w.]+)",
        re.MULTILINE,
    )
    header_kinds: ClassVar[Mapping[bytes, SymbolKind]] = {
        b"class": SymbolKind.CLASS,
        b"record": SymbolKind.CLASS,
        b"interface": SymbolKind.INTERFACE,
        b"enum": SymbolKind.ENUM,
        b"struct": SymbolKind.STRUCT,
        b"namespace": SymbolKind.NAMESPACE,
    }
    query: ClassVar[str] = """
    [(namespace_declaration) (file_scoped_namespace_declaration)] @namespace
    [(class_declaration) (record_declaration) (struct_declaration) (interface_declaration) (enum_declaration)
     (delegate_declaration)] @type
    [(method_declaration) (constructor_declaration) (destructor_declaration)] @method
    [(operator_declaration) (conversion_operator_declaration)] @operator
    (indexer_declaration) @indexer
    [(property_declaration) (event_declaration)] @property
    [(field_declaration) (event_field_declaration)] @field
    (enum_member_declaration) @enum_member
    (local_function_statement) @local_function
    (record_declaration (parameter_list (parameter) @record_component))
    (comment) @comment
    """

    def namespace(self, scan: Scan, node: Node) -> None:
        """A namespace; `A.B` is one definition."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        draft = scan.add(SymbolKind.NAMESPACE, node, name, body=node.child_by_field_name("body"))
        if node.type == "file_scoped_namespace_declaration":
            draft.body = node.end_byte
            draft.end = max(node.end_byte, len(scan.data.rstrip()))

    def type(self, scan: Scan, node: Node) -> None:
        """A class, record, struct, interface, enum or delegate."""
        self._declare(scan, node, _TYPE_KINDS[node.type])

    def method(self, scan: Scan, node: Node) -> None:
        """A method, constructor or finalizer."""
        draft = self._declare(scan, node, SymbolKind.METHOD)
        if draft is None:
            return
        if draft.body < 0:
            draft.flags |= DECLARATION_ONLY
        if scan.data[draft.name_start - 1 : draft.name_start] == b"~":
            draft.name_start -= 1
            draft.name = "~" + draft.name
        attributes = scan.data[draft.start : draft.head]
        if attributes and any(mark in attributes for mark in _TEST_MARKS):
            draft.kind = SymbolKind.TEST
            draft.flags |= TEST

    def operator(self, scan: Scan, node: Node) -> None:
        """An operator, named `operator +` or `operator int`."""
        keyword = next((child for child in node.children if child.type == "operator"), None)
        last = node.child_by_field_name("operator") or node.child_by_field_name("type")
        if keyword is not None and last is not None and last.end_byte > keyword.start_byte:
            draft = self._declare(scan, node, SymbolKind.METHOD, name=keyword)
            if draft is not None:
                draft.name_end = last.end_byte
                draft.name = scan.data[draft.name_start : draft.name_end].decode("utf-8", "replace")

    def indexer(self, scan: Scan, node: Node) -> None:
        """An indexer, named `this`."""
        self._declare(scan, node, SymbolKind.PROPERTY, name=next((c for c in node.children if c.type == "this"), None))

    def property(self, scan: Scan, node: Node) -> None:
        """A property or an event with accessors."""
        if not _is_stray(scan, node.child_by_field_name("name")):
            self._declare(scan, node, SymbolKind.PROPERTY)

    def field(self, scan: Scan, node: Node) -> None:
        """Fields and field-like events; `const` ones are constants."""
        declaration = next((child for child in node.named_children if child.type == "variable_declaration"), None)
        if declaration is None:
            return
        flags, modifiers, head = _modifiers(scan, node)
        kind = SymbolKind.CONSTANT if b"const" in modifiers else SymbolKind.PROPERTY
        declarators = [child for child in declaration.named_children if child.type == "variable_declarator"]
        for declarator in declarators:
            name = declarator.child_by_field_name("name")
            if name is not None:
                covering = node if len(declarators) == 1 else declarator
                draft = scan.add(kind, covering, name, flags=flags, head=head)
                draft.head_end = declarator.end_byte

    def enum_member(self, scan: Scan, node: Node) -> None:
        """An enum's member is a constant."""
        draft = self._declare(scan, node, SymbolKind.CONSTANT)
        if draft is not None:
            draft.end += scan.data.startswith(b",", draft.end)

    def local_function(self, scan: Scan, node: Node) -> None:
        """A function inside a method, or of a program without a class."""
        if not _is_stray(scan, node.child_by_field_name("name")):
            self._declare(scan, node, SymbolKind.FUNCTION)

    def record_component(self, scan: Scan, node: Node) -> None:
        """A parameter in a record's header is a property."""
        self._declare(scan, node, SymbolKind.PROPERTY)

    def _declare(self, scan: Scan, node: Node, kind: SymbolKind, name: Node | None = None) -> Draft | None:
        name = name or node.child_by_field_name("name")
        if name is None:
            return None
        flags, _, head = _modifiers(scan, node)
        body = node.child_by_field_name("body") or node.child_by_field_name("accessors")
        return scan.add(kind, node, name, body=body, flags=flags, head=head)

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Members of interfaces are public; a class that holds tests is marked as one by its members."""
        if draft.name in _RESERVED and draft.kind is not SymbolKind.PROPERTY:
            return False
        if owner is not None:
            if owner.kind is SymbolKind.INTERFACE:
                draft.flags |= EXPORTED
            if draft.kind is SymbolKind.TEST and owner.kind is SymbolKind.CLASS:
                owner.flags |= TEST
        return True


def _is_stray(scan: Scan, name: Node | None) -> bool:
    """Whether a syntax error made a name of what stands in a directive or behind `case`."""
    if name is None:
        return True
    line = scan.data[scan.data.rfind(b"\n", 0, name.start_byte) + 1 : name.start_byte].lstrip()
    return line.startswith((b"#", b"case "))


def _modifiers(scan: Scan, node: Node) -> tuple[int, bytes, int]:
    """(flags, the modifiers' text, where the declaration begins after its attributes)."""
    text = b""
    head = -1
    for child in node.children:
        kind = child.type
        if kind == "modifier":
            text += scan.data[child.start_byte : child.end_byte] + b" "
        elif kind in ("attribute_list", "comment"):
            continue
        if head < 0:
            head = child.start_byte
        if kind != "modifier":
            break
    flags = EXPORTED if b"public" in text or b"protected" in text else 0
    if b"abstract" in text:
        flags |= ABSTRACT
    return flags, text, head if head >= 0 else node.start_byte
