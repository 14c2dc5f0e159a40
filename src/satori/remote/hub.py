"""Files of one revision of a model hub's repository, each checked against the hash that the hub gives for it.

The hub's protocol is Hugging Face's: `REPO/resolve/REVISION/FILE`, the commit in `X-Repo-Commit`, a large file's
SHA-256 in `X-Linked-ETag`, a small one's git hash in `ETag`. All files come from the one commit that the first answer
named. No key is sent. It runs when a person provisions a model, never while indexing or answering.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from satori.errors import RemoteError
from satori.remote.address import is_loopback

if TYPE_CHECKING:
    import httpx2

HUB = "https://huggingface.co"
FILE_BYTES = 4 << 30
FILE_SECONDS = 1800.0
_SILENCE_SECONDS = 30.0
_ATTEMPTS = 3
_HOPS = 5
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_REVISION = re.compile(r"[A-Za-z0-9][\w./-]{0,127}")
_SHA256, _SHA1 = re.compile(r"[0-9a-f]{64}"), re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was fetched: the commit ("" where the hub names none) and the files."""

    commit: str
    files: tuple[Path, ...]


def fetch(
    repository: str,
    names: Sequence[str],
    folder: Path,
    *,
    hub: str = HUB,
    revision: str = "main",
    proxy: str = "",
) -> Snapshot:
    """Fetch `names` of a repository into `folder`.

    Raises RemoteError: hub_name for a repository that is no OWNER/NAME or a hub over plain HTTP, remote_not_found,
    remote_unauthorised, remote_unavailable, remote_timeout, and hub_hash when a file is not what the hub says it is.
    """
    import httpx2

    if not _REPOSITORY.fullmatch(repository) or not _REVISION.fullmatch(revision) or ".." in revision:
        raise RemoteError(f"{repository[:100]} is no OWNER/NAME of a hub.", next_step="Name one.", code="hub_name")
    if urlsplit(hub).scheme != "https" and not is_loopback(hub):
        # Its hashes would come over the same wire as what they are to prove.
        raise RemoteError(
            f"The hub {hub} is not asked in the clear.", next_step="Use its https address.", code="hub_name"
        )
    commit, files = "", []
    with httpx2.Client(
        follow_redirects=False,
        trust_env=False,
        proxy=proxy if proxy and not is_loopback(hub) else None,
        timeout=httpx2.Timeout(_SILENCE_SECONDS),
        headers={"Accept-Encoding": "identity"},
    ) as client:
        for name in names:
            target = folder / name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            address = f"{hub.rstrip('/')}/{repository}/resolve/{quote(commit or revision, safe='')}/{quote(name)}"
            commit = _fetch_file(client, address, target) or commit
            files.append(target)
    return Snapshot(commit, tuple(files))


def _fetch_file(client: httpx2.Client, address: str, target: Path) -> str:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return _attempt(client, address, target)
        except RemoteError as error:
            if error.code not in ("remote_unavailable", "remote_timeout", "hub_hash") or attempt == _ATTEMPTS:
                raise
            time.sleep(0.5 * attempt)
    raise AssertionError("unreachable")


def _attempt(client: httpx2.Client, address: str, target: Path) -> str:
    import httpx2

    commit = expected = ""
    place = address
    try:
        for _ in range(_HOPS):
            with client.stream("GET", place) as response:
                headers = response.headers
                commit = commit or _match(_SHA1, headers.get("x-repo-commit", ""))
                expected = expected or _match(_SHA256, headers.get("x-linked-etag", ""))
                if response.status_code in (301, 302, 303, 307, 308):
                    place = _next_place(place, headers.get("location", ""))
                    continue
                _refuse(response.status_code, address)
                blob = "" if expected else _match(_SHA1, headers.get("etag", ""))
                with target.open("wb") as sink:
                    _receive(response, sink, address, expected, blob)
                return commit
    except httpx2.TimeoutException as error:
        raise _error("remote_timeout", address, f"was silent for {_SILENCE_SECONDS:g} s") from error
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
        raise _error("remote_unavailable", address, f"is not reached or broke off: {error}") from error
    raise _error("remote_rejected", address, "leads round in circles")


def _receive(response: httpx2.Response, sink: IO[bytes], address: str, expected: str, blob: str) -> None:
    deadline = time.monotonic() + FILE_SECONDS
    sha256, size = hashlib.sha256(), 0
    sha1 = hashlib.sha1(usedforsecurity=False)
    sha1.update(f"blob {response.headers.get('content-length', '')}\0".encode())
    for piece in response.iter_bytes(1 << 18):
        size += len(piece)
        if size > FILE_BYTES or time.monotonic() > deadline:
            raise _error("remote_rejected", address, "is larger or slower than is waited for")
        for digest in (sha256, sha1):
            digest.update(piece)
        sink.write(piece)
    if (expected and sha256.hexdigest() != expected) or (blob and sha1.hexdigest() != blob):
        raise _error("hub_hash", address, "is not what the hub says it is: its hash differs")


def _refuse(status: int, address: str) -> None:
    if status == 404:
        raise _error("remote_not_found", address, "is not there")
    if status in (401, 403):
        raise _error("remote_unauthorised", address, "is not open to everybody")
    if status != 200:
        raise _error("remote_unavailable" if status >= 500 else "remote_rejected", address, f"answered {status}")


def _next_place(place: str, location: str) -> str:
    """Where a redirect leads: never from https to http on another machine, never to another scheme."""
    found = urljoin(place, location)
    scheme = urlsplit(found).scheme
    if not location or scheme not in ("http", "https") or (scheme == "http" and not is_loopback(found)):
        raise _error("remote_rejected", place, "redirects to where nothing is fetched from")
    return found


def _match(pattern: re.Pattern[str], text: str) -> str:
    plain = text.removeprefix("W/").strip('"').lower()
    return plain if pattern.fullmatch(plain) else ""


def _error(code: str, address: str, words: str) -> RemoteError:
    return RemoteError(
        f"{address} {words}.",
        next_step="Without the hub: get the model's folder elsewhere and name it with --model-path DIR.",
        code=code,
    )
