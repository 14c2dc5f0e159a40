"""Java's nodes as references write them: types without their arguments, chains, parameters.

A call in a chain says how many arguments it has: `()`, `(_)`, `(_,_)`. A chain may begin with `new T()` (exactly a T)
or `(T)` (a cast to T). Literals are their types: `"String"`, `"int"`, `"Class"`; lambdas and method references `"->"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.model.reference import CHAIN_CHARACTERS, SiteForm

_PLAIN = re.compile(rb"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_RECEIVER = re.compile(rb"([^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*)\s*\.")
_TYPE = re.compile(rb"([^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*)((?:\[\])*)")
# Arguments that are read from the text alone: names, strings without separators, whole numbers.
_ATOM = rb'(?:[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*|"[^"\\,;()]*"|\d+)'
_ATOMS = re.compile(rb"\(\s*" + _ATOM + rb"(?:\s*,\s*" + _ATOM + rb")*\s*\)")
_TYPED = rb"(?:final\s+)?[\w$]+(?:\.[\w$]+)* [\w$]+"
_PARAMETERS = re.compile(rb"\(\s*" + _TYPED + rb"(?:\s*,\s*" + _TYPED + rb")*\s*\)")
_PARAMETER = re.compile(rb"([\w$.]+) ([\w$]+)\s*[,)]")
_WORDS = {b"true": '"boolean"', b"false": '"boolean"', b"null": "None"}
_ROOTS = re.compile(r"(?:^|;)(?:new )?\(?([^\W\d][\w$]*)", re.MULTILINE)
_ROOT = re.compile(r"(?:new )?\(?([^\W\d][\w$]*)")
_LITERALS = {
    "string_literal": '"String"',
    "class_literal": '"Class"',
    "null_literal": "None",
    "lambda_expression": '"->"',
    "method_reference": '"->"',
    "true": '"boolean"',
    "false": '"boolean"',
    "character_literal": '"char"',
    "instanceof_expression": '"boolean"',
}
_NUMBERS = frozenset(
    {"decimal_integer_literal", "hex_integer_literal", "octal_integer_literal", "binary_integer_literal"}
)
_FLOATS = frozenset({"decimal_floating_point_literal", "hex_floating_point_literal"})
_LOGIC = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_MAX_DEPTH = 24
_MAX_ARGUMENTS = 6
_COMMENTS = ("line_comment", "block_comment")


def roots_of(arguments: Iterable[str]) -> set[str]:
    """The names that the chains of arguments begin with."""
    return set(_ROOTS.findall("\n".join(arguments)))


def root_of(chain: str) -> str:
    """The name that a chain begins with, "" for none."""
    found = _ROOT.match(chain)
    return found.group(1) if found is not None else ""


def form_of(receiver: str) -> int:
    """How a call on the receiver is written."""
    if receiver == "this" or receiver.endswith(".this"):
        return int(SiteForm.SELF)
    if receiver == "super" or receiver.endswith(".super"):
        return int(SiteForm.SUPER)
    if not receiver or "(" in receiver or "[" in receiver or receiver.startswith('"'):
        return int(SiteForm.CHAIN)
    return int(SiteForm.MEMBER)


def type_text(reading: Reading, node: Node | None) -> str:
    """A type without its arguments and annotations, `[]` for each dimension; "" for what is none."""
    if node is None:
        return ""
    source = reading.data[node.start_byte : node.end_byte]
    if _TYPE.fullmatch(source):
        return source.decode()
    if source.isascii() and b"@" not in source and b">." not in source and b"." not in source[source.rfind(b">") :]:
        head, arguments, rest = source.partition(b"<")
        rest = rest[rest.rfind(b">") + 1 :] if arguments else b""
        if arguments and _TYPE.fullmatch(head + rest):
            return (head + rest).decode()
    kind = node.type
    if kind in ("type_identifier", "integral_type", "void_type", "boolean_type", "floating_point_type", "identifier"):
        return reading.text(node)
    if kind == "generic_type":
        return type_text(reading, node.named_child(0))
    if kind == "array_type":
        dimensions = node.child_by_field_name("dimensions")
        element = type_text(reading, node.child_by_field_name("element"))
        return element + dimensions_text(reading, dimensions) if element else ""
    if kind == "scoped_type_identifier":
        parts = [type_text(reading, child) for child in node.named_children if "annotation" not in child.type]
        return ".".join(parts) if all(parts) else ""
    if kind == "annotated_type":
        return type_text(reading, node.named_child(node.named_child_count - 1))
    return ""


def dimensions_text(reading: Reading, node: Node | None) -> str:
    """`[]` for each dimension."""
    return "[]" * reading.text(node).count("[") if node is not None else ""


def type_name(reading: Reading, node: Node) -> tuple[int, int] | None:
    """Where the last name of a written type stands: what a construction is called by."""
    start = node.start_byte
    source = reading.data[start : node.end_byte]
    head = source.partition(b"<")[0]
    if _PLAIN.fullmatch(head) and b">." not in source:
        return start + head.rfind(b".") + 1, start + len(head)
    while node.type not in ("type_identifier", "identifier"):
        if node.type == "generic_type":
            inner = node.named_child(0)
        elif node.type in ("scoped_type_identifier", "annotated_type"):
            inner = node.named_child(node.named_child_count - 1)
        else:
            return None
        if inner is None:
            return None
        node = inner
    return node.start_byte, node.end_byte


def arguments_of(reading: Reading, node: Node, start: int) -> tuple[int, str]:
    """How many arguments a call has whose parenthesis is the first after `start`, and their chains joined by `;`, ""
    when none is known."""
    source = reading.data[start : node.end_byte].strip()
    if source == b"()":
        return 0, ""
    if _ATOMS.fullmatch(source):
        atoms = source[1:-1].split(b",")
        text = ";".join([_atom(atom.strip()) for atom in atoms])
        return len(atoms), text if len(atoms) <= _MAX_ARGUMENTS else ""
    arguments = node.child_by_field_name("arguments")
    if arguments is None or not arguments.named_child_count:
        return 0, ""
    given = [child for child in arguments.named_children if child.type not in _COMMENTS]
    if len(given) > _MAX_ARGUMENTS:
        return len(given), ""
    text = ";".join([chain_of(reading, child) for child in given])
    return len(given), text if len(text) >= len(given) else ""


def _atom(source: bytes) -> str:
    if source[:1].isdigit():
        return '"int"'
    if source[:1] == b'"':
        return '"String"'
    return '"Class"' if source.endswith(b".class") else _WORDS.get(source) or source.decode()


def _count(node: Node) -> int:
    arguments = node.child_by_field_name("arguments")
    if arguments is None:
        return 0
    count = arguments.named_child_count
    return sum(child.type not in _COMMENTS for child in arguments.named_children) if count else 0


def parameters_of(reading: Reading, node: Node | None) -> tuple[int, int, str]:
    """(least arguments, most or -1, parameters as `name:type`, the last one of any number marked `*`)."""
    if node is None:
        return 0, 0, ""
    source = reading.data[node.start_byte : node.end_byte]
    if source == b"()":
        return 0, 0, ""
    if _PARAMETERS.fullmatch(source):
        found = _PARAMETER.findall(source)
        return len(found), len(found), ",".join([f"{name.decode()}:{type_.decode()}" for type_, name in found])
    said: list[str] = []
    least = 0
    many = False
    for child in node.named_children:
        if child.type == "formal_parameter":
            name = child.child_by_field_name("name")
            if name is None:
                continue
            type_ = type_text(reading, child.child_by_field_name("type"))
            dimensions = dimensions_text(reading, child.child_by_field_name("dimensions"))
            said.append(f"{reading.text(name)}:{type_}{dimensions}")
            least += 1
        elif child.type == "spread_parameter":
            many = True
            declarator = next((part for part in child.named_children if part.type == "variable_declarator"), None)
            name = declarator.child_by_field_name("name") if declarator is not None else None
            type_node = next(
                (part for part in child.named_children if part.type not in ("modifiers", "variable_declarator")), None
            )
            text = reading.text(name) if name is not None else ""
            said.append(f"*{text}:{type_text(reading, type_node)}[]")
    return least, -1 if many else least, ",".join(said)


def chain_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """The chain of an expression, "" for anything that is none."""
    if node is None or depth > _MAX_DEPTH:
        return ""
    kind = node.type
    if kind == "identifier":
        return reading.text(node)
    if kind == "field_access":
        source = reading.data[node.start_byte : node.end_byte]
        if _PLAIN.fullmatch(source):
            return source.decode() if len(source) <= CHAIN_CHARACTERS else ""
        target = chain_of(reading, node.child_by_field_name("object"), depth + 1)
        field = node.child_by_field_name("field")
        return _bounded(f"{target}.{reading.text(field)}") if target and field is not None else ""
    if kind == "method_invocation":
        return _call_chain(reading, node, depth)
    if kind in ("this", "super"):
        return kind
    if kind == "parenthesized_expression":
        return chain_of(reading, _only(node), depth + 1)
    if kind == "cast_expression":
        text = type_text(reading, node.child_by_field_name("type"))
        return _bounded(f"({text})") if text else ""
    if kind == "object_creation_expression":
        text = type_text(reading, node.child_by_field_name("type"))
        named = node.named_child(0)
        plain = named is not None and node.child(0) is not None and node.children[0].type == "new"
        anonymous = any(child.type == "class_body" for child in node.named_children)
        return _bounded(f"({text})" if anonymous else f"new {text}()") if text and plain else ""
    if kind == "array_access":
        target = chain_of(reading, node.child_by_field_name("array"), depth + 1)
        return _bounded(target + "[]") if target else ""
    return _LITERALS.get(kind) or _operation(reading, node, kind, depth)


def _operation(reading: Reading, node: Node, kind: str, depth: int) -> str:
    """Numbers, comparisons, concatenations, arrays that are made, assignments."""
    if kind in _NUMBERS:
        return '"long"' if reading.data[node.end_byte - 1 : node.end_byte] in b"lL" else '"int"'
    if kind in _FLOATS:
        return '"float"' if reading.data[node.end_byte - 1 : node.end_byte] in b"fF" else '"double"'
    if kind == "binary_expression":
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in _LOGIC:
            return '"boolean"'
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        chains = [chain_of(reading, side, depth + 1) for side in sides]
        return '"String"' if operator is not None and operator.type == "+" and '"String"' in chains else ""
    if kind == "unary_expression":
        return '"boolean"' if reading.data.startswith(b"!", node.start_byte) else ""
    if kind == "array_creation_expression":
        element = type_text(reading, node.child_by_field_name("type"))
        parts = [child for child in node.named_children if child.type in ("dimensions", "dimensions_expr")]
        dimensions = sum(reading.text(part).count("[") if part.type == "dimensions" else 1 for part in parts)
        return _bounded(f"({element}{'[]' * dimensions})") if element and dimensions else ""
    return ""


def receiver_of(reading: Reading, node: Node, name: Node) -> str | None:
    """The chain that a method is called on: None when it is called by its name alone, "" for what is no chain."""
    first, last = node.start_byte, name.start_byte
    if first == last:
        return None
    plain = _RECEIVER.fullmatch(reading.data, first, last)
    if plain is not None:
        text = plain.group(1)
        if text.endswith(b".class"):
            return '"Class"'
        return text.decode() if len(text) <= CHAIN_CHARACTERS else ""
    target = node.child_by_field_name("object")
    chain = chain_of(reading, target)
    if chain and target is not None and reading.data.find(b"super", target.end_byte, last) >= 0:
        # `Outer.super.m()`: the grammar does not count `super` to the object.
        return f"{chain}.super"
    return chain


def _call_chain(reading: Reading, node: Node, depth: int) -> str:
    name = node.child_by_field_name("name")
    if name is None:
        return ""
    target = node.child_by_field_name("object")
    called = f"{reading.text(name)}({','.join('_' * _count(node))})"
    if target is None:
        return _bounded(called)
    chain = chain_of(reading, target, depth + 1)
    return _bounded(f"{chain}.{called}") if chain else ""


def _only(node: Node) -> Node | None:
    inner = [child for child in node.named_children if child.type not in _COMMENTS]
    return inner[0] if len(inner) == 1 else None


def _bounded(chain: str) -> str:
    return chain if len(chain) <= CHAIN_CHARACTERS else ""
