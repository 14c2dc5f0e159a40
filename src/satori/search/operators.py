"""Operators at the start of a query: `lang:`, `path:`, `-path:`, `must:` and `exclude:`.

    query    = { operator } text
    operator = [ "-" ] key ":" value          value = word | '"' text '"'

Double quotes group, a backslash makes a token literal, an unknown key is text. The first token that is no operator
ends them. It does not filter; `satori.search.filters` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from satori.errors import UsageError

_KEYS = ("lang", "path", "-path", "must", "exclude")
_OPERATOR = re.compile(r'(-?[a-z]+):("(?:[^"\\]|\\.)*"|\S+)(?=\s|$)')

_LANGUAGE_ALIASES = {
    "py": "python", "ts": "typescript", "js": "javascript", "jsx": "javascript", "golang": "go", "c++": "cpp",
    "c#": "csharp", "cs": "csharp", "rs": "rust", "kt": "kotlin", "rb": "ruby", "sh": "bash", "shell": "bash",
    "md": "markdown", "yml": "yaml", "hs": "haskell", "ex": "elixir", "objective-c": "objc", "ipynb": "notebook",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operators:
    """Parsed operators and the text after them. Languages and paths are alternatives; every `must` has to hold; any
    `exclude` or `not_paths` match drops a result."""

    text: str
    languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    applied: tuple[str, ...] = field(default=())

    @property
    def any(self) -> bool:
        """Whether any operator was given."""
        return bool(self.applied)

    @property
    def only_negative(self) -> bool:
        """Whether the query names only what it does not want."""
        positive = self.languages or self.paths or self.must or self.text
        return bool(self.applied) and not positive


def parse_operators(query: str) -> Operators:
    """Split a query into operators and text; UsageError for a query that only excludes."""
    found: dict[str, list[str]] = {key: [] for key in _KEYS}
    applied: list[str] = []
    rest = query.strip()
    while rest:
        match = _OPERATOR.match(rest)
        if match is None or match.group(1) not in _KEYS:
            break
        value = _unquoted(match.group(2))
        if not value:
            break
        found[match.group(1)].append(value)
        applied.append(f"{match.group(1)}:{value}")
        rest = rest[match.end() :].lstrip()
    if rest.startswith("\\"):
        rest = rest[1:]
    operators = Operators(
        text=rest,
        languages=tuple(_LANGUAGE_ALIASES.get(value.lower(), value.lower()) for value in found["lang"]),
        paths=tuple(found["path"]),
        not_paths=tuple(found["-path"]),
        must=tuple(found["must"]),
        exclude=tuple(found["exclude"]),
        applied=tuple(applied),
    )
    if operators.only_negative:
        raise UsageError(
            "The query only says what to leave out.",
            next_step="Add words, lang:, path: or must: that say what to find.",
            code="query_only_negative",
        )
    return operators


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value.startswith('"') and value.endswith('"'):
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value
