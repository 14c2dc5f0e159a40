"""Embedders that are services: batches under the provider's limits, a few requests at once, and rows that are checked.

Vectors become int8 rows in the same way as the offline embedder's. A row that is not finite, has no direction or has
another length than it should is an error, never a vector. A question waits for its vector no longer than the user
allows, and after a failure the next ones do not wait at all for a while. How a request travels is `satori.remote`'s
business; what is done without a vector is search's.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from satori.embedding.models import model_of
from satori.embedding.static import quantise
from satori.embedding.wire import WIRES, Asked, Purpose, Wire
from satori.errors import EmbedderError, RemoteError, SatoriError, SettingsError
from satori.remote.address import is_loopback
from satori.remote.client import RemoteClient
from satori.remote.keys import Key, find_key, require_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from satori.embedding.models import Model
    from satori.settings.choice import EmbedderChoice

BYTES_A_TOKEN = 3
"""UTF-8 bytes that make a token, low for code (3.2 to 4) so that a batch is not larger than it is taken for."""

_TICK = 0.2
_REMEMBERED_QUESTIONS = 256
_REST_SECONDS = 15.0
_QUERY_ATTEMPTS = 2
_TOO_LONG = re.compile(r"token|length|context|too (long|large|many)|exceed|maximum|413", re.IGNORECASE)
_SHORTEST = 64

Rows = Callable[[Sequence[int], "NDArray[np.int8]"], None]


class ConnectedEmbedder:
    """The `Embedder` over a service. Making one reads no key and sends nothing."""

    def __init__(self, choice: EmbedderChoice) -> None:
        """Raises SettingsError for a choice that cannot be used."""
        self._choice = choice
        self._wire: Wire = WIRES[choice.name]
        self._name, self._model = model_of(choice)
        self._endpoint = (choice.endpoint or self._wire.endpoint).rstrip("/")
        if self._wire.loopback and not is_loopback(self._endpoint):
            raise SettingsError(
                f"{choice.name} is for this machine, and {self._endpoint} is not it.",
                next_step="For a server elsewhere: satori config set embedder.name openai, with its /v1 address.",
            )
        self._client: RemoteClient | None = None
        self._guard = threading.Lock()
        self._questions: OrderedDict[str, NDArray[np.int8]] = OrderedDict()
        self._failed: tuple[float, EmbedderError] | None = None

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self._choice.name

    @property
    def model(self) -> str:
        """Model, address, and a mark of what is put before texts: everything that decides a vector beside the text."""
        prefixes = (self._model.query_prefix, self._model.document_prefix)
        mark = f"#{blake2b(repr(prefixes).encode(), digest_size=3).hexdigest()}" if any(prefixes) else ""
        return f"{self._name}@{self._endpoint}{mark}"

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return self._model.dimension

    @property
    def connected(self) -> bool:
        """A service is asked."""
        return True

    @property
    def name(self) -> str:
        """The provider's name for the model."""
        return self._name

    @property
    def address(self) -> str:
        """Where texts are sent."""
        return self._endpoint

    @property
    def is_providers_own(self) -> bool:
        """Whether that is the provider's own address."""
        return self._endpoint == self._wire.endpoint

    @property
    def key_source(self) -> str:
        """Where the key comes from, "" when none is needed and none is there. Raises RemoteError."""
        key = self._key()
        return key.source if key is not None else ""

    @property
    def settings(self) -> Model:
        """What is in effect for the model."""
        return self._model

    def close(self) -> None:
        """Let connections go; requests under way fail. The next request opens new ones."""
        with self._guard:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """One row per text, shape (n, dimension), int8. Raises EmbedderError."""
        return self._all(texts, Purpose.DOCUMENT)

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """One row per question, shape (n, dimension), int8. Raises EmbedderError."""
        return self._all(texts, Purpose.QUERY)

    def encode_query(self, text: str) -> NDArray[np.int8]:
        """The vector of one question, int8, within the user's limit of time. Raises EmbedderError."""
        with self._guard:
            known = self._questions.get(text)
            if known is not None:
                self._questions.move_to_end(text)
                return known
            failed = self._failed
        if failed is not None and time.monotonic() < failed[0]:
            raise failed[1]
        seconds = self._choice.query_seconds
        said: list[NDArray[np.int8] | BaseException] = []
        deadline = time.monotonic() + seconds

        def checked() -> None:
            # Nobody waits any more: a pause that the service asked for is not sat out for nothing.
            if time.monotonic() > deadline:
                raise self._error("remote_timeout", f"did not answer within {seconds:g} s")

        def ask() -> None:
            try:
                said.append(self._batch([text], Purpose.QUERY, seconds, _QUERY_ATTEMPTS, checked)[0])
            except BaseException as error:
                said.append(error)

        # A daemon thread: also a name that cannot be looked up is left behind when the time is over.
        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(seconds)
        answer = said[0] if said else self._error("remote_timeout", f"did not answer within {seconds:g} s")
        if isinstance(answer, BaseException):
            error = answer if isinstance(answer, EmbedderError) else self._error("embedder_failed", repr(answer)[:200])
            with self._guard:
                self._failed = (time.monotonic() + _REST_SECONDS, error)
            raise error
        with self._guard:
            self._failed = None
            self._questions[text] = answer
            while len(self._questions) > _REMEMBERED_QUESTIONS:
                self._questions.popitem(last=False)
        return answer

    def embed(
        self,
        texts: Sequence[str],
        purpose: Purpose,
        take: Rows,
        *,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Give `take` the rows of all texts, batch by batch as they come, as (positions, rows).

        Several requests run at once. `take` and `check` are called in this thread, `check` several times a second, and
        may raise to stop; connections are then closed and nothing is waited for. Raises EmbedderError.
        """
        work: queue.SimpleQueue[list[int] | None] = queue.SimpleQueue()
        batches = list(self._batches(texts))
        answers: queue.SimpleQueue[tuple[list[int], Any]] = queue.SimpleQueue()
        stop = threading.Event()

        def checked() -> None:
            if stop.is_set():
                raise EmbedderError("stopped")

        def serve() -> None:
            while (batch := work.get()) is not None and not stop.is_set():
                try:
                    rows = self._batch([texts[at] for at in batch], purpose, 0.0, 0, checked)
                except BaseException as error:
                    answers.put((batch, error))
                    return
                answers.put((batch, rows))

        for batch in batches:
            work.put(batch)
        count = min(self._choice.concurrency, len(batches))
        for _ in range(count):
            work.put(None)
            threading.Thread(target=serve, daemon=True).start()
        left = len(batches)
        try:
            while left:
                check()
                try:
                    batch, rows = answers.get(timeout=_TICK)
                except queue.Empty:
                    continue
                if isinstance(rows, BaseException):
                    raise rows
                take(batch, rows)
                left -= 1
        except BaseException:
            stop.set()
            self.close()
            raise

    def _all(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.int8]:
        found = np.zeros((len(texts), self.dimension), np.int8)

        def take(positions: Sequence[int], rows: NDArray[np.int8]) -> None:
            found[list(positions)] = rows

        self.embed(texts, purpose, take)
        return found

    def _batches(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Positions of texts that go into one request, in order."""
        batch: list[int] = []
        size = 0
        for at, text in enumerate(texts):
            tokens = min(token_count(text), self._model.input_tokens)
            if batch and (len(batch) >= self._wire.batch_texts or size + tokens > self._wire.batch_tokens):
                yield batch
                batch, size = [], 0
            batch.append(at)
            size += tokens
        if batch:
            yield batch

    def _batch(
        self, texts: Sequence[str], purpose: Purpose, seconds: float, attempts: int, check: Callable[[], None]
    ) -> NDArray[np.int8]:
        """The rows of one request; of several, when the service finds the texts too long after all."""
        prefix = self._model.query_prefix if purpose is Purpose.QUERY else self._model.document_prefix
        sent = [prefix + _cut(text, self._model.input_tokens) for text in texts]
        try:
            return self._request(sent, purpose, seconds, attempts, check)
        except RemoteError as error:
            if error.code != "remote_rejected" or not _TOO_LONG.search(error.message):
                raise self._from(error) from error
            if len(texts) > 1:
                half = len(texts) // 2
                parts = [self._batch(part, purpose, seconds, attempts, check) for part in (texts[:half], texts[half:])]
                return np.concatenate(parts)
            if len(texts[0]) <= _SHORTEST:
                raise self._from(error) from error
            return self._batch([texts[0][: len(texts[0]) // 2]], purpose, seconds, attempts, check)

    def _request(
        self, texts: list[str], purpose: Purpose, seconds: float, attempts: int, check: Callable[[], None]
    ) -> NDArray[np.int8]:
        body = self._wire.body(Asked(self._name, self._model, texts, purpose))
        path = self._wire.path.format(model=self._name)
        limit = {"seconds": seconds} if seconds else {}
        try:
            document = self._opened().post(path, body, attempts=attempts, check=check, **limit)
        except RemoteError as error:
            if error.code == "remote_unauthorised":
                # The next request reads the key again: somebody may have mended it.
                self.close()
            raise
        return self._rows(document, len(texts))

    def _rows(self, document: Any, count: int) -> NDArray[np.int8]:
        try:
            rows = self._wire.rows(document)
            lengths = {len(row) for row in rows}
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise self._error("remote_malformed", "sent an answer of another form than its own") from error
        if len(rows) != count:
            raise self._error("remote_malformed", f"sent {len(rows)} vectors for {count} texts")
        if lengths != {self.dimension}:
            found = ", ".join(str(length) for length in sorted(lengths))
            raise self._error(
                "embedder_wrong_dimension",
                f"sent vectors of {found} components, not of {self.dimension}",
                next_step="Say how long they are: satori config set embedder.dimension N (at most 1024)",
            )
        try:
            with np.errstate(over="ignore"):
                vectors = np.array(rows, dtype=np.float64).astype(np.float32)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._error("remote_malformed", "sent vectors that are no numbers") from error
        if not np.isfinite(vectors).all():
            raise self._error("embedder_not_finite", "sent a vector with a component that is no finite number")
        if not vectors.any(axis=1).all():
            raise self._error("embedder_no_direction", "sent a vector of zeros")
        return quantise(vectors)

    def _opened(self) -> RemoteClient:
        with self._guard:
            if self._client is None:
                self._client = RemoteClient(
                    self.provider,
                    self._endpoint,
                    key=self._key(),
                    key_header=self._wire.key_header,
                    key_form=self._wire.key_form,
                    proxy=self._choice.proxy,
                )
            return self._client

    def _key(self) -> Key | None:
        """The provider's own address needs its key; another one gets only a key that was named for it."""
        if not self._wire.needs_key:
            return None
        if self.is_providers_own:
            return require_key(self.provider, self._choice.key_file)
        return find_key(self.provider, self._choice.key_file, host=urlsplit(self._endpoint).hostname or "")

    def _error(self, code: str, words: str, next_step: str = "") -> EmbedderError:
        return EmbedderError(
            f"{self.provider} ({self._name}) {words}.",
            next_step=next_step or "Check the model and the address: satori config show",
            code=code,
        )

    def _from(self, error: SatoriError) -> EmbedderError:
        pull = self.provider == "ollama" and error.code == "remote_not_found"
        step = f"ollama pull {self._name}" if pull else error.next_step
        return EmbedderError(error.message, next_step=step, code=error.code)


def token_count(text: str) -> int:
    """About how many tokens a text has, rather too many than too few."""
    return len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN + 1


def _cut(text: str, tokens: int) -> str:
    """The text, or as much of its start as a model of that many tokens reads."""
    limit = tokens * BYTES_A_TOKEN
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[:limit].decode("utf-8", "ignore")
