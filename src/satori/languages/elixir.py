"""Elixir: modules, protocols, implementations, functions, macros, guards, types, callbacks, attributes, ExUnit tests.

Everything is a call in the grammar, so definitions are told by the word they call. Clauses of one function that follow
one another are one symbol; `@doc`, `@spec` and their kin belong to it. Functions that `use` injects are not read.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.documentation import clean_docstring
from satori.languages.draft import Scan
from satori.languages.outline import child_of_type, first_named, merge_clauses
from satori.model.definition import DefinitionFlag, SymbolKind

_MODULES = {
    "defmodule": SymbolKind.MODULE,
    "defprotocol": SymbolKind.INTERFACE,
    "defimpl": SymbolKind.NAMESPACE,
}
_FUNCTIONS = {
    "def": SymbolKind.FUNCTION,
    "defp": SymbolKind.FUNCTION,
    "defn": SymbolKind.FUNCTION,
    "defnp": SymbolKind.FUNCTION,
    "defdelegate": SymbolKind.FUNCTION,
    "defguard": SymbolKind.MACRO,
    "defguardp": SymbolKind.MACRO,
    "defmacro": SymbolKind.MACRO,
    "defmacrop": SymbolKind.MACRO,
}
_PRIVATE = ("defp", "defnp", "defguardp", "defmacrop", "typep")
_TYPES = ("type", "typep", "opaque")
_TESTS = ("test", "describe", "property")
_CALLBACKS = ("callback", "macrocallback")
_LEADS = ("doc", "spec", "impl", "deprecated", "since", "dialyzer", "typedoc", "tag", "describetag", "decorate")
_NOT_CONSTANTS = (
    "moduledoc behaviour compile external_resource on_load before_compile after_compile on_definition derive"
    " enforce_keys optional_callbacks vsn nifs after_verify moduletag file protocol"
).split()

_MODULE_KINDS = frozenset(_MODULES.values())
# What a group of four in `Scan.notes["marks"]` says: (what, start, ...).
_ARITY, _DOC, _MODULE_DOC = range(3)


class Elixir(GrammarLanguage):
    """Elixir source and scripts."""

    name: ClassVar[str] = "elixir"
    capability: ClassVar[Capability] = Capability(
        "outline",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar.bundled("elixir")
    query: ClassVar[str] = """
    (unary_operator operator: "@" operand: (call target: (identifier))) @attribute
    (call target: (identifier) (arguments)) @call
    (comment) @comment
    """

    def attribute(self, scan: Scan, node: Node) -> None:
        """`@name value`: a constant, a type, a callback, or what leads the definition after it."""
        call = node.child_by_field_name("operand")
        target = call.child_by_field_name("target") if call is not None else None
        arguments = child_of_type(call, "arguments") if call is not None else None
        if target is None or arguments is None:
            return
        word = scan.text(target)
        if word in _LEADS:
            if word not in ("doc", "typedoc") or not self._document(scan, _DOC, node, arguments):
                scan.leads.append((node.start_byte, node.end_byte))
        elif word == "moduledoc":
            self._document(scan, _MODULE_DOC, node, arguments)
        elif word in _TYPES or word in _CALLBACKS:
            name = _head(first_named(arguments))
            if name is not None:
                kind = SymbolKind.TYPE if word in _TYPES else SymbolKind.FUNCTION
                flags = DefinitionFlag.NONE if word in _PRIVATE else DefinitionFlag.EXPORTED
                if word in _CALLBACKS:
                    flags |= DefinitionFlag.DECLARATION_ONLY | DefinitionFlag.ABSTRACT
                scan.add(kind, node, name, flags=flags)
        elif word not in _NOT_CONSTANTS:
            scan.add(SymbolKind.CONSTANT, node, target)

    def _document(self, scan: Scan, what: int, node: Node, arguments: Node) -> bool:
        literal = first_named(arguments)
        if literal is None or literal.type not in ("string", "sigil"):
            return False
        scan.notes.setdefault("marks", []).extend((what, node.start_byte, literal.start_byte, literal.end_byte))
        return True

    def call(self, scan: Scan, node: Node) -> None:
        """A call that defines: what, its word says."""
        target = node.child_by_field_name("target")
        word = scan.text(target) if target is not None else ""
        if word in _FUNCTIONS:
            self._function(scan, node, word)
        elif word in _MODULES:
            self._module(scan, node, word)
        elif word in _TESTS:
            self._test(scan, node)

    def _module(self, scan: Scan, node: Node, word: str) -> None:
        """`defmodule A.B do`, `defprotocol`, `defimpl P, for: T`."""
        arguments = child_of_type(node, "arguments")
        name = first_named(arguments)
        if name is None or name.type not in ("alias", "identifier"):
            return
        body = child_of_type(node, "do_block")
        draft = scan.add(_MODULES[word], node, name, body=body, flags=DefinitionFlag.EXPORTED)
        if word == "defimpl" and arguments is not None:
            target = child_of_type(arguments, "keywords")
            pair = first_named(target)
            value = pair.child_by_field_name("value") if pair is not None else None
            if value is not None:
                draft.receiver = scan.text(value)
                draft.segment = f"{draft.name}.{draft.receiver}"
        if draft.name.endswith("Test"):
            draft.flags |= DefinitionFlag.TEST

    def _function(self, scan: Scan, node: Node, word: str) -> None:
        """One clause of a function, macro or guard."""
        arguments = child_of_type(node, "arguments")
        head = first_named(arguments)
        name = _head(head)
        if name is None or arguments is None:
            return
        flags = DefinitionFlag.NONE if word in _PRIVATE else DefinitionFlag.EXPORTED
        body = child_of_type(node, "do_block")
        if body is None and arguments.named_child_count > 1:
            body = child_of_type(arguments, "keywords")
        if body is None and word not in ("defguard", "defguardp"):
            flags |= DefinitionFlag.DECLARATION_ONLY
        draft = scan.add(_FUNCTIONS[word], node, name, body=body, flags=flags)
        scan.notes.setdefault("marks", []).extend((_ARITY, draft.start, _arity(head), 0))

    def _test(self, scan: Scan, node: Node) -> None:
        """`test "..." do`, `describe "..." do`."""
        arguments = child_of_type(node, "arguments")
        literal = first_named(arguments)
        name = child_of_type(literal, "quoted_content") if literal is not None else None
        body = child_of_type(node, "do_block")
        if body is not None and name is not None and literal is not None and literal.named_child_count == 1:
            scan.add(SymbolKind.TEST, node, name, body=body, flags=DefinitionFlag.TEST)

    def finish(self, scan: Scan) -> None:
        """Join clauses, and give each definition the `@doc` among what leads it."""
        marks = scan.notes.get("marks", [])
        notes = [tuple(marks[index : index + 4]) for index in range(0, len(marks), 4)]
        arities = {start: arity for what, start, arity, _ in notes if what == _ARITY}
        scan.comments += [(start, high) for what, start, _, high in notes if what != _ARITY]
        clauses = [draft for draft in scan.drafts if draft.start in arities]
        merge_clauses(scan, clauses, lambda draft: (draft.kind, draft.name, arities[draft.start]))
        by_start = {draft.start: draft for draft in scan.drafts}
        starts = sorted(by_start)
        modules = [draft for draft in scan.drafts if draft.kind in _MODULE_KINDS]
        for what, start, low, high in notes:
            if what == _ARITY:
                continue
            text = clean_docstring(scan.data[low:high].removeprefix(b"~S").removeprefix(b"~s"))
            if what == _MODULE_DOC:
                inside = [draft for draft in modules if draft.start < start < draft.end]
                target = max(inside, key=lambda draft: draft.start, default=None)
            else:
                after = bisect_right(starts, start)
                target = by_start[starts[after]] if after < len(starts) else None
            if target is not None and target.documentation is None:
                target.documentation = text


def _head(node: Node | None) -> Node | None:
    """The name token of a definition's head: `f`, `f(a)`, `f(a) when g`, `a <~> b`, `t :: type`."""
    while node is not None:
        if node.type in ("identifier", "operator_identifier"):
            return node
        if node.type == "call":
            node = node.child_by_field_name("target")
        elif node.type == "binary_operator":
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type not in ("when", "::"):
                return operator
            node = node.child_by_field_name("left")
        elif node.type == "unary_operator":
            return node.child_by_field_name("operator")
        else:
            return None
    return None


def _arity(head: Node | None) -> int:
    while head is not None and head.type == "binary_operator":
        operator = head.child_by_field_name("operator")
        if operator is not None and operator.type not in ("when", "::"):
            return 2
        head = head.child_by_field_name("left")
    arguments = child_of_type(head, "arguments") if head is not None and head.type == "call" else None
    return arguments.named_child_count if arguments is not None else 0
