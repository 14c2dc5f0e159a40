"""C++: all of C, and classes, methods, namespaces, templates, operators, aliases, concepts, googletest's tests.

A method defined outside its class belongs to the class its name is qualified with: `Class.method`, receiver `Class`.
`template<>` belongs to the span. Friends' declarations, using-directives, explicit instantiations and lambdas are not
symbols. Templates are not instantiated and overloads are not resolved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar
from satori.languages.c import SHARED_QUERY, TYPES, C
from satori.languages.draft import ABSTRACT, TEST, Draft, Scan
from satori.model.definition import SymbolKind

_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
_TEST_MACROS = frozenset({"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "TEST_CASE", "BENCHMARK_F"})


class Cpp(C):
    """C++, up to C++20 as its grammar reads it."""

    name: ClassVar[str] = "cpp"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_cpp")
    type_header: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"^[ \t]*(?:template[ \t]*<[^;{}\n]*>[ \t]*|inline[ \t]+)?(?P<keyword>class|struct|union|enum|namespace)[ \t]+"
        rb"(?:class[ \t]+)?(?:[A-Z][A-Z0-9_]+[ \t]+)?(?P<name>[A-Za-z_]\w*)(?=[\s:{]|<)",
        re.MULTILINE,
    )
    header_kinds: ClassVar[Mapping[bytes, SymbolKind]] = {
        b"class": SymbolKind.CLASS,
        b"struct": SymbolKind.STRUCT,
        b"union": SymbolKind.STRUCT,
        b"enum": SymbolKind.ENUM,
        b"namespace": SymbolKind.NAMESPACE,
    }
    query: ClassVar[str] = (
        """
    (template_declaration) @template
    """
        + SHARED_QUERY
        + """
    (class_specifier body: (_)) @type
    (namespace_definition) @namespace
    (field_declaration_list (declaration) @method_declaration)
    (template_declaration (declaration) @declaration)
    (alias_declaration) @alias
    (concept_definition) @alias
    """
    )

    def template(self, scan: Scan, node: Node) -> None:
        """`template<...>` belongs to what it opens."""
        inner = node.named_child(node.named_child_count - 1) if node.named_child_count else None
        if inner is not None:
            scan.widen(node, inner)

    def function(self, scan: Scan, node: Node) -> None:
        """A function, a method or a googletest test."""
        before = len(scan.drafts)
        super().function(scan, node)
        for draft in scan.drafts[before:]:
            if node.child_by_field_name("type") is not None:
                continue
            if draft.name in _TEST_MACROS:
                self._name_test(scan, draft, node)
            elif draft.name.isupper() and len(draft.name) > 3 and not draft.receiver:
                # `if CONSTEXPR_MACRO (x) {`, `EXPORT_MACRO template`: a macro where a name would be.
                scan.drafts.pop()

    def _name_test(self, scan: Scan, draft: Draft, node: Node) -> None:
        """`TEST(Suite, Name) {`: a test called Name, of Suite."""
        opening = scan.data.find(b"(", draft.name_end)
        words = [found.span() for found in re.finditer(rb"\w+", scan.data[opening : node.end_byte].split(b")", 1)[0])]
        if opening < 0 or not words:
            return
        draft.kind = SymbolKind.TEST
        draft.flags |= TEST
        first, last = words[-1]
        draft.name_start, draft.name_end = opening + first, opening + last
        draft.name = scan.data[draft.name_start : draft.name_end].decode("utf-8", "replace")
        if len(words) > 1:
            draft.receiver = scan.data[opening + words[0][0] : opening + words[0][1]].decode("utf-8", "replace")

    def method_declaration(self, scan: Scan, node: Node) -> None:
        """A constructor, destructor or template method declared in its class."""
        if scan.first_time(node):
            self.declare(scan, node, SymbolKind.PROPERTY, SymbolKind.METHOD)

    def field(self, scan: Scan, node: Node) -> None:
        """As in C; `= 0` makes a method abstract."""
        before = len(scan.drafts)
        super().field(scan, node)
        value = node.child_by_field_name("default_value")
        if value is not None and scan.text(value) == "0":
            for draft in scan.drafts[before:]:
                if draft.kind is SymbolKind.METHOD:
                    draft.flags |= ABSTRACT

    def qualify(self, scan: Scan, draft: Draft, declarator: Node, name: Node) -> None:
        """`a::B<T>::f` is f, with the receiver a.B; operators keep their words."""
        at, receiver = _scopes(scan, name)
        if at is None:
            return
        if at.type == "template_function":
            at = at.child_by_field_name("name") or at
        draft.name_start, draft.name_end = at.start_byte, at.end_byte
        if at.type == "operator_cast":
            inner = at.child_by_field_name("declarator")
            draft.name_end = at.end_byte if inner is None else inner.start_byte
            while scan.data[draft.name_end - 1 : draft.name_end].isspace():
                draft.name_end -= 1
        draft.name = scan.data[draft.name_start : draft.name_end].decode("utf-8", "replace")
        draft.receiver = receiver
        if draft.receiver and draft.kind is SymbolKind.FUNCTION:
            draft.kind = SymbolKind.METHOD

    def type(self, scan: Scan, node: Node) -> None:
        """As in C; what follows the colon of an unnamed enum is its representation, not its name; `struct A::B {` is B
        with the receiver A."""
        name = node.child_by_field_name("name")
        if name is not None and not scan.data[node.start_byte : name.start_byte].rstrip().endswith(b":"):
            before = len(scan.drafts)
            super().type(scan, node)
            if name.type == "qualified_identifier" and len(scan.drafts) > before:
                scan.drafts[-1].receiver = _scopes(scan, name)[1]

    def type_name(self, name: Node) -> Node:
        """The token that names a type: a specialization's is before its arguments, a nested one's after its scope."""
        at = name
        while at.type in ("template_type", "qualified_identifier"):
            inner = at.child_by_field_name("name")
            if inner is None:
                return at
            at = inner
        return at

    def namespace(self, scan: Scan, node: Node) -> None:
        """A namespace; `a::b` is one definition; an anonymous one lends its members to what is around."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        draft = scan.add(SymbolKind.NAMESPACE, node, name, body=node.child_by_field_name("body"))
        draft.segment = draft.name.replace("::", ".").replace(" ", "")

    def alias(self, scan: Scan, node: Node) -> None:
        """`using A = B` and concepts."""
        name = node.child_by_field_name("name")
        if name is not None:
            scan.add(SymbolKind.TYPE, node, name)

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """As in C; a test's receiver is its suite, not an owner of methods."""
        if owner is not None and owner.kind in TYPES and draft.kind is SymbolKind.METHOD and draft.receiver:
            # `friend void Other::f()`: another class's method, named here.
            return False
        return super().place(draft, owner)


def _scopes(scan: Scan, name: Node) -> tuple[Node | None, str]:
    """(the last part of a qualified name, what stands before it with dots between)."""
    at: Node | None = name
    scopes: list[str] = []
    while at is not None and at.type == "qualified_identifier":
        scope = at.child_by_field_name("scope")
        if scope is not None:
            scopes.append(_plain(scan.text(scope)))
        at = at.child_by_field_name("name")
    return at, ".".join(scope for scope in scopes if scope)


def _plain(scope: str) -> str:
    """A scope without template arguments, however they nest."""
    previous = ""
    while previous != scope:
        previous, scope = scope, _TEMPLATE_ARGUMENTS.sub("", scope)
    return scope.replace("::", ".").strip()
