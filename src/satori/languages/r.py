"""R: functions bound to a name, top-level values, S4 and R6 classes with members, generics, testthat tests.

S3 methods are functions called `generic.class`, as they are written. Anonymous functions are not symbols.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import child_of_type
from satori.model.definition import DefinitionFlag, SymbolKind

_CALLS = {
    "setClass": SymbolKind.CLASS,
    "setRefClass": SymbolKind.CLASS,
    "setGeneric": SymbolKind.FUNCTION,
    "setMethod": SymbolKind.METHOD,
    "test_that": SymbolKind.TEST,
    "describe": SymbolKind.TEST,
    "it": SymbolKind.TEST,
}
_CLASS_MAKERS = ("R6Class", "R6::R6Class", "setRefClass", "setClass")
_LEFT, _RIGHT = ("<-", "<<-", "=", ":="), ("->", "->>")


class R(GrammarLanguage):
    """R source."""

    name: ClassVar[str] = "r"
    capability: ClassVar[Capability] = Capability("outline", tests=True)
    grammar: ClassVar[Grammar] = Grammar.bundled("r")
    query: ClassVar[str] = """
    (binary_operator rhs: (function_definition)) @bound
    (program (binary_operator) @bound)
    (argument name: (identifier) value: (function_definition)) @member
    (call function: (identifier) arguments: (arguments . argument: (argument value: (string)))) @call
    (comment) @comment
    """

    def bound(self, scan: Scan, node: Node) -> None:
        """`name <- value`, in either direction."""
        if not scan.first_time(node):
            return
        operator = node.child_by_field_name("operator")
        name, value = node.child_by_field_name("lhs"), node.child_by_field_name("rhs")
        if operator is not None and operator.type in _RIGHT:
            name, value = value, name
        elif operator is None or operator.type not in _LEFT:
            return
        if name is None or value is None or name.type not in ("identifier", "string"):
            return
        kind, body = SymbolKind.CONSTANT, None
        if value.type == "function_definition":
            kind, body = SymbolKind.FUNCTION, value.child_by_field_name("body")
        elif value.type == "call":
            maker = value.child_by_field_name("function")
            if maker is not None and scan.text(maker) in _CLASS_MAKERS:
                kind, body = SymbolKind.CLASS, value.child_by_field_name("arguments")
        draft = scan.add(kind, node, name, body=body, flags=DefinitionFlag.EXPORTED)
        if draft.name[:1] in "`\"'" and len(draft.name) > 2:
            draft.name_start, draft.name_end = draft.name_start + 1, draft.name_end - 1
            draft.name = draft.name[1:-1]
        if draft.name.startswith("."):
            draft.flags = DefinitionFlag.NONE

    def member(self, scan: Scan, node: Node) -> None:
        """A function in a class maker's member list."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None and value is not None:
            draft = scan.add(SymbolKind.METHOD, node, name, body=value.child_by_field_name("body"))
            draft.held = True

    def call(self, scan: Scan, node: Node) -> None:
        """`setClass("A", ...)`, `setMethod("f", "A", ...)`, `test_that("...", {...})`."""
        word = scan.text(node.child_by_field_name("function") or node)
        arguments = node.child_by_field_name("arguments")
        if word not in _CALLS or arguments is None:
            return
        literals = [
            child_of_type(value, "string_content")
            for argument in arguments.children_by_field_name("argument")[:2]
            if (value := argument.child_by_field_name("value")) is not None and value.type == "string"
        ]
        name = literals[0] if literals else None
        if name is None:
            return
        kind = _CALLS[word]
        flags = DefinitionFlag.TEST if kind is SymbolKind.TEST else DefinitionFlag.EXPORTED
        draft = scan.add(kind, node, name, flags=flags)
        draft.head_end = name.end_byte + 1 if kind is SymbolKind.TEST else -1
        if kind is SymbolKind.METHOD and len(literals) > 1 and literals[1] is not None:
            draft.receiver = scan.text(literals[1])

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Member functions are symbols in classes only; values inside functions are locals."""
        if draft.held:
            return owner is not None and owner.kind is SymbolKind.CLASS
        if draft.kind is SymbolKind.CLASS and owner is not None and owner.kind is SymbolKind.CLASS:
            # `A <- setClass("A")` names one class twice.
            return owner.name != draft.name
        return draft.kind is not SymbolKind.CONSTANT or owner is None
