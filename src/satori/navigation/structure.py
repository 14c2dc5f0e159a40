"""Measured structure of one symbol: lines, nesting, branches, parameters, counted on its syntax tree.

Branches are decision points (conditions, loops, cases, handlers, conditional expressions); nesting is the deepest
chain of them inside one another. It judges nothing and stores nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from satori.model.symbol import Symbol

if TYPE_CHECKING:
    import tree_sitter

_BRANCH = re.compile(
    r"^(if|elif|elsif|unless|for|foreach|for_in|for_each|enhanced_for|range_based_for|for_range|while|until|do|repeat|loop"
    r"|switch|match|when|guard|case|catch|except|rescue|try|conditional|ternary|select|type_switch|expression_switch)"
    r"(_statement|_expression|_clause|_block|_modifier|_loop|_arm|_entry)?$"
)
# Containers of cases: they nest, but each case is the branch.
_ONLY_NESTS = re.compile(
    r"^(switch|match|when|select|type_switch|expression_switch|try|case)(_statement|_expression|_block)?$"
)
_CASE = re.compile(
    r"^(case_clause|switch_case|match_arm|when_entry|switch_section|communication_case|expression_case|type_case"
    r"|in_clause|when)$"
)
# Clauses of the construct around them: a branch more, not a level more.
_BESIDE = ("elif", "elsif", "else", "except", "catch", "rescue")
_PARAMETER_FIELDS = ("parameters", "parameter", "formal_parameters", "value_parameters")


@dataclass(frozen=True, slots=True)
class Structure:
    """`parameters` is None where the symbol has no parameter list."""

    lines: int
    nesting: int
    branches: int
    parameters: int | None


def measure(language: str, data: bytes, symbols: Iterable[Symbol]) -> dict[str, Structure]:
    """Structure by symbol key; empty when the language has no grammar here."""
    from satori.languages.base import GrammarLanguage
    from satori.languages.registry import language_for

    served = language_for(language)
    if not isinstance(served, GrammarLanguage):
        return {}
    tree = served.tools().parser.parse(data)
    measured: dict[str, Structure] = {}
    for symbol in symbols:
        node = tree.root_node.descendant_for_byte_range(symbol.name_start, max(symbol.name_start, symbol.name_end - 1))
        node = _definition(node, symbol)
        if node is not None:
            nesting, branches = _decisions(node)
            lines = symbol.span.end_line - symbol.span.start_line + 1
            measured[symbol.key] = Structure(lines, nesting, branches, _parameters(node))
    return measured


def _definition(node: tree_sitter.Node | None, symbol: Symbol) -> tree_sitter.Node | None:
    """The largest node around the name that stays inside the symbol."""
    best = None
    while node is not None and symbol.span.start <= node.start_byte and node.end_byte <= symbol.span.end:
        best = node
        node = node.parent
    return best


def _decisions(root: tree_sitter.Node) -> tuple[int, int]:
    deepest = branches = 0
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        name = node.type if node.is_named else ""
        is_case = bool(_CASE.match(name))
        nests = not is_case and bool(_BRANCH.match(name)) and not name.startswith(_BESIDE)
        if is_case or (_BRANCH.match(name) and not _ONLY_NESTS.match(name)):
            branches += 1
        inner = depth + nests
        deepest = max(deepest, inner)
        # `else if` chains are one level, however the grammar nests them.
        chained = name in ("else_clause", "else")
        stack.extend(
            (child, inner - 1 if chained and _BRANCH.match(child.type) and inner else inner) for child in node.children
        )
    return deepest, branches


def _parameters(node: tree_sitter.Node) -> int | None:
    stack = [node]
    for _ in range(64):
        if not stack:
            return None
        current = stack.pop(0)
        for field in _PARAMETER_FIELDS:
            found = current.child_by_field_name(field)
            if found is not None:
                if not found.named_children and found.type == "identifier":
                    return 1
                return sum(1 for child in found.named_children if "comment" not in child.type)
        stack.extend(child for child in current.named_children if "body" not in child.type and child.type != "block")
    return None
