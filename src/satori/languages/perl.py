"""Perl: packages, subroutines, methods, constants, package variables, attributes by `has`, subtests.

A package statement holds everything to the next one or to the end of its file. What follows `__END__` is not code; POD
is documentation of the file, not of the subroutine after it.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import child_of_type, first_named, trim_end
from satori.model.definition import DefinitionFlag, SymbolKind

_OWNERS = (SymbolKind.MODULE, SymbolKind.CLASS)


class Perl(GrammarLanguage):
    """Perl 5."""

    name: ClassVar[str] = "perl"
    capability: ClassVar[Capability] = Capability("outline", tests=True)
    grammar: ClassVar[Grammar] = Grammar.bundled("perl")
    query: ClassVar[str] = """
    [(package_statement) (class_statement)] @package
    [(eof_marker) (data_section)] @end
    [(subroutine_declaration_statement) (method_declaration_statement)] @sub
    (use_statement module: (package)) @use_constant
    (expression_statement (assignment_expression left: (variable_declaration))) @variable
    (ambiguous_function_call_expression function: (function)) @declared
    [(comment) (pod)] @comment
    """

    def package(self, scan: Scan, node: Node) -> None:
        """`package A::B;` or `package A::B { ... }`."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        body = child_of_type(node, "block")
        kind = SymbolKind.CLASS if node.type == "class_statement" else SymbolKind.MODULE
        draft = scan.add(kind, node, name, body=body, flags=DefinitionFlag.EXPORTED)
        draft.segment = draft.name.replace("::", ".")
        if body is None:
            draft.head_end = draft.end
            scan.notes.setdefault("open", []).append(node.start_byte)

    def end(self, scan: Scan, node: Node) -> None:
        """`__END__`, `__DATA__`."""
        scan.notes.setdefault("end", []).append(node.start_byte)

    def sub(self, scan: Scan, node: Node) -> None:
        """`sub name {`; `sub Other::name {` belongs to Other."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        body = node.child_by_field_name("body")
        draft = scan.add(SymbolKind.FUNCTION, node, name, body=body)
        draft.flags = DefinitionFlag.NONE if draft.name.startswith("_") else DefinitionFlag.EXPORTED
        if body is None:
            draft.flags |= DefinitionFlag.DECLARATION_ONLY
        if "::" in draft.name:
            receiver, _, last = draft.name.rpartition("::")
            draft.receiver, draft.name = receiver.replace("::", "."), last
            draft.name_start = draft.name_end - len(last.encode("utf-8"))

    def use_constant(self, scan: Scan, node: Node) -> None:
        """`use constant NAME => ...`, `use constant { A => 1, B => 2 }`."""
        module = node.child_by_field_name("module")
        if module is None or scan.text(module) != "constant":
            return
        for child in node.named_children:
            if child.type == "list_expression":
                name = first_named(child)
                if name is not None and name.type == "autoquoted_bareword":
                    scan.add(SymbolKind.CONSTANT, node, name, flags=DefinitionFlag.EXPORTED)
            elif child.type == "anonymous_hash_expression":
                pairs = child_of_type(child, "list_expression")
                for name in pairs.named_children if pairs is not None else ():
                    if name.type == "autoquoted_bareword":
                        scan.add_part(SymbolKind.CONSTANT, node, name, flags=DefinitionFlag.EXPORTED)

    def variable(self, scan: Scan, node: Node) -> None:
        """`our $NAME = ...` and `my $NAME = ...` at file or package level."""
        assignment = first_named(node)
        declaration = assignment.child_by_field_name("left") if assignment is not None else None
        name = declaration.child_by_field_name("variable") if declaration is not None else None
        if name is None or declaration is None:
            return
        is_shared = scan.data.startswith(b"our", declaration.start_byte)
        flags = DefinitionFlag.EXPORTED if is_shared else DefinitionFlag.NONE
        value = assignment.child_by_field_name("right") if assignment is not None else None
        is_sub = value is not None and value.type == "anonymous_subroutine_expression"
        body = value.child_by_field_name("body") if value is not None and is_sub else None
        draft = scan.add(SymbolKind.FUNCTION if is_sub else SymbolKind.CONSTANT, node, name, body=body, flags=flags)
        draft.name_start += 1
        draft.name = scan.data[draft.name_start : draft.name_end].decode("utf-8", "replace").lstrip("^{")
        draft.name_start = draft.name_end - len(draft.name.encode("utf-8"))

    def declared(self, scan: Scan, node: Node) -> None:
        """`has name => (...)` makes a property, `subtest 'name' => sub {...}` a test."""
        word = scan.text(node.child_by_field_name("function") or node)
        if word not in ("has", "subtest"):
            return
        first = node.child_by_field_name("arguments")
        if first is not None and first.type == "list_expression":
            first = first_named(first)
        if first is None:
            return
        name = child_of_type(first, "string_content") if first.type.endswith("string_literal") else first
        if name is None or (word == "has" and first.type not in ("autoquoted_bareword", "string_literal")):
            return
        if word == "has":
            scan.add(SymbolKind.PROPERTY, node, name, flags=DefinitionFlag.EXPORTED)
        elif first.type.endswith("string_literal"):
            scan.add(SymbolKind.TEST, node, name, flags=DefinitionFlag.TEST).head_end = first.end_byte

    def finish(self, scan: Scan) -> None:
        """Give packages without a block their extent."""
        opened = set(scan.notes.get("open", ()))
        limit = min(scan.notes.get("end", [len(scan.data)]))
        blocks = [d for d in scan.drafts if d.kind in _OWNERS and d.start not in opened]
        packages = sorted((d for d in scan.drafts if d.kind in _OWNERS), key=lambda draft: draft.start)
        for index, draft in enumerate(packages):
            if draft.start not in opened:
                continue
            end = limit
            for block in blocks:
                if block.start < draft.start < block.end:
                    end = min(end, block.end - 1)
            if index + 1 < len(packages):
                end = min(end, packages[index + 1].start)
            draft.body = draft.end
            draft.end = max(draft.end, trim_end(scan.data, draft.start, end))

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Subroutines of packages are functions of it; values inside subroutines are locals."""
        if draft.kind in (SymbolKind.CONSTANT, SymbolKind.PROPERTY):
            return owner is None or owner.kind in _OWNERS
        if draft.kind is SymbolKind.FUNCTION and owner is not None and owner.kind is SymbolKind.CLASS:
            draft.kind = SymbolKind.METHOD
        return True
