"""References of C#: usings, bases, signatures, variables with their types, calls and constructions.

A using is an import of everything (`*`), a STATIC one of a type's members, an alias has no name; REEXPORT marks
`global`. A file with a global using has the package `#global`. The chains are those of `csharp_nodes`. Marks are the
modifiers that rules ask for, `extension`, `explicit` for an explicit interface implementation, `private` for methods
without another access, `conditional` for types between `#if` and `#endif`, and a backtick with the number of type
parameters. A construction's receiver is its type; `new(...)` is named `new`. `: base(...)` and `: this(...)` are calls
of those names. Attributes, operators, indexers and accessors are no call sites.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader, Variable
from satori.languages.references.csharp_nodes import (
    arity_of,
    chain_of,
    name_token,
    receiver_of,
    root_of,
    short,
    type_of,
)
from satori.languages.references.owners import CODE_KINDS
from satori.languages.references.stretches import Stretches
from satori.model.definition import SymbolKind
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

_VARIABLE, _FIELD = int(BindingKind.VARIABLE), int(BindingKind.FIELD)
_BARE, _MEMBER, _SELF, _SUPER = int(SiteForm.BARE), int(SiteForm.MEMBER), int(SiteForm.SELF), int(SiteForm.SUPER)
_CONSTRUCT, _CHAIN, _DYNAMIC = int(SiteForm.CONSTRUCT), int(SiteForm.CHAIN), int(SiteForm.DYNAMIC)
_STATIC, _GLOBAL = int(ImportFlag.STATIC), int(ImportFlag.REEXPORT)
_MODIFIERS = frozenset({"virtual", "override", "abstract", "sealed", "static", "partial", "new"})
_OPENING = re.compile(r"([(+]*)(\w+)")
_DIRECTIVE = re.compile(rb"#[ \t]*(if|endif)\b")
_ACCESS = frozenset({"public", "internal", "protected"})
_CLASSES = frozenset({SymbolKind.CLASS, SymbolKind.STRUCT})
_HOLDERS = frozenset({SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE})
_NAMED = frozenset({"identifier", "generic_name", "qualified_name", "alias_qualified_name"})
_FIELDS = frozenset({"field_declaration", "event_field_declaration"})
_PRIMITIVE = frozenset(
    "int uint long ulong short ushort byte sbyte bool char float double decimal string object void dynamic".split()
)


class CSharpReferences(ReferenceReader):
    """C#."""

    owning = CODE_KINDS | {SymbolKind.PROPERTY}
    unordered = frozenset({"assigned", "block_", "called", "made"})
    query: ClassVar[str] = """
    (type_parameter_list) @template
    (using_directive) @using
    [(class_declaration) (struct_declaration) (interface_declaration) (record_declaration)] @type
    [(method_declaration) (constructor_declaration) (local_function_statement)] @method
    [(property_declaration) (event_declaration)] @property
    (indexer_declaration) @indexer
    (record_declaration (parameter_list (parameter) @component))
    (variable_declaration) @variables
    (foreach_statement) @each
    [(lambda_expression) (anonymous_method_expression)] @lambda_
    [(declaration_pattern) (declaration_expression) (catch_declaration) (recursive_pattern) (var_pattern)] @pattern
    [(from_clause) (let_clause) (join_clause)] @ranged
    (tuple_pattern) @tuple_
    (assignment_expression left: (identifier) @assigned)
    (argument ["ref" "out"] (identifier) @assigned)
    [(block) (for_statement) (foreach_statement) (using_statement) (lambda_expression) (anonymous_method_expression)
        (catch_clause) (switch_section) (accessor_declaration) (query_expression)] @block_
    (invocation_expression) @called
    (object_creation_expression) @made
    (implicit_object_creation_expression) @made_so
    (constructor_initializer) @initializer
    """

    def template(self, reading: Reading, node: Node) -> None:
        """Type parameters, which are names of types in all of their owner."""
        around = node.parent
        for child in node.named_children if around is not None else ():
            token = child.child_by_field_name("name")
            if token is not None and around is not None:
                place = (around.start_byte, str(around.end_byte))
                reading.notes.setdefault("template " + reading.text(token), set()).add(place)

    def _open(self, reading: Reading, chain: str, at: int) -> str:
        """The chain, with a `?` before it when it begins with a type parameter."""
        first = _OPENING.match(chain)
        ranges = reading.notes.get("template " + first.group(2)) if first is not None else None
        if first is None or not ranges or not any(start <= at < int(end) for start, end in ranges):
            return chain
        return f"{first.group(1)}?{chain[first.end(1) :]}"

    def using(self, reading: Reading, node: Node) -> None:
        """`using`, `using static`, an alias."""
        words = {child.type for child in node.children}
        alias = node.child_by_field_name("name")
        target = node.named_child(node.named_child_count - 1) if node.named_child_count else None
        if target is None:
            return
        flags = _STATIC if "static" in words else 0
        if "global" in words:
            flags |= _GLOBAL
            reading.package = "#global"
        start = target.start_byte
        scope = reading.owners.at(start)
        place = (scope, start, target.end_byte, target.start_point[0] + 1, flags)
        said = type_of(reading, target)
        if alias is not None:
            reading.imports.append(Import(*place, said, "", reading.text(alias)))
        elif said:
            reading.imports.append(Import(*place, said, "*", ""))

    def _index(self, reading: Reading, node: Node) -> int:
        name = node.child_by_field_name("name")
        return reading.named.get(name.start_byte, -1) if name is not None else -1

    def type(self, reading: Reading, node: Node) -> None:
        """A type: bases, modifiers, the number of its parameters."""
        index = self._index(reading, node)
        name = node.child_by_field_name("name")
        if index < 0 or name is None:
            return
        words = self._modifiers(reading, node, index)
        for child in node.named_children:
            if child.type == "type_parameter_list":
                reading.marks.append(Mark(index, f"`{child.named_child_count}"))
            elif child.type == "base_list":
                for base in child.named_children:
                    named = base.named_child(0) if base.type == "primary_constructor_base_type" else base
                    if named is not None and named.type in _NAMED:
                        said = self._open(reading, type_of(reading, named), named.start_byte)
                        reading.bases.append(Base(index, said, "extends"))
        parent = reading.definitions[index].parent
        if "public" in words and (parent < 0 or reading.definitions[parent].kind is SymbolKind.NAMESPACE):
            line = name.start_point[0] + 1
            said = reading.text(name)
            reading.exports.append(Export(name.start_byte, name.end_byte, line, 0, said, said, ""))

    def _modifiers(self, reading: Reading, node: Node, index: int) -> set[str]:
        words = {reading.text(child) for child in node.children if child.type == "modifier"}
        reading.marks += [Mark(index, word) for word in sorted(words & _MODIFIERS)]
        return words

    def method(self, reading: Reading, node: Node) -> None:
        """A method, constructor or local function: what it takes and gives."""
        index = self._index(reading, node)
        if index < 0:
            return
        words = self._modifiers(reading, node, index)
        parent = reading.definitions[index].parent
        if words.isdisjoint(_ACCESS) and parent >= 0 and reading.definitions[parent].kind in _CLASSES:
            reading.marks.append(Mark(index, "private"))
        for child in node.children:
            if child.type == "explicit_interface_specifier":
                reading.marks.append(Mark(index, "explicit"))
            elif child.type == "type_parameter_list":
                reading.marks.append(Mark(index, f"`{child.named_child_count}"))
        least = most = 0
        found: list[str] = []
        for name, declared, optional, word in _parameters(reading, node.child_by_field_name("parameters")):
            said = self._open(reading, type_of(reading, declared), name.start_byte)
            found.append(f"{reading.text(name)}:{said}")
            if word == "this":
                reading.marks.append(Mark(index, "extension"))
            if word == "params":
                most = -1
                continue
            most += most >= 0
            least += not optional
        result = type_of(reading, node.child_by_field_name("returns") or node.child_by_field_name("type"))
        result = self._open(reading, result, node.start_byte)
        reading.signatures.append(Signature(index, least, most, ",".join(found), result))

    def property(self, reading: Reading, node: Node) -> None:
        """A property or an event: a field as far as its type goes."""
        name = node.child_by_field_name("name")
        if name is not None:
            self._bind(reading, name, type_of(reading, node.child_by_field_name("type")), "", _FIELD)

    def indexer(self, reading: Reading, node: Node) -> None:
        """An indexer: a field called `this` as far as its type goes."""
        name = next((child for child in node.children if child.type == "this"), None)
        if name is not None:
            self._bind(reading, name, type_of(reading, node.child_by_field_name("type")), "", _FIELD)

    def component(self, reading: Reading, node: Node) -> None:
        """A parameter in a record's header is a property."""
        self.property(reading, node)

    def variables(self, reading: Reading, node: Node) -> None:
        """Fields and local variables."""
        declared = node.child_by_field_name("type")
        holder = node.parent
        for child in node.named_children:
            if child.type != "variable_declarator":
                continue
            name = child.child_by_field_name("name")
            if name is None:
                continue
            value = child.named_child(child.named_child_count - 1) if child.named_child_count > 1 else None
            if holder is not None and holder.type in _FIELDS:
                self._bind(reading, name, type_of(reading, declared), "", _FIELD)
            else:
                self._later(reading, name, declared, child, value)

    def _later(self, reading: Reading, name: Node, declared: Node | None, holder: Node, value: Node | None) -> None:
        reading.variables.setdefault(reading.text(name), []).append(Variable(name, declared, holder, value))

    def each(self, reading: Reading, node: Node) -> None:
        """`foreach`: an item of what is looped over."""
        left = node.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            self._later(reading, left, node.child_by_field_name("type"), node, node.child_by_field_name("right"))

    def lambda_(self, reading: Reading, node: Node) -> None:
        """Parameters of a function without a name."""
        parameters = node.child_by_field_name("parameters")
        if parameters is None:
            return
        if parameters.type == "parameter_list":
            for name, declared, _, _ in _parameters(reading, parameters):
                self._later(reading, name, declared, parameters, None)
        else:
            self._later(reading, parameters, None, parameters, None)

    def pattern(self, reading: Reading, node: Node) -> None:
        """A variable that a pattern, an `out` argument or a handler declares."""
        name = node.child_by_field_name("name")
        if name is not None and name.type == "identifier":
            self._later(reading, name, node.child_by_field_name("type"), node, None)

    def ranged(self, reading: Reading, node: Node) -> None:
        """A variable of a query."""
        name = node.child_by_field_name("name") or (node.named_child(0) if node.named_child_count else None)
        if name is not None and name.type == "identifier":
            self._later(reading, name, node.child_by_field_name("type"), node, None)

    def tuple_(self, reading: Reading, node: Node) -> None:
        """The variables of `var (a, b)`."""
        for child in node.named_children:
            if child.type == "identifier":
                self._later(reading, child, None, node, None)

    def assigned(self, reading: Reading, node: Node) -> None:
        """A variable that is given another value, or that a call may give one."""
        reading.notes.setdefault("assigned", set()).add((0, reading.text(node)))

    def block_(self, reading: Reading, node: Node) -> None:
        """Where a variable is seen."""
        reading.spans.append((node.start_byte, node.end_byte))

    def called(self, reading: Reading, node: Node) -> None:
        """A call."""
        function = node.child_by_field_name("function")
        if function is None:
            return
        arity = arity_of(reading, node.child_by_field_name("arguments"))
        kind = function.type
        token: Node | None = None
        receiver, form = "", _BARE
        if kind in ("identifier", "generic_name"):
            token = name_token(function)
            if token is not None and reading.text(token) == "nameof":
                return
        elif kind == "member_access_expression":
            token = name_token(function.child_by_field_name("name"))
            before = receiver_of(function)
            receiver = chain_of(reading, before)
            form = _SELF if receiver == "this" else _SUPER if receiver == "base" else _MEMBER
        elif kind == "conditional_access_expression":
            last = function.named_child(function.named_child_count - 1)
            if last is not None and last.type in ("member_binding_expression", "member_access_expression"):
                token = name_token(last.child_by_field_name("name"))
                receiver = chain_of(reading, function).rpartition(".")[0]
                form = _MEMBER
        if token is None:
            start = function.start_byte
            place = (reading.owners.at(start), start, function.end_byte, function.start_point[0] + 1)
            reading.sites.append(CallSite(*place, _DYNAMIC, -1, "", ""))
            return
        if form == _MEMBER and "()" in receiver:
            form = _CHAIN
        self._site(reading, token, form, self._open(reading, receiver, token.start_byte), arity)

    def _site(self, reading: Reading, token: Node, form: int, receiver: str, arity: int) -> None:
        start = token.start_byte
        place = (reading.owners.at(start), start, token.end_byte, token.start_point[0] + 1)
        reading.sites.append(CallSite(*place, form, arity, reading.text(token), short(receiver)))

    def made(self, reading: Reading, node: Node) -> None:
        """`new T(...)`."""
        declared = node.child_by_field_name("type")
        if declared is None or declared.type not in _NAMED:
            return
        last = declared
        while last.type in ("qualified_name", "alias_qualified_name"):
            inner = last.child_by_field_name("name")
            if inner is None:
                return
            last = inner
        token = name_token(last)
        said = self._open(reading, type_of(reading, declared), declared.start_byte)
        if token is not None and said:
            self._site(reading, token, _CONSTRUCT, said, arity_of(reading, node.child_by_field_name("arguments")))

    def made_so(self, reading: Reading, node: Node) -> None:
        """`T x = new(...)`."""
        declarator = node.parent
        holder = declarator.parent if declarator is not None else None
        declared = None
        if declarator is not None and declarator.type == "property_declaration":
            declared = declarator.child_by_field_name("type")
        elif holder is not None and holder.type == "variable_declaration":
            declared = holder.child_by_field_name("type")
        said = type_of(reading, declared)
        if declared is not None and declared.type != "nullable_type" and said:
            arguments = next((child for child in node.named_children if child.type == "argument_list"), None)
            said = self._open(reading, said, node.start_byte)
            self._site(reading, node.children[0], _CONSTRUCT, said, arity_of(reading, arguments))

    def initializer(self, reading: Reading, node: Node) -> None:
        """`: base(...)` and `: this(...)`."""
        token = next((child for child in node.children if child.type in ("base", "this")), None)
        arguments = next((child for child in node.named_children if child.type == "argument_list"), None)
        if token is not None:
            self._site(reading, token, _SUPER if token.type == "base" else _SELF, "", arity_of(reading, arguments))

    def _bind(self, reading: Reading, name: Node, said: str, value: str, kind: int) -> None:
        at = name.start_byte
        scope = reading.owners.at(at)
        if scope >= 0 and reading.definitions[scope].name_start == at:
            scope = reading.definitions[scope].parent
        if kind == _FIELD and (scope < 0 or reading.definitions[scope].kind not in _HOLDERS):
            return
        said, value = self._open(reading, said, at), self._open(reading, value, at)
        first, last = (0, 0) if kind == _FIELD else (-1, -1)
        reading.bindings.append(Binding(scope, scope, at, first, last, kind, reading.text(name), said, value))

    def finish(self, reading: Reading) -> None:
        """Local variables that call sites begin with, and the blocks they are seen in."""
        reading.sites = list(dict.fromkeys(reading.sites))
        assigned = {name for _, name in reading.notes.get("assigned", ())}
        waiting = {
            root_of(site.receiver) if site.receiver else site.name for site in reading.sites if site.form != _CONSTRUCT
        }
        done: set[str] = set()
        while waiting:
            name = waiting.pop()
            done.add(name)
            for variable in reading.variables.get(name, ()):
                said, value = self._typed(reading, variable)
                if value.startswith("(+") and name in assigned:
                    value = "(" + value[2:]
                self._bind(reading, variable.name, said, value, _VARIABLE)
                root = root_of(value)
                if root and root not in done:
                    waiting.add(root)
        conditions = Stretches(_conditions(reading.data))
        reading.marks += [
            Mark(index, "conditional")
            for index, item in enumerate(reading.definitions)
            if item.kind in _HOLDERS and conditions.at(item.name_start)[1]
        ]
        # A field of a primitive type says something only where a call begins with it.
        reading.bindings = [
            item for item in reading.bindings if item.kind != _FIELD or item.type not in _PRIMITIVE or item.name in done
        ]
        blocks = Stretches(reading.spans)
        reading.bindings = [self._in_block(reading, blocks, binding) for binding in dict.fromkeys(reading.bindings)]

    def _typed(self, reading: Reading, variable: Variable) -> tuple[str, str]:
        """(the declared type, the value that gives it when it is `var`)."""
        said = type_of(reading, variable.type)
        if said != "var":
            return said, ""
        value = chain_of(reading, variable.value)
        if variable.declarator.type == "foreach_statement":
            value = short(value + "@") if value else ""
        return "", value

    def _in_block(self, reading: Reading, blocks: Stretches, binding: Binding) -> Binding:
        if binding.first != -1:
            return binding
        if binding.scope < 0:
            return binding._replace(first=0, last=0)
        first, last = blocks.at(binding.start)
        definition = reading.definitions[binding.scope]
        if last == 0 or first <= definition.span.start or first == definition.body_start:
            return binding._replace(first=0, last=0)
        return binding._replace(first=first, last=last)


def _conditions(data: bytes) -> list[tuple[int, int]]:
    """The stretches between `#if` and `#endif`, as the preprocessor nests them."""
    found: list[tuple[int, int]] = []
    open_: list[int] = []
    for directive in _DIRECTIVE.finditer(data):
        if data[data.rfind(b"\n", 0, directive.start()) + 1 : directive.start()].strip():
            continue
        if directive.group(1) == b"if":
            open_.append(directive.start())
        elif open_:
            found.append((open_.pop(), directive.end()))
    return found


def _parameters(reading: Reading, node: Node | None) -> Iterator[tuple[Node, Node | None, bool, str]]:
    """(name, type, whether it may be left out, `this` or `params`) of each parameter."""
    following: Node | None = None
    rest = False
    for child in node.children if node is not None else ():
        kind = child.type
        if kind == "parameter":
            name = child.child_by_field_name("name")
            if name is None:
                continue
            words = {reading.text(part) for part in child.children if part.type == "modifier"}
            optional = any(part.type == "=" for part in child.children)
            yield name, child.child_by_field_name("type"), optional, "this" if "this" in words else ""
        elif kind == "params" or (kind == "modifier" and reading.text(child) == "params"):
            rest = True
        elif rest and child.is_named:
            if following is None and kind != "attribute_list":
                following = child
            elif kind == "identifier":
                yield child, following, True, "params"
                rest = False
