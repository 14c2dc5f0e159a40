"""reStructuredText: sections by their titles, nested in the order in which title styles first appear.

Read line by line without a grammar: a title is a line with a line of one punctuation character under it (and maybe
over it) that is at least as long. Directives and roles are text.
"""

from __future__ import annotations

import re
from typing import ClassVar

from satori.languages.base import Capability, Language
from satori.languages.draft import Scan
from satori.languages.outline import DataLanguage, Heading, add_sections

_BOM = b"\xef\xbb\xbf"
_RULE = re.compile(rb"^([!-/:-@\[-`{-~])\1+[ \t]*\r?$", re.MULTILINE)


class RST(DataLanguage, Language):
    """Docutils' and Sphinx's sources."""

    name: ClassVar[str] = "rst"
    capability: ClassVar[Capability] = Capability("outline")

    def collect(self, scan: Scan) -> None:
        """Find underlines, look at the line above each, and rank the styles."""
        data = scan.data
        styles: dict[tuple[bytes, bool], int] = {}
        headings: list[Heading] = []
        used = -1
        for rule in _RULE.finditer(data):
            start = data.rfind(b"\n", 0, max(rule.start() - 1, 0)) + 1
            if rule.start() == 0 or start <= used:
                continue
            title = data[start : rule.start()].removeprefix(_BOM)
            bare = title.strip()
            if not bare or _RULE.match(title) or bare.startswith(b".. "):
                continue
            mark, width = rule.group(1), len(rule.group().rstrip())
            length = len(bare.decode("utf-8", "replace"))
            above = data.rfind(b"\n", 0, max(start - 1, 0)) + 1
            if data.startswith(_BOM, above):
                above += len(_BOM)
            over = start > 0 and data[above:start].rstrip() == mark * width and above > used
            indented = title[:1] in b" \t"
            if width < length or (width < 3 and length != width) or (indented and not over):
                continue
            if not over and above < start and data[above:start].strip() and above > used:
                # The line before a title is blank, or belongs to the title before.
                continue
            name_start = start + data[start : rule.start()].index(bare)
            level = styles.setdefault((mark, over), len(styles) + 1)
            first = above if over else name_start
            headings.append(Heading(first, rule.end(), level, name_start, name_start + len(bare)))
            used = rule.start()
        add_sections(scan, headings)
