"""HTML: sections by headings (`h1` to `h6`), nested by rank.

A section reaches from its heading to the next one of its rank, whatever elements open and close between. Scripts and
styles inside are text.
"""

from __future__ import annotations

import re
from typing import ClassVar

from tree_sitter import Node

from satori.languages.base import Capability, Grammar, GrammarLanguage
from satori.languages.draft import Scan
from satori.languages.outline import DataLanguage, Heading, add_sections, child_of_type

_HEADING = re.compile(rb"[hH][1-6]")
_TAG = re.compile(r"<[^<>]*>")


class HTML(DataLanguage, GrammarLanguage):
    """HTML documents and templates."""

    name: ClassVar[str] = "html"
    capability: ClassVar[Capability] = Capability("outline")
    grammar: ClassVar[Grammar] = Grammar.bundled("html")
    query: ClassVar[str] = """
    (element (start_tag (tag_name) @heading))
    (comment) @comment
    """

    def heading(self, scan: Scan, node: Node) -> None:
        """Remember a heading and the extent of its text, if the tag is one's."""
        if not _HEADING.fullmatch(scan.data, node.start_byte, node.end_byte):
            return
        opening = node.parent
        element = opening.parent if opening is not None else None
        closing = child_of_type(element, "end_tag") if element is not None else None
        if opening is None or element is None or closing is None:
            return
        start, end = opening.end_byte, closing.start_byte
        content = scan.data[start:end]
        start += len(content) - len(content.lstrip())
        end = start + len(content.strip())
        if start < end:
            level = scan.data[node.end_byte - 1] - ord("0")
            scan.notes.setdefault("headings", []).extend((element.start_byte, element.end_byte, level, start, end))

    def finish(self, scan: Scan) -> None:
        """Sections from the headings; a name is its text without tags."""
        marks = scan.notes.get("headings", [])
        headings: list[Heading] = []
        for index in range(0, len(marks), 5):
            start, end, level, name_start, name_end = marks[index : index + 5]
            raw = scan.data[name_start : min(name_end, name_start + 500)].decode("utf-8", "replace")
            text = " ".join(_TAG.sub(" ", raw).split())
            if text:
                headings.append(Heading(start, end, level, name_start, name_end, text))
        add_sections(scan, sorted(headings, key=lambda heading: heading.start))
        scan.errors, scan.missing = [], []
