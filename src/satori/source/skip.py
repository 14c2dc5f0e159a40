"""Why a path is in the tree and yet not indexed: one enumeration, each member with a plain explanation.

The reasons are stored with the source manifest, counted in status and named by coverage. Deciding which reason
applies is done elsewhere (`scan` from names and stat, `content` from bytes).
"""

from __future__ import annotations

from enum import StrEnum


class SkipReason(StrEnum):
    """A stable code (the value) with an `explanation` for people."""

    IGNORED = "ignored"
    SECRET = "secret"  # noqa: S105 - the name of a reason
    VCS_INTERNAL = "vcs_internal"
    DEPENDENCY_TREE = "dependency_tree"
    NESTED_REPOSITORY = "nested_repository"
    SYMLINK = "symlink"
    NOT_REGULAR = "not_regular"
    UNDECODABLE_NAME = "undecodable_name"
    TOO_DEEP = "too_deep"
    TOO_LARGE = "too_large"
    BINARY = "binary"
    NOT_UTF8 = "not_utf8"
    MINIFIED = "minified"
    NOT_IN_PROFILE = "not_in_profile"
    UNREADABLE = "unreadable"

    @property
    def explanation(self) -> str:
        """One sentence: what was found and, where there is one, the way to have it indexed."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    SkipReason.IGNORED: "An ignore rule excludes it; re-include it with a `!pattern` line in .satoriignore.",
    SkipReason.SECRET: "Its name says that it holds credentials or keys; such files are never indexed.",
    SkipReason.VCS_INTERNAL: "It belongs to the version control system's own storage, which is never indexed.",
    SkipReason.DEPENDENCY_TREE: (
        "It looks like installed dependencies or build output and git tracks nothing in it; "
        "lift this with a `!name/` line in .satoriignore."
    ),
    SkipReason.NESTED_REPOSITORY: "It is a repository or worktree of its own; index it as its own codebase.",
    SkipReason.SYMLINK: "It is a symbolic link; links are not followed, their targets are indexed where they lie.",
    SkipReason.NOT_REGULAR: "It is a pipe, socket or device, not a regular file.",
    SkipReason.UNDECODABLE_NAME: "Its name is not valid UTF-8, so no answer could carry it; rename it to index it.",
    SkipReason.TOO_DEEP: "It lies deeper than the supported directory depth.",
    SkipReason.TOO_LARGE: "It is larger than the cap for one file.",
    SkipReason.BINARY: "It is binary: its name or a NUL byte says that it is not text.",
    SkipReason.NOT_UTF8: (
        "It is text in another encoding than UTF-8; spans are offsets into the stored bytes, so only UTF-8 is indexed. "
        "Convert it to UTF-8 to index it."
    ),
    SkipReason.MINIFIED: "Its lines are too long to be written by hand (minified, bundled or encoded data).",
    SkipReason.NOT_IN_PROFILE: "The profile does not cover this kind of file; choose a wider one, such as all-text.",
    SkipReason.UNREADABLE: "It could not be read (permissions or an I/O error) and was never read before.",
}
