"""Reads what compilers and indexers say about call sites into one shape. One function a format; nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

EXTERNAL = "<external>"


class Answer(NamedTuple):
    """Where the callee is defined: `start` is the byte of its name in `path` (-1: not known), or `path` is EXTERNAL.
    `also` are the other places of the same callee: declarations, and a constructor's class."""

    path: str
    start: int
    name: str
    also: tuple[tuple[str, int], ...] = ()


@dataclass(slots=True)
class Oracle:
    """Answers by call site: by the byte of the callee's name, or, where an oracle has none, by line and name."""

    sites: dict[tuple[str, int], Answer] = field(default_factory=dict)
    lines: dict[tuple[str, int, str], Answer] = field(default_factory=dict)

    def at(self, path: str, start: int, line: int, name: str) -> Answer | None:
        """The answer for a site; None when the oracle has nothing to say."""
        return self.sites.get((path, start)) or self.lines.get((path, line, name))


def read_oracle(path: Path, style: str, root: Path, data: Mapping[str, bytes]) -> Oracle:
    """The oracle in the file at `path`; `data` holds the tree's files. Raises ValueError for an unknown style."""
    if style in ("python", "scip"):
        return _scip(path, data)
    if style == "sites":
        return _sites(path)
    if style in ("cpp", "csharp", "entities"):
        return _entities(path)
    raise ValueError(f"no oracle is read as {style}")


def _sites(path: Path) -> Oracle:
    """Lines of path, byte, target path or EXTERNAL, byte of the target's name, name; tabs between."""
    oracle = Oracle()
    for line in path.read_text(encoding="utf-8").splitlines():
        place, start, target, target_start, name = line.split("\t")
        oracle.sites[place, int(start)] = Answer(target, int(target_start), name)
    return oracle


def _entities(path: Path) -> Oracle:
    """Lines of path, byte, the target's places as `path:byte` with `|` between or EXTERNAL, name; tabs between."""
    oracle = Oracle()
    for line in path.read_text(encoding="utf-8").splitlines():
        place, start, targets, name = line.split("\t")
        if targets == EXTERNAL:
            oracle.sites[place, int(start)] = Answer(EXTERNAL, -1, name)
            continue
        places = [(target, int(at)) for target, _, at in (item.rpartition(":") for item in targets.split("|"))]
        oracle.sites[place, int(start)] = Answer(*places[0], name, tuple(places[1:]))
    return oracle


def _scip(path: Path, data: Mapping[str, bytes]) -> Oracle:
    """A SCIP index. An answer whose symbol has another name than the site is the index's error, and left out."""
    oracle = Oracle()
    documents = list(_documents(path.read_bytes()))
    defined: dict[str, Answer] = {}
    for name, occurrences in documents:
        if name not in data:
            continue
        offsets = _Offsets(data[name])
        for span, symbol, role in occurrences:
            if role & 1 and not symbol.startswith("local "):
                defined.setdefault(symbol, Answer(name, offsets.at(span[0], span[1]), symbol))
    for name, occurrences in documents:
        if name not in data:
            continue
        content = data[name]
        offsets = _Offsets(content)
        for span, symbol, role in occurrences:
            if role & 1 or symbol.startswith("local "):
                continue
            start = offsets.at(span[0], span[1])
            end = offsets.at(span[-2] if len(span) == 4 else span[0], span[-1])
            written = content[start:end].decode("utf-8", "replace")
            if written != _last_name(symbol):
                continue
            oracle.sites[name, start] = defined.get(symbol, Answer(EXTERNAL, -1, symbol))
    return oracle


def _last_name(symbol: str) -> str:
    descriptor = symbol.rstrip("#.:/!")
    descriptor = descriptor.removesuffix("()")
    for separator in "#/.`":
        descriptor = descriptor.rpartition(separator)[2]
    return descriptor.strip("`()")


class _Offsets:
    """Bytes of zero-based lines and UTF-16 columns."""

    def __init__(self, data: bytes) -> None:
        self.lines = data.split(b"\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def at(self, line: int, column: int) -> int:
        text = self.lines[line]
        if text.isascii():
            return self.starts[line] + column
        head = text.decode("utf-8", "replace").encode("utf-16-le")[: 2 * column]
        return self.starts[line] + len(head.decode("utf-16-le", "replace").encode("utf-8"))


def _documents(data: bytes) -> Iterator[tuple[str, list[tuple[tuple[int, ...], str, int]]]]:
    for number, value in _fields(data):
        if number != 2 or isinstance(value, int):
            continue
        name = ""
        occurrences: list[tuple[tuple[int, ...], str, int]] = []
        for inner, content in _fields(value):
            if isinstance(content, int):
                continue
            if inner == 1:
                name = content.decode()
            elif inner == 2:
                occurrences.append(_occurrence(content))
        yield name, occurrences


def _occurrence(data: bytes) -> tuple[tuple[int, ...], str, int]:
    span: list[int] = []
    symbol = ""
    role = 0
    for number, value in _fields(data):
        if number == 1:
            if isinstance(value, int):
                span.append(value)
            else:
                at = 0
                while at < len(value):
                    item, at = _varint(value, at)
                    span.append(item)
        elif number == 2 and not isinstance(value, int):
            symbol = value.decode()
        elif number == 3 and isinstance(value, int):
            role = value
    return tuple(span), symbol, role


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at, size = 0, len(data)
    while at < size:
        key, at = _varint(data, at)
        wire = key & 7
        value: int | bytes
        if wire == 0:
            value, at = _varint(data, at)
        elif wire == 2:
            length, at = _varint(data, at)
            value = data[at : at + length]
            at += length
        else:
            length = 4 if wire == 5 else 8
            value = data[at : at + length]
            at += length
        yield key >> 3, value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result, at
        shift += 7
