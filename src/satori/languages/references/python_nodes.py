"""Python's nodes as references write them: chains, types, parameters, names that a target binds."""

from __future__ import annotations

import re

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.model.definition import SymbolKind
from satori.model.reference import CHAIN_CHARACTERS, SiteForm

_PLAIN = re.compile(rb"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ROOT = re.compile(r"[^\W\d]\w*")
_OPTIONAL = re.compile(r"(?:(?:typing|t)\.)?Optional\[(.*)\]")
_CHAIN = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_LITERALS = {
    "string": '"str"',
    "concatenated_string": '"str"',
    "integer": '"int"',
    "float": '"float"',
    "list": '"list"',
    "list_comprehension": '"list"',
    "dictionary": '"dict"',
    "dictionary_comprehension": '"dict"',
    "set": '"set"',
    "set_comprehension": '"set"',
    "tuple": '"tuple"',
    "true": '"bool"',
    "false": '"bool"',
    "none": "None",
}


def member_form(receiver: str) -> int:
    """How a call on the receiver is written."""
    if receiver in ("self", "cls"):
        return int(SiteForm.SELF)
    if receiver == "super()":
        return int(SiteForm.SUPER)
    if not receiver or "(" in receiver or "[" in receiver or receiver.startswith('"'):
        return int(SiteForm.CHAIN)
    return int(SiteForm.MEMBER)


def root_of(chain: str) -> str:
    """The name that a chain begins with, "" for none."""
    found = _ROOT.match(chain)
    return found.group() if found is not None else ""


def chain_of(reading: Reading, node: Node | None, depth: int = 0) -> str:
    """The chain of an expression, "" for anything that is none."""
    if node is None or depth > 12:
        return ""
    kind = node.type
    if kind in ("identifier", "attribute"):
        source = reading.data[node.start_byte : node.end_byte]
        if _PLAIN.fullmatch(source):
            return source.decode("ascii") if len(source) <= CHAIN_CHARACTERS else ""
        if kind == "identifier":
            return source.decode("utf-8", "replace")
        inner = chain_of(reading, node.child_by_field_name("object"), depth + 1)
        name = node.child_by_field_name("attribute")
        if not inner or name is None:
            return ""
        chain = f"{inner}.{reading.text(name)}"
    elif kind == "call":
        inner = chain_of(reading, node.child_by_field_name("function"), depth + 1)
        if inner == "super" and not _is_own_super(reading, node):
            return ""
        chain = f"{inner}()" if inner else ""
    elif kind == "subscript":
        inner = chain_of(reading, node.child_by_field_name("value"), depth + 1)
        chain = f"{inner}[]" if inner else ""
    elif kind == "parenthesized_expression":
        return chain_of(reading, node.named_child(0), depth + 1) if node.named_child_count == 1 else ""
    else:
        return _LITERALS.get(kind, "")
    return chain if len(chain) <= CHAIN_CHARACTERS else ""


def _is_own_super(reading: Reading, node: Node) -> bool:
    """Whether `super(...)` names no class, or the one that it stands in."""
    arguments = node.child_by_field_name("arguments")
    first = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    if first is None:
        return True
    owner = reading.owners.at(node.start_byte)
    while owner >= 0 and reading.definitions[owner].kind is not SymbolKind.CLASS:
        owner = reading.definitions[owner].parent
    return owner >= 0 and reading.text(first) == reading.definitions[owner].name


def type_chain(text: str) -> str:
    """The class that an annotation names, seen through quotes, Optional and `| None`; "" for anything else."""
    text = text.strip().strip("\"'").strip()
    optional = _OPTIONAL.fullmatch(text)
    if optional is not None:
        text = optional.group(1).strip().strip("\"'")
    elif "|" in text:
        parts = [part.strip() for part in text.split("|")]
        parts = [part for part in parts if part != "None"]
        text = parts[0] if len(parts) == 1 else ""
    return text if len(text) <= CHAIN_CHARACTERS and _CHAIN.fullmatch(text) else ""


def parameter_text(reading: Reading, node: Node) -> str:
    """One parameter as `name:type`, with its stars; "" for what is none (separators, comments)."""
    kind = node.type
    if kind == "identifier":
        return reading.text(node)
    name = bare_parameter(node)
    if name is None:
        return ""
    stars = "**" if name.type == "dictionary_splat_pattern" else "*" if name.type == "list_splat_pattern" else ""
    text = reading.text(name).lstrip("*")
    declared = node.child_by_field_name("type")
    type_ = type_chain(reading.text(declared)) if declared is not None else ""
    return f"{stars}{text}:{type_}" if type_ else stars + text


def bare_parameter(node: Node) -> Node | None:
    """The name (or starred name) that a parameter binds."""
    kind = node.type
    if kind in ("identifier", "list_splat_pattern", "dictionary_splat_pattern", "tuple_pattern"):
        return node
    if kind in ("default_parameter", "typed_default_parameter"):
        return node.child_by_field_name("name")
    if kind == "typed_parameter":
        return node.named_child(0)
    return None


def names_in(node: Node) -> list[Node]:
    """The plain names that a target binds."""
    kind = node.type
    if kind == "identifier":
        return [node]
    if kind in ("attribute", "subscript", "class_pattern"):
        return []
    if kind == "dotted_name":
        return [child for child in node.named_children if child.type == "identifier"] if node.child_count == 1 else []
    return [name for child in node.named_children for name in names_in(child)]


def aliased_in(node: Node) -> tuple[Node | None, Node | None]:
    """The name and the alias of an imported name."""
    if node.type == "aliased_import":
        return node.child_by_field_name("name"), node.child_by_field_name("alias")
    return (node, None) if node.type == "dotted_name" else (None, None)
