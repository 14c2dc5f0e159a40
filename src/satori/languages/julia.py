"""Julia: modules, structs with fields, abstract types, functions in both forms, macros, constants, test sets.

Methods of one generic function are separate symbols, as each has its own body; `Base.show` belongs to Base (its
receiver). Docstrings are the strings directly above. Macros are not expanded.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import child_of_type, first_named, last_named
from satori.model.definition import DefinitionFlag, SymbolKind

_OWNERS = (SymbolKind.MODULE, SymbolKind.STRUCT)


class Julia(GrammarLanguage):
    """Julia 1."""

    name: ClassVar[str] = "julia"
    capability: ClassVar[Capability] = Capability("outline", tests=True)
    grammar: ClassVar[Grammar] = Grammar.bundled("julia")
    comments_align: ClassVar[bool] = True
    query: ClassVar[str] = """
    (source_file (string_literal) @docstring)
    (module_definition (block (string_literal) @docstring))
    (module_definition) @module_
    (struct_definition) @struct
    [(abstract_definition) (primitive_definition)] @abstract
    [(function_definition) (macro_definition)] @function
    (assignment . [(call_expression) (where_expression) (typed_expression)]) @short
    (const_statement (assignment) @const)
    (source_file (assignment . (identifier)) @global_)
    (module_definition (block (assignment . (identifier)) @global_))
    (macrocall_expression (macro_identifier) (macro_argument_list . (string_literal))) @test
    (line_comment) @comment
    (block_comment) @comment
    """

    def docstring(self, scan: Scan, node: Node) -> None:
        """A string above a definition documents it."""
        scan.add_comment(node.start_byte, node.end_byte)

    def module_(self, scan: Scan, node: Node) -> None:
        """A module."""
        name = node.child_by_field_name("name")
        if name is not None:
            scan.add(SymbolKind.MODULE, node, name, body=child_of_type(node, "block"), flags=DefinitionFlag.EXPORTED)

    def struct(self, scan: Scan, node: Node) -> None:
        """A struct and its fields."""
        name = _name(child_of_type(node, "type_head"))
        body = child_of_type(node, "block")
        if name is None:
            return
        scan.add(SymbolKind.STRUCT, node, name, body=body, flags=DefinitionFlag.EXPORTED)
        for child in body.named_children if body is not None else ():
            if child.type in ("identifier", "typed_expression", "const_statement"):
                field = _name(child if child.type == "identifier" else first_named(child))
                if field is not None:
                    scan.add(SymbolKind.PROPERTY, child, field)

    def abstract(self, scan: Scan, node: Node) -> None:
        """`abstract type`, `primitive type`."""
        name = _name(child_of_type(node, "type_head"))
        if name is not None:
            scan.add(SymbolKind.TYPE, node, name, flags=DefinitionFlag.EXPORTED | DefinitionFlag.ABSTRACT)

    def function(self, scan: Scan, node: Node) -> None:
        """`function f(x) ... end`, `macro m(x) ... end`."""
        signature = child_of_type(node, "signature")
        kind = SymbolKind.MACRO if node.type == "macro_definition" else SymbolKind.FUNCTION
        if signature is not None:
            self._callable(scan, kind, node, signature, child_of_type(node, "block"), signature.end_byte)

    def short(self, scan: Scan, node: Node) -> None:
        """`f(x) = ...`."""
        head = first_named(node)
        body = last_named(node)
        if head is None or _call(head) is None:
            return
        self._callable(scan, SymbolKind.FUNCTION, node, head, body, head.end_byte)

    def _callable(self, scan: Scan, kind: SymbolKind, node: Node, head: Node, body: Node | None, end: int) -> None:
        call = _call(head)
        target = first_named(call) if call is not None else _name(first_named(head))
        receiver = ""
        if target is not None and target.type == "field_expression":
            value = target.child_by_field_name("value") or first_named(target)
            last = last_named(target)
            receiver = scan.text(value) if value is not None else ""
            target = last
        name = _name(target)
        if name is None:
            return
        draft = scan.add(kind, node, name, body=body, flags=DefinitionFlag.EXPORTED, receiver=receiver)
        draft.head_end = end

    def const(self, scan: Scan, node: Node) -> None:
        """`const X = ...`."""
        name = _name(first_named(node))
        if name is not None and scan.first_time(node):
            draft = scan.add(SymbolKind.CONSTANT, node, name, flags=DefinitionFlag.EXPORTED)
            statement = scan.data.rfind(b"const", max(0, node.start_byte - 64), node.start_byte)
            if statement >= 0 and not scan.data[statement + 5 : node.start_byte].strip():
                draft.start = draft.head = statement

    def global_(self, scan: Scan, node: Node) -> None:
        """A global."""
        name = _name(first_named(node))
        if name is not None and scan.first_time(node):
            scan.add(SymbolKind.CONSTANT, node, name, flags=DefinitionFlag.EXPORTED)

    def test(self, scan: Scan, node: Node) -> None:
        """`@testset "..." begin ... end`."""
        if not scan.data.startswith(b"@testset", node.start_byte):
            return
        arguments = child_of_type(node, "macro_argument_list")
        literal = first_named(arguments)
        content = child_of_type(literal, "content") if literal is not None else None
        if content is not None and b"\n" not in scan.data[content.start_byte : content.end_byte]:
            scan.add(SymbolKind.TEST, node, content, flags=DefinitionFlag.TEST).head_end = content.end_byte + 1

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Inner constructors are methods; values in functions are locals."""
        if draft.kind is SymbolKind.FUNCTION and owner is not None and owner.kind is SymbolKind.STRUCT:
            draft.kind = SymbolKind.METHOD
        if draft.kind is SymbolKind.CONSTANT:
            return owner is None or owner.kind in _OWNERS
        return True


def _call(head: Node) -> Node | None:
    """The call that a function's head is, inside return types and `where`."""
    node: Node | None = head
    while node is not None and node.type in ("signature", "where_expression", "typed_expression"):
        node = first_named(node)
    return node if node is not None and node.type == "call_expression" else None


def _name(node: Node | None) -> Node | None:
    """The name inside type parameters, supertypes and annotations."""
    while node is not None and node.type not in ("identifier", "operator"):
        if node.type not in (
            "type_head",
            "binary_expression",
            "parametrized_type_expression",
            "curly_expression",
            "typed_expression",
            "const_statement",
            "quote_expression",
            "parenthesized_expression",
        ):
            return None
        node = first_named(node)
    return node
