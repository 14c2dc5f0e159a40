"""libclang's answer for each call of a C tree, in the format "sites" of `benchmarks.oracles`.

    python benchmarks/oracle_c.py OUT ROOT FLAGS -- FILES

Needs the package libclang (not a dependency of the project). A callee without a body in its file is joined with the one
definition that the other files have; calls that a macro makes are left out.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any


class Reader:
    """Calls and definitions of a tree."""

    def __init__(self, root: str) -> None:
        self.clang: Any = importlib.import_module("clang.cindex")
        self.kinds: Any = self.clang.CursorKind
        self.root = root
        self.definitions: dict[str, set[tuple[str, int]]] = {}
        self.calls: list[tuple[tuple[str, int], str, str, tuple[str, int] | None, bool]] = []

    def read(self, path: str, flags: list[str]) -> None:
        """One translation unit."""
        unit = self.clang.Index.create().parse(path, args=flags)
        for cursor in unit.cursor.get_children():
            if self._inside(cursor):
                self._visit(cursor)

    def _inside(self, cursor: Any) -> bool:
        return cursor.location.file is not None and os.path.realpath(cursor.location.file.name).startswith(self.root)

    def _place(self, cursor: Any) -> tuple[str, int]:
        return os.path.realpath(cursor.location.file.name), int(cursor.location.offset)

    def _callee(self, cursor: Any) -> Any:
        for child in cursor.get_children():
            if child.kind == self.kinds.DECL_REF_EXPR:
                return child
            if child.kind in (self.kinds.UNEXPOSED_EXPR, self.kinds.PAREN_EXPR):
                return self._callee(child)
            break
        return None

    def _visit(self, cursor: Any) -> None:
        if cursor.kind == self.kinds.FUNCTION_DECL and cursor.is_definition() and self._inside(cursor):
            self.definitions.setdefault(cursor.get_usr(), set()).add(self._place(cursor))
        if cursor.kind == self.kinds.CALL_EXPR and self._inside(cursor):
            callee = self._callee(cursor)
            target = callee.referenced if callee is not None else None
            if target is not None and target.kind == self.kinds.FUNCTION_DECL:
                own = target.get_definition()
                place = self._place(own) if own is not None and own.location.file is not None else None
                self.calls.append((self._place(callee), target.spelling, target.get_usr(), place, self._inside(target)))
        for child in cursor.get_children():
            self._visit(child)

    def rows(self) -> list[str]:
        """The answers, one for each site that has exactly one."""
        found: dict[tuple[str, int], set[tuple[str, int, str]]] = {}
        for (path, at), name, usr, own, within in self.calls:
            if Path(path).read_bytes()[at : at + len(name)].decode("latin-1") != name:
                continue
            known = self.definitions.get(usr, set())
            target = own or (next(iter(known)) if within and len(known) == 1 else None)
            if target is not None and target[0].startswith(self.root):
                answer = (os.path.relpath(target[0], self.root), target[1], name)
            elif within:
                continue
            else:
                answer = ("<external>", -1, name)
            found.setdefault((os.path.relpath(path, self.root), at), set()).add(answer)
        return [
            f"{path}\t{at}\t{target}\t{start}\t{name}"
            for (path, at), answers in sorted(found.items())
            if len(answers) == 1
            for target, start, name in answers
        ]


def main() -> None:
    """Read the files and write the answers."""
    out, root = sys.argv[1], os.path.realpath(sys.argv[2])
    split = sys.argv.index("--")
    reader = Reader(root)
    for name in sys.argv[split + 1 :]:
        reader.read(os.path.realpath(Path(root) / name), sys.argv[3:split])
    Path(out).write_text("".join(row + "\n" for row in reader.rows()), encoding="utf-8")


if __name__ == "__main__":
    main()
