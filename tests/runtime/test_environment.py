from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from satori.clients.probe import probe
from satori.errors import SatoriError
from satori.runtime import environment, owners
from satori.runtime.launcher import __file__ as launcher_file
from satori.runtime.paths import RuntimeDirectory, launcher_command, shell_command
from satori.runtime.payload import recorded_tools
from satori.runtime.upgrade import upgrade
from satori.server.tools.registry import CONTRACTS
from tests.runtime.client import Client, make_runtime


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RuntimeDirectory]:
    """A private environment of the code under test, with its launcher."""
    state_root = tmp_path_factory.mktemp("home of an agent's") / ".satori"
    directory = environment.provide(state_root)
    environment.switch(directory)
    yield directory
    owners.terminate(state_root)


def test_the_private_environment_serves_the_tools(installed: RuntimeDirectory) -> None:
    """The launcher of a fresh environment lists every tool in order and answers a call, with a handful of variables."""
    found = probe([str(launcher_command(installed.state_root))], environment={"SATORI_RUNTIME_IDLE_SECONDS": "1"})
    assert list(found.tools) == [contract.name for contract in CONTRACTS] == recorded_tools(installed)
    assert found.handshake_ms < 2000


def test_recorded_replies_are_those_of_the_live_server(installed: RuntimeDirectory) -> None:
    """What the launcher says by heart is what Satori's own server says, in every protocol revision and era."""
    recorded = json.loads(installed.payload.read_text())
    silent = RuntimeDirectory(installed.path.with_name("0-silent"))
    shutil.copytree(installed.path, silent.path, symlinks=True, ignore=shutil.ignore_patterns("lib", "run"))
    (silent.path / "lib").symlink_to(installed.path / "lib")
    silent.payload.unlink()
    try:
        for version in ("2024-11-05", "2025-11-25"):
            client = Client.of(silent)
            assert client.open(version)["result"] == json.loads(recorded[version]["initialize"])
            assert client.ask("tools/list")["result"] == json.loads(recorded[version]["tools/list"])
            client.close()
    finally:
        owners.terminate(installed.state_root)
        shutil.rmtree(silent.path)


def test_it_stands_by_itself(installed: RuntimeDirectory) -> None:
    """Nothing of it leads to the environment that made it, nor to a package manager; its files are the person's own."""
    said = subprocess.run(
        [str(installed.python), "-I", "-c", "import satori, mcp, sys; print(satori.__file__, mcp.__file__, *sys.path)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert str(Path(sys.prefix)) not in said
    assert said.startswith(str(installed.path))
    for command in (launcher_command(installed.state_root), shell_command(installed.state_root)):
        script = command.read_text()
        assert sys.prefix not in script and "uv" not in script.split() and "pip" not in script
        assert stat.S_IMODE(command.stat().st_mode) == 0o700
    assert stat.S_IMODE(installed.state_root.stat().st_mode) == 0o700
    names = {path.name.partition("-")[0] for path in environment.site_packages(installed).glob("*.dist-info")}
    assert {"satori_code", "mcp", "lancedb"} <= names and not {"pytest", "ruff", "mypy", "pip"} & names


def test_the_shell_command_works_on_the_same_state(installed: RuntimeDirectory, tmp_path: Path) -> None:
    """`bin/satori` is the installed version's command, bound to its state root."""
    done = subprocess.run(
        [str(shell_command(installed.state_root)), "list"],
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / ".satori").exists()


def test_providing_again_makes_nothing(installed: RuntimeDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same code has one directory; a half-made one is no installation."""
    made = installed.record.stat().st_mtime_ns
    # A checkout may change while it is tested; the name is the one that was installed.
    monkeypatch.setattr(environment, "current_name", lambda: installed.name)
    assert environment.provide(installed.state_root) == installed
    assert installed.record.stat().st_mtime_ns == made
    assert environment.installed(installed.state_root) == installed
    record = installed.record.read_bytes()
    installed.record.unlink()
    assert environment.installed(installed.state_root) is None
    installed.record.write_bytes(record)


def test_the_code_hash_follows_the_code(tmp_path: Path) -> None:
    """Another byte, another name and a moved file are another code state; compiled files are none."""
    package = tmp_path / "p"
    (package / "sub").mkdir(parents=True)
    (package / "a.py").write_text("1")
    first = environment.code_hash(package)
    (package / "__pycache__").mkdir()
    (package / "__pycache__/a.pyc").write_text("x")
    assert environment.code_hash(package) == first and len(first) == 8
    (package / "a.py").rename(package / "sub/a.py")
    second = environment.code_hash(package)
    (package / "sub/a.py").write_text("2")
    assert len({first, second, environment.code_hash(package)}) == 3


def test_the_closure_is_what_runs_and_nothing_else() -> None:
    """Requirements of requirements and asked-for extras are in it; development tools are not."""
    names = {distribution.metadata["Name"].lower() for distribution in environment.closure("satori-code")}
    assert {"satori-code", "mcp", "pydantic", "anyio", "numpy"} <= names
    assert not {"pytest", "hypothesis", "mypy", "ruff", "hatchling"} & names
    with pytest.raises(SatoriError, match="not installed"):
        list(environment.closure("no-such-distribution-here"))


def test_sweeping_spares_what_is_named_or_alive(tmp_path: Path) -> None:
    """Versions that neither the launcher names nor a runtime uses go; the others stay."""
    named, alive, idle = (make_runtime(tmp_path, f"{number}.0-x") for number in (1, 2, 3))
    for directory in (named, alive, idle):
        directory.record.write_text("{}")
    environment.switch(named)
    client = Client.of(alive)
    client.open()
    client.text("echo")
    assert environment.sweep(tmp_path) == (idle.name,)
    assert named.path.is_dir() and alive.path.is_dir() and not idle.path.exists()
    client.close()
    owners.terminate(tmp_path)
    assert environment.sweep(tmp_path) == (alive.name,)


def make_wheel(folder: Path, version: str, *, works: bool) -> Path:
    """A wheel of a distribution that looks like Satori's and answers its installer, or does not."""
    payload = {"default": "2025-11-25", "2025-11-25": {"initialize": "{}", "tools/list": '{"tools": []}'}}
    body = (
        f"import sys, pathlib\npathlib.Path(sys.argv[1], 'payload.json').write_text({json.dumps(payload)!r})\n"
        if works
        else "raise SystemExit('this version is broken')\n"
    )
    info = f"satori_code-{version}.dist-info"
    files = {
        "satori/__init__.py": f"__version__ = '{version}'\n",
        "satori/runtime/__init__.py": "",
        "satori/runtime/payload.py": body,
        "satori/runtime/launcher.py": Path(launcher_file).read_text(),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: satori-code\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    wheel = folder / f"satori_code-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        record = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
        archive.writestr(f"{info}/RECORD", record)
    return wheel


def test_an_upgrade_is_verified_before_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that cannot be fetched or does not start leaves the old one in use; one that works is switched to."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    state_root = tmp_path / "state"
    old = make_runtime(state_root, "1.0-old")
    old.record.write_text("{}")
    environment.switch(old)
    launcher = launcher_command(state_root).read_bytes()
    for requirement, words in (
        (str(tmp_path / "satori_code-8.0-py3-none-any.whl"), "pip could not install"),
        (str(make_wheel(tmp_path, "9.0", works=False)), "this version is broken"),
    ):
        with pytest.raises(SatoriError, match=words):
            upgrade(state_root, requirement)
        assert launcher_command(state_root).read_bytes() == launcher
        assert environment.installed(state_root) == old
        assert [path.name for path in (state_root / "runtimes").iterdir()] == ["1.0-old"]
    new, changed = upgrade(state_root, str(make_wheel(tmp_path, "9.1", works=True)))
    assert changed and new.name.startswith("9.1-")
    assert environment.installed(state_root) == new
    assert not old.path.exists()


def test_an_extra_that_was_installed_since_gets_an_environment_of_its_own(tmp_path: Path) -> None:
    """A complete environment never changes: one that lacks a chosen extra's package is left alone, and another made."""
    first = environment.provide(tmp_path)
    assert "potion" in environment.installed_extras()
    for found in environment.site_packages(first).glob("tokenizers-*.dist-info"):
        shutil.rmtree(found)
    second = environment.provide(tmp_path)
    assert second != first and environment.is_current(first) and environment.is_current(second)
    assert list(environment.site_packages(second).glob("tokenizers-*.dist-info"))
    assert environment.provide(tmp_path) == second
