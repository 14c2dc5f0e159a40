"""Markdown: sections by headings, nested by rank.

Only headings that stand in the document itself count, not those in lists, quotes or code. Inline markup stays in the
name as written. Code blocks are text.
"""

from __future__ import annotations

from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Scan
from satori.languages.outline import DataLanguage, Heading, add_sections, trim_end


class Markdown(DataLanguage, GrammarLanguage):
    """CommonMark and GitHub's dialect."""

    name: ClassVar[str] = "markdown"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("markdown")
    query: ClassVar[str] = "(section [(atx_heading) (setext_heading)] @heading)"

    def heading(self, scan: Scan, node: Node) -> None:
        """Remember a heading: rank, extent, text."""
        content = node.child_by_field_name("heading_content")
        if content is None or not scan.first_time(node):
            return
        level = 0
        for child in node.children:
            if child.type.endswith(("_marker", "_underline")):
                digits = [int(character) for character in child.type if character.isdigit()]
                level = digits[0] if digits else 0
        start, end = content.start_byte, trim_end(scan.data, content.start_byte, content.end_byte)
        start += len(scan.data[start:end]) - len(scan.data[start:end].lstrip())
        if node.type == "atx_heading":
            closed = scan.data[start:end].rstrip(b"#")
            if closed[-1:] in (b" ", b"\t"):
                end = trim_end(scan.data, start, start + len(closed))
        line = scan.data.find(b"\n", start, end)
        if line >= 0:
            end = trim_end(scan.data, start, line)
        if level and end > start:
            marks = (node.start_byte, trim_end(scan.data, node.start_byte, node.end_byte), level, start, end)
            scan.notes.setdefault("headings", []).extend(marks)

    def finish(self, scan: Scan) -> None:
        """Sections from the headings."""
        marks = scan.notes.get("headings", [])
        headings = [_heading(marks, index) for index in range(0, len(marks), 5)]
        add_sections(scan, sorted(headings, key=lambda heading: heading.start))
        # Prose has no errors worth dropping a section for.
        scan.errors, scan.missing = [], []


def _heading(marks: list[int], index: int) -> Heading:
    start, end, level, name_start, name_end = marks[index : index + 5]
    return Heading(start, end, level, name_start, name_end)
