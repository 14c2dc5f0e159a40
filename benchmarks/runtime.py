"""Start, call and memory figures of the launcher and the shared runtime: `make runtime-figures`.

Installs into a temporary state root, indexes a codebase (`--codebase`, else this repository) and measures with the real
launcher. Memory is PSS from /proc, so Linux only. It prints figures and compares them with their targets.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from satori.clients.probe import Conversation
from satori.runtime import environment
from satori.runtime.owners import live_owners, terminate
from satori.runtime.paths import launcher_command, shell_command

QUERIES = (
    "how is a request validated",
    "where are errors rendered",
    "open a file safely",
    "compute a hash of the content",
    "retry after a failure",
    "parse the configuration",
    "write the cache to disk",
    "connect to the database",
)


def pss(pid: int) -> float:
    """Proportional set size in MB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no Pss")


def processor_seconds(pid: int) -> float:
    """Time that a process, its ended threads included, spent on a processor so far; in steps of 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def thread_seconds(pid: int) -> float:
    """Time that a process's first thread spent on a processor so far, to the nanosecond."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def quantile(values: list[float], share: float) -> float:
    """The value below which that share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


class Figures:
    """The measurements, one after the other."""

    def __init__(self, state_root: Path, codebase: Path) -> None:
        self.state_root = state_root
        self.codebase = codebase
        self.command = [str(launcher_command(state_root))]
        self.environment = {**os.environ, "SATORI_RUNTIME_IDLE_SECONDS": "60"}
        self.missed: list[str] = []
        self.started = False

    def say(self, name: str, value: str, ok: bool | None = None) -> None:
        """Print a figure; `ok` says whether it meets its target."""
        mark = "" if ok is None else " ok" if ok else " MISSED"
        if ok is False:
            self.missed.append(name)
        print(f"{name:58} {value}{mark}", flush=True)

    def session(self) -> Conversation:
        """A client session in the codebase."""
        return Conversation(self.command, environment=self.environment, directory=str(self.codebase), seconds=60)

    def search(self, session: Conversation, number: int) -> dict[str, Any]:
        """One search, with varying words."""
        arguments = {"path": str(self.codebase), "query": QUERIES[number % len(QUERIES)]}
        answer = session.ask("tools/call", {"name": "search_codebase", "arguments": arguments})
        content: dict[str, Any] = answer["structuredContent"]
        if content["status"] != "ok":
            raise RuntimeError(f"search answered {content['status']}: {content['message']}")
        return content

    def settle(self) -> None:
        """End the runtime that the last start began, once it is there to be ended."""
        deadline = time.monotonic() + 10
        while self.started and not live_owners(self.state_root) and time.monotonic() < deadline:
            time.sleep(0.05)
        terminate(self.state_root)
        self.started = True

    def starts(self, count: int) -> None:
        """From the start of the launcher to the reply to initialize, with and without a runtime."""
        for running in (False, True):
            times = []
            spent = []
            keeper = None
            if running:
                keeper = self.session()
                keeper.open()
                keeper.ask("tools/call", {"name": "list_codebases", "arguments": {}})
            for _ in range(count):
                if not running:
                    self.settle()
                began = time.perf_counter()
                with self.session() as session:
                    session.open()
                    times.append((time.perf_counter() - began) * 1e3)
                    spent.append(thread_seconds(session.process.pid) * 1e3)
            words = f"p50 {quantile(times, 0.5):.1f} ms, p95 {quantile(times, 0.95):.1f} ms, max {max(times):.1f} ms"
            name = f"initialize, {'runtime running' if running else 'no runtime'} (n={count}, p95 <= 50 ms)"
            self.say(name, words, quantile(times, 0.95) <= 50)
            self.say("  processor time of the launcher", f"{sum(spent) / len(spent):.1f} ms")
            if keeper is not None:
                keeper.__exit__()

    def cold(self) -> None:
        """From the start of the launcher to the first answers, no runtime running."""
        terminate(self.state_root)
        began = time.perf_counter()
        with self.session() as session:
            session.open()
            session.ask("tools/call", {"name": "list_codebases", "arguments": {}})
            listed = time.perf_counter() - began
            self.search(session, 0)
            searched = time.perf_counter() - began
            self.say("cold start to the first list_codebases / search", f"{listed:.2f} s / {searched:.2f} s")
            self.say("launcher (PSS <= 15 MB)", f"{pss(session.process.pid):.1f} MB", pss(session.process.pid) <= 15)

    def crowd(self, sessions: int, calls: int) -> None:
        """Many sessions at once, each calling one after the other."""
        talks = [self.session() for _ in range(sessions)]
        began = time.perf_counter()
        for talk in talks:
            talk.open()
        opened = time.perf_counter() - began
        for name, call in (
            ("ping (proxy, socket and protocol alone)", lambda talk, _: talk.ask("ping", {})),
            ("list_codebases", lambda talk, _: talk.ask("tools/call", {"name": "list_codebases", "arguments": {}})),
            ("search_codebase", self.search),
        ):
            times: list[float] = []

            def work(talk: Conversation, call: Any = call, times: list[float] = times) -> None:
                for number in range(calls):
                    start = time.perf_counter()
                    call(talk, number)
                    times.append((time.perf_counter() - start) * 1e3)

            threads = [threading.Thread(target=work, args=(talk,)) for talk in talks]
            began = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            took = time.perf_counter() - began
            self.say(
                f"{sessions} sessions x {calls} {name}",
                f"{took:.2f} s, p50 {quantile(times, 0.5):.1f} ms, p95 {quantile(times, 0.95):.1f} ms",
            )
        each = [pss(talk.process.pid) for talk in talks]
        self.say(f"{sessions} sessions opened in", f"{opened:.2f} s")
        self.say(f"launcher with {sessions} sessions (PSS, mean)", f"{sum(each) / len(each):.1f} MB", max(each) <= 15)
        (owner,) = live_owners(self.state_root)
        self.say(f"runtime with {sessions} sessions (PSS <= 250 MB)", f"{pss(owner.pid):.0f} MB", pss(owner.pid) <= 250)
        for talk in talks:
            talk.__exit__()

    def endurance(self, requests: int) -> None:
        """Memory over many requests of one session."""
        with self.session() as session:
            session.open()
            for number in range(len(QUERIES) * 4):
                self.search(session, number)
            (owner,) = live_owners(self.state_root)
            before = pss(owner.pid)
            began, spent = time.perf_counter(), processor_seconds(owner.pid)
            for number in range(requests):
                self.search(session, number)
            took, spent = time.perf_counter() - began, processor_seconds(owner.pid) - spent
            after = pss(owner.pid)
            flat = after <= before * 1.05 + 5
            self.say(f"runtime before / after {requests} searches", f"{before:.0f} / {after:.0f} MB", flat)
            words = f"{took / requests * 1e3:.2f} ms each, {spent / requests * 1e3:.2f} ms of them processor time"
            self.say("one session, one search after the other", words)


def main() -> int:
    """Measure; the exit code is 0 when every target is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--codebase", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--starts", type=int, default=40)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument(
        "--undisturbed", action="store_true", help="measure starts at real-time priority (root), whatever else runs"
    )
    arguments = parser.parse_args()
    codebase = arguments.codebase.resolve()
    with tempfile.TemporaryDirectory(prefix="satori-runtime-") as name:
        state_root = Path(name) / "state"
        environment.switch(environment.provide(state_root))
        shell = [str(shell_command(state_root)), "index", str(codebase)]
        done = subprocess.run(shell, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"satori index failed: {done.stderr}")
        print(" ".join(done.stdout.split()))
        print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        figures = Figures(state_root, codebase)
        try:
            if arguments.undisturbed:
                os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(5))
            figures.starts(arguments.starts)
            if arguments.undisturbed:
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
                terminate(state_root)
            figures.cold()
            figures.crowd(20, 50)
            figures.endurance(arguments.requests)
        finally:
            terminate(state_root)
    print(json.dumps({"missed": figures.missed}))
    return 1 if figures.missed else 0


if __name__ == "__main__":
    sys.exit(main())
