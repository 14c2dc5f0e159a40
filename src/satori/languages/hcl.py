"""HCL and Terraform: blocks named by their labels, locals, top-level attributes.

A Terraform block is called what expressions call it: `aws_vpc.main`, `var.region`, `module.vpc`, `data.aws_ami.x`.
Nested blocks are part of their block.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Scan
from satori.languages.outline import child_of_type
from satori.model.definition import SymbolKind

_KINDS = {
    "variable": SymbolKind.PROPERTY,
    "output": SymbolKind.PROPERTY,
    "module": SymbolKind.MODULE,
    "resource": SymbolKind.STRUCT,
    "data": SymbolKind.STRUCT,
}
_PREFIXES = {"variable": "var.", "module": "module.", "data": "data.", "output": "output."}


class HCL(GrammarLanguage):
    """HCL 2."""

    name: ClassVar[str] = "hcl"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("hcl")
    query: ClassVar[str] = """
    (config_file (body (block) @block))
    (config_file (body (attribute) @attribute))
    (comment) @comment
    """

    def block(self, scan: Scan, node: Node) -> None:
        """One top-level block; the last label names it, all of them qualify it."""
        word = child_of_type(node, "identifier")
        if word is None:
            return
        labels = [literal for literal in node.named_children if literal.type in ("string_lit", "identifier")][1:]
        texts = [scan.text(label).strip('"') for label in labels]
        kind = _KINDS.get(scan.text(word), SymbolKind.SECTION)
        brace = child_of_type(node, "block_start")
        name = labels[-1] if labels else word
        content = child_of_type(name, "template_literal") or name
        draft = scan.add(kind, node, content, body=brace)
        if labels:
            draft.segment = _PREFIXES.get(scan.text(word), "") + ".".join(texts)
        body = child_of_type(node, "body")
        if scan.text(word) == "locals" and body is not None:
            draft.scope = "local"
            for child in body.named_children:
                if child.type == "attribute":
                    self.attribute(scan, child)

    def attribute(self, scan: Scan, node: Node) -> None:
        """`name = value` at top level or in `locals`."""
        name = child_of_type(node, "identifier")
        if name is not None:
            scan.add(SymbolKind.CONSTANT, node, name)
