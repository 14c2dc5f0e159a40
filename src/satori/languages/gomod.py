"""go.mod and go.work: the module's name and the blocks, and what they say about where modules lie.

References: `package` is the module's path; an import named `replace` is a module (its alias) that lies in a directory,
one named `use` a directory of a workspace. Versions, exclusions and toolchains are only text. It needs no grammar.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from satori.languages.assembly import assemble
from satori.languages.base import Capability, Language
from satori.languages.draft import Scan
from satori.languages.outline import add_range
from satori.model.definition import FileFacts, SymbolKind
from satori.model.reference import CHAIN_CHARACTERS, Import, References

_COMMENT = re.compile(rb"//[^\n]*")
_MODULE = re.compile(rb'^module[ \t]+(?:\([ \t\r\n]*)?"?([^\s"()]+)"?[^\n]*', re.MULTILINE)
_BLOCK = re.compile(rb"^([a-z]+)[ \t]*\([^\n]*\n(?:[^)]*\n)?[ \t]*\)", re.MULTILINE)
# Of a replacement only one by a directory says where a module lies.
_REPLACE = re.compile(
    rb'^[ \t]*(?:replace[ \t]+)?"?([^\s"]+)"?(?:[ \t]+v[^\s]+)?[ \t]*=>[ \t]*"?(\.[^\s"]*)"?', re.MULTILINE
)
_USE = re.compile(rb'^(?:use)?[ \t]+"?(\.[^\s"]*)"?[ \t\r]*(?://[^\n]*)?$', re.MULTILINE)


class GoMod(Language):
    """The files of Go's module system."""

    name: ClassVar[str] = "gomod"
    capability: ClassVar[Capability] = Capability("outline")

    def extract(self, data: bytes) -> FileFacts:
        """Facts with their references."""
        scan = Scan(data)
        self.collect(scan)
        return self.with_references(scan, assemble(self, scan))

    def collect(self, scan: Scan) -> None:
        """The module and every block."""
        for found in _COMMENT.finditer(scan.data):
            scan.add_comment(found.start(), found.end())
        module = _MODULE.search(scan.data)
        if module is not None:
            add_range(scan, SymbolKind.MODULE, module.span(), module.span(1))
        for block in _BLOCK.finditer(scan.data):
            if block.group(1) != b"module":
                add_range(scan, SymbolKind.SECTION, block.span(), block.span(1))

    def with_references(self, scan: Scan, facts: FileFacts) -> FileFacts:
        """The module's path, and the directories that stand in for modules."""
        data = scan.data
        module = _MODULE.search(data)
        imports = []
        for pattern, name in ((_REPLACE, "replace"), (_USE, "use")):
            for found in pattern.finditer(data):
                path = found.group(found.lastindex or 1).decode("utf-8", "replace")
                alias = found.group(1).decode("utf-8", "replace") if name == "replace" else ""
                if max(len(path), len(alias)) <= CHAIN_CHARACTERS:
                    line = data.count(b"\n", 0, found.start()) + 1
                    imports.append(Import(-1, found.start(1), found.end(1), line, 0, path, name, alias))
        package = module.group(1).decode("utf-8", "replace") if module is not None else ""
        return replace(facts, references=References(package, tuple(sorted(imports, key=lambda item: item.start))))
