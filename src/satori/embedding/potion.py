"""`potion`: model2vec's static models, read from a provisioned folder; offline, deterministic, in every worker.

A text's vector is the mean of its tokens' rows (weighted and mapped where the model says so), tokens being those of the
model's own tokenizer without special and unknown ones. Rows are added in double precision, in the order of the text, so
that a batch or a thread changes nothing. The model2vec library itself is not needed: numpy and `tokenizers` are.
Formats: model2vec 0.3 to 0.10, folders with `model.safetensors`, `tokenizer.json` and `config.json`.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from satori.embedding.similarity import MAX_DIMENSION
from satori.embedding.static import quantise
from satori.errors import EmbedderError, ModelError
from satori.remote.modelfolder import ModelFolder, open_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from satori.settings.choice import EmbedderChoice

DEFAULT_MODEL = "minishlab/potion-code-16M"
TENSORS, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"
FILES = (TENSORS, TOKENIZER, CONFIG)
_MAX_TOKENS = 512
_HEADER_BYTES = 64 << 20
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1", "U8": "<u1"}
_ADVICE = "Provision it again: satori install --embedder potion"


class PotionEmbedder:
    """The `Embedder` over a model2vec folder; immutable after construction."""

    def __init__(self, folder: ModelFolder) -> None:
        """Raises ModelError for a folder that holds no such model."""
        self._name = f"{folder.name}@{folder.digest}"
        tensors = read_tensors(folder.path / TENSORS)
        vectors = tensors.get("embeddings", tensors.get("embedding.weight"))
        if vectors is None or vectors.ndim != 2 or not 1 <= vectors.shape[1] <= MAX_DIMENSION:
            raise _broken(folder, f"it has no table of vectors of at most {MAX_DIMENSION} components")
        self._vectors = vectors
        self._weights, self._mapping = tensors.get("weights"), tensors.get("mapping")
        self._tokenizer, self._unknown, self._characters = _tokenizer(folder)
        tokens = self._tokenizer.get_vocab_size()
        for name, per_token in (("mapping", self._mapping), ("weights", self._weights)):
            if per_token is not None and per_token.shape != (tokens,):
                raise _broken(folder, f"its {name} are not one a token")
        rows = len(vectors) if self._mapping is None else int(self._mapping.max(initial=-1)) + 1
        if rows > len(vectors) or (self._mapping is None and rows != tokens):
            raise _broken(folder, f"it has {len(vectors)} vectors for {tokens} tokens")

    @property
    def provider(self) -> str:
        """The kind of embedder: `potion`."""
        return "potion"

    @property
    def model(self) -> str:
        """The model's name and the hash of its files."""
        return self._name

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return int(self._vectors.shape[1])

    @property
    def connected(self) -> bool:
        """No service is asked."""
        return False

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """One row per text, shape (n, dimension), int8; all zeros for a text without a known token."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        # Undecodable names hold surrogates, which the tokenizer does not take.
        cut = [text[: self._characters].encode("utf-8", "replace").decode("utf-8") for text in texts]
        for at, encoding in enumerate(self._tokenizer.encode_batch_fast(cut, add_special_tokens=False)):
            ids = [token for token in encoding.ids if token != self._unknown]
            if ids:
                rows[at] = self._pooled(np.array(ids, np.int64))
        return quantise(rows)

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """One row per question: the same function as for documents."""
        return self.encode_documents(texts)

    def encode_query(self, text: str) -> NDArray[np.int8]:
        """The vector of one question, shape (dimension,), int8."""
        row: NDArray[np.int8] = self.encode_documents([text])[0]
        return row

    def _pooled(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        vectors = self._vectors[ids if self._mapping is None else self._mapping[ids]].astype(np.float64)
        if self._weights is not None:
            vectors *= self._weights[ids].astype(np.float64)[:, np.newaxis]
        pooled: NDArray[np.float64] = vectors.sum(axis=0)
        return pooled / len(ids)


def load_potion(choice: EmbedderChoice) -> PotionEmbedder:
    """The embedder of the chosen folder. Raises EmbedderError and ModelError."""
    if not choice.path:
        raise EmbedderError("No model of potion is provisioned.", next_step="satori install --embedder potion")
    return PotionEmbedder(open_folder(Path(choice.path)))


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a safetensors file, mapped read-only. Raises ModelError."""
    try:
        with path.open("rb") as handle:
            mapped = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        length = int.from_bytes(mapped[:8], "little")
        if not 2 <= length <= min(_HEADER_BYTES, len(mapped) - 8):
            raise ValueError("its header is cut off")
        header: dict[str, Any] = json.loads(mapped[8 : 8 + length])
        header.pop("__metadata__", None)
        body = memoryview(mapped)[8 + length :]
        found: dict[str, NDArray[Any]] = {}
        for name, entry in header.items():
            start, end = entry["data_offsets"]
            kind = np.dtype(_TYPES[entry["dtype"]])
            shape = tuple(int(size) for size in entry["shape"])
            count = int(np.prod(shape, dtype=np.int64))
            if not 0 <= start <= end <= len(body) or count * kind.itemsize != end - start:
                raise ValueError(f"{name} does not fit")
            found[name] = np.frombuffer(body, kind, count=count, offset=start).reshape(shape)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} is no safetensors file that can be read: {error}.", next_step=_ADVICE) from error
    return found


def _tokenizer(folder: ModelFolder) -> tuple[Tokenizer, int | None, int]:
    """The tokenizer, its unknown token, and how many characters of a text are read."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbedderError(
            "potion needs the package tokenizers.", next_step="pip install 'satori-code[potion]'", code="extra_missing"
        ) from error
    try:
        text = (folder.path / TOKENIZER).read_text("utf-8")
        config = json.loads((folder.path / CONFIG).read_text("utf-8"))
        tokenizer = Tokenizer.from_str(text)
        most = config.get("max_length", _MAX_TOKENS) or _MAX_TOKENS
        tokenizer.no_padding()
        tokenizer.enable_truncation(int(most))
        model = json.loads(text)["model"]
        unknown = model.get("unk_id")
        if unknown is None and model.get("unk_token") is not None:
            unknown = tokenizer.token_to_id(model["unk_token"])
        median = int(np.median([len(token) for token in tokenizer.get_vocab()]))
    except Exception as error:
        # The library raises bare exceptions for whatever is wrong with a file.
        raise _broken(folder, f"its tokenizer or configuration cannot be read ({str(error)[:200]})") from error
    return tokenizer, unknown, int(most) * max(median, 1)


def _broken(folder: ModelFolder, why: str) -> ModelError:
    return ModelError(f"{folder.path} holds no model2vec model: {why}.", next_step=_ADVICE)
