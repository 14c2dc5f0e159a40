"""Bash and other Bourne shells: functions, top-level variables, Bats tests.

Variables set inside functions are not symbols; aliases and sourced files are not read.
"""

from __future__ import annotations

import re
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import add_range
from satori.model.definition import DefinitionFlag, SymbolKind

# The grammar reads a Bats test as a command and its block as loose words; the closing brace stands alone on a line.
_BATS_TEST = re.compile(rb"""^[ \t]*@test[ \t]+(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|(\S+))[ \t]*\{""", re.MULTILINE)
_BATS_END = re.compile(rb"^[ \t]*\}", re.MULTILINE)


class Bash(GrammarLanguage):
    """Shell scripts; Bats files too."""

    name: ClassVar[str] = "bash"
    capability: ClassVar[Capability] = Capability(
        "outline",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar("tree_sitter_bash")
    query: ClassVar[str] = """
    (function_definition) @function
    (program (variable_assignment) @variable)
    (program (declaration_command (variable_assignment) @_inner) @declaration)
    (comment) @comment
    """

    def function(self, scan: Scan, node: Node) -> None:
        """`name() {`, `function name {`."""
        name = node.child_by_field_name("name")
        if name is not None:
            scan.add(SymbolKind.FUNCTION, node, name, body=node.child_by_field_name("body"))

    def variable(self, scan: Scan, node: Node) -> None:
        """`NAME=value` at top level."""
        name = node.child_by_field_name("name")
        if name is not None and name.type == "variable_name":
            scan.add(SymbolKind.CONSTANT, node, name)

    def declaration(self, scan: Scan, node: Node) -> None:
        """`export NAME=value`, `readonly A=1 B=2`, `declare -r NAME=value`."""
        if not scan.first_time(node):
            return
        flags = DefinitionFlag.EXPORTED if scan.data.startswith(b"export", node.start_byte) else DefinitionFlag.NONE
        inner = [child for child in node.named_children if child.type == "variable_assignment"]
        for child in inner:
            name = child.child_by_field_name("name")
            if name is None or name.type != "variable_name":
                continue
            if len(inner) > 1:
                scan.add_part(SymbolKind.CONSTANT, node, name, flags=flags)
            else:
                scan.add(SymbolKind.CONSTANT, node, name, flags=flags)

    def finish(self, scan: Scan) -> None:
        """Bats tests, which are not shell to the grammar."""
        if b"@test" not in scan.data:
            return
        taken = 0
        for match in _BATS_TEST.finditer(scan.data):
            close = _BATS_END.search(scan.data, match.end())
            start = scan.data.index(b"@test", match.start())
            if close is None or start < taken:
                continue
            group = match.lastindex or 1
            draft = add_range(scan, SymbolKind.TEST, (start, close.end()), match.span(group))
            draft.flags = DefinitionFlag.TEST
            draft.body = match.end() - 1
            taken = close.end()

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Values are symbols at top level only."""
        return draft.kind is not SymbolKind.CONSTANT or owner is None
