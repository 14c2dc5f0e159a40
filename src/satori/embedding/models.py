"""What is known of providers' models: how long their vectors are, what they cost, what they want said before a text.

A model that is not here works all the same: its dimension is then a setting. Prices are list prices in US dollars for a
million tokens as known on 2026-11-30; they serve estimates alone, and the setting embedder.price beats them.
"""

from __future__ import annotations

from dataclasses import dataclass

from satori.embedding.similarity import MAX_DIMENSION
from satori.errors import SettingsError
from satori.settings.choice import EmbedderChoice


@dataclass(frozen=True, slots=True)
class Model:
    """`dimension` is what Satori asks for; `shortens` whether the provider is told it, because the model's own is
    another. `input_tokens` bounds one text."""

    dimension: int
    shortens: bool = False
    input_tokens: int = 8192
    price: float = -1.0
    query_prefix: str = ""
    document_prefix: str = ""


_NOMIC = ("search_query: ", "search_document: ")
_MXBAI = "Represent this sentence for searching relevant passages: "
_QWEN = "Instruct: Given a question, retrieve code that answers it\nQuery: "
_GEMMA = ("task: code retrieval | query: ", "title: none | text: ")

DEFAULT_MODELS = {
    "ollama": "nomic-embed-text",
    "openai": "text-embedding-3-small",
    "voyage": "voyage-code-3",
    "gemini": "gemini-embedding-001",
}
KNOWN = {
    "ollama": {
        "nomic-embed-text": Model(768, False, 2048, 0.0, *_NOMIC),
        "mxbai-embed-large": Model(1024, False, 512, 0.0, _MXBAI),
        "bge-m3": Model(1024, False, 8192, 0.0),
        "all-minilm": Model(384, False, 256, 0.0),
        "snowflake-arctic-embed2": Model(1024, False, 8192, 0.0, "query: "),
        "embeddinggemma": Model(768, False, 2048, 0.0, *_GEMMA),
        "qwen3-embedding:0.6b": Model(1024, False, 8192, 0.0, _QWEN),
    },
    "openai": {
        "text-embedding-3-small": Model(1024, True, 8191, 0.02),
        "text-embedding-3-large": Model(1024, True, 8191, 0.13),
    },
    "voyage": {
        "voyage-code-3": Model(1024, True, 32_000, 0.18),
        "voyage-3-large": Model(1024, True, 32_000, 0.18),
        "voyage-3.5": Model(1024, True, 32_000, 0.06),
        "voyage-3.5-lite": Model(1024, True, 32_000, 0.02),
    },
    "gemini": {"gemini-embedding-001": Model(768, True, 2048, 0.15)},
}


def model_of(choice: EmbedderChoice) -> tuple[str, Model]:
    """The model's name and what is in effect for it: what is known, under what the user set.

    Raises SettingsError when its dimension is neither known nor set.
    """
    name = choice.model or DEFAULT_MODELS[choice.name]
    known = KNOWN[choice.name].get(name) or KNOWN[choice.name].get(name.removesuffix(":latest"))
    dimension = choice.dimension or (known.dimension if known is not None else 0)
    if not dimension:
        raise SettingsError(
            f"How long the vectors of {choice.name}'s model {name} are is not known.",
            next_step=f"Say it (at most {MAX_DIMENSION}): satori config set embedder.dimension N",
        )
    if known is None:
        shortens = choice.name in ("voyage", "gemini")
        return name, Model(dimension, shortens, 8192, choice.price, choice.query_prefix, choice.document_prefix)
    return name, Model(
        dimension,
        known.shortens or dimension != known.dimension,
        known.input_tokens,
        choice.price if choice.price >= 0 else known.price,
        choice.query_prefix or known.query_prefix,
        choice.document_prefix or known.document_prefix,
    )
