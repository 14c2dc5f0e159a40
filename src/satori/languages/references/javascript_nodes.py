"""JavaScript's and TypeScript's nodes as references write them: chains, types, names that a pattern binds."""

from __future__ import annotations

import re

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.model.reference import CHAIN_CHARACTERS, SiteForm

_PLAIN = re.compile(rb"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_ROOT = re.compile(r"[^\W\d$]?[\w$]+")
_NAMES = {"identifier", "shorthand_property_identifier_pattern", "type_identifier"}
_LITERALS = {
    "string": '"String"',
    "template_string": '"String"',
    "number": '"Number"',
    "array": '"Array"',
    "regex": '"RegExp"',
    "true": '"Boolean"',
    "false": '"Boolean"',
    "null": "None",
    "undefined": "None",
}
_PREDEFINED = {"string": '"String"', "number": '"Number"', "boolean": '"Boolean"'}


def member_form(receiver: str) -> SiteForm:
    """How a call on the receiver is written."""
    if receiver == "this":
        return SiteForm.SELF
    if receiver == "super":
        return SiteForm.SUPER
    if not receiver or "(" in receiver or "[" in receiver or receiver.startswith('"'):
        return SiteForm.CHAIN
    return SiteForm.MEMBER


def root_of(chain: str) -> str:
    """The name that a chain begins with, "" for none."""
    found = _ROOT.match(chain)
    return found.group() if found is not None else ""


def chain_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """The chain of an expression, "" for anything that is none."""
    if node is None or depth > 12:
        return ""
    kind = node.type
    if kind in ("identifier", "this", "super", "member_expression"):
        source = reading.data[node.start_byte : node.end_byte]
        if _PLAIN.fullmatch(source):
            return source.decode("ascii") if len(source) <= CHAIN_CHARACTERS else ""
        if kind == "identifier":
            return source.decode("utf-8", "replace")
        inner = chain_of(reading, node.child_by_field_name("object"), depth + 1)
        name = node.child_by_field_name("property")
        chain = f"{inner}.{reading.text(name)}" if inner and name is not None else ""
    elif kind in ("call_expression", "new_expression"):
        field = "function" if kind == "call_expression" else "constructor"
        inner = chain_of(reading, node.child_by_field_name(field), depth + 1)
        chain = f"{inner}()" if inner else ""
    elif kind == "subscript_expression":
        inner = chain_of(reading, node.child_by_field_name("object"), depth + 1)
        chain = f"{inner}[]" if inner else ""
    elif kind in ("parenthesized_expression", "non_null_expression", "satisfies_expression"):
        return chain_of(reading, node.named_child(0), depth + 1) if node.named_child_count else ""
    else:
        return _LITERALS.get(kind, "")
    return chain if len(chain) <= CHAIN_CHARACTERS else ""


def type_chain(reading: Reading, node: Node | None) -> str:
    """The type that an annotation names; `| null` and `| undefined` are seen through."""
    if node is None:
        return ""
    inner = node.named_child(0) if node.type == "type_annotation" else node
    if inner is None:
        return ""
    if inner.type == "union_type":
        parts = [part for part in inner.named_children if reading.text(part) not in ("null", "undefined")]
        return type_name(reading, parts[0]) if len(parts) == 1 else ""
    return type_name(reading, inner)


def type_name(reading: Reading, node: Node) -> str:
    """The name of a type node as a chain; "" for what has none."""
    kind = node.type
    if kind == "generic_type":
        name = node.child_by_field_name("name")
        return type_name(reading, name) if name is not None else ""
    if kind in ("type_identifier", "nested_type_identifier", "identifier", "member_expression"):
        text = reading.text(node)
        return text if len(text) <= CHAIN_CHARACTERS and " " not in text and "\n" not in text else ""
    if kind in ("array_type", "tuple_type"):
        return '"Array"'
    if kind == "predefined_type":
        return _PREDEFINED.get(reading.text(node), "")
    return ""


def type_beside(name: Node) -> Node | None:
    """The annotation that follows a parameter's name."""
    sibling = name.next_named_sibling
    return sibling if sibling is not None and sibling.type == "type_annotation" else None


def names_in(node: Node) -> list[Node]:
    """The plain names that a pattern binds."""
    kind = node.type
    if kind in _NAMES:
        return [node]
    if kind in ("member_expression", "subscript_expression", "type_annotation"):
        return []
    if kind == "pair_pattern":
        value = node.child_by_field_name("value")
        return names_in(value) if value is not None else []
    if kind in ("assignment_pattern", "object_assignment_pattern"):
        left = node.child_by_field_name("left")
        return names_in(left) if left is not None else []
    if kind in ("required_parameter", "optional_parameter"):
        pattern = node.child_by_field_name("pattern")
        return names_in(pattern) if pattern is not None else []
    if kind in ("formal_parameters", "object_pattern", "array_pattern", "rest_pattern"):
        return [name for child in node.named_children for name in names_in(child)]
    return []


def declared_in(node: Node) -> list[Node]:
    """The names that an exported declaration declares."""
    name = node.child_by_field_name("name")
    if name is not None:
        return [name]
    found: list[Node] = []
    for child in node.named_children:
        if child.type == "variable_declarator":
            target = child.child_by_field_name("name")
            found += names_in(target) if target is not None else []
        elif child.type == "internal_module":
            found += declared_in(child)
    return found


def string_of(reading: Reading, node: Node) -> str:
    """The text of a string literal."""
    return reading.text(node).strip("\"'`")


def required_in(reading: Reading, node: Node | None) -> tuple[str, str] | None:
    """(module, member) of `require("module")` and `require("module").member`; None for anything else."""
    if node is None:
        return None
    member = ""
    if node.type == "member_expression":
        name, inner = node.child_by_field_name("property"), node.child_by_field_name("object")
        if name is None or inner is None:
            return None
        member, node = reading.text(name), inner
    if node.type != "call_expression":
        return None
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or reading.text(function) != "require":
        return None
    first = arguments.named_child(0) if arguments.named_child_count == 1 else None
    return (string_of(reading, first), member) if first is not None and first.type == "string" else None
