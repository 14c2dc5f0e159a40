"""Every reason of the closed list is reached: here for those that need a broken world, elsewhere for the rest."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from satori.publication import lease
from satori.publication.progress import Operation, OperationState, Phase
from satori.publication.state import write_json
from satori.server.reasons import Reason
from satori.server.tools import ToolContext
from tests.conftest import Indexed
from tests.server.asking import ask

World = Callable[[Indexed, ToolContext, pytest.MonkeyPatch], dict[str, Any]]
HERE = Path(__file__)


def search(indexed: Indexed, context: ToolContext) -> dict[str, Any]:
    return ask(context, "search_codebase", path=str(indexed.root), query="merge_carts")


def manage(indexed: Indexed, context: ToolContext, action: str, **more: Any) -> dict[str, Any]:
    return ask(context, "manage_index", action=action, path=str(indexed.root), **more)


def read(indexed: Indexed, context: ToolContext) -> dict[str, Any]:
    return ask(context, "read_file", path=f"{indexed.root}/shop/cart.py")


def record(indexed: Indexed, state: OperationState, **more: Any) -> None:
    """Write an operation's record as another process would leave it."""
    from satori.publication.process import own_identity

    me = own_identity()
    operation = Operation("op-1", "create", me.pid, me.start, "0", state, Phase.ANALYSING, 3, 9, 0.0, 0.0, **more)
    values = {name: getattr(operation, name) for name in operation.__slots__}
    write_json(indexed.lifecycle().paths.operation, values)


def unpublish(indexed: Indexed) -> None:
    indexed.lifecycle().paths.current.unlink()


def first_build(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    unpublish(indexed)
    record(indexed, OperationState.RUNNING)
    status = manage(indexed, context, "status")
    assert (status["status"], status["operation"]["percent"]) == ("indexing", 33)
    return search(indexed, context)


def build_failed(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    unpublish(indexed)
    record(indexed, OperationState.FAILED, code="build_failed", message="The disk broke.")
    status = manage(indexed, context, "status")
    assert (status["reason"], status["state"]) == ("build_failed", "failed")
    return search(indexed, context)


def mismatch(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    from satori.facts import versions

    patch.setattr(versions, "EXTRACTOR_VERSION", versions.EXTRACTOR_VERSION + 1)
    status = manage(indexed, context, "status")
    assert [one["field"] for one in status["fingerprintDifferences"]] == ["extractorVersion"]
    answer = search(indexed, context)
    assert answer["recommendedNextAction"]["arguments"]["action"] in ("status", "reindex")
    return answer


def database(indexed: Indexed) -> Path:
    return next(indexed.lifecycle().paths.generations.glob("*/publication.sqlite"))


def damaged(how: Callable[[Path], Any]) -> World:
    def world(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
        context.workbench.forget(str(indexed.root))
        path = database(indexed)
        for beside in (path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            beside.unlink(missing_ok=True)
        how(path)
        return search(indexed, context)

    return world


def header(at: int, value: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        checkpointed(path)
        data = bytearray(path.read_bytes())
        data[at : at + 4] = value.to_bytes(4, "big")
        path.write_bytes(data)

    return change


def overwritten(data: bytes) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.write_bytes(data)

    return change


def halved(path: Path) -> None:
    checkpointed(path)
    os.truncate(path, path.stat().st_size // 2)


def checkpointed(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def foreign(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    paths = indexed.lifecycle().paths
    pointer = paths.current.read_bytes()
    document = json.loads(pointer.split(b" ", 2)[2])
    import hashlib

    body = json.dumps({**document, "codebase": "another-aaaaaaaaaaaa"}, sort_keys=True).encode()
    check = hashlib.blake2b(body, digest_size=8).hexdigest().encode()
    paths.current.write_bytes(pointer.split(b" ", 1)[0] + b" " + check + b" " + body + b"\n")
    return search(indexed, context)


def failing(code: int, where: str) -> World:
    """The operating system refuses to open a path that holds `where`."""

    def world(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
        real = os.open

        def refusing(path: Any, *rest: Any, **more: Any) -> int:
            if where in os.fspath(path) if isinstance(path, str | os.PathLike) else False:
                raise OSError(code, os.strerror(code))
            return real(path, *rest, **more)

        patch.setattr(os, "open", refusing)
        if where == "cart.py":
            return read(indexed, context)
        return manage(indexed, context, "sync")

    return world


def changing(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    real = os.read

    def restless(descriptor: int, size: int) -> bytes:
        data = real(descriptor, size)
        if b"class Cart" in data:
            os.utime(indexed.root / "shop/cart.py")
            (indexed.root / "shop/cart.py").write_bytes(data + b"#")
        return data

    patch.setattr(os, "read", restless)
    return read(indexed, context)


def held(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    lifecycle = indexed.lifecycle()
    taken = lease.acquire(lifecycle.paths, operation="op-held", version=lifecycle.version)
    try:
        return manage(indexed, context, "sync")
    finally:
        taken.release()


def running(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    from satori.server.tools import manage_index

    patch.setattr(manage_index, "WAIT_SECONDS", 0.0)
    started = manage(indexed, context, "reindex")
    cancelled = manage(indexed, context, "cancel", operationId=started["operationId"])
    assert cancelled["reason"] in ("build_cancelled", None)
    assert cancelled["served"] is True
    assert search(indexed, context)["status"] == "ok"
    return started


def cancelled(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    from satori.server.tools import manage_index

    patch.setattr(manage_index, "WAIT_SECONDS", 0.0)
    started = manage(indexed, context, "reindex")
    return manage(indexed, context, "cancel", operationId=started["operationId"])


def operation_failed(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A sync whose child cannot even start: the interpreter it is given is no program."""
    import sys

    patch.setattr(sys, "executable", "/bin/false")
    return manage(indexed, context, "sync")


def other_owner(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    blocked = replace(context, workbench=type(context.workbench)(indexed.state_root, lambda: "Another is alive."))
    return manage(indexed, blocked, "sync")


def internal(indexed: Indexed, context: ToolContext, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("a fault of ours")

    patch.setattr("satori.server.results.group_dict", broken)
    return search(indexed, context)


WORLDS: dict[Reason, World] = {
    Reason.FIRST_BUILD: first_build,
    Reason.BUILD_FAILED: build_failed,
    Reason.FINGERPRINT_MISMATCH: mismatch,
    Reason.STATE_FORMAT_OLDER: damaged(header(60, 0)),
    Reason.PUBLICATION_MISSING: damaged(Path.unlink),
    Reason.PUBLICATION_EMPTY: damaged(overwritten(b"")),
    Reason.PUBLICATION_TRUNCATED: damaged(halved),
    Reason.PUBLICATION_GARBAGE: damaged(overwritten(b"garbage" * 999)),
    Reason.PUBLICATION_NEWER: damaged(header(60, 99)),
    Reason.PUBLICATION_FOREIGN: foreign,
    Reason.SOURCE_UNREADABLE: failing(errno.EACCES, "cart.py"),
    Reason.SOURCE_CHANGING: changing,
    Reason.STATE_FULL: failing(errno.ENOSPC, "operations.log"),
    Reason.STATE_READ_ONLY: failing(errno.EROFS, "operations.log"),
    Reason.STATE_UNUSABLE: failing(errno.EIO, "operations.log"),
    Reason.LEASE_HELD: held,
    Reason.SEVERAL_OWNERS: other_owner,
    Reason.OPERATION_STARTED: running,
    Reason.BUILD_CANCELLED: cancelled,
    Reason.OPERATION_FAILED: operation_failed,
    Reason.INTERNAL_ERROR: internal,
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, indexed: Indexed) -> Path:
    """The whole state of the shared index, to be copied back after each world."""
    kept = tmp_path_factory.mktemp("template") / "state"
    shutil.copytree(indexed.state_root, kept)
    return kept


@pytest.mark.parametrize("reason", WORLDS, ids=lambda reason: reason.value)
def test_a_broken_world_has_its_own_reason(
    indexed: Indexed, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: Reason
) -> None:
    """Each fault outside is told apart, with the status that belongs to it; nothing is erased."""
    own = Indexed(indexed.root, tmp_path / "state")
    shutil.copytree(template, own.state_root)
    before = (own.root / "shop/cart.py").read_bytes()
    context = own.context()
    try:
        answer = WORLDS[reason](own, context, monkeypatch)
        assert answer["reason"] == reason.value, answer["message"]
        assert answer["status"] == reason.status.value
    finally:
        monkeypatch.undo()
        context.workbench.close()
        (own.root / "shop/cart.py").write_bytes(before)


def test_every_reason_is_reached_by_some_test() -> None:
    """A code that no test names is a code that nobody has seen."""
    named = "\n".join(path.read_text(encoding="utf-8") for path in HERE.parent.glob("test_*.py"))
    unseen = [r for r in Reason if r not in WORLDS and not re.search(rf'"{r.value}"|Reason\.{r.name}\b', named)]
    assert unseen == []
