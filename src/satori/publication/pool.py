"""A pool of supervised worker processes: batches out, one result a file back, and no file can take the pool down.

A worker that works longer on a file than the limit, or dies, is killed and replaced; the file that it was at is tried
once more as plain text (no parser), then given up, and what was queued behind it goes to another worker. Workers are
kept for the next run, so a one-file sync in a long-lived process starts none. The pool knows nothing about what a job
computes.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any

from satori.errors import BuildError
from satori.publication.frames import receive, send
from satori.publication.jobs import FileJob, FileResult, Problem, WorkSettings
from satori.publication.process import child_environment, processor_seconds

# Of processor time, so that a busy machine makes no file look hostile; six times that of wall time ends it anyway.
FILE_SECONDS = 10.0
_WALL_FACTOR = 6
_BATCH_FILES = 12
_SMALL_RUN_FILES = 40
_MAXIMUM_WORKERS = 8
_START_SECONDS = 60.0
_POLL_SECONDS = 0.2
_QUEUED_RESULTS = 512
_MAXIMUM_RESTARTS = 200
_MAXIMUM_FALSE_STARTS = 3


def default_workers() -> int:
    """One worker for each usable processor, at most eight."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(_MAXIMUM_WORKERS, usable))


@dataclass(eq=False, slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    stdin: IO[bytes]
    configured: bool = False
    pending: deque[FileJob] = field(default_factory=deque)
    heard: float = 0.0
    used: float | None = None
    ready: bool = False


class WorkerPool:
    """Not for two runs at a time: `run` holds the pool until its iterator ends."""

    def __init__(
        self, workers: int | None = None, *, file_seconds: float = FILE_SECONDS, command: Sequence[str] = ()
    ) -> None:
        self.file_seconds = file_seconds
        # -P keeps the working directory, which may be a hostile repository, off the import path.
        self._command = tuple(command) or (sys.executable, "-P", "-m", "satori.publication.worker")
        self._size = workers or default_workers()
        self._workers: list[_Worker] = []
        self._results: queue.Queue[tuple[_Worker, Any]] = queue.Queue(_QUEUED_RESULTS)
        self._busy = threading.Lock()
        self._used = time.monotonic()

    def start(self, count: int | None = None) -> None:
        """Start workers ahead of their work (imports and the model take a few tenths of a second)."""
        while len(self._workers) < (self._size if count is None else min(count, self._size)):
            self._workers.append(self._spawn())

    def run(
        self, jobs: Sequence[FileJob], settings: WorkSettings, check: Callable[[], None] = lambda: None
    ) -> Iterator[FileResult]:
        """Results in the order in which they come. `check` is called several times a second and may raise to stop.

        Raises BuildError when workers cannot be started at all.
        """
        with self._busy:
            try:
                yield from self._run(deque(jobs), settings, check)
                self._used = time.monotonic()
            except BaseException:
                self._kill_all()
                raise

    def close(self) -> None:
        """End all workers; the pool may be used again."""
        with self._busy:
            self._kill_all()

    def shrink(self) -> None:
        """Keep one worker for the next small run."""
        with self._busy:
            for worker in self._workers[1:]:
                self._kill(worker)
            del self._workers[1:]

    def warm(self) -> bool:
        """Whether a worker stands ready; begins to start one when none does. Does not wait."""
        if not self._busy.acquire(blocking=False):
            return False
        try:
            self._workers = [worker for worker in self._workers if worker.process.poll() is None]
            with contextlib.suppress(queue.Empty):
                while True:
                    worker, message = self._results.get_nowait()
                    worker.ready = worker.ready or message is not None
            self.start(1)
            self._used = time.monotonic()
            return any(worker.ready for worker in self._workers)
        finally:
            self._busy.release()

    def close_idle(self, seconds: float) -> None:
        """End all workers when nothing was asked of them for so long; the next run starts new ones."""
        if self._busy.acquire(blocking=False):
            try:
                if time.monotonic() - self._used > seconds:
                    self._kill_all()
            finally:
                self._busy.release()

    def pids(self) -> list[int]:
        """The live workers' process ids."""
        return [worker.process.pid for worker in self._workers]

    def _run(self, jobs: deque[FileJob], settings: WorkSettings, check: Callable[[], None]) -> Iterator[FileResult]:
        if not jobs:
            return
        self._workers = [worker for worker in self._workers if worker.process.poll() is None]
        wanted = 1 if len(jobs) < _SMALL_RUN_FILES else self._size
        self.start(wanted)
        active = self._workers[:wanted]
        for worker in active:
            worker.heard = time.monotonic()
            worker.configured = False
            self._feed(worker, jobs, settings)
        restarts = false_starts = 0
        checked = time.monotonic()
        while jobs or any(worker.pending for worker in active):
            with contextlib.suppress(queue.Empty):
                worker, message = self._results.get(timeout=_POLL_SECONDS)
                if worker in active:
                    worker.heard = time.monotonic()
                    if isinstance(message, FileResult):
                        worker.pending.popleft()
                        yield message
                        worker.heard = time.monotonic()
                        if len(worker.pending) <= _BATCH_FILES // 2:
                            self._feed(worker, jobs, settings)
                    elif message is None:
                        worker.process.wait()
                    else:
                        worker.ready = True
            now = time.monotonic()
            if now - checked < _POLL_SECONDS / 4:
                continue
            checked = now
            check()
            for position, worker in enumerate(active):
                problem = self._problem(worker)
                if problem is None:
                    continue
                restarts += 1
                false_starts = 0 if worker.ready else false_starts + 1
                if restarts > _MAXIMUM_RESTARTS or false_starts > _MAXIMUM_FALSE_STARTS:
                    raise BuildError(
                        "Worker processes die as soon as they start.",
                        next_step="Run `satori doctor`.",
                        code="worker_failed",
                    )
                given_up = self._requeue(worker, jobs, problem)
                self._kill(worker)
                self._workers.remove(worker)
                replacement = self._spawn()
                self._workers.append(replacement)
                active[position] = replacement
                replacement.heard = time.monotonic()
                self._feed(replacement, jobs, settings)
                if given_up is not None:
                    yield given_up

    def _problem(self, worker: _Worker) -> Problem | None:
        if worker.process.poll() is not None and not self._results.qsize():
            return Problem.CRASHED
        if not worker.pending or self._results.qsize():
            return None
        silent = time.monotonic() - worker.heard
        if not worker.ready:
            return Problem.TIMEOUT if silent > _START_SECONDS else None
        if silent < self.file_seconds / 10:
            worker.used = None
            return None
        used = processor_seconds(worker.process.pid)
        if used is None:
            return Problem.TIMEOUT if silent > self.file_seconds else None
        if worker.used is None:
            worker.used = used
        overrun = used - worker.used > self.file_seconds * 0.9 or silent > self.file_seconds * _WALL_FACTOR
        return Problem.TIMEOUT if overrun else None

    def _requeue(self, worker: _Worker, jobs: deque[FileJob], problem: Problem) -> FileResult | None:
        """Put the dead worker's files back; the one it was at goes back as text, or is given up the second time."""
        pending = list(worker.pending)
        if not worker.ready:
            # It never got as far as a file.
            jobs.extendleft(reversed(pending))
            return None
        jobs.extendleft(reversed(pending[1:]))
        if not pending:
            return None
        culprit = pending[0]
        if culprit.problem is not None:
            return FileResult.given_up(culprit, problem)
        jobs.appendleft(replace(culprit, problem=problem))
        return None

    def _feed(self, worker: _Worker, jobs: deque[FileJob], settings: WorkSettings) -> None:
        batch = [jobs.popleft() for _ in range(min(_BATCH_FILES, len(jobs)))]
        if not batch:
            return
        worker.pending.extend(batch)
        # A dead worker is noticed by its exit, with these files still pending.
        with contextlib.suppress(OSError):
            if not worker.configured:
                # Once a run: a worker pins the root's directory, which may be another one the next time.
                send(worker.stdin, settings)
                worker.configured = True
            send(worker.stdin, batch)

    def _spawn(self) -> _Worker:
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd="/",
                env=child_environment(),
            )
        except OSError as error:
            raise BuildError(f"A worker process could not be started: {error}.", next_step="Run it again.") from error
        assert process.stdin is not None and process.stdout is not None
        worker = _Worker(process, process.stdin, heard=time.monotonic())
        threading.Thread(target=self._listen, args=(worker, process.stdout), daemon=True).start()
        return worker

    def _listen(self, worker: _Worker, stream: IO[bytes]) -> None:
        try:
            while True:
                self._results.put((worker, receive(stream)))
        except (EOFError, OSError, ValueError):
            self._results.put((worker, None))
        finally:
            stream.close()

    def _kill(self, worker: _Worker) -> None:
        with contextlib.suppress(OSError):
            worker.process.kill()
        with contextlib.suppress(OSError):
            worker.stdin.close()
        worker.process.wait()

    def _kill_all(self) -> None:
        for worker in self._workers:
            self._kill(worker)
        self._workers.clear()
        # Listeners that wait for room in the queue can then see the end of their stream.
        with contextlib.suppress(queue.Empty):
            while True:
                self._results.get_nowait()


_SHARED: list[WorkerPool] = []
_SHARED_GUARD = threading.Lock()


def shared_pool() -> WorkerPool:
    """This process's pool, ended with the process."""
    with _SHARED_GUARD:
        if not _SHARED:
            _SHARED.append(WorkerPool())
            atexit.register(_SHARED[0].close)
        return _SHARED[0]
