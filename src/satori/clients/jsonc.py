"""Parses JSON with comments and trailing commas, keeping where each part stands, so that text can be edited in place.

Two edits exist: a member is inserted as the first of an object, or removed. Everything else keeps its bytes. The
result of each edit is parsed again and compared with what was meant. Deliberately absent: reserialisation, and the
rest of JSON5 (single quotes, bare keys), which is refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NoReturn

from satori.clients.formats import Entry, Insertion, JsonValue, RefusedError, line_number, newline_of

_DEPTH_LIMIT = 200
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Value:
    """A parsed value and its character range."""

    start: int
    end: int
    raw: str
    """The source text of a scalar, "" for containers: numbers are never converted, so none can change."""
    members: tuple[Member, ...] | None = None
    items: tuple[Value, ...] | None = None

    def member(self, key: str) -> Member | None:
        """The member with this key; JSON's rule is that the last of equals counts, so equals are refused earlier."""
        return next((member for member in self.members or () if member.key == key), None)

    def plain(self) -> JsonValue:
        """The value as Python data, numbers and literals by their JSON meaning."""
        if self.members is not None:
            return {member.key: member.value.plain() for member in self.members}
        if self.items is not None:
            return [item.plain() for item in self.items]
        loaded: JsonValue = json.loads(self.raw)
        return loaded

    def shape(self) -> object:
        """A value that is equal for two texts exactly when they mean the same, order of keys included."""
        if self.members is not None:
            return ("object", tuple((member.key, member.value.shape()) for member in self.members))
        if self.items is not None:
            return ("array", tuple(item.shape() for item in self.items))
        return json.loads(self.raw) if self.raw.startswith('"') else ("literal", self.raw)


@dataclass(frozen=True, slots=True)
class Member:
    """One key and its value; `start` is where the key begins."""

    key: str
    start: int
    value: Value


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text

    def fail(self, position: int, what: str) -> NoReturn:
        raise RefusedError(f"The file is not valid JSON at line {line_number(self.text, position)}: {what}.")

    def skip(self, position: int) -> int:
        text = self.text
        while True:
            match = _SPACE.match(text, position)
            position = match.end() if match else position
            if text.startswith("//", position):
                end = text.find("\n", position)
                position = len(text) if end < 0 else end
            elif text.startswith("/*", position):
                end = text.find("*/", position + 2)
                if end < 0:
                    self.fail(position, "a comment does not end")
                position = end + 2
            else:
                return position

    def string(self, position: int) -> tuple[str, int]:
        match = _STRING.match(self.text, position)
        if match is None:
            self.fail(position, "a string in double quotes is expected")
        loaded: str = json.loads(match.group())
        return loaded, match.end()

    def value(self, position: int, depth: int) -> Value:
        if depth > _DEPTH_LIMIT:
            self.fail(position, f"nested more than {_DEPTH_LIMIT} levels")
        first = self.text[position : position + 1]
        if first == "{":
            return self.object(position, depth)
        if first == "[":
            return self.array(position, depth)
        if first == '"':
            _, end = self.string(position)
        else:
            match = _SCALAR.match(self.text, position)
            if match is None:
                self.fail(position, "a value is expected")
            end = match.end()
        return Value(position, end, self.text[position:end])

    def object(self, start: int, depth: int) -> Value:
        members: list[Member] = []
        position = self.skip(start + 1)
        while not self.text.startswith("}", position):
            key_start = position
            key, position = self.string(position)
            position = self.skip(position)
            if not self.text.startswith(":", position):
                self.fail(position, "a colon is expected")
            value = self.value(self.skip(position + 1), depth + 1)
            members.append(Member(key, key_start, value))
            position = self.separator(value.end, "}")
        return Value(start, position + 1, "", members=tuple(members))

    def array(self, start: int, depth: int) -> Value:
        items: list[Value] = []
        position = self.skip(start + 1)
        while not self.text.startswith("]", position):
            items.append(self.value(position, depth + 1))
            position = self.separator(items[-1].end, "]")
        return Value(start, position + 1, "", items=tuple(items))

    def separator(self, position: int, closing: str) -> int:
        position = self.skip(position)
        if self.text.startswith(",", position):
            return self.skip(position + 1)
        if not self.text.startswith(closing, position):
            self.fail(position, f"a comma or {closing} is expected")
        return position


def parse(text: str) -> Value:
    """Parse a whole document.

    Raises:
        RefusedError: not JSON with comments, or followed by something else; the message names the line.
    """
    parser = _Parser(text)
    start = parser.skip(1 if text.startswith("\ufeff") else 0)
    value = parser.value(start, 0)
    if parser.skip(value.end) != len(text):
        parser.fail(value.end, "something follows the document")
    return value


def find(text: str, container: tuple[str, ...], name: str) -> Entry | None:
    """The entry `name` in the object at `container`, or None. Raises RefusedError for text that is no such JSON."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    owner, missing = _descend(text, parse(text), container)
    member = None if missing else owner.member(name)
    return None if member is None else Entry(member.value.plain(), line_number(text, member.start))


def insert(text: str, container: tuple[str, ...], name: str, value: JsonValue) -> Insertion:
    """Add `name` as the first member of the object at `container`, creating missing containers.

    Raises:
        RefusedError: invalid text, a container that is not an object or stands twice, or an entry already there.
    """
    if not text.strip("\ufeff \t\r\n"):
        whole: JsonValue = value
        for key in reversed((*container, name)):
            whole = {key: whole}
        return Insertion(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", container[:1])
    before = parse(text)
    owner, missing = _descend(text, before, container)
    for key in reversed(missing):
        value, name = {name: value}, key
    if owner.member(name) is not None:
        raise RefusedError(f"An entry {name} is already there.")
    result = _splice_first(text, before, owner, name, value)
    depth = len(container) - len(missing)
    after = _descend(result, parse(result), container[:depth])[0].member(name)
    if after is None or after.value.plain() != value or _without(result, container[:depth], name) != before.shape():
        raise RefusedError("The edited file would not mean what was meant.")
    return Insertion(result, container[: depth + 1] if missing else ())


def remove(text: str, container: tuple[str, ...], name: str, created: tuple[str, ...] = ()) -> str:
    """Remove the entry; also the container at `created` when it is left empty. Text without the entry is unchanged.

    Raises:
        RefusedError: invalid text.
    """
    if find(text, container, name) is None:
        return text
    expected = _without(text, container, name)
    result = _cut(text, container, name)
    if parse(result).shape() != expected:
        raise RefusedError("The edited file would not mean what was meant.")
    path = container
    while created and len(path) >= len(created):
        owner, missing = _descend(result, parse(result), path)
        if missing or owner.members or "/" in result[owner.start : owner.end]:
            break
        result = _cut(result, path[:-1], path[-1])
        path = path[:-1]
    return result


def _descend(text: str, root: Value, container: tuple[str, ...]) -> tuple[Value, tuple[str, ...]]:
    """The deepest existing object on the way, and the keys that are missing below it."""
    owner = root
    for depth, key in enumerate((*container, None)):
        if owner.members is None:
            where = ".".join(container[:depth]) or "the document"
            raise RefusedError(f"{where} is not an object (line {line_number(text, owner.start)}).")
        keys = [member.key for member in owner.members]
        if len(keys) != len(set(keys)):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise RefusedError(f"The key {twice} stands twice (from line {line_number(text, owner.start)}).")
        if key is None:
            break
        member = owner.member(key)
        if member is None:
            return owner, container[depth:]
        owner = member.value
    return owner, ()


def _without(text: str, container: tuple[str, ...], name: str) -> object:
    """The document's shape as if the entry were not there."""

    def walk(value: Value, path: tuple[str, ...] | None) -> object:
        if value.members is None or path is None:
            return value.shape()
        kept = [member for member in value.members if path or member.key != name]
        return (
            "object",
            tuple(
                (member.key, walk(member.value, path[1:] if path and member.key == path[0] else None))
                for member in kept
            ),
        )

    return walk(parse(text), container)


def _indent_before(text: str, position: int) -> str | None:
    """The white space from the start of the line to the position; None when something else stands there."""
    line_start = text.rfind("\n", 0, position) + 1
    lead = text[line_start:position]
    return lead if not lead.strip(" \t") else None


def _unit(text: str, root: Value) -> str:
    """One level of indentation: that of the document's first member, else two spaces."""
    lead = _indent_before(text, root.members[0].start) if root.members else None
    return lead or "  "


def _splice_first(text: str, root: Value, owner: Value, name: str, value: JsonValue) -> str:
    newline = newline_of(text)
    after_brace = owner.start + 1
    rest_of_line = re.compile(r"[ \t]*(?://[^\r\n]*|(?:/\*[^\r\n]*?\*/[ \t]*)+)?(?=\r?\n)").match(text, after_brace)
    first = owner.members[0] if owner.members else None
    if first is not None and rest_of_line is None:
        member = f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        lead = text[after_brace : parse_space(text, after_brace)]
        return f"{text[:after_brace]}{lead}{member},{lead or ' '}{text[after_brace + len(lead) :]}"
    position = rest_of_line.end() if rest_of_line else after_brace
    line_start = text.rfind("\n", 0, owner.start) + 1
    match = re.compile(r"[ \t]*").match(text, line_start)
    outer = match.group() if match else ""
    inner = _indent_before(text, first.start) if first is not None else None
    if inner is None:
        inner = outer + _unit(text, root)
    unit = inner[len(outer) :] if inner.startswith(outer) and len(inner) > len(outer) else "  "
    body = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + inner)
    member = f"{newline}{inner}{json.dumps(name, ensure_ascii=False)}: {body}"
    tail = "," if first is not None else "" if rest_of_line else newline + outer
    return f"{text[:position]}{member}{tail}{text[position:]}"


def parse_space(text: str, position: int) -> int:
    """The offset of the first character that is not white space."""
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _cut(text: str, container: tuple[str, ...], name: str) -> str:
    """The text without one member, its comma, and the line it began on."""
    owner, _ = _descend(text, parse(text), container)
    members = owner.members or ()
    index = next(i for i, member in enumerate(members) if member.key == name)
    member = members[index]
    parser = _Parser(text)
    start = len(text[: member.start].rstrip(" \t\r\n"))
    multiline = "\n" in text[start : member.start]
    comma = parser.skip(member.value.end)
    has_comma = text.startswith(",", comma)
    end = comma + 1 if has_comma else member.value.end
    if multiline and text[end:].lstrip(" \t")[:1] not in ("\r", "\n"):
        multiline = False
    if not multiline:
        start = member.start
        if has_comma and index + 1 < len(members):
            end = parse_space(text, end)
    kept = text[end:]
    if index + 1 == len(members) and index > 0 and not has_comma:
        previous = parser.skip(members[index - 1].value.end)
        head = text[:previous] + text[previous + 1 : start]
        return (head if multiline else head.rstrip(" \t")) + kept
    result = text[:start] + kept
    if len(members) == 1:
        closing = owner.end - (end - start)
        if not result[owner.start + 1 : closing - 1].strip(" \t\r\n"):
            result = result[: owner.start + 1] + result[closing - 1 :]
    return result
