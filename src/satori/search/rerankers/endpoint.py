"""Reranking services over HTTP: Voyage's form, and Cohere's, which many servers of one's own speak as well.

Both take {model, query, documents} at /rerank and answer with (index, relevance_score) pairs in any order, under `data`
or `results`. One attempt a question, within its time: whatever fails is told, and the retrieval order stands. The
passages, and with them source text, leave this machine.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from satori.errors import RerankerError
from satori.remote.client import RemoteClient
from satori.remote.keys import find_key, require_key
from satori.settings.choice import RerankerChoice


@dataclass(frozen=True, slots=True)
class Form:
    """What one provider's requests and answers look like; `extra` is sent as it is."""

    provider: str
    endpoint: str
    model: str
    list_name: str
    extra: tuple[tuple[str, Any], ...] = ()


FORMS = {
    form.provider: form
    for form in (
        Form("voyage", "https://api.voyageai.com/v1", "rerank-2.5", "data", (("truncation", True),)),
        Form("cohere", "https://api.cohere.com/v2", "rerank-v3.5", "results"),
    )
}


class EndpointReranker:
    """Scores passages with the chosen service; its key is looked for when it is first asked."""

    def __init__(self, choice: RerankerChoice) -> None:
        self._choice = choice
        self._form = FORMS[choice.name]
        self._guard = threading.Lock()
        self._client: RemoteClient | None = None

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"{self._form.provider}/{self._model}"

    @property
    def _model(self) -> str:
        return self._choice.model or self._form.model

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """The relevance of each passage. Raises RemoteError as the client does and when a key is missing, unusable or
        would be exposed; RerankerError for an answer of another shape."""
        body = {"model": self._model, "query": question, "documents": list(passages), **dict(self._form.extra)}
        answer = self._opened().post("/rerank", body, seconds=self._choice.seconds)
        return read_scores(answer, self._form.list_name, len(passages), self.name)

    def _opened(self) -> RemoteClient:
        with self._guard:
            if self._client is None:
                choice, form = self._choice, self._form
                # A server of one's own may do without a key.
                key = (
                    find_key(form.provider, choice.key_file)
                    if choice.endpoint
                    else require_key(form.provider, choice.key_file, table="reranker")
                )
                self._client = RemoteClient(
                    form.provider, choice.endpoint or form.endpoint, key=key, proxy=choice.proxy, attempts=1
                )
            return self._client


def read_scores(answer: Any, list_name: str, count: int, name: str) -> list[float]:
    """One finite score a passage from an answer's pairs. Raises RerankerError unless each passage has exactly one."""
    rows = answer.get(list_name) if isinstance(answer, dict) else None
    if not isinstance(rows, list) or len(rows) != count:
        said = f"{len(rows)} scores" if isinstance(rows, list) else f"no list of {list_name}"
        raise _malformed(name, f"{said} for {count} passages")
    scores: dict[int, float] = {}
    for row in rows:
        place = row.get("index") if isinstance(row, dict) else None
        score = row.get("relevance_score") if isinstance(row, dict) else None
        if type(place) is not int or not 0 <= place < count or place in scores:
            raise _malformed(name, f"a score for passage {place!r} of {count}"[:120])
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise _malformed(name, "a score that is no finite number")
        scores[place] = float(score)
    return [scores[place] for place in range(count)]


def _malformed(name: str, what: str) -> RerankerError:
    return RerankerError(
        f"{name} sent {what}.", next_step="Check reranker.endpoint and reranker.model.", code="reranker_malformed"
    )
