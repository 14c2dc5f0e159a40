"""References of Java: package, imports, bases, signatures, declared variables and calls.

Types are kept without their arguments. Anonymous classes are no definitions: a binding `new` says where each stands and
what it extends, and an ALIAS binding of the type around it (value `new`) names each of its methods. Type parameters of
types are ALIAS bindings with their bound, those of methods stand in `Signature.forwards`. Calls that nobody writes
(implicit `super()`, enum constants, `close()`, string concatenation) and method references are no call sites.
"""

from __future__ import annotations

import re
from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.languages.references.java_nodes import (
    arguments_of,
    chain_of,
    dimensions_text,
    form_of,
    parameters_of,
    receiver_of,
    root_of,
    roots_of,
    type_name,
    type_text,
)
from satori.model.definition import DefinitionFlag, SymbolKind
from satori.model.reference import (
    Base,
    Binding,
    BindingKind,
    CallSite,
    Export,
    Import,
    ImportFlag,
    Mark,
    Signature,
    SiteForm,
)

_VARIABLE, _FIELD, _ALIAS = int(BindingKind.VARIABLE), int(BindingKind.FIELD), int(BindingKind.ALIAS)
_BARE, _CHAIN, _CONSTRUCT = int(SiteForm.BARE), int(SiteForm.CHAIN), int(SiteForm.CONSTRUCT)
_SELF, _SUPER, _DYNAMIC = int(SiteForm.SELF), int(SiteForm.SUPER), int(SiteForm.DYNAMIC)
_EXPORTED = int(DefinitionFlag.EXPORTED)
_TYPES = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM})
# What decides which calls a definition takes and what may replace it.
_WORDS = frozenset({"static", "private", "final", "default", "abstract"})
_MODIFIER = re.compile(rb"\b(?:static|private|final|default|abstract)\b")
_LOCAL = re.compile(rb"(?:final\s+)?[\w$.]+(?:<[\w$<>, .?]*>)?(?:\[\])* ([\w$]+)\s*[=;]")
_BRACE = ord("}")


class JavaReferences(ReferenceReader):
    """Java."""

    query: ClassVar[str] = """
    (package_declaration) @package
    (import_declaration) @import_
    (method_invocation) @call
    (object_creation_expression) @construction
    (explicit_constructor_invocation) @constructor
    (enum_constant body: (class_body) @constant_body)
    [(class_declaration) (record_declaration) (interface_declaration) (annotation_type_declaration) (enum_declaration)]
      @type
    [(method_declaration) (constructor_declaration) (compact_constructor_declaration)
     (annotation_type_element_declaration)] @function
    (assignment_expression left: (identifier) @assigned)
    [(field_declaration) (constant_declaration)] @field
    (local_variable_declaration) @local
    [(enhanced_for_statement) (resource name: (_)) (catch_formal_parameter)] @single
    (lambda_expression) @lambda_
    (instanceof_expression name: (identifier)) @single
    [(type_pattern) (record_pattern_component)] @pattern
    """

    def package(self, reading: Reading, node: Node) -> None:
        """The package."""
        if node.named_child_count:
            reading.package = _dotted(reading, node.named_children[-1])

    def import_(self, reading: Reading, node: Node) -> None:
        """Single and on-demand imports, of types and of static members."""
        star = static = False
        path: Node | None = None
        for child in node.children:
            kind = child.type
            star = star or kind == "asterisk"
            static = static or kind == "static"
            if kind in ("scoped_identifier", "identifier"):
                path = child
        if path is None:
            return
        flags = int(ImportFlag.STATIC) if static else 0
        place = (-1, path.start_byte, path.end_byte, path.start_point[0] + 1, flags)
        text = _dotted(reading, path)
        if star:
            reading.imports.append(Import(*place, text, "*", ""))
            return
        module, _, name = text.rpartition(".")
        last = path.child_by_field_name("name")
        if last is not None:
            place = (-1, last.start_byte, last.end_byte, last.start_point[0] + 1, flags)
        reading.imports.append(Import(*place, module, name, name))

    def type(self, reading: Reading, node: Node) -> None:
        """Bases, type parameters, modifiers; a record's components are its constructor's parameters."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if name is None or index < 0:
            return
        kind = node.type
        _mark(reading, node, index, name.start_byte, "record" if kind == "record_declaration" else "")
        definition = reading.definitions[index]
        if definition.parent < 0 and definition.flags & _EXPORTED:
            place = (name.start_byte, name.end_byte, name.start_point[0] + 1)
            reading.exports.append(Export(*place, 0, definition.name, definition.name, ""))
        for child in node.named_children:
            part = child.type
            if part == "superclass":
                self._bases(reading, index, child, "extends")
            elif part in ("super_interfaces", "extends_interfaces"):
                self._bases(reading, index, child, "implements" if kind != "interface_declaration" else "extends")
            elif part == "type_parameters":
                for parameter, bound in _type_parameters(reading, child):
                    reading.bindings.append(Binding(index, index, child.start_byte, 0, 0, _ALIAS, parameter, bound, ""))
            elif part == "formal_parameters" and kind == "record_declaration":
                least, most, said = parameters_of(reading, child)
                reading.signatures.append(Signature(index, least, most, said, ""))
                for text in said.split(",") if said else ():
                    parameter, _, type_ = text.lstrip("*").partition(":")
                    at = child.start_byte
                    reading.bindings.append(Binding(index, index, at, 0, 0, _FIELD, parameter, type_, ""))

    def _bases(self, reading: Reading, index: int, node: Node, how: str) -> None:
        for child in node.named_children:
            if child.type == "type_list":
                self._bases(reading, index, child, how)
            elif "comment" not in child.type:
                reading.bases.append(Base(index, type_text(reading, child), how))

    def function(self, reading: Reading, node: Node) -> None:
        """Parameters, result and modifiers; a constructor has no result."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if name is None or index < 0:
            return
        data = reading.data
        start = node.start_byte
        _mark(reading, node, index, name.start_byte)
        if node.type == "compact_constructor_declaration":
            holder = reading.definitions[index].parent
            record = next((item for item in reading.signatures if item.definition == holder), None)
            if record is not None:
                reading.signatures.append(record._replace(definition=index))
            return
        written = node.child_by_field_name("type")
        parameters = node.child_by_field_name("parameters")
        result = type_text(reading, written)
        end = parameters.end_byte if parameters is not None else 0
        if written is not None and data[end : end + 2].strip().startswith(b"["):
            result += dimensions_text(reading, node.child_by_field_name("dimensions"))
        variables = ""
        if data.find(b"<", start, written.start_byte if written is not None else name.start_byte) >= 0:
            first = node.child_by_field_name("type_parameters")
            if first is not None:
                variables = ",".join(f"{name}:{bound}" for name, bound in _type_parameters(reading, first))
        least, most, said = parameters_of(reading, parameters)
        reading.signatures.append(Signature(index, least, most, said, result, "", variables))
        definition = reading.definitions[index]
        around = self._nameless(reading, name.start_byte, definition.parent)
        if around is not None:
            holder = _type_around(reading, definition.parent)
            place = (around.first, around.first, around.last)
            reading.bindings.append(Binding(holder, index, *place, _ALIAS, definition.name, around.type, "new"))

    def _nameless(self, reading: Reading, at: int, parent: int) -> Binding | None:
        """The class without a name that a member stands in, unless a definition inside that holds it."""
        inner: Binding | None = None
        for binding in reading.bindings:
            if binding.name != "new" or binding.kind != _VARIABLE:
                # The handlers of such classes run before all others that bind names.
                break
            if binding.first <= at < binding.last:
                inner = binding if inner is None or binding.first > inner.first else inner
        if inner is None or (parent >= 0 and reading.definitions[parent].span.start > inner.first):
            return None
        return inner

    def call(self, reading: Reading, node: Node) -> None:
        """A method call."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        receiver = receiver_of(reading, node, name)
        form = _BARE if receiver is None else form_of(receiver)
        start, end = name.start_byte, name.end_byte
        arity, arguments = arguments_of(reading, node, end)
        text = reading.data[start:end].decode("utf-8", "replace")
        place = (reading.owners.at(start), start, end, name.start_point[0] + 1, form, arity)
        reading.sites.append(CallSite(*place, text, receiver or "", arguments))

    def construction(self, reading: Reading, node: Node) -> None:
        """`new T()`, also with a body of its own."""
        written = node.child_by_field_name("type")
        place = type_name(reading, written) if written is not None else None
        if written is None or place is None:
            return
        start, end = place
        owner = reading.owners.at(start)
        line = written.start_point[0] + 1
        text = reading.data[start:end].decode("utf-8", "replace")
        if reading.data.startswith(b"new", node.start_byte):
            receiver = type_text(reading, written).rpartition(".")[0]
            arity, arguments = arguments_of(reading, node, written.end_byte)
            reading.sites.append(CallSite(owner, start, end, line, _CONSTRUCT, arity, text, receiver, arguments))
        else:
            reading.sites.append(CallSite(owner, start, end, line, _DYNAMIC, -1, text, ""))
        body = node.named_child(node.named_child_count - 1) if reading.data[node.end_byte - 1] == _BRACE else None
        if body is not None and body.type == "class_body":
            self._anonymous(reading, owner, body, type_text(reading, written))

    def constant_body(self, reading: Reading, node: Node) -> None:
        """An enum's constant with a body is a class without a name that extends the enum."""
        owner = reading.owners.at(node.start_byte)
        if node.parent is not None:
            self._anonymous(reading, owner, node, _anonymous_base(reading, node.parent))

    def _anonymous(self, reading: Reading, owner: int, body: Node, base: str) -> None:
        start, end = body.start_byte, body.end_byte
        reading.bindings.append(Binding(owner, owner, start, start, end, _VARIABLE, "new", base, ""))

    def constructor(self, reading: Reading, node: Node) -> None:
        """`this(...)` and `super(...)`."""
        called = node.child_by_field_name("constructor")
        if called is None:
            return
        start = called.start_byte
        own = called.type == "this"
        place = (reading.owners.at(start), start, called.end_byte, called.start_point[0] + 1)
        form = _SELF if own else _SUPER
        arity, arguments = arguments_of(reading, node, called.end_byte)
        reading.sites.append(CallSite(*place, form, arity, called.type, "", arguments))

    def assigned(self, reading: Reading, node: Node) -> None:
        """A variable that is given another value."""
        place = (reading.owners.at(node.start_byte), reading.text(node))
        reading.notes.setdefault("assigned", set()).add(place)

    def field(self, reading: Reading, node: Node) -> None:
        """Fields have a type; a final one that is made on the spot is exactly of it."""
        written = node.child_by_field_name("type")
        if written is None:
            return
        type_ = type_text(reading, written)
        modifiers = reading.data[node.start_byte : written.start_byte]
        final = node.type == "constant_declaration" or b"final" in modifiers.split()
        around = self._nameless(reading, node.start_byte, reading.owners.at(node.start_byte))
        for declarator in node.children_by_field_name("declarator"):
            name = declarator.child_by_field_name("name")
            if name is None:
                continue
            at = name.start_byte
            owner = reading.owners.at(at)
            text = type_ + dimensions_text(reading, declarator.child_by_field_name("dimensions"))
            value = chain_of(reading, declarator.child_by_field_name("value")) if final else ""
            value = value if value == f"new {text}()" else ""
            if around is not None:
                place = (owner, owner, at, around.first, around.last)
                reading.bindings.append(Binding(*place, _VARIABLE, reading.text(name), text, value))
            else:
                reading.bindings.append(Binding(owner, owner, at, 0, 0, _FIELD, reading.text(name), text, value))

    def local(self, reading: Reading, node: Node) -> None:
        """Local variables, seen to the end of their block."""
        found = _LOCAL.match(reading.data, node.start_byte, node.end_byte)
        if found is not None and not self._is_wanted(reading, found.group(1)):
            return
        type_ = type_text(reading, node.child_by_field_name("type"))
        around = node.parent
        if around is not None and around.type == "switch_block_statement_group":
            around = around.parent
        last = around.end_byte if around is not None else node.end_byte
        for declarator in node.children_by_field_name("declarator"):
            name = declarator.child_by_field_name("name")
            if name is None:
                continue
            text = type_ + dimensions_text(reading, declarator.child_by_field_name("dimensions"))
            value = declarator.child_by_field_name("value")
            if value is not None and (type_ == "var" or value.type == "object_creation_expression"):
                self._variable(reading, name, last, text, chain_of(reading, value))
            else:
                self._variable(reading, name, last, text, "")

    def _is_wanted(self, reading: Reading, name: bytes) -> bool:
        """Whether a call or an argument may begin with the variable; all may where `var` takes values on."""
        wanted = reading.notes.get("wanted")
        if wanted is None:
            every = b"var " in reading.data
            wanted = {(0, root) for root in _roots(reading)} if not every else {(1, "")}
            reading.notes["wanted"] = wanted
        return (1, "") in wanted or (0, name.decode("utf-8", "replace")) in wanted

    def _variable(self, reading: Reading, name: Node, last: int, type_: str, value: str) -> None:
        at = name.start_byte
        owner = reading.owners.at(at)
        text = reading.text(name)
        made = value[4:-2] if value.startswith("new ") and value.endswith("()") else ""
        if type_ == "var":
            type_ = made
        if made and (made != type_ or (owner, text) in reading.notes.get("assigned", ())):
            value = ""
        reading.bindings.append(Binding(owner, owner, at, at, last, _VARIABLE, text, type_, value))

    def single(self, reading: Reading, node: Node) -> None:
        """The variable of a loop, of a resource, of a handler, or of a pattern."""
        kind = node.type
        name = node.child_by_field_name("name")
        around: Node | None = node
        if kind == "catch_formal_parameter":
            types = next((child for child in node.named_children if child.type == "catch_type"), None)
            written = types.named_child(0) if types is not None and types.named_child_count == 1 else None
            around = node.parent
        elif kind == "instanceof_expression":
            written = node.child_by_field_name("right")
            around = _block(node)
        else:
            written = node.child_by_field_name("type")
            if kind == "resource" and node.parent is not None:
                around = node.parent.parent
        if name is None or around is None:
            return
        type_ = type_text(reading, written)
        value = ""
        if type_ == "var":
            value = chain_of(reading, node.child_by_field_name("value"))
            if kind == "enhanced_for_statement" and value:
                value += "[]"
        self._variable(reading, name, around.end_byte, type_, value)

    def pattern(self, reading: Reading, node: Node) -> None:
        """`case T t` and the components of record patterns."""
        if node.named_child_count < 2:
            return
        name = node.named_children[-1]
        around = _block(node)
        if name.type == "identifier" and around is not None:
            type_ = type_text(reading, node.named_children[-2])
            self._variable(reading, name, around.end_byte, "" if type_ == "var" else type_, "")

    def lambda_(self, reading: Reading, node: Node) -> None:
        """A lambda's parameters, with a type where they have one."""
        parameters = node.child_by_field_name("parameters")
        if parameters is None:
            return
        if parameters.type == "identifier":
            self._variable(reading, parameters, node.end_byte, "", "")
            return
        for child in parameters.named_children:
            if child.type == "identifier":
                self._variable(reading, child, node.end_byte, "", "")
            elif child.type == "formal_parameter":
                name = child.child_by_field_name("name")
                type_ = type_text(reading, child.child_by_field_name("type"))
                if name is not None:
                    self._variable(reading, name, node.end_byte, "" if type_ == "var" else type_, "")

    def finish(self, reading: Reading) -> None:
        """Drop the local variables that no call and no argument begins with."""
        wanted = _roots(reading)
        wanted.update(root_of(binding.value) for binding in reading.bindings if binding.value and not binding.type)
        wanted.add("new")
        reading.bindings = [
            binding for binding in reading.bindings if binding.kind != _VARIABLE or binding.name in wanted
        ]


def _roots(reading: Reading) -> set[str]:
    """The names that receivers and arguments begin with."""
    receivers = {site.receiver for site in reading.sites}
    return roots_of({*receivers, *(site.arguments for site in reading.sites)})


def _dotted(reading: Reading, node: Node) -> str:
    return "".join(reading.text(node).split())


def _mark(reading: Reading, node: Node, index: int, end: int, also: str = "") -> None:
    """The modifiers that rules ask about, as one mark; they stand before the name, which begins at `end`."""
    start = node.start_byte
    words = [also] if also else []
    if _MODIFIER.search(reading.data, start, end) is not None:
        if reading.data.find(b"@", start, end) < 0:
            words += [word.decode() for word in _MODIFIER.findall(reading.data, start, end)]
        else:
            first = node.child(0)
            words += [child.type for child in first.children if child.type in _WORDS] if first is not None else []
    if words:
        reading.marks.append(Mark(index, " ".join(sorted(words))))


def _type_parameters(reading: Reading, node: Node) -> list[tuple[str, str]]:
    """Each type parameter with its first bound."""
    found = []
    for parameter in node.named_children:
        if parameter.type != "type_parameter":
            continue
        name = bound = ""
        for child in parameter.named_children:
            if child.type in ("type_identifier", "identifier"):
                name = reading.text(child)
            elif child.type == "type_bound":
                bound = type_text(reading, child.named_child(0))
        found.append((name, bound))
    return found


def _anonymous_base(reading: Reading, node: Node) -> str:
    """What a class without a name extends: the type that is made, or the enum of a constant."""
    if node.type == "object_creation_expression":
        return type_text(reading, node.child_by_field_name("type"))
    around: Node | None = node
    while around is not None and around.type != "enum_declaration":
        around = around.parent
    name = around.child_by_field_name("name") if around is not None else None
    return reading.text(name) if name is not None else ""


def _type_around(reading: Reading, index: int) -> int:
    while index >= 0 and reading.definitions[index].kind not in _TYPES:
        index = reading.definitions[index].parent
    return index


def _block(node: Node) -> Node | None:
    """The innermost block around a pattern, or the switch that it is a case of."""
    around = node.parent
    while around is not None and around.type not in ("block", "switch_rule", "constructor_body", "lambda_expression"):
        around = around.parent
    return around or node
