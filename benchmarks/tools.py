"""Latency of the tools over MCP: `python benchmarks/tools.py DIRECTORY FILE SYMBOL [-n 30]`.

Starts `satori serve` as a client does and times each call from the request's line to the response's, warm, with the
processor time that the server spent on it. DIRECTORY is copied, put under git and indexed in a temporary state root, so
that nothing of it is touched and detect_changes has ten edited files to look at; FILE is relative to it and SYMBOL a
label in it, as file_outline shows it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "0"}}


class Server:
    """One server process on pipes."""

    def __init__(self, directory: Path, state: Path) -> None:
        command = [sys.executable, "-P", "-m", "satori.cli.main", "serve"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=directory,
            env={**os.environ, "SATORI_STATE_ROOT": str(state)},
        )
        self.number = 0

    def send(self, message: dict[str, Any]) -> None:
        """One line to the server."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """Milliseconds and the response."""
        assert self.process.stdout is not None
        self.number += 1
        began = time.perf_counter()
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the server ended")
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self.number:
                return (time.perf_counter() - began) * 1000, message

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """Milliseconds and the answer of one tool call."""
        took, response = self.request("tools/call", {"name": name, "arguments": arguments})
        answer: dict[str, Any] = response["result"]["structuredContent"]
        return took, answer

    def cpu(self) -> float:
        """Milliseconds of processor time that the process has used, in all its threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def git(root: Path, *arguments: str) -> None:
    """A plain git command."""
    identity = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def lay_out(directory: Path, scratch: Path) -> Path:
    """A committed copy of the directory, indexed."""
    root = scratch / directory.resolve().name
    shutil.copytree(directory, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    git(root, "init", "--quiet")
    git(root, "add", "--all", "--force")
    git(root, "commit", "--quiet", "--message", "before")
    index(root, scratch / "state")
    return root


def index(root: Path, state: Path) -> None:
    """Index from the shell, as a person does."""
    command = [sys.executable, "-P", "-m", "satori.cli.main", "index", str(root)]
    env = {**os.environ, "SATORI_STATE_ROOT": str(state)}
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)


def edit(root: Path, suffix: str, count: int) -> None:
    """One line inside each of so many files of the language, spread over the tree."""
    files = sorted(path for path in root.rglob(f"*{suffix}") if path.stat().st_size > 4_000)
    for path in files[:: max(1, len(files) // count)][:count]:
        lines = path.read_bytes().split(b"\n")
        at = next(i for i in range(len(lines) // 2, len(lines)) if not lines[i].strip())
        path.write_bytes(b"\n".join([*lines[:at], b"", *lines[at:]]))


def main() -> None:
    """Time every tool."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("file")
    parser.add_argument("symbol")
    parser.add_argument("-n", type=int, default=30, help="how many calls of each")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="satori-tools-") as scratch:
        root = lay_out(options.directory, Path(scratch))
        server = Server(root, Path(scratch) / "state")
        took, _ = server.request("initialize", HELLO)
        server.send({"method": "notifications/initialized"})
        print(f"{'initialize (cold)':32} {took:8.1f} ms")
        for label, name, arguments in calls(str(root), options.file, options.symbol):
            show(server, label, name, arguments, options.n)
        edit(root, Path(options.file).suffix, 10)
        index(root, Path(scratch) / "state")
        show(server, "detect_changes, 10 files", "detect_changes", {"path": str(root)}, options.n)
        server.close()


def calls(root: str, file: str, symbol: str) -> list[tuple[str, str, dict[str, Any]]]:
    """What is timed: label, tool, arguments."""
    name = symbol.rpartition(".")[2]
    reference = {"file": file, "symbolLabel": symbol}
    opened = {"symbolLabel": symbol}
    return [
        ("search_codebase, question", "search_codebase", {"path": root, "query": f"how does {name} work"}),
        ("search_codebase, identifier", "search_codebase", {"path": root, "query": name}),
        ("file_outline", "file_outline", {"path": root, "file": file}),
        ("read_file, exact symbol", "read_file", {"path": f"{root}/{file}", "open_symbol": opened}),
        ("call_graph, callers", "call_graph", {"path": root, "symbolRef": reference, "direction": "callers"}),
        ("find_references", "find_references", {"path": root, "symbolRef": reference}),
        ("detect_changes, none", "detect_changes", {"path": root}),
        ("architecture_overview", "architecture_overview", {"path": root}),
        ("list_codebases", "list_codebases", {}),
        ("manage_index, status", "manage_index", {"action": "status", "path": root}),
    ]


def show(server: Server, label: str, name: str, arguments: dict[str, Any], count: int) -> None:
    """One row: the first call, the middle and the 95th of a hundred, and processor time a call."""
    first, answer = server.call(name, arguments)
    before = server.cpu()
    times = sorted(server.call(name, arguments)[0] for _ in range(count))
    cpu = (server.cpu() - before) / count
    middle, late = times[len(times) // 2], times[int(len(times) * 0.95)]
    print(
        f"{label:32} first {first:8.1f}  p50 {middle:7.1f}  p95 {late:7.1f} ms  cpu {cpu:6.1f} ms  {answer['status']}",
        flush=True,
    )


if __name__ == "__main__":
    main()
