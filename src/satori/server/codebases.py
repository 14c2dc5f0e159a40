"""How a codebase's state looks in answers: one shape for list_codebases and manage_index status."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from satori.server.schema import Schema, counts, flag, listing, number, or_null, record, text

if TYPE_CHECKING:
    from satori.publication.progress import Operation
    from satori.publication.snapshot import Snapshot
    from satori.publication.status import CodebaseStatus

MAX_LANGUAGES = 24


def operation_schema() -> Schema:
    """The running or last operation."""
    return record(
        {
            "operationId": text(),
            "action": text(),
            "state": text("running", "completed", "failed", "cancelled", "interrupted"),
            "phase": text(),
            "done": number(),
            "total": number(),
            "percent": or_null(number()),
            "pid": number(),
            "startedAt": text(),
            "updatedAt": text(),
            "code": text(),
            "message": text(),
        },
        nullable=True,
    )


def operation_dict(operation: Operation | None) -> dict[str, Any] | None:
    """Live progress: counted, never guessed; no percentage while the total is unknown."""
    if operation is None:
        return None
    percent = min(100, operation.done * 100 // operation.total) if operation.total and operation.running else None
    return {
        "operationId": operation.id,
        "action": operation.action,
        "state": operation.state.value,
        "phase": operation.phase.value,
        "done": operation.done,
        "total": operation.total,
        "percent": percent,
        "pid": operation.pid,
        "startedAt": moment(operation.started_at),
        "updatedAt": moment(operation.updated_at),
        "code": operation.code,
        "message": operation.message,
    }


def state_properties() -> dict[str, Schema]:
    """What both tools say about a codebase."""
    return {
        "root": text(),
        "rootExists": flag(),
        "state": text("not_indexed", "indexing", "ready", "failed", "requires_reindex"),
        "served": flag(),
        "stateReason": or_null(text()),
        "counts": record(
            {
                "files": number(),
                "indexed": number(),
                "skipped": number(),
                "symbols": number(),
                "chunks": number(),
                "bytes": number(),
            },
            nullable=True,
        ),
        "profile": or_null(text()),
        "languages": listing(
            record(
                {
                    "language": text(),
                    "files": number(),
                    "symbols": text("deep", "outline", "text"),
                    "calls": text("qualified", "conservative", "unsupported"),
                }
            )
        ),
        "operation": operation_schema(),
        "ownerPid": or_null(number()),
    }


def state_dict(status: CodebaseStatus, snapshot: Snapshot | None) -> dict[str, Any]:
    """The state as the disk says, with languages when a Publication is pinned."""
    info = status.publication
    return {
        "root": status.root,
        "rootExists": status.root_exists,
        "state": status.state.value,
        "served": status.served,
        "stateReason": status.reason or None,
        "counts": None
        if info is None
        else {
            "files": info.counts.files,
            "indexed": info.counts.indexed,
            "skipped": info.counts.skipped,
            "symbols": info.counts.symbols,
            "chunks": info.counts.chunks,
            "bytes": info.counts.bytes,
        },
        "profile": info.profile if info is not None else None,
        "languages": languages_of(snapshot) if snapshot is not None else [],
        "operation": operation_dict(status.operation),
        "ownerPid": status.owner_pid,
    }


def languages_of(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Indexed files by language, the most first, with what is known about each language."""
    from satori.languages.registry import language_for
    from satori.relationships.measured import call_support

    tally = Counter(row.language for row in snapshot.files() if row.skip is None)
    ordered = sorted(tally.items(), key=lambda item: (-item[1], item[0]))
    found = []
    for language, files in ordered[:MAX_LANGUAGES]:
        served = language_for(language)
        symbols = served.capability.symbols if served is not None else "text"
        found.append({"language": language, "files": files, "symbols": symbols, "calls": call_support(language).value})
    return found


def skipped_of(snapshot: Snapshot) -> dict[str, int]:
    """Skipped paths by reason."""
    return dict(sorted(Counter(row.skip.value for row in snapshot.files() if row.skip is not None).items()))


def publication_of(status: CodebaseStatus, effective: str = "") -> dict[str, Any] | None:
    """The envelope's publication of a codebase's status."""
    info = status.publication
    if info is None:
        return None
    return {
        "id": info.id,
        "sequence": info.sequence,
        "activatedAt": info.activated,
        "root": status.root,
        "effectiveRoot": effective or status.root,
    }


def skip_counts_schema() -> Schema:
    """Counts by skip reason."""
    return counts()


def moment(seconds: float) -> str:
    """Seconds since the epoch as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
