"""Fixtures say what they hold: a block of comments at the end of a file, one line a definition, in source order.

    => kind qualified.name @first-last flag flag

Lines are 1-based, inclusive, and those of the span, documentation comment included. The list is complete: a definition
that is not in it is as wrong as one that is missing.
"""

from __future__ import annotations

import re

from satori.model.definition import DefinitionFlag, FileFacts

_LINE = re.compile(r"=> (\w+) (.+?) @(\d+)-(\d+)((?: [a-z_]+)*)")

Expectation = tuple[str, str, int, int, frozenset[str]]


def expected(data: bytes) -> list[Expectation]:
    """What the comments of a fixture say."""
    found: list[Expectation] = []
    for kind, name, first, last, flags in _LINE.findall(data.decode("utf-8")):
        found.append((kind, name, int(first), int(last), frozenset(flags.split())))
    return found


def outline(facts: FileFacts) -> list[Expectation]:
    """The same for the definitions of a file."""
    found: list[Expectation] = []
    for definition in facts.definitions:
        flags = frozenset(str(flag.name).lower() for flag in DefinitionFlag if flag and definition.flags & flag)
        span = definition.span
        found.append((definition.kind.value, definition.qualified_name, span.start_line, span.end_line, flags))
    return found
