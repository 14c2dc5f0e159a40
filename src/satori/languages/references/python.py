"""References of Python: imports, `__all__`, bases, decorators, parameters, bindings and calls.

A decorator's application is a call site (`@f` calls `f`), owned by what is around the definition, like everything in a
header. Local bindings are kept only for names that some call site or kept value begins with: others change nothing.
Implicit calls (operators, `with`, iteration, properties) are not call sites.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.languages.references.python_nodes import (
    aliased_in,
    bare_parameter,
    chain_of,
    member_form,
    names_in,
    parameter_text,
    root_of,
    type_chain,
)
from satori.model.definition import SymbolKind
from satori.model.reference import (
    CHAIN_CHARACTERS,
    Base,
    Binding,
    BindingKind,
    CallSite,
    Export,
    Import,
    Mark,
    Signature,
    SiteForm,
)

_CODE = {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.TEST}
_VARIABLE = int(BindingKind.VARIABLE)
_FIELD = int(BindingKind.FIELD)
_ATTRIBUTE = int(BindingKind.ATTRIBUTE)


class PythonReferences(ReferenceReader):
    """Python."""

    owns_from_body: ClassVar[bool] = True
    query: ClassVar[str] = """
    (global_statement) @global_
    (nonlocal_statement) @nonlocal_
    (function_definition) @function
    (class_definition superclasses: (argument_list)) @class_
    (decorated_definition) @decorated
    (import_statement) @import_
    (import_from_statement) @from_
    (assignment left: (_) @_left) @assignment
    (augmented_assignment left: (identifier) @unknown)
    (augmented_assignment left: (identifier) right: (list)) @more_exports
    (named_expression name: (identifier) @unknown)
    (for_statement left: (_) @unknown)
    (as_pattern_target) @unknown
    (delete_statement (_) @unknown)
    (case_pattern) @unknown
    (return_statement (_) @returned)
    (yield) @yielded
    (keyword_pattern) @unknown
    (lambda) @lambda_
    [(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @comprehension
    (call function: (identifier) @bare)
    (call function: (attribute) @member)
    (call function: [(call) (subscript) (parenthesized_expression) (lambda) (await)] @dynamic)
    """

    def _left(self, reading: Reading, node: Node) -> None:
        """Only there so that annotations without a target are not captured."""

    def global_(self, reading: Reading, node: Node) -> None:
        """`global x`: assignments to x in this function bind the module's name."""
        owner = reading.owners.at(node.start_byte)
        names = reading.notes.setdefault("global", set())
        names.update((owner, reading.text(child)) for child in node.named_children)

    def nonlocal_(self, reading: Reading, node: Node) -> None:
        """`nonlocal x`: they bind the name of the function around it."""
        owner = reading.owners.at(node.start_byte)
        names = reading.notes.setdefault("nonlocal", set())
        names.update((owner, reading.text(child)) for child in node.named_children)

    def function(self, reading: Reading, node: Node) -> None:
        """Parameters with their types, and the declared result."""
        name = node.child_by_field_name("name")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index < 0:
            return
        parameters = node.child_by_field_name("parameters")
        returns = node.child_by_field_name("return_type")
        children = parameters.named_children if parameters is not None else []
        said = [text for child in children if (text := parameter_text(reading, child))]
        result = type_chain(reading.text(returns)) if returns is not None else ""
        reading.signatures.append(Signature(index, -1, -1, ",".join(said), result))

    def class_(self, reading: Reading, node: Node) -> None:
        """Bases, and `metaclass=`."""
        name = node.child_by_field_name("name")
        arguments = node.child_by_field_name("superclasses")
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if index < 0 or arguments is None:
            return
        for base in arguments.named_children:
            if base.type == "keyword_argument":
                key = base.child_by_field_name("name")
                value = base.child_by_field_name("value")
                if key is not None and value is not None and reading.text(key) == "metaclass":
                    reading.bases.append(Base(index, chain_of(reading, value), "metaclass"))
            elif base.type != "comment":
                # Generic[T] and its kind: the subscripted class itself is the base.
                text = chain_of(reading, base.child(0)) if base.type == "subscript" and base.child_count else None
                reading.bases.append(Base(index, chain_of(reading, base) if text is None else text, "base"))

    def decorated(self, reading: Reading, node: Node) -> None:
        """Each decorator marks the definition, and calls what it names."""
        inner = node.child_by_field_name("definition")
        name = inner.child_by_field_name("name") if inner is not None else None
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        for decorator in node.named_children:
            if decorator.type != "decorator" or not decorator.named_child_count:
                continue
            expression = decorator.named_child(0)
            if expression is None:
                continue
            if index >= 0:
                reading.marks.append(Mark(index, chain_of(reading, expression)))
            if expression.type == "identifier":
                self.bare(reading, expression)
            elif expression.type == "attribute":
                self.member(reading, expression)

    def import_(self, reading: Reading, node: Node) -> None:
        """`import a.b` binds `a` and loads `a.b`; `import a.b as c` binds `c`."""
        scope = reading.owners.at(node.start_byte)
        line = node.start_point[0] + 1
        for part in node.named_children:
            name, alias = aliased_in(part)
            if name is None:
                continue
            module = reading.text(name).replace(" ", "")
            place = (scope, name.start_byte, name.end_byte, line, 0)
            if alias is not None:
                reading.imports.append(Import(*place, module, "", reading.text(alias)))
                continue
            root, _, rest = module.partition(".")
            reading.imports.append(Import(*place, root, "", root))
            if rest:
                reading.imports.append(Import(*place, module, "", ""))

    def from_(self, reading: Reading, node: Node) -> None:
        """`from a import b as c`, also relative and `*`."""
        source = node.child_by_field_name("module_name")
        if source is None:
            return
        module = reading.text(source).replace(" ", "")
        scope = reading.owners.at(node.start_byte)
        for part in node.named_children:
            if part.start_byte == source.start_byte:
                continue
            line = part.start_point[0] + 1
            if part.type == "wildcard_import":
                reading.imports.append(Import(scope, part.start_byte, part.end_byte, line, 0, module, "*", ""))
                continue
            name, alias = aliased_in(part)
            if name is None:
                continue
            text = reading.text(name)
            bound = text if alias is None else reading.text(alias)
            reading.imports.append(Import(scope, name.start_byte, name.end_byte, line, 0, module, text, bound))

    def assignment(self, reading: Reading, node: Node) -> None:
        """`x = value`, `x: T = value`, `self.x = value`, `a.b = value`, and unpacking (which says nothing of types)."""
        left = node.child_by_field_name("left")
        if left is None:
            return
        right = node.child_by_field_name("right")
        while right is not None and right.type == "assignment":
            right = right.child_by_field_name("right")
        declared = node.child_by_field_name("type")
        kind = left.type
        type_ = type_chain(reading.text(declared)) if declared is not None else ""
        value = chain_of(reading, right) if right is not None else ""
        if right is None and declared is not None:
            # A declaration without a value binds nothing: it only says what the name will be.
            value = "None"
        if kind == "identifier":
            name = reading.text(left)
            self._bind(reading, left, name, type_, value)
            if name == "__all__" and right is not None:
                self._exports(reading, right)
        elif kind == "attribute":
            name = chain_of(reading, left)
            if name:
                self._attribute(reading, left, name, type_, value)
        else:
            self.unknown(reading, left)

    def more_exports(self, reading: Reading, node: Node) -> None:
        """`__all__ += [...]`."""
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        if left is not None and right is not None and reading.text(left) == "__all__":
            self._exports(reading, right)

    def _exports(self, reading: Reading, names: Node) -> None:
        if reading.owners.at(names.start_byte) != -1:
            return
        for node in names.named_children:
            if node.type == "string":
                name = reading.text(node).strip("rbuRBU").strip("\"'")
                line = node.start_point[0] + 1
                reading.exports.append(Export(node.start_byte, node.end_byte, line, 0, name, name, ""))

    def _bind(self, reading: Reading, node: Node, name: str, type_: str, value: str) -> None:
        at = node.start_byte
        owner = reading.owners.at(at)
        reading.bindings.append(Binding(owner, owner, at, 0, 0, _VARIABLE, name, type_, value))

    def _attribute(self, reading: Reading, node: Node, name: str, type_: str, value: str) -> None:
        at = node.start_byte
        owner = reading.owners.at(at)
        root, _, rest = name.partition(".")
        if root in ("self", "cls") and owner >= 0 and "." not in rest:
            holder = reading.definitions[owner].parent
            if holder >= 0 and reading.definitions[holder].kind is SymbolKind.CLASS:
                reading.bindings.append(Binding(holder, owner, at, 0, 0, _FIELD, rest, type_, value))
                return
        reading.bindings.append(Binding(owner, owner, at, 0, 0, _ATTRIBUTE, name, type_, value))

    def unknown(self, reading: Reading, node: Node) -> None:
        """Every name in a target whose value says nothing: loops, `with`, `except`, unpacking, `del`, patterns."""
        for name in names_in(node):
            self._bind(reading, name, reading.text(name), "", "")
        if node.type == "attribute":
            chain = chain_of(reading, node)
            if chain:
                self._attribute(reading, node, chain, "", "")

    def returned(self, reading: Reading, node: Node) -> None:
        """What a function returns."""
        owner = reading.owners.at(node.start_byte)
        reading.notes.setdefault("returned", set()).add((owner, chain_of(reading, node) or "?"))

    def yielded(self, reading: Reading, node: Node) -> None:
        """A generator's result is none of what it returns."""
        reading.notes.setdefault("returned", set()).add((reading.owners.at(node.start_byte), "?"))

    def lambda_(self, reading: Reading, node: Node) -> None:
        """A lambda's parameters are seen inside it."""
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            self._seen_inside(reading, node, [bare_parameter(child) for child in parameters.named_children])

    def comprehension(self, reading: Reading, node: Node) -> None:
        """So are the variables of a comprehension."""
        for clause in node.named_children:
            if clause.type == "for_in_clause":
                left = clause.child_by_field_name("left")
                self._seen_inside(reading, node, [left])

    def _seen_inside(self, reading: Reading, node: Node, targets: list[Node | None]) -> None:
        first, last = node.start_byte, node.end_byte
        scope = reading.owners.at(first)
        for target in targets:
            for name in names_in(target) if target is not None else ():
                text = reading.text(name)
                reading.bindings.append(Binding(scope, scope, name.start_byte, first, last, _VARIABLE, text, "", ""))

    def bare(self, reading: Reading, node: Node) -> None:
        """`f()`; `super()` alone is no call worth a claim."""
        start = node.start_byte
        if node.end_byte - start == 5 and reading.data.startswith(b"super", start):
            return
        reading.sites.append(
            CallSite(
                reading.owners.at(start),
                start,
                node.end_byte,
                node.start_point[0] + 1,
                _BARE,
                -1,
                reading.text(node),
                "",
            )
        )

    def member(self, reading: Reading, node: Node) -> None:
        """`a.f()`."""
        name = node.child_by_field_name("attribute")
        target = node.child_by_field_name("object")
        if name is None or target is None:
            return
        receiver = chain_of(reading, target)
        start = name.start_byte
        reading.sites.append(
            CallSite(
                reading.owners.at(start),
                start,
                name.end_byte,
                name.start_point[0] + 1,
                member_form(receiver),
                -1,
                reading.text(name),
                receiver,
            )
        )

    def dynamic(self, reading: Reading, node: Node) -> None:
        """A call of an expression that names nothing."""
        start = node.start_byte
        owner = reading.owners.at(start)
        line = node.start_point[0] + 1
        reading.sites.append(CallSite(owner, start, node.end_byte, line, _DYNAMIC, -1, "", ""))

    def finish(self, reading: Reading) -> None:
        """Give `global` and `nonlocal` names their scope, then drop the local bindings that nobody asks about."""
        shared = reading.notes.get("global", set())
        outer = reading.notes.get("nonlocal", set())
        definitions = reading.definitions
        if shared or outer:
            reading.bindings = [_rescoped(reading, binding, shared, outer) for binding in reading.bindings]
        wanted = {site.name if not site.receiver else root_of(site.receiver) for site in reading.sites}
        wanted.update(root_of(base.text) for base in reading.bases)
        wanted.update(root_of(binding.value) for binding in reading.bindings if binding.value)
        wanted.update(root_of(chain) for _, chain in reading.notes.get("returned", ()))
        kept: list[Binding] = []
        silent: set[tuple[int, str]] = set()
        for binding in reading.bindings:
            scope = binding.scope
            local = scope >= 0 and definitions[scope].kind in _CODE
            if local and binding.kind == _VARIABLE:
                if binding.name not in wanted:
                    continue
                if not (binding.value or binding.type or binding.last):
                    if (scope, binding.name) in silent:
                        continue
                    silent.add((scope, binding.name))
            kept.append(binding)
        reading.bindings = kept
        self._forget_locals(reading)

    def _forget_locals(self, reading: Reading) -> None:
        """What other files evaluate must not need a function's body: fields, bases and results that begin with a local
        variable are written with its one value instead, or not at all."""
        definitions = reading.definitions
        inside: dict[tuple[int, str], list[Binding]] = {}
        for binding in reading.bindings:
            scope = binding.scope
            if binding.kind == _VARIABLE and scope >= 0 and definitions[scope].kind in _CODE:
                inside.setdefault((scope, binding.name), []).append(binding)
        parameters = {
            signature.definition: {text.partition(":")[0].lstrip("*") for text in signature.parameters.split(",")}
            for signature in reading.signatures
        }

        def without_locals(owner: int, chain: str, depth: int = 0) -> str:
            root = root_of(chain)
            while owner >= 0:
                bindings = inside.get((owner, root))
                if bindings is not None:
                    only = bindings[0]
                    if len(bindings) > 1 or not only.value or only.last or root in parameters.get(owner, ()) or depth:
                        return ""
                    value = without_locals(owner, only.value, depth + 1)
                    chain = value + chain[len(root) :] if value else ""
                    return chain if len(chain) <= CHAIN_CHARACTERS else ""
                if root in parameters.get(owner, ()):
                    return chain
                owner = definitions[owner].parent
            return chain

        reading.bindings = [
            binding._replace(value=without_locals(binding.owner, binding.value))
            if binding.kind == _FIELD and binding.value
            else binding
            for binding in reading.bindings
        ]
        reading.bases = [
            base._replace(text=without_locals(definitions[base.definition].parent, base.text)) for base in reading.bases
        ]
        results: dict[int, set[str]] = {}
        for owner, chain in reading.notes.get("returned", ()):
            results.setdefault(owner, set()).add(without_locals(owner, chain) or "?")
        forwards: dict[int, set[str]] = {}
        for site in reading.sites:
            around = definitions[site.owner].parent if site.owner >= 0 and site.form == _BARE else -1
            while around >= 0:
                if site.name in parameters.get(around, ()):
                    forwards.setdefault(site.owner, set()).add(site.name)
                around = definitions[around].parent
        reading.signatures = [
            signature._replace(
                results=",".join(sorted(results.get(signature.definition, ()))),
                forwards=",".join(sorted(forwards.get(signature.definition, ()))),
            )
            for signature in reading.signatures
        ]


_BARE = int(SiteForm.BARE)
_DYNAMIC = int(SiteForm.DYNAMIC)


def _rescoped(reading: Reading, binding: Binding, shared: set[tuple[int, str]], outer: set[tuple[int, str]]) -> Binding:
    place = (binding.scope, binding.name)
    if place in shared:
        return binding._replace(scope=-1)
    if place in outer and binding.scope >= 0:
        return binding._replace(scope=reading.definitions[binding.scope].parent)
    return binding
