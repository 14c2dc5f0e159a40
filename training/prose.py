"""Documentation comments turned into the sentence a person might have asked.

Strips comment markers, tags and markup, keeps the first paragraph, and rejects what is no description: licences, tool
directives, separators, code. It does not translate, rephrase or complete anything.
"""

from __future__ import annotations

import re

__all__ = ["first_paragraph", "is_description", "split_identifier"]

_MARKER = re.compile(
    r"^[ \t]*(?:/\*\*+!?|/\*!?|\*+/|\*(?!\*)|//[/!]?<?|#+!?(?!\w)|#:|--\[=*\[|\]=*\]|--+ ?[|^*]?|\{-+ ?[|^]?|-\}|;+|%+)"
    r"[ \t]?"
)
_TAIL = re.compile(r"[ \t]*(?:\*+/|-\}|\]\])[ \t]*$")
_TAG_LINE = re.compile(
    r"^\s*(?:[@\\](?!inheritdoc|brief|short|summary|details?\b)[a-zA-Z]+|:\w+[^:]*:|\.\. |>>> |```|~~~|---+|===+|\+---|"
    r"Args:|Arguments:|Parameters?:?$|Returns?:|Raises:|Examples?:?$|Usage:|Note:$|Throws:|Yields:|# \w+$)"
)
_LEAD_TAG = re.compile(r"^\s*[@\\](?:brief|short|summary|details?|inheritdoc)\b\s*")
_XML = re.compile(
    r"</?(?:see|seealso|paramref|typeparamref|c|code|para|summary|remarks|em|b|i|p|tt|a|strong|ul|li|pre|br|h\d)\b[^>]*>",
    re.I,
)
_CREF = re.compile(
    r"<(?:see|seealso|paramref|typeparamref)\s+(?:cref|name|langword|href)\s*=\s*\"(?:[A-Z]:)?([^\"]+)\"[^>]*/?>"
)
_INLINE = re.compile(r"\{@\w+\s+([^}|]+)(?:\|[^}]*)?\}")
_ROLE = re.compile(r":(?:\w+:)?\w+:`~?([^`<]+)(?:<[^>`]+>)?`")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\[([^\]]+)\](?:\[[^\]]*\])?")
_URL = re.compile(r"\S+://\S+")
_SPACE = re.compile(r"\s+")
_NOISE = re.compile(
    r"copyright|licen[sc]ed? under|spdx|licenses this file|all rights reserved|eslint|tslint|prettier-ignore|istanbul|"
    r"noqa|type: ignore|pylint|clang-format|nolint|rubocop:|phpcs|psalm-|phpstan-|@ts-|swiftlint|ktlint|checkstyle|"
    r"auto-?generated|do not edit|vim:|-\*-|\btodo\b|\bfixme\b|\bxxx\b|\bhack\b|inheritdoc|see (?:above|below)|"
    r"same as above|#region|^(?:begin|end|private|public|internal|static|constructor|destructor)[.: ]*$|-----|=====",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CODEY = re.compile(r"[;{}=<>]|\w\(|\)\.|::|->|&&|\|\|")
_IDENTIFIER = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def first_paragraph(comment: str) -> str:
    """The cleaned first paragraph of a raw comment or docstring, on one line; empty when nothing is left."""
    lines: list[str] = []
    for raw in comment.splitlines():
        line = _TAIL.sub("", _MARKER.sub("", raw)).rstrip()
        line = _LEAD_TAG.sub("", line)
        bare = _XML.sub(" ", _CREF.sub(r"`\1`", line)).strip()
        if not bare or not any(c.isalnum() for c in bare):
            if lines:
                break
            continue
        if _TAG_LINE.match(bare):
            break
        lines.append(bare)
        if sum(map(len, lines)) > 600:
            break
    text = " ".join(lines)
    text = _INLINE.sub(r"\1", _ROLE.sub(r"\1", text))
    text = _LINK.sub(lambda m: m.group(1) or m.group(2) or "", text)
    text = _URL.sub(" ", text).replace("`", "").replace("**", "").replace("''", "")
    return _SPACE.sub(" ", text).strip()


def is_description(text: str) -> bool:
    """Whether cleaned text reads as a description of 3 to 50 words rather than a directive, a licence or code."""
    if _NOISE.search(text):
        return False
    cjk = len(_CJK.findall(text))
    words = len(_WORD.findall(text)) if not cjk else cjk // 2
    if not 3 <= words <= 50:
        return False
    letters = sum(c.isalpha() or c == " " for c in text)
    return letters >= 0.75 * len(text) and len(_CODEY.findall(text)) <= 1 + words // 8


def split_identifier(name: str) -> list[str]:
    """The lower-cased words of an identifier in any of the usual spellings."""
    return [part.lower() for part in _IDENTIFIER.findall(name)]
