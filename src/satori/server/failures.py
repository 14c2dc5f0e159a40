"""Errors become answers: which reason an exception is, and what to do next.

The reason is the error's own code when that is in the closed list, else that of its class.
"""

from __future__ import annotations

from typing import Any

from satori.errors import (
    BuildError,
    BusyError,
    CancelledError,
    DamagedError,
    DeniedPathError,
    EmbedderError,
    IncompatibleError,
    ModelError,
    NotIndexedError,
    RemoteError,
    SatoriError,
    SettingsError,
    SourceError,
    StateError,
    StoreError,
    UsageError,
)
from satori.server.envelope import Action, Answer
from satori.server.reasons import Reason, Status
from satori.server.validate import InvalidArgumentsError

_KNOWN = {reason.value: reason for reason in Reason}
# Codes that other packages use and that mean a reason of the closed list.
_KNOWN |= {
    "root_missing": Reason.PATH_MISSING,
    "source_missing": Reason.FILE_MISSING,
    "source_unstable": Reason.SOURCE_CHANGING,
    "query_only_negative": Reason.INVALID_QUERY,
    "query_empty": Reason.INVALID_QUERY,
    "runtime_version_conflict": Reason.SEVERAL_OWNERS,
    "git_failed": Reason.GIT_UNAVAILABLE,
}
# The first class that fits decides; order them from the particular to the general.
_BY_CLASS: tuple[tuple[type[SatoriError], Reason], ...] = (
    (DeniedPathError, Reason.PATH_DENIED),
    (UsageError, Reason.INVALID_VALUE),
    (NotIndexedError, Reason.NOT_INDEXED),
    (IncompatibleError, Reason.FINGERPRINT_MISMATCH),
    (DamagedError, Reason.PUBLICATION_GARBAGE),
    (SourceError, Reason.SOURCE_UNREADABLE),
    (StateError, Reason.STATE_UNUSABLE),
    (BusyError, Reason.LEASE_HELD),
    (CancelledError, Reason.BUILD_CANCELLED),
    (BuildError, Reason.BUILD_FAILED),
    (StoreError, Reason.STORE_UNREACHABLE),
    (EmbedderError, Reason.EMBEDDER_FAILED),
    (ModelError, Reason.EMBEDDER_FAILED),
    (RemoteError, Reason.EMBEDDER_FAILED),
    (SettingsError, Reason.SETTINGS_INVALID),
)


class RefusalError(SatoriError):
    """A tool's own refusal: a reason from the closed list, the sentence, and the next call."""

    def __init__(
        self, reason: Reason, message: str, *, action: Action | None = None, fields: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message, code=reason.value)
        self.action = action
        self.fields = fields or {}


class RebuildingError(IncompatibleError):
    """The Publication cannot be read by this runtime, and its rebuild has just been started."""


def reason_of(error: BaseException) -> Reason:
    """The reason code of an exception."""
    if not isinstance(error, SatoriError):
        return Reason.INTERNAL_ERROR
    if error.code in _KNOWN:
        return _KNOWN[error.code]
    return next((reason for kind, reason in _BY_CLASS if isinstance(error, kind)), Reason.INTERNAL_ERROR)


def reason_of_code(code: str, otherwise: Reason) -> Reason:
    """The reason of a recorded error code."""
    return _KNOWN.get(code, otherwise)


def failed(error: BaseException, arguments: dict[str, Any] | None) -> Answer:
    """The answer that says what went wrong. `arguments` are the validated ones, None when they did not validate."""
    reason = reason_of(error)
    if isinstance(error, InvalidArgumentsError):
        problems = [problem.as_dict() for problem in error.problems]
        return Answer(str(error), reason, fields={"problems": problems})
    if isinstance(error, RefusalError):
        return Answer(str(error), reason, fields=error.fields, action=error.action)
    if not isinstance(error, SatoriError):
        return Answer(f"Satori failed inside: {type(error).__name__}: {str(error)[:300]}", reason)
    return Answer(str(error), reason, action=_next(reason, error, arguments or {}))


def _next(reason: Reason, error: SatoriError, arguments: dict[str, Any]) -> Action | None:
    path = arguments.get("path")
    if path is None or reason.status is Status.ERROR:
        return None
    if reason is Reason.PUBLICATION_NEWER or reason.status is Status.BLOCKED:
        return Action("manage_index", {"action": "status", "path": path}, "See the state and what stands in the way.")
    if isinstance(error, RebuildingError):
        return Action("manage_index", {"action": "status", "path": path}, "Follow the rebuild.")
    if reason.status is Status.REQUIRES_REINDEX:
        return Action("manage_index", {"action": "reindex", "path": path}, "Build a Publication this version can read.")
    if reason.status is Status.INDEXING:
        return Action("manage_index", {"action": "status", "path": path}, "Follow the build.")
    if reason.status is Status.NOT_INDEXED:
        return Action("manage_index", {"action": "create", "path": path}, "Index it first.")
    return None
