"""SQL of any dialect: tables with columns, views, routines, triggers, types, indexes, schemas, named queries.

Read token by token without a grammar, because no one grammar reads the dialects in use: strings, quoted names,
comments, dollar quotes, rows of `COPY` and `BEGIN ... END` bodies are skipped whole; a statement ends at `;`, at a
`GO` line, at a psql command, or at the delimiter that `DELIMITER` names. What a statement does is not read beyond its
`CREATE`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import ClassVar

from satori.languages.base import Capability, Language
from satori.languages.draft import Draft, Scan
from satori.languages.outline import DataLanguage, add_range, trim_end
from satori.model.definition import SymbolKind

_TOKEN = re.compile(
    rb"--|/\*|^[ \t]*#|['\"`;(),]|\$(?:[A-Za-z_]\w*)?\$|\b(?:BEGIN|CASE|END)\b"
    rb"|^[ \t]*GO[ \t]*\r?$|^[ \t]*DELIMITER[ \t]+\S+|^\\[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_KINDS = {
    b"TABLE": SymbolKind.STRUCT,
    b"VIEW": SymbolKind.STRUCT,
    b"FUNCTION": SymbolKind.FUNCTION,
    b"AGGREGATE": SymbolKind.FUNCTION,
    b"PROCEDURE": SymbolKind.FUNCTION,
    b"PROC": SymbolKind.FUNCTION,
    b"TRIGGER": SymbolKind.FUNCTION,
    b"EVENT": SymbolKind.FUNCTION,
    b"MACRO": SymbolKind.MACRO,
    b"TYPE": SymbolKind.TYPE,
    b"DOMAIN": SymbolKind.TYPE,
    b"SCHEMA": SymbolKind.NAMESPACE,
    b"DATABASE": SymbolKind.NAMESPACE,
    b"PACKAGE": SymbolKind.MODULE,
    b"INDEX": SymbolKind.PROPERTY,
    b"SEQUENCE": SymbolKind.PROPERTY,
    b"POLICY": SymbolKind.PROPERTY,
    b"EXTENSION": SymbolKind.PROPERTY,
}
# What dialects put between CREATE and what is created.
_MODIFIERS = (
    rb"OR|REPLACE|ALTER|TEMP|TEMPORARY|GLOBAL|LOCAL|UNLOGGED|EXTERNAL|UNIQUE|CLUSTERED|NONCLUSTERED|COLUMNSTORE|RECURSIVE"
    rb"|FORCE|NO|EDITIONABLE|NONEDITIONABLE|FOREIGN|CONSTRAINT|MATERIALIZED|VIRTUAL|FULLTEXT|SPATIAL|BITMAP|SHARDED|SECURE"
    rb"|TRANSIENT|(?:DEFINER|ALGORITHM)\s*=\s*[\w`'@%.]+(?:\(\))?|SQL\s+SECURITY\s+\w+"
)
_CREATE = re.compile(
    rb"CREATE(?:\s+(?:" + _MODIFIERS + rb")){0,6}\s+(" + b"|".join(_KINDS) + rb")\b(?:\s+BODY\b)?"
    rb"(?:\s+CONCURRENTLY\b)?(?:\s+IF\s+NOT\s+EXISTS\b)?\s+",
    re.IGNORECASE,
)
_PART = rb"(?:\[[^\]\n]+\]|\"[^\"\n]+\"|`[^`\n]+`|'[^'\n]+'|[A-Za-z_\x80-\xff][\w$\x80-\xff]*)"
_QUALIFIED = re.compile(rb"(" + _PART + rb"(?:\s*\.\s*" + _PART + rb"){0,3})")
_LAST_PART = re.compile(_PART + rb"\Z")
_ROUTINE = re.compile(
    rb"(?:CREATE|ALTER)\b[^;(]{0,200}?\b(?:FUNCTION|PROCEDURE|PROC|TRIGGER|EVENT|PACKAGE)\b", re.IGNORECASE
)
_NOT_COLUMNS = re.compile(
    rb"(?:CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK|INDEX|KEY|EXCLUDE|LIKE|PARTITION|FULLTEXT|SPATIAL|PERIOD|SELECT)\b",
    re.IGNORECASE,
)
_NAMED_QUERY = re.compile(rb"^--[ \t]*name:[ \t]*([A-Za-z_]\w*)", re.MULTILINE)
_COPY = re.compile(rb"COPY\b[^;]*\bFROM\s+stdin\b", re.IGNORECASE)
_END_WORD = re.compile(rb"\s*(?:IF|LOOP|WHILE|REPEAT|FOR)\b", re.IGNORECASE)


class SQL(DataLanguage, Language):
    """SQL scripts: schemas, migrations, routines."""

    name: ClassVar[str] = "sql"
    capability: ClassVar[Capability] = Capability("outline")

    def collect(self, scan: Scan) -> None:
        """Cut the file into statements and name those that create something."""
        names = {match.start(): match.span(1) for match in _NAMED_QUERY.finditer(scan.data)}
        for start, end, commas in _statements(scan):
            created = _CREATE.match(scan.data, start, end)
            name = _QUALIFIED.match(scan.data, created.end(), end) if created is not None else None
            if created is not None and name is not None:
                self._definition(scan, (start, end), created.group(1).upper(), name, commas)
        self._named_queries(scan, names)

    def _definition(
        self, scan: Scan, span: tuple[int, int], word: bytes, name: re.Match[bytes], commas: list[int]
    ) -> None:
        last = _LAST_PART.search(name.group())
        low, high = name.span()
        if last is not None:
            low = name.start() + last.start()
        if scan.data[low] in b"[\"`'":
            low, high = low + 1, high - 1
        kind = _KINDS[word]
        draft = add_range(scan, kind, span, (low, high))
        parts = re.findall(_PART, name.group())
        draft.segment = ".".join(part.strip(b"[]\"`'").decode("utf-8", "replace") for part in parts)
        line = scan.data.find(b"\n", high, span[1])
        draft.head_end = line if line >= 0 else span[1]
        if word == b"TABLE" and commas:
            draft.body = commas[0] - 1
            draft.head_end = draft.body
            self._columns(scan, commas)

    def _columns(self, scan: Scan, commas: list[int]) -> None:
        """`commas` are the starts of the column definitions, and the end of the last one."""
        data = scan.data
        for start, after in pairwise(commas):
            end = trim_end(data, start, after - 1)
            text = data[start:end]
            while True:
                text = text.lstrip()
                if not text.startswith((b"--", b"/*")):
                    break
                stop = text.find(b"\n") if text.startswith(b"--") else text.find(b"*/") + 1
                text = text[stop + 1 :] if stop > 0 else b""
            first = end - len(text)
            name = re.match(_PART, text)
            if name is None or _NOT_COLUMNS.match(text):
                continue
            low, high = first, first + name.end()
            if data[low] in b"[\"`'":
                low, high = low + 1, high - 1
            add_range(scan, SymbolKind.PROPERTY, (first, end), (low, high))

    def _named_queries(self, scan: Scan, names: dict[int, tuple[int, int]]) -> None:
        """`-- name: GetUser :one`, the way sqlc and aiosql name the statement below."""
        starts = sorted(names)
        for start, after in zip(starts, [*starts, len(scan.data)][1:], strict=True):
            end = trim_end(scan.data, start, after)
            draft = add_range(scan, SymbolKind.FUNCTION, (start, end), names[start])
            line = scan.data.find(b"\n", start, end)
            draft.body = draft.head_end = line + 1 if line >= 0 else end
            draft.leads = False

    def place(self, draft: Draft, owner: Draft | None) -> bool:
        """Columns belong to tables."""
        return draft.kind is not SymbolKind.PROPERTY or owner is None or owner.kind is SymbolKind.STRUCT


def _statements(scan: Scan) -> list[tuple[int, int, list[int]]]:
    """(start, end, column starts and their end) of every statement; comments go to the scan."""
    data = scan.data
    found: list[tuple[int, int, list[int]]] = []
    reader = _Statement(data, 3 if data.startswith(b"\xef\xbb\xbf") else 0)
    position = reader.start
    delimiter = b""
    while True:
        token = _TOKEN.search(data, position)
        stop = data.find(delimiter, position) if delimiter else -1
        if stop >= 0 and (token is None or stop <= token.start()):
            reader.close(found, stop)
            position = stop + len(delimiter)
            reader.restart(position)
            continue
        if token is None:
            break
        at, position = token.start(), token.end()
        word = token.group().strip().upper()
        reader.touch(at)
        if word in (b"--", b"/*", b"#"):
            closing = data.find(b"*/" if word == b"/*" else b"\n", position)
            closing = len(data) if closing < 0 else closing + (2 if word == b"/*" else 0)
            scan.add_comment(at, closing)
            position = closing
            reader.comment(at, closing)
        elif word in (b"'", b'"', b"`") or word.startswith(b"$"):
            closing = data.find(token.group().strip(), position)
            position = len(data) if closing < 0 else closing + len(word)
        elif word == b"GO" or word.startswith((b"DELIMITER", b"\\")):
            if word.startswith(b"DELIMITER"):
                delimiter = token.group().split()[1]
                delimiter = b"" if delimiter == b";" else delimiter
            reader.close(found, at)
            reader.restart(position)
        elif word == b";":
            if not delimiter and not reader.depth:
                reader.close(found, position)
                copied = _COPY.match(data, reader.start, position)
                rows = data.find(b"\n\\.", position) if copied is not None else -1
                position = rows + 3 if rows >= 0 else position
                reader.restart(position)
        else:
            reader.token(word, at, position)
    reader.close(found, len(data))
    return found


class _Statement:
    """The statement that is being read."""

    def __init__(self, data: bytes, start: int) -> None:
        self.data = data
        self.restart(start)

    def restart(self, start: int) -> None:
        """Begin the next statement after `start`."""
        self.start = self.first = start
        self.seen = False
        self.depth = 0
        self.nesting = 0
        self.routine = False
        self.commas: list[int] = []
        self.finished = False

    def touch(self, at: int) -> None:
        """Settle where the statement begins, once something that is not white space came before `at`."""
        if not self.seen:
            text = self.data[self.first : at]
            if text.strip():
                self._begin(self.first + len(text) - len(text.lstrip()))

    def _begin(self, start: int) -> None:
        self.seen = True
        self.start = start
        self.routine = _ROUTINE.match(self.data, start) is not None

    def comment(self, at: int, end: int) -> None:
        """A comment before a statement is not part of it."""
        if not self.seen:
            self.first = end

    def token(self, word: bytes, at: int, end: int) -> None:
        """Brackets and commas give columns; BEGIN, CASE and END give the depth of a routine's body."""
        if not self.seen:
            self._begin(at)
        if word == b"(":
            self.nesting += 1
            if self.nesting == 1 and not self.commas:
                self.commas.append(end)
        elif word == b")":
            self.nesting = max(0, self.nesting - 1)
            if self.nesting == 0 and self.commas and not self.finished:
                self.commas.append(end)
                self.finished = True
        elif word == b",":
            if self.nesting == 1 and not self.finished:
                self.commas.append(end)
        elif self.routine:
            if word in (b"BEGIN", b"CASE"):
                if self.data[max(0, at - 4) : at].strip().upper() != b"END":
                    self.depth += 1
            elif self.depth and not _END_WORD.match(self.data, end):
                self.depth -= 1

    def close(self, found: list[tuple[int, int, list[int]]], end: int) -> None:
        """Finish the statement before `end`."""
        self.touch(end)
        if self.seen:
            last = trim_end(self.data, self.start, end)
            if last > self.start:
                found.append((self.start, last, self.commas if self.finished else []))
