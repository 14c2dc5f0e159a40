"""The process that an agent starts: a proxy between its standard streams and the shared runtime.

It answers initialize, server/discover and tools/list from recorded replies while the runtime starts, then passes
lines through. If the runtime ends, each request in flight gets an error and the next request starts it again: once a
request, never in a loop. End of input, SIGTERM and SIGINT end it at once; it has no child (the runtime it starts is
detached). Deliberately absent: any knowledge of tools, and any import of Satori.

It is compiled into the state root and run as `python -I -S launcher.pyc RUNTIME_DIRECTORY`. Start-up is the point:
`json`, `socket`, `signal` and `selectors` cost 12, 13, 6 and 5 ms to import (CPython 3.11, 2 cores), the whole
interpreter 10; so the C modules under them are used directly. They are CPython's own, the same from 3.11 to 3.14.
"""

from __future__ import annotations

import _json
import _signal  # type: ignore[import-not-found]
import _socket
import os
import select
import sys
from time import monotonic

# typing.TYPE_CHECKING without importing typing.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

START_SECONDS = 30.0
SEND_SECONDS = 10.0
LINE_LIMIT = 16 << 20
CHUNK = 1 << 16
MODERN_KEY = "io.modelcontextprotocol/protocolVersion"
# The runtime serves every client of this user, so it gets none of this client's own variables.
KEPT_VARIABLES = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ", "XDG_CONFIG_HOME")
KEPT_PREFIXES = ("SATORI_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "OPENBLAS_", "OMP_NUM_THREADS")
SESSION_VARIABLES = ("CLAUDE_PROJECT_DIR",)


class _Context:
    """The options of the JSON scanner, as json.JSONDecoder has them."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012


_scan = _json.make_scanner(_Context)  # type: ignore[arg-type]
_quote = _json.encode_basestring_ascii


def decode(line: bytes) -> dict[str, Any] | None:
    """The object that a line holds, None when it holds anything else."""
    try:
        text = line.strip().decode("utf-8")
        value, end = _scan(text, 0)
    except (ValueError, StopIteration, RecursionError):
        return None
    return value if isinstance(value, dict) and end == len(text) else None


def encode(value: object) -> str:
    """JSON of strings, numbers, and flat dictionaries of strings."""
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quote(key)}: {encode(item)}" for key, item in value.items()) + "}"
    return "null" if value is None else str(value)


def write_all(descriptor: int, data: bytes) -> None:
    """Write everything; a client that is gone ends this process."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except OSError:
            os._exit(0)


class Lines:
    """Splits a byte stream into lines."""

    def __init__(self) -> None:
        self.rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The whole lines that the data completes."""
        *lines, self.rest = (self.rest + data).split(b"\n")
        if len(self.rest) > LINE_LIMIT:
            os._exit(1)
        return lines


def at_path(address: str, act: Callable[[str], None]) -> None:
    """Run `act` with a socket address short enough for the system: a long one is used from its own directory."""
    if len(os.fsencode(address)) < 100:
        act(address)
        return
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(os.path.dirname(address))  # noqa: PTH120
        act(os.path.basename(address))  # noqa: PTH119
    finally:
        os.fchdir(here)
        os.close(here)


class Launcher:
    """One client's session."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.socket_path = f"{directory}/run/socket"
        self.log_path = f"{directory}/run/runtime.log"
        self.recorded = self.load(f"{directory}/payload.json")
        self.from_client = Lines()
        self.socket: _socket.socket | None = None
        self.from_runtime = Lines()
        self.greeted = False
        self.attempts = 0
        self.ready_pipe: int | None = None
        self.deadline = 0.0
        self.waiting: list[bytes] = []
        self.in_flight: dict[str | int, str] = {}
        self.opening: list[bytes] = []
        self.swallowed: str | int | None = None
        self.version: str | None = None
        self.trace = self.open_trace(f"{directory}/run/trace.log")

    @staticmethod
    def open_trace(path: str) -> int | None:
        """The trace's descriptor: methods and counts are noted only while a file of that name is there."""
        try:
            return os.open(path, os.O_WRONLY | os.O_APPEND)
        except OSError:
            return None

    def note(self, words: str) -> None:
        """Add a line to the trace; it never holds arguments or answers."""
        if self.trace is not None:
            os.write(self.trace, f"{os.getpid()} {words}\n".encode())

    @staticmethod
    def load(path: str) -> dict[str, Any]:
        """The recorded replies: {protocol version: {method: JSON text of the result}}; empty when missing."""
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            return {}
        try:
            data = b""
            while chunk := os.read(descriptor, 1 << 20):
                data += chunk
        finally:
            os.close(descriptor)
        return decode(data) or {}

    def run(self) -> None:
        """Serve until the client closes its end."""
        while True:
            readers: list[int] = [0]
            if self.socket is not None:
                readers.append(self.socket.fileno())
            if self.ready_pipe is not None:
                readers.append(self.ready_pipe)
            timeout = None if not self.deadline else max(0.0, self.deadline - monotonic())
            ready, _, _ = select.select(readers, [], [], timeout)
            if self.ready_pipe is not None and self.ready_pipe in ready:
                self.started(self.ready_pipe)
            if self.socket is not None and self.socket.fileno() in ready:
                self.receive(self.socket)
            if 0 in ready:
                data = os.read(0, CHUNK)
                if not data:
                    return
                for line in self.from_client.feed(data):
                    if line.strip():
                        self.take(line)
            if self.deadline and monotonic() >= self.deadline:
                self.give_up("it did not answer within 30 seconds")

    # The client's side

    def take(self, line: bytes) -> None:
        """One line from the client: answered from the record, or for the runtime."""
        fields = decode(line) or {}
        method = fields.get("method")
        identity = fields.get("id")
        if isinstance(method, str) and isinstance(identity, (str, int)):
            self.note(f"< {method}")
            result = self.recorded_result(method, fields.get("params"))
            if method == "initialize":
                self.opening = [line]
            if result is not None:
                tools = result.count('"inputSchema":')
                self.note(f"> {method} from the record" + (f", {tools} tools" if tools else ""))
                self.reply(identity, result)
                if method == "initialize" and self.greeted:
                    self.replay()
                if self.socket is None and self.ready_pipe is None:
                    self.connect()
                return
            self.in_flight[identity] = method
        elif method == "notifications/initialized":
            self.opening.append(line)
            if not self.greeted:
                return
        if self.greeted:
            self.send(line)
            return
        self.waiting.append(line)
        if self.socket is None and self.ready_pipe is None:
            self.connect()

    def recorded_result(self, method: str, params: object) -> str | None:
        """JSON text of the recorded reply to the request, None when the runtime has to answer."""
        fields: dict[str, Any] = params if isinstance(params, dict) else {}
        meta = fields.get("_meta")
        modern = meta.get(MODERN_KEY) if isinstance(meta, dict) else None
        if method == "initialize" and modern is None:
            version = fields.get("protocolVersion")
            if not isinstance(version, str):
                return None
            if "initialize" not in self.recorded.get(version, {}):
                version = self.recorded.get("default")
            self.version = version
        elif method == "ping" and modern is None:
            return None if self.greeted else "{}"
        elif method not in ("server/discover", "tools/list") or fields.get("cursor") is not None:
            return None
        version = modern if modern is not None else self.version
        replies = self.recorded.get(version) if isinstance(version, str) else None
        return replies.get(method) if isinstance(replies, dict) else None

    def reply(self, identity: str | int, result: str) -> None:
        """Answer a request with the JSON text of a result."""
        write_all(1, f'{{"jsonrpc": "2.0", "id": {encode(identity)}, "result": {result}}}\n'.encode())

    def refuse(self, reason: str) -> None:
        """Answer every request in flight with an error."""
        requests, self.in_flight = self.in_flight, {}
        self.waiting = [line for line in self.waiting if "id" not in (decode(line) or {"id": 0})]
        for identity in requests:
            error = {"jsonrpc": "2.0", "id": identity, "error": {"code": -32603, "message": reason}}
            write_all(1, (encode(error) + "\n").encode())

    # The runtime's side

    def connect(self) -> None:
        """Connect to the runtime, or start it."""
        end = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            at_path(self.socket_path, end.connect)
        except OSError:
            end.close()
            self.start()
            return
        self.attach(end)

    def attach(self, end: _socket.socket) -> None:
        """Greet the runtime on a new connection."""
        end.settimeout(SEND_SECONDS)
        self.socket = end
        self.from_runtime = Lines()
        self.deadline = monotonic() + START_SECONDS
        try:
            working_directory = os.getcwd()  # noqa: PTH109
        except OSError:
            working_directory = ""
        session = {name: os.environ[name] for name in SESSION_VARIABLES if name in os.environ}
        hello = {"satori": "hello", "pid": os.getpid(), "directory": working_directory, "environment": session}
        self.transmit((encode(hello) + "\n").encode())

    def start(self) -> None:
        """Start a detached runtime; the pipe it inherits tells when it listens, or that it ended."""
        inner, outer = os.pipe()
        self.ready_pipe = inner
        self.deadline = monotonic() + START_SECONDS
        child = os.fork()
        if child == 0:
            self.become_runtime(outer)
        os.close(outer)
        os.waitpid(child, 0)

    def become_runtime(self, outer: int) -> NoReturn:
        """In the forked child: detach, fork again and execute the runtime."""
        try:
            os.setsid()
            if os.fork():
                os._exit(0)
            os.set_inheritable(outer, True)
            if not os.path.isdir(f"{self.directory}/run"):  # noqa: PTH112
                os.mkdir(f"{self.directory}/run", 0o700)  # noqa: PTH102
            null = os.open(os.devnull, os.O_RDONLY)
            log = os.open(self.log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            for descriptor, target in ((null, 0), (log, 1), (log, 2)):
                os.dup2(descriptor, target)
            os.chdir("/")
            python = f"{self.directory}/bin/python"
            kept = {
                name: value
                for name, value in os.environ.items()
                if name in KEPT_VARIABLES or name.startswith(KEPT_PREFIXES)
            }
            # Fewer malloc arenas: thread pools otherwise keep some 60 MB of freed memory.
            kept.setdefault("MALLOC_ARENA_MAX", "2")
            # OpenBLAS's threads spin while they wait: four times the processor time for the same products.
            kept.setdefault("OPENBLAS_NUM_THREADS", "1")
            kept.setdefault("OMP_NUM_THREADS", "1")
            # Whatever the client's locale, file names and text are UTF-8.
            options = ["-I", "-X", "utf8", "-m", "satori.runtime"]
            arguments = [python, *options, self.directory, "--ready", str(outer)]
            os.execve(python, arguments, kept)  # noqa: S606
        except BaseException as error:
            os.write(2, f"satori: the runtime could not be started: {error}\n".encode())
        finally:
            os._exit(127)

    def started(self, pipe: int) -> None:
        """The pipe spoke: one byte means that a runtime listens, its end that none will."""
        self.ready_pipe = None
        byte = os.read(pipe, 1)
        os.close(pipe)
        if not byte:
            self.give_up("it ended while starting")
            return
        end = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            at_path(self.socket_path, end.connect)
        except OSError:
            end.close()
            self.give_up("it ended right after starting")
            return
        self.attach(end)

    def give_up(self, why: str) -> None:
        """No runtime: say so to every waiting request; the next request tries again."""
        self.detach()
        if self.ready_pipe is not None:
            os.close(self.ready_pipe)
            self.ready_pipe = None
        self.refuse(
            f"Satori's runtime could not be used: {why}. Its log is {self.log_path}. "
            f"Run `satori doctor` in a terminal, or repeat the request to try once more."
        )

    def detach(self) -> None:
        """Forget the connection."""
        if self.socket is not None:
            self.socket.close()
        self.socket = None
        self.greeted = False
        self.deadline = 0.0
        self.swallowed = None

    def transmit(self, data: bytes) -> None:
        """Send to the runtime; a failure is the runtime's end, seen by the next receive."""
        if self.socket is None:
            return
        try:
            self.socket.sendall(data)
        except OSError:
            self.lost()

    def send(self, line: bytes) -> None:
        """Pass one line to the runtime."""
        self.transmit(line + b"\n")

    def replay(self) -> None:
        """Open the session at the runtime as the client opened it here; the reply was given already."""
        if not self.opening:
            return
        identity = (decode(self.opening[0]) or {}).get("id")
        if identity not in self.in_flight:
            self.swallowed = identity
        for line in self.opening:
            self.send(line)

    def receive(self, end: _socket.socket) -> None:
        """What the runtime sent: its greeting, replies, and messages of its own."""
        try:
            data = end.recv(CHUNK)
        except OSError:
            data = b""
        if not data:
            self.lost()
            return
        outgoing: list[bytes] = []
        for line in self.from_runtime.feed(data):
            if not self.greeted:
                self.welcome(line)
                continue
            message = decode(line)
            if message is not None and "method" not in message and "id" in message:
                identity = message["id"]
                if identity is not None and identity == self.swallowed:
                    self.swallowed = None
                    continue
                self.in_flight.pop(identity, None)
            outgoing.append(line + b"\n")
        if outgoing:
            write_all(1, b"".join(outgoing))

    def welcome(self, line: bytes) -> None:
        """The runtime's first line: it serves this session, or says why not."""
        message = decode(line) or {}
        if message.get("satori") != "welcome":
            self.give_up(message.get("message") or "it did not greet")
            return
        self.greeted = True
        self.attempts = 0
        self.deadline = 0.0
        waiting, self.waiting = self.waiting, []
        self.replay()
        for pending in waiting:
            if self.greeted and not (self.opening and pending == self.opening[0]):
                self.send(pending)

    def lost(self) -> None:
        """The runtime ended. A connection that never was greeted is made again; otherwise requests are refused."""
        greeted = self.greeted
        self.detach()
        if not greeted and self.waiting:
            self.attempts += 1
            if self.attempts > 1:
                self.attempts = 0
                self.give_up("it ended before it greeted")
            elif self.ready_pipe is None:
                self.start()
            return
        self.refuse(
            "Satori's runtime ended while it worked on this request. Repeat the request: it is started again. "
            "If that fails too, run `satori doctor` in a terminal."
        )


def main() -> None:
    """Run one session; the exit code is 0 however the client leaves."""

    def leave(_number: int, _frame: object) -> None:
        os._exit(0)

    _signal.signal(_signal.SIGTERM, leave)
    _signal.signal(_signal.SIGINT, leave)
    try:
        Launcher(sys.argv[1]).run()
    except OSError:
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
