"""What a C++ file declares outside of code: templates, includes, using, namespaces, aliases, bases, friends."""

from __future__ import annotations

import re

from tree_sitter import Node

from satori.languages.c import declared_name
from satori.languages.references.base import Reading, ReferenceReader
from satori.languages.references.cpp_nodes import added, name_of, plain_name, short, type_of
from satori.model.definition import SymbolKind
from satori.model.reference import Base, Binding, BindingKind, Import, ImportFlag, Mark

FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.TEST})
TYPES = frozenset({SymbolKind.CLASS, SymbolKind.STRUCT})
_ALIAS = int(BindingKind.ALIAS)
_STATIC, _TYPE_ONLY, _REEXPORT = int(ImportFlag.STATIC), int(ImportFlag.TYPE_ONLY), int(ImportFlag.REEXPORT)
_FORWARD_IN = frozenset(
    "translation_unit declaration_list template_declaration field_declaration linkage_specification preproc_if "
    "preproc_ifdef preproc_else preproc_elif".split()
)
# Macros that stand for the opening of a namespace: their definition, and where a file uses one.
_NAMESPACES = re.compile(rb"(inline\s+)?namespace\s+([\w:]+)\s*\{")
_OPENED = re.compile(rb"[A-Z]\w*(?:BEGIN_NAMESPACE|NAMESPACE_BEGIN|END_NAMESPACE|NAMESPACE_END)\b")
_OPENING = re.compile(r"([(+]*)(\w+)")


class Declarations(ReferenceReader):
    """Declarations; calls, signatures and variables are the heir's."""

    def template(self, reading: Reading, node: Node) -> None:
        """A template's parameters, which are names of types in all of it."""
        around = node.parent
        if around is not None:
            word = "template" if node.named_child_count else "specialized"
            reading.notes.setdefault("opened", set()).add((around.start_byte, word))
        for child in node.named_children if around is not None else ():
            if child.type == "template_template_parameter_declaration":
                continue
            token = child.child_by_field_name("name") or child.child_by_field_name("declarator")
            if token is None or "type_parameter" in child.type:
                token = next((part for part in child.named_children if part.type == "type_identifier"), token)
            if token is not None and around is not None:
                reading.notes.setdefault("template " + reading.text(token), set()).add(
                    (around.start_byte, str(around.end_byte))
                )

    def _open(self, reading: Reading, chain: str, at: int) -> str:
        """The chain, with a `?` before it when it begins with a template's parameter."""
        first = _OPENING.match(chain)
        ranges = reading.notes.get("template " + first.group(2)) if first is not None else None
        if first is None or not ranges or not any(start <= at < int(end) for start, end in ranges):
            return chain
        return f"{first.group(1)}?{chain[first.end(1) :]}"

    def include(self, reading: Reading, node: Node) -> None:
        """`#include`."""
        text = reading.text(node)
        path = text if text.startswith("<") else text.strip('"')
        line = node.start_point[0] + 1
        reading.imports.append(Import(-1, node.start_byte, node.end_byte, line, 0, path, "*", ""))

    def forward(self, reading: Reading, node: Node) -> None:
        """`class A;`: the class is defined elsewhere."""
        holder = node.parent
        around = holder.parent if holder is not None else None
        if holder is None or around is None or around.type not in _FORWARD_IN:
            return
        if around.type == "field_declaration" and around.child_by_field_name("declarator") is not None:
            return
        scope = reading.owners.at(node.start_byte)
        if scope < 0 or reading.definitions[scope].kind not in FUNCTIONS:
            start, line = node.start_byte, node.start_point[0] + 1
            name = reading.text(node)
            flags = _STATIC | _TYPE_ONLY
            reading.imports.append(Import(scope, start, node.end_byte, line, flags, "", name, name))

    def using(self, reading: Reading, node: Node) -> None:
        """`using namespace a::b` and `using a::b`."""
        target = node.named_child(node.named_child_count - 1) if node.named_child_count else None
        if target is None:
            return
        name, token = name_of(reading, target)
        if not name or token is None:
            return
        whole = any(child.type == "namespace" for child in node.children)
        module, _, last = name.rpartition("::")
        said = (name, "*", "") if whole else (module, last, last)
        self._import(reading, token, *said)

    def renamed(self, reading: Reading, node: Node) -> None:
        """`namespace a = b::c`."""
        name = node.child_by_field_name("name")
        target = node.named_child(node.named_child_count - 1)
        if name is not None and target is not None:
            self._import(reading, name, "".join(reading.text(target).split()), "", reading.text(name))

    def _import(self, reading: Reading, token: Node, module: str, name: str, alias: str) -> None:
        start = token.start_byte
        line = token.start_point[0] + 1
        scope = reading.owners.at(start)
        reading.imports.append(Import(scope, start, token.end_byte, line, _STATIC, module, name, alias))

    def namespace(self, reading: Reading, node: Node) -> None:
        """An inline namespace, or one without a name."""
        name = node.child_by_field_name("name")
        if name is None:
            reading.notes.setdefault("internal", set()).add((node.start_byte, str(node.end_byte)))
        elif node.children[0].type == "inline" and name.start_byte in reading.named:
            reading.marks.append(Mark(reading.named[name.start_byte], "inline"))

    def macro(self, reading: Reading, node: Node) -> None:
        """A macro that opens a namespace: a REEXPORT called `#`."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        text = reading.data[value.start_byte : value.end_byte] if value is not None else b""
        if name is None or b"namespace" not in text:
            return
        parts = [part.decode("latin-1") for inline, part in _NAMESPACES.findall(text) if not inline]
        place = (-1, name.start_byte, name.end_byte, name.start_point[0] + 1)
        reading.imports.append(Import(*place, _STATIC | _REEXPORT, "::".join(parts), "#", reading.text(name)))

    def in_macros(self, reading: Reading) -> None:
        """Mark what stands at the file's margin between such macros, which no namespace around shows."""
        data = reading.data
        opened: list[tuple[int, str]] = []
        at = data.find(b"NAMESPACE")
        while at >= 0:
            line = data.rfind(b"\n", 0, at) + 1
            found = _OPENED.match(data, line)
            at = data.find(b"NAMESPACE", at + 9)
            if found is None or (opened and opened[-1][0] == line):
                continue
            owner = reading.owners.at(line)
            led = owner >= 0 and reading.definitions[owner].name_start > line
            if owner < 0 or (led and reading.definitions[owner].parent < 0):
                word = found.group().decode("latin-1")
                opened.append((line, word if "BEGIN" in word else ""))
        for index, item in enumerate(reading.definitions) if opened else ():
            if item.parent >= 0 or item.kind is SymbolKind.MACRO:
                continue
            before = [word for start, word in opened if start < item.name_start]
            if before and before[-1]:
                reading.marks.append(Mark(index, f"opened {before[-1]}"))

    def alias(self, reading: Reading, node: Node) -> None:
        """`using A = B`."""
        name = node.child_by_field_name("name")
        if name is not None:
            self._bind(reading, name, _ALIAS, type_of(reading, node.child_by_field_name("type")), "")

    def typedef(self, reading: Reading, node: Node) -> None:
        """`typedef B A`."""
        said = type_of(reading, node.child_by_field_name("type"))
        for declarator in node.children_by_field_name("declarator"):
            name = plain_name(declarator)
            extra = added(declarator)
            if name is not None:
                self._bind(reading, name, _ALIAS, "" if "?" in extra else said + extra, "")

    def _bind(self, reading: Reading, name: Node, kind: int, said: str, value: str) -> None:
        at = name.start_byte
        scope = reading.owners.at(at)
        if scope >= 0 and reading.definitions[scope].name_start == at:
            scope = reading.definitions[scope].parent
        first, last = (-1, -1) if scope >= 0 and reading.definitions[scope].kind in FUNCTIONS else (0, 0)
        said, value = self._open(reading, said, at), self._open(reading, value, at)
        reading.bindings.append(Binding(scope, scope, at, first, last, kind, reading.text(name), said, value))

    def based(self, reading: Reading, node: Node) -> None:
        """The bases of a class."""
        index = reading.owners.at(node.start_byte)
        if index < 0 or reading.definitions[index].kind not in TYPES:
            return
        for child in node.named_children:
            if child.type in ("type_identifier", "template_type", "qualified_identifier"):
                said = self._open(reading, name_of(reading, child)[0], child.start_byte)
                reading.bases.append(Base(index, short(said), "extends"))
            elif child.type not in ("access_specifier", "virtual", "attribute_declaration"):
                reading.bases.append(Base(index, "", "extends"))

    def sealed(self, reading: Reading, node: Node) -> None:
        """A final class."""
        index = reading.owners.at(node.start_byte)
        if index >= 0 and reading.definitions[index].kind in TYPES:
            reading.marks.append(Mark(index, "final"))

    def friend(self, reading: Reading, node: Node) -> None:
        """A friend's definition is no member."""
        for child in node.named_children:
            declarator = child.child_by_field_name("declarator")
            name = declared_name(declarator)[0] if declarator is not None else None
            index = reading.named.get(name.start_byte, -1) if name is not None else -1
            if index >= 0:
                reading.marks.append(Mark(index, "friend"))
