"""What Cargo.toml says about crates. Other TOML says nothing.

`package` is the package's name. Exports: `lib` and `bin` with the path of a crate's root, `libname` with the library's
name. An import is a dependency under the alias that the source uses: its module is the path of a directory, `workspace`
for one that the workspace describes, or empty; its name is `dependency`, or `workspace` in the workspace's own table.
"""

from __future__ import annotations

import tomllib
from typing import Any, ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.model.reference import CHAIN_CHARACTERS, Export, Import

_MAX_BYTES = 256 * 1024
_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")


class TomlReferences(ReferenceReader):
    """Packages and their dependencies by path."""

    query: ClassVar[str] = "(document) @document"

    def document(self, reading: Reading, node: Node) -> None:
        """The whole file, read by the standard library."""
        data = reading.data
        if len(data) > _MAX_BYTES or not (b"[package]" in data or b"[workspace" in data):
            return
        try:
            held = tomllib.loads(data.decode("utf-8", "replace"))
        except (tomllib.TOMLDecodeError, RecursionError):
            return
        package = held.get("package")
        if isinstance(package, dict) and isinstance(package.get("name"), str):
            reading.package = package["name"]
        library = held.get("lib")
        if isinstance(library, dict):
            self._say(reading, "lib", library.get("path"))
            self._say(reading, "libname", library.get("name"))
        binaries = held.get("bin")
        for binary in binaries if isinstance(binaries, list) else ():
            if isinstance(binary, dict):
                self._say(reading, "bin", binary.get("path"))
        tables: list[Any] = [held]
        targets = held.get("target")
        tables += targets.values() if isinstance(targets, dict) else ()
        for table in tables:
            for kind in _TABLES if isinstance(table, dict) else ():
                self._depend(reading, table.get(kind), "dependency")
        workspace = held.get("workspace")
        if isinstance(workspace, dict):
            self._depend(reading, workspace.get("dependencies"), "workspace")

    def _say(self, reading: Reading, name: str, value: object) -> None:
        if isinstance(value, str) and 0 < len(value) <= CHAIN_CHARACTERS and "\0" not in value:
            reading.exports.append(Export(0, 0, 1, len(reading.exports), name, value, ""))

    def _depend(self, reading: Reading, table: object, name: str) -> None:
        for alias, item in table.items() if isinstance(table, dict) else ():
            path = item.get("path", "") if isinstance(item, dict) else ""
            if isinstance(item, dict) and item.get("workspace") is True:
                path = "workspace"
            if isinstance(path, str) and max(len(path), len(alias)) <= CHAIN_CHARACTERS and "\0" not in path + alias:
                reading.imports.append(Import(-1, len(reading.imports), 0, 1, 0, path, name, alias))

    def finish(self, reading: Reading) -> None:
        """Nothing is dropped."""
