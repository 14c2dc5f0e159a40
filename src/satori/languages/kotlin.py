"""Kotlin: classes, objects, interfaces, functions, properties, extensions, type aliases, enum entries.

An extension belongs to its file or class and names its receiver: `String.ext`. An unnamed companion object is
transparent: its members are its class's, as callers write them. Local values, lambdas and accessors are not symbols.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import ABSTRACT, DECLARATION_ONLY, EXPORTED, TEST, Draft, Scan
from satori.model.definition import SymbolKind

_BODIES = frozenset({"class_body", "enum_class_body", "function_body", "block"})
_RECEIVERS = frozenset({"user_type", "nullable_type", "parenthesized_type", "function_type"})
_TEST_MARKS = (b"@Test", b"@ParameterizedTest", b"@RepeatedTest")
_CONSTRUCTOR = re.compile(
    rb"\bclass[ \t]+\w+(?:<[^<>\n]*>)?(?P<between>\s+(?:(?:@[\w.]+(?:\([^()\n]*\))?"
    rb"|internal|private|protected|public|actual|expect)\s+)*)constructor\b"
)
_VISIBILITY = re.compile(rb"(?<![\w@.(])(?:internal|private|protected|public|actual|expect)(?=\s)|[\r\n]")
# Arguments of an annotation, parentheses in them one deep.
_ARGUMENTS = rb"\((?:[^()]|\([^()]*\))*\)"
_ANNOTATION = re.compile(rb"@[\w.]+(" + _ARGUMENTS + rb")?")
_ACCESSOR = re.compile(rb"(?:@[\w.]+(?:" + _ARGUMENTS + rb")?\s+)+(?=(?:get|set)\()")
_ANNOTATION_CLASS = re.compile(rb"\s+(annotation)\s+class\b")
_BEFORE_CLASS = re.compile(
    rb"(?:\s+|@[\w.]+(?:" + _ARGUMENTS + rb")?|//[^\n]*\n"
    rb"|(?:public|private|internal|protected|abstract|open|sealed|data|inner|value|enum|annotation|expect|actual)\b)*+"
    rb"(?:class|interface|object)\b"
)
_HIDDEN = (b"private", b"protected", b"internal")


class Kotlin(GrammarLanguage):
    """Kotlin, multiplatform declarations included."""

    name: ClassVar[str] = "kotlin"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_kotlin")
    # Properties are asked for where they are not local.
    query: ClassVar[str] = """
    [(class_declaration) (object_declaration) (companion_object)] @type
    (function_declaration) @function
    (secondary_constructor) @constructor
    (source_file (property_declaration) @property)
    (class_body (property_declaration) @property)
    (enum_class_body (property_declaration) @property)
    (class_parameter ["val" "var"]) @class_property
    (enum_entry) @enum_entry
    (type_alias) @alias
    [(line_comment) (block_comment)] @comment
    """
    type_header: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"^[ \t]*(?:fun[ \t]+)?"
        rb"(?:(?:public|private|internal|protected|abstract|open|sealed|data|inner|value|expect|actual)[ \t]+)*"
        rb"(?P<keyword>enum[ \t]+class|class|interface|object)[ \t]+(?P<name>\w+)",
        re.MULTILINE,
    )
    header_kinds: ClassVar[Mapping[bytes, SymbolKind]] = {
        b"class": SymbolKind.CLASS,
        b"object": SymbolKind.CLASS,
        b"interface": SymbolKind.INTERFACE,
        b"enum class": SymbolKind.ENUM,
    }

    def source(self, scan: Scan) -> bytes:
        """The grammar wants a constructor with modifiers on its class's line: line breaks before one become spaces.

        Behind annotations, it can take a class for an expression: their arguments and the modifiers of the constructor
        become spaces. Its scanner never ends on a file that stops inside an annotation, unless a line break follows.
        """
        data = scan.data if scan.data.endswith(b"\n") else scan.data + b"\n"
        if b"@" in data:
            data = _without_arguments(data)
        if b"constructor" not in data:
            return data
        return _CONSTRUCTOR.sub(_on_one_line, data)

    def type(self, scan: Scan, node: Node) -> None:
        """A class, interface, enum class or object."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        kind = SymbolKind.CLASS
        header = scan.data[node.start_byte : name.start_byte].split()
        if b"interface" in header:
            kind = SymbolKind.INTERFACE
        elif b"enum" in header:
            kind = SymbolKind.ENUM
        self._declare(scan, node, kind, name)

    def function(self, scan: Scan, node: Node) -> None:
        """A function, with the receiver of an extension."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        draft = self._declare(scan, node, SymbolKind.FUNCTION, name)
        draft.receiver = _receiver(scan, node, name)
        if draft.body < 0:
            draft.flags |= DECLARATION_ONLY
        if draft.head > draft.start and any(mark in scan.data[draft.start : draft.head] for mark in _TEST_MARKS):
            draft.kind = SymbolKind.TEST
            draft.flags |= TEST

    def constructor(self, scan: Scan, node: Node) -> None:
        """A secondary constructor, named `constructor`."""
        keyword = next((child for child in node.children if child.type == "constructor"), None)
        if keyword is not None:
            self._declare(scan, node, SymbolKind.METHOD, keyword)

    def property(self, scan: Scan, node: Node) -> None:
        """A property of a class or a file; `val (a, b) = ...` declares two."""
        variable = next(
            (c for c in node.named_children if c.type in ("variable_declaration", "multi_variable_declaration")), None
        )
        if variable is None:
            return
        if variable.type == "multi_variable_declaration":
            for part in variable.named_children:
                if part.type == "variable_declaration" and part.named_child_count:
                    scan.add_part(SymbolKind.PROPERTY, node, part.named_child(0))
            return
        name = next((child for child in variable.named_children if child.type == "identifier"), None)
        if name is not None:
            draft = self._declare(scan, node, SymbolKind.PROPERTY, name)
            draft.receiver = _receiver(scan, node, variable)
            if b"const" in scan.data[draft.head : draft.name_start].split():
                draft.kind = SymbolKind.CONSTANT

    def class_property(self, scan: Scan, node: Node) -> None:
        """A property declared in a primary constructor."""
        name = next((child for child in node.named_children if child.type == "identifier"), None)
        if name is None or not scan.first_time(node):
            return
        if {b"val", b"var"} & set(scan.data[node.start_byte : name.start_byte].split()):
            self._declare(scan, node, SymbolKind.PROPERTY, name)

    def enum_entry(self, scan: Scan, node: Node) -> None:
        """An enum's entry, with its own body if it has one."""
        name = next((child for child in node.named_children if child.type == "identifier"), None)
        if name is not None:
            self._declare(scan, node, SymbolKind.CONSTANT, name)

    def alias(self, scan: Scan, node: Node) -> None:
        """A type alias."""
        name = node.child_by_field_name("type")
        if name is not None:
            self._declare(scan, node, SymbolKind.TYPE, name)

    def _declare(self, scan: Scan, node: Node, kind: SymbolKind, name: Node) -> Draft:
        head, text = _modifiers(scan, node)
        last = node.named_child(node.named_child_count - 1) if node.named_child_count else None
        body = last if last is not None and last.type in _BODIES else None
        draft = scan.add(kind, node, name, body=body, head=head)
        if draft.name.startswith("`") and len(draft.name) > 2:
            draft.name_start += 1
            draft.name_end -= 1
            draft.name = draft.name[1:-1]
        if not any(word in text for word in _HIDDEN):
            draft.flags |= EXPORTED
        if b"abstract" in text:
            draft.flags |= ABSTRACT
        return draft

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """A file's own values are constants; a class that holds tests is marked by them."""
        if owner is None:
            if draft.kind is SymbolKind.PROPERTY:
                draft.kind = SymbolKind.CONSTANT
            return True
        if draft.kind is SymbolKind.TEST and owner.kind is SymbolKind.CLASS:
            owner.flags |= TEST
        if draft.kind is SymbolKind.FUNCTION and owner.kind in (SymbolKind.CONSTANT, SymbolKind.PROPERTY):
            draft.kind = SymbolKind.METHOD
        # Properties are only captured as members: in a function they are an anonymous object's.
        return draft.kind in (SymbolKind.PROPERTY, SymbolKind.CONSTANT) or super().place(draft, owner)


def _on_one_line(found: re.Match[bytes]) -> bytes:
    """A class's header up to `constructor`, with blanks for line breaks and modifiers before that."""
    text = found.group()
    first, last = (place - found.start() for place in found.span("between"))
    between = _VISIBILITY.sub(lambda word: b" " * len(word.group()), text[first:last])
    return text[:first] + between + text[last:]


def _without_arguments(data: bytes) -> bytes:
    """The source with blanks for the arguments of classes' annotations, for `annotation` right behind them, and for the
    annotations of accessors."""
    blank = [found.span() for found in _ACCESSOR.finditer(data)]
    for found in _ANNOTATION.finditer(data):
        header = _BEFORE_CLASS.match(data, found.end())
        if header is not None:
            blank += [found.span(1)] if found.group(1) else []
            word = _ANNOTATION_CLASS.match(data, found.end())
            blank += [word.span(1)] if word is not None else []
    if not blank:
        return data
    source = bytearray(data)
    for start, end in blank:
        source[start:end] = bytes(byte if byte in b"\r\n" else 32 for byte in source[start:end])
    return bytes(source)


def _receiver(scan: Scan, node: Node, name: Node) -> str:
    """The type an extension extends, without type arguments; "" for what is no extension."""
    for child in node.named_children:
        if child.start_byte >= name.start_byte:
            break
        if child.type in _RECEIVERS:
            return scan.text(child).split("<", 1)[0].rstrip("?").strip("() ")
    return ""


def _modifiers(scan: Scan, node: Node) -> tuple[int, bytes]:
    """(where the declaration begins after its annotations, the modifiers' text)."""
    first = node.child(0)
    if first is None or first.type != "modifiers":
        return node.start_byte, b""
    start, end = first.start_byte, first.end_byte
    text = scan.data[start:end]
    if b"@" not in text:
        return start, text
    words = [child for child in first.named_children if child.type != "annotation" and "comment" not in child.type]
    following = first.next_sibling
    text = b" ".join(scan.data[word.start_byte : word.end_byte] for word in words)
    if words:
        return words[0].start_byte, text
    return end if following is None else following.start_byte, text
