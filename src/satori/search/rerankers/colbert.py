"""Late interaction on this machine: a ColBERT model through ONNX Runtime, scored by MaxSim.

Each token of the question takes its most similar token of a passage; the score is the sum of those similarities.
Tokenisation follows `pylate.models.ColBERT`: the text is cut to its length with the special tokens kept, the prefix is
put behind the first of them, questions are filled up with mask tokens, punctuation of passages is left out.

One passage is run at a time: models with dynamic int8 quantisation scale by what is in a batch, and a passage's score
must not depend on its neighbours. ONNX Runtime and tokenizers are imported and the model is loaded when first needed.

Khattab and Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction over BERT"
(2020); Chaffin and Sourty, "PyLate: Flexible Training and Retrieval for Late Interaction Models" (2025).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satori.errors import RerankerError
from satori.search.rerankers.folder import ColbertFolder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INSTALL = 'Install them: pip install "satori-code[rerank]"'
_MASKS = ("[MASK]", "<mask>")
_THREADS = 4
# Scores are compared in steps of this: sums of floats may differ in their last bits between numbers of threads.
_DECIMALS = 4


class ColbertReranker:
    """Scores passages with the model in `directory`, and gives up between passages when `seconds` are over."""

    def __init__(self, directory: Path | None, seconds: float = 2.0) -> None:
        self._directory = directory
        self._seconds = seconds
        self._guard = threading.Lock()
        self._model: _Model | None = None

    @property
    def name(self) -> str:
        """Folder and, once loaded, the model's digest."""
        folder = self._directory.name if self._directory is not None else "no folder"
        digest = f"@{self._model.digest}" if self._model is not None else ""
        return f"lateon/{folder}{digest}"

    def load(self) -> None:
        """Verify and load the model now. Raises RerankerError."""
        if self._directory is None:
            raise RerankerError(
                "No folder of a reranker's model is named.",
                next_step="Provision one, then: satori config set reranker.path FOLDER",
                code="reranker_missing",
            )
        with self._guard:
            if self._model is None:
                self._model = _Model.load(ColbertFolder.open(self._directory))

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """The MaxSim of each passage. Raises RerankerError; the first call also loads the model."""
        deadline = time.monotonic() + self._seconds
        self.load()
        model = self._model
        assert model is not None
        query = model.encode_query(question)
        scores: list[float] = []
        for passage in passages:
            if time.monotonic() > deadline:
                raise RerankerError(
                    f"{self.name} scored {len(scores)} of {len(passages)} passages in {self._seconds:g} seconds.",
                    next_step="Raise reranker.seconds or choose a smaller model.",
                    code="reranker_slow",
                )
            scores.append(round(maxsim(query, model.encode_document(passage)), _DECIMALS))
        return scores


def maxsim(query: NDArray[np.float32], document: NDArray[np.float32]) -> float:
    """The sum over the query's rows of the largest dot product with a row of the document; 0 for an empty document."""
    if not len(document) or not len(query):
        return 0.0
    return float((query @ document.T).max(axis=1).sum())


@dataclass(frozen=True, slots=True)
class _Model:
    """A loaded model; safe to share between threads."""

    folder: ColbertFolder
    session: Any
    inputs: tuple[str, ...]
    output: str
    queries: Any
    documents: Any
    query_prefix: int | None
    document_prefix: int | None
    left_out: frozenset[int]

    @property
    def digest(self) -> str:
        """Of the model's file."""
        return self.folder.digest

    @classmethod
    def load(cls, folder: ColbertFolder) -> _Model:
        """Raises RerankerError when a package is missing or a file is not what it should be."""
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise RerankerError(
                f"The reranker needs onnxruntime and tokenizers: {error}.", next_step=INSTALL, code="reranker_missing"
            ) from error
        config = folder.config
        try:
            vocabulary = Tokenizer.from_file(str(folder.tokenizer))
            queries, documents = (Tokenizer.from_file(str(folder.tokenizer)) for _ in range(2))
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = min(_THREADS, os.cpu_count() or 1)
            options.log_severity_level = 3
            session = onnxruntime.InferenceSession(str(folder.model), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # both libraries raise bare exceptions of their own
            raise RerankerError(
                f"The reranker's model in {folder.directory} cannot be loaded: {str(error)[:300]}.",
                next_step="Provision the model again.",
                code="reranker_damaged",
            ) from error
        query_prefix = _prefix(vocabulary, config.query_prefix, config.query_prefix_id, folder)
        document_prefix = _prefix(vocabulary, config.document_prefix, config.document_prefix_id, folder)
        mask = config.mask_token_id if config.mask_token_id >= 0 else _first_id(vocabulary, _MASKS)
        for tokenizer, length, prefix in (
            (queries, config.query_length, query_prefix),
            (documents, config.document_length, document_prefix),
        ):
            tokenizer.no_padding()
            tokenizer.enable_truncation(length - (prefix is not None))
        if config.do_query_expansion and mask is not None:
            queries.enable_padding(
                length=config.query_length - (query_prefix is not None), pad_id=mask, pad_token=_MASKS[0]
            )
        outputs = [output.name for output in session.get_outputs()]
        skipped = (vocabulary.token_to_id(word) for word in config.skiplist_words)
        return cls(
            folder=folder,
            session=session,
            inputs=tuple(entry.name for entry in session.get_inputs()),
            output="output" if "output" in outputs else outputs[0],
            queries=queries,
            documents=documents,
            query_prefix=query_prefix,
            document_prefix=document_prefix,
            left_out=frozenset(token for token in skipped if token is not None),
        )

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Unit vectors of the question's tokens, mask tokens included."""
        _, attention, vectors = self._run(self.queries, self.query_prefix, text, is_query=True)
        return vectors if self.folder.config.do_query_expansion else vectors[attention > 0]

    def encode_document(self, text: str) -> NDArray[np.float32]:
        """Unit vectors of the passage's tokens, without punctuation."""
        ids, attention, vectors = self._run(self.documents, self.document_prefix, text, is_query=False)
        kept = attention > 0
        for token in self.left_out.intersection(ids.tolist()):
            kept &= ids != token
        return vectors[kept]

    def _run(
        self, tokenizer: Any, prefix: int | None, text: str, *, is_query: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        import numpy as np

        config = self.folder.config
        encoding = tokenizer.encode(text.lower() if config.do_lower_case else text)
        ids, attention, types = list(encoding.ids), list(encoding.attention_mask), list(encoding.type_ids)
        if prefix is not None:
            ids.insert(1, prefix)
            attention.insert(1, 1)
            types.insert(1, 0)
        if is_query and config.do_query_expansion and config.attend_to_expansion_tokens:
            attention = [1] * len(ids)
        given = {"input_ids": ids, "attention_mask": attention, "token_type_ids": types}
        if unknown := [name for name in self.inputs if name not in given]:
            raise self._foreign(f"it asks for {unknown[0]}")
        feed = {name: np.array([given[name]], np.int64) for name in self.inputs}
        try:
            vectors = np.asarray(self.session.run([self.output], feed)[0], np.float32)
        except Exception as error:  # ONNX Runtime's errors have no common class
            raise self._foreign(str(error)[:200]) from error
        if vectors.ndim != 3 or vectors.shape[:2] != (1, len(ids)):
            raise self._foreign(f"its output has the shape {vectors.shape} for {len(ids)} tokens")
        vectors = vectors[0]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.array(ids), np.array(attention), vectors / np.maximum(lengths, 1e-12)

    def _foreign(self, why: str) -> RerankerError:
        return RerankerError(
            f"{self.folder.model} is no ColBERT model of token vectors: {why}.",
            next_step="Export the model with pylate-onnx-export, or choose another folder.",
            code="reranker_damaged",
        )


def _prefix(tokenizer: Any, text: str, given: int, folder: ColbertFolder) -> int | None:
    """The token that marks a question or a passage; None when the model has none."""
    if not text:
        return None
    token = given if given >= 0 else tokenizer.token_to_id(text)
    if token is None:
        raise RerankerError(
            f"The tokenizer of {folder.directory} does not know the prefix {text!r}.",
            next_step="Export the model again, or choose another folder.",
            code="reranker_damaged",
        )
    return int(token)


def _first_id(tokenizer: Any, words: Sequence[str]) -> int | None:
    return next((token for word in words if (token := tokenizer.token_to_id(word)) is not None), None)
