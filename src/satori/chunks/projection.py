"""The text made from a chunk for the embedder, and the one that stands for a whole file.

A projection is never shown as source. Its hash is the key under which its vector is cached, so whatever the embedder
sees must be in the hash; the embedder's own identity is added by the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from satori.chunks.versions import EMBEDDING_PROJECTION_VERSION
from satori.model.chunk import Chunk
from satori.model.definition import FileFacts
from satori.model.symbol import Symbol

# Enough names to say what a file is about; the rest is in its chunks.
_IDENTITY_NAMES = 200
_IDENTITY_COMMENT_LINES = 40
_IDENTITY_COMMENT_CHARACTERS = 2000


def chunk_text(path: str, symbols: Sequence[Symbol], chunk: Chunk, data: bytes) -> str:
    """Path, qualified name of the owner, then the exact content (undecodable bytes replaced)."""
    content = data[chunk.span.start : chunk.span.end].decode("utf-8", "replace")
    return f"{path}\n{symbols[chunk.owner].qualified_name}\n{content}"


def identity_text(path: str, symbols: Sequence[Symbol], facts: FileFacts, data: bytes) -> str:
    """What a file is called and what it declares: its path twice, its symbols' names, its opening comments."""
    names = " ".join(symbol.name for symbol in symbols[1 : _IDENTITY_NAMES + 1])
    comments: list[str] = [facts.module_doc] if facts.module_doc else []
    limit = _end_of_line(data, _IDENTITY_COMMENT_LINES)
    for start, end in facts.comments:
        if start >= limit:
            break
        comments.append(data[start:end].decode("utf-8", "replace"))
    return f"{path}\n{path}\n{names}\n{' '.join(comments)[:_IDENTITY_COMMENT_CHARACTERS]}"


def projection_hash(text: str) -> bytes:
    """Sixteen bytes that name a projection's text and the projection version."""
    seed = f"{EMBEDDING_PROJECTION_VERSION}\0".encode()
    return blake2b(seed + text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _end_of_line(data: bytes, count: int) -> int:
    position = 0
    for _ in range(count):
        position = data.find(b"\n", position) + 1
        if position == 0:
            return len(data)
    return position
