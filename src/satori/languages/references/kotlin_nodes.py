"""Kotlin's nodes as references write them: types without arguments and marks of null, chains, parameters.

Chains are those of Java: a call says how many arguments it has, `(T)` is a cast, literals are their types. Safe calls
and `!!` are left out, since they do not change what a name means. A function type is `()`, one with a receiver `T.()`.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.model.reference import CHAIN_CHARACTERS, SiteForm

_PLAIN = re.compile(rb"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_TYPE = re.compile(rb"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
# Calls that are read from their text alone.
_NAME = rb"[A-Za-z_]\w*"
_ATOM = rb"(?:" + _NAME + rb"(?:\." + _NAME + rb")*|\d+)"
SIMPLE_CALL = re.compile(
    rb"((?:" + _NAME + rb"(?:\?|!!)?\.)*)(" + _NAME + rb")\(\s*((?:" + _ATOM + rb"(?:\s*,\s*" + _ATOM + rb")*)?)\s*\)"
)
_SAFE = re.compile(rb"[A-Za-z_]\w*(?:(?:\?|!!)?\.[A-Za-z_]\w*)*")
_ROOT = re.compile(r"\(?([^\W\d]\w*)")
_LITERALS = {
    "string_literal": '"String"',
    "multiline_string_literal": '"String"',
    "character_literal": '"Char"',
    "boolean_literal": '"Boolean"',
    "is_expression": '"Boolean"',
    "lambda_literal": '"->"',
    "anonymous_function": '"->"',
    "callable_reference": '"->"',
}
_MAX_DEPTH = 24
MAX_ARGUMENTS = 6


def nth(node: Node, number: int) -> Node | None:
    """A named child, None when there are not so many."""
    return node.named_child(number) if node.named_child_count > number else None


def root_of(chain: str) -> str:
    """The name that a chain begins with, "" for none."""
    found = _ROOT.match(chain)
    return found.group(1) if found is not None else ""


def form_of(receiver: str) -> int:
    """How a call on the receiver is written."""
    if receiver == "this" or receiver.startswith("this@"):
        return int(SiteForm.SELF)
    if receiver == "super":
        return int(SiteForm.SUPER)
    if not receiver or "(" in receiver or "[" in receiver or receiver.startswith('"'):
        return int(SiteForm.CHAIN)
    return int(SiteForm.MEMBER)


def type_text(reading: Reading, node: Node | None) -> str:
    """A type without its arguments; "" for what is none."""
    if node is None:
        return ""
    source = reading.data[node.start_byte : node.end_byte]
    if _TYPE.fullmatch(source):
        return source.decode("utf-8", "replace")
    kind = node.type
    if kind in ("nullable_type", "parenthesized_type", "non_nullable_type"):
        return type_text(reading, nth(node, 0))
    if kind == "user_type":
        parts = [reading.text(child) for child in node.named_children if child.type == "identifier"]
        return ".".join(parts).replace("`", "")
    if kind == "function_type":
        first = nth(node, 0)
        receiver = first is not None and first.type != "function_type_parameters"
        return f"{type_text(reading, first)}.()" if receiver else "()"
    return ""


TYPES = frozenset(
    {"user_type", "nullable_type", "parenthesized_type", "non_nullable_type", "function_type", "dynamic_type"}
)


def parameters_of(reading: Reading, node: Node | None) -> tuple[int, int, str]:
    """(least arguments, most or -1, parameters as `name:type`), one of any number marked `*`. Defaults follow their
    parameter, modifiers precede it."""
    if node is None or node.end_byte - node.start_byte == 2:
        return 0, 0, ""
    said: list[str] = []
    least = most = 0
    many = vararg = False
    for child in node.children:
        kind = child.type
        if kind in ("parameter_modifiers", "modifiers"):
            vararg = b"vararg" in reading.data[child.start_byte : child.end_byte]
        elif kind in ("parameter", "class_parameter"):
            name, type_ = "", ""
            for part in child.named_children:
                if part.type == "identifier" and not name:
                    name = reading.text(part).strip("`")
                elif part.type in TYPES and not type_:
                    type_ = type_text(reading, part)
                elif part.type == "modifiers":
                    vararg = b"vararg" in reading.data[part.start_byte : part.end_byte]
            said.append(f"*{name}:{type_}" if vararg else f"{name}:{type_}")
            many = many or vararg
            most += 1
            least += not vararg
            if kind == "class_parameter" and any(part.type == "=" for part in child.children) and not vararg:
                least -= 1
            vararg = False
        elif kind == "=" and least:
            least -= 1
    return least, -1 if many else most, ",".join(said)


def call_parts(node: Node) -> tuple[Node | None, Node | None, Node | None]:
    """(callee, its arguments, the lambda behind them) of a call; `f(x) { }` is one call."""
    callee = nth(node, 0)
    arguments: Node | None = None
    trailing: Node | None = None
    for child in node.named_children[1:]:
        if child.type == "value_arguments":
            arguments = child
        elif child.type == "annotated_lambda":
            trailing = child
    if trailing is not None and arguments is None and callee is not None and callee.type == "call_expression":
        inner, arguments, more = call_parts(callee)
        if more is None:
            return inner, arguments, trailing
        return callee, None, trailing
    return callee, arguments, trailing


def arguments_of(reading: Reading, arguments: Node | None, trailing: Node | None) -> tuple[int, str]:
    """How many arguments a call has, and their chains joined by `;`, "" when none is known."""
    given: list[str] = []
    if arguments is not None and arguments.end_byte - arguments.start_byte > 2:
        for child in arguments.named_children:
            if child.type == "value_argument":
                given.append(_argument(reading, child))
    if trailing is not None:
        given.append('"->"')
    text = ";".join(given)
    known = len(given) <= MAX_ARGUMENTS and len(text) >= len(given) and bool(given)
    return len(given), text if known else ""


def _argument(reading: Reading, node: Node) -> str:
    source = reading.data[node.start_byte : node.end_byte]
    if _PLAIN.fullmatch(source):
        return {b"true": '"Boolean"', b"false": '"Boolean"', b"null": "None"}.get(source) or source.decode()
    if source.startswith(b"*"):
        return ""
    children = node.named_children
    name = ""
    if len(children) == 2 and any(child.type == "=" for child in node.children):
        name = reading.text(children[0]).strip("`") + "="
    return name + chain_of(reading, children[-1]) if children else ""


def chain_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """The chain of an expression, "" for anything that is none."""
    if node is None or depth > _MAX_DEPTH:
        return ""
    source = reading.data[node.start_byte : node.end_byte]
    kind = node.type
    if kind in ("identifier", "navigation_expression") and _PLAIN.fullmatch(source):
        text = source.decode()
        return "None" if text == "null" else text if len(text) <= CHAIN_CHARACTERS else ""
    if kind == "identifier":
        return reading.text(node).strip("`")
    if kind == "navigation_expression":
        if _SAFE.fullmatch(source):
            return _bounded(source.replace(b"?", b"").replace(b"!!", b"").decode())
        return _navigation(reading, node, depth)
    if kind == "call_expression":
        plain = SIMPLE_CALL.fullmatch(source)
        if plain is not None:
            given = plain.group(3)
            count = given.count(b",") + 1 if given.strip() else 0
            target = plain.group(1).replace(b"?", b"").replace(b"!!", b"") + plain.group(2)
            return _bounded(f"{target.decode()}({','.join('_' * count)})")
        callee, arguments, trailing = call_parts(node)
        chain = chain_of(reading, callee, depth + 1) if callee is not None else ""
        if not chain or callee is None or callee.type not in ("identifier", "navigation_expression"):
            return ""
        count, _ = arguments_of(reading, arguments, trailing)
        return _bounded(f"{chain}({','.join('_' * count)})")
    if kind == "this_expression":
        return reading.text(node)
    if kind == "super_expression":
        return "super"
    if kind == "parenthesized_expression":
        return chain_of(reading, nth(node, 0), depth + 1) if node.named_child_count == 1 else ""
    if kind == "as_expression":
        text = type_text(reading, node.child_by_field_name("right"))
        return _bounded(f"({text})") if text and "(" not in text else ""
    if kind == "unary_expression":
        if source.endswith(b"!!"):
            return chain_of(reading, node.child_by_field_name("argument"), depth + 1)
        return '"Boolean"' if source.startswith(b"!") else ""
    if kind == "index_expression":
        target = chain_of(reading, nth(node, 0), depth + 1)
        return _bounded(target + "[]") if target else ""
    if kind == "number_literal":
        return _number(source)
    return _LITERALS.get(kind, "")


def _navigation(reading: Reading, node: Node, depth: int) -> str:
    children = node.named_children
    if len(children) != 2 or children[1].type != "identifier":
        return ""
    target = chain_of(reading, children[0], depth + 1)
    between = reading.data[children[0].end_byte : children[1].start_byte]
    if b"::" in between or not target:
        return ""
    return _bounded(f"{target}.{reading.text(children[1]).strip('`')}")


def _number(source: bytes) -> str:
    if source[-1:] in b"lL":
        return '"Long"'
    if source.startswith(b"0x"):
        return '"int"'
    if source[-1:] in b"fF":
        return '"Float"'
    return '"Double"' if b"." in source else '"int"'


def _bounded(chain: str) -> str:
    return chain if len(chain) <= CHAIN_CHARACTERS else ""
