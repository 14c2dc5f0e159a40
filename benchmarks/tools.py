"""Latency of the tools over MCP: `python benchmarks/tools.py DIRECTORY FILE SYMBOL [-n 30]`.

Starts `satori serve` as a client does and times each call from the request's line to the response's, warm. DIRECTORY
must be indexed from the shell; FILE is relative to it and SYMBOL a label in it, as file_outline shows it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "0"}}


class Server:
    """One server process on pipes."""

    def __init__(self, directory: Path) -> None:
        command = [sys.executable, "-m", "satori.cli.main", "serve"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=directory,
            env=dict(os.environ),
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

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def main() -> None:
    """Time every tool."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("file")
    parser.add_argument("symbol")
    parser.add_argument("-n", type=int, default=30, help="how many calls of each")
    options = parser.parse_args()
    root = str(options.directory.resolve())
    server = Server(options.directory)
    took, _ = server.request("initialize", HELLO)
    server.send({"method": "notifications/initialized"})
    print(f"{'initialize (cold)':32} {took:8.1f} ms")
    reference = {"file": options.file, "symbolLabel": options.symbol}
    opened = {"symbolLabel": options.symbol}
    question = f"how does {options.symbol.rpartition('.')[2]} work"
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("search_codebase, question", "search_codebase", {"path": root, "query": question}),
        ("search_codebase, identifier", "search_codebase", {"path": root, "query": options.symbol.rpartition(".")[2]}),
        ("file_outline", "file_outline", {"path": root, "file": options.file}),
        ("read_file, exact symbol", "read_file", {"path": f"{root}/{options.file}", "open_symbol": opened}),
        ("call_graph, callers", "call_graph", {"path": root, "symbolRef": reference, "direction": "callers"}),
        ("find_references", "find_references", {"path": root, "symbolRef": reference}),
        ("detect_changes", "detect_changes", {"path": root}),
        ("architecture_overview", "architecture_overview", {"path": root}),
        ("manage_index, status", "manage_index", {"action": "status", "path": root}),
    ]
    for label, name, arguments in calls:
        first, answer = server.call(name, arguments)
        times = sorted(server.call(name, arguments)[0] for _ in range(options.n))
        middle, late = times[len(times) // 2], times[int(len(times) * 0.95)]
        print(f"{label:32} first {first:8.1f}  p50 {middle:7.1f}  p95 {late:7.1f} ms  {answer['status']}")
    server.close()


if __name__ == "__main__":
    main()
