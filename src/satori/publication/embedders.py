"""Which embedder can read a Publication: the chosen one, or one that was chosen before a change of settings.

Equality of fingerprints stays strict: an earlier embedder reads what was published with exactly it, and only when the
Publication differs from what this runtime would publish in nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from satori.embedding.registry import known_embedders
from satori.publication.fingerprint import Fingerprint, runtime_fingerprint

if TYPE_CHECKING:
    from satori.embedding.port import Embedder

_EMBEDDING = frozenset({"embeddingProvider", "embeddingModel", "embeddingDimension"})


def fingerprint_of(embedder: Embedder) -> Fingerprint:
    """What this runtime publishes with that embedder."""
    return runtime_fingerprint(embedder.provider, embedder.model, embedder.dimension)


def earlier_embedder(published: Fingerprint, runtime: Fingerprint) -> Embedder | None:
    """The embedder that made the vectors of `published`, when that is all in which it differs from `runtime`."""
    differing = {difference.field for difference in published.differences(runtime)}
    if not differing or not differing <= _EMBEDDING:
        return None
    return next((found for found in known_embedders() if not published.differences(fingerprint_of(found))), None)
