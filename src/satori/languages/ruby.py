"""Ruby: modules, classes, methods, constants, attributes, aliases, Rake tasks, RSpec and Minitest tests.

What a class declares through a well-known class method (`attr_reader :a`, `scope :b`, `define_method(:c)`) is a symbol
of that name; other metaprogramming is not read. `class << self` is not a symbol: its methods belong to the class.
"""

from __future__ import annotations

import re
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import TYPES_WITH_METHODS, child_of_type, first_named
from satori.model.definition import DefinitionFlag, SymbolKind

_PROPERTIES = frozenset(
    (
        "attr_reader attr_writer attr_accessor mattr_reader mattr_writer mattr_accessor cattr_reader cattr_writer"
        " cattr_accessor class_attribute thread_mattr_accessor belongs_to has_one has_many has_and_belongs_to_many"
    ).split()
)
_METHODS = ("define_method", "alias_method", "scope")
_BLOCKS = {
    "task": SymbolKind.FUNCTION,
    "namespace": SymbolKind.NAMESPACE,
    **dict.fromkeys(
        ("describe", "context", "feature", "it", "specify", "scenario", "example", "test", "should"), SymbolKind.TEST
    ),
}
_MADE_BY = {
    b"Struct.new": SymbolKind.STRUCT,
    b"Data.define": SymbolKind.STRUCT,
    b"Class.new": SymbolKind.CLASS,
    b"Module.new": SymbolKind.MODULE,
}
_VISIBILITIES = ("private", "protected", "public")
_HIDDEN = ("private", "protected", "private_class_method")
_MAGIC = re.compile(rb"#\s*(?:-\*-\s*)?(?:frozen_string_literal|encoding|coding|warn_indent|typed)\s*:")
_OWNERS = TYPES_WITH_METHODS | {SymbolKind.MODULE}


class Ruby(GrammarLanguage):
    """Ruby 1.9 to 3.4, as far as the grammar reads it."""

    name: ClassVar[str] = "ruby"
    capability: ClassVar[Capability] = Capability(
        "outline",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_ruby")
    query: ClassVar[str] = """
    (call method: (identifier) arguments: (argument_list . [(method) (singleton_method)])) @wrapped
    (body_statement (identifier) @visibility)
    (module) @module_
    (class) @class_
    (method) @method
    (singleton_method) @method
    (assignment left: [(constant) (scope_resolution)]) @constant
    (alias) @alias
    (call method: (identifier)
      arguments: (argument_list . [(simple_symbol) (string) (pair) (constant) (scope_resolution)])) @call
    (comment) @comment
    """

    def wrapped(self, scan: Scan, node: Node) -> None:
        """`private def name`: the visibility word belongs to the method."""
        arguments = node.child_by_field_name("arguments")
        inner = first_named(arguments)
        word = node.child_by_field_name("method")
        if inner is not None and word is not None:
            hidden = scan.text(word) in _HIDDEN
            scan.widen(node, inner, DefinitionFlag.NONE if hidden else DefinitionFlag.EXPORTED)
            scan.seen.add(inner.id)

    def visibility(self, scan: Scan, node: Node) -> None:
        """A bare `private` hides what follows it in the same body."""
        if scan.text(node) not in _VISIBILITIES:
            return
        body = node.parent
        if body is not None:
            public = int(scan.text(node) == "public")
            scan.notes.setdefault("visibility", []).extend((node.start_byte, body.end_byte, public))

    def module_(self, scan: Scan, node: Node) -> None:
        """A module; `module A::B` hangs its members on both names."""
        self._scoped(scan, node, SymbolKind.MODULE)

    def class_(self, scan: Scan, node: Node) -> None:
        """A class."""
        self._scoped(scan, node, SymbolKind.CLASS)

    def _scoped(self, scan: Scan, node: Node, kind: SymbolKind) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        last = name.child_by_field_name("name") if name.type == "scope_resolution" else name
        if last is None:
            return
        draft = scan.add(kind, node, last, body=node.child_by_field_name("body"), flags=DefinitionFlag.EXPORTED)
        if last is not name:
            draft.segment = ".".join(part for part in scan.text(name).split("::") if part)

    def method(self, scan: Scan, node: Node) -> None:
        """An instance, class or top-level method."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        said = node.id in scan.seen
        hidden = not said and self._is_hidden(scan, node.start_byte)
        flags = DefinitionFlag.NONE if said or hidden else DefinitionFlag.EXPORTED
        draft = scan.add(SymbolKind.FUNCTION, node, name, body=node.child_by_field_name("body"), flags=flags)
        parameters = node.child_by_field_name("parameters")
        if parameters is not None and draft.body < 0:
            draft.head_end = parameters.end_byte

    def _is_hidden(self, scan: Scan, position: int) -> bool:
        marks = scan.notes.get("visibility", [])
        best, hidden = -1, False
        for index in range(0, len(marks), 3):
            start, end, public = marks[index : index + 3]
            if best < start < position < end:
                best, hidden = start, not public
        return hidden

    def constant(self, scan: Scan, node: Node) -> None:
        """A constant, or the class that `Struct.new`, `Class.new` or `Data.define` makes."""
        name = node.child_by_field_name("left")
        value = node.child_by_field_name("right")
        if name is not None and name.type == "scope_resolution":
            name = name.child_by_field_name("name")
        if name is None or name.type != "constant":
            return
        kind, body = SymbolKind.CONSTANT, None
        if value is not None and value.type == "call":
            receiver, called = value.child_by_field_name("receiver"), value.child_by_field_name("method")
            if receiver is not None and called is not None:
                kind = _MADE_BY.get(scan.data[receiver.start_byte : called.end_byte], kind)
                body = value.child_by_field_name("block") if kind is not SymbolKind.CONSTANT else None
        scan.add(kind, node, name, body=body, flags=DefinitionFlag.EXPORTED)

    def alias(self, scan: Scan, node: Node) -> None:
        """`alias new old`."""
        name = node.child_by_field_name("name")
        if name is None or scan.data.startswith(b"$", name.start_byte):
            return
        if name.type == "simple_symbol":
            self._literal(scan, SymbolKind.FUNCTION, node, name)
        else:
            scan.add(SymbolKind.FUNCTION, node, name, flags=DefinitionFlag.EXPORTED)

    def call(self, scan: Scan, node: Node) -> None:
        """A call that defines: which, its word says."""
        method = node.child_by_field_name("method")
        word = scan.text(method) if method is not None else ""
        if word in _PROPERTIES:
            self._property_call(scan, node, word)
        elif word in _METHODS:
            self._method_call(scan, node)
        elif word in _BLOCKS and (word == "task" or node.child_by_field_name("block") is not None):
            self._block_call(scan, node, _BLOCKS[word])

    def _property_call(self, scan: Scan, node: Node, word: str) -> None:
        """`attr_reader :a, :b`: one property a name; several names each cover their own argument."""
        arguments = node.child_by_field_name("arguments")
        if arguments is None:
            return
        names = [child for child in arguments.named_children if child.type in ("simple_symbol", "string")]
        if not word.endswith(("reader", "writer", "accessor", "attribute")):
            names = names[:1]
        for name in names:
            self._literal(scan, SymbolKind.PROPERTY, node, name, part=len(names) > 1)

    def _method_call(self, scan: Scan, node: Node) -> None:
        """`define_method(:name)`, `alias_method :name, :old`, `scope :name`."""
        arguments = node.child_by_field_name("arguments")
        name = first_named(arguments)
        if name is not None:
            self._literal(scan, SymbolKind.FUNCTION, node, name, body=node.child_by_field_name("block"))

    def _block_call(self, scan: Scan, node: Node, kind: SymbolKind) -> None:
        """`describe`, `it`, `test` with a name, and Rake's `task` and `namespace`."""
        arguments = node.child_by_field_name("arguments")
        name = first_named(arguments)
        if name is not None and name.type == "pair":
            name = name.child_by_field_name("key")
        if name is None:
            return
        flags = DefinitionFlag.TEST if kind is SymbolKind.TEST else DefinitionFlag.NONE
        body = node.child_by_field_name("block")
        if name.type in ("constant", "scope_resolution") and kind is SymbolKind.TEST:
            scan.add(kind, node, name, body=body, flags=flags)
        else:
            self._literal(scan, kind, node, name, body=body, flags=flags)

    def _literal(
        self,
        scan: Scan,
        kind: SymbolKind,
        node: Node,
        name: Node,
        *,
        body: Node | None = None,
        flags: int = DefinitionFlag.EXPORTED,
        part: bool = False,
    ) -> None:
        """A definition named by a symbol or string literal: its text without colon or quotes."""
        if name.type in ("simple_symbol", "hash_key_symbol"):
            start, end = name.start_byte, name.end_byte
            if scan.data.startswith(b":", start):
                start += 1
        elif name.type == "string":
            content = child_of_type(name, "string_content")
            if content is None or name.named_child_count != 1:
                return
            start, end = content.start_byte, content.end_byte
        else:
            return
        if part:
            draft = scan.add_part(kind, node, name, flags=flags)
        else:
            draft = scan.add(kind, node, name, body=body, flags=flags)
        draft.name_start, draft.name_end = start, end
        draft.name = scan.data[start:end].decode("utf-8", "replace")

    def comment(self, scan: Scan, node: Node) -> None:
        """A comment; a magic one (`# frozen_string_literal: true`) tells the interpreter something, not the reader."""
        if not _MAGIC.match(scan.data, node.start_byte):
            super().comment(scan, node)

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Functions of classes and modules are methods, or tests (`test_*`); values in methods are locals."""
        if draft.kind is SymbolKind.CLASS and draft.name.endswith(("Test", "Tests", "TestCase", "Spec")):
            draft.flags |= DefinitionFlag.TEST
        if owner is None:
            return True
        if draft.kind is SymbolKind.FUNCTION and owner.kind in _OWNERS:
            draft.kind = SymbolKind.METHOD
            if draft.name.startswith("test_") and owner.flags & DefinitionFlag.TEST:
                draft.kind = SymbolKind.TEST
                draft.flags |= DefinitionFlag.TEST
        if draft.kind in (SymbolKind.CONSTANT, SymbolKind.PROPERTY):
            return owner.kind in _OWNERS
        return True
