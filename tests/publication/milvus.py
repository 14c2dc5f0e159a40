"""A real Milvus server for tests: Milvus Lite's, in a process of its own on a loopback port."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SECONDS = 60.0


@dataclass(slots=True)
class MilvusServer:
    """Can be paused, ended and started again at the same address with the same data."""

    directory: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        assert self.process is None
        command = [sys.executable, "-m", "milvus_lite", "server", "--data-dir", str(self.directory)]
        self.process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + _SECONDS
        while True:
            # Asked for its version: a bare connection to a free port of this machine can reach itself.
            with contextlib.suppress(Exception):
                self.client(2).get_server_version()
                return
            assert self.process.poll() is None and time.monotonic() < end, "Milvus Lite did not start"
            time.sleep(0.05)

    def stop(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()

    def pause(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def client(self, seconds: float = 30) -> Any:
        from pymilvus import MilvusClient

        return MilvusClient(uri=self.uri, timeout=seconds)


@contextmanager
def milvus_server(directory: Path) -> Iterator[MilvusServer]:
    """Started here and ended with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = MilvusServer(directory, port)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def choose(config: Path, **store: str | float) -> None:
    """Write the store's settings into a settings file."""
    lines = [f"{key} = {value if isinstance(value, float) else repr(value)}" for key, value in store.items()]
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("[store]\n" + "\n".join(lines) + "\n")
    config.chmod(0o600)
