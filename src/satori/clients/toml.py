"""Adds and removes one table of a TOML file as text; the standard parser judges each result.

The table is appended, so no byte before it changes. Deliberately absent: reserialisation, and editing of inline
tables, which is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from satori.clients.formats import Entry, Insertion, JsonValue, RefusedError, newline_of

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def find(text: str, container: tuple[str, ...], name: str) -> Entry | None:
    """The table `name` under `container`, or None. Raises RefusedError for text that is not TOML."""
    owner = _container(_load(text), container)
    if name not in owner:
        return None
    spans = _spans(text, (*container, name))
    return Entry(owner[name], spans[0][0] + 1 if spans else 1)


def insert(text: str, container: tuple[str, ...], name: str, value: JsonValue) -> Insertion:
    """Append `[container.name]` with the value's keys.

    Raises:
        RefusedError: invalid TOML, the entry is there, or `container` is written in a way that a table cannot join.
    """
    before = _load(text)
    if name in _container(before, container):
        raise RefusedError(f"An entry {name} is already there.")
    if not isinstance(value, dict):
        raise RefusedError("A TOML entry is a table.")
    newline = newline_of(text)
    lead = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
    header = ".".join(_key(part) for part in (*container, name))
    lines = [f"[{header}]", *(f"{_key(key)} = {_literal(item)}" for key, item in value.items())]
    result = text + lead + newline.join(lines) + newline
    try:
        after = _load(result)
    except RefusedError as error:
        raise RefusedError(f"{'.'.join(container)} is written as an inline table, which cannot be extended.") from error
    if _container(after, container).pop(name, None) != value or _pruned(after, container) != _pruned(before, container):
        raise RefusedError("The edited file would not mean what was meant.")
    return Insertion(result, ())


def remove(text: str, container: tuple[str, ...], name: str, created: tuple[str, ...] = ()) -> str:
    """Remove the table and its sub-tables, with the blank line before; text without it is unchanged.

    `created` is accepted for symmetry: TOML's containers are implied by the table and go with it.

    Raises:
        RefusedError: invalid TOML, or an entry that is not written as tables of its own.
    """
    if find(text, container, name) is None:
        return text
    expected = _load(text)
    del _container(expected, container)[name]
    lines = text.splitlines(keepends=True)
    for first, last in reversed(_spans(text, (*container, name))):
        start = first - 1 if first > 0 and not lines[first - 1].strip() else first
        del lines[start:last]
    result = "".join(lines)
    if _pruned(_load(result), container) != _pruned(expected, container):
        raise RefusedError(f"The entry {'.'.join((*container, name))} is not written as a table of its own.")
    return result


def _load(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=str)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RefusedError(f"The file is not valid TOML: {error}.") from error


def _container(document: dict[str, Any], container: tuple[str, ...]) -> dict[str, Any]:
    owner: Any = document
    for depth, key in enumerate(container):
        owner = owner.get(key, {})
        if not isinstance(owner, dict):
            raise RefusedError(f"{'.'.join(container[: depth + 1])} is not a table.")
    return owner if isinstance(owner, dict) else {}


def _pruned(document: dict[str, Any], container: tuple[str, ...]) -> dict[str, Any]:
    """The document without `container` where that is empty: an implied table leaves no trace in the text."""
    if not container:
        return document
    key, rest = container[0], container[1:]
    if key not in document or not isinstance(document[key], dict):
        return document
    inner = _pruned(document[key], rest)
    others = {name: value for name, value in document.items() if name != key}
    return {**others, key: inner} if inner else others


def _spans(text: str, path: tuple[str, ...]) -> list[tuple[int, int]]:
    """Line ranges [first, last) of the tables at or below the path; comments before the next table stay out."""
    lines = text.splitlines(keepends=True)
    headers = _headers(lines)
    spans = []
    for index, (line, keys) in enumerate(headers):
        if keys[: len(path)] != path:
            continue
        last = headers[index + 1][0] if index + 1 < len(headers) else len(lines)
        while last > line + 1 and (not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#")):
            last -= 1
        spans.append((line, last))
    return spans


def _headers(lines: list[str]) -> list[tuple[int, tuple[str, ...]]]:
    """(line, keys) of each table header; lines inside multi-line strings and arrays are passed over."""
    headers = []
    pending = ""
    for number, line in enumerate(lines):
        if pending:
            pending += line
            if _complete(pending):
                pending = ""
            continue
        stripped = line.strip().removeprefix("\ufeff")
        if stripped.startswith("["):
            keys = _header_keys(stripped)
            if keys is not None:
                headers.append((number, keys))
                continue
        if stripped and not stripped.startswith("#") and not _complete(line):
            pending = line
    return headers


def _complete(fragment: str) -> bool:
    """Whether the lines form whole statements by themselves."""
    try:
        tomllib.loads(fragment.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return True


def _header_keys(line: str) -> tuple[str, ...] | None:
    try:
        owner: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    keys: list[str] = []
    while owner:
        if isinstance(owner, list):
            owner = owner[0]
            continue
        key = next(iter(owner))
        keys.append(key)
        owner = owner[key]
    return tuple(keys)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name)


def _literal(value: JsonValue) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_literal(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f")
    return json.dumps(value)
