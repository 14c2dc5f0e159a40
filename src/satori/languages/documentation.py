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
# A line of these alone is a rule drawn in a comment.
_RULE = " \t-=*#/~_"
_DOC_OPENERS = (b"/**", b"///", b"/*!", b"//!", b"-- |", b"{- |", b"(**", b"---", b"##", b"#'", b"%%")


def is_documentation(comment: bytes) -> bool:
    """Whether the comment's own opening says that it documents (`/**`, `///`), in any language."""
    return comment.startswith(_DOC_OPENERS) and not comment.startswith((b"////", b"/***"))


def clean_comments(comments: list[bytes]) -> str:
    """The text of adjacent comments in source order; only the documenting ones when there are any."""
    if len(comments) > 1:
        comments = [comment for comment in comments if is_documentation(comment)] or comments
    lines: list[str] = []
    for comment in comments:
        text = comment[:_MAX_BYTES].decode("utf-8", "replace")
        lines += _block_lines(text) if text.startswith("/*") else _line_lines(text)
    return "\n".join(["" if not line.strip(_RULE) else line for line in lines]).strip()[:MAX_CHARACTERS]


def _block_lines(text: str) -> list[str]:
    """Lines of a `/* */` comment, without the stars before them: nearly all comments, so without expressions."""
    lines = []
    for line in text.removesuffix("*/").lstrip("/*!").splitlines():
        bare = line.strip()
        if bare.startswith("*"):
            bare = bare[1:].removeprefix(" ")
        lines.append(bare)
    return lines


def _line_lines(text: str) -> list[str]:
    """Lines of any other comment."""
    if text.startswith("//") and "\n" not in text:
        return [text.lstrip("/!").removeprefix(" ").rstrip()]
    return [_OPEN.sub("", line).rstrip() for line in _CLOSE.sub("", text).splitlines()]


def clean_docstring(literal: bytes) -> str:
    """The text of a Python string literal used as documentation: prefix and quotes off, indentation folded."""
    text = literal[:_MAX_BYTES].decode("utf-8", "replace").lstrip("rRuUbBfF")
    for quote in ('"""', "'''", '"', "'"):
        if text.startswith(quote):
            text = text[len(quote) :].removesuffix(quote)
            break
    return cleandoc(text).strip()[:MAX_CHARACTERS]
