"""A chunk: one contiguous, bounded piece of a file, owned by a symbol or by the file.

It holds no text: text is always sliced from the file's bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from satori.model.span import Span


class ChunkKind(StrEnum):
    """Why the chunk is cut the way it is."""

    LEAF = "leaf"
    PART = "part"
    HEADER = "header"
    BETWEEN = "between"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Chunk:
    """`owner` is the index of the owning symbol in its file's symbol list (0: the file itself)."""

    owner: int
    kind: ChunkKind
    span: Span
