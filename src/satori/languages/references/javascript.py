"""References of JavaScript and TypeScript: ES modules, CommonJS, classes, bindings with their blocks, calls, `new`.

An export of a value that has no name of its own has the local `#N`, the place of its definition. `export =` and
`module.exports =` export under the name `export=`. Marks: `get`, `set`, `static`; `arrow` for a function without a
`this` of its own; `block` for a definition that only its block sees, which is a binding with the value `#N`; `@` before
decorators. A class's field is a FIELD binding of the class. Inside a function that has a `this` of its own and is no
definition, `this` is a variable. JSX elements, tagged templates' inner calls and `import()` are not call sites.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.model.definition import SymbolKind
from satori.model.reference import (
    CHAIN_CHARACTERS,
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

_PLAIN = re.compile(rb"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_ROOT = re.compile(r"[^\W\d$]?[\w$]+")
_VARIABLE, _FIELD, _ATTRIBUTE = int(BindingKind.VARIABLE), int(BindingKind.FIELD), int(BindingKind.ATTRIBUTE)
_TYPE_ONLY = int(ImportFlag.TYPE_ONLY)
_NAMES = {"identifier", "shorthand_property_identifier_pattern", "type_identifier"}
_FUNCTIONS = {"arrow_function", "function_expression", "generator_function", "function"}
_CLASSES = {SymbolKind.CLASS, SymbolKind.INTERFACE}
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
_BLOCKS = "[(statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body)] @block"
_COMMON = f"""
    {_BLOCKS}
    [(function_expression) (generator_function) (arrow_function)] @anonymous
    [(function_declaration) (generator_function_declaration)] @function
    (method_definition) @method
    (import_statement) @import_
    (export_statement) @export
    (variable_declarator) @declarator
    (assignment_expression) @assignment
    (augmented_assignment_expression left: (identifier) @rebound)
    (update_expression argument: (identifier) @rebound)
    (for_in_statement left: (_) @looped)
    (catch_clause parameter: (_) @caught)
    (decorator) @decorator
    (return_statement (_) @returned)
    (call_expression function: (identifier) @bare)
    (call_expression function: (member_expression) @member)
    (call_expression function: (super) @super_call)
    (call_expression function: [(call_expression) (subscript_expression) (parenthesized_expression) (arrow_function)
        (function_expression)] @dynamic)
    (new_expression constructor: (_) @constructed)
    """


class JavaScriptReferences(ReferenceReader):
    """JavaScript; TypeScript adds its own nodes to the query."""

    query: ClassVar[str] = (
        _COMMON
        + """
    [(class_declaration) (class)] @class_
    (field_definition) @field
    """
    )

    def block(self, reading: Reading, node: Node) -> None:
        """A block scope."""
        reading.notes.setdefault("block", set()).add((node.start_byte, str(node.end_byte)))

    def function(self, reading: Reading, node: Node) -> None:
        """Parameters and results of a named function."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index >= 0 and name is not None:
            self._defined(reading, name, index)
            self._signature(reading, node, index)
        else:
            self._inner_function(reading, node, own_this=True)

    def _defined(self, reading: Reading, name: Node, index: int) -> None:
        """A definition as a binding: kept only when it is seen in a block alone."""
        at = name.start_byte
        owner = reading.definitions[index].parent
        reading.bindings.append(Binding(owner, owner, at, -1, -1, _VARIABLE, reading.text(name), "", f"#{index}"))

    def method(self, reading: Reading, node: Node) -> None:
        """A method of a class or an object."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index < 0:
            self._inner_function(reading, node, own_this=True)
            return
        for child in node.children:
            if child.type in ("get", "set", "static"):
                reading.marks.append(Mark(index, child.type))
            if name is not None and child.start_byte >= name.start_byte:
                break
        self._signature(reading, node, index)

    def anonymous(self, reading: Reading, node: Node) -> None:
        """A function value: the definition that a name makes of it, or one without a name."""
        reading.notes.setdefault("value", set()).add((node.start_byte, str(node.end_byte)))
        index = self._index_of_value(reading, node)
        if index >= 0:
            if node.type == "arrow_function":
                reading.marks.append(Mark(index, "arrow"))
            self._signature(reading, node, index)
        else:
            self._inner_function(reading, node, own_this=node.type != "arrow_function")

    def _index_of_value(self, reading: Reading, node: Node) -> int:
        """The definition whose body is this function's, -1 for none."""
        body = node.child_by_field_name("body")
        if body is None:
            return -1
        index = reading.owners.at(body.start_byte)
        if index >= 0 and reading.definitions[index].body_start == body.start_byte:
            return index
        return -1

    def _signature(self, reading: Reading, node: Node, index: int) -> None:
        parameters = node.child_by_field_name("parameters")
        said: list[str] = []
        if parameters is not None:
            for child in parameters.named_children:
                said += self._parameter(reading, child, index)
        else:
            single = node.child_by_field_name("parameter")
            if single is not None:
                said.append(reading.text(single))
        declared = node.child_by_field_name("return_type")
        result = _type_chain(reading, declared)
        reading.signatures.append(Signature(index, -1, -1, ",".join(said), result))
        body = node.child_by_field_name("body")
        if node.type == "arrow_function" and body is not None and body.type != "statement_block":
            reading.notes.setdefault("returned", set()).add((index, _chain(reading, body) or "?"))

    def _parameter(self, reading: Reading, node: Node, index: int) -> list[str]:
        """A parameter as `name:type`; several names for a pattern. TypeScript's constructor parameters make fields."""
        pattern = node.child_by_field_name("pattern") or node
        declared = _type_chain(reading, node.child_by_field_name("type"))
        if pattern.type == "assignment_pattern":
            pattern = pattern.child_by_field_name("left") or pattern
        if pattern.type == "identifier":
            name = reading.text(pattern)
            holder = reading.definitions[index].parent
            if holder >= 0 and any(child.type in ("accessibility_modifier", "readonly") for child in node.children):
                at = pattern.start_byte
                reading.bindings.append(Binding(holder, index, at, 0, 0, _FIELD, name, declared, name))
            return [f"{name}:{declared}" if declared else name]
        if pattern.type == "rest_pattern":
            return ["*" + reading.text(name) for name in _names(pattern)]
        return ["*" + reading.text(name) for name in _names(pattern)]

    def _inner_function(self, reading: Reading, node: Node, *, own_this: bool) -> None:
        first, last = node.start_byte, node.end_byte
        scope = reading.owners.at(first)
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        if parameters is not None:
            for name in _names(parameters):
                declared = _type_chain(reading, _type_beside(name))
                at = name.start_byte
                reading.bindings.append(
                    Binding(scope, scope, at, first, last, _VARIABLE, reading.text(name), declared, "")
                )
        own = node.child_by_field_name("name")
        if own is not None and own.type == "identifier":
            place = (scope, scope, own.start_byte, first, last, _VARIABLE)
            reading.bindings.append(Binding(*place, reading.text(own), "", ""))
        if own_this:
            reading.bindings.append(Binding(scope, scope, first, first, last, _VARIABLE, "this", "", ""))
            reading.notes.setdefault("this", set()).add((first, str(last)))
        reading.notes.setdefault("inner", set()).add((first, str(last)))

    def class_(self, reading: Reading, node: Node) -> None:
        """Bases of a class."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index >= 0 and name is not None and node.type.endswith("declaration"):
            self._defined(reading, name, index)
        if index < 0:
            body = node.child_by_field_name("body")
            index = reading.owners.at(body.start_byte) if body is not None else -1
            if index < 0 or body is None or reading.definitions[index].body_start != body.start_byte:
                return
        for child in node.named_children:
            if child.type != "class_heritage":
                continue
            for clause in child.named_children:
                if clause.type == "extends_clause":
                    value = clause.child_by_field_name("value")
                    reading.bases.append(Base(index, _chain(reading, value), "extends"))
                elif clause.type == "implements_clause":
                    for base in clause.named_children:
                        reading.bases.append(Base(index, _type_name(reading, base), "implements"))
                else:
                    reading.bases.append(Base(index, _chain(reading, clause), "extends"))

    def interface(self, reading: Reading, node: Node) -> None:
        """Bases of an interface."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        for child in node.named_children if index >= 0 else ():
            if child.type == "extends_type_clause":
                for base in child.named_children:
                    reading.bases.append(Base(index, _type_name(reading, base), "extends"))

    def signature(self, reading: Reading, node: Node) -> None:
        """A function or method without a body: what it declares to give."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index >= 0:
            result = _type_chain(reading, node.child_by_field_name("return_type"))
            reading.signatures.append(Signature(index, -1, -1, "", result))

    def namespace(self, reading: Reading, node: Node) -> None:
        """A namespace that can be named, other than a block of tests."""
        index = reading.named.get(node.start_byte, -1)
        if index >= 0:
            reading.marks.append(Mark(index, "namespace"))

    def property_signature(self, reading: Reading, node: Node) -> None:
        """A property of an interface."""
        name = node.child_by_field_name("name")
        owner = reading.owners.at(node.start_byte)
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index >= 0 and reading.definitions[index].kind is not SymbolKind.PROPERTY:
            # Declared to be a function: that is a definition.
            return
        if name is not None and owner >= 0 and reading.definitions[owner].kind in _CLASSES:
            declared = _type_chain(reading, node.child_by_field_name("type"))
            at = name.start_byte
            reading.bindings.append(Binding(owner, owner, at, 0, 0, _FIELD, reading.text(name), declared, ""))

    def field(self, reading: Reading, node: Node) -> None:
        """A field of a class, unless its value is a function: that is a definition."""
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        value = node.child_by_field_name("value")
        owner = reading.owners.at(node.start_byte)
        if name is None or owner < 0 or reading.definitions[owner].kind not in _CLASSES:
            return
        index = reading.named.get(name.start_byte, -1)
        if index >= 0 and any(child.type == "static" for child in node.children):
            reading.marks.append(Mark(index, "static"))
        if value is not None and value.type in _FUNCTIONS and index >= 0:
            return
        declared = _type_chain(reading, node.child_by_field_name("type"))
        text = _chain(reading, value) if value is not None else "None"
        at = name.start_byte
        reading.bindings.append(Binding(owner, owner, at, 0, 0, _FIELD, reading.text(name), declared, text))

    def import_(self, reading: Reading, node: Node) -> None:
        """ES imports, and TypeScript's `import x = require("y")`."""
        scope = reading.owners.at(node.start_byte)
        flags = _TYPE_ONLY if any(child.type == "type" for child in node.children) else 0
        source = node.child_by_field_name("source")
        for clause in node.named_children:
            if clause.type == "import_require_clause":
                inner = clause.child_by_field_name("source")
                name = clause.named_child(0)
                if inner is not None and name is not None:
                    self._import(reading, scope, name, flags, _string(reading, inner), "export=", reading.text(name))
            elif clause.type == "import_clause" and source is not None:
                self._import_clause(reading, scope, clause, flags, _string(reading, source))
        if source is not None and not any(child.type == "import_clause" for child in node.named_children):
            self._import(reading, scope, source, flags, _string(reading, source), "", "")

    def _import_clause(self, reading: Reading, scope: int, clause: Node, flags: int, module: str) -> None:
        for part in clause.named_children:
            if part.type == "identifier":
                self._import(reading, scope, part, flags, module, "default", reading.text(part))
            elif part.type == "namespace_import":
                name = part.named_child(0)
                if name is not None:
                    self._import(reading, scope, name, flags, module, "", reading.text(name))
            elif part.type == "named_imports":
                for item in part.named_children:
                    token = item.child_by_field_name("name")
                    alias = item.child_by_field_name("alias") or token
                    if token is not None and alias is not None:
                        imported = reading.text(token).strip("\"'")
                        self._import(reading, scope, token, flags, module, imported, reading.text(alias))

    def _import(self, reading: Reading, scope: int, node: Node, flags: int, module: str, name: str, alias: str) -> None:
        line = node.start_point[0] + 1
        reading.imports.append(Import(scope, node.start_byte, node.end_byte, line, flags, module, name, alias))

    def export(self, reading: Reading, node: Node) -> None:
        """Every form of `export`."""
        source = node.child_by_field_name("source")
        module = _string(reading, source) if source is not None else ""
        declaration = node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        default = any(child.type == "default" for child in node.children)
        clauses = [child for child in node.named_children if child.type in ("export_clause", "namespace_export")]
        if declaration is not None:
            for name in _declared(declaration):
                text = reading.text(name)
                self._export(reading, name, "default" if default else text, text, "")
            if default and not _declared(declaration):
                self._export(reading, declaration, "default", self._local(reading, declaration), "")
        elif value is not None:
            self._export(reading, value, "default", self._local(reading, value), "")
        elif any(child.type == "=" for child in node.children) and node.named_child_count:
            inner = node.named_child(node.named_child_count - 1)
            if inner is not None:
                self._export(reading, inner, "export=", self._local(reading, inner), "")
        elif clauses:
            for clause in clauses:
                self._export_clause(reading, clause, module)
        elif source is not None:
            self._export(reading, source, "*", "*", module)

    def _export_clause(self, reading: Reading, clause: Node, module: str) -> None:
        if clause.type == "namespace_export":
            whole = clause.named_child(0)
            if whole is not None:
                self._export(reading, whole, reading.text(whole), "", module)
            return
        for item in clause.named_children:
            name = item.child_by_field_name("name")
            alias = item.child_by_field_name("alias") or name
            if name is not None and alias is not None:
                self._export(reading, name, reading.text(alias).strip("\"'"), reading.text(name), module)

    def _export(self, reading: Reading, node: Node, name: str, local: str, module: str) -> None:
        index = reading.named.get(node.start_byte, -1)
        if index >= 0 and reading.definitions[index].parent >= 0 and not local.startswith("#"):
            # Inside a namespace an export says nothing about the file.
            return
        line = node.start_point[0] + 1
        reading.exports.append(Export(node.start_byte, node.end_byte, line, 0, name, local, module))

    def _local(self, reading: Reading, value: Node) -> str:
        """What an exported expression is called in the file: its chain, or the place of its definition."""
        chain = _chain(reading, value)
        if chain:
            return chain
        body = value.child_by_field_name("body")
        index = reading.owners.at(body.start_byte) if body is not None else -1
        if body is not None and index >= 0 and reading.definitions[index].body_start == body.start_byte:
            return f"#{index}"
        return ""

    def declarator(self, reading: Reading, node: Node) -> None:
        """A variable: `require()` makes it an import, a function or class value a definition."""
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is None:
            return
        declared = _type_chain(reading, node.child_by_field_name("type"))
        required = _required(reading, value)
        scope = reading.owners.at(node.start_byte)
        if required is not None:
            module, member = required
            if name.type == "identifier":
                self._import(reading, scope, name, 0, module, member or "export=", reading.text(name))
                return
            if name.type == "object_pattern" and not member:
                self._destructured(reading, scope, name, module)
                return
        if name.type != "identifier":
            for inner in _names(name):
                self._declare(reading, inner, "", "")
            return
        index = reading.named.get(name.start_byte, -1)
        if index >= 0 and reading.definitions[index].kind not in (SymbolKind.CONSTANT, SymbolKind.PROPERTY):
            self._defined(reading, name, index)
            return
        text = _chain(reading, value) if value is not None else "None"
        self._declare(reading, name, declared, text)

    def _destructured(self, reading: Reading, scope: int, pattern: Node, module: str) -> None:
        for item in pattern.named_children:
            if item.type == "shorthand_property_identifier_pattern":
                self._import(reading, scope, item, 0, module, reading.text(item), reading.text(item))
            elif item.type == "pair_pattern":
                key, value = item.child_by_field_name("key"), item.child_by_field_name("value")
                if key is not None and value is not None and value.type == "identifier":
                    self._import(reading, scope, key, 0, module, reading.text(key), reading.text(value))
            else:
                for inner in _names(item):
                    self._declare(reading, inner, "", "")

    def _declare(self, reading: Reading, name: Node, declared: str, value: str) -> None:
        at = name.start_byte
        owner = reading.owners.at(at)
        reading.bindings.append(Binding(owner, owner, at, -1, -1, _VARIABLE, reading.text(name), declared, value))

    def looped(self, reading: Reading, node: Node) -> None:
        """The variable of `for (x of y)`."""
        for name in _names(node):
            self._declare(reading, name, "", "")

    caught = looped

    def assignment(self, reading: Reading, node: Node) -> None:
        """Rebinding, fields of `this`, CommonJS exports, and attributes set from outside."""
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        if left is None or right is None:
            return
        if left.type != "member_expression":
            for name in _names(left):
                value = _chain(reading, right) if left.type == "identifier" else ""
                reading.notes.setdefault("rebound", set()).add((name.start_byte, f"{reading.text(name)} {value}"))
            return
        chain = _chain(reading, left)
        while right.type == "assignment_expression":
            inner = right.child_by_field_name("right")
            if inner is None:
                break
            right = inner
        if chain == "module.exports":
            self._module_exports(reading, right)
        elif chain.startswith(("exports.", "module.exports.")) and chain.count(".") <= 2:
            offered = chain.rpartition(".")[2]
            if chain in (f"exports.{offered}", f"module.exports.{offered}"):
                token = left.child_by_field_name("property") or left
                self._export(reading, token, offered, self._local(reading, right), "")
        elif chain:
            self._attribute(reading, left, chain, right)

    def _module_exports(self, reading: Reading, value: Node) -> None:
        required = _required(reading, value)
        if required is not None and not required[1]:
            self._export(reading, value, "*", "*", required[0])
            return
        if value.type != "object":
            self._export(reading, value, "export=", self._local(reading, value), "")
            return
        for item in value.named_children:
            if item.type == "shorthand_property_identifier":
                self._export(reading, item, reading.text(item), reading.text(item), "")
            elif item.type == "pair":
                key, inner = item.child_by_field_name("key"), item.child_by_field_name("value")
                if key is not None and inner is not None:
                    self._export(reading, key, reading.text(key).strip("\"'"), self._local(reading, inner), "")
            elif item.type == "method_definition":
                key = item.child_by_field_name("name")
                index = reading.named.get(key.start_byte, -1) if key is not None else -1
                if key is not None and index >= 0:
                    self._export(reading, key, reading.text(key), f"#{index}", "")
            elif item.type == "spread_element":
                self._export(reading, item, "*", "", "")

    def _attribute(self, reading: Reading, left: Node, chain: str, right: Node) -> None:
        at = left.start_byte
        owner = reading.owners.at(at)
        token = left.child_by_field_name("property")
        if token is not None and token.start_byte in reading.named and right.type in _FUNCTIONS:
            return
        value = _chain(reading, right)
        root, _, rest = chain.partition(".")
        if root == "this" and "." not in rest and "(" not in rest:
            reading.notes.setdefault("field", set()).add((at, f"{owner} {rest} {value}"))
            return
        reading.bindings.append(Binding(owner, owner, at, 0, 0, _ATTRIBUTE, chain, "", value))

    def rebound(self, reading: Reading, node: Node) -> None:
        """`x += 1` and `x++`."""
        reading.notes.setdefault("rebound", set()).add((node.start_byte, f"{reading.text(node)} "))

    def decorator(self, reading: Reading, node: Node) -> None:
        """A decorator marks what it stands on, and calls what it names."""
        expression = node.named_child(0)
        if expression is None:
            return
        owner = reading.owners.at(node.start_byte)
        reading.notes.setdefault("decorator", set()).add((node.start_byte, str(node.end_byte)))
        if owner >= 0:
            reading.marks.append(Mark(owner, "@" + _chain(reading, expression)))
        if expression.type == "identifier":
            self.bare(reading, expression)
        elif expression.type == "member_expression":
            self.member(reading, expression)

    def returned(self, reading: Reading, node: Node) -> None:
        """What a function returns, unless a function without a name inside it does."""
        reading.notes.setdefault("return", set()).add((node.start_byte, _chain(reading, node) or "?"))

    def bare(self, reading: Reading, node: Node) -> None:
        """`f()`."""
        name = reading.text(node)
        if name not in ("require", "import"):
            self._site(reading, node, SiteForm.BARE, name, "")

    def member(self, reading: Reading, node: Node) -> None:
        """`a.f()`."""
        name = node.child_by_field_name("property")
        target = node.child_by_field_name("object")
        if name is None or target is None:
            return
        receiver = _chain(reading, target)
        self._site(reading, name, _member_form(receiver), reading.text(name), receiver)

    def super_call(self, reading: Reading, node: Node) -> None:
        """`super()` runs the constructor of what the class extends."""
        self._site(reading, node, SiteForm.SUPER, "super", "")

    def constructed(self, reading: Reading, node: Node) -> None:
        """`new T()`."""
        if node.type == "identifier":
            self._site(reading, node, SiteForm.CONSTRUCT, reading.text(node), "")
        elif node.type == "member_expression":
            name, target = node.child_by_field_name("property"), node.child_by_field_name("object")
            if name is not None and target is not None:
                receiver = _chain(reading, target)
                form = SiteForm.CONSTRUCT if receiver else SiteForm.CHAIN
                self._site(reading, name, form, reading.text(name), receiver)
        else:
            self._site(reading, node, SiteForm.DYNAMIC, "", "")

    def dynamic(self, reading: Reading, node: Node) -> None:
        """A call of an expression that names nothing."""
        self._site(reading, node, SiteForm.DYNAMIC, "", "")

    def _site(self, reading: Reading, node: Node, form: SiteForm, name: str, receiver: str) -> None:
        start = node.start_byte
        owner = reading.owners.at(start)
        line = node.start_point[0] + 1
        reading.sites.append(CallSite(owner, start, node.end_byte, line, int(form), -1, name, receiver))

    def finish(self, reading: Reading) -> None:
        """Give bindings their blocks and rebindings their variable; drop what nobody asks about."""
        _Finish(reading).run()


class TypeScriptReferences(JavaScriptReferences):
    """TypeScript, with and without JSX."""

    query: ClassVar[str] = (
        _COMMON
        + """
    [(class_declaration) (abstract_class_declaration) (class)] @class_
    (interface_declaration) @interface
    (call_expression function: (non_null_expression (member_expression) @member))
    (public_field_definition) @field
    (property_signature) @property_signature
    (internal_module name: (_) @namespace)
    [(function_signature) (method_signature) (abstract_method_signature)] @signature
    """
    )


class _Finish:
    """What can only be said once the whole file was read."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.blocks = _Stretches(self._ranges("block"))
        self.own_this = _Stretches(self._ranges("this"))
        self.inner = _Stretches(self._ranges("inner"))
        self.decorators = _Stretches(self._ranges("decorator"))

    def _ranges(self, note: str) -> list[tuple[int, int]]:
        return [(start, int(end)) for start, end in self.reading.notes.get(note, ())]

    def run(self) -> None:
        """All of it."""
        reading = self.reading
        definitions = reading.definitions
        placed = [self._in_block(binding) for binding in reading.bindings]
        reading.bindings = [b for b in placed if b.last or not b.value.startswith("#")]
        for binding in reading.bindings:
            if binding.value.startswith("#"):
                reading.marks.append(Mark(int(binding.value[1:]), "block"))
        reading.sites = list(dict.fromkeys(self._outside_decorator(site) for site in reading.sites))
        self.parameters = {
            item.definition: {text.partition(":")[0].lstrip("*") for text in item.parameters.split(",")}
            for item in reading.signatures
        }
        self.by_name: dict[str, list[Binding]] = {}
        for binding in reading.bindings:
            if binding.kind == _VARIABLE:
                self.by_name.setdefault(binding.name, []).append(binding)
        for at, text in sorted(reading.notes.get("rebound", ())):
            name, _, value = text.partition(" ")
            self._rebind(at, name, value)
        for at, text in sorted(reading.notes.get("field", ())):
            owner_text, name, value = text.split(" ", 2)
            self._field(at, int(owner_text), name, value)
        self._results()
        self._without_locals()
        wanted = {site.name if not site.receiver else _root(site.receiver) for site in reading.sites}
        wanted.update(_root(base.text) for base in reading.bases)
        wanted.update(_root(binding.value) for binding in reading.bindings if binding.value)
        wanted.add("this")
        reading.bindings = [
            binding
            for binding in dict.fromkeys(reading.bindings)
            if binding.kind != _VARIABLE
            or binding.name in wanted
            or (binding.scope < 0 and not binding.last)
            or (binding.scope >= 0 and definitions[binding.scope].kind is SymbolKind.NAMESPACE)
        ]

    def _in_block(self, binding: Binding) -> Binding:
        if binding.first != -1:
            return binding
        first, last = self.blocks.at(binding.start)
        owner = binding.scope
        body = self.reading.definitions[owner].body_start if owner >= 0 else -1
        if last == 0 or first <= body:
            # The block is the function's own, or around it: the name is seen in the whole scope.
            return binding._replace(first=0, last=0)
        return binding._replace(first=first, last=last)

    def _outside_decorator(self, site: CallSite) -> CallSite:
        if self.decorators.at(site.start)[1] and site.owner >= 0:
            return site._replace(owner=self.reading.definitions[site.owner].parent)
        return site

    def _rebind(self, at: int, name: str, value: str) -> None:
        """Assign to the variable that is seen at `at`; a name that nothing declares is the file's."""
        scope = self.reading.owners.at(at)
        owner = scope
        while scope >= 0:
            if name in self.parameters.get(scope, ()):
                break
            seen = [
                b for b in self.by_name.get(name, ()) if b.scope == scope and (not b.last or b.first <= at < b.last)
            ]
            if seen:
                best = min(seen, key=lambda b: b.last - b.first if b.last else 1 << 40)
                self.reading.bindings.append(
                    Binding(scope, owner, at, best.first, best.last, _VARIABLE, name, "", value)
                )
                return
            if any(d.parent == scope and d.name == name for d in self.reading.definitions):
                break
            scope = self.reading.definitions[scope].parent
        if scope < 0:
            seen = [b for b in self.by_name.get(name, ()) if b.scope < 0 and b.last and b.first <= at < b.last]
            if seen:
                best = min(seen, key=lambda b: b.last - b.first)
                place = (scope, owner, at, best.first, best.last, _VARIABLE)
                self.reading.bindings.append(Binding(*place, name, "", value))
                return
        self.reading.bindings.append(Binding(scope, owner, at, 0, 0, _VARIABLE, name, "", value))

    def _field(self, at: int, owner: int, name: str, value: str) -> None:
        """`this.name = value`: a field of the class around, if `this` is its instance."""
        definitions = self.reading.definitions
        if value == f"this.{name}.bind()":
            # The method stays what it was, tied to its instance.
            return
        first, last = self.own_this.at(at)
        holder = owner
        while holder >= 0 and definitions[holder].kind not in _CLASSES:
            holder = definitions[holder].parent
        if last and (owner < 0 or first > definitions[owner].span.start):
            return
        if holder >= 0:
            self.reading.bindings.append(Binding(holder, owner, at, 0, 0, _FIELD, name, "", value))
        else:
            self.reading.bindings.append(Binding(owner, owner, at, 0, 0, _ATTRIBUTE, f"this.{name}", "", value))

    def _results(self) -> None:
        results: dict[int, set[str]] = {}
        for at, chain in self.reading.notes.get("return", ()):
            owner = self.reading.owners.at(at)
            if owner < 0:
                continue
            first, last = self.inner.at(at)
            if last and first > self.reading.definitions[owner].span.start:
                continue
            results.setdefault(owner, set()).add(chain)
        for owner, chain in self.reading.notes.get("returned", ()):
            results.setdefault(owner, set()).add(chain)
        self.results = results

    def _without_locals(self) -> None:
        """Fields, bases and results that begin with a local variable are written with its one value, or not at all."""
        reading = self.reading
        local: dict[tuple[int, str], list[Binding]] = {}
        for binding in reading.bindings:
            if binding.kind == _VARIABLE and binding.scope >= 0 and binding.name != "this":
                local.setdefault((binding.scope, binding.name), []).append(binding)

        def plain(owner: int, chain: str, depth: int = 0) -> str:
            root = _root(chain)
            while owner >= 0:
                if root in self.parameters.get(owner, ()):
                    return chain
                bindings = local.get((owner, root))
                if bindings is not None:
                    only = bindings[0]
                    if len(bindings) > 1 or not only.value or only.last or depth:
                        return ""
                    value = plain(owner, only.value, depth + 1)
                    return value + chain[len(root) :] if value else ""
                owner = reading.definitions[owner].parent
            return chain

        reading.bindings = [
            binding._replace(value=plain(binding.owner, binding.value)[:CHAIN_CHARACTERS])
            if binding.kind == _FIELD and binding.value
            else binding
            for binding in reading.bindings
        ]
        reading.bases = [
            base._replace(text=plain(reading.definitions[base.definition].parent, base.text)) for base in reading.bases
        ]
        reading.signatures = [
            item._replace(
                results=",".join(
                    sorted({plain(item.definition, chain) or "?" for chain in self.results.get(item.definition, ())})
                )
            )
            for item in reading.signatures
        ]


class _Stretches:
    """The innermost of nested ranges at an offset; (0, 0) outside of all."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self.starts = [-1]
        self.ranges = [(0, 0)]
        open_: list[tuple[int, int]] = []
        for start, end in sorted(set(ranges), key=lambda item: (item[0], -item[1])):
            while open_ and open_[-1][1] <= start:
                self._close(open_)
            self._mark(start, (start, end))
            open_.append((start, end))
        while open_:
            self._close(open_)

    def _close(self, open_: list[tuple[int, int]]) -> None:
        _, end = open_.pop()
        self._mark(end, open_[-1] if open_ else (0, 0))

    def _mark(self, at: int, span: tuple[int, int]) -> None:
        self.starts.append(at)
        self.ranges.append(span)

    def at(self, offset: int) -> tuple[int, int]:
        """The innermost range."""
        return self.ranges[bisect_right(self.starts, offset) - 1]


def _member_form(receiver: str) -> SiteForm:
    if receiver == "this":
        return SiteForm.SELF
    if receiver == "super":
        return SiteForm.SUPER
    if not receiver or "(" in receiver or "[" in receiver or receiver.startswith('"'):
        return SiteForm.CHAIN
    return SiteForm.MEMBER


def _root(chain: str) -> str:
    found = _ROOT.match(chain)
    return found.group() if found is not None else ""


def _chain(reading: Reading, node: Node | None, depth: int = 0) -> str:
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
        inner = _chain(reading, node.child_by_field_name("object"), depth + 1)
        name = node.child_by_field_name("property")
        chain = f"{inner}.{reading.text(name)}" if inner and name is not None else ""
    elif kind in ("call_expression", "new_expression"):
        field = "function" if kind == "call_expression" else "constructor"
        inner = _chain(reading, node.child_by_field_name(field), depth + 1)
        chain = f"{inner}()" if inner else ""
    elif kind == "subscript_expression":
        inner = _chain(reading, node.child_by_field_name("object"), depth + 1)
        chain = f"{inner}[]" if inner else ""
    elif kind in ("parenthesized_expression", "non_null_expression", "satisfies_expression"):
        return _chain(reading, node.named_child(0), depth + 1) if node.named_child_count else ""
    else:
        return _LITERALS.get(kind, "")
    return chain if len(chain) <= CHAIN_CHARACTERS else ""


def _type_chain(reading: Reading, node: Node | None) -> str:
    """The type that an annotation names; `| null` and `| undefined` are seen through."""
    if node is None:
        return ""
    inner = node.named_child(0) if node.type == "type_annotation" else node
    if inner is None:
        return ""
    if inner.type == "union_type":
        parts = [part for part in inner.named_children if reading.text(part) not in ("null", "undefined")]
        return _type_name(reading, parts[0]) if len(parts) == 1 else ""
    return _type_name(reading, inner)


def _type_name(reading: Reading, node: Node) -> str:
    kind = node.type
    if kind == "generic_type":
        name = node.child_by_field_name("name")
        return _type_name(reading, name) if name is not None else ""
    if kind in ("type_identifier", "nested_type_identifier", "identifier", "member_expression"):
        text = reading.text(node)
        return text if len(text) <= CHAIN_CHARACTERS and " " not in text and "\n" not in text else ""
    if kind in ("array_type", "tuple_type"):
        return '"Array"'
    if kind == "predefined_type":
        return _PREDEFINED.get(reading.text(node), "")
    return ""


def _type_beside(name: Node) -> Node | None:
    sibling = name.next_named_sibling
    return sibling if sibling is not None and sibling.type == "type_annotation" else None


def _names(node: Node) -> list[Node]:
    """The plain names that a pattern binds."""
    kind = node.type
    if kind in _NAMES:
        return [node]
    if kind in ("member_expression", "subscript_expression", "type_annotation"):
        return []
    if kind == "pair_pattern":
        value = node.child_by_field_name("value")
        return _names(value) if value is not None else []
    if kind in ("assignment_pattern", "object_assignment_pattern"):
        left = node.child_by_field_name("left")
        return _names(left) if left is not None else []
    if kind in ("required_parameter", "optional_parameter"):
        pattern = node.child_by_field_name("pattern")
        return _names(pattern) if pattern is not None else []
    if kind in ("formal_parameters", "object_pattern", "array_pattern", "rest_pattern"):
        return [name for child in node.named_children for name in _names(child)]
    return []


def _declared(node: Node) -> list[Node]:
    """The names that an exported declaration declares."""
    name = node.child_by_field_name("name")
    if name is not None:
        return [name]
    found: list[Node] = []
    for child in node.named_children:
        if child.type == "variable_declarator":
            target = child.child_by_field_name("name")
            found += _names(target) if target is not None else []
        elif child.type == "internal_module":
            found += _declared(child)
    return found


def _string(reading: Reading, node: Node) -> str:
    return reading.text(node).strip("\"'`")


def _required(reading: Reading, node: Node | None) -> tuple[str, str] | None:
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
    return (_string(reading, first), member) if first is not None and first.type == "string" else None
