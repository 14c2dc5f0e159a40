"""One service over HTTP: a JSON request, a JSON answer, and every failure turned into one word and one sentence.

What passes by itself (429, 5xx, a lost connection, a torn answer) is tried again with growing pauses, or after what
Retry-After asks; what does not (401, 400, a spent quota) is told at once. Time, answer size and redirects are bounded,
a key never leaves over plain HTTP, and neither keys nor texts are logged or repeated in a message. Proxies, `.netrc`
and certificates named by the environment are not used: whose environment that is cannot be known in a shared runtime.
"""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from satori.errors import RemoteError
from satori.remote.address import is_loopback
from satori.remote.keys import Key

if TYPE_CHECKING:
    import httpx2

ATTEMPTS = 6
CONNECT_ATTEMPTS = 3
CONNECT_SECONDS = 10.0
REQUEST_SECONDS = 120.0
LONGEST_PAUSE = 60.0
ANSWER_BYTES = 64 << 20
_FIRST_PAUSE = 0.5
_PAUSE_STEP = 0.1
_MESSAGE_CHARACTERS = 300
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_ABOUT_KEY = re.compile(r"\bapi[ _-]?key\b", re.IGNORECASE)
# A quota that is spent answers 429 as well, and is not there again in a minute.
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "insufficient_funds"})


@dataclass(frozen=True, slots=True)
class _Failure:
    """One attempt that failed: what to raise, whether to try again, and the pause that the service asks for."""

    error: RemoteError
    passing: bool
    pause: float | None = None
    most: int = ATTEMPTS


class RemoteClient:
    """A service at one address. Safe to use from several threads; opens nothing until the first request."""

    def __init__(
        self,
        service: str,
        endpoint: str,
        *,
        key: Key | None = None,
        key_header: str = "Authorization",
        key_form: str = "Bearer {}",
        proxy: str = "",
        attempts: int = ATTEMPTS,
    ) -> None:
        """`service` names it in messages; `endpoint` is its base address.

        Raises RemoteError (`key_exposed`) when the key would travel over plain HTTP to another machine.
        """
        self.service = service
        self.endpoint = endpoint.rstrip("/")
        self._key = key
        self._key_header, self._key_form = key_header, key_form
        self._loopback = is_loopback(endpoint)
        self._proxy = "" if self._loopback else proxy
        self._attempts = attempts
        self._client: httpx2.Client | None = None
        self._guard = threading.Lock()
        if key is not None and not self._loopback and urlsplit(endpoint).scheme != "https":
            raise RemoteError(
                f"The key for {service} would travel in the clear to {endpoint}.",
                next_step="Use an https address.",
                code="key_exposed",
            )

    def close(self) -> None:
        """Close the connections; requests that are under way fail."""
        with self._guard:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        seconds: float = REQUEST_SECONDS,
        attempts: int = 0,
        check: Callable[[], None] = lambda: None,
    ) -> Any:
        """The parsed JSON answer to a POST of `body` at endpoint + path.

        `seconds` bounds one attempt; `check` is called while pausing and may raise to stop. Raises RemoteError with
        code remote_unauthorised, remote_not_found, remote_rejected, remote_quota, remote_rate_limited,
        remote_unavailable, remote_timeout or remote_malformed.
        """
        most = attempts or self._attempts
        data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        attempt = 0
        while True:
            attempt += 1
            check()
            outcome = self._attempt(path, data, seconds)
            if not isinstance(outcome, _Failure):
                return outcome[0]
            pause = outcome.pause
            if pause is None:
                # Scattered, so that requests that failed together do not come back together.
                pause = _FIRST_PAUSE * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)  # noqa: S311
            if not outcome.passing or attempt >= min(most, outcome.most) or pause > LONGEST_PAUSE:
                raise outcome.error
            self._pause(pause, check)

    def _pause(self, seconds: float, check: Callable[[], None]) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            check()
            time.sleep(min(left, _PAUSE_STEP))

    def _attempt(self, path: str, data: bytes, seconds: float) -> tuple[Any] | _Failure:
        import httpx2

        deadline = time.monotonic() + seconds
        try:
            with self._opened().stream(
                "POST",
                f"{self.endpoint}{path}",
                content=data,
                headers=self._headers(),
                timeout=httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
            ) as response:
                pieces, size = [], 0
                for piece in response.iter_bytes():
                    size += len(piece)
                    pieces.append(piece)
                    if size > ANSWER_BYTES:
                        return self._failed("remote_malformed", "sent an answer that is too large", passing=False)
                    if time.monotonic() > deadline:
                        return self._late(seconds)
                return self._read(response.status_code, response.headers, b"".join(pieces))
        except httpx2.TimeoutException:
            return self._late(seconds)
        except httpx2.ConnectError as error:
            return self._failed(
                "remote_unavailable",
                f"is not reached at {self.endpoint}: {self._said(str(error))}",
                passing=True,
                most=CONNECT_ATTEMPTS,
                next_step="Check that it runs and that the address is right.",
            )
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError, RuntimeError) as error:
            return self._failed("remote_unavailable", f"broke off: {self._said(str(error))}", passing=True)

    def _late(self, seconds: float) -> _Failure:
        return self._failed(
            "remote_timeout", f"did not answer within {seconds:g} s", passing=True, most=CONNECT_ATTEMPTS
        )

    def _read(self, status: int, headers: Mapping[str, str], data: bytes) -> tuple[Any] | _Failure:
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            document = None
        if status == 200 and document is not None:
            return (document,)
        if status == 200:
            return self._failed("remote_malformed", f"sent {len(data)} bytes that are no whole JSON", passing=True)
        said = self._said(_message(document) or data[:200].decode("utf-8", "replace"))
        words = f"answered {status}{f': {said}' if said else ''}"
        # Gemini says 400 of a key that it does not know.
        if status in (401, 403) or (status == 400 and self._key is not None and _ABOUT_KEY.search(said)):
            source = f" (from {self._key.source})" if self._key is not None else ""
            return self._failed("remote_unauthorised", f"refuses the key{source}: it {words}", passing=False)
        if status == 404:
            return self._failed("remote_not_found", words, passing=False, next_step="Check the model and the address.")
        if status == 429 and _code(document) in _SPENT:
            return self._failed("remote_quota", words, passing=False, next_step="Check the account's plan and billing.")
        if status in _PASSING:
            code = "remote_rate_limited" if status == 429 else "remote_unavailable"
            return self._failed(code, words, passing=True, pause=_asked_pause(headers, document))
        if 300 <= status < 400:
            words += "; redirects are not followed"
        return self._failed("remote_rejected", words, passing=False)

    def _failed(
        self,
        code: str,
        words: str,
        *,
        passing: bool,
        pause: float | None = None,
        most: int = ATTEMPTS,
        next_step: str = "",
    ) -> _Failure:
        if pause is not None and pause > LONGEST_PAUSE:
            words += f"; it asks to wait {pause:.0f} s"
        if not next_step:
            next_step = "Try again later." if passing else "Check the settings: satori config show"
        error = RemoteError(f"{self.service} {words}.", next_step=next_step, code=code)
        return _Failure(error, passing, pause, most)

    def _said(self, text: str) -> str:
        """A message from outside: one line, short, without the key."""
        line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
        line = self._key.hide(line) if self._key is not None else line
        return line[:_MESSAGE_CHARACTERS].rstrip(".")

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key is not None:
            headers[self._key_header] = self._key_form.format(self._key.reveal())
        return headers

    def _opened(self) -> httpx2.Client:
        with self._guard:
            if self._client is None:
                import logging

                import httpx2

                import satori

                # It would note each request's address, at a level that somebody may switch on.
                for name in ("httpx2", "httpcore2"):
                    logging.getLogger(name).setLevel(logging.WARNING)
                self._client = httpx2.Client(
                    follow_redirects=False,
                    trust_env=False,
                    proxy=self._proxy or None,
                    limits=httpx2.Limits(max_connections=64, keepalive_expiry=30.0),
                    headers={"User-Agent": f"satori/{satori.__version__}"},
                )
            return self._client


def _message(document: Any) -> str:
    """What the services in use call their message: {"error": {"message"}}, {"error": ""}, {"detail"}, {"message"}."""
    if isinstance(document, list) and document:
        document = document[0]
    if not isinstance(document, dict):
        return ""
    for name in ("error", "detail", "message"):
        found = document.get(name)
        if isinstance(found, dict):
            found = found.get("message")
        if isinstance(found, str) and found:
            return found
    return ""


def _code(document: Any) -> str:
    error = document.get("error") if isinstance(document, dict) else None
    found = (error.get("code") or error.get("type")) if isinstance(error, dict) else None
    return found if isinstance(found, str) else ""


def _asked_pause(headers: Mapping[str, str], document: Any) -> float | None:
    """Seconds that the service asks to wait: Retry-After (a number or a date), or Google's RetryInfo."""
    asked = headers.get("retry-after", "").strip()
    if asked:
        try:
            return max(0.0, float(asked))
        except ValueError:
            pass
        try:
            return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
        except (ValueError, TypeError):
            return None
    error = document.get("error") if isinstance(document, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else []:
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and delay.endswith("s"):
            try:
                return max(0.0, float(delay[:-1]))
            except ValueError:
                return None
    return None
