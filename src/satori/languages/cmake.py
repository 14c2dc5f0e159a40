"""CMake: functions, macros, targets, projects, options, tests, top-level variables.

Variables set inside functions are not symbols; generator expressions are not evaluated.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Draft, Scan
from satori.languages.outline import child_of_type, descend, trimmed
from satori.model.definition import DefinitionFlag, SymbolKind

_COMMANDS = {
    "add_library": SymbolKind.MODULE,
    "add_executable": SymbolKind.MODULE,
    "add_custom_target": SymbolKind.FUNCTION,
    "project": SymbolKind.MODULE,
    "option": SymbolKind.CONSTANT,
    "set": SymbolKind.CONSTANT,
    "add_test": SymbolKind.TEST,
}


class CMake(GrammarLanguage):
    """CMake lists and modules."""

    name: ClassVar[str] = "cmake"
    capability: ClassVar[Capability] = Capability(
        "outline",
        tests=True,
    )
    grammar: ClassVar[Grammar] = Grammar.bundled("cmake")
    query: ClassVar[str] = """
    [(function_def) (macro_def)] @function
    (normal_command) @command
    (line_comment) @comment
    (bracket_comment) @comment
    """

    def function(self, scan: Scan, node: Node) -> None:
        """`function(name ...)`, `macro(name ...)`."""
        kind, head = SymbolKind.FUNCTION, child_of_type(node, "function_command")
        if head is None:
            kind, head = SymbolKind.MACRO, child_of_type(node, "macro_command")
        name = descend(head, "argument_list/argument") if head is not None else None
        if name is None or head is None:
            return
        draft = trimmed(scan, scan.add(kind, node, name, body=child_of_type(node, "body")))
        draft.head_end = head.end_byte

    def command(self, scan: Scan, node: Node) -> None:
        """A command that names something."""
        word = child_of_type(node, "identifier")
        arguments = child_of_type(node, "argument_list")
        command = scan.text(word).lower() if word is not None else ""
        kind = _COMMANDS.get(command)
        if kind is None or arguments is None:
            return
        found = [child for child in arguments.named_children if child.type == "argument"]
        if command == "add_test" and len(found) > 1 and scan.text(found[0]).upper() == "NAME":
            found = found[1:]
        if not found or "${" in scan.text(found[0]):
            return
        flags = DefinitionFlag.TEST if kind is SymbolKind.TEST else DefinitionFlag.NONE
        trimmed(scan, scan.add(kind, node, found[0], flags=flags))

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Variables of functions are locals."""
        return owner is None or draft.kind is not SymbolKind.CONSTANT
