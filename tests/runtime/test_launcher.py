from __future__ import annotations

import itertools
import os
import signal
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from satori.runtime import launcher, owners
from satori.runtime.paths import RuntimeDirectory
from satori.runtime.payload import CAPABILITIES_KEY, CLIENT_KEY, PROTOCOL_KEY
from tests.runtime.client import Client, make_runtime

MODERN = {"_meta": {PROTOCOL_KEY: "2026-07-28", CLIENT_KEY: {"name": "t", "version": "1"}, CAPABILITIES_KEY: {}}}


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[RuntimeDirectory]:
    """A runtime directory; whatever runtime it got is ended afterwards."""
    made = make_runtime(tmp_path / "state")
    yield made
    owners.terminate(made.state_root)


def wait_until_gone(directory: RuntimeDirectory, seconds: float) -> bool:
    """Whether the directory's runtime ends within the time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if owners.owner_of(directory) is None:
            return True
        time.sleep(0.05)
    return False


def runtime_pid(directory: RuntimeDirectory) -> int:
    """The process number of the live runtime."""
    owner = owners.owner_of(directory)
    assert owner is not None
    return owner.pid


def test_the_handshake_is_answered_before_a_runtime_listens(directory: RuntimeDirectory) -> None:
    """initialize and tools/list come from the record; the first call then goes through the runtime."""
    client = Client.of(directory)
    assert client.open("2025-06-18")["result"]["protocolVersion"] == "2025-06-18"
    assert not directory.socket.exists()
    assert [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]] == ["echo", "crash", "sleep"]
    assert client.call("echo", x="1")["result"]["content"][0]["text"].endswith("1")
    assert client.close() == 0


def test_recorded_and_live_replies_are_the_same(tmp_path: Path) -> None:
    """With and without the record a client reads the same initialize, tools/list and server/discover."""
    with_record = make_runtime(tmp_path / "a")
    without = make_runtime(tmp_path / "b", with_payload=False)
    try:
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"):
            recorded, live = Client.of(with_record), Client.of(without)
            assert recorded.open(version) == live.open(version)
            assert recorded.ask("tools/list") == live.ask("tools/list")
            assert recorded.close() == live.close() == 0
        recorded, live = Client.of(with_record), Client.of(without)
        for method in ("server/discover", "tools/list"):
            assert recorded.ask(method, MODERN) == live.ask(method, MODERN)
        call = {"name": "echo", "arguments": {"x": 1}, **MODERN}
        assert (
            recorded.ask("tools/call", call)["result"]["content"] and live.ask("tools/call", call)["result"]["content"]
        )
        assert recorded.close() == live.close() == 0
    finally:
        owners.terminate(with_record.state_root)
        owners.terminate(without.state_root)


def test_sessions_share_one_runtime_and_keep_their_own_directory(directory: RuntimeDirectory, tmp_path: Path) -> None:
    """Twenty sessions started at once end up at one process, each with its own working directory and variable."""
    places = [tmp_path / f"w{number}" for number in range(20)]
    for place in places:
        place.mkdir()
    clients = [Client.of(directory, cwd=place, CLAUDE_PROJECT_DIR=f"/p{place.name}") for place in places]
    for client in clients:
        client.open()
    said = [client.text("echo").split("|") for client in clients]
    assert [Path(directory_of) for directory_of, _, _ in said] == places
    assert [project for _, project, _ in said] == [f"/p{place.name}" for place in places]
    assert {pid for _, _, pid in said} == {str(runtime_pid(directory))}
    assert [client.close() for client in clients] == [0] * 20


def test_files_are_private(directory: RuntimeDirectory) -> None:
    """The socket is 0600 in a 0700 directory, whatever the umask."""
    old = os.umask(0)
    try:
        client = Client.of(directory)
        client.open()
        client.text("echo")
    finally:
        os.umask(old)
    assert stat.S_IMODE(directory.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.run.stat().st_mode) == 0o700
    assert stat.S_IMODE(directory.owner.stat().st_mode) == 0o600
    client.close()


def test_a_runtime_ends_by_itself_after_its_last_session(directory: RuntimeDirectory) -> None:
    """The runtime outlives no session by more than its idle time, and leaves neither socket nor owner."""
    client = Client.of(directory)
    client.open()
    client.text("echo")
    time.sleep(1.6)
    assert owners.owner_of(directory) is not None, "a session is open"
    client.close()
    assert wait_until_gone(directory, 4)
    assert not directory.socket.exists() and not directory.owner.exists()


@pytest.mark.parametrize("way", ["eof", "SIGTERM", "SIGINT"])
@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "busy"])
def test_the_launcher_ends_within_a_second(directory: RuntimeDirectory, way: str, busy: bool) -> None:
    """However the client says goodbye, also while a call is running, the launcher is gone at once with code 0."""
    client = Client.of(directory)
    client.open()
    client.text("echo")
    if busy:
        client.say("tools/call", {"name": "sleep", "arguments": {"seconds": 1}}, identity="slow")
        time.sleep(0.1)
    began = time.monotonic()
    if way != "eof":
        client.process.send_signal(getattr(signal, way))
        assert client.process.wait(3) == 0
    else:
        assert client.close() == 0
    assert time.monotonic() - began < 1.0


def test_a_crashed_runtime_is_started_again(directory: RuntimeDirectory) -> None:
    """The request in flight gets one clear error; the next one is answered by a new process in the same session."""
    client = Client.of(directory)
    client.open()
    first = client.text("echo")
    error = client.call("crash")["error"]
    assert "Repeat the request" in error["message"] and "satori doctor" in error["message"]
    assert client.text("echo") != first
    assert "error" in client.call("crash")
    assert client.text("echo")
    client.close()


def test_every_request_in_flight_is_answered_when_the_runtime_dies(directory: RuntimeDirectory) -> None:
    """Requests of several ids, numbers and strings, get their errors; notifications get nothing."""
    client = Client.of(directory)
    client.open()
    client.text("echo")
    for identity in ("a", 77, "b"):
        client.say("tools/call", {"name": "sleep", "arguments": {"seconds": 5}}, identity=identity)
    client.say("notifications/progress", {})
    time.sleep(0.2)
    os.kill(runtime_pid(directory), signal.SIGKILL)
    assert {client.hear()["id"] for _ in range(3)} == {"a", 77, "b"}
    assert client.text("echo")
    client.close()


def test_a_terminated_runtime_is_started_for_the_next_request(directory: RuntimeDirectory) -> None:
    """`satori terminate` during an idle session costs that session nothing."""
    client = Client.of(directory)
    client.open()
    first = client.text("echo")
    assert [gone for _, gone in owners.terminate(directory.state_root)] == [True]
    assert client.text("echo") != first
    client.close()


@pytest.mark.parametrize("order", list(itertools.permutations(["client", "launcher", "runtime"])), ids="-".join)
def test_kill_nine_in_any_order_leaves_nothing_and_a_working_next_session(
    directory: RuntimeDirectory, order: tuple[str, ...]
) -> None:
    """Killed client, launcher and runtime in every order: no process after five seconds, and the next session works."""
    shell = f"'{directory.path}/client-python' -I -S '{directory.launcher}' '{directory.path}'; true"
    (directory.path / "client-python").symlink_to(os.sys.executable)  # type: ignore[attr-defined]
    client = Client(["/bin/sh", "-c", shell])
    client.open()
    client.text("echo")
    shell_pid = client.process.pid
    children = Path(f"/proc/{shell_pid}/task/{shell_pid}/children")
    launcher_pid = int(children.read_text().split()[0]) if children.exists() else shell_pid
    pids = {"client": shell_pid, "launcher": launcher_pid, "runtime": runtime_pid(directory)}
    for name in order:
        os.kill(pids[name], signal.SIGKILL) if _alive(pids[name]) else None
    assert client.process.stdin is not None
    client.process.stdin.close()
    client.process.wait(5)
    deadline = time.monotonic() + 5
    while any(_alive(pid) for pid in pids.values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_alive(pid) for pid in pids.values())
    following = Client.of(directory)
    following.open()
    assert following.text("echo")
    following.close()


def _alive(pid: int) -> bool:
    from satori.publication.process import start_time

    return start_time(pid) is not None


def test_a_runtime_that_cannot_start_is_explained(tmp_path: Path) -> None:
    """The reply names the log and the doctor, at once; the session stays and the next request tries again."""
    directory = make_runtime(tmp_path / "state")
    client = Client.of(directory, SATORI_FIXTURE_FAILS="3")
    client.open()
    began = time.monotonic()
    message = client.call("echo")["error"]["message"]
    assert time.monotonic() - began < 5
    assert str(directory.log) in message and "satori doctor" in message
    assert "error" in client.call("echo")
    assert client.close() == 0


def test_a_missing_interpreter_is_explained(tmp_path: Path) -> None:
    """A removed installation answers with an error instead of hanging."""
    directory = make_runtime(tmp_path / "state")
    directory.python.unlink()
    client = Client.of(directory)
    client.open()
    assert "ended while starting" in client.call("echo")["error"]["message"]
    assert client.close() == 0


def test_state_roots_of_any_length_and_name_work(tmp_path: Path) -> None:
    """A socket path beyond the system's 108 bytes, with spaces, quotes and non-ASCII letters, is no obstacle."""
    deep = tmp_path / ("Проект (é) 'q' " + "x" * 60) / ("y" * 80)
    directory = make_runtime(deep)
    client = Client.of(directory, cwd=tmp_path)
    client.open()
    assert client.text("echo").startswith(str(tmp_path))
    client.close()
    owners.terminate(deep)


def test_what_is_no_request_is_passed_on(directory: RuntimeDirectory) -> None:
    """Garbage and odd identities neither end the launcher nor confuse it."""
    client = Client.of(directory)
    client.open()
    assert client.process.stdin is not None
    client.process.stdin.write(b'\n{"jsonrpc": "2.0", "method": "notifications/unknown"}\n')
    assert client.ask("ping")["result"] == {}
    assert client.text("echo")
    assert "error" in client.ask("no/such/method")
    client.close()


def test_the_runtime_gets_none_of_a_client_s_own_variables(directory: RuntimeDirectory) -> None:
    """One client's keys must not reach a process that serves every client."""
    client = Client.of(directory, OPENAI_API_KEY="secret", SATORI_X="kept")
    client.open()
    client.text("echo")
    environ = Path(f"/proc/{runtime_pid(directory)}/environ")
    if environ.exists():
        names = {item.partition(b"=")[0].decode() for item in environ.read_bytes().split(b"\0")}
        assert "SATORI_X" in names and "OPENAI_API_KEY" not in names
    client.close()


@pytest.mark.parametrize(
    "line",
    [b'{"id": 1}', b'{"a": [1, 2.5, null, true, {"b": "\\u00e9\\n"}]}', b"  {}  "],
)
def test_lines_are_decoded_as_json_does(line: bytes) -> None:
    """The bare scanner reads what json.loads reads."""
    import json

    assert launcher.decode(line) == json.loads(line)


@pytest.mark.parametrize("line", [b"", b"[1]", b"{", b'{"a": }', b"\xff", b"nonsense", b"{} {}", b"[" * 100_000])
def test_other_lines_are_nothing(line: bytes) -> None:
    """Anything but an object is None, never an exception."""
    assert launcher.decode(line) is None
