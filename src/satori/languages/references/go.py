"""References of Go: imports, signatures, embedded types, fields, bindings with their blocks, calls.

Chains: `f()` a call, `f().1` its second result, `a[]` an item, `a[k]` and `a[v]` what `range` gives first and second,
`a~` what is received, `<T>` a value of the written type. Types (`go_nodes.py`): `T`, `p.T`, `[]T`, `{K}V` a map, `~T` a
channel, `^A|B` a function's results; pointers are left out, `?` is a type that is not known. A signature's parameters
begin with the receiver and end with named results; its result is the types joined by `|`. A base is `embeds` for
embedded types, `alias`, or `is` for what a type is defined as. What a local variable is called hides nothing before its
declaration or after its block; a local type is a binding with the value `#N`, its place among the definitions.
Conversions to types that are no names are no call sites.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.languages.references.go_nodes import (
    BASIC,
    chain_of,
    literal_type,
    parameters_of,
    results_of,
    root_of,
    type_of,
    type_parameters,
)
from satori.languages.references.stretches import Stretches
from satori.model.definition import DefinitionFlag, SymbolKind
from satori.model.reference import Base, Binding, BindingKind, CallSite, Export, Import, Signature, SiteForm

_VARIABLE, _FIELD = int(BindingKind.VARIABLE), int(BindingKind.FIELD)
_BARE, _MEMBER, _CHAIN, _DYNAMIC = int(SiteForm.BARE), int(SiteForm.MEMBER), int(SiteForm.CHAIN), int(SiteForm.DYNAMIC)
# The last byte of a name that is seen in the whole function.
_EVERYWHERE = 1 << 30
_NONE: frozenset[str] = frozenset()
_SINGLE = {"index_expression", "type_assertion_expression", "unary_expression"}


class GoReferences(ReferenceReader):
    """Go, type parameters included."""

    owning: ClassVar[frozenset[SymbolKind]] = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.TEST})
    query: ClassVar[str] = """
    (package_clause (package_identifier) @package)
    (import_spec) @import_
    [(function_declaration) (method_declaration)] @function
    [(type_spec) (type_alias)] @type_
    (call_expression function: (identifier) @bare)
    (call_expression function: (selector_expression) @member)
    (call_expression function: (index_expression) @instantiated)
    (type_conversion_expression type: (generic_type) @instantiated)
    (call_expression function: [(parenthesized_expression) (call_expression) (func_literal) (type_assertion_expression)]
      @dynamic)
    (func_literal) @literal
    [(block) (if_statement) (for_statement) (expression_switch_statement) (type_switch_statement) (expression_case)
     (default_case) (type_case) (communication_case)] @block
    (short_var_declaration left: (expression_list (identifier) @declared))
    (var_spec name: (identifier) @specified)
    (const_spec name: (identifier) @specified)
    (range_clause left: (expression_list (identifier) @ranged))
    (receive_statement left: (expression_list (identifier) @received))
    (type_switch_statement alias: (expression_list (identifier) @switched))
    """

    def package(self, reading: Reading, node: Node) -> None:
        """The package clause."""
        reading.package = reading.text(node)

    def import_(self, reading: Reading, node: Node) -> None:
        """One import; the name is `*` for a dot import, the alias `_` binds nothing."""
        path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
        if path is None:
            return
        alias = "" if name is None else reading.text(name)
        place = (path.start_byte, path.end_byte, path.start_point[0] + 1)
        module = reading.text(path).strip('"`')
        everything = alias == "."
        reading.imports.append(Import(-1, *place, 0, module, "*" if everything else "", "" if everything else alias))

    def function(self, reading: Reading, node: Node) -> None:
        """Signature of a function or method."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index < 0:
            return
        generic = type_parameters(reading, node)
        if generic:
            reading.notes.setdefault("generic", set()).update((index, text) for text in generic)
        parameters = []
        receiver = node.child_by_field_name("receiver")
        if receiver is not None:
            parameters = parameters_of(reading, receiver, generic) or ["_:" + reading.definitions[index].receiver]
        self._signature(reading, node, index, parameters, generic)

    def _signature(self, reading: Reading, node: Node, index: int, before: list[str], generic: frozenset[str]) -> None:
        declared = node.child_by_field_name("parameters")
        parameters = before if declared is None else before + parameters_of(reading, declared, generic)
        result = node.child_by_field_name("result")
        named = parameters_of(reading, result, generic) if result is not None else []
        returns = results_of(reading, result, generic)
        reading.signatures.append(Signature(index, 0, -1, ",".join(parameters + named), returns))

    def type_(self, reading: Reading, node: Node) -> None:
        """What a type is made of."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("type")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index < 0 or value is None:
            return
        if name is not None and reading.definitions[index].parent >= 0:
            reading.later.append(("type", name))
        generic = type_parameters(reading, node)
        if value.type == "struct_type":
            self._fields(reading, value, index, generic)
        elif value.type == "interface_type":
            for member in value.named_children:
                if member.type == "method_elem":
                    method = member.child_by_field_name("name")
                    at = reading.named.get(method.start_byte, -1) if method is not None else -1
                    if at >= 0:
                        self._signature(reading, member, at, [], generic)
                elif member.type == "type_elem" and member.named_child_count == 1:
                    text = type_of(reading, member.named_child(0), generic)
                    reading.bases.append(Base(index, text, "embeds"))
        else:
            text = type_of(reading, value, generic)
            reading.bases.append(Base(index, text, "alias" if node.type == "type_alias" else "is"))

    def _fields(self, reading: Reading, node: Node, index: int, generic: frozenset[str]) -> None:
        for fields in node.named_children:
            for field in fields.named_children:
                if field.type != "field_declaration":
                    continue
                declared = type_of(reading, field.child_by_field_name("type"), generic)
                names = field.children_by_field_name("name")
                if not names:
                    reading.bases.append(Base(index, declared, "embeds"))
                elif declared and declared not in BASIC:
                    for name in names:
                        if name.is_named:
                            text = reading.text(name)
                            at = name.start_byte
                            reading.bindings.append(Binding(index, -1, at, 0, 0, _FIELD, text, declared, ""))

    def literal(self, reading: Reading, node: Node) -> None:
        """A function literal: its parameters and named results are seen inside it."""
        reading.later.append(("literal", node))

    def block(self, reading: Reading, node: Node) -> None:
        """A block, explicit or not."""
        reading.spans.append((node.start_byte, node.end_byte))

    def declared(self, reading: Reading, node: Node) -> None:
        """`a, b := ...`."""
        reading.later.append(("declared", node))

    def specified(self, reading: Reading, node: Node) -> None:
        """A name of `var` or `const`."""
        reading.later.append(("specified", node))

    def ranged(self, reading: Reading, node: Node) -> None:
        """A variable of `range`."""
        reading.later.append(("ranged", node))

    def received(self, reading: Reading, node: Node) -> None:
        """`case v := <-c`."""
        reading.later.append(("declared", node))

    def switched(self, reading: Reading, node: Node) -> None:
        """`switch v := x.(type)`."""
        reading.later.append(("switched", node))

    def bare(self, reading: Reading, node: Node) -> None:
        """`f()`."""
        self._site(reading, node, _BARE, reading.text(node), "")

    def member(self, reading: Reading, node: Node) -> None:
        """`a.f()`."""
        name, target = node.child_by_field_name("field"), node.child_by_field_name("operand")
        if name is None or target is None:
            return
        receiver = chain_of(reading, target)
        simple = bool(receiver) and receiver[0] != "<" and receiver.replace(".", "").replace("_", "").isalnum()
        self._site(reading, name, _MEMBER if simple else _CHAIN, reading.text(name), receiver)

    def instantiated(self, reading: Reading, node: Node) -> None:
        """`f[T]()`, or a call of an item."""
        field = "operand" if node.type == "index_expression" else "type"
        inner = node.child_by_field_name(field)
        if inner is None:
            return
        if inner.type in ("identifier", "type_identifier"):
            self._site(reading, inner, _BARE, reading.text(inner), "")
        elif inner.type == "selector_expression":
            self.member(reading, inner)
        elif inner.type == "qualified_type":
            name, target = inner.child_by_field_name("name"), inner.child_by_field_name("package")
            if name is not None and target is not None:
                self._site(reading, name, _MEMBER, reading.text(name), reading.text(target))
        else:
            self.dynamic(reading, node)

    def dynamic(self, reading: Reading, node: Node) -> None:
        """A call of any other expression; in parentheses it may still be a name."""
        inner: Node | None = node
        while inner is not None and inner.type == "parenthesized_expression" and inner.named_child_count == 1:
            inner = inner.named_child(0)
        if inner is not None and inner.type == "identifier":
            self.bare(reading, inner)
        elif inner is not None and inner.type == "selector_expression":
            self.member(reading, inner)
        elif inner is None or inner.type != "unary_expression":
            self._site(reading, node, _DYNAMIC, "", "")

    def _site(self, reading: Reading, node: Node, form: int, name: str, receiver: str) -> None:
        start = node.start_byte
        owner = reading.owners.at(start)
        line = node.start_point[0] + 1
        reading.sites.append(CallSite(owner, start, node.end_byte, line, form, -1, name, receiver))

    def finish(self, reading: Reading) -> None:
        """Bind the names that sites begin with, directly or through other names, and all of the package's."""
        for index, definition in enumerate(reading.definitions):
            if definition.flags & DefinitionFlag.EXPORTED and definition.parent < 0 and not definition.receiver:
                place = (definition.name_start, definition.name_end, definition.span.start_line)
                reading.exports.append(Export(*place, 0, definition.name, f"#{index}", ""))
        blocks = Stretches(reading.spans)
        named: dict[str, list[tuple[str, Node]]] = {}
        waiting = {(site.receiver and root_of(site.receiver)) or site.name for site in reading.sites}
        outside: set[str] = set()
        for how, node in reading.later:
            if how == "literal":
                self._literal(reading, node, named)
                continue
            name = reading.text(node)
            if how == "type" or not blocks.at(node.start_byte)[1]:
                outside.add(name)
            named.setdefault(name, []).append((how, node))
        waiting |= outside
        seen: set[str] = set()
        types: dict[int, frozenset[str]] = {}
        for owner, text in reading.notes.get("generic", ()):
            types[owner] = types.get(owner, _NONE) | {text}
        found: list[tuple[int, int, Binding]] = []
        while waiting:
            name = waiting.pop()
            if name in seen or name == "_":
                continue
            seen.add(name)
            for how, node in named.get(name, ()):
                for item in self._bound(reading, blocks, types, how, node, name):
                    found.append(item)
                    if item[2].value:
                        waiting.add(root_of(item[2].value))
        self._keep(reading, found)
        for owner, generic in types.items():
            for name in sorted(generic & seen):
                reading.bindings.append(Binding(owner, owner, 0, 0, _EVERYWHERE, _VARIABLE, name, "?", ""))

    def _literal(self, reading: Reading, node: Node, named: dict[str, list[tuple[str, Node]]]) -> None:
        for field in ("parameters", "result"):
            listed = node.child_by_field_name(field)
            if listed is None or listed.type != "parameter_list":
                continue
            for parameter in listed.named_children:
                for name in parameter.children_by_field_name("name"):
                    if name.is_named:
                        named.setdefault(reading.text(name), []).append(("parameter", name))

    def _keep(self, reading: Reading, found: list[tuple[int, int, Binding]]) -> None:
        """Of the names that one block declares again, the first; none that is a parameter of the function itself."""
        bodies = {definition.body_start: index for index, definition in enumerate(reading.definitions)}
        parameters = {
            signature.definition: {text.partition(":")[0] for text in signature.parameters.split(",")}
            for signature in reading.signatures
        }
        declared: set[tuple[int, int, str]] = set()
        for start, end, binding in sorted(found, key=lambda item: item[2].start):
            place = (start, end, binding.name)
            if place in declared and binding.last:
                continue
            owner = bodies.get(start, -1)
            if owner >= 0 and owner == binding.scope and binding.name in parameters.get(owner, ()):
                continue
            declared.add(place)
            reading.bindings.append(binding)

    def _bound(
        self, reading: Reading, blocks: Stretches, types: dict[int, frozenset[str]], how: str, node: Node, name: str
    ) -> Iterable[tuple[int, int, Binding]]:
        """The bindings of one declared name, each with its block."""
        at = node.start_byte
        # A variable that holds a function literal is its own owner.
        scope = -1 if at in reading.named and how == "specified" else reading.owners.at(at)
        generic = types.get(scope, _NONE)
        around = node.parent
        if around is None:
            return
        if how == "parameter":
            literal = around.parent.parent if around.parent is not None else None
            if literal is None:
                return
            text = type_of(reading, around.child_by_field_name("type"), generic)
            if around.type == "variadic_parameter_declaration":
                text = "[]" + text
            first, last = literal.start_byte, literal.end_byte
            yield first, last, Binding(scope, scope, at, first, last, _VARIABLE, name, text, "")
            return
        if how == "type":
            start, end = blocks.at(at)
            yield start, end, Binding(scope, scope, at, at, end, _VARIABLE, name, "", f"#{reading.named[at]}")
            return
        declaration = around if how == "specified" else around.parent
        if declaration is None:
            return
        if how == "switched":
            value = chain_of(reading, declaration.child_by_field_name("value"))
            for clause in declaration.named_children:
                if clause.type not in ("type_case", "default_case"):
                    continue
                cases = clause.children_by_field_name("type")
                text = type_of(reading, cases[0], generic) if len(cases) == 1 else ""
                first, last = clause.start_byte, clause.end_byte
                said = value if not text or text == "nil" else ""
                text = "" if text == "nil" else text
                yield first, last, Binding(scope, scope, at, first, last, _VARIABLE, name, text, said)
            return
        text, value = _given(reading, how, declaration, node, generic)
        start, end = blocks.at(at)
        if not end:
            yield -1, -1, Binding(scope, scope, at, 0, 0, _VARIABLE, name, text, value)
            return
        first = declaration.end_byte
        yield start, end, Binding(scope, scope, at, first, end, _VARIABLE, name, text, value)


def _given(reading: Reading, how: str, declaration: Node, node: Node, generic: frozenset[str]) -> tuple[str, str]:
    """The declared type and the value of one name of a declaration."""
    if how == "specified":
        names = [child for child in declaration.children_by_field_name("name") if child.is_named]
        declared = declaration.child_by_field_name("type")
        if declared is not None:
            return type_of(reading, declared, generic), ""
        values = declaration.child_by_field_name("value")
    else:
        left = declaration.child_by_field_name("left")
        names = left.named_children if left is not None else []
        values = declaration.child_by_field_name("right")
    if values is None:
        return "", ""
    number = next((i for i, name in enumerate(names) if name.start_byte == node.start_byte), 0)
    if how == "ranged":
        chain = chain_of(reading, values)
        return "", f"{chain}[{'v' if number else 'k'}]" if chain else ""
    items = values.named_children if values.type == "expression_list" else [values]
    items = [item for item in items if item.type != "comment"]
    if len(items) == len(names):
        value = items[number]
        if value.type == "func_literal":
            return literal_type(reading, value, generic), ""
        return "", chain_of(reading, value)
    if len(items) != 1:
        return "", ""
    chain = chain_of(reading, items[0])
    if items[0].type in _SINGLE:
        return "", '"bool"' if number else chain
    return "", f"{chain}.{number}" if chain else ""
