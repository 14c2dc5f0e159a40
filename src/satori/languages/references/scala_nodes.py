"""Scala's nodes as references write them: chains, types, the names that patterns bind.

`new C` is an instance made right here, `(C)` one of a class without a name that has C as a base; an infix call is a
member's; `f(1)(2)` is `f()()`, `f[A]` is `f[]`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.model.reference import CHAIN_CHARACTERS, SiteForm

_ROOT = re.compile(r"[^.()\[\]\"]+")
_NAMES = {"identifier", "operator_identifier", "type_identifier"}
_LITERALS = {
    "string": '"String"',
    "interpolated_string_expression": '"String"',
    "integer_literal": '"Int"',
    "floating_point_literal": '"Double"',
    "boolean_literal": '"Boolean"',
    "character_literal": '"Char"',
    "symbol_literal": '"Symbol"',
    "unit": '"Unit"',
    "null_literal": "None",
    "tuple_expression": '"Tuple"',
    "lambda_expression": '"Function"',
}
_SIMPLE = {"stable_type_identifier", "stable_identifier", "singleton_type"}


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
    if receiver == "this" or receiver.endswith(".this"):
        return SiteForm.SELF
    if receiver.startswith("super"):
        return SiteForm.SUPER
    if not receiver or "(" in receiver or receiver.startswith(('"', "new ")):
        return SiteForm.CHAIN
    return SiteForm.MEMBER


def plain(text: str) -> str:
    """A name without its backquotes."""
    return text.strip("`")


def chain_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """The chain of an expression, "" for anything that is none."""
    if node is None or depth > 12:
        return ""
    chain = _chain(reading, node, depth)
    return chain if len(chain) <= CHAIN_CHARACTERS else ""


def _chain(reading: Reading, node: Node, depth: int) -> str:
    kind = node.type
    if kind in ("identifier", "operator_identifier"):
        return plain(reading.text(node))
    if kind == "field_expression":
        inner = chain_of(reading, node.child_by_field_name("value"), depth + 1)
        name = node.child_by_field_name("field")
        return f"{inner}.{plain(reading.text(name))}" if inner and name is not None else ""
    if kind == "call_expression":
        function = node.child_by_field_name("function")
        inner = chain_of(reading, function, depth + 1)
        return f"{inner}()" if inner and not inner.startswith(("new ", "(")) else inner
    if kind == "generic_function":
        function = node.child_by_field_name("function")
        inner = chain_of(reading, function, depth + 1)
        if inner == "super":
            return f"super.{type_text(reading, nth(node.child_by_field_name('type_arguments') or node))}"
        return f"{inner}[]" if inner and not inner.startswith(("new ", "(")) else inner
    if kind == "infix_expression":
        receiver, operator = infix_parts(reading, node)
        inner = chain_of(reading, receiver, depth + 1)
        return f"{inner}.{plain(reading.text(operator))}()" if inner and operator is not None else ""
    if kind == "instance_expression":
        made = type_text(reading, nth(node))
        if not made:
            return ""
        last = nth(node, node.named_child_count - 1)
        bare = last is None or last.type != "template_body"
        first = nth(node)
        return f"new {made}" if bare and first is not None and first.type != "compound_type" else f"({made})"
    if kind == "parenthesized_expression":
        return chain_of(reading, nth(node), depth + 1)
    if kind == "ascription_expression":
        written = type_text(reading, nth(node, 1))
        return f"({written})" if written and not written.startswith('"') else written
    if kind in ("block", "indented_block"):
        last = nth(node, node.named_child_count - 1)
        return chain_of(reading, last, depth + 1) if node.named_child_count == 1 else ""
    return _LITERALS.get(kind, "")


def infix_parts(reading: Reading, node: Node) -> tuple[Node | None, Node | None]:
    """(receiver, operator) of an infix call: an operator that ends in a colon belongs to what is on its right."""
    operator = node.child_by_field_name("operator")
    right = operator is not None and reading.data[operator.end_byte - 1 : operator.end_byte] == b":"
    return node.child_by_field_name("right" if right else "left"), operator


def type_text(reading: Reading, node: Node | None) -> str:
    """The class that a type names, without arguments; "" for what names none."""
    if node is None:
        return ""
    kind = node.type
    if kind in _NAMES:
        return plain(reading.text(node))
    if kind in _SIMPLE:
        text = "".join(reading.text(node).split()).replace("`", "")
        return text if len(text) <= CHAIN_CHARACTERS else ""
    if kind == "generic_type":
        return type_text(reading, node.child_by_field_name("type"))
    if kind == "compound_type":
        return type_text(reading, node.child_by_field_name("base"))
    if kind in ("annotated_type", "lazy_parameter_type"):
        return type_text(reading, node.child_by_field_name("type") or nth(node))
    if kind == "infix_type":
        return type_text(reading, node.child_by_field_name("operator"))
    if kind == "function_type":
        return '"Function"'
    if kind == "tuple_type":
        return '"Tuple"'
    return ""


def names_in(reading: Reading, node: Node | None, said: str, found: list[tuple[Node, str]], depth: int = 0) -> None:
    """Append the names that a pattern binds, each with the type that the pattern says (`said`: what is around says):
    `C#0` is that of the first field of a case class."""
    if node is None or depth > 12:
        return
    kind = node.type
    if kind == "identifier":
        found.append((node, said))
    elif kind in ("typed_pattern", "binding"):
        name = node.child_by_field_name("pattern" if kind == "typed_pattern" else "name")
        if name is not None and name.type == "identifier":
            found.append((name, type_text(reading, node.child_by_field_name("type"))))
    elif kind == "capture_pattern":
        name, inner = node.child_by_field_name("name"), node.child_by_field_name("pattern")
        written = said
        if inner is not None and inner.type in ("case_class_pattern", "typed_pattern"):
            written = type_text(reading, inner.child_by_field_name("type"))
            written += "#" if written and inner.type == "case_class_pattern" else ""
        if name is not None:
            found.append((name, written))
        names_in(reading, inner, said, found, depth + 1)
    elif kind == "case_class_pattern":
        written = type_text(reading, node.child_by_field_name("type"))
        inner_patterns = [child for child in node.children_by_field_name("pattern") if child.is_named]
        for position, child in enumerate(inner_patterns):
            names_in(reading, child, f"{written}#{position}" if written else "", found, depth + 1)
    elif kind.endswith("pattern") or kind in ("bindings", "identifiers"):
        for child in node.named_children:
            names_in(reading, child, "", found, depth + 1)
