"""The crash harness: kill, fail and starve create, sync, reindex and clear, and see that nothing wrong is ever served.

    python benchmarks/crash.py [--rounds 1000] [--seed 1] [--faults 200] [--disks 24] [--output FILE]

Each round restores a tree and a state, lets a forked process act, and hurts it: SIGKILL at every named stage in turn
and at random moments (`--rounds`), ENOSPC and EIO at the n-th call to the disk or to SQLite (`--faults`), and real
full disks, where a tmpfs can be mounted (`--disks`). Then a process without any memory of it must serve exactly the old
Publication or exactly the new one; a following sync must equal a clean build and leave no litter. Every twentieth
round kills the real child process with its real workers instead. Any violation is printed and makes the exit status 1.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.crash_scenes import SCENES, Scene, Theatre
from benchmarks.equality import differences
from benchmarks.faults import CallCounter, SmallDisk, kill_at
from satori.errors import SatoriError
from satori.publication.stages import Stage
from satori.publication.status import CodebaseState

_REAL_EVERY = 20
_REPORT_EVERY = 25


@dataclass(slots=True)
class Tally:
    """What happened, and what must not have."""

    rounds: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)


class Harness:
    """Plays rounds in one theatre."""

    def __init__(self, home: Path, seed: int) -> None:
        self.theatre = Theatre(home)
        self.random = random.Random(seed)
        self.seed = seed
        self.began = time.monotonic()
        self.output: Path | None = None
        self.tally = Tally()
        self.old: dict[str, Any] | None = None
        self.new: dict[str, Any] | None = None
        self.seconds: dict[str, float] = {}

    def report(self) -> str:
        """What has been played so far, as JSON; also written to the output file."""
        tally = self.tally
        text = json.dumps(
            {
                "seed": self.seed,
                "seconds": round(time.monotonic() - self.began),
                "total": sum(tally.rounds.values()),
                "rounds": dict(sorted(tally.rounds.items())),
                "outcomes": dict(sorted(tally.outcomes.items())),
                "violations": tally.violations,
            },
            indent=2,
        )
        if self.output is not None:
            self.output.write_text(text + "\n", encoding="utf-8")
        return text

    def prepare(self) -> None:
        """The state before, what the two trees say, and how long each action takes when nobody hurts it."""
        _forked(self.theatre.prepare)
        self.old = _forked(self.theatre.served)
        for scene in SCENES:
            self.theatre.restore(scene)
            began = time.monotonic()
            _forked(partial(self.theatre.act, scene))
            self.seconds[scene.name] = time.monotonic() - began
            if scene.name == "create":
                self.new = _forked(self.theatre.served)
        assert self.old is not None and self.new is not None and self.old != self.new

    def kills(self, rounds: int) -> None:
        """SIGKILL: every stage of every scene in turn, between them random moments."""
        named = [(scene, stage) for scene in SCENES for stage in scene.stages]
        for number in range(rounds):
            scene, stage = named[(number // 2) % len(named)]
            if number % 2 == 0:
                self._round(f"{scene.name}, killed at {stage}", scene, partial(self._at_stage, scene, stage))
            elif number % _REAL_EVERY == 1:
                self._round(f"{scene.name}, real child killed", scene, partial(self._real_child, scene))
            else:
                self._round(f"{scene.name}, killed at random", scene, partial(self._at_random, scene))

    def faults(self, rounds: int) -> None:
        """ENOSPC and EIO at calls drawn from all that an undisturbed run makes."""
        calls = {scene.name: self._count_calls(scene) for scene in SCENES}
        for number in range(rounds):
            scene = SCENES[number % len(SCENES)]
            code = errno.ENOSPC if number // len(SCENES) % 2 else errno.EIO
            at = self.random.randint(1, max(1, calls[scene.name]))
            name = f"{scene.name}, {errno.errorcode[code]}"
            self._round(name, scene, partial(self._failing, scene, at, code))

    def disks(self, rounds: int) -> bool:
        """Full disks of growing size; False when none can be mounted here."""
        disk = SmallDisk(self.theatre.state)
        size = _tree_bytes(self.theatre.home / "kept")
        for number in range(rounds):
            scene = SCENES[number % len(SCENES)]
            self.theatre.restore(scene)
            spare = self.theatre.home / "spare"
            shutil.rmtree(spare, ignore_errors=True)
            if self.theatre.state.exists():
                self.theatre.state.rename(spare)
            if not disk.mount(64 << 20):
                return False
            try:
                if spare.exists():
                    shutil.copytree(spare, self.theatre.state, dirs_exist_ok=True)
                room = disk.used() + int(size * 2.2 * (number // len(SCENES)) / max(1, rounds // len(SCENES) - 1))
                disk.resize(room)
                self._hurt(f"{scene.name}, full disk", scene, partial(self._report, scene))
                self.theatre.renew_store()
                self._served_is_whole(f"{scene.name}, full disk", scene)
                disk.resize(64 << 20)
                self._converges(f"{scene.name}, full disk", scene)
            finally:
                disk.unmount()
        return True

    def _round(self, name: str, scene: Scene, hurt: Callable[[], str]) -> None:
        self.theatre.restore(scene)
        self._hurt(name, scene, hurt)
        self._served_is_whole(name, scene)
        self._converges(name, scene)

    def _hurt(self, name: str, scene: Scene, hurt: Callable[[], str]) -> None:
        self.tally.rounds[name.partition(",")[0]] += 1
        self.tally.outcomes[f"{name.partition(', ')[2]}: {hurt()}"] += 1
        if sum(self.tally.rounds.values()) % _REPORT_EVERY == 0:
            self.report()

    def _served_is_whole(self, name: str, scene: Scene) -> None:
        try:
            served = _forked(self.theatre.served)
        except Failed as error:
            self.tally.violations.append(f"{name}: a fresh process cannot read: {error}")
            return
        allowed = [None, self.new] if scene.fresh_state else [self.old, self.new]
        if scene.action == "clear":
            allowed = [self.old, None]
        if served not in allowed:
            shown = differences(served or {}, self.new or {})[:3]
            self.tally.violations.append(f"{name}: neither the old nor the new Publication is served: {shown}")

    def _converges(self, name: str, scene: Scene) -> None:
        wanted = self.old if scene.action == "clear" else self.new
        try:
            served, state, litter = _forked(self._sync_and_look)
        except Failed as error:
            self.tally.violations.append(f"{name}: the following sync failed: {error}")
            return
        if served != wanted:
            self.tally.violations.append(f"{name}: after a sync: {differences(served or {}, wanted or {})[:3]}")
        if state != CodebaseState.READY or litter:
            self.tally.violations.append(f"{name}: after a sync: state {state}, litter {litter}")

    def _sync_and_look(self) -> tuple[dict[str, Any] | None, str, list[str]]:
        lifecycle = self.theatre.lifecycle()
        lifecycle.sync(wait_seconds=5)
        return self.theatre.served(), lifecycle.status().state.value, self.theatre.litter()

    def _at_stage(self, scene: Scene, stage: Stage) -> str:
        def act() -> None:
            kill_at(stage)
            self.theatre.act(scene)

        outcome = _outcome(_wait(_fork(act)))
        if stage is Stage.RELATIONS_WRITTEN:
            self.theatre.renew_store()
        return outcome

    def _at_random(self, scene: Scene) -> str:
        child = _fork(lambda: self.theatre.act(scene))
        time.sleep(self.random.uniform(0, self.seconds[scene.name] * 1.05))
        os.kill(child, signal.SIGKILL)
        outcome = _outcome(_wait(child))
        if scene.name not in ("sync", "clear"):
            self.theatre.renew_store()
        return outcome

    def _real_child(self, scene: Scene) -> str:
        arguments = ["--state-root", str(self.theatre.state), "--root", str(self.theatre.root)]
        arguments += ["--action", scene.action, "--operation", "op-crash"]
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "satori.publication.child", *arguments],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
        )
        time.sleep(self.random.uniform(0.2, 0.6 + self.seconds[scene.name] * 1.5))
        child.kill()
        child.wait()
        assert child.stdin is not None
        child.stdin.close()
        return "killed" if child.returncode < 0 else "done before"

    def _failing(self, scene: Scene, at: int, code: int) -> str:
        def act() -> str:
            CallCounter(at, code).install()
            return self._report(scene)

        try:
            return str(_forked(act))
        finally:
            self.theatre.renew_store()

    def _report(self, scene: Scene) -> str:
        """Act; the refusal's code when it refuses. Anything but a refusal with a reason is a violation."""

        def act() -> str:
            try:
                self.theatre.act(scene)
            except SatoriError as error:
                return error.code
            return "done"

        return str(_forked(act))

    def _count_calls(self, scene: Scene) -> int:
        self.theatre.restore(scene)

        def act() -> int:
            counter = CallCounter(0, errno.EIO)
            counter.install()
            self.theatre.act(scene)
            return counter.calls

        return int(_forked(act))


class Failed(Exception):  # noqa: N818
    """A forked function raised."""


def _fork(function: Callable[[], object], answer: int | None = None) -> int:
    child = os.fork()
    if child:
        return child
    try:
        result: tuple[bool, object] = (True, function())
    except BaseException as error:
        result = (False, f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-4)}")
    try:
        if answer is not None:
            with os.fdopen(answer, "wb") as stream:
                pickle.dump(result, stream)
    finally:
        os._exit(0 if result[0] else 1)


def _forked(function: Callable[[], Any]) -> Any:
    """The value of `function`, called in a process that knows only what this one knew before."""
    reader, writer = os.pipe()

    def call() -> object:
        os.close(reader)
        return function()

    child = _fork(call, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        data = stream.read()
    _wait(child)
    if not data:
        raise Failed("the process ended without an answer")
    well, value = pickle.loads(data)
    if not well:
        raise Failed(str(value))
    return value


def _wait(child: int) -> int:
    return os.waitpid(child, 0)[1]


def _outcome(status: int) -> str:
    return "killed" if os.WIFSIGNALED(status) else "done before"


def _tree_bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def main() -> int:
    """Play all rounds and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1000, help="kills")
    parser.add_argument("--faults", type=int, default=200, help="failed calls")
    parser.add_argument("--disks", type=int, default=25, help="full disks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="satori-crash-") as home:
        harness = Harness(Path(home), arguments.seed)
        harness.output = arguments.output
        harness.prepare()
        harness.kills(arguments.rounds)
        harness.faults(arguments.faults)
        if arguments.disks and not harness.disks(arguments.disks):
            print("No file system can be mounted here: full disks were left out.", file=sys.stderr)
        harness.theatre.store.close()
        print(harness.report())
    return 1 if harness.tally.violations else 0


if __name__ == "__main__":
    sys.exit(main())
