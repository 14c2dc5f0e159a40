"""Rust's nodes as references write them: paths, chains of expressions, types."""

from __future__ import annotations

import re

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.model.reference import CHAIN_CHARACTERS

_PLAIN = re.compile(rb"[A-Za-z_]\w*(?:\.[A-Za-z_0-9]\w*)*")
_ROOT = re.compile(r"[^\W\d]\w*")
_SPACE = re.compile(r"\s+")
_LITERALS = {
    "string_literal": '"str"',
    "raw_string_literal": '"str"',
    "integer_literal": '"i32"',
    "float_literal": '"f64"',
    "boolean_literal": '"bool"',
    "char_literal": '"char"',
}
_THROUGH = {"parenthesized_expression", "reference_expression", "try_block", "unsafe_block"}
_LOGICAL = {"==", "!=", "<", "<=", ">", ">=", "&&", "||"}
_TYPE_CHARACTERS = 2 * CHAIN_CHARACTERS
_MAX_DEPTH = 16


def root_of(chain: str) -> str:
    """The name that a chain begins with, "" for none."""
    found = _ROOT.match(chain)
    return found.group() if found is not None else ""


def first_child(node: Node) -> Node | None:
    """The first named child; None for a node that has none (what an error left unfinished)."""
    return node.named_child(0) if node.named_child_count else None


def path_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """A path without its type arguments (`a::b`, `<T as R>::b`), "" for what is none."""
    if node is None or depth > _MAX_DEPTH:
        return ""
    kind = node.type
    if kind in ("identifier", "type_identifier", "self", "super", "crate", "primitive_type", "metavariable"):
        return reading.text(node).removeprefix("r#")
    if kind in ("scoped_identifier", "scoped_type_identifier"):
        name = node.child_by_field_name("name")
        around = node.child_by_field_name("path")
        if name is None:
            return ""
        own = reading.text(name).removeprefix("r#")
        if around is None:
            return "::" + own
        before = path_of(reading, around, depth + 1)
        return f"{before}::{own}" if before and len(before) + len(own) < CHAIN_CHARACTERS else ""
    if kind == "bracketed_type":
        inner = first_child(node)
        if inner is not None and inner.type == "qualified_type":
            held = type_of(reading, inner.child_by_field_name("type"))
            trait = type_of(reading, inner.child_by_field_name("alias"))
            return f"<{held} as {trait}>" if held and trait else ""
        held = type_of(reading, inner)
        return held if held.replace("_", "").replace("::", "").isalnum() else f"<{held}>" if held else ""
    if kind in ("generic_type", "generic_type_with_turbofish"):
        return path_of(reading, node.child_by_field_name("type"), depth + 1)
    if kind == "generic_function":
        return path_of(reading, node.child_by_field_name("function"), depth + 1)
    return ""


def chain_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """The chain of an expression, "" for anything that is none."""
    if node is None or depth > _MAX_DEPTH:
        return ""
    kind = node.type
    if kind == "identifier" or kind == "self":
        return reading.text(node).removeprefix("r#")
    if kind == "field_expression":
        source = reading.data[node.start_byte : node.end_byte]
        if _PLAIN.fullmatch(source):
            return source.decode("ascii") if len(source) <= CHAIN_CHARACTERS else ""
        inner = chain_of(reading, node.child_by_field_name("value"), depth + 1)
        name = node.child_by_field_name("field")
        chain = f"{inner}.{reading.text(name)}" if inner and name is not None else ""
    elif kind == "call_expression":
        chain = _called(reading, node, depth)
    elif kind == "scoped_identifier":
        chain = path_of(reading, node)
    elif kind == "try_expression":
        inner = chain_of(reading, first_child(node), depth + 1)
        chain = f"{inner}?" if inner else ""
    elif kind == "await_expression":
        return chain_of(reading, first_child(node), depth + 1)
    elif kind == "reference_expression":
        return chain_of(reading, node.child_by_field_name("value"), depth + 1)
    elif kind == "unary_expression":
        sign = reading.data[node.start_byte : node.start_byte + 1]
        return chain_of(reading, first_child(node), depth + 1) if sign == b"*" else ""
    elif kind == "parenthesized_expression":
        return chain_of(reading, first_child(node), depth + 1)
    elif kind == "index_expression":
        inner = chain_of(reading, first_child(node), depth + 1)
        index = node.named_child(1) if node.named_child_count > 1 else None
        ranged = index is not None and index.type == "range_expression"
        chain = (inner if ranged else f"{inner}[]") if inner else ""
    elif kind == "struct_expression":
        held = type_of(reading, node.child_by_field_name("name"))
        chain = f"`{held}`" if held else ""
    elif kind == "type_cast_expression":
        held = type_of(reading, node.child_by_field_name("type"))
        chain = f"`{held}`" if held else ""
    elif kind == "array_expression":
        inner = chain_of(reading, first_child(node), depth + 1)
        chain = f"{inner}#" if inner else "`[?]`"
    elif kind == "binary_expression":
        operator = node.child_by_field_name("operator")
        return '"bool"' if operator is not None and operator.type in _LOGICAL else ""
    elif kind == "tuple_expression":
        items = [chain_of(reading, child, depth + 1) for child in node.named_children]
        chain = "(" + ";".join(items) + ")" if len(items) > 1 and all(items) else ""
    else:
        return _LITERALS.get(kind, "")
    return chain if len(chain) <= CHAIN_CHARACTERS else ""


def _called(reading: Reading, node: Node, depth: int) -> str:
    function = node.child_by_field_name("function")
    if function is None:
        return ""
    if reading.data.startswith(b"!", function.end_byte):
        macro = reading.text(function)
        return "`String`" if macro == "format" else chain_of(reading, _first_argument(node)) if macro == "dbg" else ""
    if function.type == "generic_function":
        inner = function.child_by_field_name("function")
        given = function.child_by_field_name("type_arguments")
        if inner is not None and given is not None and inner.type == "field_expression":
            name = inner.child_by_field_name("field")
            held = type_of(reading, first_child(given)) if given.named_child_count == 1 else ""
            word = reading.text(name) if name is not None else ""
            if held and word in ("collect", "into_iter", "sum"):
                return f"`{held}`"
            if held and word == "parse":
                return f"`Result<{held},?>`"
        function = inner
    elif function.type == "scoped_identifier":
        wrapped = _wrapped(reading, node, function, depth)
        if wrapped:
            return wrapped
    elif function.type == "identifier" and reading.text(function) in ("Some", "Ok"):
        first = _first_argument(node)
        inner_chain = chain_of(reading, first, depth + 1)
        return f"{inner_chain}!" if inner_chain else ""
    inner_chain = chain_of(reading, function, depth + 1)
    return f"{inner_chain}()" if inner_chain else ""


def _first_argument(node: Node) -> Node | None:
    arguments = node.child_by_field_name("arguments")
    return first_child(arguments) if arguments is not None and arguments.named_child_count == 1 else None


_POINTERS = frozenset({"Box::new", "Rc::new", "Arc::new", "Box::pin", "Rc::clone", "Arc::clone", "Box::clone"})


def _wrapped(reading: Reading, node: Node, function: Node, depth: int) -> str:
    """What is seen through: a pointer that is made of a value."""
    if function.end_byte - function.start_byte > 10 or reading.text(function) not in _POINTERS:
        return ""
    return chain_of(reading, _first_argument(node), depth + 1)


def type_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """A type as references write it: no references, lifetimes or blanks; "" for what is none or too long."""
    if node is None or depth > _MAX_DEPTH:
        return ""
    kind = node.type
    if kind in ("type_identifier", "primitive_type", "identifier"):
        return reading.text(node).removeprefix("r#")
    if kind in ("scoped_type_identifier", "scoped_identifier"):
        text = path_of(reading, node)
    elif kind == "reference_type" or kind == "pointer_type":
        return type_of(reading, node.child_by_field_name("type"), depth + 1)
    elif kind in ("generic_type", "generic_type_with_turbofish"):
        name = path_of(reading, node.child_by_field_name("type"))
        listed = node.child_by_field_name("type_arguments")
        given = []
        for child in listed.named_children if listed is not None else ():
            if child.type == "type_binding":
                bound = child.child_by_field_name("name")
                held = type_of(reading, child.child_by_field_name("type"), depth + 1) or "?"
                given.append(f"{reading.text(bound)}={held}" if bound is not None else "?")
            elif child.type not in ("lifetime", "line_comment", "block_comment"):
                given.append(type_of(reading, child, depth + 1) or "?")
        text = name if not given else f"{name}<{','.join(given)}>" if name else ""
    elif kind == "array_type":
        text = f"[{type_of(reading, node.child_by_field_name('element'), depth + 1) or '?'}]"
    elif kind == "tuple_type":
        text = "(" + ",".join(type_of(reading, child, depth + 1) or "?" for child in node.named_children) + ")"
    elif kind in ("dynamic_type", "abstract_type"):
        trait = type_of(reading, node.child_by_field_name("trait"), depth + 1)
        text = f"dyn {trait}" if trait else ""
    elif kind == "bounded_type":
        inner = [child for child in node.named_children if child.type != "lifetime"]
        return type_of(reading, inner[0], depth + 1) if inner else ""
    elif kind in ("higher_ranked_trait_bound", "parenthesized_type", "removed_trait_bound"):
        return type_of(reading, node.child_by_field_name("type") or first_child(node), depth + 1)
    else:
        return ""
    return text if len(text) <= _TYPE_CHARACTERS else ""
