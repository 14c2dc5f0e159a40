"""The durable vector store: one LanceDB table a generation, written whenever a base segment is.

Rows: chunk_id int64 (file id << 20 | position in the file), file_id, path, language, vector (fixed-size list of int8).
A file's own identity vector follows its chunks. Published vectors are searched from the mapped segment, which holds
the same bytes (0.3 ms over 20,000 rows against 14 ms here), so this table is what segments are rebuilt from. int8 takes
half the space and a tenth of the writing time of float16 (7 against 13 MB, 30 against 310 ms for 25,000 rows).

LanceDB costs half a second or more and 135 MB to import and has been seen to stall for ever in a write, so it runs in
a child process that is started early, waits for its work, and is killed when it overruns. This module is both ends.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from satori.errors import BuildError
from satori.publication.background import Background
from satori.publication.frames import receive, send
from satori.publication.lance_import import import_lancedb
from satori.publication.process import child_environment
from satori.publication.segment import Segment, build_segment
from satori.publication.state import state_error

POSITION_BITS = 20
WRITE_SECONDS = 120.0
_TABLE = "chunks"
_POLL_SECONDS = 0.1


class VectorStore:
    """The child that holds LanceDB. `start` early, ask for one thing at a time, `close` always."""

    def __init__(self, *, limit_seconds: float = WRITE_SECONDS, command: Sequence[str] = ()) -> None:
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

    def begin_write(self, directory: Path, segment: Path) -> Answer:
        """Begin to replace the table in `directory` by the rows of the saved `segment`; older versions stay.

        The caller does something else and then calls `end_write`.
        """
        return self._ask(("write", str(directory), str(segment)))

    def begin_build(
        self, directory: Path, segment: Path, parts: Sequence[tuple[int, bytes]], background: Background
    ) -> Answer:
        """As `begin_write`, for a segment that the store's process first builds from parts and saves at `segment`."""
        return self._ask(("build", str(directory), str(segment), parts, background.queries, background.kept))

    def end_write(self, answer: Answer, check: Callable[[], None] | None = None) -> int:
        """The new version's number. Raises BuildError when the write failed or overran its time."""
        return int(self._wait(answer, check))

    def read(self, directory: Path, version: int, check: Callable[[], None] | None = None) -> dict[int, bytes]:
        """All vectors of a version by chunk id, as int8 bytes. Raises BuildError."""
        rows = self._wait(self._ask(("read", str(directory), version)), check)
        assert isinstance(rows, dict)
        return rows

    def sweep(self, directory: Path, version: int) -> None:
        """Forget every version but `version`, which must be the newest (else nothing is done). Raises BuildError."""
        self._wait(self._ask(("sweep", str(directory), version)), None)

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
                f"The vector store failed: {(str(value) or 'it ended')[:500]}.",
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


def chunk_ids(segment: Segment) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(chunk id, file row) of every chunk of a segment, then of every file's identity vector."""
    counts = np.diff(segment["file_chunks"])
    files = np.repeat(np.arange(len(counts)), counts)
    positions = np.arange(len(files)) - np.repeat(segment["file_chunks"][:-1], counts)
    file_ids = segment["file_id"].astype(np.int64)
    chunks = (file_ids[files] << POSITION_BITS) | positions
    identities = (file_ids << POSITION_BITS) | counts
    return np.concatenate([chunks, identities]), np.concatenate([files, np.arange(len(counts))])


def _serve(source: IO[bytes], sink: IO[bytes]) -> None:
    lancedb = import_lancedb()
    while True:
        try:
            request = receive(source)
        except EOFError:
            return
        answer: tuple[str, Any]
        try:
            answer = ("ok", _REQUESTS[request[0]](lancedb, *request[1:]))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            # LanceDB wraps the system's error in its own words; the number inside them is ENOSPC's.
            answer = ("full", "") if "os error 28" in text or "[Errno 28]" in text else ("failed", text)
        with contextlib.suppress(BrokenPipeError):
            send(sink, answer)


def _write(lancedb: Any, directory: str, segment_path: str) -> int:
    import pyarrow as pa

    segment = Segment.load(Path(segment_path))
    ids, rows = chunk_ids(segment)
    vectors = np.concatenate([segment["chunk_vector"], segment["file_vector"]])
    languages = [segment.languages[number] for number in segment["file_language"]]
    table = pa.table(
        {
            "chunk_id": pa.array(ids),
            "file_id": pa.array(ids >> POSITION_BITS),
            "path": pa.array(segment.paths, pa.string()).take(pa.array(rows)),
            "language": pa.array(languages, pa.string()).take(pa.array(rows)),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), segment.dimension),
        }
    )
    os.umask(0o077)
    database = lancedb.connect(directory)
    mode = "overwrite" if Path(directory, f"{_TABLE}.lance").exists() else "create"
    return int(database.create_table(_TABLE, table, mode=mode).version)


def _build(
    lancedb: Any,
    directory: str,
    segment_path: str,
    parts: Sequence[tuple[int, bytes]],
    queries: NDArray[np.int8],
    kept: bool,
) -> int:
    os.umask(0o077)
    build_segment(parts, queries.shape[1], Background(None, queries, kept=kept)).save(Path(segment_path))
    return _write(lancedb, directory, segment_path)


def _read(lancedb: Any, directory: str, version: int) -> dict[int, bytes]:
    table = lancedb.connect(directory).open_table(_TABLE)
    table.checkout(version)
    rows = table.to_arrow().combine_chunks()
    ids = rows["chunk_id"].to_numpy()
    vectors = rows["vector"].combine_chunks().flatten().to_numpy().reshape(len(ids), -1)
    return {int(chunk_id): vectors[at].tobytes() for at, chunk_id in enumerate(ids)}


def _sweep(lancedb: Any, directory: str, version: int) -> int:
    table = lancedb.connect(directory).open_table(_TABLE)
    if table.version != version:
        return int(table.version)
    with warnings.catch_warnings():
        # Removing every other version is the point: only whoever holds the lease reads this table.
        warnings.simplefilter("ignore", UserWarning)
        table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
    return int(table.version)


_REQUESTS: dict[str, Any] = {"write": _write, "build": _build, "read": _read, "sweep": _sweep}

if __name__ == "__main__":
    _sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _serve(os.fdopen(os.dup(0), "rb"), _sink)
