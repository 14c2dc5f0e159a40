"""Java: types of every form, methods, constructors, fields, enum constants, record components, annotation elements.

Methods of anonymous classes belong to the method or field they are written in. Static and instance initializers, locals
and lambdas are not symbols. The package is not part of a qualified name.
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
    "interface_declaration": SymbolKind.INTERFACE,
    "annotation_type_declaration": SymbolKind.INTERFACE,
    "enum_declaration": SymbolKind.ENUM,
}
# JUnit 3 to 5 and TestNG; @Test also opens @TestFactory and @TestTemplate.
_TEST_MARKS = (b"@Test", b"@ParameterizedTest", b"@RepeatedTest", b"@org.junit.Test")
_ANNOTATIONS = frozenset({"annotation", "marker_annotation"})
_COMMENTS = frozenset({"line_comment", "block_comment"})


class Java(GrammarLanguage):
    """Java, with records, sealed types and patterns."""

    name: ClassVar[str] = "java"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_java")
    type_header: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"^[ \t]*(?:(?:public|protected|private|static|final|abstract|sealed|strictfp)[ \t]+)*"
        rb"(?P<keyword>class|interface|enum|record|@interface)[ \t]+(?P<name>\w+)",
        re.MULTILINE,
    )
    header_kinds: ClassVar[Mapping[bytes, SymbolKind]] = {
        b"class": SymbolKind.CLASS,
        b"record": SymbolKind.CLASS,
        b"interface": SymbolKind.INTERFACE,
        b"@interface": SymbolKind.INTERFACE,
        b"enum": SymbolKind.ENUM,
    }
    query: ClassVar[str] = """
    [(class_declaration) (record_declaration) (interface_declaration) (annotation_type_declaration) (enum_declaration)]
      @type
    [(method_declaration) (constructor_declaration) (compact_constructor_declaration)] @method
    (annotation_type_element_declaration) @method
    [(field_declaration) (constant_declaration)] @field
    (enum_constant) @enum_constant
    (record_declaration parameters: (formal_parameters (formal_parameter) @record_component))
    [(line_comment) (block_comment)] @comment
    """

    def type(self, scan: Scan, node: Node) -> None:
        """A class, record, interface, annotation or enum."""
        self._declare(scan, node, _TYPE_KINDS[node.type])

    def method(self, scan: Scan, node: Node) -> None:
        """A method or a constructor; what a test runner would run is a test."""
        draft = self._declare(scan, node, SymbolKind.METHOD)
        if draft is None:
            return
        if draft.body < 0:
            draft.flags |= DECLARATION_ONLY
        if any(mark in scan.data[draft.start : draft.head] for mark in _TEST_MARKS):
            draft.kind = SymbolKind.TEST
            draft.flags |= TEST

    def field(self, scan: Scan, node: Node) -> None:
        """Fields; `static final` ones and those of interfaces are constants."""
        flags, modifiers, head = _modifiers(scan, node)
        constant = node.type == "constant_declaration" or (b"static" in modifiers and b"final" in modifiers)
        kind = SymbolKind.CONSTANT if constant else SymbolKind.PROPERTY
        declarators = node.children_by_field_name("declarator")
        for declarator in declarators:
            name = declarator.child_by_field_name("name")
            if name is not None:
                covering = node if len(declarators) == 1 else declarator
                draft = scan.add(kind, covering, name, flags=flags, head=head)
                draft.head_end = declarator.end_byte

    def enum_constant(self, scan: Scan, node: Node) -> None:
        """One of an enum's constants, with its own class body if it has one."""
        self._declare(scan, node, SymbolKind.CONSTANT)

    def record_component(self, scan: Scan, node: Node) -> None:
        """A component in a record's header."""
        name = node.child_by_field_name("name")
        if name is not None:
            scan.add(SymbolKind.PROPERTY, node, name)

    def _declare(self, scan: Scan, node: Node, kind: SymbolKind) -> Draft | None:
        name = node.child_by_field_name("name")
        if name is None:
            return None
        flags, _, head = _modifiers(scan, node)
        return scan.add(kind, node, name, body=node.child_by_field_name("body"), flags=flags, head=head)

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Members of interfaces are public; a class that holds tests is marked as one by its members."""
        if owner is not None:
            if owner.kind is SymbolKind.INTERFACE:
                draft.flags |= EXPORTED
            if draft.kind is SymbolKind.TEST and owner.kind is SymbolKind.CLASS:
                owner.flags |= TEST
        return True


def _modifiers(scan: Scan, node: Node) -> tuple[int, bytes, int]:
    """(flags, the modifiers' text without annotations, where the declaration begins after its annotations)."""
    first = node.child(0)
    if first is None or first.type != "modifiers":
        return 0, b"", node.start_byte
    start, end = first.start_byte, first.end_byte
    if scan.data.find(b"@", start, end) < 0:
        text = scan.data[start:end]
        head = start
    else:
        words = [child for child in first.children if child.type not in _ANNOTATIONS and child.type not in _COMMENTS]
        text = b" ".join(scan.data[word.start_byte : word.end_byte] for word in words)
        following = first.next_sibling
        while following is not None and following.type in _COMMENTS:
            following = following.next_sibling
        head = words[0].start_byte if words else (end if following is None else following.start_byte)
    flags = EXPORTED if b"public" in text or b"protected" in text else 0
    if b"abstract" in text:
        flags |= ABSTRACT
    return flags, text, head
