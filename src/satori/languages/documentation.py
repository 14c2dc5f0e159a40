"""Comment marks off, text kept: what a reader would see of a documentation comment.

It knows the marks of all languages at once, because they do not collide at the start of a line. It does not render
markup, tags or directives: `@param` and reST stay as written.
"""

from __future__ import annotations

import re
from inspect import cleandoc

MAX_CHARACTERS = 2_000
# Enough bytes for MAX_CHARACTERS of cleaned text with marks and indentation around every line.
_MAX_BYTES = 12_000

_OPEN = re.compile(
    r"^\s*"
    r"(?:/\*[*!]?|//[/!]?|#+[!:']?|--+(?:\[=*\[)?\s?[|^]?|%+|;+|\{-\s?[|^]?|\(\*\*?|<!--|\"{3}|'{3}|\*(?![*/]))[ \t]?"
)
_CLOSE = re.compile(r"\s*(?:\*+/|-\}|\*\)|-->|\]=*\]|\"{3}|'{3})\s*$")
_RULE = re.compile(r"^[\s\-=*#/~_]*$")
_DOC_OPENERS = (b"/**", b"///", b"/*!", b"//!", b"-- |", b"{- |", b"(**", b"---", b"##", b"#'", b"%%")


def is_documentation(comment: bytes) -> bool:
    """Whether the comment's own opening says that it documents (`/**`, `///`), in any language."""
    return comment.startswith(_DOC_OPENERS)


def clean_comments(comments: list[bytes]) -> str:
    """The text of adjacent comments in source order; only the documenting ones when there are any."""
    documenting = [comment for comment in comments if is_documentation(comment)]
    lines: list[str] = []
    for comment in documenting or comments:
        text = comment[:_MAX_BYTES].decode("utf-8", "replace")
        for line in _CLOSE.sub("", text).splitlines():
            stripped = _OPEN.sub("", line).rstrip()
            lines.append("" if _RULE.match(stripped) else stripped)
    return "\n".join(lines).strip("\n").strip()[:MAX_CHARACTERS]


def clean_docstring(literal: bytes) -> str:
    """The text of a Python string literal used as documentation: prefix and quotes off, indentation folded."""
    text = literal[:_MAX_BYTES].decode("utf-8", "replace").lstrip("rRuUbBfF")
    for quote in ('"""', "'''", '"', "'"):
        if text.startswith(quote):
            text = text[len(quote) :].removesuffix(quote)
            break
    return cleandoc(text).strip()[:MAX_CHARACTERS]
