"""What JSON files say about modules: package.json, tsconfig.json, composer.json. Other JSON says nothing.

`package` is the package's name; an export is a setting under its dotted name: `main`, `extends`, `baseUrl`,
`paths:PATTERN`, `exports:SUBPATH` (one for each file that the conditions name, in their order), `psr-4:PREFIX` (of
composer.json).
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from tree_sitter import Node

from satori.languages.references.base import Reading, ReferenceReader
from satori.model.reference import CHAIN_CHARACTERS, Export

_PLAIN = ("main", "module", "types", "typings", "source", "extends")
_AUTOLOAD = ("autoload", "autoload-dev")
_WANTED = {*_PLAIN, *_AUTOLOAD, "name", "exports", "compilerOptions"}
_MAX_BYTES = 256 * 1024
_MAX_DEPTH = 8


class JsonReferences(ReferenceReader):
    """Settings that decide what a module name means."""

    query: ClassVar[str] = "(document (object (pair) @setting))"

    def setting(self, reading: Reading, node: Node) -> None:
        """One key of the document."""
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is None or value is None or len(reading.data) > _MAX_BYTES:
            return
        name = reading.text(key).strip('"')
        if name not in _WANTED:
            return
        held = _value(reading, value, 0)
        if name == "name" and isinstance(held, str):
            reading.package = held
        elif name in _PLAIN and isinstance(held, str):
            self._say(reading, value, name, held)
        elif name == "exports":
            self._exports(reading, value, held)
        elif name in _AUTOLOAD and isinstance(held, dict) and isinstance(held.get("psr-4"), dict):
            for prefix, places in held["psr-4"].items():
                for place in _leaves(places):
                    self._say(reading, value, f"psr-4:{prefix}", place)
        elif name == "compilerOptions" and isinstance(held, dict):
            if isinstance(held.get("baseUrl"), str):
                self._say(reading, value, "baseUrl", held["baseUrl"])
            paths = held.get("paths")
            for pattern, places in paths.items() if isinstance(paths, dict) else ():
                for place in places if isinstance(places, list) else ():
                    if isinstance(place, str):
                        self._say(reading, value, f"paths:{pattern}", place)

    def _exports(self, reading: Reading, node: Node, held: Any) -> None:
        if isinstance(held, dict) and any(key.startswith(".") for key in held):
            for subpath, target in held.items():
                for path in _leaves(target):
                    self._say(reading, node, f"exports:{subpath}", path)
        else:
            for path in _leaves(held):
                self._say(reading, node, "exports:.", path)

    def _say(self, reading: Reading, node: Node, name: str, value: str) -> None:
        if len(value) <= CHAIN_CHARACTERS and "\0" not in value:
            line = node.start_point[0] + 1
            reading.exports.append(Export(node.start_byte, node.end_byte, line, len(reading.exports), name, value, ""))

    def finish(self, reading: Reading) -> None:
        """Nothing is dropped."""


def _leaves(held: Any) -> list[str]:
    """The files that conditions name, in their order."""
    if isinstance(held, str):
        return [held]
    if isinstance(held, dict):
        return list(dict.fromkeys(path for inner in held.values() for path in _leaves(inner)))
    if isinstance(held, list):
        return [path for inner in held for path in _leaves(inner)]
    return []


def _value(reading: Reading, node: Node, depth: int) -> Any:
    """The value of a JSON node, read from the tree because files with comments are no JSON."""
    if node.type == "string":
        try:
            return str(json.loads(reading.text(node)))
        except ValueError:
            return None
    if depth < _MAX_DEPTH and node.type == "object":
        found: dict[str, Any] = {}
        for pair in node.named_children:
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is not None and value is not None:
                found[str(_value(reading, key, depth + 1))] = _value(reading, value, depth + 1)
        return found
    if depth < _MAX_DEPTH and node.type == "array":
        return [_value(reading, item, depth + 1) for item in node.named_children]
    return None
