"""The vector store's own process, and this side of it: tables of vectors, written whenever a base segment is.

What a table holds is the adapters' business (`lance_table`, `milvus_table`); which one and where is the backend's
(`stores`). The default's table is what segments are rebuilt from: published vectors are searched from the mapped
segment, which holds the same bytes (0.3 ms over 20,000 rows against LanceDB's 14 ms).

LanceDB costs half a second or more and 135 MB to import and has been seen to stall for ever in a write, so stores run
in a child process that is started early, waits for its work, and is killed when it overruns. This module is both ends.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from satori.errors import BuildError, SatoriError
from satori.publication.background import Background
from satori.publication.frames import receive, send
from satori.publication.process import child_environment
from satori.publication.segment import Segment, build_segment
from satori.publication.state import state_error
from satori.publication.stores import Backend
from satori.publication.vectors import strip

WRITE_SECONDS = 120.0
_POLL_SECONDS = 0.1


class Tables(Protocol):
    """What an adapter does, inside the store's process. Whatever it raises becomes the request's failure."""

    def write(self, table: str, segment: Segment) -> int:
        """Write every row of `segment`, whole or not at all as far as readers of other tables and versions can see; the
        version's number."""
        ...

    def read(self, table: str, version: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """(chunk ids, vectors) of a version, in any order."""
        ...

    def sweep(self, table: str, version: int) -> None:
        """Forget every version but `version`, which must be the newest (else nothing is done)."""
        ...

    def names(self, prefix: str) -> list[str]:
        """The tables that begin with `prefix`."""
        ...

    def drop(self, table: str) -> None:
        """Remove a table."""
        ...


class VectorStore:
    """The child that holds a backend. `start` early, ask for one thing at a time, `close` always."""

    def __init__(
        self, backend: Backend | None = None, *, limit_seconds: float = WRITE_SECONDS, command: Sequence[str] = ()
    ) -> None:
        self._backend = backend or Backend()
        self._command = tuple(command) or (sys.executable, "-P", "-m", "satori.publication.vectorstore")
        self._limit = limit_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin the import; returns at once. Raises BuildError when no process can be started."""
        if self._process is not None:
            return
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd="/",
                env=child_environment(),
            )
        except OSError as error:
            raise BuildError(f"The vector store could not be started: {error}.", next_step="Run it again.") from error
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            send(self._process.stdin, self._backend)

    def begin_write(self, table: str, segment: Path) -> Answer:
        """Begin to write the rows of the saved `segment` to `table` (of the default: a directory, where older versions
        stay); a remote table's segment is bare afterwards.

        The caller does something else and then calls `end_write`.
        """
        return self._ask(("write", table, str(segment), bool(self._backend.uri)))

    def begin_build(
        self, table: str, segment: Path, parts: Sequence[tuple[int, bytes]], background: Background
    ) -> Answer:
        """As `begin_write`, for a segment that the store's process first builds from parts and saves at `segment`."""
        bare = bool(self._backend.uri)
        return self._ask(("build", table, str(segment), bare, parts, background.queries, background.kept))

    def end_write(self, answer: Answer, check: Callable[[], None] | None = None) -> int:
        """The new version's number. Raises BuildError when the write failed or overran its time."""
        return int(self._wait(answer, check))

    def read(self, table: str, version: int) -> dict[int, bytes]:
        """All vectors of a version by chunk id, as int8 bytes. Raises BuildError."""
        ids, vectors = self.read_rows(table, version)
        return {int(chunk_id): vectors[at].tobytes() for at, chunk_id in enumerate(ids)}

    def read_rows(self, table: str, version: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """(chunk ids, vectors) of a version, in any order. Raises BuildError."""
        ids, vectors = self._wait(self._ask(("read", table, version)), None)
        return ids, vectors

    def sweep(self, table: str, version: int) -> None:
        """Forget every version but `version`, which must be the newest (else nothing is done). Raises BuildError."""
        self._wait(self._ask(("sweep", table, version)), None)

    def names(self, prefix: str) -> list[str]:
        """The tables of a store elsewhere that begin with `prefix`. Raises BuildError."""
        return list(self._wait(self._ask(("names", prefix)), None))

    def drop_others(self, prefix: str, keep: Collection[str]) -> list[str]:
        """Drop the tables that begin with `prefix` and are not to be kept; their names. Raises BuildError."""
        return list(self._wait(self._ask(("drop_others", prefix, frozenset(keep))), None))

    def close(self) -> None:
        """End the child."""
        process, self._process = self._process, None
        if process is None:
            return
        # Ended before its streams are closed: a thread may be reading one, and closing would wait for it.
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _ask(self, request: tuple[Any, ...]) -> Answer:
        self.start()
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):
            send(process.stdin, request)
        return Answer(process.stdout)

    def _wait(self, answer: Answer, check: Callable[[], None] | None) -> Any:
        deadline = time.monotonic() + self._limit
        while not answer.ready.wait(_POLL_SECONDS):
            if check is not None:
                check()
            if time.monotonic() > deadline:
                self.close()
                raise BuildError(
                    f"The vector store made no progress for {self._limit:.0f} seconds and was ended.",
                    next_step="Run it again.",
                    code="store_stalled",
                )
        status, value = answer.value
        if status == "full":
            raise state_error(OSError(errno.ENOSPC, ""), "write the vectors")
        if status != "ok":
            raise BuildError(
                f"The vector store failed: {(str(value) or 'it ended')[:500].rstrip('.')}.",
                next_step="Run it again.",
                code="store_failed",
            )
        return value


class Answer:
    """One frame, awaited on a thread so that the waiting side can look at the clock."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.ready = threading.Event()
        self.value: tuple[str, Any] = ("died", "")
        threading.Thread(target=self._wait, args=(stream,), daemon=True).start()

    def _wait(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(EOFError, OSError, ValueError):
            self.value = receive(stream)
        self.ready.set()


def _serve(source: IO[bytes], sink: IO[bytes]) -> None:
    tables = _tables(receive(source))
    while True:
        try:
            request, *arguments = receive(source)
        except EOFError:
            return
        answer: tuple[str, Any]
        try:
            answer = ("ok", _REQUESTS[request](tables, *arguments))
        except Exception as error:
            text = str(error) if isinstance(error, SatoriError) else f"{type(error).__name__}: {error}"
            # LanceDB wraps the system's error in its own words; the number inside them is ENOSPC's.
            answer = ("full", "") if "os error 28" in text or "[Errno 28]" in text else ("failed", text)
        with contextlib.suppress(BrokenPipeError):
            send(sink, answer)


def _tables(backend: Backend) -> Tables:
    if backend.name == "milvus":
        from satori.publication.milvus_table import MilvusTables

        return MilvusTables(backend)
    from satori.publication.lance_table import LanceTables

    return LanceTables(backend)


def _write(tables: Tables, table: str, segment_path: str, bare: bool) -> int:
    os.umask(0o077)
    version = tables.write(table, Segment.load(Path(segment_path)))
    if bare:
        strip(Path(segment_path))
    return version


def _build(
    tables: Tables,
    table: str,
    segment_path: str,
    bare: bool,
    parts: Sequence[tuple[int, bytes]],
    queries: NDArray[np.int8],
    kept: bool,
) -> int:
    os.umask(0o077)
    build_segment(parts, queries.shape[1], Background(None, queries, kept=kept)).save(Path(segment_path))
    return _write(tables, table, segment_path, bare)


def _read(tables: Tables, table: str, version: int) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    return tables.read(table, version)


def _sweep(tables: Tables, table: str, version: int) -> None:
    tables.sweep(table, version)


def _names(tables: Tables, prefix: str) -> list[str]:
    return tables.names(prefix)


def _drop_others(tables: Tables, prefix: str, keep: Collection[str]) -> list[str]:
    doomed = [name for name in tables.names(prefix) if name not in keep]
    for name in doomed:
        tables.drop(name)
    return doomed


_REQUESTS: dict[str, Callable[..., Any]] = {
    "write": _write,
    "build": _build,
    "read": _read,
    "sweep": _sweep,
    "names": _names,
    "drop_others": _drop_others,
}

if __name__ == "__main__":
    _sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _serve(os.fdopen(os.dup(0), "rb"), _sink)
