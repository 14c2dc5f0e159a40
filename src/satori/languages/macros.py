"""C and C++ macros that a grammar cannot read, turned into spaces before parsing, byte for byte.

A grammar sees no preprocessor. A word such as `API_EXPORT` before a declaration, `WINAPI` inside one, `NOEXCEPT` after
it or `class EXPORT Name` costs it the declaration, and often everything after. Only words in capitals, in places where
no name can stand, are blanked; names are always read from the file itself. It does not expand or evaluate anything.
"""

from __future__ import annotations

import re

# Capitals and digits: what macros are called. The rest of each rule is checked where one is found.
_WORD = re.compile(rb"[A-Z][A-Z0-9_]{2,}")
# What may stand before a decoration on its line.
_OPENING = re.compile(
    rb"[ \t]*(?:(?:static|extern|inline|virtual|explicit|constexpr|friend|typedef|export|template[ \t]*<[^;{}\n]*>"
    rb"|[A-Z][A-Z0-9_]*)[ \t]+)*"
)
_QUALIFIERS = (
    rb"(?:static|inline|const|unsigned|signed|struct|enum|union|class|virtual|explicit|constexpr|friend|typename)"
)
# `type name(`, `type *name;`, `type name =`
_DECLARES = re.compile(
    rb"[ \t\n]+(?:"
    + _QUALIFIERS
    + rb"[ \t]+)*(?!const\b|volatile\b|restrict\b)[A-Za-z_][\w:]*(?:<[^<>\n;]*>)?[ \t\n*&]+"
    rb"(?!const\b|volatile\b)(?:operator\b|~?[A-Za-z_][\w:]*[ \t]*[(;=,\[])"
)
_DECORATION_WORD = re.compile(
    rb"CONSTEXPR|INLINE|NODISCARD|EXPORT|DEPRECATED|NORETURN|EXTERN|VISIB|HIDDEN|_API\b|_DECL\b|UNUSED|ALWAYS|_FORCE"
)
_DECORATED = re.compile(rb"[ \t\n]+(?=[a-z~A-Z_])")
_ALONE = re.compile(rb"(?:[A-Z0-9]+_)*(?:BEGIN|END)(?:_[A-Z0-9_]+)?(?:\([\w, ]*\))?[ \t]*\r?$", re.MULTILINE)
_CONVENTION = re.compile(rb"[A-Z]*(?:API|CALLBACK|CDECL|STDCALL)[ \t]+(?=\w+[ \t]*\()")
_POINTED = re.compile(rb"[ \t]*\*+[ \t]*\w+[ \t]*(?:\[[^\]\n]*\])?\)[ \t\n]*\(")
_TYPE_NAME = re.compile(rb"(?:\([\w, \"]*\))?[ \t]+(?=[A-Za-z_][\w:]*(?:<[^<>\n]*>)?\s*(?:final\s*)?[:{;<])")
_TYPE_KEYWORD = re.compile(rb"\b(?:class|struct|union)[ \t]+$")
_ANNOTATION = re.compile(rb"(?:\([^()\n;{}]*\))?(?=\s*(?:[;{]|=\s*(?:0|default|delete)\b|:[^:]|[A-Z_]{4,}\())")
_ANNOTATED = (b")", b"const", b"noexcept", b"override", b"final")
_GUARDED = re.compile(rb"(?:\w*GUARDED_BY|ACQUIRED_BEFORE|ACQUIRED_AFTER)\([^()\n;]*\)(?=\s*[;={])")
_TYPE_CALL = re.compile(rb"\([^()\n;]*\)(?=[ \t]+\**[ \t]*\w+[ \t]*(?:[;=\[]|,[ \t]*\**\w+[ \t]*;))")


def blank_macros(data: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """(as many bytes with the macros blanked, the ranges of those that begin a declaration)."""
    blanked: list[tuple[int, int]] = []
    leading: list[tuple[int, int]] = []
    line_start = line_end = 0
    directive = False
    for found in _WORD.finditer(data):
        start, end = found.span()
        if start >= line_end:
            line_start = data.rfind(b"\n", 0, start) + 1
            line_end = data.find(b"\n", end)
            line_end = len(data) if line_end < 0 else line_end
            directive = data[line_start:start].lstrip().startswith(b"#")
        if directive or _continues(data, start, end):
            continue
        span, leads = _judge(data, line_start, start, end)
        if span is None or (blanked and span[0] < blanked[-1][1]):
            continue
        blanked.append(span)
        if leads:
            leading.append(span)
    if not blanked:
        return data, leading
    pieces: list[bytes] = []
    at = 0
    for start, end in blanked:
        pieces += (data[at:start], re.sub(rb"[^\r\n]", b" ", data[start:end]))
        at = end
    pieces.append(data[at:])
    return b"".join(pieces), leading


def _continues(data: bytes, start: int, end: int) -> bool:
    """Whether the capitals are only part of a word."""
    before = data[start - 1 : start]
    after = data[end : end + 1]
    return before.isalnum() or before == b"_" or after.isalnum() or before in (b'"', b"'")


def _judge(data: bytes, line_start: int, start: int, end: int) -> tuple[tuple[int, int] | None, bool]:
    """(what to blank because of the word, whether it is a leading decoration)."""
    after = data[end : end + 1]
    before = data[start - 1 : start]
    if before == b"(":
        return ((start, end), False) if _POINTED.match(data, end) else (None, False)
    opening = _OPENING.fullmatch(data, line_start, start)
    if opening is not None:
        if after in b" \t\n\r" and after:
            word = data[start:end]
            if _DECLARES.match(data, end) or (_DECORATION_WORD.search(word) and _DECORATED.match(data, end)):
                return (start, end), True
        if not data[line_start:start].strip():
            alone = _ALONE.match(data, start)
            if alone is not None:
                return alone.span(), False
        if after == b"(":
            call = _TYPE_CALL.match(data, end)
            if call is not None and b"," in call.group():
                return call.span(), False
    if before in b" \t\n" and before:
        if _TYPE_KEYWORD.search(data, max(line_start, start - 16), start):
            named = _TYPE_NAME.match(data, end)
            return ((start, named.end()), False) if named else (None, False)
        if after and after in b" \t" and opening is None and _CONVENTION.match(data, start):
            return (start, end), False
        annotation = _ANNOTATION.match(data, end)
        if annotation is not None and data[max(0, start - 120) : start].rstrip().endswith(_ANNOTATED):
            return (start, annotation.end()), False
        guarded = _GUARDED.match(data, start)
        if guarded is not None:
            return guarded.span(), False
    return None, False
