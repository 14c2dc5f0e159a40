"""Fetches a version into an environment of its own, verifies it there, and only then lets the launcher start it.

pip is the fetcher, with whatever index and settings the person gave it. Until the switch nothing that agents use has
changed; a running runtime of the old version goes on until its sessions end.
"""

from __future__ import annotations

import ensurepip
import os
import shutil
import subprocess
from pathlib import Path

from satori.errors import SatoriError
from satori.publication.state import state_error
from satori.runtime import environment
from satori.runtime.paths import RuntimeDirectory

FETCH_SECONDS = 1800.0


def upgrade(state_root: Path, requirement: str = environment.DISTRIBUTION) -> tuple[RuntimeDirectory, bool]:
    """Install the requirement's newest version beside the present one and switch to it.

    Args:
        state_root: The state root whose launcher is switched.
        requirement: What pip installs: a name with or without a version, a wheel, or a directory.

    Returns:
        The version in use afterwards, and whether it is another one than before.

    Raises:
        SatoriError: it could not be fetched, or does not work; the present version stays in use.
    """
    before = environment.installed(state_root)
    staging = environment.stage(state_root)
    try:
        environment.create_environment(staging)
        _fetch(staging, requirement)
        package = environment.site_packages(staging) / "satori"
        if not package.is_dir():
            raise SatoriError(f"{requirement} holds no satori package.", next_step="Name satori-code.")
        name = f"{_version(staging)}-{environment.code_hash(package)}"
        directory = RuntimeDirectory(state_root / "runtimes" / name)
        if not environment.is_complete(directory):
            environment.finish(staging, directory)
    except OSError as error:
        raise state_error(error, "make the new environment") from error
    finally:
        shutil.rmtree(staging.path, ignore_errors=True)
    environment.switch(directory)
    environment.sweep(state_root)
    return directory, before != directory


def _fetch(staging: RuntimeDirectory, requirement: str) -> None:
    # Python brings pip along for `venv`; run from its wheel, it stays out of the new environment.
    wheels = sorted(Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl"))
    if not wheels:
        raise SatoriError(
            "This Python brings no pip along.",
            next_step="Install its venv package (Debian, Ubuntu: apt-get install python3-venv), then try again.",
        )
    pip = [str(staging.python), f"{wheels[-1]}/pip", "install", "--quiet", "--disable-pip-version-check"]
    command = [*pip, requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise SatoriError(f"pip did not finish within {FETCH_SECONDS / 60:.0f} minutes.") from error
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["ERROR: no message"]
        raise SatoriError(
            f"pip could not install {requirement}: {lines[-1].removeprefix('ERROR: ')}",
            next_step="The version in use is unchanged. Check pip's settings and run it again.",
        )


def _version(staging: RuntimeDirectory) -> str:
    done = subprocess.run(
        [str(staging.python), "-I", "-c", "import satori; print(satori.__version__)"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PATH": os.environ.get("PATH", "")},
    )
    if done.returncode != 0:
        raise SatoriError("The fetched version does not import.", next_step="The version in use is unchanged.")
    return done.stdout.strip()
