"""Git's wildmatch as Python regular expressions, exactly: what `wildmatch.c` accepts, and nothing else.

Patterns and subjects are *byte strings decoded as Latin-1*, because git compares bytes: `?` is one byte, a bracket
holds bytes, and `[[:alpha:]]` is ASCII. The expressions cannot backtrack exponentially: what follows a star is an
atomic group wherever the leftmost match is as good as any other. Parsing ignore files lives in `ignore`.
"""

from __future__ import annotations

import re
import string

_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, range(32))) + "\x7f",
    "digit": string.digits,
    "graph": "".join(map(chr, range(33, 127))),
    "lower": string.ascii_lowercase,
    "print": "".join(map(chr, range(32, 127))),
    "punct": string.punctuation,
    "space": " \t\n\v\f\r",
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}
_NEVER = r"(?!)"


class _InvalidPatternError(Exception):
    """The pattern is malformed in a way for which git matches nothing."""


def translate(pattern: str, pathname: bool) -> str:
    r"""A regular expression (for `re.fullmatch` with `re.DOTALL`) that accepts what git's wildmatch accepts.

    With `pathname` (WM_PATHNAME) stars and brackets stop at slashes and `**` spans directories. A malformed pattern
    (open bracket, unknown class, trailing backslash) gives an expression that matches nothing.
    """
    try:
        return _translate(pattern, pathname)
    except _InvalidPatternError:
        return _NEVER


def _translate(pattern: str, pathname: bool) -> str:
    # `groups` are separated by `**`; each is a list of runs separated by single stars.
    groups: list[list[str]] = [[""]]
    openings: list[str] = [""]
    one = "[^/]" if pathname else "."
    position, end = 0, len(pattern)
    while position < end:
        char = pattern[position]
        if char == "*":
            stop = position
            while stop < end and pattern[stop] == "*":
                stop += 1
            spans = not pathname
            if stop - position > 1 and pathname:
                starts = position == 0 or pattern[position - 1] == "/"
                spans = starts and (stop == end or pattern[stop] == "/" or pattern.startswith("\\/", stop))
            if not spans:
                groups[-1].append("")
                position = stop
            elif pathname and stop < end and pattern[stop] == "/":
                groups.append([""])
                openings.append(r"(?:.*?/)??")
                position = stop + 1
            else:
                groups.append([""])
                openings.append(".*?")
                position = stop
        elif char == "?":
            groups[-1][-1] += one
            position += 1
        elif char == "[":
            expression, position = _bracket(pattern, position, pathname)
            groups[-1][-1] += expression
        elif char == "\\":
            if position + 1 == end:
                raise _InvalidPatternError
            groups[-1][-1] += re.escape(pattern[position + 1])
            position += 2
        else:
            groups[-1][-1] += re.escape(char)
            position += 1
    parts = []
    for index, (opening, runs) in enumerate(zip(openings, groups, strict=True)):
        last = index == len(groups) - 1
        body = opening + _join(runs, last)
        parts.append(body if last or index == 0 else f"(?>{body})")
    return "".join(parts)


def _join(runs: list[str], last_group: bool) -> str:
    """Runs joined by single stars; every star but the pattern's last is settled by its first match."""
    text = runs[0]
    for index, run in enumerate(runs[1:], start=1):
        final = last_group and index == len(runs) - 1
        text += f"[^/]*{run}" if final else f"(?>[^/]*?{run})"
    return text


def _bracket(pattern: str, start: int, pathname: bool) -> tuple[str, int]:
    """The class that opens at `start`, as an expression, and the position after it."""
    members: set[int] = set()
    position = start + 1

    def at(index: int) -> str:
        if index >= len(pattern):
            raise _InvalidPatternError
        return pattern[index]

    negated = at(position) in "!^"
    if negated:
        position += 1
    previous = ""
    first = True
    while first or at(position) != "]":
        first = False
        char = at(position)
        if char == "\\":
            position += 1
            char = at(position)
            members.add(ord(char))
            previous = char
        elif char == "-" and previous and pattern[position + 1 : position + 2] not in ("", "]"):
            position += 1
            char = at(position)
            if char == "\\":
                position += 1
                char = at(position)
            members.update(range(ord(previous), ord(char) + 1))
            previous = ""
        elif char == "[" and pattern[position + 1 : position + 2] == ":":
            close = pattern.find("]", position + 2)
            if close < 0:
                raise _InvalidPatternError
            if close == position + 2 or pattern[close - 1] != ":":
                members.add(ord("["))
                previous = "["
            else:
                name = pattern[position + 2 : close - 1]
                if name not in _CLASSES:
                    raise _InvalidPatternError
                members.update(map(ord, _CLASSES[name]))
                previous = ""
                position = close
        else:
            members.add(ord(char))
            previous = char
        position += 1
    if negated:
        members = set(range(256)) - members
    if pathname:
        members.discard(ord("/"))
    if not members:
        return _NEVER, position + 1
    return "[" + "".join(re.escape(chr(member)) for member in sorted(members)) + "]", position + 1
