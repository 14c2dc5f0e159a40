"""What JavaScript and TypeScript files import and export: ES modules, CommonJS, `import x = require()`."""

from __future__ import annotations

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.languages.references.javascript_nodes import chain_of, declared_in, required_in, string_of
from satori.model.reference import Export, Import, ImportFlag

_TYPE_ONLY = int(ImportFlag.TYPE_ONLY)


class ModuleStatements(ReferenceReader):
    """The handlers of module statements."""

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
                    self._import(reading, scope, name, flags, string_of(reading, inner), "export=", reading.text(name))
            elif clause.type == "import_clause" and source is not None:
                self._import_clause(reading, scope, clause, flags, string_of(reading, source))
        if source is not None and not any(child.type == "import_clause" for child in node.named_children):
            self._import(reading, scope, source, flags, string_of(reading, source), "", "")

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
        module = string_of(reading, source) if source is not None else ""
        declaration = node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        default = any(child.type == "default" for child in node.children)
        clauses = [child for child in node.named_children if child.type in ("export_clause", "namespace_export")]
        if declaration is not None:
            for name in declared_in(declaration):
                text = reading.text(name)
                self._export(reading, name, "default" if default else text, text, "")
            if default and not declared_in(declaration):
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
        chain = chain_of(reading, value)
        if chain:
            return chain
        body = value.child_by_field_name("body")
        index = reading.owners.at(body.start_byte) if body is not None else -1
        if body is not None and index >= 0 and reading.definitions[index].body_start == body.start_byte:
            return f"#{index}"
        return ""

    def _module_exports(self, reading: Reading, value: Node) -> None:
        required = required_in(reading, value)
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
