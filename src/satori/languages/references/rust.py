"""References of Rust: modules, use trees, impl blocks, bounds, fields, bindings with their blocks, calls.

Chains: a path (`a::b`), then `.f` a field, `()` a call, `[]` an item, `?` what is inside of an Option or Result (by the
operator or by a pattern), `!` a value wrapped in one, `/` the error of a Result, `[v]` what a loop gives, `` `T` `` a
value of the written type, `(a;b)` a tuple, `a#` a list of such. References, `*`, `await` and the making of pointers are
seen through. Types are written without references, lifetimes and blanks; `impl R` as `dyn R`. A call by a path has a
receiver that ends in `::`.

Imports are the leaves of use trees, and `mod a;` from the module `#N`, its place among the definitions. Bases: `type`
and `trait` of an impl block, `super` of a trait, `alias` of a type, `param` (`T:Bound`, `T:`) of anything with type
parameters. Marks: `path:FILE` of a module. Macro invocations are no call sites; what stands inside of them is read only
in those of std that take expressions.
"""

from __future__ import annotations

import re
from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.languages.references.rust_bindings import bindings_of, pattern_of
from satori.languages.references.rust_nodes import chain_of, first_child, path_of, root_of, type_of
from satori.languages.references.stretches import Stretches
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

_VARIABLE, _FIELD = int(BindingKind.VARIABLE), int(BindingKind.FIELD)
_BARE, _MEMBER, _SELF = int(SiteForm.BARE), int(SiteForm.MEMBER), int(SiteForm.SELF)
_CHAIN, _DYNAMIC = int(SiteForm.CHAIN), int(SiteForm.DYNAMIC)
_REEXPORT = int(ImportFlag.REEXPORT)
_PATH = re.compile(rb'#\[\s*path\s*=\s*"([^"\n]+)"\s*\]')
_NAME = re.compile(rb"[^\W\d]\w*")


class RustReferences(ReferenceReader):
    """Rust, all editions."""

    query: ClassVar[str] = """
    (use_declaration) @use
    (extern_crate_declaration) @extern_crate
    (attribute_item (attribute (identifier) @_path value: (string_literal)) (#eq? @_path "path")) @path
    (mod_item !body) @module
    [(function_item) (function_signature_item)] @function
    (impl_item) @impl
    [(struct_item) (union_item) (enum_item) (trait_item) (type_item) (associated_type)] @type_
    (enum_variant body: (_)) @variant
    [(const_item) (static_item)] @value
    (call_expression function: (identifier) @bare)
    (call_expression function: (scoped_identifier) @scoped)
    (call_expression function: (field_expression) @member)
    (call_expression function: (generic_function) @generic)
    (call_expression function: [(parenthesized_expression) (call_expression) (index_expression) (closure_expression)
      (try_expression) (macro_invocation)] @dynamic)
    (block) @block
    [(let_declaration) (let_condition)] @let
    (for_expression) @for_
    (match_arm) @arm
    (closure_expression) @closure
    """

    def _path(self, reading: Reading, node: Node) -> None:
        """Only the whole attribute is of use."""

    def path(self, reading: Reading, node: Node) -> None:
        """`#[path = "..."]` of a module."""
        found = _PATH.match(reading.data, node.start_byte, node.end_byte)
        item = node.next_named_sibling
        while item is not None and item.type in ("attribute_item", "line_comment", "block_comment"):
            item = item.next_named_sibling
        name = item.child_by_field_name("name") if item is not None and item.type == "mod_item" else None
        index = reading.named.get(name.start_byte, -1) if name is not None else -1
        if found is not None and index >= 0:
            reading.marks.append(Mark(index, "path:" + found.group(1).decode("utf-8", "replace")))

    def module(self, reading: Reading, node: Node) -> None:
        """`mod a;`, which takes in a file."""
        index = self._index(reading, node)
        name = node.child_by_field_name("name")
        if index >= 0 and name is not None:
            scope = reading.owners.at(node.start_byte)
            # The definition owns its own bytes.
            scope = reading.definitions[index].parent if scope == index else scope
            self._import(reading, name, scope, 0, f"#{index}", "", "")

    def use(self, reading: Reading, node: Node) -> None:
        """`use`, leaf by leaf."""
        tree = node.child_by_field_name("argument")
        public = any(child.type == "visibility_modifier" for child in node.children)
        scope = reading.owners.at(node.start_byte)
        if tree is not None:
            self._leaves(reading, tree, "", scope, _REEXPORT if public else 0, 0)

    def _leaves(self, reading: Reading, node: Node, before: str, scope: int, flags: int, depth: int) -> None:
        kind = node.type
        if depth > 16:
            return
        if kind == "scoped_use_list":
            around = node.child_by_field_name("path")
            path = _joined(before, path_of(reading, around)) if around is not None else before or "::"
            listed = node.child_by_field_name("list")
            for child in listed.named_children if listed is not None else ():
                self._leaves(reading, child, path, scope, flags, depth + 1)
        elif kind == "use_list":
            for child in node.named_children:
                self._leaves(reading, child, before, scope, flags, depth + 1)
        elif kind == "use_wildcard":
            source = first_child(node)
            path = _joined(before, path_of(reading, source)) if source is not None else before
            self._import(reading, source or node, scope, flags, path, "*", "")
        elif kind == "use_as_clause":
            inner, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
            if inner is not None:
                self._leaf(reading, inner, before, scope, flags, reading.text(alias) if alias is not None else "")
        elif kind in ("identifier", "scoped_identifier", "self", "crate", "super"):
            self._leaf(reading, node, before, scope, flags, "")

    def _leaf(self, reading: Reading, node: Node, before: str, scope: int, flags: int, alias: str) -> None:
        path = _joined(before, path_of(reading, node))
        if node.type == "self":
            path = before
        name = node.child_by_field_name("name") or node
        module, _, last = path.rpartition("::")
        if last:
            self._import(reading, name, scope, flags, module, last, alias.removeprefix("r#") or last)

    def _import(self, reading: Reading, node: Node, scope: int, flags: int, module: str, name: str, alias: str) -> None:
        place = (node.start_byte, node.end_byte, node.start_point[0] + 1)
        reading.imports.append(Import(scope, *place, flags, module, name, alias))

    def extern_crate(self, reading: Reading, node: Node) -> None:
        """`extern crate a as b;`."""
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if name is not None:
            scope = reading.owners.at(node.start_byte)
            own = reading.text(name)
            self._import(reading, name, scope, 0, "", own, reading.text(alias) if alias is not None else own)

    def _index(self, reading: Reading, node: Node) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return -1
        raw = reading.data.startswith(b"r#", name.start_byte)
        return reading.named.get(name.start_byte + 2 * raw, -1)

    def _parameters(self, reading: Reading, node: Node, index: int) -> None:
        """Type parameters with their bounds."""
        listed = node.child_by_field_name("type_parameters")
        for parameter in listed.named_children if listed is not None else ():
            name = parameter.child_by_field_name("name")
            if parameter.type not in ("type_parameter", "constrained_type_parameter") or name is None:
                continue
            own = reading.text(name)
            reading.bases.append(Base(index, f"{own}:", "param"))
            self._bounds(reading, own, parameter.child_by_field_name("bounds"), index)
        for clause in node.named_children:
            if clause.type == "where_clause":
                for predicate in clause.named_children:
                    left = predicate.child_by_field_name("left")
                    if left is not None and left.type == "type_identifier":
                        self._bounds(reading, reading.text(left), predicate.child_by_field_name("bounds"), index)

    def _bounds(self, reading: Reading, own: str, bounds: Node | None, index: int) -> None:
        for bound in bounds.named_children if bounds is not None else ():
            if bound.type not in ("lifetime", "removed_trait_bound"):
                reading.bases.append(Base(index, f"{own}:{type_of(reading, bound) or '?'}", "param"))

    def function(self, reading: Reading, node: Node) -> None:
        """Parameters and result; patterns bind names without a type."""
        index = self._index(reading, node)
        if index < 0:
            return
        self._parameters(reading, node, index)
        parameters: list[str] = []
        listed = node.child_by_field_name("parameters")
        for parameter in listed.named_children if listed is not None else ():
            if parameter.type == "self_parameter":
                parameters.append("self")
                continue
            pattern = parameter.child_by_field_name("pattern")
            while pattern is not None and pattern.type in ("mut_pattern", "ref_pattern", "reference_pattern"):
                pattern = pattern.named_children[-1] if pattern.named_child_count else None
            held = type_of(reading, parameter.child_by_field_name("type"))
            if pattern is None:
                continue
            if pattern.type in ("identifier", "self"):
                parameters.append(f"{reading.text(pattern).removeprefix('r#')}:{held}")
            else:
                reading.later.append(("parameter", parameter))
        returns = type_of(reading, node.child_by_field_name("return_type"))
        reading.signatures.append(Signature(index, 0, -1, ";".join(parameters), returns))

    def impl(self, reading: Reading, node: Node) -> None:
        """An impl block's type and trait."""
        target = node.child_by_field_name("type")
        if target is None:
            return
        named = _last_name(target)
        index = reading.named.get(named.start_byte, -1)
        if index < 0:
            return
        held = type_of(reading, target)
        plain = target.type in ("type_identifier", "generic_type", "scoped_type_identifier")
        reading.bases.append(Base(index, held if plain else f"&{held}", "type"))
        trait = node.child_by_field_name("trait")
        if trait is not None:
            reading.bases.append(Base(index, type_of(reading, trait) or "?", "trait"))
        self._parameters(reading, node, index)

    def type_(self, reading: Reading, node: Node) -> None:
        """Fields, supertraits, and what an alias means."""
        index = self._index(reading, node)
        if index < 0:
            return
        self._parameters(reading, node, index)
        if node.type in ("type_item", "associated_type"):
            held = type_of(reading, node.child_by_field_name("type"))
            if held:
                reading.bases.append(Base(index, held, "alias"))
        elif node.type == "trait_item":
            bounds = node.child_by_field_name("bounds")
            for bound in bounds.named_children if bounds is not None else ():
                if bound.type not in ("lifetime", "removed_trait_bound"):
                    reading.bases.append(Base(index, type_of(reading, bound) or "?", "super"))
        elif node.type != "enum_item":
            self._fields(reading, node.child_by_field_name("body"), index)

    def variant(self, reading: Reading, node: Node) -> None:
        """The fields of an enum's variant."""
        index = self._index(reading, node)
        if index >= 0:
            self._fields(reading, node.child_by_field_name("body"), index)

    def _fields(self, reading: Reading, body: Node | None, index: int) -> None:
        if body is None:
            return
        if body.type == "ordered_field_declaration_list":
            for number, held in enumerate(body.children_by_field_name("type")):
                self._field(reading, index, held.start_byte, str(number), held)
            return
        for field in body.named_children:
            name = field.child_by_field_name("name")
            declared = field.child_by_field_name("type")
            if field.type == "field_declaration" and name is not None and declared is not None:
                self._field(reading, index, name.start_byte, reading.text(name).removeprefix("r#"), declared)

    def _field(self, reading: Reading, index: int, at: int, name: str, declared: Node) -> None:
        held = type_of(reading, declared)
        reading.bindings.append(Binding(index, -1, at, 0, 0, _FIELD, name, held, ""))

    def value(self, reading: Reading, node: Node) -> None:
        """A constant or static: its declared type."""
        name = node.child_by_field_name("name")
        held = type_of(reading, node.child_by_field_name("type"))
        if name is None or not held:
            return
        scope = reading.owners.at(name.start_byte)
        at = name.start_byte
        reading.bindings.append(Binding(scope, scope, at, 0, 0, _VARIABLE, reading.text(name), held, ""))

    def block(self, reading: Reading, node: Node) -> None:
        """A block of statements, or what a pattern's names are seen in."""
        reading.spans.append((node.start_byte, node.end_byte))

    def let(self, reading: Reading, node: Node) -> None:
        """`let`, as a statement or in a condition."""
        reading.later.append(("let", node))

    def for_(self, reading: Reading, node: Node) -> None:
        """`for`."""
        reading.later.append(("for", node))

    def arm(self, reading: Reading, node: Node) -> None:
        """One arm of a `match`."""
        reading.spans.append((node.start_byte, node.end_byte))
        reading.later.append(("arm", node))

    def closure(self, reading: Reading, node: Node) -> None:
        """A closure's parameters."""
        reading.spans.append((node.start_byte, node.end_byte))
        reading.later.append(("closure", node))

    def bare(self, reading: Reading, node: Node) -> None:
        """`f()`; what `!` follows is a macro, whose arguments are read as expressions."""
        if not reading.data.startswith(b"!", node.end_byte):
            self._site(reading, node, _BARE, "")

    def scoped(self, reading: Reading, node: Node) -> None:
        """`a::f()`."""
        name = node.child_by_field_name("name")
        if name is None or reading.data.startswith(b"!", node.end_byte):
            return
        around = node.child_by_field_name("path")
        path = path_of(reading, around)
        receiver = "::" if around is None else f"{path}::" if path else ""
        form = _DYNAMIC if not receiver else _SELF if path == "Self" else _MEMBER
        self._site(reading, name, form, receiver)

    def member(self, reading: Reading, node: Node) -> None:
        """`a.f()`; a field in parentheses that is called is an expression."""
        name = node.child_by_field_name("field")
        if name is None:
            return
        if name.type != "field_identifier":
            self._site(reading, node, _DYNAMIC, "")
            return
        receiver = chain_of(reading, node.child_by_field_name("value"))
        simple = receiver.replace(".", "").replace("_", "").isalnum()
        self._site(reading, name, _SELF if receiver == "self" else _MEMBER if simple else _CHAIN, receiver)

    def generic(self, reading: Reading, node: Node) -> None:
        """`f::<T>()`."""
        inner = node.child_by_field_name("function")
        if inner is None:
            return
        if inner.type == "identifier":
            self.bare(reading, inner)
        elif inner.type == "scoped_identifier":
            self.scoped(reading, inner)
        elif inner.type == "field_expression":
            self.member(reading, inner)

    def dynamic(self, reading: Reading, node: Node) -> None:
        """A call of any other expression."""
        self._site(reading, node, _DYNAMIC, "")

    def _site(self, reading: Reading, node: Node, form: int, receiver: str) -> None:
        start, end = node.start_byte, node.end_byte
        owner = reading.owners.at(start)
        line = node.start_point[0] + 1
        if form == _DYNAMIC and not receiver:
            reading.sites.append(CallSite(owner, start, end, line, form, -1, "", ""))
            return
        reading.sites.append(CallSite(owner, start, end, line, form, -1, reading.text(node), receiver))

    def finish(self, reading: Reading) -> None:
        """Exports, and the local names that sites begin with, directly or through other names."""
        for index, definition in enumerate(reading.definitions):
            public = definition.flags & DefinitionFlag.EXPORTED and definition.kind is not SymbolKind.PROPERTY
            if public and (definition.parent < 0 or reading.definitions[definition.parent].kind is SymbolKind.MODULE):
                place = (definition.name_start, definition.name_end, definition.span.start_line)
                reading.exports.append(Export(*place, 0, definition.name, f"#{index}", ""))
        blocks = Stretches(reading.spans)
        named: dict[bytes, list[int]] = {}
        for number, (how, node) in enumerate(reading.later):
            pattern = pattern_of(how, node)
            if pattern is not None:
                for name in set(_NAME.findall(reading.data, pattern.start_byte, pattern.end_byte)):
                    named.setdefault(name, []).append(number)
        waiting = {
            root_of(site.receiver) if site.receiver else site.name
            for site in reading.sites
            if not site.receiver.endswith("::")
        }
        seen: set[str] = set()
        bound: dict[int, list[Binding]] = {}
        while waiting:
            own = waiting.pop()
            if own in seen:
                continue
            seen.add(own)
            for number in named.get(own.encode(), ()):
                if number not in bound:
                    bound[number] = list(bindings_of(reading, blocks, *reading.later[number]))
                for binding in bound[number]:
                    if binding.name == own:
                        reading.bindings.append(binding)
                        if binding.value:
                            waiting.add(root_of(binding.value))


def _joined(before: str, path: str) -> str:
    if not before or not path:
        return before or path
    return before + path if before.endswith("::") else f"{before}::{path}"


def _last_name(node: Node) -> Node:
    """The token that names a type, as the definitions of impl blocks find it."""
    at: Node | None = node
    while at is not None:
        if at.type in ("type_identifier", "primitive_type", "identifier"):
            return at
        following = at.child_by_field_name("name") or at.child_by_field_name("type")
        if following is None:
            return node
        at = following
    return node
