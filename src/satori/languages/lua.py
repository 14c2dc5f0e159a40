"""Lua: functions, methods, function-valued fields, top-level values, busted tests.

`function M.f` belongs to `M` (its receiver), wherever `M` is made; tables that stand for classes are values, because
the language has no word for them. Locals of functions and required modules are not symbols.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Scan
from satori.languages.outline import child_of_type, first_named
from satori.model.definition import DefinitionFlag, SymbolKind

_TESTS = ("describe", "it", "context", "test", "pending")


class Lua(GrammarLanguage):
    """Lua 5.1 to 5.4 and LuaJIT."""

    name: ClassVar[str] = "lua"
    capability: ClassVar[Capability] = Capability("outline", tests=True)
    grammar: ClassVar[Grammar] = Grammar.bundled("lua")
    query: ClassVar[str] = """
    (function_declaration) @function
    (assignment_statement (expression_list value: (function_definition))) @assigned
    (field name: [(identifier) (string)] value: (function_definition)) @field
    (chunk (assignment_statement) @value)
    (chunk (variable_declaration (assignment_statement)) @value)
    (function_call name: (identifier) arguments: (arguments . (string) (function_definition))) @test
    (comment) @comment
    """

    def function(self, scan: Scan, node: Node) -> None:
        """`function f`, `local function f`, `function M.f`, `function M:f`."""
        name = node.child_by_field_name("name")
        if name is not None:
            self._add(scan, SymbolKind.FUNCTION, node, name, node)

    def assigned(self, scan: Scan, node: Node) -> None:
        """`f = function`, `M.f = function`, `local f = function`."""
        names, values = child_of_type(node, "variable_list"), child_of_type(node, "expression_list")
        if names is None or values is None or names.named_child_count != 1 or values.named_child_count != 1:
            return
        name, value = first_named(names), first_named(values)
        if name is None or value is None or value.type != "function_definition":
            return
        holder = node.parent
        outer = holder if holder is not None and holder.type == "variable_declaration" else node
        self._add(scan, SymbolKind.FUNCTION, outer, name, value)

    def field(self, scan: Scan, node: Node) -> None:
        """A function in a table constructor."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None and name.type == "string":
            name = child_of_type(name, "string_content")
        if name is not None and value is not None:
            scan.add(SymbolKind.FUNCTION, node, name, body=value.child_by_field_name("body"))

    def value(self, scan: Scan, node: Node) -> None:
        """A top-level name that holds something else than a function or a required module."""
        inner = child_of_type(node, "assignment_statement") if node.type == "variable_declaration" else node
        names = child_of_type(inner, "variable_list") if inner is not None else None
        values = child_of_type(inner, "expression_list") if inner is not None else None
        if names is None or values is None:
            return
        first = first_named(values)
        if first is None or first.type == "function_definition":
            return
        if first.type == "function_call" and scan.data.startswith(b"require", first.start_byte):
            return
        targets = [name for name in names.named_children if name.type in ("identifier", "dot_index_expression")]
        for name in targets:
            self._add(scan, SymbolKind.CONSTANT, node, name, None, part=len(targets) > 1)

    def test(self, scan: Scan, node: Node) -> None:
        """`describe("...", function() ... end)` and its kin."""
        word, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
        if word is None or scan.text(word) not in _TESTS:
            return
        literal = first_named(arguments)
        name = child_of_type(literal, "string_content") if literal is not None else None
        body = child_of_type(arguments, "function_definition") if arguments is not None else None
        if name is not None:
            scan.add(SymbolKind.TEST, node, name, body=body, flags=DefinitionFlag.TEST)

    def _add(
        self, scan: Scan, kind: SymbolKind, node: Node, name: Node, function: Node | None, *, part: bool = False
    ) -> None:
        parts = _parts(name)
        if not parts:
            return
        receiver, last = ".".join(scan.text(part) for part in parts[:-1]), parts[-1]
        is_local = scan.data.startswith(b"local", node.start_byte)
        flags = DefinitionFlag.NONE if is_local else DefinitionFlag.EXPORTED
        if kind is SymbolKind.FUNCTION and name.type == "method_index_expression":
            kind = SymbolKind.METHOD
        elif name.type == "bracket_index_expression" and (receiver == "T" or receiver.startswith("T.")):
            # mini.test's sets: `T['what it is about']['what it does'] = function() ... end`.
            kind, flags = SymbolKind.TEST, DefinitionFlag.TEST
        body = function.child_by_field_name("body") if function is not None else None
        if part:
            scan.add_part(kind, node, last, flags=flags).receiver = receiver
            return
        draft = scan.add(kind, node, last, body=body, flags=flags, receiver=receiver)
        parameters = function.child_by_field_name("parameters") if function is not None else None
        if parameters is not None:
            draft.head_end = parameters.end_byte


def _parts(name: Node) -> list[Node]:
    """The names in `a`, `a.b`, `a:b` and `a['b']`, outermost first; none when a part is computed."""
    parts: list[Node] = []
    node: Node | None = name
    while node is not None and node.type != "identifier":
        if node.type not in ("dot_index_expression", "method_index_expression", "bracket_index_expression"):
            return []
        found = node.child_by_field_name("field") or node.child_by_field_name("method")
        if found is not None and found.type == "string":
            found = child_of_type(found, "string_content")
        elif node.type == "bracket_index_expression":
            found = None
        if found is None:
            return []
        parts.append(found)
        node = node.child_by_field_name("table")
    return [node, *reversed(parts)] if node is not None else []
