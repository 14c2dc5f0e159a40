"""Examines an installation: each finding has a level, a reason and, unless it is well, the command that mends it.

It changes nothing; starting the launcher starts a runtime, which ends by itself.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path

import satori
from satori.clients.apply import read_configuration
from satori.clients.catalogue import CLIENTS
from satori.clients.client import launcher_of
from satori.clients.finding import Finding, Level
from satori.clients.formats import RefusedError
from satori.clients.installation import Installer
from satori.clients.plan import find_entry, is_managed
from satori.clients.probe import probe
from satori.clients.providers import examine_providers
from satori.clients.receipts import digest
from satori.clients.skill import skill_file, skill_text
from satori.errors import SatoriError
from satori.publication.owners import owners as writers
from satori.publication.state import read_json
from satori.runtime import environment
from satori.runtime.owners import live_owners, owner_of
from satori.runtime.paths import runtime_directories
from satori.runtime.payload import recorded_tools

LOW_DISK = 1 << 30


def examine(installer: Installer, *, full: bool = False) -> list[Finding]:
    """Every finding; `full` also reads every stored index from end to end."""
    findings: list[Finding] = []
    for part in (_versions, _launcher, _clients, _skill, _runtimes, _models, _disk):
        findings.extend(part(installer))
    findings.extend(examine_providers())
    findings.extend(_codebases(installer, full=full))
    return findings


def _versions(installer: Installer) -> Iterator[Finding]:
    words = f"Satori {satori.__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield Finding("version", Level.OK, words)


def _launcher(installer: Installer) -> Iterator[Finding]:
    if not os.path.lexists(installer.launcher):
        if installer.installed_clients():
            yield Finding("launcher", Level.FAIL, f"{installer.launcher} is missing.", "satori install")
        else:
            yield Finding("launcher", Level.OK, "not installed; no agent needs it")
        return
    directory = environment.installed(installer.state_root)
    if directory is None:
        yield Finding("launcher", Level.FAIL, "it names no complete private environment.", "satori install")
        return
    expected = recorded_tools(directory)
    try:
        found = probe([installer.launcher], environment=dict(installer.surroundings.environment))
    except SatoriError as error:
        yield Finding("launcher", Level.FAIL, f"{error} Log: {directory.log}", "satori terminate && satori install")
        return
    if list(found.tools) != expected:
        yield Finding("launcher", Level.FAIL, f"it offers {len(found.tools)} tools.", "satori install")
    else:
        words = f"{directory.name}: {len(found.tools)} tools, initialize {found.handshake_ms:.0f} ms"
        yield Finding("launcher", Level.OK, f"{words}, first call {found.call_ms:.0f} ms")
    if not environment.is_current(directory):
        words = f"this command is {environment.current_name()}, agents get {directory.name}."
        yield Finding("launcher version", Level.WARN, words, "satori install")


def _clients(installer: Installer) -> Iterator[Finding]:
    receipts = installer.book.clients()
    for client in CLIENTS:
        file = installer.file(client)
        subject = f"client {client.name}"
        mend = f"satori install --client {client.name}"
        try:
            entry = find_entry(client, read_configuration(file))
        except RefusedError as error:
            if client.name in receipts or client.detected(installer.surroundings):
                yield Finding(subject, Level.FAIL, f"{file}: {error.message}", f"Mend {file}, then: {mend}")
            continue
        if entry is None and client.name in receipts:
            yield Finding(subject, Level.FAIL, f"{file} lost Satori's entry.", mend)
        elif entry is None and client.detected(installer.surroundings):
            yield Finding(subject, Level.WARN, "found here, without Satori.", mend)
        elif entry is not None and not is_managed(entry, installer.launcher):
            words = f"{file} line {entry.start_line}: an entry satori starts {launcher_of(entry.value) or 'something'}."
            yield Finding(subject, Level.WARN, words, f"Remove it, then: {mend}")
        elif entry is not None:
            off = (
                entry.value.get("disabled") is True or entry.value.get("enabled") is False
                if isinstance(entry.value, dict)
                else False
            )
            level = Level.WARN if off else Level.OK
            yield Finding(subject, level, f"{file} line {entry.start_line}{': switched off.' if off else ''}")


def _skill(installer: Installer) -> Iterator[Finding]:
    receipt = installer.book.skill()
    if receipt is None:
        return
    file = skill_file(installer.surroundings)
    try:
        data = read_configuration(file)
    except RefusedError as error:
        yield Finding("skill", Level.FAIL, error.message, "satori install")
        return
    if data is None:
        yield Finding("skill", Level.FAIL, f"{file} is missing.", "satori install")
        return
    if digest(data) not in (receipt.content, digest(skill_text())):
        yield Finding("skill", Level.WARN, f"{file} was changed by hand.")
    else:
        yield Finding("skill", Level.OK, str(file))
    for link in receipt.links:
        if os.path.realpath(link) != os.path.realpath(file.parent):
            yield Finding("skill link", Level.WARN, f"{link} does not lead to the skill.", "satori install")


def _runtimes(installer: Installer) -> Iterator[Finding]:
    owners = live_owners(installer.state_root)
    for owner in owners:
        yield Finding("runtime", Level.OK, str(owner))
    if len(owners) > 1:
        words = "several versions run at once; indexes cannot be changed until one is left."
        yield Finding("runtimes", Level.WARN, words, "satori terminate")
    if not owners:
        yield Finding("runtime", Level.OK, "none is running; the next request starts one")
    for writer in writers(installer.state_root):
        yield Finding("writer", Level.OK, f"process {writer.pid}, version {writer.version}, is changing an index")
    yield from _watchers(installer)


def _watchers(installer: Installer) -> Iterator[Finding]:
    """What live runtimes watch, and why they do not watch what they should."""
    found = False
    for directory in runtime_directories(installer.state_root):
        record = (read_json(directory.watches) or {}) if owner_of(directory) is not None else {}
        for state in record.get("codebases", ()):
            found = True
            subject = f"watcher {state.get('root')}"
            if state.get("watched"):
                yield Finding(subject, Level.OK, f"{state.get('directories')} directories, {state.get('syncs')} syncs")
            else:
                words = f"not watched: {state.get('reason') or 'it begins'}; every request checks for itself"
                yield Finding(subject, Level.WARN if state.get("reason") else Level.OK, words)
    if not found:
        yield Finding("watchers", Level.OK, "none: every request checks for itself what changed on disk")


def _models(installer: Installer) -> Iterator[Finding]:
    from satori.embedding.registry import load_embedder
    from satori.embedding.weights import verify

    try:
        # A start checks sizes and the small files only; here every vector is read.
        verify()
        embedder = load_embedder()
    except SatoriError as error:
        yield Finding("model static", Level.FAIL, error.message, "pip install --force-reinstall satori-code")
        return
    yield Finding("model static", Level.OK, f"{embedder.model}, verified by its hash")


def _disk(installer: Installer) -> Iterator[Finding]:
    from satori.publication.status import disk_bytes

    place = installer.state_root
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    words = f"{installer.state_root} takes {_size(disk_bytes(installer.state_root))}, {_size(free)} are free"
    if not os.access(place, os.W_OK):
        yield Finding("disk", Level.FAIL, f"{installer.state_root} cannot be written.", f"chmod u+w {place}")
    elif free < LOW_DISK:
        yield Finding("disk", Level.WARN, words, "satori list")
    else:
        yield Finding("disk", Level.OK, words)
    if place == installer.state_root and place.stat().st_mode & 0o077:
        yield Finding("permissions", Level.WARN, f"{place} is open to others.", f"chmod 700 {place}")


def _codebases(installer: Installer, *, full: bool) -> Iterator[Finding]:
    from satori.embedding.registry import chosen, load_embedder
    from satori.publication.embedders import fingerprint_of
    from satori.publication.status import list_codebases

    try:
        statuses = list_codebases(installer.state_root, fingerprint_of(load_embedder(chosen())))
    except SatoriError as error:
        yield Finding("codebases", Level.FAIL, error.message, error.next_step)
        return
    if not statuses:
        yield Finding("codebases", Level.OK, "none indexed")
    for status in statuses:
        subject = f"codebase {status.root or status.id}"
        command = f"satori index {status.root}"
        if not status.root_exists:
            yield Finding(subject, Level.WARN, "its directory is gone.", f"satori clear {status.root}")
        elif status.running is not None:
            yield Finding(subject, Level.OK, f"{status.state.value}, process {status.owner_pid} works on it")
        elif not status.served or status.reason:
            level = Level.FAIL if not status.served else Level.WARN
            yield Finding(subject, level, f"{status.state.value}: {status.message or status.reason}", command)
        elif full and (fault := _read_through(installer, status.root)):
            yield Finding(subject, Level.FAIL, fault, f"satori index --force {status.root}")
        else:
            yield Finding(subject, Level.OK, f"{status.state.value}{', read from end to end' if full else ''}")


def _read_through(installer: Installer, root: str) -> str:
    """Read every stored file, symbol and chunk of a codebase; what is wrong, or ""."""
    from satori.publication.lifecycle import Lifecycle

    try:
        with Lifecycle(installer.state_root, Path(root)).pin() as snapshot:
            for row in snapshot.files():
                if row.indexed:
                    snapshot.content(row.file_id)
                    snapshot.symbols(row.file_id)
                    snapshot.chunks(row.file_id)
            snapshot.manifest().merkle_root()
    except SatoriError as error:
        return error.message
    return ""


def _size(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB" if count >= 1 << 30 else f"{count / (1 << 20):.0f} MiB"
