"""References of C++: includes, using, bases, signatures, variables with their types, calls and constructions.

An include is an import of everything (`*`); a STATIC import is a using-declaration (alias set), a using-directive (`*`)
or a namespace's alias (no name); with TYPE_ONLY it is a class declared ahead, with REEXPORT a macro that opens a
namespace. A qualified callee has a receiver that ends in `::`. The chains are those of `cpp_nodes`. Marks: `virtual`,
`override`, `final`, `static`, `friend`, `inline` for a namespace, `internal` for what stands in an anonymous one,
`opened M` for what the macro M puts into one, `template` for a class template, `specialized` for what stands for some
of a template's arguments. A base's initializer is a construction; implicit constructions (`T x;`, conversions),
operators and destructors are no call sites, and initializers of members are none as far as they can be told apart.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import ClassVar

from tree_sitter import Node

from satori.languages.c import declared_name
from satori.languages.references.base import Reading, Variable
from satori.languages.references.cpp_declarations import FUNCTIONS, TYPES, Declarations
from satori.languages.references.cpp_nodes import (
    CASTS,
    added,
    arity_of,
    chain_of,
    last_of,
    name_of,
    operator_of,
    plain_name,
    root_of,
    short,
    type_of,
)
from satori.languages.references.stretches import Stretches
from satori.model.reference import Binding, BindingKind, CallSite, Mark, Signature, SiteForm

_VARIABLE, _FIELD = int(BindingKind.VARIABLE), int(BindingKind.FIELD)
_BARE, _MEMBER, _SELF = int(SiteForm.BARE), int(SiteForm.MEMBER), int(SiteForm.SELF)
_CONSTRUCT, _CHAIN, _DYNAMIC = int(SiteForm.CONSTRUCT), int(SiteForm.CHAIN), int(SiteForm.DYNAMIC)
_EXPRESSIONS = frozenset({"parenthesized_expression", "call_expression", "subscript_expression", "lambda_expression"})
_PRIMITIVE = frozenset("int char bool void float double short long unsigned signed size_t auto".split())


class CppReferences(Declarations):
    """C++."""

    unordered = frozenset({"block", "called", "forward", "include", "literal", "made"})
    query: ClassVar[str] = """
    (template_declaration (template_parameter_list) @template)
    (preproc_include path: (_) @include)
    (class_specifier !body name: (type_identifier) @forward)
    (struct_specifier !body name: (type_identifier) @forward)
    (using_declaration) @using
    (namespace_alias_definition) @renamed
    (namespace_definition) @namespace
    (preproc_def) @macro
    (alias_declaration) @alias
    (type_definition) @typedef
    (base_class_clause) @based
    (class_specifier (virtual_specifier) @sealed)
    (struct_specifier (virtual_specifier) @sealed)
    [(compound_statement) (for_statement) (for_range_loop) (lambda_expression) (catch_clause)] @block
    (_ condition: (condition_clause [(declaration) (init_statement)])) @block
    (friend_declaration) @friend
    (class_specifier name: (template_type) body: (_)) @partial
    (struct_specifier name: (template_type) body: (_)) @partial
    (function_definition) @function
    (declaration) @declaration
    (field_declaration) @field
    (for_range_loop) @ranged
    (lambda_expression) @lambda_
    (catch_clause parameters: (_) @caught)
    (call_expression) @called
    (new_expression) @made
    (compound_literal_expression) @literal
    (field_initializer) @initializer
    """

    def partial(self, reading: Reading, node: Node) -> None:
        """A class that stands for some arguments of a template."""
        name = node.child_by_field_name("name")
        token = name_of(reading, name)[1] if name is not None else None
        index = reading.named.get(token.start_byte, -1) if token is not None else -1
        if index >= 0:
            reading.marks.append(Mark(index, "specialized"))

    def block(self, reading: Reading, node: Node) -> None:
        """Where a variable is seen."""
        reading.spans.append((node.start_byte, node.end_byte))

    def function(self, reading: Reading, node: Node) -> None:
        """A function with its body."""
        declarator = node.child_by_field_name("declarator")
        if declarator is not None:
            self._signature(reading, node, declarator)

    def declaration(self, reading: Reading, node: Node) -> None:
        """Prototypes and variables; `T x(1)` and `T x{1}` construct."""
        declared = node.child_by_field_name("type")
        local = self._local(reading, node.start_byte)
        for declarator in node.children_by_field_name("declarator"):
            kind = declarator.type
            if kind == "init_declarator":
                self._variable(reading, node, declared, declarator, local=local)
            elif not declarator.is_named:
                continue
            elif kind == "identifier" or not declared_name(declarator)[1]:
                self._variable(reading, node, declared, declarator, local=local)
            elif local and not self._is_defined(reading, declarator):
                # In a function `T x(U::f())` reads as a prototype.
                self._variable(reading, node, declared, declarator, local=True)
            else:
                self._signature(reading, node, declarator)

    def _is_defined(self, reading: Reading, declarator: Node) -> bool:
        name = declared_name(declarator)[0]
        return name is not None and name.start_byte in reading.named

    def _local(self, reading: Reading, at: int) -> bool:
        owner = reading.owners.at(at)
        return owner >= 0 and reading.definitions[owner].kind in FUNCTIONS

    def _variable(self, reading: Reading, node: Node, declared: Node | None, declarator: Node, *, local: bool) -> None:
        """A variable: local ones are looked at when it is known which are asked for."""
        value = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
        target = declarator.child_by_field_name("declarator") if declarator.type == "init_declarator" else declarator
        if target is None:
            return
        if value is None and declarator.type != "init_declarator":
            value = node.child_by_field_name("value")
        if target.type == "function_declarator":
            inner = target.child_by_field_name("declarator")
            if inner is None or inner.type != "identifier":
                return
            self._constructed(reading, declared, target.child_by_field_name("parameters"))
            target = inner
        elif value is not None and value.type in ("argument_list", "initializer_list") and target.type == "identifier":
            self._constructed(reading, declared, value)
        if local:
            self._later(reading, declared, target, value)
            return
        name = plain_name(target)
        if name is not None:
            self._typed(reading, name, declared, target, value, _VARIABLE)

    def _typed(
        self, reading: Reading, name: Node, declared: Node | None, target: Node, value: Node | None, kind: int
    ) -> None:
        said = type_of(reading, declared)
        if said in _PRIMITIVE and said != "auto" and kind == _FIELD:
            return
        extra = added(target)
        chain = ""
        if said == "auto":
            chain = chain_of(reading, value)
            if chain.startswith("(+") and chain[-2:-1] in ("*", "^"):
                # A pointer may lead elsewhere later.
                chain = "(" + chain[2:]
            said = "auto" + ("*" if "*" in extra else "")
        elif "?" in extra:
            said = ""
        else:
            said = short(said + extra) if said else ""
        self._bind(reading, name, kind, said, chain)

    def field(self, reading: Reading, node: Node) -> None:
        """Fields and methods of a class."""
        declared = node.child_by_field_name("type")
        for declarator in node.children_by_field_name("declarator"):
            if not declarator.is_named:
                continue
            if declarator.type != "field_identifier" and declared_name(declarator)[1]:
                self._signature(reading, node, declarator)
                continue
            name = plain_name(declarator)
            owner = reading.owners.at(node.start_byte)
            if name is not None and owner >= 0 and reading.definitions[owner].kind in TYPES:
                self._typed(reading, name, declared, declarator, None, _FIELD)

    def _signature(self, reading: Reading, node: Node, declarator: Node) -> None:
        """What a function takes and gives."""
        name, _ = declared_name(declarator)
        if name is None:
            return
        index = reading.named.get(name.start_byte, -1)
        if index < 0 and name.type == "qualified_identifier":
            index = reading.named.get(last_of(name).start_byte, -1)
        if index < 0 or reading.definitions[index].kind not in FUNCTIONS:
            return
        at: Node | None = declarator
        extra = ""
        while at is not None and at.type != "function_declarator":
            extra += "*" if at.type == "pointer_declarator" else "&" if at.type == "reference_declarator" else ""
            at = at.child_by_field_name("declarator") or (at.named_child(0) if at.named_child_count else None)
        if at is None:
            return
        marks = {"virtual"} & {child.type for child in node.children}
        said = type_of(reading, node.child_by_field_name("type"))
        result = said + extra if said and said != "auto" else ""
        for child in at.children:
            if child.type == "virtual_specifier":
                marks.add(reading.text(child))
            elif child.type == "trailing_return_type":
                result = type_of(reading, child.named_child(0)) if child.named_child_count else ""
        for child in node.children:
            if child.type == "storage_class_specifier" and reading.text(child) == "static":
                marks.add("static")
        reading.marks += [Mark(index, mark) for mark in sorted(marks)]
        least, most, parameters = self._parameters(reading, at.child_by_field_name("parameters"))
        result = self._open(reading, result, name.start_byte)
        reading.signatures.append(Signature(index, least, most, ",".join(parameters), result))

    def _parameters(self, reading: Reading, node: Node | None) -> tuple[int, int, list[str]]:
        least = most = 0
        found: list[str] = []
        for child in node.children if node is not None else ():
            kind = child.type
            if kind == "parameter_declaration":
                least += 1
            elif kind == "variadic_parameter_declaration" or kind in ("...", "variadic_parameter"):
                most = -1
                if kind == "...":
                    continue
            elif kind != "optional_parameter_declaration":
                continue
            most += most >= 0
            target = child.child_by_field_name("declarator")
            name = plain_name(target) if target is not None else None
            said = type_of(reading, child.child_by_field_name("type"))
            extra = added(target)
            said = self._open(reading, said + extra, child.start_byte) if said and "?" not in extra else ""
            found.append(f"{reading.text(name) if name is not None else ''}:{short(said)}")
        if found == [":void"]:
            return 0, 0, []
        return least, most, found

    def ranged(self, reading: Reading, node: Node) -> None:
        """The variable of a loop over a range: an item, which is declared or not known."""
        target = node.child_by_field_name("declarator")
        declared = node.child_by_field_name("type")
        if target is not None:
            self._later(reading, declared, target, None)

    def _later(self, reading: Reading, declared: Node | None, target: Node, value: Node | None) -> None:
        for name in _names(target):
            reading.variables.setdefault(reading.text(name), []).append(Variable(name, declared, target, value))

    def lambda_(self, reading: Reading, node: Node) -> None:
        """Parameters and captures of a function without a name."""
        declarator = node.child_by_field_name("declarator")
        parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
        if parameters is not None:
            self.caught(reading, parameters)
        captures = node.child_by_field_name("captures")
        for child in captures.named_children if captures is not None else ():
            if child.type == "lambda_capture_initializer":
                left = child.child_by_field_name("left")
                if left is not None and left.type == "identifier":
                    self._later(reading, None, left, None)

    def caught(self, reading: Reading, node: Node) -> None:
        """Parameters of a handler or a lambda."""
        for child in node.named_children:
            target = child.child_by_field_name("declarator")
            if target is not None:
                self._later(reading, child.child_by_field_name("type"), target, None)

    def called(self, reading: Reading, node: Node) -> None:
        """A call; casts to a primitive type are none."""
        function = node.child_by_field_name("function")
        if function is None:
            return
        kind = function.type
        arguments = node.child_by_field_name("arguments")
        if kind == "identifier":
            self._site(reading, function, _BARE, "", arity_of(reading, arguments))
        elif kind == "field_expression":
            self._member(reading, function, arguments)
        elif kind in ("qualified_identifier", "template_function"):
            name, token = name_of(reading, function)
            if token is None:
                self._nameless(reading, function)
            elif name not in CASTS:
                qualifier = name[: len(name) - (token.end_byte - token.start_byte)]
                self._site(reading, token, _MEMBER if qualifier else _BARE, qualifier, arity_of(reading, arguments))
        elif kind in _EXPRESSIONS:
            self._nameless(reading, function)

    def _member(self, reading: Reading, node: Node, arguments: Node | None) -> None:
        """`x.f()` and `x->f()`."""
        field = node.child_by_field_name("field")
        token = name_of(reading, field)[1] if field is not None else None
        if token is None or field is None:
            if field is not None and field.type != "destructor_name":
                self._nameless(reading, node)
            return
        before = node.child_by_field_name("argument")
        inner = chain_of(reading, before)
        receiver = inner
        if before is not None and inner and operator_of(reading, before, field) == "->":
            receiver += "->"
        if field.type == "qualified_identifier":
            name = name_of(reading, field)[0]
            receiver = name[: len(name) - (token.end_byte - token.start_byte)] if inner else ""
        form = _SELF if receiver == "this->" else _CHAIN if "()" in receiver else _MEMBER
        self._site(reading, token, form, short(receiver), arity_of(reading, arguments))

    def _nameless(self, reading: Reading, node: Node) -> None:
        start = node.start_byte
        place = (reading.owners.at(start), start, node.end_byte, node.start_point[0] + 1)
        reading.sites.append(CallSite(*place, _DYNAMIC, -1, "", ""))

    def made(self, reading: Reading, node: Node) -> None:
        """`new T(1)`."""
        self._constructed(reading, node.child_by_field_name("type"), node.child_by_field_name("arguments"))

    def literal(self, reading: Reading, node: Node) -> None:
        """`T{1}`."""
        self._constructed(reading, node.child_by_field_name("type"), node.child_by_field_name("value"))

    def _constructed(self, reading: Reading, declared: Node | None, arguments: Node | None) -> None:
        if declared is None or declared.type not in ("type_identifier", "qualified_identifier", "template_type"):
            return
        name, token = name_of(reading, declared)
        if token is None:
            return
        qualifier = name[: len(name) - (token.end_byte - token.start_byte)]
        arity = arity_of(reading, arguments)
        if arguments is not None and arguments.type == "initializer_list" and arity:
            arity = -1
        self._site(reading, token, _CONSTRUCT, qualifier, arity)

    def initializer(self, reading: Reading, node: Node) -> None:
        """A base's initializer; what is named like a member is one."""
        target = node.named_child(0)
        if target is None:
            return
        name, token = name_of(reading, target)
        if token is None or name.endswith("_") or name.startswith("m_") or name[:1].islower():
            return
        arguments = node.named_child(1) if node.named_child_count > 1 else None
        braced = arguments is not None and arguments.type == "initializer_list"
        qualifier = name[: len(name) - (token.end_byte - token.start_byte)]
        self._site(reading, token, _CONSTRUCT, qualifier, -1 if braced else arity_of(reading, arguments))

    def _site(self, reading: Reading, token: Node, form: int, receiver: str, arity: int) -> None:
        start, end = token.start_byte, token.end_byte
        name = reading.data[start:end].decode("utf-8", "replace")
        owner, line = reading.owners.at(start), token.start_point[0] + 1
        if receiver:
            receiver = self._open(reading, receiver, start)
        elif "template " + name in reading.notes and self._open(reading, name, start) != name:
            reading.sites.append(CallSite(owner, start, end, line, _DYNAMIC, -1, "", ""))
            return
        reading.sites.append(CallSite(owner, start, end, line, form, arity, name, receiver))

    def finish(self, reading: Reading) -> None:
        """Local variables that call sites begin with, the blocks they are seen in, what is internal."""
        reading.sites = list(dict.fromkeys(reading.sites))
        waiting = {root_of(site.receiver) if site.receiver else site.name for site in reading.sites}
        waiting.update(root_of(binding.value) for binding in reading.bindings if binding.value)
        done: set[str] = set()
        while waiting:
            name = waiting.pop()
            done.add(name)
            for token, declared, target, value in reading.variables.get(name, ()):
                before = len(reading.bindings)
                if added(target) != "" and plain_name(target) is None:
                    self._bind(reading, token, _VARIABLE, "", "")
                else:
                    self._typed(reading, token, declared, target, value, _VARIABLE)
                for binding in reading.bindings[before:]:
                    root = root_of(binding.value)
                    if root and root not in done:
                        waiting.add(root)
        blocks = Stretches(reading.spans)
        reading.bindings = [self._in_block(reading, blocks, binding) for binding in dict.fromkeys(reading.bindings)]
        self.in_macros(reading)
        opened = sorted(reading.notes.get("opened", ()))
        if opened:
            self._templates(reading, opened)
        internal = reading.notes.get("internal")
        if internal:
            ranges = Stretches((start, int(end)) for start, end in internal)
            for index, definition in enumerate(reading.definitions):
                inside = definition.parent >= 0 and reading.definitions[definition.parent].kind in TYPES
                if not inside and ranges.at(definition.span.start)[1]:
                    reading.marks.append(Mark(index, "internal"))

    def _templates(self, reading: Reading, opened: list[tuple[int, str]]) -> None:
        """Mark the class templates, and what is specialized."""
        starts = [start for start, _ in opened]
        for index, item in enumerate(reading.definitions):
            first = bisect_left(starts, item.span.start)
            if first == len(starts) or starts[first] >= item.name_start:
                continue
            words = {word for start, word in opened[first : first + 4] if start < item.name_start}
            if "specialized" in words and (item.kind in FUNCTIONS or item.kind in TYPES):
                reading.marks.append(Mark(index, "specialized"))
            elif item.kind in TYPES:
                reading.marks.append(Mark(index, "template"))

    def _in_block(self, reading: Reading, blocks: Stretches, binding: Binding) -> Binding:
        if binding.first != -1:
            return binding
        first, last = blocks.at(binding.start)
        body = reading.definitions[binding.scope].body_start
        if last == 0 or first <= body:
            # The function's own block, or one around it: the name is seen in the whole function.
            return binding._replace(first=0, last=0)
        return binding._replace(first=first, last=last)


def _names(target: Node) -> list[Node]:
    """The names that a declarator binds: several for `[a, b]`."""
    at: Node | None = target
    while at is not None:
        if at.type == "structured_binding_declarator":
            return [child for child in at.named_children if child.type == "identifier"]
        if at.type == "reference_declarator":
            at = at.named_child(at.named_child_count - 1) if at.named_child_count else None
            continue
        break
    name = plain_name(target)
    return [name] if name is not None else []
