"""manage_index: create, sync, reindex, cancel, clear, and status. The only tool that changes anything.

Long work runs in a supervised child and is left to it after two seconds; a child ends with the process that started it.
"""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satori.codebase.place import Place
from satori.errors import BuildError, SatoriError, UsageError
from satori.server import consent
from satori.server.budget import drop_field, drop_tail
from satori.server.capabilities import capability_schema, capability_table
from satori.server.codebases import (
    operation_dict,
    publication_of,
    skip_counts_schema,
    skipped_of,
    state_dict,
    state_properties,
)
from satori.server.contract import PATH, Contract
from satori.server.eligible import look
from satori.server.envelope import Action, Answer
from satori.server.failures import RefusalError, reason_of_code
from satori.server.reasons import Reason, WarningCode
from satori.server.relations import counts_dict
from satori.server.schema import Kind, Parameter, listing, number, or_null, record, text
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import look_at
from satori.server.words import clip, plural

if TYPE_CHECKING:
    from satori.publication.choice import SettingsChoice
    from satori.publication.lifecycle import Lifecycle
    from satori.publication.operations import RunningOperation
    from satori.publication.progress import Operation
    from satori.publication.status import CodebaseStatus

WAIT_SECONDS = 2.0
_STEP_SECONDS = 0.2
_SHOWN_PATHS = 40

CONTRACT = Contract(
    name="manage_index",
    title="Manage an index",
    description=(
        "Create, sync, inspect or clear the index of a codebase. create builds it (a sync when it exists already), "
        "sync publishes what changed on disk, reindex builds everything anew while the old Publication is served on, "
        "status gives state, live progress, skip reasons and fingerprint differences (detail capabilities: what is "
        "known of each language and how exactly that was measured, this codebase's first; diagnostics: files that "
        "could not be parsed or read), cancel ends exactly the operation named by operationId, clear deletes this "
        "codebase's index and nothing else. Work longer than two seconds goes on in the background: poll status with "
        "the same path. It never changes source."
    ),
    parameters=(
        Parameter(
            "action",
            Kind.STRING,
            "What to do.",
            required=True,
            choices=("create", "sync", "status", "reindex", "cancel", "clear"),
        ),
        PATH,
        Parameter("operationId", Kind.STRING, "The operation to cancel, exactly.", minimum=1, maximum=64),
        Parameter(
            "profile",
            Kind.STRING,
            "How wide to index: minimal (source and documentation), default, all-text. Remembered.",
            choices=("default", "minimal", "all-text"),
        ),
        Parameter(
            "ignorePatterns",
            Kind.STRINGS,
            "Further patterns to leave out, in .gitignore's syntax. Remembered.",
            maximum=200,
            item_maximum=1_024,
        ),
        Parameter(
            "detail",
            Kind.STRING,
            "How much status tells.",
            default="summary",
            choices=("summary", "capabilities", "diagnostics"),
        ),
    ),
    fields={
        "action": text(),
        **state_properties(),
        "operationId": or_null(text()),
        "skipped": skip_counts_schema(),
        "fingerprintDifferences": listing(record({"field": text(), "published": text(), "runtime": text()})),
        "capabilities": listing(capability_schema()),
        "fileProblems": listing(record({"file": text(), "problem": text()})),
        "unreadable": listing(text()),
        "diskBytes": number(),
    },
    read_only=False,
    destructive=True,
    idempotent=True,
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    action = arguments["action"]
    _check(arguments)
    place = context.workbench.place(context.session, arguments["path"])
    if action == "status":
        return _status(arguments, place, context)
    if action == "cancel":
        return _cancel(arguments, place, context)
    context.workbench.refuse_blocked()
    if action == "clear":
        return _clear(arguments, place, context)
    return _build(arguments, place, context)


def _check(arguments: dict[str, Any]) -> None:
    action = arguments["action"]
    if action == "cancel" and arguments["operationId"] is None:
        raise RefusalError(Reason.MISSING_PARAMETER, "'cancel' takes 'operationId', the exact id that status shows.")
    if action != "cancel" and arguments["operationId"] is not None:
        raise RefusalError(Reason.INVALID_VALUE, f"'operationId' belongs to 'cancel', not to '{action}'.")
    chosen = arguments["profile"] is not None or arguments["ignorePatterns"] is not None
    if chosen and action not in ("create", "sync", "reindex"):
        raise RefusalError(
            Reason.INVALID_VALUE,
            f"'profile' and 'ignorePatterns' belong to create, sync and reindex, not to '{action}'.",
        )


def _build(arguments: dict[str, Any], place: Place, context: ToolContext) -> Answer:
    from satori.publication import operations
    from satori.publication.choice import SettingsChoice
    from satori.source.root import resolve_root

    action = arguments["action"]
    if not place.indexed and action != "create":
        raise _not_indexed(place)
    root = resolve_root(place.root or place.effective)
    ignore = arguments["ignorePatterns"]
    choice = None
    if arguments["profile"] is not None or ignore is not None:
        choice = SettingsChoice(profile=arguments["profile"], ignore=tuple(ignore) if ignore is not None else None)
    lifecycle = context.workbench.lifecycle(str(root))
    before = lifecycle.status()
    if before.running is not None:
        raise RefusalError(
            Reason.LEASE_HELD,
            f"{before.running.action} is running already as {before.running.id}.",
            action=_poll(arguments["path"], "Follow its progress."),
            fields={"action": action, "operationId": before.running.id, "operation": operation_dict(before.running)},
        )
    if before.owner_pid is not None:
        raise RefusalError(
            Reason.LEASE_HELD,
            f"Process {before.owner_pid} is changing this codebase.",
            action=_poll(arguments["path"], "See what it is doing."),
            fields={"action": action},
        )
    if before.publication is None:
        _refuse_empty(root, choice)
    _refuse_cost(lifecycle, choice, action)
    try:
        running = operations.start(context.workbench.state_root, root, action, choice)
    except BuildError as error:
        code = Reason.OPERATION_FAILED if before.served else Reason.BUILD_FAILED
        raise RefusalError(code, str(error), fields={"action": action}) from error
    ended = _wait(running, context)
    if ended is None or ended.running:
        return _started(arguments, str(root), running.id, context)
    if ended.state.value == "completed":
        return _completed(arguments, str(root), ended, context)
    served = context.workbench.lifecycle(str(root)).status().served
    failed = Reason.OPERATION_FAILED if served else Reason.BUILD_FAILED
    reason = Reason.BUILD_CANCELLED if ended.state.value == "cancelled" else reason_of_code(ended.code, failed)
    if reason is Reason.BUILD_FAILED:
        reason = failed
    still = " The Publication from before is served on." if served else ""
    raise RefusalError(
        reason,
        f"{action} ended as {ended.state.value}: {ended.message}{still}",
        action=_poll(arguments["path"], "See the state and the reason."),
        fields={"action": action, "operationId": ended.id, "operation": operation_dict(ended)},
    )


def _refuse_empty(root: Path, choice: Any) -> None:
    from satori.publication.choice import SettingsChoice

    found = look(root, (choice or SettingsChoice()).resolve(root))
    if not found.any:
        raise RefusalError(
            Reason.NOTHING_ELIGIBLE,
            f"{clip(str(root), 200)} holds no file that can be indexed: {found.why_none}.",
            fields={"root": str(root), "skipped": found.skipped},
        )


def _refuse_cost(lifecycle: Lifecycle, choice: SettingsChoice | None, action: str) -> None:
    """A service that costs money is sent a whole codebase by a person only; what changes later is not asked about."""
    from satori.publication.choice import SettingsChoice
    from satori.publication.estimate import first_build

    estimate = first_build(lifecycle, (choice or SettingsChoice()).resolve(lifecycle.root))
    if estimate is not None and estimate.costs:
        command = f"satori index {shlex.quote(str(lifecycle.root))}"
        raise RefusalError(
            Reason.EMBEDDER_COST,
            f"A first build with the chosen embedder: {estimate}. A person decides on it, in a shell: {command}",
            fields={"action": action},
        )


def _wait(running: RunningOperation, context: ToolContext) -> Operation | None:
    deadline = time.monotonic() + (WAIT_SECONDS if context.workbench.lasting else float("inf"))
    while True:
        left = deadline - time.monotonic()
        operation = running.wait(max(0.01, min(_STEP_SECONDS, left)))
        if operation is not None:
            total = float(operation.total) if operation.total else None
            context.progress(float(operation.done), total, f"{operation.action}: {operation.phase.value}")
        if running.process.poll() is not None or left <= 0:
            return operation


def _started(arguments: dict[str, Any], root: str, operation_id: str, context: ToolContext) -> Answer:
    result = _described(arguments, root, context, "summary")
    result.reason = Reason.OPERATION_STARTED
    result.message = f"{arguments['action']} goes on in the background as {operation_id}."
    result.fields["operationId"] = operation_id
    result.action = _poll(arguments["path"], "Follow its progress.")
    return result


def _completed(arguments: dict[str, Any], root: str, ended: Operation, context: ToolContext) -> Answer:
    result = _described(arguments, root, context, "summary")
    counts = result.fields["counts"] or {"indexed": 0, "symbols": 0}
    result.message = (
        f"{arguments['action']} completed: {plural(counts['indexed'], 'file')} indexed, "
        f"{plural(counts['symbols'], 'symbol')}."
    )
    result.fields["operationId"] = ended.id
    return result


def _status(arguments: dict[str, Any], place: Place, context: ToolContext) -> Answer:
    if not place.indexed:
        if not Path(place.effective).exists():
            raise RefusalError(
                Reason.PATH_MISSING,
                f"'{clip(place.effective, 200)}' does not exist and no index of it is kept.",
                action=Action("list_codebases", {}, "See which codebases there are."),
            )
        raise _not_indexed(place)
    result = _described(arguments, place.root, context, arguments["detail"], place.effective)
    state = result.fields["state"]
    operation = result.fields["operation"]
    running = operation is not None and operation["state"] == "running"
    if running:
        progress = f"{operation['phase']} {operation['done']:,} of {operation['total']:,}"
        result.message = f"{operation['action']} is running: {progress if operation['total'] else operation['phase']}."
        result.fields["operationId"] = operation["operationId"]
        result.action = _poll(arguments["path"], "Ask again in a few seconds.")
    if state == "indexing":
        result.reason = Reason.FIRST_BUILD
    elif state == "not_indexed" and not running:
        result.reason = Reason.NOT_INDEXED
        result.message = f"Nothing is published for {clip(place.root, 200)}."
        result.action = Action("manage_index", {"action": "create", "path": place.root}, "Index it.")
    elif state == "requires_reindex":
        result.reason = reason_of_code(result.fields["stateReason"] or "", Reason.FINGERPRINT_MISMATCH)
        if not running:
            how = "answers until it is rebuilt" if result.fields["served"] else "cannot be served"
            result.message = f"The stored Publication {how}: {result.message}"
            if result.reason is not Reason.PUBLICATION_NEWER:
                result.action = Action("manage_index", {"action": "reindex", "path": place.root}, "Build it anew.")
    elif state == "failed" and not running:
        result.message = f"The last {operation['action'] if operation else 'build'} failed: {result.message}"
        result.action = Action("manage_index", {"action": "sync", "path": place.root}, "Try again.")
        if not result.fields["served"]:
            result.reason = Reason.BUILD_FAILED
            result.action = Action("manage_index", {"action": "create", "path": place.root}, "Try again.")
    elif not running:
        changed = result.freshness is not None and result.freshness["pendingSync"]
        count = result.freshness["changedCount"] if result.freshness else 0
        result.message = f"Ready; {plural(count, 'file')} changed since." if changed else "Ready."
        if changed:
            result.action = Action("manage_index", {"action": "sync", "path": place.root}, "Publish the changes.")
    return result


def _cancel(arguments: dict[str, Any], place: Place, context: ToolContext) -> Answer:
    from satori.publication import operations

    if not place.indexed:
        raise _not_indexed(place)
    wanted = arguments["operationId"]
    try:
        ended = operations.cancel(context.workbench.state.codebase(Path(place.root)), wanted)
    except UsageError as error:
        raise RefusalError(
            Reason.OPERATION_NOT_FOUND,
            f"No operation '{clip(wanted, 64)}' is running on this codebase.",
            action=_poll(arguments["path"], "See what is running."),
        ) from error
    result = _described(arguments, place.root, context, "summary")
    result.fields["operationId"] = ended.id
    if ended.state.value == "completed":
        result.message = f"{ended.id} completed before it could be cancelled."
    else:
        result.reason = Reason.BUILD_CANCELLED
        served = "The Publication from before is served on." if result.fields["served"] else "Nothing is published."
        result.message = f"{ended.id} was cancelled. {served}"
    return result


def _clear(arguments: dict[str, Any], place: Place, context: ToolContext) -> Answer:
    if not place.indexed:
        raise _not_indexed(place)
    if place.prefix:
        raise RefusalError(
            Reason.INVALID_VALUE,
            f"'clear' takes the codebase's root, {clip(place.root, 200)}, and no directory inside it.",
        )
    workbench = context.workbench
    workbench.forget(place.root)
    workbench.lifecycle(place.root).clear()
    consent.revoke(workbench.state_root, place.root)
    result = Answer(
        f"The index of {clip(place.root, 200)} is deleted; its source is untouched.",
        fields={"action": "clear", **_empty(place.root)},
    )
    if Path(place.root).is_dir():
        result.action = Action("manage_index", {"action": "create", "path": place.root}, "Index it again.")
    return result


def _empty(root: str) -> dict[str, Any]:
    return {
        "root": root,
        "rootExists": Path(root).is_dir(),
        "state": "not_indexed",
        "served": False,
        "stateReason": None,
        "counts": None,
        "profile": None,
        "languages": [],
        "operation": None,
        "ownerPid": None,
        "operationId": None,
        "skipped": {},
        "fingerprintDifferences": [],
        "capabilities": [],
        "fileProblems": [],
        "unreadable": [],
        "diskBytes": 0,
    }


def _described(arguments: dict[str, Any], root: str, context: ToolContext, detail: str, effective: str = "") -> Answer:
    """The state, with what only a pinned Publication can tell when one is served."""
    from satori.publication.status import disk_bytes

    status = context.workbench.lifecycle(root).status()
    result = Answer(
        status.message or "Ready.",
        fields={"action": arguments["action"], **_empty(root)},
        publication=publication_of(status, effective),
        coverage={"relationships": {}},
        drops=(
            drop_tail("fileProblems"),
            drop_tail("unreadable"),
            drop_tail("capabilities"),
            drop_tail("languages"),
            drop_field("skipped", {}),
        ),
    )
    result.fields |= state_dict(status, None)
    result.fields["diskBytes"] = disk_bytes(context.workbench.state.codebase(Path(root)).directory)
    result.fields["fingerprintDifferences"] = [
        {"field": one.field, "published": one.published, "runtime": one.runtime} for one in status.differences
    ]
    if not status.root_exists:
        result.warn(WarningCode.ROOT_GONE, f"{clip(root, 200)} no longer exists.")
    if status.served:
        try:
            _from_publication(result, status, root, context, detail)
        except SatoriError as error:
            # It was replaced or cleared between the two looks; the state says the rest.
            result.warn(WarningCode.FRESHNESS_UNVERIFIED, error.message)
    return result


def _from_publication(result: Answer, status: CodebaseStatus, root: str, context: ToolContext, detail: str) -> None:
    with context.workbench.pinned(root) as pinned:
        snapshot = pinned.snapshot
        result.fields |= state_dict(status, snapshot)
        result.fields["skipped"] = skipped_of(snapshot)
        result.freshness = look_at(pinned).as_dict()
        counted = snapshot.claim_counts_by_language()
        result.coverage = {"relationships": {language: counts_dict(counts) for language, counts in counted.items()}}
        for code, message in snapshot.info.warnings:
            result.warn(code, message)
        if detail == "capabilities":
            held = [one["language"] for one in result.fields["languages"]]
            result.fields["capabilities"] = capability_table(first=held)
        if detail == "diagnostics":
            troubled = [row for row in snapshot.files() if row.problem]
            result.fields["fileProblems"] = [
                {"file": row.path, "problem": row.problem} for row in troubled[:_SHOWN_PATHS]
            ]
            result.fields["unreadable"] = list(snapshot.info.unreadable[:_SHOWN_PATHS])
            hidden = len(troubled) - _SHOWN_PATHS
            if hidden > 0:
                result.omitted["fileProblems"] = hidden


def _not_indexed(place: Place) -> RefusalError:
    return RefusalError(
        Reason.NOT_INDEXED,
        f"Nothing is indexed for {clip(place.suggested, 200)}.",
        action=Action("manage_index", {"action": "create", "path": place.suggested}, "Index it first."),
    )


def _poll(path: str, why: str) -> Action:
    return Action("manage_index", {"action": "status", "path": path}, why)


TOOL = Tool(CONTRACT, answer)
