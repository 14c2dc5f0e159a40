"""What the rest of Satori knows of an embedder: text in, quantised directions out.

A vector is a direction only. Each row is scaled so that its largest component is 127 in magnitude and rounded to int8;
a text without any known token has an all-zero row. Similarity is always the cosine, computed by
`satori.embedding.similarity`. How an embedder is chosen or trained is not this module's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Embedder"]


@runtime_checkable
class Embedder(Protocol):
    """A deterministic encoder: equal `model` means equal vectors for equal text, whatever else is in the batch."""

    @property
    def provider(self) -> str:
        """The kind of embedder, such as `static`."""
        ...

    @property
    def model(self) -> str:
        """Name plus content hash, such as `satori-static-256@1a2b3c4d`."""
        ...

    @property
    def dimension(self) -> int:
        """Components of a vector; at most 1,024, so that int8 dot products stay exact in float32."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """One row per text, shape (len(texts), dimension), int8; a row depends on its own text alone."""
        ...

    @property
    def connected(self) -> bool:
        """Whether vectors come from a service: asking may fail, takes time and may cost money."""
        ...

    def encode_query(self, text: str) -> NDArray[np.int8]:
        """The vector of a question, shape (dimension,), int8. A connected one is bounded in time and raises
        EmbedderError; any other does neither."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """One row per question, shape (len(texts), dimension), int8, for many at once and without haste."""
        ...
