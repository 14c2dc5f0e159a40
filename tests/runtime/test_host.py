from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from satori.errors import StateError
from satori.publication.process import start_time
from satori.runtime import owners
from satori.runtime.exclusion import bind, exclusive, listening, trim_log
from satori.runtime.host import IDLE_SECONDS, Host, Service, idle_seconds
from satori.runtime.paths import RuntimeDirectory, runtime_directories
from satori.runtime.process import end_process, peer_user
from tests.runtime.client import Client, make_runtime


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[RuntimeDirectory]:
    """A runtime directory; whatever runtime it got is ended afterwards."""
    made = make_runtime(tmp_path / "state")
    yield made
    owners.terminate(made.state_root)


def greet(directory: RuntimeDirectory, line: bytes) -> dict[str, object]:
    """What the runtime says to a first line."""
    with socket.socket(socket.AF_UNIX) as end:
        end.settimeout(8)
        end.connect(str(directory.socket))
        end.sendall(line)
        data = end.makefile("rb").readline()
    answer = json.loads(data)
    assert isinstance(answer, dict)
    return answer


def test_a_connection_without_a_greeting_is_refused(directory: RuntimeDirectory) -> None:
    """Something else that connects is told so and served nothing; sessions beside it go on."""
    client = Client.of(directory)
    client.open()
    client.text("echo")
    assert greet(directory, b"GET / HTTP/1.1\r\n")["satori"] == "refused"
    assert greet(directory, b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')["satori"] == "refused"
    assert greet(directory, b'{"satori": "hello"}\n')["satori"] == "welcome"
    assert client.text("echo")
    client.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_refused(directory: RuntimeDirectory) -> None:
    """Even where file modes would let it in, another user's connection is refused by the kernel's word."""
    client = Client.of(directory)
    client.open()
    client.text("echo")
    script = (
        "import os, socket, sys\n"
        "end = socket.socket(socket.AF_UNIX)\n"
        "here = os.open(sys.argv[1], os.O_RDONLY); os.fchdir(here)\n"
        "os.setuid(65534)\n"
        "end.connect('socket')\n"
        "print(end.makefile().readline())\n"
    )
    directory.run.chmod(0o755)
    directory.socket.chmod(0o666)
    said = subprocess.run(
        [sys.executable, "-c", script, str(directory.run)], capture_output=True, text=True, check=True
    )
    assert json.loads(said.stdout)["satori"] == "refused"
    assert "another user" in said.stdout
    client.close()


def test_two_versions_have_their_own_socket_and_block_mutation(tmp_path: Path) -> None:
    """While two versions live, each says who else owns the state; with one gone, the other may change it again."""
    first, second = make_runtime(tmp_path, "1.0-aa"), make_runtime(tmp_path, "1.1-bb")
    clients = [Client.of(first), Client.of(second)]
    for client in clients:
        client.open()
        client.text("echo")
    assert [owner.runtime for owner in owners.live_owners(tmp_path)] == ["1.0-aa", "1.1-bb"]
    block = owners.mutation_block(second)
    assert block is not None and "1.0-aa" in block and "1.1-bb" in block and "satori terminate" in block
    old = owners.owner_of(first)
    assert old is not None and end_process(old.pid, old.started)
    assert owners.mutation_block(second) is None
    assert clients[1].text("echo")
    assert clients[0].text("echo"), "the older session is served again when it asks"
    owners.terminate(tmp_path)
    assert owners.live_owners(tmp_path) == ()
    for client in clients:
        client.close()


def test_a_stale_owner_file_names_nobody(directory: RuntimeDirectory) -> None:
    """A dead process, a reused number and garbage are no owners, and nothing is sent to them."""
    directory.owner.write_text(json.dumps({"runtime": "x", "pid": os.getpid(), "started": "1", "since": 0.0}))
    assert owners.owner_of(directory) is None
    assert owners.terminate(directory.state_root) == ()
    for text in ("", "[]", '{"pid": 1}', '{"runtime": "x", "pid": "1", "started": "", "since": 0}'):
        directory.owner.write_text(text)
        assert owners.owner_of(directory) is None


def test_a_process_is_ended_only_while_it_is_the_same() -> None:
    """The recorded start must match; a stranger with the number lives on."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        assert end_process(child.pid, "another start")
        assert child.poll() is None
        started = start_time(child.pid)
        assert started is not None
        assert end_process(child.pid, started)
    finally:
        child.kill()
        child.wait()
    assert start_time(child.pid) is None


def test_a_process_that_ignores_the_request_is_made_to_end() -> None:
    """SIGTERM first, SIGKILL when that is ignored."""
    script = "import signal, time; signal.signal(15, signal.SIG_IGN); print('on', flush=True); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline()
    started = start_time(child.pid)
    assert started is not None
    assert end_process(child.pid, started, patience=0.2)
    assert child.wait() == -9
    child.stdout.close()


def test_the_lock_admits_one(directory: RuntimeDirectory) -> None:
    """Of two that want to be the runtime one is; the lock goes with its holder."""
    with exclusive(directory) as first, exclusive(directory) as second:
        assert (first, second) == (True, False)
    with exclusive(directory) as again:
        assert again


def test_an_unusable_directory_is_a_clear_error(tmp_path: Path) -> None:
    """A file in the way of the run directory is named, with what to do."""
    directory = RuntimeDirectory(tmp_path / "runtimes" / "1.0")
    directory.path.mkdir(parents=True)
    directory.run.write_text("")
    with pytest.raises(StateError, match=r"cannot use .*run"), exclusive(directory):
        pytest.fail("the lock was taken")
    assert not listening(RuntimeDirectory(make_runtime(tmp_path / "other").path))


def test_the_peer_of_a_socket_is_known() -> None:
    """The kernel names the user at the other end."""
    one, other = socket.socketpair(socket.AF_UNIX)
    assert peer_user(one) == os.geteuid()
    one.close()
    other.close()
    assert peer_user(one) is None


def test_the_idle_time_is_a_minute_unless_said_otherwise() -> None:
    """Nonsense in the environment is the default, never a crash."""
    assert idle_seconds({}) == IDLE_SECONDS == 60
    assert idle_seconds({"SATORI_RUNTIME_IDLE_SECONDS": "2.5"}) == 2.5
    assert idle_seconds({"SATORI_RUNTIME_IDLE_SECONDS": "soon"}) == 60
    assert idle_seconds({"SATORI_RUNTIME_IDLE_SECONDS": "-1"}) == 0.1


def test_work_that_no_session_waits_for_keeps_the_runtime(directory: RuntimeDirectory) -> None:
    """An agent may start a build and leave: the runtime idles out only once that is over."""
    working = True

    async def serve(*_: object) -> None:
        """No session comes."""

    service = Service(serve=serve, evict_idle=lambda: None, close=lambda: None, busy=lambda: working)

    async def run() -> None:
        nonlocal working
        task = asyncio.create_task(Host(bind(directory), service, idle=0.2).run())
        await asyncio.sleep(0.8)
        assert not task.done()
        working = False
        await asyncio.wait_for(task, 2)

    asyncio.run(run())


def test_a_long_log_is_cut(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A log beyond a mebibyte keeps its end."""
    log = tmp_path / "runtime.log"
    log.write_bytes(b"old\n" * 300_000 + b"the end\n")
    trim_log(log)
    assert log.stat().st_size == 0
    assert capfdbinary.readouterr().err.endswith(b"the end\n")


def test_runtime_directories_are_listed_by_name(tmp_path: Path) -> None:
    """Files, links and hidden directories are no runtimes."""
    base = tmp_path / "runtimes"
    for name in ("2.0", "1.0", ".staging"):
        (base / name).mkdir(parents=True)
    (base / "file").write_text("")
    (base / "link").symlink_to(base / "1.0")
    assert [directory.name for directory in runtime_directories(tmp_path)] == ["1.0", "2.0"]
    assert list(runtime_directories(tmp_path / "nowhere")) == []
