"""OCaml: modules, module types, functors, values and functions, types with their parts, classes, exceptions.

Interfaces (`.mli`) are told from implementations by which of the two grammars reads them with fewer errors. Bindings
inside expressions are not symbols.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar
from satori.languages.draft import Draft, Scan
from satori.languages.outline import Outline, OutlineLanguage, child_of_type, first_named
from satori.model.definition import DefinitionFlag, FileFacts, SymbolKind

_FUNCTION_BODIES = ("function_expression", "fun_expression")


class _Implementation(OutlineLanguage):
    """OCaml structures."""

    name: ClassVar[str] = "ocaml"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("ocaml")
    outlines: ClassVar[dict[str, Outline]] = {
        "module_binding": Outline(SymbolKind.MODULE, "module_name", "body"),
        "module_type_definition": Outline(SymbolKind.INTERFACE, "module_type_name", "body"),
        "type_binding": Outline(SymbolKind.TYPE),
        "constructor_declaration": Outline(SymbolKind.CONSTANT, "constructor_name"),
        "field_declaration": Outline(SymbolKind.PROPERTY, "field_name"),
        "class_binding": Outline(SymbolKind.CLASS, "class_name", "body"),
        "class_type_binding": Outline(SymbolKind.INTERFACE, "class_type_name", "body"),
        "method_definition": Outline(SymbolKind.METHOD, "method_name"),
        "method_specification": Outline(SymbolKind.METHOD, "method_name", flags=DefinitionFlag.DECLARATION_ONLY),
        "instance_variable_definition": Outline(SymbolKind.PROPERTY, "instance_variable_name"),
        "external": Outline(SymbolKind.FUNCTION, "value_name", flags=DefinitionFlag.DECLARATION_ONLY),
        "value_specification": Outline(SymbolKind.FUNCTION, "value_name", flags=DefinitionFlag.DECLARATION_ONLY),
    }
    patterns: ClassVar[str] = """
    [(module_definition) (type_definition) (exception_definition) (class_definition) (class_type_definition)] @statement
    (compilation_unit (value_definition) @values)
    (structure (value_definition) @values)
    """

    def statement(self, scan: Scan, node: Node) -> None:
        """The keyword before a binding belongs to it: `type a = ... and b = ...` makes two, side by side."""
        start = node.start_byte
        for child in node.children:
            if child.type == "and":
                start = child.start_byte
            elif child.is_named and child.type.endswith(("_binding", "_declaration")):
                scan.widened[child.id] = (start, child.end_byte, 0)

    def outline(self, scan: Scan, node: Node) -> Draft | None:
        """A definition, from its keyword on."""
        draft = super().outline(scan, node)
        if draft is not None:
            draft.head = draft.start
        return draft

    def values(self, scan: Scan, node: Node) -> None:
        """`let f x = ...`, `let rec f = ... and g = ...`, `let x = ...`."""
        start = node.start_byte
        for child in node.children:
            if child.type == "and":
                start = child.start_byte
            elif child.type == "let_binding":
                self._binding(scan, child, start)

    def _binding(self, scan: Scan, node: Node, start: int) -> None:
        name, body = node.child_by_field_name("pattern"), node.child_by_field_name("body")
        if name is None or name.type not in ("value_name", "parenthesized_operator") or scan.text(name) == "_":
            return
        is_function = child_of_type(node, "parameter") is not None
        is_function = is_function or (body is not None and body.type in _FUNCTION_BODIES)
        scan.widened[node.id] = (start, node.end_byte, 0)
        kind = SymbolKind.FUNCTION if is_function else SymbolKind.CONSTANT
        draft = scan.add(kind, node, name, body=body, head=start)
        if name.type == "parenthesized_operator":
            operator = first_named(name)
            if operator is not None:
                draft.name_start, draft.name_end = operator.start_byte, operator.end_byte
                draft.name = scan.text(operator)

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Definitions inside functions (local modules, objects) are its text; the others are visible."""
        draft.flags |= DefinitionFlag.EXPORTED
        return owner is None or owner.kind is not SymbolKind.FUNCTION


class _Interface(_Implementation):
    """OCaml signatures."""

    grammar: ClassVar[Grammar] = Grammar.bundled("ocaml_interface")
    outlines: ClassVar[dict[str, Outline]] = {
        **_Implementation.outlines,
        "module_binding": Outline(SymbolKind.MODULE, "module_name", "module_type"),
    }
    patterns: ClassVar[str] = """
    [(module_definition) (type_definition) (exception_definition) (class_definition) (class_type_definition)] @statement
    """


class OCaml(_Implementation):
    """Implementations and interfaces under one name."""

    def __init__(self) -> None:
        super().__init__()
        self._interface = _Interface()

    def extract(self, data: bytes) -> FileFacts:
        """Facts by the grammar that reads the file with fewer errors."""
        facts = super().extract(data)
        if not facts.error_ranges:
            return facts
        other = self._interface.extract(data)
        return other if other.error_ranges < facts.error_ranges else facts
