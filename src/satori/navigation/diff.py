"""What git says changed: files with their hunks, between a commit and the working tree or between two commits.

git is run only through the guarded runner, with paths relative to the codebase's root and NUL-separated. It maps
nothing to symbols and reads no source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from satori.errors import SourceError, UsageError
from satori.source.git import resolve_commit, run_git
from satori.source.repository import Repository, locate

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_SUBMODULE = "160000"
_LINK = "120000"


class ChangeStatus(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    MODE_CHANGED = "mode_changed"
    TYPE_CHANGED = "type_changed"
    UNMERGED = "unmerged"
    UNTRACKED = "untracked"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `old_start` and on (`old_count` of them) became `new_start` and on; 1-based, without context."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int


@dataclass(frozen=True, slots=True)
class FileChange:
    """One changed file; paths are relative to the codebase's root.

    `old_path` is empty for an added file, `new_path` for a deleted one. `old_blob` and `new_blob` are object names, all
    zero where there is none or where the content is that of the working tree.
    """

    status: ChangeStatus
    old_path: str
    new_path: str
    old_blob: str
    new_blob: str
    binary: bool
    submodule: bool
    link: bool
    hunks: tuple[Hunk, ...]

    @property
    def path(self) -> str:
        """The path to call it by."""
        return self.new_path or self.old_path


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared: commits as object names; `head` empty for the working tree, `base` the merge base used.

    `note` says when the merge base could not be used (a shallow clone, unrelated histories, an unborn branch).
    """

    base_ref: str
    base: str
    head_ref: str
    head: str
    note: str = ""


def repository_of(root: str) -> Repository:
    """The repository around `root`. Raises SourceError (`git_failed`) when there is none."""
    repository = locate(root)
    if repository is None:
        raise SourceError(
            f"{root} is in no git repository.",
            next_step="Changes can be detected in a git repository.",
            code="git_failed",
        )
    return repository


def compare_refs(root: str, base_ref: str) -> Comparison:
    """Resolve `HEAD`, `main` or `main...topic` against the merge base. Raises UsageError for what is no revision."""
    base_ref, dots, head_ref = base_ref.partition("...")
    if dots and not (base_ref and head_ref):
        raise UsageError("A range takes two revisions: base...head.", next_step="Give both, or one revision alone.")
    if not dots and base_ref == "HEAD" and _is_unborn(root):
        return Comparison(base_ref, _empty_tree(root), "", "", "The branch has no commit yet; everything is new.")
    base = resolve_commit(root, base_ref)
    head = resolve_commit(root, head_ref) if head_ref else ""
    tip = head or ("" if _is_unborn(root) else resolve_commit(root, "HEAD"))
    if not tip or base == tip:
        return Comparison(base_ref, base, head_ref, head)
    # With several merge bases git lists them all; the first is what `git diff a...b` uses.
    found = run_git(root, ["merge-base", base, tip], accepted=(0, 1)).decode("ascii").split()
    if not found:
        return Comparison(base_ref, base, head_ref, head, "No merge base is known; the two are compared as they are.")
    return Comparison(base_ref, found[0], head_ref, head)


def read_changes(root: str, comparison: Comparison) -> list[FileChange]:
    """Changed tracked files below `root`, by path. Raises SourceError when the tree changes while it is read."""
    repository = repository_of(root)
    trees = [comparison.base, *([comparison.head] if comparison.head else [])]
    common = [
        "--relative",
        "--no-color",
        "-M",
        "--full-index",
        "--abbrev=64",
        "--ignore-submodules=dirty",
        *trees,
        "--",
    ]
    for _ in range(2):
        raw = run_git(root, ["diff", "--raw", "-z", *common], work_tree=repository.top)
        patch = run_git(root, ["diff", "-p", "-U0", *common], work_tree=repository.top)
        changes = _join(_parse_raw(raw), _sections(patch))
        if changes is not None:
            return sorted(changes, key=lambda change: change.path)
    raise SourceError("The tree changed while it was compared.", next_step="Ask again.", code="source_unstable")


def read_untracked(root: str) -> list[str]:
    """Untracked files below `root` that git does not ignore, relative to it."""
    repository = repository_of(root)
    listed = run_git(root, ["ls-files", "--others", "--exclude-standard", "-z"], work_tree=repository.top)
    return sorted(_text(path) for path in listed.split(b"\0") if path and not path.endswith(b"/"))


def read_blobs(root: str, names: Sequence[str], limit: int) -> dict[str, bytes]:
    """The blobs of these object names; missing and larger ones (bytes above `limit`) are left out."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    asked = "\n".join(wanted).encode("ascii") + b"\n"
    sizes = run_git(root, ["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"], standard_input=asked)
    fit = []
    for line in sizes.decode("ascii", "replace").splitlines():
        parts = line.split(" ")
        if len(parts) == 3 and parts[1] == "blob" and int(parts[2]) <= limit:
            fit.append(parts[0])
    if not fit:
        return {}
    output = run_git(root, ["cat-file", "--batch"], standard_input="\n".join(fit).encode("ascii") + b"\n")
    blobs: dict[str, bytes] = {}
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        name, _, size = output[at:end].decode("ascii").split(" ")
        blobs[name] = output[end + 1 : end + 1 + int(size)]
        at = end + 1 + int(size) + 1
    return blobs


def _is_unborn(root: str) -> bool:
    return not run_git(root, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], accepted=(0, 1, 128)).strip()


def _empty_tree(root: str) -> str:
    kind = run_git(root, ["rev-parse", "--show-object-format"]).decode("ascii").strip()
    return _EMPTY_TREES.get(kind, _EMPTY_TREES["sha1"])


@dataclass(frozen=True, slots=True)
class _Entry:
    letter: str
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str
    old_path: str
    new_path: str

    @property
    def sections(self) -> int:
        """How many sections of the patch are this entry's: a type change is a deletion and an addition."""
        return {"T": 2, "U": 0}.get(self.letter, 1)


def _parse_raw(raw: bytes) -> list[_Entry]:
    fields = raw.split(b"\0")
    entries: list[_Entry] = []
    at = 0
    while at < len(fields) and fields[at].startswith(b":"):
        old_mode, new_mode, old_blob, new_blob, letter = fields[at][1:].decode("ascii").split(" ")
        first = _text(fields[at + 1])
        moved = letter[0] in "RC"
        second = _text(fields[at + 2]) if moved else first
        at += 3 if moved else 2
        kind = letter[0]
        if kind == "U" and entries and entries[-1].new_path == first:
            continue
        entries.append(
            _Entry(
                kind,
                old_mode,
                new_mode,
                old_blob,
                new_blob,
                "" if kind == "A" else first,
                "" if kind == "D" else second,
            )
        )
    return entries


def _sections(patch: bytes) -> list[bytes]:
    """The patch of each file. Lines of content begin with another character, so the marker cannot occur in them."""
    parts = re.split(rb"^(?=diff --git )", patch, flags=re.MULTILINE)
    return [part for part in parts if part.startswith(b"diff --git ")]


def _join(entries: list[_Entry], sections: list[bytes]) -> list[FileChange] | None:
    """Entries with their hunks; None when the two looks do not belong together."""
    if sum(entry.sections for entry in entries) != len(sections):
        return None
    changes = []
    at = 0
    for entry in entries:
        own = sections[at : at + entry.sections]
        at += entry.sections
        changes.append(_change(entry, own))
    return changes


def _change(entry: _Entry, sections: list[bytes]) -> FileChange:
    hunks = tuple(
        Hunk(int(old), 1 if old_count is None else int(old_count), int(new), 1 if count is None else int(count))
        for section in sections
        for old, old_count, new, count in (match.groups() for match in _HUNK.finditer(section))
    )
    modes = (entry.old_mode, entry.new_mode)
    status = {
        "A": ChangeStatus.ADDED,
        "D": ChangeStatus.DELETED,
        "R": ChangeStatus.RENAMED,
        "C": ChangeStatus.ADDED,
        "T": ChangeStatus.TYPE_CHANGED,
        "U": ChangeStatus.UNMERGED,
    }.get(entry.letter, ChangeStatus.MODIFIED)
    if status is ChangeStatus.MODIFIED and not hunks and entry.old_mode != entry.new_mode:
        status = ChangeStatus.MODE_CHANGED
    return FileChange(
        status,
        "" if entry.letter == "C" else entry.old_path,
        entry.new_path,
        entry.old_blob,
        entry.new_blob,
        any(re.search(rb"^(Binary files .* differ|GIT binary patch)$", section, re.MULTILINE) for section in sections),
        _SUBMODULE in modes,
        _LINK in modes,
        hunks,
    )


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
