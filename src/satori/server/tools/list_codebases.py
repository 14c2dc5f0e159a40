"""list_codebases: every codebase that this session may ask about, each in its true state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from satori.errors import DeniedPathError, SatoriError
from satori.server.budget import drop_detail, drop_tail
from satori.server.codebases import publication_of, state_dict, state_properties
from satori.server.contract import Contract
from satori.server.envelope import Action, Answer, freshness_schema, publication_schema
from satori.server.policy import Policy
from satori.server.reasons import Reason, WarningCode
from satori.server.schema import Schema, listing, number, record, text
from satori.server.tools.context import Tool, ToolContext
from satori.server.view import FileFreshness, look_at
from satori.server.words import clip, plural

if TYPE_CHECKING:
    from satori.publication.status import CodebaseStatus

# Looking at more trees than this in one call would cost seconds; the rest are listed as unverified.
VERIFIED_CODEBASES = 8
LOOK_MS = 100.0


def _codebase_schema() -> Schema:
    return record(
        {
            **state_properties(),
            "message": text(),
            "publication": publication_schema(),
            "freshness": freshness_schema(),
            "diskBytes": number(),
        }
    )


CONTRACT = Contract(
    name="list_codebases",
    title="List codebases",
    description=(
        "List every indexed codebase that this session may ask about: root, state (ready, indexing, failed, "
        "requires_reindex, not_indexed), Publication, freshness, counts of files and symbols, languages with what is "
        "known of each, disk used, the live owner and the operation in progress. A codebase whose directory is gone "
        "says so; one that is building, failed or incompatible is never shown as ready."
    ),
    parameters=(),
    fields={"codebases": listing(_codebase_schema()), "total": number()},
)


def answer(arguments: dict[str, Any], context: ToolContext) -> Answer:
    """Answer one call."""
    from satori.publication.status import list_codebases

    workbench = context.workbench
    policy = workbench.policy(context.session)
    everything = list_codebases(workbench.state_root, workbench.fingerprint())
    visible = [status for status in everything if _may_see(policy, context, status)]
    result = Answer(
        "",
        fields={
            "codebases": [_described(context, status, at) for at, status in enumerate(visible)],
            "total": len(visible),
        },
        coverage={"codebases": len(visible)},
        drops=(drop_detail("codebases", "languages", []), drop_tail("codebases", keep=1)),
    )
    hidden = len(everything) - len(visible)
    if hidden:
        result.omitted["outsideWorkspaces"] = hidden
    for status in visible:
        if not status.root_exists:
            result.warn(WarningCode.ROOT_GONE, f"{clip(status.root, 200)} no longer exists.")
    if not visible:
        result.reason = Reason.NO_CODEBASES
        result.message = "No codebase is indexed that this session may see."
        result.action = _index_workspace(policy, context)
    else:
        ready = sum(status.served for status in visible)
        result.message = f"{plural(len(visible), 'codebase')}, {ready} served."
        result.action = _next(visible)
    return result


def _may_see(policy: Policy, context: ToolContext, status: CodebaseStatus) -> bool:
    try:
        policy.admit(status.root)
    except DeniedPathError:
        # A workspace inside a codebase sees the codebase it is part of.
        return any(space.startswith(status.root.rstrip("/") + "/") for space in context.session.workspaces)
    return True


def _described(context: ToolContext, status: CodebaseStatus, at: int) -> dict[str, Any]:
    from satori.publication.status import disk_bytes

    freshness = None
    described: dict[str, Any] = {}
    if status.served:
        try:
            with context.workbench.pinned(status.root) as pinned:
                described = state_dict(status, pinned.snapshot)
                if at < VERIFIED_CODEBASES:
                    freshness = look_at(pinned, LOOK_MS).as_dict()
        except SatoriError:
            described = {}
    paths = context.workbench.known_roots().get(status.root)
    return {
        **(described or state_dict(status, None)),
        "message": status.message,
        "publication": publication_of(status),
        "freshness": freshness or (FileFreshness("unverified").as_dict() if status.served else None),
        "diskBytes": disk_bytes(paths.directory) if paths is not None else 0,
    }


def _next(visible: list[CodebaseStatus]) -> Action | None:
    for status in visible:
        if status.root_exists and not status.served and status.running is None:
            return Action(
                "manage_index", {"action": "status", "path": status.root}, "See why this codebase is not served."
            )
    return None


def _index_workspace(policy: Policy, context: ToolContext) -> Action | None:
    for space in context.session.workspaces:
        try:
            policy.admit(space)
        except DeniedPathError:
            continue
        return Action("manage_index", {"action": "create", "path": space}, "Index the session's workspace.")
    return None


TOOL = Tool(CONTRACT, answer)
