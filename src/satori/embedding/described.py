"""A choice of embedder in words: what each of its values comes to and whose word that is. It asks nobody and loads
nothing."""

from __future__ import annotations

from satori.embedding.models import DEFAULT_MODELS, model_of
from satori.embedding.potion import DEFAULT_MODEL
from satori.embedding.registry import is_connected
from satori.embedding.wire import WIRES
from satori.errors import SettingsError
from satori.remote.hub import HUB
from satori.settings.choice import EmbedderChoice


def provider_defaults(choice: EmbedderChoice) -> dict[str, str | int | float]:
    """The settings that the chosen provider fills in where the user says nothing."""
    if choice.name == "potion":
        return {} if choice.path else {"embedder.model": DEFAULT_MODEL, "embedder.endpoint": HUB}
    if not is_connected(choice.name):
        return {}
    found: dict[str, str | int | float] = {
        "embedder.model": DEFAULT_MODELS[choice.name],
        "embedder.endpoint": WIRES[choice.name].endpoint,
    }
    try:
        _, model = model_of(choice)
    except SettingsError:
        return found
    found["embedder.dimension"] = model.dimension
    if model.query_prefix:
        found["embedder.query_prefix"] = model.query_prefix
    if model.document_prefix:
        found["embedder.document_prefix"] = model.document_prefix
    if model.price >= 0:
        found["embedder.price"] = model.price
    return found
