"""What the next build would send to a service, before it is started: for people to decide on. It sends nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satori.source.scan import list_files

if TYPE_CHECKING:
    from satori.embedding.cost import Estimate
    from satori.publication.lifecycle import Lifecycle
    from satori.source.settings import SourceSettings


def first_build(lifecycle: Lifecycle, settings: SourceSettings) -> Estimate | None:
    """The estimate for a whole codebase, when the chosen embedder is a service that has not published it yet; None when
    there is nothing to send or only what changed. Raises SettingsError, EmbedderError and SourceError."""
    embedder = lifecycle.embedder
    if not embedder.connected:
        return None
    status = lifecycle.status()
    if status.served and not status.differences:
        return None
    from satori.embedding.connected import ConnectedEmbedder
    from satori.embedding.cost import estimate

    assert isinstance(embedder, ConnectedEmbedder)
    files = list_files(lifecycle.root, settings).files
    return estimate(sum(file.stamp.size for file in files if file.skip is None), embedder)
