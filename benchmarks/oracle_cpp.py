"""libclang's answer for each call of a C++ tree, in the format "entities" of `benchmarks.oracles`.

    python benchmarks/oracle_cpp.py OUT ROOT FLAGS -- FILES

Needs the package libclang (not a dependency of the project) and the headers of a compiler. A callee is given with all
its declarations and definitions in the tree; a constructor with its class after them. Implicit calls, operators, casts
and calls that a macro's own text makes are left out, and so is what differs between translation units.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from pathlib import Path
from typing import Any

_Place = tuple[str, int]


class Reader:
    """Calls, declarations and definitions of a tree."""

    def __init__(self, root: str) -> None:
        self.clang: Any = importlib.import_module("clang.cindex")
        kinds = self.clang.CursorKind
        self.kinds: Any = kinds
        self.functions = {kinds.FUNCTION_DECL, kinds.CXX_METHOD, kinds.FUNCTION_TEMPLATE, kinds.CONSTRUCTOR}
        self.types = {kinds.CLASS_DECL, kinds.STRUCT_DECL, kinds.CLASS_TEMPLATE}
        self.through = {kinds.UNEXPOSED_EXPR, kinds.PAREN_EXPR}
        self.root = root + os.sep
        self.places: dict[str, set[tuple[bool, _Place]]] = {}
        self.calls: list[tuple[_Place, str, str, str, bool]] = []
        self.real: dict[str, str] = {}
        self.data: dict[str, bytes] = {}
        self.done: set[tuple[_Place, str]] = set()

    def read(self, path: str, flags: list[str]) -> int:
        """One translation unit; returns the number of errors."""
        unit = self.clang.Index.create().parse(path, args=flags)
        for cursor in unit.cursor.get_children():
            if self._path(cursor.location).startswith(self.root):
                self._visit(cursor, None)
        return sum(item.severity >= 3 for item in unit.diagnostics)

    def _path(self, location: Any) -> str:
        if location.file is None:
            return ""
        name = location.file.name
        if name not in self.real:
            self.real[name] = os.path.realpath(name)
        return self.real[name]

    def _place(self, location: Any) -> _Place:
        """Where it is spelled: an argument of a macro where the argument stands."""
        file, line, column, offset = self.clang.c_object_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        self.clang.conf.lib.clang_getSpellingLocation(
            location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(column), ctypes.byref(offset)
        )
        if not file:
            return "", -1
        name = self.clang.File(file).name
        if name not in self.real:
            self.real[name] = os.path.realpath(name)
        return self.real[name], int(offset.value)

    def _callee(self, cursor: Any) -> Any:
        """The reference that names what is called."""
        for child in cursor.get_children():
            if child.kind in (self.kinds.DECL_REF_EXPR, self.kinds.MEMBER_REF_EXPR):
                return child
            return self._callee(child) if child.kind in self.through else None
        return None

    def _visit(self, cursor: Any, parent: Any) -> None:
        kind = cursor.kind
        if kind in self.functions:
            self.places.setdefault(cursor.get_usr(), set()).add((cursor.is_definition(), self._place(cursor.location)))
        elif kind in self.types and cursor.is_definition():
            self.places.setdefault(cursor.get_usr(), set()).add((True, self._place(cursor.location)))
        elif kind == self.kinds.CALL_EXPR:
            self._call(cursor, parent)
        for child in cursor.get_children():
            self._visit(child, cursor)

    def _call(self, cursor: Any, parent: Any) -> None:
        target = cursor.referenced
        if target is None or target.kind not in self.functions:
            return
        template = self.clang.conf.lib.clang_getSpecializedCursorTemplate(target)
        if template is not None and template.kind in self.functions:
            target = template
        name = target.spelling
        if target.kind == self.kinds.CONSTRUCTOR:
            name = name.partition("<")[0]
            at = self._type_name(cursor, parent, name)
            owner = target.semantic_parent
            general = self.clang.conf.lib.clang_getSpecializedCursorTemplate(owner)
            owner = general if general is not None and general.kind in self.types else owner
            usr = target.get_usr()
            self._note(target)
            self._note(owner)
            if at is not None:
                inside = self._path(owner.location).startswith(self.root)
                self.calls.append((at, name, usr, owner.get_usr(), inside))
            return
        callee = self._callee(cursor)
        if callee is None or name.startswith("operator"):
            return
        self._note(target)
        inside = self._path(target.location).startswith(self.root)
        self.calls.append((self._name_at(callee, name), name, target.get_usr(), "", inside))

    def _note(self, target: Any) -> None:
        for item in (target, target.get_definition()):
            if item is not None and self._path(item.location).startswith(self.root):
                place = (bool(item.is_definition()), self._place(item.location))
                self.places.setdefault(target.get_usr(), set()).add(place)

    def _name_at(self, callee: Any, name: str) -> _Place:
        """The byte of the callee's name: the reference's own location is it, or leads to it through qualifiers."""
        return self._place(callee.location)

    def _type_name(self, cursor: Any, parent: Any, name: str) -> _Place | None:
        """Where a construction names its class: the reference to the type beside or inside it."""
        kinds = self.kinds
        wanted = (kinds.TYPE_REF, kinds.TEMPLATE_REF)
        holders = (
            [parent]
            if parent is not None
            and parent.kind in (kinds.VAR_DECL, kinds.CXX_NEW_EXPR, kinds.CXX_FUNCTIONAL_CAST_EXPR)
            else []
        )
        explicit = bool(holders)
        if parent is not None and parent.kind == kinds.VAR_DECL:
            # `T x;` says no more than that there is one; `T x(1)` and `T x{1}` call.
            path, at = self._place(parent.location)
            tail = self._bytes(path)[at + len(parent.spelling) : at + len(parent.spelling) + 1] if path else b""
            explicit = tail in (b"(", b"{")
        if parent is not None and parent.kind == kinds.CONSTRUCTOR:
            before = None
            for child in parent.get_children():
                if child == cursor:
                    break
                before = child
            holders, explicit = ([before], True) if before is not None and before.kind in wanted else ([], False)
            if holders:
                place = self._place(holders[0].location)
                return place if self._said(place, name) else None
        if not explicit:
            place = self._place(cursor.location)
            return place if self._said(place, name) and self._opens(place, name) else None
        for holder in holders:
            for child in holder.get_children():
                if child.kind in wanted:
                    place = self._place(child.location)
                    if self._said(place, name):
                        return place
        return None

    def _said(self, place: _Place, name: str) -> bool:
        return bool(place[0]) and self._bytes(place[0])[place[1] : place[1] + len(name)] == name.encode()

    def _opens(self, place: _Place, name: str) -> bool:
        data = self._bytes(place[0])
        return data[place[1] + len(name) : place[1] + len(name) + 1] in (b"(", b"{", b"<")

    def _bytes(self, path: str) -> bytes:
        if path not in self.data:
            self.data[path] = Path(path).read_bytes()
        return self.data[path]

    def rows(self) -> list[str]:
        """The answers, one for each site that has exactly one."""
        found: dict[_Place, set[tuple[str, str]]] = {}
        for place, name, usr, owner, inside in self.calls:
            if place[0].startswith(self.root) and self._said(place, name):
                known = self._places(usr) + (self._places(owner) if owner else [])
                targets = "|".join(f"{path}:{at}" for path, at in known)
                if inside and not targets:
                    continue
                found.setdefault(place, set()).add((targets if inside else "<external>", name))
        return [
            f"{os.path.relpath(path, self.root)}\t{at}\t{targets}\t{name}"
            for (path, at), answers in sorted(found.items())
            if len(answers) == 1
            for targets, name in answers
        ]

    def _places(self, usr: str) -> list[_Place]:
        """Definitions, then declarations."""
        known = sorted(self.places.get(usr, ()), key=lambda item: (not item[0], item[1]))
        return [(os.path.relpath(path, self.root), at) for _, (path, at) in known if path.startswith(self.root)]


def main() -> None:
    """Read the files and write the answers."""
    out, root = sys.argv[1], os.path.realpath(sys.argv[2])
    split = sys.argv.index("--")
    reader = Reader(root)
    failed = 0
    for name in sys.argv[split + 1 :]:
        failed += reader.read(os.path.realpath(Path(root) / name), sys.argv[3:split]) > 0
    rows = reader.rows()
    Path(out).write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} sites, {failed} of {len(sys.argv) - split - 1} files had errors")


if __name__ == "__main__":
    main()
