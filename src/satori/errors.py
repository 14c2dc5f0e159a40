"""The one tree of errors: what went wrong, and the next thing to do.

    SatoriError                 base; carries `code`, `message` and `next_step`
    ├── UsageError              the request itself is wrong (unknown parameter, bad value)
    │   └── DeniedPathError     a path that policy refuses before any I/O
    ├── SourceError             a root or a file cannot be read
    ├── PublicationError        no current Publication can serve the request
    │   ├── NotIndexedError     nothing was ever published for this codebase
    │   ├── IncompatibleError   the fingerprint differs from this runtime's
    │   ├── DamagedError        the stored state fails its checks
    │   └── StoreError          the chosen vector store cannot be asked, or lost what was published
    ├── BuildError              a create, sync or reindex did not finish
    │   ├── CancelledError      somebody cancelled the operation
    │   └── BusyError           another live process holds the codebase's lease
    ├── StateError              the state root cannot be used (permissions, disk full)
    ├── EmbedderError           a model is missing, damaged or answers wrongly
    ├── ModelError              a local model's folder is missing, damaged or of another kind
    ├── RerankerError           a reranking model is missing, damaged, slow or answers wrongly
    ├── SettingsError           the user's settings cannot be understood or used
    └── RemoteError             a service that the user chose refuses, fails or is not reached

This module holds no policy: where an error is raised decides its words.
"""

from __future__ import annotations


class SatoriError(Exception):
    """Something Satori could not do; `str()` is one plain sentence and the next thing to try."""

    default_code = "internal_error"

    def __init__(self, message: str, *, next_step: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step
        self.code = code or self.default_code

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class UsageError(SatoriError):
    """The request is malformed; correct the named parameter and ask again."""

    default_code = "invalid_request"


class DeniedPathError(UsageError):
    """Policy refuses the path before any I/O; choose a path inside a workspace."""

    default_code = "path_denied"


class SourceError(SatoriError):
    """A root or file cannot be read; check that it exists and is readable."""

    default_code = "source_unreadable"


class PublicationError(SatoriError):
    """No current Publication can serve the request; index the codebase."""

    default_code = "publication_unavailable"


class NotIndexedError(PublicationError):
    """Nothing is published for this codebase; run `satori index`."""

    default_code = "not_indexed"


class IncompatibleError(PublicationError):
    """The Publication was built by a different fingerprint; reindex."""

    default_code = "fingerprint_mismatch"


class DamagedError(PublicationError):
    """The stored state fails its checks; reindex, nothing is erased meanwhile."""

    default_code = "publication_damaged"


class StoreError(PublicationError):
    """The vector store that the user chose cannot be asked; nothing is built anew by itself."""

    default_code = "store_unreachable"


class BuildError(SatoriError):
    """A build did not finish; the current Publication, if any, is still served."""

    default_code = "build_failed"


class CancelledError(BuildError):
    """The operation was cancelled; the current Publication, if any, is still served."""

    default_code = "cancelled"


class BusyError(BuildError):
    """Another live process is changing this codebase; wait for it or cancel its operation."""

    default_code = "lease_held"


class StateError(SatoriError):
    """The state root cannot be used; free space, fix permissions or set SATORI_STATE_ROOT."""

    default_code = "state_unusable"


class EmbedderError(SatoriError):
    """An embedding model is missing, damaged or answers wrongly."""

    default_code = "embedder_failed"


class ModelError(SatoriError):
    """A local model's folder is missing, damaged or of another kind; provision it again."""

    default_code = "model_unusable"


class RerankerError(SatoriError):
    """A reranking model is missing, damaged, slow or answers wrongly; the retrieval order stands."""

    default_code = "reranker_failed"


class SettingsError(SatoriError):
    """The user's settings cannot be understood; correct the named one."""

    default_code = "settings_invalid"


class RemoteError(SatoriError):
    """A service that the user chose does not answer as it should; the message says how."""

    default_code = "remote_unavailable"
