"""Python: modules, classes, functions, methods, class attributes, module-level names, type aliases.

Nested functions and conditional definitions are symbols; local variables, imports and loop variables are not.
Attributes that only `self.x = ...` makes are not: what a class declares in its body is. Doctests are not read.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.documentation import clean_docstring
from satori.languages.draft import ABSTRACT, DECLARATION_ONLY, EXPORTED, TEST, Draft, Scan
from satori.model.definition import SymbolKind

_ABSTRACT = (b"@abstractmethod", b"@abc.abstractmethod")
_OVERLOAD = (b"@overload", b"@typing.overload", b"@t.overload", b"@te.overload")


class Python(GrammarLanguage):
    """Python 3, and the parts of Python 2 that its grammar still reads."""

    name: ClassVar[str] = "python"
    capability: ClassVar[Capability] = Capability(
        "deep",
        tests=True,
    )
    comments_align: ClassVar[bool] = True
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_python")
    # Assignments are asked for by the statement lists they may stand in, so that locals are never captured: a module, a
    # class body, and the branches of if, try, with and for at those levels (`place` drops those inside functions).
    query: ClassVar[str] = """
    (decorated_definition definition: (_)) @decorated
    (class_definition) @class_
    (function_definition) @function
    (module (expression_statement (assignment)) @assignment)
    (class_definition body: (block (expression_statement (assignment)) @assignment))
    (if_statement (block (expression_statement (assignment)) @assignment))
    (else_clause (block (expression_statement (assignment)) @assignment))
    (elif_clause (block (expression_statement (assignment)) @assignment))
    (try_statement (block (expression_statement (assignment)) @assignment))
    (except_clause (block (expression_statement (assignment)) @assignment))
    (with_statement (block (expression_statement (assignment)) @assignment))
    (for_statement (block (expression_statement (assignment)) @assignment))
    (type_alias_statement) @alias
    (comment) @comment
    (module . (comment)* . (expression_statement (string)) @module_docstring)
    """

    def decorated(self, scan: Scan, node: Node) -> None:
        """Decorators belong to the definition's span, not to its signature."""
        inner = node.child_by_field_name("definition")
        if inner is None:
            return
        flags = 0
        decorators = scan.data[node.start_byte : inner.start_byte]
        if any(mark in decorators for mark in _ABSTRACT):
            flags |= ABSTRACT
        if any(mark in decorators for mark in _OVERLOAD):
            flags |= DECLARATION_ONLY
        scan.widen(node, inner, flags)

    def class_(self, scan: Scan, node: Node) -> None:
        """A class, with its docstring."""
        self._block(scan, node, SymbolKind.CLASS)

    def function(self, scan: Scan, node: Node) -> None:
        """A function or, once placed in a class, a method."""
        self._block(scan, node, SymbolKind.FUNCTION)

    def _block(self, scan: Scan, node: Node, kind: SymbolKind) -> None:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None or body is None:
            return
        draft = scan.add(kind, node, name, body=body)
        draft.head_end = body.start_byte
        draft.documentation = _docstring(scan, body)

    def assignment(self, scan: Scan, node: Node) -> None:
        """A name bound at module or class level; `a = b = 1` and `a, b = f()` bind two."""
        inner: Node | None = node.child(0)
        targets: list[Node] = []
        while inner is not None and inner.type == "assignment":
            left = inner.child_by_field_name("left")
            if left is not None:
                targets += _names(left)
            inner = inner.child_by_field_name("right")
        if len(targets) == 1:
            scan.add(SymbolKind.CONSTANT, node, targets[0])
            return
        for target in targets:
            scan.add_part(SymbolKind.CONSTANT, node, target)

    def alias(self, scan: Scan, node: Node) -> None:
        """`type X = ...`."""
        left = node.child_by_field_name("left")
        name = left.child(0) if left is not None else None
        if name is not None and name.type == "generic_type":
            name = name.child(0)
        if name is not None:
            scan.add(SymbolKind.TYPE, node, name)

    def module_docstring(self, scan: Scan, node: Node) -> None:
        """The file's own docstring."""
        literal = node.named_child(0) if node.named_child_count else None
        if literal is None or literal.type != "string":
            return
        before = node.prev_named_sibling
        while before is not None and before.type == "comment":
            before = before.prev_named_sibling
        if before is not None:
            return
        scan.add_comment(node.start_byte, node.end_byte)
        scan.module_doc = clean_docstring(scan.data[node.start_byte : node.end_byte])

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Class attributes are properties; a leading underscore is not exported; what pytest collects is a test."""
        kind = draft.kind
        if kind is SymbolKind.CONSTANT and owner is not None:
            if owner.kind is not SymbolKind.CLASS:
                return False
            draft.kind = SymbolKind.PROPERTY
        elif kind is SymbolKind.FUNCTION and owner is not None and owner.kind is SymbolKind.CLASS:
            draft.kind = SymbolKind.METHOD
        hidden = draft.name.startswith("_") and not draft.name.endswith("__")
        if not hidden and _opens_members(owner):
            draft.flags |= EXPORTED
        self._mark_test(draft, owner)
        return True

    def _mark_test(self, draft: Draft, owner: Draft | None) -> None:
        if draft.kind is SymbolKind.CLASS:
            # pytest collects Test*; unittest collects every TestCase, which by custom ends in Test, Tests or TestCase.
            if draft.name.startswith("Test") or draft.name.endswith(("Test", "Tests", "TestCase")):
                draft.flags |= TEST
        elif draft.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD) and draft.name.startswith("test"):
            inside = owner is None or (owner.kind is SymbolKind.CLASS and owner.flags & TEST)
            if inside and (owner is not None or draft.name.startswith("test_")):
                draft.kind = SymbolKind.TEST
                draft.flags |= TEST


def _opens_members(owner: Draft | None) -> bool:
    """Whether a public name in `owner` can be reached from another module."""
    return owner is None or bool(owner.flags & EXPORTED and owner.kind is SymbolKind.CLASS)


def _names(target: Node) -> list[Node]:
    """The plain names an assignment target binds, left to right."""
    if target.type == "identifier":
        return [target]
    if target.type in ("pattern_list", "tuple_pattern", "list_pattern"):
        return [name for child in target.named_children for name in _names(child)]
    return []


def _docstring(scan: Scan, body: Node) -> str | None:
    """The docstring that opens `body`, recorded as a comment range; None when there is none."""
    first = body.named_child(0) if body.named_child_count else None
    while first is not None and first.type == "comment":
        first = first.next_named_sibling
    if first is None or first.type != "expression_statement":
        return None
    literal = first.child(0)
    if literal is None or literal.type != "string":
        return None
    start, end = literal.start_byte, literal.end_byte
    scan.add_comment(start, end)
    return clean_docstring(scan.data[start:end])
