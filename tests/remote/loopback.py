"""A real HTTP server on loopback whose replies a test scripts: the other end of every provider test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    """What came in; `body` is the parsed JSON."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes out. `stall` seconds pass before anything is sent, `drip` between the bytes; `torn` claims more bytes
    than are sent and closes the connection."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    stall: float = 0.0
    drip: float = 0.0
    torn: bool = False


Answer = Callable[[Request], Reply]


@dataclass(slots=True)
class Loopback:
    """`scripted` replies are used up one a request, then `answer` says; `requests` are all that came."""

    answer: Answer
    url: str = ""
    scripted: list[Reply] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    most_at_once: int = 0
    _now: int = 0
    _guard: threading.Lock = field(default_factory=threading.Lock)
    stopped: threading.Event = field(default_factory=threading.Event)

    def reply_to(self, request: Request) -> Reply:
        with self._guard:
            self.requests.append(request)
            if self.scripted:
                return self.scripted.pop(0)
        return self.answer(request)

    def enter(self, step: int) -> None:
        with self._guard:
            self._now += step
            self.most_at_once = max(self.most_at_once, self._now)


@contextmanager
def serving(answer: Answer) -> Iterator[Loopback]:
    """Serve until the block ends; stalled replies end with it."""
    script = Loopback(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = Request(
                self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(data)
            )
            script.enter(1)
            try:
                self._send(script.reply_to(request))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            finally:
                script.enter(-1)

        def do_GET(self) -> None:
            request = Request(self.path, self._named_headers(), None)
            self._send(script.reply_to(request))

        def _named_headers(self) -> dict[str, str]:
            return {name.lower(): value for name, value in self.headers.items()}

        def _send(self, reply: Reply) -> None:
            if reply.stall and script.stopped.wait(reply.stall):
                self.close_connection = True
                return
            body = reply.raw if reply.raw is not None else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body) + (50 if reply.torn else 0)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.drip:
                for at in range(len(body)):
                    if script.stopped.is_set():
                        return
                    self.wfile.write(body[at : at + 1])
                    self.wfile.flush()
                    time.sleep(reply.drip)
            else:
                self.wfile.write(body)
            if reply.torn:
                self.close_connection = True

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        script.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
