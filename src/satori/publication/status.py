"""The state of a codebase as it is on disk now: the one place that every list, status and refusal agrees with.

Nothing is remembered between calls and nothing is changed by asking.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from satori.errors import DamagedError, IncompatibleError, NotIndexedError, StateError
from satori.publication.embedders import earlier_embedder
from satori.publication.fingerprint import FieldDifference, Fingerprint
from satori.publication.lease import owner_of
from satori.publication.pin import load_base, peek
from satori.publication.progress import Operation, OperationState, read_operation
from satori.publication.snapshot import PublicationInfo
from satori.publication.state import CodebasePaths, StateRoot


class CodebaseState(StrEnum):
    """What can be said about a codebase in one word. `failed` and `ready` may both come with a served Publication."""

    NOT_INDEXED = "not_indexed"
    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"
    REQUIRES_REINDEX = "requires_reindex"


@dataclass(frozen=True, slots=True)
class CodebaseStatus:
    """`publication` is what is stored, `served` whether reads are answered from it (also one of an embedder that was
    chosen before, until it is rebuilt: state requires_reindex). `reason` is a code and `message` a
    sentence when the state is not plainly ready; `next_step` goes with them. `operation` is the running or last one."""

    id: str
    root: str
    root_exists: bool
    state: CodebaseState
    served: bool
    reason: str
    message: str
    next_step: str
    publication: PublicationInfo | None
    differences: tuple[FieldDifference, ...]
    operation: Operation | None
    owner_pid: int | None

    @property
    def running(self) -> Operation | None:
        """The operation in progress, if any."""
        return self.operation if self.operation is not None and self.operation.running else None


def status_of(paths: CodebasePaths, root: Path | None, runtime: Fingerprint) -> CodebaseStatus:
    """The status of one codebase directory (which need not exist); `root` is taken from its record when None."""
    root = root or paths.root()
    operation = read_operation(paths)
    owner = owner_of(paths)
    info: PublicationInfo | None = None
    differences: tuple[FieldDifference, ...] = ()
    served = False
    reason = message = next_step = ""
    state = CodebaseState.READY
    try:
        info = peek(paths)
        differences = info.fingerprint.differences(runtime)
        if differences:
            state, reason = CodebaseState.REQUIRES_REINDEX, IncompatibleError.default_code
            message = "; ".join(str(difference) for difference in differences)
            next_step = "Rebuild it: `satori index PATH`."
        if not differences or earlier_embedder(info.fingerprint, runtime) is not None:
            load_base(paths.generation(info.generation).base(info.base_sequence))
            served = True
    except NotIndexedError as error:
        state, reason, message, next_step = CodebaseState.NOT_INDEXED, error.code, error.message, error.next_step
    except (IncompatibleError, DamagedError) as error:
        state, reason, message, next_step = CodebaseState.REQUIRES_REINDEX, error.code, error.message, error.next_step
    except StateError as error:
        # The state cannot be read now, which says nothing about what is stored.
        state, reason, message, next_step = CodebaseState.FAILED, error.code, error.message, error.next_step
    running = operation is not None and operation.running
    if state is CodebaseState.NOT_INDEXED and running:
        state, reason, message, next_step = CodebaseState.INDEXING, "", "", ""
    elif operation is not None and state in (CodebaseState.NOT_INDEXED, CodebaseState.READY):
        failed = operation.state is OperationState.FAILED or (
            operation.state is OperationState.INTERRUPTED and state is CodebaseState.NOT_INDEXED
        )
        if failed:
            state, reason, message = CodebaseState.FAILED, operation.code, operation.message
            next_step = "What is served stays served; run `satori index PATH` again." if served else "Run it again."
    return CodebaseStatus(
        id=paths.id,
        root=str(root) if root is not None else "",
        root_exists=root is not None and root.is_dir(),
        state=state,
        served=served,
        reason=reason,
        message=message,
        next_step=next_step,
        publication=info,
        differences=differences,
        operation=operation,
        owner_pid=owner["pid"] if owner is not None else None,
    )


def list_codebases(state_root: Path, runtime: Fingerprint) -> list[CodebaseStatus]:
    """Every known codebase, ordered by root."""
    found = [status_of(paths, None, runtime) for paths in StateRoot(state_root).codebases() if paths.record.exists()]
    return sorted(found, key=lambda status: (status.root, status.id))


def disk_bytes(directory: Path) -> int:
    """Bytes that the files below `directory` take, as their sizes say."""
    total = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.lstat(f"{folder}/{name}").st_size
            except OSError:
                continue
    return total
