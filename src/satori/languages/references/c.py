"""References of C: includes, calls, and the local names that hide a function.

An include binds nothing: it is an import of everything (`*`) from its path, `<path>` for system headers. A call of a
macro looks like one of a function; rules tell them apart. Declarations in code that the preprocessor may leave out
count as seen.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.model.reference import Binding, BindingKind, CallSite, Import, SiteForm

_VARIABLE = int(BindingKind.VARIABLE)
_BARE, _MEMBER, _DYNAMIC = int(SiteForm.BARE), int(SiteForm.MEMBER), int(SiteForm.DYNAMIC)
_DECLARATORS = {
    "init_declarator",
    "pointer_declarator",
    "array_declarator",
    "parenthesized_declarator",
    "function_declarator",
    "attributed_declarator",
}


class CReferences(ReferenceReader):
    """C."""

    query: ClassVar[str] = """
    (preproc_include path: (_) @include)
    (parameter_declaration declarator: (_) @local)
    (declaration declarator: (_) @local)
    (call_expression function: (identifier) @bare)
    (call_expression function: (parenthesized_expression (identifier) @bare))
    (call_expression function: (field_expression) @member)
    (call_expression function: [(parenthesized_expression (pointer_expression)) (call_expression)
        (subscript_expression)] @dynamic)
    """

    def include(self, reading: Reading, node: Node) -> None:
        """`#include`."""
        text = reading.text(node)
        path = text if text.startswith("<") else text.strip('"')
        line = node.start_point[0] + 1
        reading.imports.append(Import(-1, node.start_byte, node.end_byte, line, 0, path, "*", ""))

    def local(self, reading: Reading, node: Node) -> None:
        """A parameter or variable of a function; prototypes hide nothing."""
        owner = reading.owners.at(node.start_byte)
        if owner < 0:
            return
        if node.type == "function_declarator" and node.parent is not None and node.parent.type == "declaration":
            inner = node.child_by_field_name("declarator")
            if inner is not None and inner.type == "identifier":
                return
        name = _declared(node)
        if name is not None and name.start_byte not in reading.named:
            at = name.start_byte
            reading.bindings.append(Binding(owner, owner, at, 0, 0, _VARIABLE, reading.text(name), "", ""))

    def bare(self, reading: Reading, node: Node) -> None:
        """`f()`."""
        self._site(reading, node, _BARE, reading.text(node), "")

    def member(self, reading: Reading, node: Node) -> None:
        """`s.f()` and `s->f()`: a pointer in a structure."""
        field = node.child_by_field_name("field")
        if field is not None:
            self._site(reading, field, _MEMBER, reading.text(field), "")

    def dynamic(self, reading: Reading, node: Node) -> None:
        """A call through a pointer."""
        self._site(reading, node, _DYNAMIC, "", "")

    def _site(self, reading: Reading, node: Node, form: int, name: str, receiver: str) -> None:
        start = node.start_byte
        owner = reading.owners.at(start)
        line = node.start_point[0] + 1
        reading.sites.append(CallSite(owner, start, node.end_byte, line, form, -1, name, receiver))

    def finish(self, reading: Reading) -> None:
        """Keep the local names that are called."""
        called = {site.name for site in reading.sites if site.form == _BARE}
        reading.bindings = list(dict.fromkeys(item for item in reading.bindings if item.name in called))
        reading.sites = list(dict.fromkeys(reading.sites))


def _declared(node: Node) -> Node | None:
    """The name that a declarator declares."""
    inner: Node | None = node
    while inner is not None and inner.type in _DECLARATORS:
        following = inner.child_by_field_name("declarator")
        if following is None:
            following = next((child for child in inner.named_children if child.type in _DECLARATORS), None)
            following = following or next((child for child in inner.named_children if child.type == "identifier"), None)
        inner = following
    return inner if inner is not None and inner.type == "identifier" else None
