"""Chains of C++: names, types, declarators and expressions as `satori.model.reference` writes them.

Beside the common forms: `a::b` is a qualified name (template arguments left out), `->` stays as written, `*p` and `p[]`
are both `p[]`, `&x` is `x&`. A type ends in `*` for each pointer, `&` for a reference, `^` for what only lends access
through `->` (`std::unique_ptr<T>` is `T^`). `(T)` is a value that is said to be of the type T, `(+T)` one that was made
so. A name that begins with `?` is a template's parameter.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.model.reference import CHAIN_CHARACTERS

POINTERS = frozenset({"unique_ptr", "shared_ptr", "optional"})
_MAKERS = frozenset({"make_unique", "make_shared"})
CASTS = frozenset({"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast", "down_cast"})
_NAMES = frozenset({"identifier", "type_identifier", "field_identifier", "namespace_identifier"})
_LITERALS = {
    "string_literal": '"str"',
    "raw_string_literal": '"str"',
    "concatenated_string": '"str"',
    "number_literal": '"int"',
    "char_literal": '"char"',
    "true": '"bool"',
    "false": '"bool"',
    "null": "None",
    "nullptr": "None",
}
_TEMPLATES = ("template_type", "template_function", "template_method")
_MAX_DEPTH = 40
_ROOT = re.compile(r"[^.(\[\-&*^]*")


def short(chain: str) -> str:
    """The chain, or "" when it is too long to keep."""
    return chain if len(chain) <= CHAIN_CHARACTERS else ""


def name_of(reading: Reading, node: Node) -> tuple[str, Node | None]:
    """(the qualified name without template arguments, the token of its last part); ("", None) for what is no name."""
    if node.type in _NAMES:
        return reading.data[node.start_byte : node.end_byte].decode("utf-8", "replace"), node
    parts: list[str] = []
    at: Node | None = node
    while at is not None:
        kind = at.type
        if kind == "qualified_identifier":
            scope = at.child_by_field_name("scope")
            inner = name_of(reading, scope)[0] if scope is not None else ""
            if scope is not None and not inner:
                return "", None
            parts.append(inner)
            at = at.child_by_field_name("name")
        elif kind in _TEMPLATES:
            at = at.child_by_field_name("name")
        elif kind in ("dependent_name", "dependent_type"):
            at = at.named_child(0)
        elif kind in _NAMES:
            parts.append(reading.text(at))
            return "::".join(parts), at
        else:
            return "", None
    return "", None


def last_of(node: Node) -> Node:
    """The last part of a name, template arguments kept."""
    at = node
    while at.type in ("qualified_identifier", "dependent_name"):
        inner = at.child_by_field_name("name") or at.named_child(0)
        if inner is None:
            return at
        at = inner
    return at


def type_of(reading: Reading, node: Node | None) -> str:
    """The type that a node names, without what a declarator adds; "" for what has no name."""
    if node is None:
        return ""
    kind = node.type
    if kind == "type_identifier":
        return reading.text(node)
    if kind in ("primitive_type", "sized_type_specifier"):
        return " ".join(reading.text(node).split())
    if kind == "placeholder_type_specifier":
        return "auto" if node.child_count == 1 and reading.text(node) == "auto" else ""
    if kind == "type_descriptor":
        return short(type_of(reading, node.child_by_field_name("type")) + added(node.child_by_field_name("declarator")))
    if kind in ("struct_specifier", "class_specifier", "enum_specifier", "union_specifier"):
        inner = node.child_by_field_name("name")
        return name_of(reading, inner)[0] if inner is not None else ""
    if kind in ("qualified_identifier", "template_type", "dependent_type"):
        name, token = name_of(reading, node)
        if token is not None and reading.data[token.start_byte : token.end_byte].decode("latin-1") in POINTERS:
            held = argument_of(reading, last_of(node))
            return short(held + "^") if held else ""
        return short(name)
    return ""


def argument_of(reading: Reading, template: Node) -> str:
    """The first type argument of a template's name."""
    arguments = template.child_by_field_name("arguments")
    first = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    return type_of(reading, first) if first is not None and first.type == "type_descriptor" else ""


def added(declarator: Node | None) -> str:
    """What a declarator adds to a type: `*`, `&`, `[]` as `*`; "?" for functions and what else is no plain variable."""
    found = ""
    at = declarator
    while at is not None:
        kind = at.type
        if kind in ("pointer_declarator", "abstract_pointer_declarator", "array_declarator"):
            found += "*"
        elif kind in ("reference_declarator", "abstract_reference_declarator"):
            found += "&"
        elif kind in ("function_declarator", "abstract_function_declarator"):
            return "?"
        following = at.child_by_field_name("declarator")
        if following is None and kind in ("reference_declarator", "parenthesized_declarator", "attributed_declarator"):
            following = at.named_child(at.named_child_count - 1) if at.named_child_count else None
        at = following
    return found


def plain_name(declarator: Node) -> Node | None:
    """The token of a variable's name; None for functions and patterns."""
    at: Node | None = declarator
    while at is not None:
        kind = at.type
        if kind in ("identifier", "field_identifier", "type_identifier"):
            return at
        following = at.child_by_field_name("declarator")
        if following is None and kind in (
            "reference_declarator",
            "parenthesized_declarator",
            "attributed_declarator",
            "variadic_declarator",
        ):
            following = at.named_child(at.named_child_count - 1) if at.named_child_count else None
        at = following
    return None


def arity_of(reading: Reading, arguments: Node | None) -> int:
    """The number of arguments; -1 when a pack among them leaves it open."""
    count = arguments.named_child_count if arguments is not None else 0
    if not count or arguments is None:
        return 0
    text = reading.data[arguments.start_byte : arguments.end_byte]
    if b"..." in text and any(child.type == "parameter_pack_expansion" for child in arguments.named_children):
        return -1
    if b"/" in text:
        count -= sum(child.type == "comment" for child in arguments.named_children)
    return count


def chain_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """The expression as a chain; "" for what is none."""
    if node is None or depth > _MAX_DEPTH:
        return ""
    kind = node.type
    if kind == "identifier":
        return reading.text(node)
    if kind == "this":
        return "this"
    if kind in ("qualified_identifier", "template_function"):
        return short(name_of(reading, node)[0])
    if kind == "field_expression":
        before, field = node.child_by_field_name("argument"), node.child_by_field_name("field")
        inner = chain_of(reading, before, depth + 1)
        if not inner or before is None or field is None:
            return ""
        name = name_of(reading, field)[0]
        return short(f"{inner}{operator_of(reading, before, field)}{name}") if name else ""
    if kind == "call_expression":
        return _called(reading, node, depth)
    if kind == "subscript_expression":
        inner = chain_of(reading, node.child_by_field_name("argument"), depth + 1)
        return short(f"{inner}[]") if inner else ""
    if kind == "pointer_expression":
        inner = chain_of(reading, node.child_by_field_name("argument"), depth + 1)
        sign = "[]" if reading.data[node.start_byte : node.start_byte + 1] == b"*" else "&"
        return short(inner + sign) if inner else ""
    if kind == "parenthesized_expression":
        return chain_of(reading, node.named_child(0), depth + 1) if node.named_child_count == 1 else ""
    if kind == "new_expression":
        made = type_of(reading, node.child_by_field_name("type"))
        return short(f"(+{made}*)") if made else ""
    if kind == "compound_literal_expression":
        made = type_of(reading, node.child_by_field_name("type"))
        return short(f"(+{made})") if made else ""
    if kind == "cast_expression":
        said = type_of(reading, node.child_by_field_name("type"))
        return short(f"({said})") if said else ""
    return _LITERALS.get(kind, "")


def _called(reading: Reading, node: Node, depth: int) -> str:
    function = node.child_by_field_name("function")
    if function is None:
        return ""
    if function.type in ("template_function", "qualified_identifier"):
        last = last_of(function)
        if last.type == "template_function":
            name = last.child_by_field_name("name")
            word = reading.text(name) if name is not None else ""
            if word in CASTS:
                said = argument_of(reading, last)
                return short(f"({said})") if said else ""
            if word in _MAKERS:
                made = argument_of(reading, last)
                return short(f"(+{made}^)") if made else ""
    inner = chain_of(reading, function, depth + 1)
    return short(f"{inner}()") if inner else ""


def operator_of(reading: Reading, before: Node, after: Node) -> str:
    """`.` or `->`, whichever stands between an object and its member."""
    return "->" if b"->" in reading.data[before.end_byte : after.start_byte] else "."


def root_of(chain: str) -> str:
    """The first name of a chain, with what qualifies it: the only part that a local variable may be."""
    found = _ROOT.match(chain)
    return found.group() if found is not None else ""
