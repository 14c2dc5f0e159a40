"""Embedders by name. There is one that ships: `static`, trained for code, offline, read from the package.

It downloads nothing and reads no settings; what a profile chooses is decided above.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from satori.errors import EmbedderError

if TYPE_CHECKING:
    from satori.embedding.port import Embedder

__all__ = ["load_embedder", "names"]


def names() -> tuple[str, ...]:
    """The names that `load_embedder` accepts."""
    return ("static",)


@cache
def load_embedder(name: str = "static") -> Embedder:
    """The embedder of that name, loaded once a process.

    Raises EmbedderError for an unknown name, and when the package's model files are missing or damaged.
    """
    if name != "static":
        raise EmbedderError(f"There is no embedder named {name!r}.", next_step=f"Choose one of: {', '.join(names())}.")
    from satori.embedding.weights import load_static

    return load_static()
