"""Erlang: the module, functions, records with fields, types, macros, callbacks.

Clauses of one function (same name and arity) are one symbol, with the `-spec` above it. Parse transforms are not
applied.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar
from satori.languages.draft import Draft, Scan
from satori.languages.outline import Outline, OutlineLanguage, add_range, child_of_type, merge_clauses, trim_end
from satori.model.definition import DefinitionFlag, SymbolKind


class Erlang(OutlineLanguage):
    """Erlang modules and headers."""

    name: ClassVar[str] = "erlang"
    capability: ClassVar[Capability] = Capability(
        "outline",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar.bundled("erlang")
    outlines: ClassVar[dict[str, Outline]] = {
        "record_decl": Outline(SymbolKind.STRUCT),
        "record_field": Outline(SymbolKind.PROPERTY),
        "type_alias": Outline(SymbolKind.TYPE, "name/name"),
        "opaque": Outline(SymbolKind.TYPE, "name/name"),
        "pp_define": Outline(SymbolKind.MACRO, "lhs/name"),
        "callback": Outline(
            SymbolKind.FUNCTION, "fun", flags=DefinitionFlag.ABSTRACT | DefinitionFlag.DECLARATION_ONLY
        ),
    }
    patterns: ClassVar[str] = """
    (module_attribute) @module_
    (spec) @lead
    (source_file (fun_decl) @clause)
    (export_attribute funs: (fa fun: (_) @export_name))
    """

    def module_(self, scan: Scan, node: Node) -> None:
        """`-module(m).` holds everything to the end of the file."""
        name = node.child_by_field_name("name")
        if name is None or scan.notes.get("module"):
            return
        scan.notes["module"] = [node.start_byte]
        end = trim_end(scan.data, node.end_byte, len(scan.data))
        draft = add_range(scan, SymbolKind.MODULE, (node.start_byte, end), (name.start_byte, name.end_byte))
        draft.body = draft.head_end = min(node.end_byte, end)
        draft.flags = DefinitionFlag.EXPORTED
        if draft.name.endswith(("_SUITE", "_tests", "_test")):
            draft.flags |= DefinitionFlag.TEST

    def export_name(self, scan: Scan, node: Node) -> None:
        """A name in `-export`."""
        scan.names.add(scan.text(node))

    def clause(self, scan: Scan, node: Node) -> None:
        """One clause of a function."""
        clause = node.child_by_field_name("clause")
        name = clause.child_by_field_name("name") if clause is not None else None
        if clause is None or name is None:
            return
        draft = scan.add(SymbolKind.FUNCTION, node, name, body=clause.child_by_field_name("body"))
        arguments = clause.child_by_field_name("args") or child_of_type(clause, "expr_args")
        arity = arguments.named_child_count if arguments is not None else 0
        scan.notes.setdefault("arity", []).extend((draft.start, arity))

    def finish(self, scan: Scan) -> None:
        """Join the clauses of each function."""
        marks = scan.notes.get("arity", [])
        arities = dict(zip(marks[::2], marks[1::2], strict=True))
        clauses = [draft for draft in scan.drafts if draft.start in arities and draft.kind is SymbolKind.FUNCTION]
        merge_clauses(scan, clauses, lambda draft: (draft.name, arities[draft.start]))
        for draft in clauses:
            if draft.name in scan.names:
                draft.flags |= DefinitionFlag.EXPORTED

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """EUnit's `name_test` functions are tests; record types in patterns are not fields."""
        if draft.kind is SymbolKind.FUNCTION and draft.name.endswith(("_test", "_test_")):
            draft.kind = SymbolKind.TEST
            draft.flags |= DefinitionFlag.TEST
        return draft.kind is not SymbolKind.PROPERTY or (owner is not None and owner.kind is SymbolKind.STRUCT)
