"""Chains of C#: names, types and expressions as `satori.model.reference` writes them.

A generic name ends in a backtick and the number of its arguments; a single one follows in angles (``List`1<Foo>``). A
type may end in `[]`. `(T)` is a value that is said to be of the type T, `(+T)` one that was made so; `~` stands for
`await`, `@` for an item of a loop. A name that begins with `?` is a type parameter; `global::` is left out.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.model.reference import CHAIN_CHARACTERS

_LITERALS = {
    "string_literal": '"string"',
    "verbatim_string_literal": '"string"',
    "raw_string_literal": '"string"',
    "interpolated_string_expression": '"string"',
    "integer_literal": '"int"',
    "real_literal": '"double"',
    "character_literal": '"char"',
    "boolean_literal": '"bool"',
    "typeof_expression": '"Type"',
    "null_literal": "None",
}
_MAX_DEPTH = 40
_ROOT = re.compile(r"[^.(\[~`<@]*")


def short(chain: str) -> str:
    """The chain, or "" when it is too long to keep."""
    return chain if len(chain) <= CHAIN_CHARACTERS else ""


def generic(reading: Reading, node: Node) -> str:
    """A generic name with its arity, and its argument when it has one."""
    name = node.named_child(0)
    arguments = node.named_child(1) if node.named_child_count > 1 else None
    if name is None or arguments is None:
        return ""
    count = arguments.named_child_count or reading.text(arguments).count(",") + 1
    only = type_of(reading, arguments.named_child(0)) if arguments.named_child_count == 1 else ""
    return f"{reading.text(name)}`{count}" + (f"<{only}>" if only else "")


def type_of(reading: Reading, node: Node | None) -> str:
    """The type that a node names; "" for what has no name."""
    if node is None:
        return ""
    kind = node.type
    if kind in ("identifier", "predefined_type"):
        return reading.text(node)
    if kind == "generic_name":
        return short(generic(reading, node))
    if kind == "qualified_name":
        qualifier = type_of(reading, node.child_by_field_name("qualifier"))
        last = type_of(reading, node.child_by_field_name("name"))
        return short(f"{qualifier}.{last}") if qualifier and last else ""
    if kind == "alias_qualified_name":
        alias, name = node.child_by_field_name("alias"), node.child_by_field_name("name")
        before = reading.text(alias) if alias is not None else ""
        said = type_of(reading, name)
        return said if before == "global" else f"{before}.{said}" if said else ""
    if kind == "nullable_type":
        return type_of(reading, node.child_by_field_name("type") or node.named_child(0))
    if kind == "array_type":
        said = type_of(reading, node.child_by_field_name("type"))
        return short(f"{said}[]") if said else ""
    if kind in ("ref_type", "scoped_type"):
        return type_of(reading, node.child_by_field_name("type") or node.named_child(0))
    if kind == "implicit_type":
        return "var"
    return ""


def arity_of(reading: Reading, arguments: Node | None) -> int:
    """The number of arguments."""
    count = arguments.named_child_count if arguments is not None else 0
    if count and arguments is not None and b"/" in reading.data[arguments.start_byte : arguments.end_byte]:
        return sum(child.type == "argument" for child in arguments.named_children)
    return count


def chain_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """The expression as a chain; "" for what is none."""
    if node is None or depth > _MAX_DEPTH:
        return ""
    kind = node.type
    if kind == "identifier":
        return reading.text(node)
    if kind == "predefined_type":
        return f'"{reading.text(node)}"'
    if kind in ("this", "this_expression", "base", "base_expression"):
        return reading.text(node)
    if kind == "generic_name":
        return short(generic(reading, node).partition("<")[0])
    if kind in ("alias_qualified_name", "qualified_name"):
        return type_of(reading, node)
    if kind == "member_access_expression":
        name = node.child_by_field_name("name")
        inner = chain_of(reading, receiver_of(node), depth + 1)
        said = chain_of(reading, name, depth + 1)
        return short(f"{inner}.{said}") if inner and said else ""
    if kind == "conditional_access_expression":
        inner = chain_of(reading, node.child_by_field_name("condition"), depth + 1)
        return _conditional(reading, inner, node.named_child(node.named_child_count - 1), depth)
    if kind == "invocation_expression":
        inner = chain_of(reading, node.child_by_field_name("function"), depth + 1)
        return short(f"{inner}()") if inner else ""
    if kind == "element_access_expression":
        inner = chain_of(reading, node.child_by_field_name("expression"), depth + 1)
        return short(f"{inner}[]") if inner else ""
    if kind in ("parenthesized_expression", "checked_expression"):
        return chain_of(reading, node.named_child(0), depth + 1) if node.named_child_count == 1 else ""
    if kind == "postfix_unary_expression":
        return chain_of(reading, node.named_child(0), depth + 1) if node.children[-1].type == "!" else ""
    if kind == "await_expression":
        inner = chain_of(reading, node.named_child(0), depth + 1)
        return short(f"{inner}~") if inner else ""
    if kind == "object_creation_expression":
        made = type_of(reading, node.child_by_field_name("type"))
        return short(f"(+{made})") if made else ""
    if kind in ("cast_expression", "default_expression"):
        said = type_of(reading, node.child_by_field_name("type"))
        return short(f"({said})") if said else ""
    if kind == "as_expression":
        said = type_of(reading, node.child_by_field_name("right"))
        return short(f"({said})") if said else ""
    return _LITERALS.get(kind, "")


def _conditional(reading: Reading, inner: str, node: Node | None, depth: int) -> str:
    """What follows a `?`."""
    if not inner or node is None or depth > _MAX_DEPTH:
        return ""
    if node.type == "member_binding_expression":
        said = chain_of(reading, node.child_by_field_name("name"), depth + 1)
        return short(f"{inner}.{said}") if said else ""
    if node.type == "member_access_expression":
        before = _conditional(reading, inner, node.child_by_field_name("expression"), depth + 1)
        said = chain_of(reading, node.child_by_field_name("name"), depth + 1)
        return short(f"{before}.{said}") if before and said else ""
    if node.type == "invocation_expression":
        before = _conditional(reading, inner, node.child_by_field_name("function"), depth + 1)
        return short(f"{before}()") if before else ""
    if node.type == "element_binding_expression":
        return short(f"{inner}[]")
    return ""


def receiver_of(node: Node) -> Node | None:
    """What stands before the dot of a member access: an expression, `this` or `base`."""
    return node.child_by_field_name("expression") or (node.children[0] if node.child_count else None)


def name_token(node: Node | None) -> Node | None:
    """The token of a simple or generic name."""
    if node is None or node.type == "identifier":
        return node
    return node.named_child(0) if node.type == "generic_name" else None


def root_of(chain: str) -> str:
    """The first name of a chain: the only part that a local variable may be."""
    found = _ROOT.match(chain)
    return found.group() if found is not None else ""
