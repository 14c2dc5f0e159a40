"""References of Kotlin: package, imports, supertypes, signatures, properties, variables and calls.

Members of an unnamed companion object are marked `companion` among those of its class. Object literals are no
definitions: a binding `new` says where each stands and what it extends (joined by commas), an ALIAS binding of the
type around it (value `new`) names each of its functions. A binding `{` is a lambda that may have a receiver of its own:
its value is the call that takes it. Type aliases are ALIAS bindings with the value `=`. Operators, properties,
delegates and references to callables are no call sites.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.languages.references.kotlin_calls import KotlinCalls, bare
from satori.languages.references.kotlin_nodes import (
    TYPES,
    arguments_of,
    chain_of,
    nth,
    parameters_of,
    root_of,
    type_text,
)
from satori.model.definition import DefinitionFlag, SymbolKind
from satori.model.reference import (
    Base,
    Binding,
    BindingKind,
    Export,
    Import,
    Mark,
    Signature,
    SiteForm,
)

_VARIABLE, _FIELD = int(BindingKind.VARIABLE), int(BindingKind.FIELD)
_ALIAS, _PARAMETER = int(BindingKind.ALIAS), int(BindingKind.PARAMETER)
_BARE, _MEMBER = int(SiteForm.BARE), int(SiteForm.MEMBER)
_SELF, _SUPER, _DYNAMIC = int(SiteForm.SELF), int(SiteForm.SUPER), int(SiteForm.DYNAMIC)
_EXPORTED = int(DefinitionFlag.EXPORTED)
_TYPE_KINDS = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM})
_WORDS = frozenset(
    "open abstract override private final sealed data inner annotation value fun expect actual infix operator".split()
)
_BREAK = re.compile(rb"\n")
_IMPORT = re.compile(r"import\s+([\w.`]+?)(\.\*)?(?:\s+as\s+(\w+|`[^`]+`))?\s*;?\s*$")


class KotlinReferences(KotlinCalls):
    """Kotlin."""

    query: ClassVar[str] = """
    (package_header) @package
    (import) @import_
    (companion_object) @companion
    (call_expression) @call
    (binary_expression left: (binary_expression "<") ">" right: (parenthesized_expression)) @generic_call
    (infix_expression) @infix
    (constructor_delegation_call) @delegation
    (object_literal) @object_
    (enum_entry (class_body) @constant_body)
    [(class_declaration) (object_declaration) (companion_object)] @type
    (type_alias) @alias
    (function_declaration) @function
    (secondary_constructor) @constructor
    (property_declaration) @property
    (for_statement) @loop
    (catch_block) @catch
    (lambda_literal) @lambda_
    (when_subject (variable_declaration)) @subject
    """

    def package(self, reading: Reading, node: Node) -> None:
        """The package."""
        if node.named_child_count:
            reading.package = _dotted(reading.text(node.named_children[0]))

    def import_(self, reading: Reading, node: Node) -> None:
        """Imports of anything by name, under another name, or of all."""
        found = _IMPORT.match(reading.text(node).strip())
        path = nth(node, 0)
        if found is None or path is None:
            return
        place = (-1, path.start_byte, path.end_byte, path.start_point[0] + 1, 0)
        text = _dotted(found.group(1))
        if found.group(2):
            reading.imports.append(Import(*place, text, "*", ""))
            return
        module, _, name = text.rpartition(".")
        reading.imports.append(Import(*place, module, name, (found.group(3) or name).strip("`")))

    def companion(self, reading: Reading, node: Node) -> None:
        """Where companions without a name stand."""
        if node.child_by_field_name("name") is None:
            reading.notes.setdefault("companion", set()).add((node.start_byte, str(node.end_byte)))

    def object_(self, reading: Reading, node: Node) -> None:
        """`object : T() { … }`."""
        specifiers = next((child for child in node.named_children if child.type == "delegation_specifiers"), None)
        bases = [text for text, _, _ in self._specifiers(reading, specifiers)]
        body = node.named_child(node.named_child_count - 1) if node.named_child_count else None
        if body is not None and body.type == "class_body":
            self._nameless(reading, body, ",".join(bases))

    def constant_body(self, reading: Reading, node: Node) -> None:
        """An enum's entry with a body."""
        around = node.parent
        while around is not None and around.type != "class_declaration":
            around = around.parent
        name = around.child_by_field_name("name") if around is not None else None
        if name is not None:
            self._nameless(reading, node, reading.text(name))

    def _nameless(self, reading: Reading, body: Node, bases: str) -> None:
        start, end = body.start_byte, body.end_byte
        owner = reading.owners.at(start)
        reading.bindings.append(Binding(owner, owner, start, start, end, _VARIABLE, "new", bases, ""))

    def _specifiers(self, reading: Reading, node: Node | None) -> list[tuple[str, Node | None, str]]:
        """Each supertype, the call of its constructor, and the word for how it is one (`by`: delegated to a value)."""
        found: list[tuple[str, Node | None, str]] = []
        for specifier in node.named_children if node is not None else ():
            inner = nth(specifier, 0) if specifier.type == "delegation_specifier" else None
            if inner is None:
                continue
            made = inner if inner.type == "constructor_invocation" else None
            named = nth(inner, 0) if inner.type in ("constructor_invocation", "explicit_delegation") else inner
            text = type_text(reading, named)
            if text and "(" not in text:
                how = "extends" if made is not None else "by" if inner.type == "explicit_delegation" else "implements"
                found.append((text, made, how))
        return found

    def type(self, reading: Reading, node: Node) -> None:
        """A class, interface or object: its modifiers, supertypes, primary constructor."""
        name = node.child_by_field_name("name")
        index = reading.named.get(_inner_start(reading, name), -1) if name is not None else -1
        if name is None or index < 0:
            return
        also = {"object_declaration": ["object"], "companion_object": ["companion", "object"]}.get(node.type, [])
        _mark(reading, node, index, also)
        self._export(reading, index, name)
        made = False
        for child in node.named_children:
            kind = child.type
            if kind == "type_parameters":
                for parameter, bound in _type_parameters(reading, child):
                    start = child.start_byte
                    reading.bindings.append(Binding(index, index, start, 0, 0, _ALIAS, parameter, bound, ""))
            elif kind == "primary_constructor":
                parameters = next((part for part in child.named_children if part.type == "class_parameters"), None)
                least, most, said = parameters_of(reading, parameters)
                reading.signatures.append(Signature(index, least, most, said, ""))
                made = True
                self._class_parameters(reading, index, parameters)
            elif kind == "delegation_specifiers":
                for text, call, how in self._specifiers(reading, child):
                    reading.bases.append(Base(index, text, how))
                    if call is not None:
                        self._super_call(reading, call)
        made = made or any(child.type == "class_body" and _has_constructor(child) for child in node.named_children)
        if not made and reading.definitions[index].kind is not SymbolKind.INTERFACE:
            reading.signatures.append(Signature(index, 0, 0, "", ""))

    def _super_call(self, reading: Reading, call: Node) -> None:
        named = nth(call, 0)
        names = [child for child in named.named_children if child.type == "identifier"] if named is not None else []
        arguments = next((child for child in call.named_children if child.type == "value_arguments"), None)
        if names and named is not None:
            receiver = ".".join(reading.text(part) for part in names[:-1])
            given = arguments_of(reading, arguments, None)
            self.site(reading, names[-1], _SUPER, given, bare(reading.text(names[-1])), receiver)

    def _class_parameters(self, reading: Reading, index: int, node: Node | None) -> None:
        for child in node.named_children if node is not None else ():
            if child.type != "class_parameter":
                continue
            name = next((part for part in child.named_children if part.type == "identifier"), None)
            if name is None:
                continue
            kept = any(part.type in ("val", "var") for part in child.children)
            written = next((part for part in child.named_children if part.type in TYPES), None)
            kind = _FIELD if kept else _PARAMETER
            place = (index, index, name.start_byte, 0, 0, kind)
            reading.bindings.append(Binding(*place, bare(reading.text(name)), type_text(reading, written), ""))

    def alias(self, reading: Reading, node: Node) -> None:
        """`typealias A = T`."""
        name = node.child_by_field_name("type")
        written = next((child for child in reversed(node.named_children) if child.type in TYPES), None)
        if name is not None and written is not None:
            owner = reading.owners.at(node.start_byte)
            place = (owner, owner, name.start_byte, 0, 0, _ALIAS)
            reading.bindings.append(Binding(*place, bare(reading.text(name)), type_text(reading, written), "="))

    def function(self, reading: Reading, node: Node) -> None:
        """Parameters, the declared result or what an expression body gives, modifiers."""
        name = node.child_by_field_name("name")
        index = reading.named.get(_inner_start(reading, name), -1) if name is not None else -1
        if name is None or index < 0:
            return
        definition = reading.definitions[index]
        _mark(reading, node, index, ["companion"] if self._in_companion(reading, index) else [])
        self._export(reading, index, name)
        variables = result = results = ""
        least = most = 0
        said = ""
        behind = False
        for child in node.named_children:
            kind = child.type
            if kind == "function_value_parameters":
                least, most, said = parameters_of(reading, child)
                behind = True
            elif kind == "type_parameters":
                variables = ",".join(f"{name}:{bound}" for name, bound in _type_parameters(reading, child))
            elif behind and kind in TYPES:
                result = type_text(reading, child)
            elif kind == "function_body":
                results = self._results(reading, child, result)
        reading.signatures.append(Signature(index, least, most, said, result, results, variables))
        around = _object_around(reading, name.start_byte, definition.parent)
        if around is not None:
            holder = _type_around(reading, definition.parent)
            place = (around.first, around.first, around.last)
            reading.bindings.append(Binding(holder, index, *place, _ALIAS, definition.name, around.type, "new"))

    def _results(self, reading: Reading, body: Node, result: str) -> str:
        if result:
            return ""
        first = body.named_child(0) if body.named_child_count == 1 else None
        if first is None or not reading.data.startswith(b"=", body.start_byte):
            return "Unit" if first is not None and first.type == "block" else "?"
        return chain_of(reading, first) or "?"

    def constructor(self, reading: Reading, node: Node) -> None:
        """A constructor beside the primary one."""
        keyword = next((child for child in node.children if child.type == "constructor"), None)
        index = reading.named.get(keyword.start_byte, -1) if keyword is not None else -1
        if index < 0:
            return
        parameters = next((child for child in node.named_children if child.type == "function_value_parameters"), None)
        least, most, said = parameters_of(reading, parameters)
        reading.signatures.append(Signature(index, least, most, said, ""))
        _mark(reading, node, index, [])

    def property(self, reading: Reading, node: Node) -> None:
        """Properties of files and types, and local variables."""
        type_ = value = ""
        name: Node | None = None
        extension = False
        assigned = False
        for child in node.children:
            kind = child.type
            if kind == "variable_declaration":
                name = nth(child, 0)
                written = nth(child, 1)
                type_ = type_text(reading, written)
            elif kind == "multi_variable_declaration":
                self._destructured(reading, node, child)
                return
            elif name is None and kind in TYPES:
                extension = True
            elif kind == "=":
                assigned = True
            elif assigned and not value and child.is_named:
                value = chain_of(reading, child) if not type_ else ""
                break
        if name is None:
            return
        at = _inner_start(reading, name)
        text = bare(reading.text(name))
        index = reading.named.get(at, -1)
        if index < 0:
            around = node.parent
            last = around.end_byte if around is not None else node.end_byte
            self._variable(reading, name, last, type_, value)
            return
        definition = reading.definitions[index]
        if self._in_companion(reading, index):
            reading.marks.append(Mark(index, "companion"))
        if definition.parent < 0:
            self._export(reading, index, name)
        if extension:
            return
        inside = _object_around(reading, at, definition.parent)
        if inside is not None:
            owner = reading.owners.at(at)
            place = (owner, owner, at, inside.first, inside.last, _VARIABLE)
            reading.bindings.append(Binding(*place, text, type_, value))
            return
        kind_number = _FIELD if definition.parent >= 0 else _VARIABLE
        place = (definition.parent, definition.parent, at, 0, 0, kind_number)
        reading.bindings.append(Binding(*place, text, type_, value))

    def _destructured(self, reading: Reading, node: Node, names: Node) -> None:
        around = node.parent
        for part in names.named_children:
            name = nth(part, 0) if part.type == "variable_declaration" else None
            if name is not None:
                last = around.end_byte if around is not None else node.end_byte
                self._variable(reading, name, last, type_text(reading, nth(part, 1)), "")

    def loop(self, reading: Reading, node: Node) -> None:
        """The variables of a loop."""
        self._declared(reading, nth(node, 0), node.end_byte)

    def catch(self, reading: Reading, node: Node) -> None:
        """The exception that is caught."""
        name = nth(node, 0)
        if name is not None and name.type == "identifier":
            self._variable(reading, name, node.end_byte, type_text(reading, nth(node, 1)), "")

    def subject(self, reading: Reading, node: Node) -> None:
        """`when (val x = …)`."""
        around = node.parent
        if around is not None:
            self._declared(reading, nth(node, 0), around.end_byte)

    def lambda_(self, reading: Reading, node: Node) -> None:
        """A lambda's parameters; one that no call takes may have a receiver."""
        start, end = node.start_byte, node.end_byte
        first = nth(node, 0)
        if first is not None and first.type == "lambda_parameters":
            for child in first.named_children:
                self._declared(reading, child, end)
        if (start, "") not in reading.notes.get("lambda", ()):
            owner = reading.owners.at(start)
            reading.bindings.append(Binding(owner, owner, start, start, end, _VARIABLE, "{", "", "?"))

    def _declared(self, reading: Reading, node: Node | None, last: int) -> None:
        if node is None:
            return
        if node.type == "multi_variable_declaration":
            for part in node.named_children:
                self._declared(reading, part, last)
        elif node.type == "variable_declaration" and node.named_child_count:
            name = nth(node, 0)
            if name is not None:
                self._variable(reading, name, last, type_text(reading, nth(node, 1)), "")

    def _variable(self, reading: Reading, name: Node, last: int, type_: str, value: str) -> None:
        at = name.start_byte
        owner = reading.owners.at(at)
        text = bare(reading.text(name))
        reading.bindings.append(Binding(owner, owner, at, at, last, _VARIABLE, text, type_, value))

    def _in_companion(self, reading: Reading, index: int) -> bool:
        """Whether a member stands in a companion without a name, and not in a type inside that."""
        companions = reading.notes.get("companion")
        if not companions:
            return False
        definition = reading.definitions[index]
        parent = definition.parent
        if parent < 0 or reading.definitions[parent].kind not in _TYPE_KINDS:
            return False
        outer, at = reading.definitions[parent].span.start, definition.name_start
        return any(start <= at < int(end) and outer < start for start, end in companions)

    def _export(self, reading: Reading, index: int, name: Node) -> None:
        definition = reading.definitions[index]
        if definition.parent < 0 and definition.flags & _EXPORTED:
            place = (definition.name_start, definition.name_end, name.start_point[0] + 1)
            reading.exports.append(Export(*place, 0, definition.name, f"#{index}", ""))

    def finish(self, reading: Reading) -> None:
        """Drop the local variables that no call, argument or kept value begins with; count lines in the source itself,
        since headers of classes are parsed without their line breaks."""
        if b"constructor" in reading.data:
            breaks = [found.start() for found in _BREAK.finditer(reading.data)]
            reading.imports = [item._replace(line=bisect_left(breaks, item.start) + 1) for item in reading.imports]
            reading.exports = [item._replace(line=bisect_left(breaks, item.start) + 1) for item in reading.exports]
            reading.sites = [item._replace(line=bisect_left(breaks, item.start) + 1) for item in reading.sites]
        definitions = reading.definitions
        wanted = {"new", "{", "it"}
        for site in reading.sites:
            wanted.add(root_of(site.receiver) if site.receiver else site.name)
            if site.arguments:
                wanted.update(root_of(text.rpartition("=")[2]) for text in site.arguments.split(";"))
        wanted.update(root_of(binding.value) for binding in reading.bindings if binding.value)
        reading.bindings = [
            binding
            for binding in reading.bindings
            if binding.kind != _VARIABLE or binding.scope < 0 or binding.name in wanted
        ]
        # What an expression body gives must not need the body's own variables; its parameters are in the signature.
        names = {(binding.scope, binding.name) for binding in reading.bindings if binding.kind == _VARIABLE}
        reading.signatures = [
            item._replace(results="?") if item.results and (item.definition, root_of(item.results)) in names else item
            for item in reading.signatures
            if item.definition < len(definitions)
        ]


def _dotted(text: str) -> str:
    return "".join(text.split()).replace("`", "")


def _inner_start(reading: Reading, name: Node) -> int:
    """Where a name begins, behind its backtick."""
    start = name.start_byte
    return start + 1 if reading.data.startswith(b"`", start) else start


def _mark(reading: Reading, node: Node, index: int, also: list[str]) -> None:
    """The modifiers that rules ask about, as one mark."""
    first = node.child(0)
    words = list(also)
    if first is not None and first.type == "modifiers":
        text = reading.text(first)
        if "@" in text:
            # What is deprecated and hidden cannot be called from source; what has a low priority stands for another.
            words += ["hidden"] if "HIDDEN" in text or "LowPriorityInOverloadResolution" in text else []
            text = " ".join(reading.text(child) for child in first.named_children if child.type != "annotation")
        words += [word for word in text.split() if word in _WORDS]
    if words:
        reading.marks.append(Mark(index, " ".join(sorted(words))))


def _type_parameters(reading: Reading, node: Node) -> list[tuple[str, str]]:
    """Each type parameter with its bound."""
    found = []
    for parameter in node.named_children:
        if parameter.type == "type_parameter":
            name = next((child for child in parameter.named_children if child.type == "identifier"), None)
            bound = next((child for child in parameter.named_children if child.type in TYPES), None)
            found.append((reading.text(name) if name is not None else "", type_text(reading, bound)))
    return found


def _has_constructor(body: Node) -> bool:
    return any(child.type == "secondary_constructor" for child in body.named_children)


def _object_around(reading: Reading, at: int, parent: int) -> Binding | None:
    """The object literal that a member stands in, unless a definition inside that holds it."""
    inner: Binding | None = None
    for binding in reading.bindings:
        if binding.name == "new" and binding.kind == _VARIABLE and binding.first <= at < binding.last:
            inner = binding if inner is None or binding.first > inner.first else inner
    if inner is None or (parent >= 0 and reading.definitions[parent].span.start > inner.first):
        return None
    return inner


def _type_around(reading: Reading, index: int) -> int:
    while index >= 0 and reading.definitions[index].kind not in _TYPE_KINDS:
        index = reading.definitions[index].parent
    return index
