"""One file as it is on disk now, beside what was published of it.

The file is opened only through the source reader, and only when the source manifest has it. Symbols of changed bytes
are extracted anew, with the same extractor; nothing is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from satori.chunks.lines import LineIndex
from satori.errors import SourceError
from satori.facts.extract import extract_facts
from satori.model.symbol import Symbol
from satori.source.skip import SkipReason
from satori.symbols.identify import identify

if TYPE_CHECKING:
    from satori.publication.snapshot import FileRow, Snapshot
    from satori.source.reading import SourceReader


@dataclass(slots=True)
class LiveFile:
    """`data` are the current bytes, `published` the symbols of the Publication; `changed` compares the bytes."""

    row: FileRow
    data: bytes
    changed: bool
    published: list[Symbol]
    lines: LineIndex
    _symbols: list[Symbol] | None = field(default=None)

    @property
    def symbols(self) -> list[Symbol]:
        """The symbols of the current bytes."""
        if not self.changed:
            return self.published
        if self._symbols is None:
            facts = extract_facts(self.row.language, self.data)
            self._symbols = identify(self.row.path, facts, self.data)
        return self._symbols


def open_live(snapshot: Snapshot, reader: SourceReader, row: FileRow) -> LiveFile:
    """Read the indexed file `row` from disk.

    Raises SourceError when it cannot be read, with code `file_skipped` when it has become something that is never
    read (a link, a pipe, too large).
    """
    found = reader.read(row.path)
    if isinstance(found, SkipReason):
        raise SourceError(f"'{row.path}' is no longer a file that is read: {found.explanation}", code="file_skipped")
    data = found.data
    changed = len(data) != row.size or data != snapshot.content(row.file_id)
    return LiveFile(row, data, changed, snapshot.symbols(row.file_id), LineIndex(data))
