"""Local names of Rust: what `let`, `for`, `match` arms, closures and parameters bind, where, and to what."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.languages.references.rust_nodes import chain_of, path_of, type_of
from satori.languages.references.stretches import Stretches
from satori.model.reference import CHAIN_CHARACTERS, Binding, BindingKind

_VARIABLE = int(BindingKind.VARIABLE)
_INSIDE = {"Some", "Ok"}
# The last byte of a name that is seen in the whole function.
EVERYWHERE = 1 << 30
# Methods that call a closure with what is in a container, an Option or a Result.
_MAPPED = frozenset(
    "map and_then filter for_each any all map_or map_or_else is_some_and is_ok_and find position inspect take_while "
    "skip_while filter_map flat_map retain sort_by_key min_by_key max_by_key partition find_map inspect_err".split()
)


def _passed(reading: Reading, closure: Node) -> str:
    """What the first parameter of a closure is given, when it is an argument of a well-known method."""
    arguments = closure.parent
    call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
    function = call.child_by_field_name("function") if call is not None else None
    if function is None or function.type != "field_expression":
        return ""
    name = function.child_by_field_name("field")
    if name is None or reading.text(name) not in _MAPPED:
        return ""
    chain = chain_of(reading, function.child_by_field_name("value"))
    return f"{chain}[v]" if chain else ""


def pattern_of(how: str, node: Node) -> Node | None:
    """What holds the names that a declaration binds."""
    return node.child_by_field_name("parameters" if how == "closure" else "pattern")


def bindings_of(reading: Reading, blocks: Stretches, how: str, node: Node) -> Iterator[Binding]:
    """The bindings of one declaration."""
    scope = reading.owners.at(node.start_byte)
    pattern = pattern_of(how, node)
    if how == "let":
        given = node.child_by_field_name("value")
        declared = type_of(reading, node.child_by_field_name("type"))
        first = node.end_byte
        if node.type == "let_declaration":
            last = blocks.at(node.start_byte)[1] or EVERYWHERE
        else:
            around = node.parent
            while around is not None and around.type not in ("if_expression", "while_expression", "match_arm"):
                around = around.parent
            if around is None:
                return
            inner = around.child_by_field_name("consequence") or around.child_by_field_name("body")
            last = (inner or around).end_byte
        yield from _pattern(reading, pattern, scope, first, last, declared, chain_of(reading, given))
    elif how == "for":
        body = node.child_by_field_name("body")
        value = chain_of(reading, node.child_by_field_name("value"))
        if body is not None:
            span = (scope, body.start_byte, body.end_byte)
            chain = f"{value}[v]" if value else ""
            yield from _pattern(reading, pattern, *span, "", chain)
    elif how == "arm":
        around = node.parent.parent if node.parent is not None else None
        value = chain_of(reading, around.child_by_field_name("value")) if around is not None else ""
        if pattern is not None:
            span = (scope, pattern.start_byte, node.end_byte)
            yield from _pattern(reading, pattern, *span, "", value)
    elif how == "closure":
        listed = pattern
        span = (scope, node.start_byte, node.end_byte)
        for number, parameter in enumerate(listed.named_children if listed is not None else ()):
            typed = parameter.type == "parameter"
            bound = parameter.child_by_field_name("pattern") if typed else parameter
            declared = type_of(reading, parameter.child_by_field_name("type")) if typed else ""
            chain = "" if declared or number else _passed(reading, node)
            yield from _pattern(reading, bound, *span, declared, chain)
    elif how == "parameter":
        declared = type_of(reading, node.child_by_field_name("type"))
        yield from _pattern(reading, pattern, scope, 0, EVERYWHERE, declared, "")


def _pattern(
    reading: Reading,
    node: Node | None,
    scope: int,
    first: int,
    last: int,
    declared: str,
    value: str,
    depth: int = 0,
) -> Iterator[Binding]:
    """The names that a pattern binds, each with what it is given."""
    if node is None or depth > 16:
        return
    kind = node.type
    if kind in ("identifier", "shorthand_field_identifier"):
        name = reading.text(node).removeprefix("r#")
        if not name[:1].isupper() and len(value) <= CHAIN_CHARACTERS:
            yield Binding(scope, scope, node.start_byte, first, last, _VARIABLE, name, declared, value)
        return
    span = (scope, first, last)
    chain = f"`{declared}`" if declared else value
    inside: list[tuple[Node, str]] = []
    if kind in ("mut_pattern", "ref_pattern", "reference_pattern", "match_pattern"):
        held = [child for child in node.named_children if child.type != "mutable_specifier"]
        if kind == "match_pattern":
            held = held[:1]
        for child in held:
            yield from _pattern(reading, child, *span, declared, value, depth + 1)
        return
    if kind == "captured_pattern":
        held = node.named_children
        for child in held:
            yield from _pattern(reading, child, *span, declared, value, depth + 1)
        return
    if kind == "tuple_pattern":
        for number, child in enumerate(node.named_children):
            inside.append((child, f"{chain}.{number}" if chain else ""))
    elif kind == "tuple_struct_pattern":
        path = path_of(reading, node.child_by_field_name("type"))
        for number, child in enumerate(node.named_children[1:]):
            if path in _INSIDE:
                inside.append((child, f"{chain}?" if chain else ""))
            elif path == "Err":
                inside.append((child, f"{chain}/" if chain else ""))
            else:
                inside.append((child, f"`{path}`.{number}" if path else ""))
    elif kind == "struct_pattern":
        path = path_of(reading, node.child_by_field_name("type"))
        for field in node.named_children:
            named = field.child_by_field_name("name") if field.type == "field_pattern" else None
            if named is not None:
                own = reading.text(named).removeprefix("r#")
                inside.append((field.child_by_field_name("pattern") or named, f"`{path}`.{own}" if path else ""))
    elif kind == "slice_pattern":
        inside = [(child, f"{chain}[]" if chain else "") for child in node.named_children]
    else:
        inside = [(child, "") for child in node.named_children if child.type.endswith(("pattern", "identifier"))]
    for child, passed in inside:
        yield from _pattern(reading, child, *span, "", passed, depth + 1)
