"""Makes the private environment of one version under the state root, from the environment that runs now.

The installed distribution and everything it requires are linked (or copied) file by file, so that no package manager
runs, nothing is downloaded, and an environment that its tool deletes tomorrow (uvx, pipx run) is not needed again.
A directory is complete once it has its record, which is written last; it then never changes. Deliberately absent:
fetching a newer version, which is `satori.runtime.upgrade`.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath

import satori
from satori.errors import SatoriError, StateError
from satori.publication.state import make_directory, read_json, state_error, write_atomically, write_json
from satori.runtime.owners import owner_of
from satori.runtime.paths import RuntimeDirectory, launcher_command, runtime_directories, shell_command

DISTRIBUTION = "satori-code"
VERIFY_SECONDS = 120.0
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^\]]*)\])?[^;]*(?:;(.*))?$")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


def code_hash(package: Path) -> str:
    """Eight hexadecimal digits of the package's files, names and bytes."""
    digest = hashlib.blake2b(digest_size=4)
    for path in sorted(_package_files(package)):
        digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
        digest.update(hashlib.blake2b(path.read_bytes(), digest_size=16).digest())
    return digest.hexdigest()


def current_name() -> str:
    """The name of the running code's runtime directory: `<version>-<code>`."""
    return f"{satori.__version__}-{code_hash(_package())}"


def installed(state_root: Path) -> RuntimeDirectory | None:
    """The runtime directory that the launcher names, None when there is no working one."""
    try:
        script = launcher_command(state_root).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    for directory in runtime_directories(state_root):
        if f"/runtimes/{directory.name}/launcher.pyc" in script and is_complete(directory):
            return directory
    return None


def is_current(directory: RuntimeDirectory) -> bool:
    """Whether the directory holds the running code, with whatever extras."""
    name = current_name()
    return directory.name == name or directory.name.startswith(f"{name}-")


def installed_extras() -> tuple[str, ...]:
    """The extras of the running distribution all of whose own requirements are installed."""
    try:
        distribution = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return ()
    needed: dict[str, list[str]] = {extra: [] for extra in distribution.metadata.get_all("Provides-Extra") or ()}
    for line in distribution.requires or ():
        match, condition = _REQUIREMENT.match(line), _EXTRA.search(line)
        if match is not None and condition is not None and condition[1] in needed:
            needed[condition[1]].append(match[1])
    return tuple(sorted(extra for extra, names in needed.items() if names and all(map(_is_installed, names))))


def _is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _holds_all(directory: RuntimeDirectory) -> bool:
    """Whether everything that is required or was chosen, and is installed here, is in the directory as well."""
    there = {_normal(found.metadata["Name"]) for found in metadata.distributions(path=[str(site_packages(directory))])}
    return all(_normal(wanted.metadata["Name"]) in there for wanted in closure(DISTRIBUTION))


def _closure_digest() -> str:
    names = sorted(f"{_normal(found.metadata['Name'])}=={found.version}" for found in closure(DISTRIBUTION))
    return hashlib.blake2b("\n".join(names).encode(), digest_size=4).hexdigest()


def is_complete(directory: RuntimeDirectory) -> bool:
    """Whether the directory was made to the end and its interpreter is still there."""
    return read_json(directory.record) is not None and directory.payload.is_file() and directory.python.exists()


def provide(state_root: Path) -> RuntimeDirectory:
    """The running code's private environment, made if it is not there.

    Raises:
        StateError: the state root cannot be written.
        SatoriError: the environment was made but does not work; nothing is left of it.
    """
    directory = RuntimeDirectory(state_root / "runtimes" / current_name())
    if is_complete(directory) and not _holds_all(directory):
        # An extra was installed since: what is complete never changes, so it gets a directory of its own.
        directory = RuntimeDirectory(directory.path.with_name(f"{current_name()}-{_closure_digest()}"))
    if is_complete(directory):
        return directory
    staging = stage(state_root)
    try:
        create_environment(staging)
        populate(site_packages(staging))
        finish(staging, directory)
    except OSError as error:
        raise state_error(error, "make the private environment") from error
    finally:
        shutil.rmtree(staging.path, ignore_errors=True)
    return directory


def stage(state_root: Path) -> RuntimeDirectory:
    """An empty directory in which an environment is made before anything names it."""
    path = state_root / "runtimes" / f".staging-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        make_directory(path)
    except OSError as error:
        raise state_error(error, "make the private environment") from error
    return RuntimeDirectory(path)


def create_environment(directory: RuntimeDirectory) -> None:
    """An empty virtual environment on the base interpreter of this one.

    Raises:
        StateError: the interpreter has no working `venv` (Debian's python3-venv is missing).
    """
    try:
        venv.EnvBuilder(symlinks=True, with_pip=False).create(directory.path)
    except (subprocess.CalledProcessError, ImportError) as error:
        raise StateError(
            "This Python cannot make a virtual environment.",
            next_step="Install its venv package (Debian, Ubuntu: apt-get install python3-venv), then try again.",
        ) from error


def site_packages(directory: RuntimeDirectory) -> Path:
    """Where the environment's packages lie."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(directory.path)}))


def populate(target: Path) -> None:
    """Put the running distribution and all it requires into an environment's packages. Raises OSError."""
    for distribution in closure(DISTRIBUTION):
        own = _normal(distribution.metadata["Name"]) == DISTRIBUTION
        for file in distribution.files or ():
            name = PurePosixPath(file)
            if ".." in name.parts or name.is_absolute() or name.suffix == ".pyc" or "__pycache__" in name.parts:
                continue
            # The own package may be a checkout that goes on changing: its metadata comes from here, its code below.
            if own and (not name.parts[0].endswith(".dist-info") or name.name in ("RECORD", "direct_url.json")):
                continue
            _place(Path(str(distribution.locate_file(file))), target / name, link=True)
    package = _package()
    for path in _package_files(package):
        _place(path, target / "satori" / path.relative_to(package), link=False)


def finish(staging: RuntimeDirectory, directory: RuntimeDirectory) -> None:
    """Verify a made environment by asking its server for its replies, then give it its name.

    Raises:
        SatoriError: the server does not start or answer.
        OSError: the files cannot be written.
    """
    package = site_packages(staging) / "satori"
    compile_launcher(package / "runtime" / "launcher.py", staging)
    try:
        done = subprocess.run(
            [str(staging.python), "-I", "-m", "satori.runtime.payload", str(staging.path)],
            capture_output=True,
            text=True,
            timeout=VERIFY_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SatoriError(f"The new environment's server did not answer in {VERIFY_SECONDS:.0f} s.") from error
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SatoriError(
            f"The new environment's server does not start: {last}", next_step="Nothing was changed; run it again."
        )
    make_directory(staging.run)
    record = {"version": directory.name, "python": sys.version.split()[0], "made": time.time()}
    write_json(staging.record, record, durable=True)
    if os.path.lexists(directory.path) and not is_complete(directory):
        shutil.rmtree(directory.path)
    try:
        staging.path.rename(directory.path)
    except OSError:
        # Another installation of the same code was faster; its result is the same.
        if not is_complete(directory):
            raise


def compile_launcher(source: Path, directory: RuntimeDirectory) -> None:
    """Compile the proxy once instead of at each of its starts: 4.5 of its 15.6 ms of processor time. Raises OSError."""
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(source), str(directory.launcher), doraise=True, invalidation_mode=mode)


def switch(directory: RuntimeDirectory) -> None:
    """Make the commands under bin/ start this version; each is replaced in one step. Raises StateError."""
    state_root = directory.state_root
    proxy = f"{_quoted(directory.python)} -I -S {_quoted(directory.launcher)} {_quoted(directory.path)}"
    shell = f"{_quoted(directory.python)} -I -X utf8 -m satori.cli.main"
    try:
        make_directory(launcher_command(state_root).parent)
        for path, command in ((launcher_command(state_root), proxy), (shell_command(state_root), shell)):
            export = (
                f"SATORI_STATE_ROOT={_quoted(state_root)}\nexport SATORI_STATE_ROOT\n" if path.name == "satori" else ""
            )
            write_atomically(path, f'#!/bin/sh\n{export}exec {command} "$@"\n'.encode(), durable=True)
            path.chmod(0o700)
    except OSError as error:
        raise state_error(error, "write the launcher") from error


def sweep(state_root: Path) -> tuple[str, ...]:
    """Remove versions that nothing names and no runtime uses, and what an interrupted installation left."""
    kept = installed(state_root)
    removed = []
    for directory in runtime_directories(state_root):
        if directory != kept and owner_of(directory) is None:
            shutil.rmtree(directory.path, ignore_errors=True)
            removed.append(directory.name)
    for leftover in (state_root / "runtimes").glob(".staging-*"):
        if time.time() - leftover.stat().st_mtime > 3600:
            shutil.rmtree(leftover, ignore_errors=True)
    return tuple(removed)


def closure(name: str) -> Iterator[metadata.Distribution]:
    """The named distribution and, recursively, what it and its extras require and is installed, each once.

    Raises:
        SatoriError: the distribution itself is not installed.
    """
    seen: set[tuple[str, str]] = set()
    given: set[str] = set()
    queue = [(_normal(name), "")]
    # Whatever extra the user installed beside it is wanted too; one that is not there is passed over.
    with contextlib.suppress(metadata.PackageNotFoundError):
        queue += [(_normal(name), extra) for extra in metadata.metadata(name).get_all("Provides-Extra") or ()]
    while queue:
        wanted, extra = queue.pop()
        if (wanted, extra) in seen:
            continue
        seen.add((wanted, extra))
        try:
            distribution = metadata.distribution(wanted)
        except metadata.PackageNotFoundError as error:
            if wanted == _normal(name):
                raise SatoriError(
                    f"{name} is not installed in this environment.", next_step=f"Install it: pip install {name}"
                ) from error
            continue
        if wanted not in given:
            given.add(wanted)
            yield distribution
        for line in distribution.requires or ():
            match = _REQUIREMENT.match(line)
            if match is None:
                continue
            condition = _EXTRA.search(match[3] or "")
            if condition is not None and condition[1] != extra:
                continue
            queue.append((_normal(match[1]), ""))
            queue.extend((_normal(match[1]), part.strip()) for part in (match[2] or "").split(",") if part.strip())


def _package() -> Path:
    return Path(satori.__file__).resolve().parent


def _package_files(package: Path) -> Iterator[Path]:
    for path in package.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def _place(source: Path, target: Path, *, link: bool) -> None:
    """Put one file, with its compiled form when there is one."""
    if not source.is_file() or target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    _link_or_copy(source, target, link=link)
    if source.suffix == ".py":
        compiled = Path(importlib.util.cache_from_source(str(source)))
        if compiled.is_file():
            copy = Path(importlib.util.cache_from_source(str(target)))
            copy.parent.mkdir(exist_ok=True)
            _link_or_copy(compiled, copy, link=False)


def _link_or_copy(source: Path, target: Path, *, link: bool) -> None:
    if link:
        try:
            os.link(source, target)
            return
        except OSError:
            pass
    shutil.copy2(source, target)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "'\\''") + "'"
