"""From the user's choice to a rerank policy. Made once a process and choice, so that a loaded model is shared.

Making one reads nothing: what is wrong with a choice (no folder, no key) is told by the answers that go without it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from satori.search.rerank import RerankPolicy

if TYPE_CHECKING:
    from satori.settings.choice import RerankerChoice


@lru_cache(maxsize=4)
def load_policy(choice: RerankerChoice) -> RerankPolicy:
    """The policy of a choice; absent for `none`."""
    if choice.name == "none":
        return RerankPolicy()
    if choice.name == "lateon":
        from satori.search.rerankers.colbert import ColbertReranker

        return RerankPolicy(ColbertReranker(Path(choice.path) if choice.path else None, choice.seconds), choice.seconds)
    from satori.search.rerankers.endpoint import EndpointReranker

    return RerankPolicy(EndpointReranker(choice), choice.seconds)
