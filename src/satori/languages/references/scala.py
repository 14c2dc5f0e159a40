"""References of Scala: packages, imports, bases, typed members and parameters, local names, calls, infix calls, `new`.

`package` is all package clauses together; a Mark of the file says each package whose members are seen (`sees a.b`), and
a definition in a clause with braces has `package a.b`. Marks: `object`, `case`, `override`, `final`, `private`,
`implicit`, `[A,B]` for type parameters, `unnamed` for a member of a class without a name. Such a class is a binding
`new` with its range and base; its members are ALIASes of the type that it stands in, with the base as type and the
value `new`. A parameter list is `name:type,...`; lists are separated by `;`, an implicit one begins with `?`, and
`least` is -1 where there is none. Bases: `extends` for all, `self` for a self type, whose name is an ALIAS of the value
`this`. Type aliases are ALIASes with their type. Names of blocks, cases, lambdas and loops are seen in their range; an
import of an inner block is CONDITIONAL, and a binding `import` with its range, module and `name>alias`.

Selections without arguments are no call sites, and neither is what the compiler adds: implicit conversions and
arguments, `for`'s methods, extractors.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.languages.references.scala_finish import TYPES, Finish
from satori.languages.references.scala_nodes import chain_of, infix_parts, member_form, nth, plain, type_text
from satori.model.reference import Base, Binding, BindingKind, CallSite, Import, Mark, Signature, SiteForm

_FIELD, _ALIAS, _PARAMETER = int(BindingKind.FIELD), int(BindingKind.ALIAS), int(BindingKind.PARAMETER)
_VARIABLE = int(BindingKind.VARIABLE)
_BARE, _CONSTRUCT, _DYNAMIC = int(SiteForm.BARE), int(SiteForm.CONSTRUCT), int(SiteForm.DYNAMIC)
_WORDS = {word.encode(): word for word in ("case", "override", "final", "private", "implicit", "abstract")}
_RENAMED = {"arrow_renamed_identifier", "as_renamed_identifier"}
_VALUES = {"val_definition", "var_definition", "val_declaration", "var_declaration"}
_FUNCTIONS = {"function_definition", "function_declaration"}


class ScalaReferences(ReferenceReader):
    """Scala 2 and 3."""

    query: ClassVar[str] = """
    (package_clause) @package
    (import_declaration) @import_
    [(class_definition) (object_definition) (trait_definition) (enum_definition) (package_object)] @type
    [(simple_enum_case) (full_enum_case)] @enum_case
    (extension_definition) @extension
    [(function_definition) (function_declaration)] @function
    [(val_definition) (var_definition) (val_declaration) (var_declaration)] @value
    (type_definition) @alias
    [(block) (indented_block) (case_clause) (lambda_expression) (for_expression)] @block
    (case_clause pattern: (_) @pattern)
    (lambda_expression parameters: (_) @pattern)
    (enumerator . (_) @pattern)
    (self_type) @self_type
    (call_expression function: (_) @called)
    (infix_expression) @infix
    (instance_expression) @made
    """

    def package(self, reading: Reading, node: Node) -> None:
        """`package a.b`, and with braces."""
        name = node.child_by_field_name("name")
        if name is not None:
            text = "".join(reading.text(name).split())
            body = node.child_by_field_name("body")
            said = f"{body.end_byte if body is not None else -1}:{text}"
            reading.notes.setdefault("package", set()).add((node.start_byte, said))

    def import_(self, reading: Reading, node: Node) -> None:
        """`import a.b.{C, D => E, _}`, several at once included."""
        scope = reading.owners.at(node.start_byte)
        path: list[str] = []
        last: Node | None = None
        for child in node.children:
            kind = child.type
            if kind in ("identifier", "operator_identifier"):
                path.append(plain(reading.text(child)))
                last = child
            elif kind == "namespace_wildcard":
                self._imported(reading, scope, child, path, "*", "")
                path, last = [], None
            elif kind == "namespace_selectors":
                for part in child.named_children:
                    self._selected(reading, scope, part, path)
                path, last = [], None
            elif kind in _RENAMED:
                self._selected(reading, scope, child, path)
                path, last = [], None
            elif kind == "," and last is not None:
                self._imported(reading, scope, last, path[:-1], path[-1], path[-1])
                path, last = [], None
        if last is not None:
            self._imported(reading, scope, last, path[:-1], path[-1], path[-1])

    def _selected(self, reading: Reading, scope: int, node: Node, path: list[str]) -> None:
        if node.type == "namespace_wildcard":
            if reading.text(node) != "given":
                self._imported(reading, scope, node, path, "*", "")
        elif node.type in _RENAMED:
            name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
            if name is not None:
                bound = plain(reading.text(alias)) if alias is not None and alias.type == "identifier" else ""
                self._imported(reading, scope, name, path, plain(reading.text(name)), bound)
        elif node.type in ("identifier", "operator_identifier"):
            name_text = plain(reading.text(node))
            self._imported(reading, scope, node, path, name_text, name_text)

    def _imported(self, reading: Reading, scope: int, node: Node, path: list[str], name: str, alias: str) -> None:
        line = node.start_point[0] + 1
        item = (scope, node.start_byte, node.end_byte, line, 0, ".".join(path), name, alias)
        reading.imports.append(Import(*item))

    def type(self, reading: Reading, node: Node) -> None:
        """A class, object, trait or enum: bases, constructor, fields of its header."""
        name = node.child_by_field_name("name")
        index = self._declared(reading, node, name)
        if index < 0:
            return
        if node.type == "object_definition":
            reading.marks.append(Mark(index, "object"))
        lists = node.children_by_field_name("class_parameters")
        if node.type in ("class_definition", "enum_definition"):
            self._signature(reading, lists, None, index, None)
        case = "case" in self._words(reading, node, index)
        for group in lists:
            for parameter in group.named_children:
                named = parameter.child_by_field_name("name")
                if named is None:
                    continue
                words = reading.data[parameter.start_byte : named.start_byte].split()
                kind = _FIELD if case or b"val" in words or b"var" in words else _PARAMETER
                declared = type_text(reading, parameter.child_by_field_name("type"))
                place = (index, index, named.start_byte, 0, 0, kind)
                reading.bindings.append(Binding(*place, plain(reading.text(named)), declared, ""))
            case = False
        self._extended(reading, node.child_by_field_name("extend"), index)

    def enum_case(self, reading: Reading, node: Node) -> None:
        """`case A extends E(1)`: a construction."""
        kind: Node | None = None
        clause = node.child_by_field_name("extend")
        for child in clause.named_children if clause is not None else ():
            if child.type != "arguments":
                kind = child
            elif kind is not None:
                self._construction(reading, kind, _arity(reading, child))

    def extension(self, reading: Reading, node: Node) -> None:
        """`extension (a: A)`: its parameters are seen in all of its methods."""
        owner = reading.owners.at(node.start_byte)
        for group in node.children_by_field_name("parameters"):
            for parameter in group.named_children:
                name = parameter.child_by_field_name("name")
                if name is not None:
                    place = (owner, owner, name.start_byte, node.start_byte, node.end_byte, _VARIABLE)
                    declared = type_text(reading, parameter.child_by_field_name("type"))
                    reading.bindings.append(Binding(*place, plain(reading.text(name)), declared, ""))

    def _extended(self, reading: Reading, clause: Node | None, index: int) -> None:
        """`extends A(x) with B`: the bases, and the construction of the first."""
        kind: Node | None = None
        for child in clause.named_children if clause is not None else ():
            if child.type != "arguments":
                kind = child
                for part in _parts(child):
                    reading.bases.append(Base(index, type_text(reading, part), "extends"))
            elif kind is not None:
                self._construction(reading, kind, _arity(reading, child))

    def _declared(self, reading: Reading, node: Node, name: Node | None) -> int:
        """The definition of a declaration, -1 for none, with its modifiers and type parameters as marks."""
        if name is None:
            return -1
        quoted = reading.data[name.start_byte : name.start_byte + 1] == b"`"
        index = reading.named.get(name.start_byte + quoted, -1)
        if index < 0:
            return -1
        for word in self._words(reading, node, index):
            reading.marks.append(Mark(index, word))
        generic = node.child_by_field_name("type_parameters") or node.child_by_field_name("parameters")
        if generic is not None and generic.type == "type_parameters":
            names = [text for child in generic.children if (text := _parameter_name(reading, child))]
            reading.marks.append(Mark(index, f"[{','.join(names)}]"))
        return index

    def _words(self, reading: Reading, node: Node, index: int) -> list[str]:
        """The modifiers of a definition; annotations before them do not count."""
        head = reading.data[node.start_byte : reading.definitions[index].name_start]
        if b"private" in head:
            head = head.replace(b"[", b" [")
        if b"@" in head:
            head = head[head.rfind(b")") + 1 :]
        return [_WORDS[word] for word in head.split() if word in _WORDS]

    def function(self, reading: Reading, node: Node) -> None:
        """Parameters and result of a method or function."""
        index = self._declared(reading, node, node.child_by_field_name("name"))
        if index >= 0:
            lists = [group for group in node.children_by_field_name("parameters") if group.type == "parameters"]
            self._signature(reading, lists, node.child_by_field_name("return_type"), index, node)

    def _signature(
        self, reading: Reading, lists: list[Node], declared: Node | None, index: int, function: Node | None
    ) -> None:
        said: list[str] = []
        least = most = -1
        for position, group in enumerate(lists):
            texts: list[str] = []
            required = count = 0
            for parameter in group.named_children:
                name = parameter.child_by_field_name("name")
                if name is None:
                    continue
                kind = parameter.child_by_field_name("type")
                inner = nth(kind) if kind is not None and kind.type == "lazy_parameter_type" else kind
                repeated = inner is not None and inner.type == "repeated_parameter_type"
                text = plain(reading.text(name))
                written = type_text(reading, kind)
                texts.append(f"{'*' if repeated else ''}{text}:{written}" if written else f"{'*' * repeated}{text}")
                required += parameter.child_by_field_name("default_value") is None and not repeated
                count = -1 if repeated or count < 0 else count + 1
            opening = reading.data[group.start_byte : group.start_byte + 12].lstrip(b"( \n")
            implicit = opening.startswith((b"implicit", b"using"))
            said.append(("?" if implicit else "") + ",".join(texts))
            if position == 0 and not implicit:
                least, most = required, count
        result = type_text(reading, declared)
        if declared is not None and not result:
            result = '"?"'
        results = ""
        if function is not None and declared is None:
            results = chain_of(reading, function.child_by_field_name("body"))
        elif function is None:
            least, most = max(least, 0), most if least >= 0 else 0
        reading.signatures.append(Signature(index, least, most, ";".join(said), result, results))

    def value(self, reading: Reading, node: Node) -> None:
        """`val` and `var`: a field of a type, or a local name."""
        pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
        if pattern is None:
            return
        if pattern.type != "identifier":
            reading.later.append(("pattern", pattern))
            return
        at = pattern.start_byte + (reading.data[pattern.start_byte : pattern.start_byte + 1] == b"`")
        index = reading.named.get(at, -1)
        parent = reading.definitions[index].parent if index >= 0 else -1
        if index < 0 or (parent >= 0 and reading.definitions[parent].kind not in TYPES):
            # Of a block, or of a class without a name.
            reading.later.append(("local", node))
            return
        for word in self._words(reading, node, index):
            reading.marks.append(Mark(index, word))
        declared = type_text(reading, node.child_by_field_name("type"))
        value = "" if declared else chain_of(reading, node.child_by_field_name("value"))
        if node.type == "var_definition" and value.startswith("new "):
            value = f"({value[4:]})"
        name = reading.definitions[index].name
        reading.bindings.append(Binding(parent, parent, at, 0, 0, _FIELD, name, declared, value))

    def alias(self, reading: Reading, node: Node) -> None:
        """`type A = B`."""
        name = node.child_by_field_name("name")
        index = self._declared(reading, node, name)
        if index >= 0:
            scope = reading.definitions[index].parent
            written = type_text(reading, node.child_by_field_name("type"))
            place = (scope, scope, reading.definitions[index].name_start, 0, 0, _ALIAS)
            reading.bindings.append(Binding(*place, reading.definitions[index].name, written, "type"))

    def block(self, reading: Reading, node: Node) -> None:
        """Where names are seen."""
        reading.spans.append((node.start_byte, node.end_byte))

    def pattern(self, reading: Reading, node: Node) -> None:
        """Names of cases, lambdas and loops."""
        reading.later.append(("pattern", node))

    def self_type(self, reading: Reading, node: Node) -> None:
        """`self: T =>`."""
        index = reading.owners.at(node.start_byte)
        if index < 0 or reading.definitions[index].kind not in TYPES:
            return
        for child in node.named_children:
            if child.type == "identifier":
                name = plain(reading.text(child))
                reading.bindings.append(Binding(index, index, child.start_byte, 0, 0, _ALIAS, name, "", "this"))
            else:
                for part in _parts(child):
                    reading.bases.append(Base(index, type_text(reading, part), "self"))

    def called(self, reading: Reading, node: Node) -> None:
        """`f(...)`, `a.f(...)`; of `f(1)(2)` only the first."""
        arguments = node.next_named_sibling
        function = node
        if function.type == "generic_function":
            inner = function.child_by_field_name("function")
            function = inner if inner is not None else function
        kind = function.type
        arity = _arity(reading, arguments)
        if kind in ("identifier", "operator_identifier"):
            self._site(reading, function, _BARE, "", arity)
        elif kind == "field_expression":
            name = function.child_by_field_name("field")
            if name is not None:
                receiver = chain_of(reading, function.child_by_field_name("value"))
                self._site(reading, name, int(member_form(receiver)), receiver, arity)
        elif kind not in ("call_expression", "instance_expression", "infix_expression"):
            self._site(reading, function, _DYNAMIC, "", arity)

    def infix(self, reading: Reading, node: Node) -> None:
        """`a op b`."""
        receiver, operator = infix_parts(reading, node)
        if operator is None or reading.data[operator.start_byte : operator.end_byte] == b"=":
            return
        right = node.child_by_field_name("right")
        arity = 1
        if right is not None and right == receiver:
            right = node.child_by_field_name("left")
        if right is not None and right.type == "tuple_expression":
            arity = right.named_child_count
        elif right is not None and right.type == "unit":
            arity = 0
        chain = chain_of(reading, receiver)
        self._site(reading, operator, int(member_form(chain)), chain, arity)

    def made(self, reading: Reading, node: Node) -> None:
        """`new C(...)`, and the class without a name that `new C { }` is."""
        first = nth(node)
        if first is None:
            return
        body: Node | None = None
        arity = 0
        for child in node.named_children:
            if child.type == "arguments" and not arity:
                arity = _arity(reading, child)
            elif child.type == "template_body":
                body = child
        if first.type != "template_body":
            base = first.child_by_field_name("base") if first.type == "compound_type" else first
            self._construction(reading, base or first, arity)
        if body is not None:
            self._unnamed(reading, first, body)

    def _construction(self, reading: Reading, kind: Node, arity: int) -> None:
        while kind.type in ("generic_type", "annotated_type"):
            inner = kind.child_by_field_name("type") or nth(kind)
            if inner is None:
                return
            kind = inner
        token = nth(kind, kind.named_child_count - 1) if kind.type == "stable_type_identifier" else kind
        if token is None or token.type != "type_identifier":
            return
        text = type_text(reading, kind)
        self._site(reading, token, _CONSTRUCT, text.rpartition(".")[0], arity)

    def _unnamed(self, reading: Reading, kind: Node, body: Node) -> None:
        """A class without a name: where it stands, what it descends from, and the members that it may replace."""
        owner = reading.owners.at(body.start_byte)
        bases = [text for part in _parts(kind) if (text := type_text(reading, part))] if kind != body else []
        first, last = body.start_byte, body.end_byte
        reading.spans.append((first, last))
        for base in bases or ["AnyRef"]:
            reading.bindings.append(Binding(owner, owner, first, first, last, _VARIABLE, "new", base, ""))
        holder = owner
        while holder >= 0 and reading.definitions[holder].kind not in TYPES:
            holder = reading.definitions[holder].parent
        for child in body.named_children:
            named = child.child_by_field_name("pattern" if child.type in _VALUES else "name")
            if named is None or named.type not in ("identifier", "operator_identifier"):
                continue
            index = reading.named.get(named.start_byte, -1)
            if index >= 0:
                reading.marks.append(Mark(index, "unnamed"))
            if holder >= 0 and (child.type in _FUNCTIONS or child.type in _VALUES):
                for base in bases:
                    place = (holder, holder, named.start_byte, 0, 0, _ALIAS)
                    reading.bindings.append(Binding(*place, plain(reading.text(named)), base, "new"))

    def _site(self, reading: Reading, node: Node, form: int, receiver: str, arity: int) -> None:
        start, end = node.start_byte, node.end_byte
        name = "" if form == _DYNAMIC else reading.text(node)
        if name.startswith("`") and len(name) > 2:
            start, end, name = start + 1, end - 1, name[1:-1]
        line = node.start_point[0] + 1
        reading.sites.append(CallSite(reading.owners.at(start), start, end, line, form, arity, name, receiver))

    def finish(self, reading: Reading) -> None:
        """Packages, scopes; drop what no call site needs."""
        Finish(reading).run()


def _parts(node: Node) -> list[Node]:
    """The types of `A with B`."""
    if node.type != "compound_type":
        return [node]
    return [part for child in node.named_children if child.type != "refinement" for part in _parts(child)]


def _parameter_name(reading: Reading, node: Node) -> str:
    """The name of a type parameter, "" for anything else."""
    if node.type in ("identifier", "type_identifier"):
        return reading.text(node)
    name = node.child_by_field_name("name")
    return reading.text(name) if name is not None else ""


def _arity(reading: Reading, node: Node | None) -> int:
    """How many arguments a list or a block gives; -1 when it is not known."""
    if node is None:
        return -1
    if node.type != "arguments":
        return 1
    count = node.named_child_count
    text = reading.data[node.start_byte : node.end_byte]
    if b"_*" in text or b"*)" in text or b"//" in text or b"/*" in text:
        return -1
    return count
