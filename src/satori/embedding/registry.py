"""Embedders by choice: the one that ships, and those that a person chose in their settings.

`static` reads the package alone and is the default; nothing of the others is imported until one is chosen. Which choice
is in effect is read from the user's settings, never from a repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from satori.errors import EmbedderError, SatoriError
from satori.settings.catalogue import EMBEDDERS
from satori.settings.choice import EmbedderChoice

if TYPE_CHECKING:
    from satori.embedding.port import Embedder

__all__ = ["SHIPPED", "chosen", "is_connected", "known_embedders", "load_embedder", "names"]

SHIPPED = EmbedderChoice()
"""The offline default."""

_CONNECTED = frozenset({"ollama", "openai", "voyage", "gemini"})


def names() -> tuple[str, ...]:
    """The names that a choice may have."""
    return EMBEDDERS


def is_connected(provider: str) -> bool:
    """Whether that provider is a service."""
    return provider in _CONNECTED


def chosen() -> EmbedderChoice:
    """The choice that the user's settings make now. Raises SettingsError."""
    from satori.settings.file import current

    return current().embedder


def load_embedder(choice: EmbedderChoice = SHIPPED) -> Embedder:
    """The embedder of that choice, made once a process.

    Raises EmbedderError and ModelError when its model is missing or damaged, SettingsError when the choice cannot be
    used.
    """
    return _load(choice)


@lru_cache(maxsize=8)
def _load(choice: EmbedderChoice) -> Embedder:
    if choice.name == "static":
        from satori.embedding.weights import load_static

        return load_static()
    if choice.name == "potion":
        from satori.embedding.potion import load_potion

        return load_potion(choice)
    if choice.name in _CONNECTED:
        from satori.embedding.connected import ConnectedEmbedder

        return ConnectedEmbedder(choice)
    raise EmbedderError(f"There is no embedder named {choice.name!r}.", next_step=f"One of: {', '.join(names())}.")


def known_embedders() -> Iterator[Embedder]:
    """Every embedder that is or was chosen and can be made, the present one first, the shipped one last: what each of
    them published can be read."""
    from satori.settings.file import current

    settings = current()
    for choice in dict.fromkeys((settings.embedder, *settings.previous, SHIPPED)):
        try:
            yield load_embedder(choice)
        except SatoriError:
            continue
