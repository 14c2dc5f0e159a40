"""Adds and removes one item of a top-level YAML list of named servers, line by line.

Only a top-level key at column 0 holding a block list, an empty list, nothing or null is edited; anchors, flow lists,
several documents and tabs are refused. No line that stands is rewritten, except `key: []`. Deliberately absent: a
YAML parser; what these rules do not recognise is left to the person.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from satori.clients.formats import Entry, Insertion, JsonValue, RefusedError, newline_of

_TOP_KEY = re.compile(r"""(?P<key>"[^"]*"|'[^']*'|[^\s#'"\[\]{}&*!|>%@`,?:-][^:#]*?)\s*:(?=\s|$)(?P<rest>.*)""")
_EMPTY = re.compile(r"\s*(?P<value>\[\s*\]|null|~|)\s*(?P<comment>#.*)?")
_FIELD = re.compile(r"""(?P<key>[A-Za-z_]+)\s*:\s+(?P<value>"(?:[^"\\]|\\.)*"|'[^']*'|[^#\s][^#]*?)\s*(?:#.*)?""")


@dataclass(frozen=True, slots=True)
class _List:
    line: int
    """Line of the key, 0-based."""
    last: int
    """Line after the list's last item."""
    indent: str | None
    """Indentation of the dashes; None when the list has no item."""
    value: str
    """What follows the key on its line, a comment excluded."""
    starts: tuple[int, ...]
    """Lines on which items begin."""


def find(text: str, container: tuple[str, ...], name: str) -> Entry | None:
    """The list item whose name is `name`, as the flat fields it holds. Raises RefusedError for unclear text."""
    lines = text.splitlines(keepends=True)
    listed = _locate(lines, container)
    if listed is None:
        return None
    found = [span for span in _items(listed) if _fields(lines, span).get("name") == name]
    if len(found) > 1:
        raise RefusedError(f"Two servers are named {name} (line {found[1][0] + 1}).")
    if not found:
        return None
    fields: dict[str, JsonValue] = {**_fields(lines, found[0])}
    return Entry(fields, found[0][0] + 1)


def insert(text: str, container: tuple[str, ...], name: str, value: JsonValue) -> Insertion:
    """Add an item, named `name`, as the first of the list.

    Raises:
        RefusedError: unclear text, or an item of that name is there.
    """
    if find(text, container, name) is not None:
        raise RefusedError(f"An entry {name} is already there.")
    newline = newline_of(text)
    lines = text.splitlines(keepends=True)
    listed = _locate(lines, container)
    if listed is None:
        lead = "" if not text or text.endswith("\n") else newline
        body = "".join(_render(name, value, "  ", newline))
        return Insertion(f"{text}{lead}{container[0]}:{newline}{body}", container)
    item = _render(name, value, "  " if listed.indent is None else listed.indent, newline)
    key_line = lines[listed.line]
    if listed.value:
        head, _, tail = key_line.partition(":")
        key_line = f"{head}:{tail.replace(listed.value, '', 1).rstrip()}{newline}"
    elif not key_line.endswith("\n"):
        key_line += newline
    return Insertion("".join([*lines[: listed.line], key_line, *item, *lines[listed.line + 1 :]]), ())


def remove(text: str, container: tuple[str, ...], name: str, created: tuple[str, ...] = ()) -> str:
    """Remove the item; a list left empty becomes `[]`, or goes with its key when Satori `created` it."""
    if find(text, container, name) is None:
        return text
    lines = text.splitlines(keepends=True)
    listed = _locate(lines, container)
    assert listed is not None
    items = _items(listed)
    first, last = next(span for span in items if _fields(lines, span).get("name") == name)
    while last > first + 1 and (not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#")):
        last -= 1
    del lines[first:last]
    if len(items) == 1:
        if created:
            del lines[listed.line]
        else:
            head, _, tail = lines[listed.line].partition(":")
            lines[listed.line] = f"{head}: []{tail}"
    return "".join(lines)


def _locate(lines: list[str], container: tuple[str, ...]) -> _List | None:
    """Where the list stands, None when the key is missing."""
    (key,) = container
    found: list[tuple[int, str]] = []
    tops: list[int] = []
    seen_content = False
    for number, line in enumerate(lines):
        bare = line.rstrip("\r\n").removeprefix("\ufeff")
        if not bare.strip() or bare[0] in "#%":
            continue
        if bare.startswith(("---", "...")):
            if seen_content or bare.strip() not in ("---", "..."):
                raise RefusedError(f"The file holds several documents (line {number + 1}).")
            continue
        if bare[0] == "\t":
            raise RefusedError(f"The file is indented with tabs (line {number + 1}).")
        seen_content = True
        if bare[0] in " -":
            if not tops:
                raise RefusedError(f"The file does not begin with a key at the left margin (line {number + 1}).")
            continue
        match = _TOP_KEY.match(bare)
        if match is None:
            if bare[0] in "}]" and tops:
                continue
            raise RefusedError(f"Line {number + 1} is not a key at the left margin.")
        tops.append(number)
        if match["key"].strip("\"'") == key:
            found.append((number, match["rest"]))
    if len(found) > 1:
        raise RefusedError(f"The key {key} stands twice (line {found[1][0] + 1}).")
    if not found:
        return None
    key_line, rest = found[0]
    end = next((top for top in tops if top > key_line), len(lines))
    return _list(lines, key, key_line, end, rest)


def _list(lines: list[str], key: str, line: int, end: int, rest: str) -> _List:
    match = _EMPTY.fullmatch(rest)
    if match is None:
        raise RefusedError(f"{key} (line {line + 1}) is not a block list.")
    content = [
        number
        for number in range(line + 1, end)
        if lines[number].strip() and not lines[number].lstrip().startswith("#")
    ]
    if not content:
        return _List(line, line + 1, None, match["value"], ())
    dash = re.match(r"( *)-(?=\s|$)", lines[content[0]])
    if match["value"] or dash is None:
        raise RefusedError(f"{key} (line {line + 1}) is not a block list.")
    indent = dash.group(1)
    starts = []
    for number in content:
        lead = len(lines[number]) - len(lines[number].lstrip(" "))
        if lead == len(indent) and re.match(r"-(?=\s|$)", lines[number][lead:]):
            starts.append(number)
        elif lead <= len(indent):
            raise RefusedError(f"Line {number + 1} is not indented as an item of {key}.")
    return _List(line, end, indent, "", tuple(starts))


def _items(listed: _List) -> list[tuple[int, int]]:
    return list(zip(listed.starts, (*listed.starts[1:], listed.last), strict=True)) if listed.starts else []


def _fields(lines: list[str], span: tuple[int, int]) -> dict[str, str]:
    """The scalar fields of one item at its own level, quotes resolved; a flow item's fields too."""
    first = lines[span[0]]
    column = first.index("-") + 1
    column += len(first[column:]) - len(first[column:].lstrip(" "))
    fields: dict[str, str] = {}
    for number in range(*span):
        line = " " * column + first[column:] if number == span[0] else lines[number]
        text = line.strip()
        if len(line) - len(line.lstrip(" ")) != column or text.startswith("#"):
            continue
        parts = re.split(r",\s*", text.strip("{} ")) if text.startswith("{") else [text]
        for part in parts:
            match = _FIELD.fullmatch(part)
            if match:
                fields[match["key"]] = _scalar(match["value"])
    return fields


def _scalar(value: str) -> str:
    if value.startswith('"'):
        try:
            return str(json.loads(value))
        except ValueError:
            return value
    return value[1:-1].replace("''", "'") if value.startswith("'") else value


def _render(name: str, value: JsonValue, indent: str, newline: str) -> list[str]:
    fields: dict[str, JsonValue] = {"name": name, **(value if isinstance(value, dict) else {})}
    rendered: list[str] = []
    for key, item in fields.items():
        lead = f"{indent}- " if not rendered else f"{indent}  "
        plain = item if isinstance(item, str) and re.fullmatch(r"[a-z]+", item) and item not in _WORDS else None
        rendered.append(f"{lead}{key}: {plain or json.dumps(item, ensure_ascii=True)}{newline}")
    return rendered


_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
