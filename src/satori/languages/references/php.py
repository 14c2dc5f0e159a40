"""References of PHP: namespaces, `use`, bases and traits, typed members and parameters, variables, calls, `new`.

`package` is the file's namespace in lower case. A `use function` is a STATIC import, one of a constant has no alias; a
required file is an import without a name. Fields are named with their `$`. Methods whose names are not in lower case
are there in lower case too, as an ALIAS of the type, since calls may spell them in any case: its value is `#N`, empty
for what a `use` of traits names anew, and `new` for a method of a class without a name that stands in the type and has
the ALIAS's type as a base. Marks: `final`, `private`, `static`, `abstract`, `conditional` for what a
condition defines, `variable` for a function in a variable, `namespace X` where the file (marked too) has several.

Variables of a closure are seen in its range alone. What a statement of the function itself assigns is seen from there
to the end of the function (of the file: `FILE_END`). A conditional binding has no end, and is seen from itself on or,
in a loop, from the loop on. Call by reference and `$$name` are not followed.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.languages.references.php_finish import TYPES, Finish
from satori.languages.references.php_nodes import (
    chain_of,
    member_form,
    name_of,
    nth,
    scope_of,
    type_chain,
    variables_in,
)
from satori.model.reference import Base, Binding, BindingKind, CallSite, Import, ImportFlag, Mark, Signature, SiteForm

_VARIABLE, _FIELD, _ALIAS = int(BindingKind.VARIABLE), int(BindingKind.FIELD), int(BindingKind.ALIAS)
_BARE, _CONSTRUCT, _DYNAMIC = int(SiteForm.BARE), int(SiteForm.CONSTRUCT), int(SiteForm.DYNAMIC)
_FUNCTION = int(ImportFlag.STATIC)
_NAMED = {"name", "qualified_name", "relative_name"}
_MODIFIERS = {b"final": "final", b"static": "static", b"abstract": "abstract", b"private": "private"}
_BASES = {"base_clause", "class_interface_clause"}
_OUTERMOST = {"program", "namespace_definition"}


class PhpReferences(ReferenceReader):
    """PHP 7 and 8."""

    query: ClassVar[str] = """
    (namespace_definition) @namespace
    (namespace_use_declaration) @use
    [(class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)] @type
    (use_declaration) @traits
    (property_declaration) @property
    (enum_case) @enum_case
    (method_declaration) @method
    (function_definition) @function
    [(anonymous_function) (arrow_function)] @closure
    (method_declaration body: (compound_statement (expression_statement (assignment_expression) @straight)))
    (function_definition body: (compound_statement (expression_statement (assignment_expression) @straight)))
    (program (expression_statement (assignment_expression) @straight))
    (assignment_expression) @assignment
    (augmented_assignment_expression) @augmented
    (reference_assignment_expression) @reference
    (foreach_statement) @each
    [(foreach_statement) (for_statement) (while_statement) (do_statement)] @loop
    (catch_clause) @caught
    (static_variable_declaration name: (_) @unknown)
    (global_declaration (variable_name) @unknown)
    (return_statement) @returned
    (yield_expression) @yielded
    [(include_expression) (include_once_expression) (require_expression) (require_once_expression)] @required
    (function_call_expression function: (_) @called)
    [(member_call_expression) (nullsafe_member_call_expression)] @member
    (scoped_call_expression) @scoped
    (object_creation_expression) @made
    """

    def namespace(self, reading: Reading, node: Node) -> None:
        """`namespace X;`, or one with braces, which is a definition."""
        name = node.child_by_field_name("name")
        text = reading.text(name).lower() if name is not None else ""
        if node.child_by_field_name("body") is None:
            reading.notes.setdefault("namespace", set()).add((node.end_byte, text))

    def use(self, reading: Reading, node: Node) -> None:
        """`use A\\B as C`, `use function`, `use const`, groups."""
        scope = reading.owners.at(node.start_byte)
        word = _keyword(node)
        prefix = next((reading.text(child) for child in node.named_children if child.type == "namespace_name"), "")
        group = node.child_by_field_name("body")
        for clause in (group or node).named_children:
            if clause.type != "namespace_use_clause":
                continue
            named = nth(clause)
            if named is None:
                continue
            full = reading.text(named).strip("\\")
            if group is not None:
                full = f"{prefix.strip(chr(92))}\\{full}"
            module, _, name = full.rpartition("\\")
            kind = _keyword(clause) or word
            alias = clause.child_by_field_name("alias")
            bound = reading.text(alias) if alias is not None else name
            flags = _FUNCTION if kind == "function" else 0
            token = nth(named, named.named_child_count - 1)
            place = token or named
            line = place.start_point[0] + 1
            item = (
                scope,
                place.start_byte,
                place.end_byte,
                line,
                flags,
                module,
                name,
                "" if kind == "const" else bound,
            )
            reading.imports.append(Import(*item))

    def type(self, reading: Reading, node: Node) -> None:
        """What a class, interface, trait or enum descends from."""
        index = self._declared(reading, node)
        if index < 0:
            return
        self._conditional(reading, node, index)
        for child in node.children:
            if child.type in ("base_clause", "class_interface_clause"):
                how = "extends" if child.type == "base_clause" else "implements"
                for name in child.named_children:
                    if name.type in _NAMED:
                        reading.bases.append(Base(index, name_of(reading, name), how))

    def _declared(self, reading: Reading, node: Node) -> int:
        """The definition of a declaration, -1 for none, with its modifiers and where it stands as marks."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index < 0:
            return -1
        head = reading.data[node.start_byte : reading.definitions[index].name_start].lower()
        if b"#[" in head:
            head = head[head.rfind(b"]") :]
        for word in head.split():
            mark = _MODIFIERS.get(word)
            if mark is not None:
                reading.marks.append(Mark(index, mark))
        return index

    def _conditional(self, reading: Reading, node: Node, index: int) -> None:
        """Mark what does not stand at the outermost level."""
        around = node.parent
        if around is not None and around.type == "compound_statement":
            around = around.parent
        if around is not None and around.type not in _OUTERMOST:
            reading.marks.append(Mark(index, "conditional"))

    def traits(self, reading: Reading, node: Node) -> None:
        """`use T;` in a type; names that its block gives anew are not followed."""
        index = self._holder(reading, node.start_byte)
        if index < 0:
            return
        for child in node.named_children:
            if child.type in _NAMED:
                reading.bases.append(Base(index, name_of(reading, child), "uses"))
            elif child.type == "use_list":
                for clause in child.named_children:
                    for name in _adapted(clause):
                        at = name.start_byte
                        text = reading.text(name).lower()
                        reading.bindings.append(Binding(index, index, at, 0, 0, _ALIAS, text, "", ""))

    def _holder(self, reading: Reading, at: int) -> int:
        """The named type whose body directly holds the byte, -1 for none and for an anonymous class."""
        index = reading.owners.at(at)
        return index if index >= 0 and reading.definitions[index].kind in TYPES else -1

    def property(self, reading: Reading, node: Node) -> None:
        """Declared properties with their types."""
        holder = self._holder(reading, node.start_byte)
        if holder < 0:
            return
        declared = type_chain(reading, node.child_by_field_name("type"))
        for element in node.named_children:
            if element.type != "property_element":
                continue
            name = element.child_by_field_name("name") or nth(element)
            if name is None:
                continue
            value = chain_of(reading, element.child_by_field_name("default_value")) or "None"
            self._field(reading, holder, holder, name.start_byte, reading.text(name), declared, value)

    def _field(self, reading: Reading, holder: int, owner: int, at: int, name: str, type_: str, value: str) -> None:
        reading.bindings.append(Binding(holder, owner, at, 0, 0, _FIELD, name, type_, value))

    def enum_case(self, reading: Reading, node: Node) -> None:
        """A case is an instance of its enum."""
        holder = self._holder(reading, node.start_byte)
        name = node.child_by_field_name("name")
        if holder >= 0 and name is not None:
            self._field(reading, holder, holder, name.start_byte, reading.text(name), "self", "")

    def method(self, reading: Reading, node: Node) -> None:
        """Parameters and declared result of a method, and its name in lower case."""
        index = self._declared(reading, node)
        if index < 0:
            return
        definition = reading.definitions[index]
        around = definition.parent
        holder = around if around >= 0 and reading.definitions[around].kind in TYPES else -1
        lower = definition.name.lower()
        if holder >= 0 and lower != definition.name:
            at = definition.name_start
            reading.bindings.append(Binding(holder, holder, at, 0, 0, _ALIAS, lower, "", f"#{index}"))
        self._signature(reading, node, index, holder)

    def function(self, reading: Reading, node: Node) -> None:
        """A function."""
        index = self._declared(reading, node)
        if index >= 0:
            self._conditional(reading, node, index)
            self._signature(reading, node, index, -1)

    def _signature(self, reading: Reading, node: Node, index: int, holder: int) -> None:
        said: list[str] = []
        for parameter in self._parameters(node):
            name = parameter.child_by_field_name("name")
            if name is None:
                continue
            declared = type_chain(reading, parameter.child_by_field_name("type"))
            text = reading.text(name).lstrip("&")
            star = "*" if parameter.type == "variadic_parameter" else ""
            said.append(f"{star}{text}:{declared}" if declared else star + text)
            if parameter.type == "property_promotion_parameter" and holder >= 0:
                self._field(reading, holder, index, name.start_byte, text, declared, "" if declared else text)
        result = type_chain(reading, node.child_by_field_name("return_type"))
        if node.child_by_field_name("return_type") is not None and not result:
            result = '"mixed"'
        reading.signatures.append(Signature(index, -1, -1, ",".join(said), result))

    def _parameters(self, node: Node) -> list[Node]:
        parameters = node.child_by_field_name("parameters")
        return parameters.named_children if parameters is not None else []

    def closure(self, reading: Reading, node: Node) -> None:
        """A function value: the definition that a variable of the file makes of it, or a range with its own names."""
        body = node.child_by_field_name("body")
        if body is None:
            return
        index = reading.owners.at(body.start_byte)
        if index >= 0 and reading.definitions[index].body_start == body.start_byte:
            reading.marks.append(Mark(index, "variable"))
            self._signature(reading, node, index, -1)
            return
        first, last = node.start_byte, node.end_byte
        copied = ["*"] if node.type == "arrow_function" else []
        shared: list[str] = []
        for child in node.named_children:
            if child.type == "anonymous_function_use_clause":
                for part in child.named_children:
                    names = shared if part.type == "by_ref" else copied
                    names += [reading.text(name) for name in variables_in(reading, part)]
        said = f"{last}:{','.join(copied)}:{','.join(shared)}"
        reading.notes.setdefault("closure", set()).add((first, said))
        owner = reading.owners.at(first)
        for parameter in self._parameters(node):
            name = parameter.child_by_field_name("name")
            if name is None:
                continue
            declared = type_chain(reading, parameter.child_by_field_name("type"))
            if parameter.type == "variadic_parameter":
                declared = ""
            place = (owner, owner, name.start_byte, first, last)
            reading.bindings.append(Binding(*place, _VARIABLE, reading.text(name).lstrip("&"), declared, ""))
        if _is_rebound(reading, node):
            reading.bindings.append(Binding(owner, owner, first, first, last, _VARIABLE, "$this", "", ""))

    def straight(self, reading: Reading, node: Node) -> None:
        """An assignment that is a statement of the function itself: neither conditional nor repeated."""
        left = node.child_by_field_name("left")
        if left is not None and left.type == "variable_name":
            reading.notes.setdefault("straight", set()).add((left.start_byte, str(node.end_byte)))

    def assignment(self, reading: Reading, node: Node) -> None:
        """`$x = value`, `$this->x = value`, `[$a, $b] = value`."""
        left = node.child_by_field_name("left")
        if left is None:
            return
        if left.type == "variable_name":
            # Read in `finish`, and only if a call needs it.
            reading.later.append((reading.text(left), node))
        elif left.type == "member_access_expression":
            target = chain_of(reading, left)
            if target.startswith("$this.") and target.count(".") == 1:
                self._own_field(reading, left, "$" + target[6:], chain_of(reading, node.child_by_field_name("right")))
        elif left.type == "scoped_property_access_expression":
            scope, _, name = chain_of(reading, left).partition(".")
            if scope in ("self", "static") and name:
                self._own_field(reading, left, name, chain_of(reading, node.child_by_field_name("right")))
        else:
            for bound in variables_in(reading, left):
                self._variable(reading, bound, "")

    def _own_field(self, reading: Reading, node: Node, name: str, value: str) -> None:
        owner = reading.owners.at(node.start_byte)
        reading.bindings.append(Binding(owner, owner, node.start_byte, -2, -2, _FIELD, name, "", value))

    def _variable(self, reading: Reading, node: Node, type_: str) -> None:
        # Finish knows which closure it stands in.
        at = node.start_byte
        owner = reading.owners.at(at)
        reading.bindings.append(Binding(owner, owner, at, -1, -1, _VARIABLE, reading.text(node), type_, ""))

    def augmented(self, reading: Reading, node: Node) -> None:
        """`$x ??= value` gives another value; what other operators give is no object."""
        left = node.child_by_field_name("left")
        if left is None:
            return
        coalesced = b"??=" in reading.data[left.end_byte : left.end_byte + 8]
        if left.type == "variable_name" and coalesced:
            reading.later.append((reading.text(left), node))
        elif left.type == "variable_name":
            self._variable(reading, left, "")
        elif left.type == "member_access_expression" and coalesced:
            target = chain_of(reading, left)
            if target.startswith("$this.") and target.count(".") == 1:
                self._own_field(reading, left, "$" + target[6:], chain_of(reading, node.child_by_field_name("right")))

    def reference(self, reading: Reading, node: Node) -> None:
        """`$a = &$b`: either may be changed through the other."""
        for side in ("left", "right"):
            part = node.child_by_field_name(side)
            for bound in variables_in(reading, part):
                self._variable(reading, bound, "")

    def loop(self, reading: Reading, node: Node) -> None:
        """A loop: what it binds is seen before the binding too."""
        reading.spans.append((node.start_byte, node.end_byte))

    def each(self, reading: Reading, node: Node) -> None:
        """`foreach (... as $key => $value)`."""
        for child in node.named_children[1:]:
            if child.type == "compound_statement":
                break
            for name in variables_in(reading, child):
                self._variable(reading, name, "")

    def caught(self, reading: Reading, node: Node) -> None:
        """`catch (E $e)`."""
        name = node.child_by_field_name("name")
        if name is not None:
            self._variable(reading, name, type_chain(reading, node.child_by_field_name("type")))

    def unknown(self, reading: Reading, node: Node) -> None:
        """A `static` or `global` variable."""
        self._variable(reading, node, "")

    def returned(self, reading: Reading, node: Node) -> None:
        """What a function returns."""
        value = nth(node)
        if value is not None:
            reading.notes.setdefault("return", set()).add((node.start_byte, chain_of(reading, value) or "?"))

    def yielded(self, reading: Reading, node: Node) -> None:
        """A generator."""
        reading.notes.setdefault("return", set()).add((node.start_byte, "?"))

    def required(self, reading: Reading, node: Node) -> None:
        """`require __DIR__.'/file.php'`: a path from this file, or from wherever the program runs."""
        value = nth(node)
        while value is not None and value.type == "parenthesized_expression":
            value = nth(value)
        text = reading.text(value) if value is not None else ""
        beside = text.startswith("__DIR__")
        path = text.removeprefix("__DIR__").strip(" .\n").strip("'\"") if beside else text.strip("'\"")
        if value is None or not path.endswith(".php") or any(letter in path for letter in "$'\"() "):
            return
        line = value.start_point[0] + 1
        module = f"./{path.lstrip('/')}" if beside else path
        reading.imports.append(Import(-1, value.start_byte, value.end_byte, line, 0, module, "", ""))

    def called(self, reading: Reading, node: Node) -> None:
        """`f()`; `f(...)` is no call."""
        if reading.data.startswith(b"(...)", node.end_byte):
            return
        if node.type in _NAMED:
            token = node if node.type == "name" else nth(node, node.named_child_count - 1) or node
            qualifier = name_of(reading, node)[: -len(reading.text(token))]
            self._site(reading, token, _BARE, qualifier)
        else:
            self._site(reading, node, _DYNAMIC, "")

    def member(self, reading: Reading, node: Node) -> None:
        """`$x->m()`."""
        self._method(reading, node, chain_of(reading, node.child_by_field_name("object")))

    def scoped(self, reading: Reading, node: Node) -> None:
        """`C::m()`."""
        self._method(reading, node, scope_of(reading, node.child_by_field_name("scope")))

    def _method(self, reading: Reading, node: Node, receiver: str) -> None:
        """A call of a method by name; `m(...)` makes a closure and calls nothing."""
        name = node.child_by_field_name("name")
        if name is None or name.type != "name":
            self._site(reading, name or node, _DYNAMIC, "")
        elif not reading.data.startswith(b"(...)", name.end_byte):
            self._site(reading, name, int(member_form(receiver)), receiver)

    def made(self, reading: Reading, node: Node) -> None:
        """`new C`."""
        name = next((child for child in node.named_children if child.type != "attribute_list"), None)
        if name is None:
            return
        if name.type == "anonymous_class":
            self._unnamed(reading, name)
            return
        if name.type in _NAMED:
            token = name if name.type == "name" else nth(name, name.named_child_count - 1) or name
            qualifier = name_of(reading, name)[: -len(reading.text(token))]
            self._site(reading, token, _CONSTRUCT, qualifier)
        else:
            self._site(reading, name, _DYNAMIC, "")

    def _unnamed(self, reading: Reading, node: Node) -> None:
        """A class without a name: its methods may stand in for those of its bases, wherever these are called."""
        owner = reading.owners.at(node.start_byte)
        while owner >= 0 and reading.definitions[owner].kind not in TYPES:
            owner = reading.definitions[owner].parent
        body = node.child_by_field_name("body")
        if owner < 0 or body is None:
            return
        bases = [name for child in node.children if child.type in _BASES for name in child.named_children]
        methods = [child for child in body.named_children if child.type == "method_declaration"]
        bases += [
            name for child in body.named_children if child.type == "use_declaration" for name in child.named_children
        ]
        for method in methods:
            named = method.child_by_field_name("name")
            for base in bases if named is not None else ():
                if named is not None and base.type in _NAMED:
                    at = named.start_byte
                    name = reading.text(named).lower()
                    alias = (owner, owner, at, 0, 0, _ALIAS, name, name_of(reading, base), "new")
                    reading.bindings.append(Binding(*alias))

    def _site(self, reading: Reading, node: Node, form: int, receiver: str) -> None:
        start = node.start_byte
        name = "" if form == _DYNAMIC else reading.text(node)
        line = node.start_point[0] + 1
        reading.sites.append(CallSite(reading.owners.at(start), start, node.end_byte, line, form, -1, name, receiver))

    def finish(self, reading: Reading) -> None:
        """Scopes, results, namespaces; drop what no call site needs."""
        Finish(reading).run()


def _keyword(node: Node) -> str:
    """The word `function` or `const` of a `use`."""
    for child in node.children:
        if child.type in ("function", "const"):
            return child.type
        if child.is_named:
            break
    return ""


def _adapted(clause: Node) -> list[Node]:
    """The names of methods that `T::m insteadof U` and `T::m as n` give another meaning."""
    found = []
    for child in clause.named_children:
        if child.type == "class_constant_access_expression":
            name = nth(child, 1)
            if name is not None:
                found.append(name)
        elif child.type == "name" and clause.type == "use_as_clause":
            found.append(child)
    return found


def _is_rebound(reading: Reading, node: Node) -> bool:
    """Whether a closure is given another `$this` on the spot."""
    around = node.parent
    for _ in range(4):
        if around is None:
            return False
        if around.type in ("member_call_expression", "scoped_call_expression"):
            name = around.child_by_field_name("name")
            return name is not None and reading.text(name).lower() in ("bind", "bindto", "call")
        around = around.parent
    return False
