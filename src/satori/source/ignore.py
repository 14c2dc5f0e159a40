"""One list of ignore patterns: parsed, bound to a directory and matched exactly as git does.

A `PatternList` is what one .gitignore (or any list in its syntax) says; it does not read files, does not know other
lists and does not walk. How lists are ordered, and how a directory's many names are tested at once, lives in `rules`.
Strings are bytes decoded as Latin-1 here (see `wildmatch`); `subject` converts a path.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from satori.source.wildmatch import translate

_SPECIAL = re.compile(r"[*?\[\\]")
#: A list longer than this is not read as ignore rules (git's own bound is 100 MB).
LIST_LIMIT = 4 * 1024 * 1024


def subject(path: str) -> str:
    """`path` as its bytes decoded as Latin-1, which is what patterns are matched against."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """One line of a list.

    `by_path` patterns are matched against the path below the list's directory, the others against the last name.
    `literal` is the whole text when it holds no wildcard, else None; `prefix` is the text before the first wildcard
    (a by-path pattern without its leading slash); `depth` is how many slashes a matching path has, or -1 for any.
    """

    text: str
    negated: bool
    directories_only: bool
    by_path: bool
    literal: str | None
    suffix: str | None
    prefix: str
    depth: int
    expression: re.Pattern[str] | None

    def matches(self, path: str, name: str, is_directory: bool) -> bool:
        """Whether the entry `path` (below the list's directory), whose last part is `name`, matches."""
        if self.directories_only and not is_directory:
            return False
        text = path if self.by_path else name
        if self.literal is not None:
            return text == self.literal
        if self.suffix is not None:
            return text.endswith(self.suffix)
        if not text.startswith(self.prefix):
            return False
        assert self.expression is not None
        return self.expression.fullmatch(text, len(self.prefix)) is not None

    @property
    def head(self) -> str:
        """The directories, with a trailing slash, that every match of a by-path pattern surely lies in."""
        return self.prefix[: self.prefix.rfind("/") + 1]


@dataclass(frozen=True, slots=True, eq=False)
class PatternList:
    """The patterns of one list, in order; the last that matches decides."""

    patterns: tuple[Pattern, ...]

    def verdict(self, path: str, name: str, is_directory: bool) -> bool | None:
        """True: ignored; False: re-included; None: no pattern speaks about it."""
        for pattern in reversed(self.patterns):
            if pattern.matches(path, name, is_directory):
                return not pattern.negated
        return None

    def excludes(self, path: str, is_directory: bool = False) -> bool:
        """Whether `path` (POSIX, relative to the list's directory) or a directory above it is ignored.

        For use on its own, where one list is all there is (such as a search restricted to paths).
        """
        whole = subject(path)
        parts = whole.split("/")
        for count in range(1, len(parts)):
            if self.verdict("/".join(parts[:count]), parts[count - 1], True) is True:
                return True
        return self.verdict(whole, parts[-1], is_directory) is True


@functools.lru_cache(maxsize=8192)
def parse(data: bytes, ignore_case: bool = False) -> PatternList:
    """The list that a file with these bytes says. Never fails: every byte string is a list."""
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    found = []
    for line in data.decode("latin-1").split("\n"):
        if line and not line.startswith("#"):
            # One carriage return belongs to the line end; a NUL ends the text, as in git's strings.
            text = line.removesuffix("\r").partition("\0")[0]
            pattern = _parse_line(_trim(text), ignore_case)
            if pattern is not None:
                found.append(pattern)
    return PatternList(tuple(found))


def parse_lines(lines: Iterable[str], ignore_case: bool = False) -> PatternList:
    """The list that these patterns say, each as one line would be in a file."""
    joined = "\n".join(line.replace("\n", "") for line in lines)
    return parse(os.fsencode(joined + "\n"), ignore_case)


def _trim(text: str) -> str:
    """Without trailing spaces, unless a backslash protects them."""
    end = 0
    position = 0
    while position < len(text):
        if text[position] == "\\":
            if position + 1 == len(text):
                return text
            position += 1
            end = position + 1
        elif text[position] != " ":
            end = position + 1
        position += 1
    return text[:end]


def _parse_line(line: str, ignore_case: bool) -> Pattern | None:
    negated = line.startswith("!")
    text = line[1:] if negated else line
    directories_only = text.endswith("/")
    if directories_only:
        text = text[:-1]
    if not text:
        return None
    by_path = "/" in text
    body = text[1:] if text.startswith("/") else text
    special = _SPECIAL.search(body)
    prefix = body[: special.start()] if special else body
    rest = body[len(prefix) :]
    literal = suffix = None
    expression = None
    flags = re.DOTALL | (re.IGNORECASE | re.ASCII if ignore_case else 0)
    if not rest and not ignore_case:
        literal = prefix
    elif not by_path and not prefix and rest[0] == "*" and not _SPECIAL.search(rest[1:]) and not ignore_case:
        suffix = rest[1:]
    else:
        if ignore_case:
            rest, prefix = re.escape(prefix), ""
            rest += translate(body[special.start() :], by_path) if special else ""
        else:
            rest = translate(rest, by_path)
        expression = re.compile(rest, flags)
    depth = body.count("/") if by_path and "**" not in body and "[" not in body else -1
    return Pattern(text, negated, directories_only, by_path, literal, suffix, prefix, depth, expression)
