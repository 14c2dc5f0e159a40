"""References of JavaScript and TypeScript: ES modules, CommonJS, classes, bindings with their blocks, calls, `new`.

An export of a value that has no name of its own has the local `#N`, the place of its definition. `export =` and
`module.exports =` export under the name `export=`. Marks: `get`, `set`, `static`; `arrow` for a function without a
`this` of its own; `block` for a definition that only its block sees, which is a binding with the value `#N`; `@` before
decorators. A class's field is a FIELD binding of the class. Inside a function that has a `this` of its own and is no
definition, `this` is a variable. JSX elements, tagged templates' inner calls and `import()` are not call sites.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading
from satori.languages.references.javascript_finish import Finish
from satori.languages.references.javascript_modules import ModuleStatements
from satori.languages.references.javascript_nodes import (
    chain_of,
    member_form,
    names_in,
    required_in,
    type_beside,
    type_chain,
    type_name,
)
from satori.model.definition import SymbolKind
from satori.model.reference import (
    Base,
    Binding,
    BindingKind,
    CallSite,
    ImportFlag,
    Mark,
    Signature,
    SiteForm,
)

_VARIABLE, _FIELD, _ATTRIBUTE = int(BindingKind.VARIABLE), int(BindingKind.FIELD), int(BindingKind.ATTRIBUTE)
_TYPE_ONLY = int(ImportFlag.TYPE_ONLY)
_FUNCTIONS = {"arrow_function", "function_expression", "generator_function", "function"}
_CLASSES = {SymbolKind.CLASS, SymbolKind.INTERFACE}
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


class JavaScriptReferences(ModuleStatements):
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
        result = type_chain(reading, declared)
        reading.signatures.append(Signature(index, -1, -1, ",".join(said), result))
        body = node.child_by_field_name("body")
        if node.type == "arrow_function" and body is not None and body.type != "statement_block":
            reading.notes.setdefault("returned", set()).add((index, chain_of(reading, body) or "?"))

    def _parameter(self, reading: Reading, node: Node, index: int) -> list[str]:
        """A parameter as `name:type`; several names for a pattern. TypeScript's constructor parameters make fields."""
        pattern = node.child_by_field_name("pattern") or node
        declared = type_chain(reading, node.child_by_field_name("type"))
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
            return ["*" + reading.text(name) for name in names_in(pattern)]
        return ["*" + reading.text(name) for name in names_in(pattern)]

    def _inner_function(self, reading: Reading, node: Node, *, own_this: bool) -> None:
        first, last = node.start_byte, node.end_byte
        scope = reading.owners.at(first)
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        if parameters is not None:
            for name in names_in(parameters):
                declared = type_chain(reading, type_beside(name))
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
                    reading.bases.append(Base(index, chain_of(reading, value), "extends"))
                elif clause.type == "implements_clause":
                    for base in clause.named_children:
                        reading.bases.append(Base(index, type_name(reading, base), "implements"))
                else:
                    reading.bases.append(Base(index, chain_of(reading, clause), "extends"))

    def interface(self, reading: Reading, node: Node) -> None:
        """Bases of an interface."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        for child in node.named_children if index >= 0 else ():
            if child.type == "extends_type_clause":
                for base in child.named_children:
                    reading.bases.append(Base(index, type_name(reading, base), "extends"))

    def signature(self, reading: Reading, node: Node) -> None:
        """A function or method without a body: what it declares to give."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index >= 0:
            result = type_chain(reading, node.child_by_field_name("return_type"))
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
            declared = type_chain(reading, node.child_by_field_name("type"))
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
        declared = type_chain(reading, node.child_by_field_name("type"))
        text = chain_of(reading, value) if value is not None else "None"
        at = name.start_byte
        reading.bindings.append(Binding(owner, owner, at, 0, 0, _FIELD, reading.text(name), declared, text))

    def declarator(self, reading: Reading, node: Node) -> None:
        """A variable: `require()` makes it an import, a function or class value a definition."""
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is None:
            return
        declared = type_chain(reading, node.child_by_field_name("type"))
        required = required_in(reading, value)
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
            for inner in names_in(name):
                self._declare(reading, inner, "", "")
            return
        index = reading.named.get(name.start_byte, -1)
        if index >= 0 and reading.definitions[index].kind not in (SymbolKind.CONSTANT, SymbolKind.PROPERTY):
            self._defined(reading, name, index)
            return
        text = chain_of(reading, value) if value is not None else "None"
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
                for inner in names_in(item):
                    self._declare(reading, inner, "", "")

    def _declare(self, reading: Reading, name: Node, declared: str, value: str) -> None:
        at = name.start_byte
        owner = reading.owners.at(at)
        reading.bindings.append(Binding(owner, owner, at, -1, -1, _VARIABLE, reading.text(name), declared, value))

    def looped(self, reading: Reading, node: Node) -> None:
        """The variable of `for (x of y)`."""
        for name in names_in(node):
            self._declare(reading, name, "", "")

    caught = looped

    def assignment(self, reading: Reading, node: Node) -> None:
        """Rebinding, fields of `this`, CommonJS exports, and attributes set from outside."""
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        if left is None or right is None:
            return
        if left.type != "member_expression":
            for name in names_in(left):
                value = chain_of(reading, right) if left.type == "identifier" else ""
                reading.notes.setdefault("rebound", set()).add((name.start_byte, f"{reading.text(name)} {value}"))
            return
        chain = chain_of(reading, left)
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

    def _attribute(self, reading: Reading, left: Node, chain: str, right: Node) -> None:
        at = left.start_byte
        owner = reading.owners.at(at)
        token = left.child_by_field_name("property")
        if token is not None and token.start_byte in reading.named and right.type in _FUNCTIONS:
            return
        value = chain_of(reading, right)
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
            reading.marks.append(Mark(owner, "@" + chain_of(reading, expression)))
        if expression.type == "identifier":
            self.bare(reading, expression)
        elif expression.type == "member_expression":
            self.member(reading, expression)

    def returned(self, reading: Reading, node: Node) -> None:
        """What a function returns, unless a function without a name inside it does."""
        reading.notes.setdefault("return", set()).add((node.start_byte, chain_of(reading, node) or "?"))

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
        receiver = chain_of(reading, target)
        self._site(reading, name, member_form(receiver), reading.text(name), receiver)

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
                receiver = chain_of(reading, target)
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
        Finish(reading).run()


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
