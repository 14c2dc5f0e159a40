from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from satori.server.instructions import INSTRUCTIONS
from satori.server.tools.registry import CONTRACTS
from tests.conftest import Indexed, make_repository

ERAS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
# Speaks on descriptor 1 in every way there is, while the server works.
NOISE = """
import os, sys, threading, time, warnings
def speak():
    while True:
        time.sleep(0.05)
        os.write(1, b"native noise\\n")
        print("python noise")
        warnings.warn("a warning")
        os.system("echo child noise")
def later():
    time.sleep(0.7)
    speak()
threading.Thread(target=later, daemon=True).start()
"""


class Client:
    """A client that reads lines and believes nothing: every one must be a JSON-RPC message."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.number = 0
        self.heard: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def raw(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server closed its output"
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        self.heard.append(message)
        return message

    def request(self, method: str, params: dict[str, Any], answers: dict[str, Any] | None = None) -> dict[str, Any]:
        """The response; requests of the server are answered from `answers`."""
        self.number += 1
        mine = self.number
        self.send({"id": mine, "method": method, "params": params})
        while True:
            message = self.hear()
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": (answers or {})[message["method"]]})
            elif message.get("id") == mine:
                return message

    def initialize(self, version: str = ERAS[-1], **capabilities: Any) -> dict[str, Any]:
        client = {"name": "test", "version": "0"}
        answer = self.request(
            "initialize", {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}
        )
        self.send({"method": "notifications/initialized"})
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, name: str, answers: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
        meta = arguments.pop("_meta", None)
        params = {"name": name, "arguments": arguments} | ({"_meta": meta} if meta else {})
        response = self.request("tools/call", params, answers)
        assert "result" in response, response
        result: dict[str, Any] = response["result"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result


@contextmanager
def served(indexed: Indexed, directory: Path | None = None, **environment: str) -> Iterator[Client]:
    """A real server process, in the plainest locale."""
    base = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C", "LC_ALL": "C"}
    process = subprocess.Popen(
        [sys.executable, "-m", "satori.cli.main", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=directory or indexed.root,
        env={**base, "SATORI_STATE_ROOT": str(indexed.state_root), **environment},
    )
    try:
        yield Client(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


@pytest.mark.parametrize("version", ERAS)
def test_every_handshake_era(indexed: Indexed, version: str) -> None:
    """Each protocol version that clients send is negotiated, lists the tools and answers a call."""
    with served(indexed) as client:
        hello = client.initialize(version)
        assert hello["protocolVersion"] == version
        assert hello["serverInfo"]["name"] == "satori"
        assert hello["instructions"] == INSTRUCTIONS
        tools = client.request("tools/list", {})["result"]["tools"]
        assert [tool["name"] for tool in tools] == [contract.name for contract in CONTRACTS]
        assert tools[0]["annotations"]["readOnlyHint"] is True
        params = {"name": "list_codebases", "arguments": {}}
        result = client.request("tools/call", params)["result"]
        assert json.loads(result["content"][0]["text"])["total"] == 1


def test_the_stateless_era(indexed: Indexed) -> None:
    """The newest revision: no handshake, every request carries its envelope; frozen sets belong to the connection."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    with served(indexed) as client:
        found = client.request("server/discover", {"_meta": meta})["result"]
        assert MODERN in found["supportedVersions"]
        assert found["instructions"] == INSTRUCTIONS
        search = client.call(
            "search_codebase", path=str(indexed.root), query="handler event dispatch", limit=20, _meta=meta
        )
        more = search["structuredContent"]["continuation"]["arguments"]
        page = client.call("continue_search", **more, _meta=meta)
        assert page["structuredContent"]["groups"]
        assert page["isError"] is False


def test_only_json_rpc_reaches_standard_output(indexed: Indexed, tmp_path: Path) -> None:
    """Native writes, print, warnings and children's output, all at once, in the C locale: none is on the wire."""
    (tmp_path / "sitecustomize.py").write_text(NOISE)
    with served(indexed, PYTHONPATH=str(tmp_path), PYTHONWARNINGS="always") as client:
        client.initialize()
        for _ in range(12):
            answer = client.call("search_codebase", path=str(indexed.root), query="unicode_named_file")
            assert answer["structuredContent"]["groups"][0]["file"] == "naïve dir/файл 名.py"
            time.sleep(0.1)
        client.process.terminate()
        _, errors = client.process.communicate(timeout=5)
        for noise in (b"native noise", b"python noise", b"a warning", b"child noise"):
            assert noise in errors


def test_broken_lines_are_refused_and_the_connection_goes_on(indexed: Indexed) -> None:
    """No JSON, another JSON, bytes that are no text, an unknown method, an unknown tool: errors, never silence."""
    with served(indexed) as client:
        client.initialize()
        for line in (b"not json\n", b"[1, 2]\n", b"\xff\xfe\n", b'{"jsonrpc": "1.0"}\n', b"\n"):
            client.raw(line)
        assert client.request("no/such/method", {})["error"]["code"] == -32601
        unknown = client.request("tools/call", {"name": "serch_codebase", "arguments": {}})["error"]
        assert unknown["code"] == -32602
        assert "search_codebase" in unknown["message"]
        refused = client.call("search_codebase", project_name="x")
        assert refused["isError"] is True
        meant = [problem["meant"] for problem in refused["structuredContent"]["problems"]]
        assert "path" in meant
        assert client.call("list_codebases")["isError"] is False
        assert sum(message.get("error", {}).get("code") == -32700 for message in client.heard) == 4


def test_workspaces_come_from_roots_and_from_codex(indexed: Indexed, tmp_path: Path) -> None:
    """Started elsewhere, the codebase is denied until the client names it: by roots/list, metadata or environment."""
    path = str(indexed.root)
    with served(indexed, tmp_path) as client:
        client.initialize()
        denied = client.call("search_codebase", path=path, query="cart")
        assert denied["structuredContent"]["reason"] == "path_denied"
        codex: dict[str, Any] = {"x-codex-turn-metadata": {"workspaces": {path: {}}}}
        assert client.call("search_codebase", path=path, query="cart", _meta=codex)["isError"] is False
    with served(indexed, tmp_path) as client:
        client.initialize(roots={"listChanged": True})
        roots = {"roots/list": {"roots": [{"uri": indexed.root.as_uri()}]}}
        assert client.call("search_codebase", roots, path=path, query="cart")["isError"] is False
    with served(indexed, tmp_path, CLAUDE_PROJECT_DIR=path) as client:
        client.initialize()
        assert client.call("search_codebase", path=path, query="cart")["isError"] is False


def test_requests_in_flight_are_answered_when_input_ends(indexed: Indexed) -> None:
    """`printf requests | satori serve`: every request gets its response, then the server ends by itself."""
    hello = {"protocolVersion": ERAS[-1], "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "list_codebases", "arguments": {}}},
    ]
    text = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    with served(indexed) as client:
        out, _ = client.process.communicate(text.encode(), timeout=20)
        answered = [json.loads(line)["id"] for line in out.splitlines()]
        assert answered == [1, 2]
        assert client.process.returncode == 0


@pytest.mark.parametrize("how", ["eof", "SIGTERM", "SIGINT", "SIGHUP"])
def test_it_ends_when_it_is_told(indexed: Indexed, how: str) -> None:
    """End of input or one signal: gone within two seconds."""
    with served(indexed) as client:
        client.initialize()
        client.call("search_codebase", path=str(indexed.root), query="cart")
        began = time.monotonic()
        if how == "eof":
            assert client.process.stdin is not None
            client.process.stdin.close()
        else:
            client.process.send_signal(getattr(signal, how))
        client.process.wait(timeout=5)
        assert time.monotonic() - began < 2.0
        assert client.process.returncode == 0


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")
def test_nothing_is_left_when_the_parent_is_killed_during_a_build(tmp_path: Path) -> None:
    """The parent dies while a build runs and the input stays open: server and build end within five seconds."""
    make_repository(tmp_path / "repo")
    for n in range(400):
        (tmp_path / f"repo/big/file_{n}.py").write_text("\n".join(f"def f_{n}_{k}(): return {k}" for k in range(60)))
    reading, writing = os.pipe()
    script = (
        "import subprocess, sys, time; "
        f"p = subprocess.Popen([{sys.executable!r}, '-m', 'satori.cli.main', 'serve'], stdin={reading}, stdout=2); "
        "print(p.pid, flush=True); time.sleep(60)"
    )
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "SATORI_STATE_ROOT": str(tmp_path / "state")}
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        pass_fds=[reading],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path / "repo",
        env=environment,
    )
    try:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        hello = {"protocolVersion": ERAS[-1], "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
        build = {"name": "manage_index", "arguments": {"action": "create", "path": str(tmp_path / "repo")}}
        for message in (
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": build},
        ):
            os.write(writing, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        record = None
        for _ in range(200):
            record = next((tmp_path / "state").glob("codebases/*/operation.json"), None)
            if record is not None:
                break
            time.sleep(0.05)
        assert record is not None
        child = json.loads(record.read_text())["pid"]
        parent.kill()
        parent.wait()
        began = time.monotonic()
        while (alive(server) or alive(child)) and time.monotonic() - began < 8:
            time.sleep(0.1)
        assert not alive(server)
        assert not alive(child)
        assert time.monotonic() - began < 5
    finally:
        parent.kill()
        parent.wait()
        os.close(reading)
        os.close(writing)


def test_progress_is_reported_while_a_build_is_waited_for(tmp_path: Path) -> None:
    """A client that asks for progress hears of it, and the call returns."""
    make_repository(tmp_path / "repo")
    with served(Indexed(tmp_path / "repo", tmp_path / "state")) as client:
        client.initialize()
        answer = client.call("manage_index", action="create", path=str(tmp_path / "repo"), _meta={"progressToken": "p"})
        assert answer["isError"] is False
        told = [message["params"] for message in client.heard if message.get("method") == "notifications/progress"]
        assert told
        assert all(one["progressToken"] == "p" and one["message"] for one in told)
