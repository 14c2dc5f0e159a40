"""A real S3 service for tests: moto's server, in a process of its own on a loopback port."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_SECONDS = 30.0


@dataclass(slots=True)
class ObjectStore:
    """One bucket, `vectors`."""

    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + _SECONDS
        while True:
            with contextlib.suppress(OSError):
                self.ask("PUT", "/vectors")
                return
            assert self.process.poll() is None and time.monotonic() < end, "moto did not start"
            time.sleep(0.05)

    def ask(self, method: str, path: str) -> bytes:
        request = urllib.request.Request(f"{self.endpoint}{path}", method=method)
        with urllib.request.urlopen(request, timeout=5) as answer:
            return bytes(answer.read())

    def empty(self) -> None:
        """Lose everything; the bucket is there again."""
        self.ask("POST", "/moto-api/reset")
        self.ask("PUT", "/vectors")

    def listed(self) -> list[str]:
        """The bucket's keys, told apart by the listing's XML."""
        listing = self.ask("GET", "/vectors?list-type=2").decode()
        return [piece.split("</Key>")[0] for piece in listing.split("<Key>")[1:]]

    def tables(self) -> set[str]:
        """The LanceDB tables below `team/`."""
        return {key.split("/")[1].removesuffix(".lance") for key in self.listed() if ".lance/" in key}

    def stop(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """Started here and ended with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    store = ObjectStore(port)
    store.start()
    try:
        yield store
    finally:
        store.stop()
