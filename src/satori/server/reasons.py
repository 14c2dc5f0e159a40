"""Why an answer is what it is: the one closed list of reason codes, each with its status and its meaning.

A tool may answer only with these. It holds no policy about when each applies; the tools do.
"""

from __future__ import annotations

# ruff: noqa: E501 (tables and prose for clients, one line each)
from enum import StrEnum


class Status(StrEnum):
    """What kind of answer this is; only `error` sets MCP's isError."""

    OK = "ok"
    NOT_INDEXED = "not_indexed"
    INDEXING = "indexing"
    REQUIRES_REINDEX = "requires_reindex"
    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    UNSUPPORTED = "unsupported"
    STALE = "stale"
    BLOCKED = "blocked"
    ERROR = "error"


class Reason(StrEnum):
    """The code in an answer's `reason`; `status` and `explanation` belong to it for good."""

    # The request is wrong.
    UNKNOWN_PARAMETER = "unknown_parameter"
    MISSING_PARAMETER = "missing_parameter"
    WRONG_TYPE = "wrong_type"
    INVALID_VALUE = "invalid_value"
    RELATIVE_PATH = "relative_path"
    INVALID_QUERY = "invalid_query"
    PATH_DENIED = "path_denied"
    INTERNAL_ERROR = "internal_error"
    # No Publication can answer.
    NOT_INDEXED = "not_indexed"
    BUILD_FAILED = "build_failed"
    FIRST_BUILD = "first_build"
    FINGERPRINT_MISMATCH = "fingerprint_mismatch"
    STATE_FORMAT_OLDER = "state_format_older"
    PUBLICATION_MISSING = "publication_missing"
    PUBLICATION_EMPTY = "publication_empty"
    PUBLICATION_TRUNCATED = "publication_truncated"
    PUBLICATION_GARBAGE = "publication_garbage"
    PUBLICATION_NEWER = "publication_newer"
    PUBLICATION_FOREIGN = "publication_foreign"
    # What was asked for is not there.
    PATH_MISSING = "path_missing"
    FILE_MISSING = "file_missing"
    FILE_NOT_INDEXED = "file_not_indexed"
    SYMBOL_NOT_FOUND = "symbol_not_found"
    SYMBOL_ELSEWHERE = "symbol_elsewhere"
    OPERATION_NOT_FOUND = "operation_not_found"
    HANDLE_UNKNOWN = "handle_unknown"
    # More than one thing was meant.
    SYMBOL_AMBIGUOUS = "symbol_ambiguous"
    # Satori cannot do this here.
    FILE_SKIPPED = "file_skipped"
    SYMBOLS_UNSUPPORTED = "symbols_unsupported"
    RELATIONSHIPS_UNSUPPORTED = "relationships_unsupported"
    # It was true once.
    SYMBOL_GONE = "symbol_gone"
    HANDLE_EXPIRED = "handle_expired"
    HANDLE_OUT_OF_ORDER = "handle_out_of_order"
    HANDLE_SUPERSEDED = "handle_superseded"
    # Something outside stands in the way.
    SOURCE_UNREADABLE = "source_unreadable"
    SOURCE_CHANGING = "source_changing"
    NOTHING_ELIGIBLE = "nothing_eligible"
    STATE_FULL = "state_full"
    STATE_READ_ONLY = "state_read_only"
    STATE_UNUSABLE = "state_unusable"
    LEASE_HELD = "lease_held"
    SEVERAL_OWNERS = "several_owners"
    OPERATION_FAILED = "operation_failed"
    GIT_UNAVAILABLE = "git_unavailable"
    STORE_UNREACHABLE = "store_unreachable"
    STORE_TIMEOUT = "store_timeout"
    STORE_COLLECTION_MISSING = "store_collection_missing"
    STORE_INCOMPLETE = "store_incomplete"
    EMBEDDER_COST = "embedder_cost"
    EMBEDDER_FAILED = "embedder_failed"
    SETTINGS_INVALID = "settings_invalid"
    # The answer is whole, and needs a word.
    NO_RELEVANT_MATCH = "no_relevant_match"
    NO_FILTER_MATCH = "no_filter_match"
    NO_CODEBASES = "no_codebases"
    NO_SYMBOLS = "no_symbols"
    NO_REFERENCES = "no_references"
    NO_CHANGES = "no_changes"
    NO_PATH = "no_path"
    END_OF_RESULTS = "end_of_results"
    SYMBOL_MOVED = "symbol_moved"
    SYMBOL_EDITED = "symbol_edited"
    OPERATION_STARTED = "operation_started"
    BUILD_CANCELLED = "build_cancelled"

    @property
    def status(self) -> Status:
        """The status that an answer with this reason has."""
        return _TABLE[self][0]

    @property
    def explanation(self) -> str:
        """What the code means and what follows from it."""
        return _TABLE[self][1]


_TABLE: dict[Reason, tuple[Status, str]] = {
    Reason.UNKNOWN_PARAMETER: (Status.ERROR, "The call has a parameter that the tool does not take; the one probably meant is named."),
    Reason.MISSING_PARAMETER: (Status.ERROR, "A required parameter is missing."),
    Reason.WRONG_TYPE: (Status.ERROR, "A parameter has the wrong JSON type."),
    Reason.INVALID_VALUE: (Status.ERROR, "A parameter has the right type and a value outside what it takes."),
    Reason.RELATIVE_PATH: (Status.ERROR, "A parameter that takes an absolute path was given a relative one."),
    Reason.INVALID_QUERY: (Status.ERROR, "The query cannot be run as written: empty, or negative operators alone."),
    Reason.PATH_DENIED: (Status.ERROR, "Policy refuses the path; nothing at it was opened or listed."),
    Reason.INTERNAL_ERROR: (Status.ERROR, "Satori failed; the message has what is known and the log has the rest."),
    Reason.NOT_INDEXED: (Status.NOT_INDEXED, "Nothing is published for this codebase; create an index."),
    Reason.BUILD_FAILED: (Status.NOT_INDEXED, "The only build so far failed, so nothing is published; the message says why."),
    Reason.FIRST_BUILD: (Status.INDEXING, "The first build is running and nothing is published yet; poll status."),
    Reason.FINGERPRINT_MISMATCH: (Status.REQUIRES_REINDEX, "The Publication was built by other versions; each differing field is listed."),
    Reason.STATE_FORMAT_OLDER: (Status.REQUIRES_REINDEX, "The state was written in an older format, which is never migrated; reindex."),
    Reason.PUBLICATION_MISSING: (Status.REQUIRES_REINDEX, "A file of the stored Publication is gone; reindex, nothing else is erased meanwhile."),
    Reason.PUBLICATION_EMPTY: (Status.REQUIRES_REINDEX, "A file of the stored Publication is empty; reindex, nothing is erased meanwhile."),
    Reason.PUBLICATION_TRUNCATED: (Status.REQUIRES_REINDEX, "A file of the stored Publication is cut short; reindex, nothing is erased meanwhile."),
    Reason.PUBLICATION_GARBAGE: (Status.REQUIRES_REINDEX, "A file of the stored Publication holds bytes that Satori did not write; reindex."),
    Reason.PUBLICATION_NEWER: (Status.REQUIRES_REINDEX, "The state was written by a newer Satori; upgrade, or use another state root."),
    Reason.PUBLICATION_FOREIGN: (Status.REQUIRES_REINDEX, "The stored Publication belongs to another codebase; reindex."),
    Reason.PATH_MISSING: (Status.NOT_FOUND, "The path does not exist, or is not a directory where one is needed."),
    Reason.FILE_MISSING: (Status.NOT_FOUND, "The file was indexed and is no longer on disk."),
    Reason.FILE_NOT_INDEXED: (Status.NOT_FOUND, "The file is not in the source manifest: ignored, created since, or never there."),
    Reason.SYMBOL_NOT_FOUND: (Status.NOT_FOUND, "No symbol has this id, key or label."),
    Reason.SYMBOL_ELSEWHERE: (Status.NOT_FOUND, "The symbol exists in another file than the one named."),
    Reason.OPERATION_NOT_FOUND: (Status.NOT_FOUND, "No running operation has this id."),
    Reason.HANDLE_UNKNOWN: (Status.NOT_FOUND, "The continuation handle was never given to this session, or is long forgotten."),
    Reason.SYMBOL_AMBIGUOUS: (Status.AMBIGUOUS, "Several symbols fit; they are listed and none is picked."),
    Reason.FILE_SKIPPED: (Status.UNSUPPORTED, "The file is known and deliberately not indexed; the skip reason is given."),
    Reason.SYMBOLS_UNSUPPORTED: (Status.UNSUPPORTED, "The file's language has no symbols here; its text is indexed and readable."),
    Reason.RELATIONSHIPS_UNSUPPORTED: (Status.UNSUPPORTED, "There are no call rules for the symbol's language; textual references are."),
    Reason.SYMBOL_GONE: (Status.STALE, "The symbol was published and is no longer in the current source, or no longer unique there."),
    Reason.HANDLE_EXPIRED: (Status.STALE, "The frozen result set is older than 15 minutes; search again."),
    Reason.HANDLE_OUT_OF_ORDER: (Status.STALE, "expectedOffset is neither the next page nor one that was already served."),
    Reason.HANDLE_SUPERSEDED: (Status.STALE, "A newer Publication is served than the one the frozen set came from; search again."),
    Reason.SOURCE_UNREADABLE: (Status.BLOCKED, "A root or file cannot be read: permissions, not a regular file, or too large."),
    Reason.SOURCE_CHANGING: (Status.BLOCKED, "The file was replaced or rewritten while it was read; ask again."),
    Reason.NOTHING_ELIGIBLE: (Status.BLOCKED, "The directory holds no file that can be indexed; the skip reasons are counted."),
    Reason.STATE_FULL: (Status.BLOCKED, "The disk that holds the state is full; the current Publication is intact and readable."),
    Reason.STATE_READ_ONLY: (Status.BLOCKED, "The state root cannot be written; existing Publications are readable."),
    Reason.STATE_UNUSABLE: (Status.BLOCKED, "The state root failed in another way; the message names it."),
    Reason.LEASE_HELD: (Status.BLOCKED, "Another live process is changing this codebase; wait for it or cancel its operation."),
    Reason.SEVERAL_OWNERS: (Status.BLOCKED, "Runtimes of another version or code are alive; they must end before anything is changed."),
    Reason.OPERATION_FAILED: (Status.BLOCKED, "The operation failed and the message says why; what was served before is served on."),
    Reason.GIT_UNAVAILABLE: (Status.BLOCKED, "git is missing, the directory is in no repository, or the revision does not resolve."),
    Reason.STORE_UNREACHABLE: (Status.BLOCKED, "The chosen vector store cannot be asked; nothing is built anew by itself, and what needs no similarity is answered."),
    Reason.STORE_TIMEOUT: (Status.BLOCKED, "The chosen vector store did not answer in its time; ask again."),
    Reason.STORE_COLLECTION_MISSING: (Status.BLOCKED, "The vector store has lost what the served Publication named; restore it or reindex."),
    Reason.STORE_INCOMPLETE: (Status.BLOCKED, "The vector store gave other rows than were published; restore them or reindex."),
    Reason.EMBEDDER_COST: (Status.BLOCKED, "A first build with the chosen embedder would cost money; the message says how much, and a person starts it."),
    Reason.EMBEDDER_FAILED: (Status.BLOCKED, "The chosen embedder's model or service cannot be used; the message says why."),
    Reason.SETTINGS_INVALID: (Status.BLOCKED, "The user's settings file cannot be understood or must not be used; the message names it."),
    Reason.NO_RELEVANT_MATCH: (Status.OK, "Everything in scope was searched and nothing is relevant enough to show; coverage says what was searched."),
    Reason.NO_FILTER_MATCH: (Status.OK, "The operators leave nothing: no indexed file or text satisfies them."),
    Reason.NO_CODEBASES: (Status.OK, "No codebase is indexed in this state root that the session may see."),
    Reason.NO_SYMBOLS: (Status.OK, "The file or range holds no symbols; its text is readable."),
    Reason.NO_REFERENCES: (Status.OK, "All eligible files were scanned and the name occurs nowhere else."),
    Reason.NO_CHANGES: (Status.OK, "The compared trees do not differ."),
    Reason.NO_PATH: (Status.OK, "No path over proved relationships within the bounds; undecided call sites are no edges."),
    Reason.END_OF_RESULTS: (Status.OK, "The frozen set has no further results."),
    Reason.SYMBOL_MOVED: (Status.OK, "The symbol's text is unchanged and stands at another place than published; served from there."),
    Reason.SYMBOL_EDITED: (Status.OK, "The symbol is the same and its text changed since the id was given; both hashes are given."),
    Reason.OPERATION_STARTED: (Status.OK, "The work goes on in the background under operationId; poll status."),
    Reason.BUILD_CANCELLED: (Status.OK, "The operation was cancelled; the current Publication, if any, is served on."),
}  # fmt: skip


class WarningCode(StrEnum):
    """Codes of `warnings`: the answer stands, and this is to be known. A Publication's own warnings come on top."""

    CLIPPED = "clipped"
    EMBEDDER_CHANGED = "embedder_changed"
    EMBEDDER_UNAVAILABLE = "embedder_unavailable"
    FRESHNESS_UNVERIFIED = "freshness_unverified"
    LINE_CLIPPED = "line_clipped"
    LIVE_SOURCE = "live_source"
    NOT_UTF8 = "not_utf8"
    PARSER_PROBLEM = "parser_problem"
    PARTIAL_SCAN = "partial_scan"
    RANGE_CLAMPED = "range_clamped"
    RELATIONSHIPS_UNAVAILABLE = "relationships_unavailable"
    ROOT_GONE = "root_gone"
    SECRETS_MASKED = "secrets_masked"
    SYMBOL_CHANGED = "symbol_changed"

    @property
    def explanation(self) -> str:
        """What the warning means."""
        return _WARNINGS[self]


_WARNINGS: dict[WarningCode, str] = {
    WarningCode.CLIPPED: "Long texts were clipped so that the answer fits its budget.",
    WarningCode.EMBEDDER_CHANGED: "Another embedder was chosen since; the earlier one's Publication answers until it is rebuilt.",
    WarningCode.EMBEDDER_UNAVAILABLE: "The chosen embedder gave no vector for the question; the answer rests on words and names alone.",
    WarningCode.FRESHNESS_UNVERIFIED: "The files on disk could not all be compared with the Publication in time.",
    WarningCode.LINE_CLIPPED: "One line is larger than an answer; its beginning is shown.",
    WarningCode.LIVE_SOURCE: "Some evidence comes from the files as they are now, and is marked so.",
    WarningCode.NOT_UTF8: "Some bytes are no UTF-8 and are shown as U+FFFD; offsets are those of the stored bytes.",
    WarningCode.PARSER_PROBLEM: "The file could not be parsed and is served as text; the message says why.",
    WarningCode.PARTIAL_SCAN: "Some files or directories could not be read and keep what was last known of them.",
    WarningCode.RANGE_CLAMPED: "The lines asked for lie outside the file and were moved into it.",
    WarningCode.RELATIONSHIPS_UNAVAILABLE: "The Publication holds no call relationships; callers and callees are unknown, not none.",
    WarningCode.ROOT_GONE: "The codebase's directory no longer exists.",
    WarningCode.SECRETS_MASKED: "Keys or tokens in the shown source are replaced by stars of the same length.",
    WarningCode.SYMBOL_CHANGED: "The symbol's text changed since the id was given; it was resolved by its key.",
}  # fmt: skip
