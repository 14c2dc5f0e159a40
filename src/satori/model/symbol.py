"""A symbol: a definition with an identity that survives edits elsewhere.

The key names the place (path, language, kind, qualified name, parent, ordinal among equals); the id adds the hash of
the symbol's own text. How both are computed lives in `satori.symbols`; this module only holds the shape.
"""

from __future__ import annotations

from dataclasses import dataclass

from satori.model.definition import DefinitionFlag, SymbolKind
from satori.model.span import Span


@dataclass(frozen=True, slots=True)
class Symbol:
    """One published symbol.

    `index` is its position in the file's symbol list; index 0 is the file's own symbol (kind file, whole file), so
    `parent` is an index too, and -1 only for that one. `breadcrumbs` are the names of its owners, outermost first,
    without the file.
    """

    path: str
    language: str
    index: int
    parent: int
    kind: SymbolKind
    name: str
    qualified_name: str
    breadcrumbs: tuple[str, ...]
    span: Span
    name_start: int
    name_end: int
    body_start: int
    signature: str
    documentation: str
    flags: DefinitionFlag
    receiver: str
    key: str
    text_hash: str

    @property
    def symbol_id(self) -> str:
        """Key and text hash: changes only when this symbol's own text changes."""
        return f"{self.key}.{self.text_hash}"
