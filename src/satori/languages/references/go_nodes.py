"""Go's nodes as references write them: chains of expressions, types, parameters and results."""

from __future__ import annotations

import re

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.model.reference import CHAIN_CHARACTERS

_PLAIN = re.compile(rb"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ROOT = re.compile(r"[^\W\d]\w*")
# Types without methods: what is declared to be of one leads nowhere.
BASIC = frozenset(
    "bool byte complex64 complex128 float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 "
    "uint64 uintptr any".split()
)
_LITERALS = {
    "interpreted_string_literal": '"string"',
    "raw_string_literal": '"string"',
    "int_literal": '"int"',
    "float_literal": '"float64"',
    "rune_literal": '"rune"',
    "imaginary_literal": '"complex128"',
    "true": '"bool"',
    "false": '"bool"',
    "nil": "None",
}
_LOGICAL = {"==", "!=", "<", "<=", ">", ">=", "&&", "||"}
_MAX_DEPTH = 16


def root_of(chain: str) -> str:
    """The name that a chain begins with, "" for none."""
    found = _ROOT.match(chain)
    return found.group() if found is not None else ""


def chain_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """The chain of an expression, "" for anything that is none."""
    if node is None or depth > _MAX_DEPTH:
        return ""
    kind = node.type
    if kind in ("identifier", "selector_expression"):
        source = reading.data[node.start_byte : node.end_byte]
        if _PLAIN.fullmatch(source):
            return source.decode("ascii") if len(source) <= CHAIN_CHARACTERS else ""
        if kind == "identifier":
            return source.decode("utf-8", "replace")
        chain = _step(chain_of(reading, node.child_by_field_name("operand"), depth + 1), node, reading)
    elif kind == "call_expression":
        chain = _called(reading, node, depth)
    elif kind == "parenthesized_expression":
        return chain_of(reading, node.named_child(0), depth + 1) if node.named_child_count == 1 else ""
    elif kind == "unary_expression":
        operator = node.child_by_field_name("operator")
        chain = chain_of(reading, node.child_by_field_name("operand"), depth + 1)
        sign = operator.type if operator is not None else ""
        if sign == "<-":
            chain = f"{chain}~" if chain else ""
        elif sign == "!":
            chain = '"bool"'
    elif kind == "composite_literal" or kind == "type_assertion_expression" or kind == "type_conversion_expression":
        chain = _typed(reading, node.child_by_field_name("type"))
        if kind == "type_conversion_expression" and chain[1:2].isalpha() and chain.replace(".", "")[1:-1].isalnum():
            # `F[int](x)` may also be the call of a function.
            chain = chain[1:-1] + "()"
    elif kind == "index_expression":
        inner = chain_of(reading, node.child_by_field_name("operand"), depth + 1)
        chain = f"{inner}[]" if inner else ""
    elif kind == "slice_expression":
        chain = chain_of(reading, node.child_by_field_name("operand"), depth + 1)
    elif kind == "binary_expression":
        chain = _binary(reading, node, depth)
    elif kind == "func_literal":
        chain = f"<{literal_type(reading, node, frozenset())}>"
    elif kind == "expression_list" and node.named_child_count == 1:
        return chain_of(reading, node.named_child(0), depth + 1)
    else:
        return _LITERALS.get(kind, "")
    return chain if len(chain) <= CHAIN_CHARACTERS else ""


def _step(inner: str, node: Node, reading: Reading) -> str:
    name = node.child_by_field_name("field")
    return f"{inner}.{reading.text(name)}" if inner and name is not None else ""


def _called(reading: Reading, node: Node, depth: int) -> str:
    """A call; the builtins that give what they are given are seen through."""
    function = node.child_by_field_name("function")
    if function is None:
        return ""
    if function.type == "identifier":
        name = reading.text(function)
        if name in ("new", "make", "append", "min", "max"):
            arguments = node.child_by_field_name("arguments")
            first = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
            if name in ("new", "make"):
                return _typed(reading, first)
            if name == "append":
                return chain_of(reading, first, depth + 1)
    inner = chain_of(reading, function, depth + 1)
    return f"{inner}()" if inner else ""


def _typed(reading: Reading, node: Node | None) -> str:
    text = type_of(reading, node, frozenset())
    return f"<{text}>" if text else ""


def _binary(reading: Reading, node: Node, depth: int) -> str:
    operator = node.child_by_field_name("operator")
    sign = operator.type if operator is not None else ""
    if sign in _LOGICAL:
        return '"bool"'
    left = chain_of(reading, node.child_by_field_name("left"), depth + 1)
    if sign in ("<<", ">>") or not left.startswith('"'):
        return left
    return chain_of(reading, node.child_by_field_name("right"), depth + 1)


def type_of(reading: Reading, node: Node | None, generic: frozenset[str], depth: int = 0) -> str:
    """A type as references write it, "" for what has no name or is too long."""
    if node is None or depth > _MAX_DEPTH:
        return ""
    kind = node.type
    if kind in ("type_identifier", "identifier"):
        text = reading.text(node)
        return "?" if text in generic else text
    if kind in ("qualified_type", "selector_expression"):
        text = reading.text(node)
        return text if len(text) <= CHAIN_CHARACTERS and " " not in text and "\n" not in text else ""
    if kind == "generic_type":
        return type_of(reading, node.child_by_field_name("type"), generic, depth + 1)
    if kind in ("pointer_type", "parenthesized_type", "parenthesized_expression", "type_elem"):
        inner = node.named_child(0) if node.named_child_count == 1 else None
        return type_of(reading, inner, generic, depth + 1)
    if kind == "unary_expression" or kind == "index_expression":
        return type_of(reading, node.child_by_field_name("operand"), generic, depth + 1)
    if kind in ("slice_type", "array_type", "implicit_length_array_type"):
        chain = "[]" + (type_of(reading, node.child_by_field_name("element"), generic, depth + 1) or "?")
    elif kind == "map_type":
        key = type_of(reading, node.child_by_field_name("key"), generic, depth + 1) or "?"
        chain = f"{{{key}}}" + (type_of(reading, node.child_by_field_name("value"), generic, depth + 1) or "?")
    elif kind == "channel_type":
        chain = "~" + (type_of(reading, node.child_by_field_name("value"), generic, depth + 1) or "?")
    elif kind == "function_type":
        chain = literal_type(reading, node, generic)
    else:
        return "nil" if kind == "nil" else ""
    return chain if len(chain) <= CHAIN_CHARACTERS else ""


def literal_type(reading: Reading, node: Node, generic: frozenset[str]) -> str:
    """The type of a function literal or function type: what it returns."""
    results = results_of(reading, node.child_by_field_name("result"), generic)
    return "^" if not results else f"^({results})"


def results_of(reading: Reading, node: Node | None, generic: frozenset[str]) -> str:
    """Types of results joined by `|`, "" for none."""
    if node is None:
        return ""
    if node.type != "parameter_list":
        return type_of(reading, node, generic) or "?"
    found: list[str] = []
    for parameter in node.named_children:
        if parameter.type != "parameter_declaration":
            continue
        text = type_of(reading, parameter.child_by_field_name("type"), generic) or "?"
        names = [child for child in parameter.children_by_field_name("name") if child.is_named]
        found += [text] * (len(names) or 1)
    joined = "|".join(found)
    return joined if len(joined) <= 2 * CHAIN_CHARACTERS else "|".join("?" for _ in found)


def parameters_of(reading: Reading, node: Node, generic: frozenset[str]) -> list[str]:
    """Named parameters as `name:type`, the type left out when nothing can be called on it."""
    if node.type != "parameter_list":
        return []
    found: list[str] = []
    for parameter in node.named_children:
        names = [child for child in parameter.children_by_field_name("name") if child.is_named]
        if not names:
            continue
        text = type_of(reading, parameter.child_by_field_name("type"), generic)
        if parameter.type == "variadic_parameter_declaration":
            text = "[]" + (text or "?")
        ending = f":{text}" if text and text not in BASIC else ""
        found += [reading.text(name) + ending for name in names]
    return found


def type_parameters(reading: Reading, node: Node) -> frozenset[str]:
    """Names of the type parameters of a function, a type, or a method's receiver."""
    listed = node.child_by_field_name("type_parameters")
    names: list[Node] = []
    if listed is not None:
        for parameter in listed.named_children:
            names += [child for child in parameter.children_by_field_name("name") if child.is_named]
    receiver = node.child_by_field_name("receiver")
    if receiver is not None and b"[" in reading.data[receiver.start_byte : receiver.end_byte]:
        waiting = [receiver]
        while waiting:
            inner = waiting.pop()
            if inner.type == "type_arguments":
                names += [inside for child in inner.named_children for inside in child.named_children[:1]]
            else:
                waiting += inner.named_children
    return frozenset(reading.text(name) for name in names)
