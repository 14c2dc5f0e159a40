"""PHP's nodes as references write them: chains, types, and the variables that a target binds.

A chain is written with dots for `->`, `?->` and `::`; variables keep their `$`, properties do not, `C.$p` is a static
property; `new C` is an instance made right here. Literals and closures are quoted types.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.model.reference import CHAIN_CHARACTERS, SiteForm

_PLAIN = re.compile(rb"\$\w+(?:\??->\w+)*")
_ROOT = re.compile(r"[^.()\[\]\"]+")
_NAMES = {"name", "qualified_name", "relative_name", "relative_scope", "namespace_name"}
_MEMBERS = {"member_access_expression", "nullsafe_member_access_expression"}
_CALLS = {"member_call_expression", "nullsafe_member_call_expression"}
_SEEN_THROUGH = {"parenthesized_expression", "clone_expression", "error_suppression_expression"}
_LITERALS = {
    "string": '"string"',
    "encapsed_string": '"string"',
    "heredoc": '"string"',
    "nowdoc": '"string"',
    "integer": '"int"',
    "float": '"float"',
    "boolean": '"bool"',
    "array_creation_expression": '"array"',
    "anonymous_function": '"Closure"',
    "arrow_function": '"Closure"',
    "null": "None",
}


def nth(node: Node, position: int = 0) -> Node | None:
    """A named child, if there are so many."""
    return node.named_child(position) if 0 <= position < node.named_child_count else None


@lru_cache(maxsize=4096)
def root_of(chain: str) -> str:
    """What a chain begins with, "" for none."""
    found = _ROOT.match(chain)
    return found.group() if found is not None else ""


def member_form(receiver: str) -> SiteForm:
    """How a call on the receiver is written."""
    if receiver in ("$this", "self", "static"):
        return SiteForm.SELF
    if receiver == "parent":
        return SiteForm.SUPER
    if not receiver or "(" in receiver or "[" in receiver or receiver.startswith(('"', "new ")):
        return SiteForm.CHAIN
    return SiteForm.MEMBER


def name_of(reading: Reading, node: Node) -> str:
    """A class's or function's name as written, without spaces; `self`, `static` and `parent` in lower case."""
    text = reading.text(node)
    if node.type == "relative_scope" or text.lower() in ("self", "static", "parent"):
        return text.lower()
    return text if text.isidentifier() else "".join(text.split())


def chain_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """The chain of an expression, "" for anything that is none."""
    if node is None or depth > 12:
        return ""
    chain = _chain(reading, node, depth)
    return chain if len(chain) <= CHAIN_CHARACTERS else ""


def _chain(reading: Reading, node: Node, depth: int) -> str:
    kind = node.type
    if kind == "variable_name" or kind in _MEMBERS:
        source = reading.data[node.start_byte : node.end_byte]
        if _PLAIN.fullmatch(source):
            return source.decode("ascii", "replace").replace("?->", ".").replace("->", ".")
        if kind == "variable_name":
            return reading.text(node)
        inner = chain_of(reading, node.child_by_field_name("object"), depth + 1)
        name = node.child_by_field_name("name")
        return f"{inner}.{reading.text(name)}" if inner and name is not None and name.type == "name" else ""
    if kind in _CALLS:
        inner = chain_of(reading, node.child_by_field_name("object"), depth + 1)
        return _called(reading, inner, node)
    if kind == "scoped_call_expression":
        return _called(reading, scope_of(reading, node.child_by_field_name("scope"), depth), node)
    if kind == "function_call_expression":
        function = node.child_by_field_name("function")
        return f"{name_of(reading, function)}()" if function is not None and function.type in _NAMES else ""
    if kind == "object_creation_expression":
        made = nth(node)
        return f"new {name_of(reading, made)}" if made is not None and made.type in _NAMES else ""
    if kind in ("class_constant_access_expression", "scoped_property_access_expression"):
        return _static(reading, node, depth)
    if kind == "subscript_expression":
        inner = chain_of(reading, nth(node), depth + 1)
        return f"{inner}[]" if inner else ""
    if kind == "assignment_expression":
        return chain_of(reading, node.child_by_field_name("right"), depth + 1)
    if kind in _SEEN_THROUGH:
        return chain_of(reading, nth(node), depth + 1)
    return _LITERALS.get(kind, "")


def _called(reading: Reading, inner: str, node: Node) -> str:
    name = node.child_by_field_name("name")
    return f"{inner}.{reading.text(name)}()" if inner and name is not None and name.type == "name" else ""


def _static(reading: Reading, node: Node, depth: int) -> str:
    """`C::NAME` and `C::$name`; `C::class` is a string."""
    scope, name = nth(node), nth(node, 1)
    if scope is None or name is None or name.type not in ("name", "variable_name"):
        return ""
    text = reading.text(name)
    if text.lower() == "class":
        return '"string"'
    inner = scope_of(reading, scope, depth)
    return f"{inner}.{text}" if inner else ""


def scope_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """What stands before `::`: a class's name, or an expression."""
    if node is None:
        return ""
    return name_of(reading, node) if node.type in _NAMES else chain_of(reading, node, depth + 1)


def type_chain(reading: Reading, node: Node | None) -> str:
    """The one class that a type names; `?C` and `C|null` are seen through; "" for none and for unions."""
    if node is None:
        return ""
    kind = node.type
    if kind == "optional_type":
        return type_chain(reading, nth(node))
    if kind in ("union_type", "type_list", "disjunctive_normal_form_type"):
        parts = [part for part in node.named_children if reading.text(part).lower() != "null"]
        return type_chain(reading, parts[0]) if len(parts) == 1 else ""
    if kind == "named_type":
        text = name_of(reading, node)
        return text if len(text) <= CHAIN_CHARACTERS else ""
    if kind == "primitive_type":
        text = reading.text(node).lower()
        return text if text == "static" else f'"{text}"'
    return ""


def variables_in(reading: Reading, node: Node | None) -> list[Node]:
    """The variables that a target of an assignment or loop binds."""
    if node is None:
        return []
    if node.type == "variable_name":
        return [node]
    if node.type in ("list_literal", "array_creation_expression", "array_element_initializer", "by_ref", "pair"):
        return [name for child in node.named_children for name in variables_in(reading, child)]
    return []
