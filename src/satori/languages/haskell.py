"""Haskell: the module, types, constructors and fields, classes, instances, functions, patterns, foreign imports.

A signature and the equations below it are one symbol. Functions bound by `where` and `let` are part of their owner,
not symbols: there are many, they are called `go`, and nothing outside can name them. Template Haskell is not expanded.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar
from satori.languages.draft import Draft, Scan
from satori.languages.outline import (
    Outline,
    OutlineLanguage,
    add_range,
    descend,
    first_named,
    merge_clauses,
    trim_end,
    trimmed,
)
from satori.model.definition import DefinitionFlag, SymbolKind

_CONTAINERS = (SymbolKind.INTERFACE, SymbolKind.NAMESPACE)


class Haskell(OutlineLanguage):
    """Haskell 2010 with the extensions its grammar reads."""

    name: ClassVar[str] = "haskell"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("haskell")
    comments_align: ClassVar[bool] = True
    outlines: ClassVar[dict[str, Outline]] = {
        "data_type": Outline(SymbolKind.TYPE),
        "newtype": Outline(SymbolKind.TYPE),
        "type_synomym": Outline(SymbolKind.TYPE),
        "type_family": Outline(SymbolKind.TYPE),
        "data_family": Outline(SymbolKind.TYPE),
        "class": Outline(SymbolKind.INTERFACE, body="declarations"),
        "instance": Outline(SymbolKind.NAMESPACE, body="declarations"),
        "foreign_import": Outline(SymbolKind.FUNCTION, "signature/name", flags=DefinitionFlag.DECLARATION_ONLY),
        "pattern_synonym": Outline(SymbolKind.FUNCTION, "equation/synonym"),
        "data_constructor": Outline(SymbolKind.CONSTANT, "constructor/name"),
        "newtype_constructor": Outline(SymbolKind.CONSTANT),
        "gadt_constructor": Outline(SymbolKind.CONSTANT),
    }
    comment_types: ClassVar[tuple[str, ...]] = ("comment", "haddock")
    patterns: ClassVar[str] = """
    (header) @header
    (declarations [(function) (bind) (signature)] @binding)
    (class_declarations [(function) (bind) (signature)] @binding)
    (instance_declarations [(function) (bind)] @binding)
    (field name: (field_name) @field_name) @_field
    """

    def header(self, scan: Scan, node: Node) -> None:
        """`module A.B (...) where` holds everything to the end of the file."""
        name = node.child_by_field_name("module")
        if name is not None:
            end = trim_end(scan.data, node.end_byte, len(scan.data))
            draft = add_range(scan, SymbolKind.MODULE, (node.start_byte, end), (name.start_byte, name.end_byte))
            draft.body = draft.head_end = min(node.end_byte, end)
            draft.flags |= DefinitionFlag.EXPORTED

    def outline(self, scan: Scan, node: Node) -> Draft | None:
        """Types and their parts; an instance is named by class and types together."""
        draft = super().outline(scan, node)
        if draft is None:
            return None
        if node.type == "instance":
            patterns = node.child_by_field_name("patterns")
            if patterns is not None:
                draft.receiver = " ".join(scan.text(patterns).split())
                draft.segment = f"{draft.name} {draft.receiver}"
        elif node.type == "pattern_synonym":
            synonym = descend(node, "equation/synonym")
            while synonym is not None and synonym.type == "apply":
                synonym = synonym.child_by_field_name("function")
            if synonym is not None:
                draft.name_start, draft.name_end = synonym.start_byte, synonym.end_byte
                draft.name = scan.text(synonym)
        return draft

    def binding(self, scan: Scan, node: Node) -> None:
        """A signature, or one equation of a function or value."""
        name = node.child_by_field_name("name") or _infix_name(node)
        if name is None:
            return
        is_value = node.type == "bind"
        flags = DefinitionFlag.DECLARATION_ONLY if node.type == "signature" else DefinitionFlag.NONE
        draft = trimmed(scan, scan.add(SymbolKind.FUNCTION, node, name, body=node.child_by_field_name("match")))
        draft.flags |= flags
        if name.type == "prefix_id":
            draft.name_start, draft.name_end = name.start_byte + 1, name.end_byte - 1
            draft.name = scan.data[draft.name_start : draft.name_end].decode("utf-8", "replace").strip()
        draft.head_end = draft.end if node.type == "signature" else draft.body
        if is_value:
            scan.notes.setdefault("values", []).append(draft.start)
        scan.notes.setdefault("bindings", []).append(draft.start)

    def field_name(self, scan: Scan, node: Node) -> None:
        """A record field: a function of its type to everybody else, a property here."""
        scan.add(SymbolKind.PROPERTY, node, node)

    def finish(self, scan: Scan) -> None:
        """Join signatures and equations; drop signatures that stand alone outside classes."""
        bindings = set(scan.notes.get("bindings", ()))
        values = set(scan.notes.get("values", ()))
        drafts = [draft for draft in scan.drafts if draft.start in bindings and draft.kind is SymbolKind.FUNCTION]
        signed = {draft.start for draft in drafts if draft.flags & DefinitionFlag.DECLARATION_ONLY}
        merge_clauses(scan, drafts, lambda draft: draft.name)
        for draft in scan.drafts:
            if draft.start in values and draft.start not in signed:
                # A value without a signature or arguments.
                draft.kind = SymbolKind.CONSTANT

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Functions of classes and instances are methods; values in functions are locals."""
        if owner is not None and owner.kind in _CONTAINERS:
            if draft.kind in (SymbolKind.FUNCTION, SymbolKind.CONSTANT):
                draft.kind = SymbolKind.METHOD
        elif owner is not None and owner.kind is SymbolKind.FUNCTION:
            return False
        draft.flags |= DefinitionFlag.EXPORTED
        return True


def _infix_name(node: Node) -> Node | None:
    """The operator that an infix equation defines: `a <+> b = ...`, "x `plus` y = ..."."""
    for child in node.children:
        if child.type == "infix":
            operator = child.child_by_field_name("operator")
            if operator is not None and operator.type == "infix_id":
                return first_named(operator)
            return operator
    return None
