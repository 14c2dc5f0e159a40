"""What a build would send to a service: about how many tokens, about how many dollars. A rough figure, said as one.

It counts bytes, so it needs no tokenizer and reads no file; what a cache already knows is not left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from satori.embedding.connected import BYTES_A_TOKEN

if TYPE_CHECKING:
    from satori.embedding.connected import ConnectedEmbedder

OVERHEAD = 1.4
"""Bytes of all projections over bytes of their files: paths and names before each chunk, one identity a file. Measured
on five trees in Python, Java, C and JavaScript: 1.12 to 1.39."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`price`, of a million tokens, is negative when not known; `own` tells a server that is not the provider's."""

    embedder: str
    tokens: int
    price: float
    own: bool

    @property
    def dollars(self) -> float:
        """What it comes to, as far as the price is known."""
        return self.tokens * max(self.price, 0.0) / 1e6

    @property
    def costs(self) -> bool:
        """Whether somebody has to pay, or may have to: a server of one's own with no known price is free."""
        return self.price > 0 or (self.price < 0 and not self.own)

    def __str__(self) -> str:
        if self.price < 0:
            money = "its price is not known (set embedder.price to have it estimated)"
        elif not self.price:
            money = "it costs nothing but time"
        else:
            amount = f"about ${self.dollars:.2f}" if self.dollars >= 0.01 else "less than a cent"
            money = f"{amount} at ${self.price:g} a million"
        return f"about {spoken(self.tokens)} tokens go to {self.embedder}: {money}"


def estimate(source_bytes: int, embedder: ConnectedEmbedder) -> Estimate:
    """What embedding files of that many bytes in all comes to."""
    tokens = int(source_bytes * OVERHEAD / BYTES_A_TOKEN)
    return Estimate(
        f"{embedder.provider} ({embedder.address})", tokens, embedder.settings.price, not embedder.is_providers_own
    )


def spoken(count: int) -> str:
    """A count as a person says it: 940, 12 thousand, 3.4 million."""
    if count < 1000:
        return str(count)
    return f"{count / 1000:.0f} thousand" if count < 1_000_000 else f"{count / 1_000_000:.1f} million"
