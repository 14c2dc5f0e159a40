"""One request's view of one codebase: the pinned Publication, the place asked about, the reader of its files.

Opening a view is where every refusal about paths and Publications is made, in one order: policy, place, Publication,
file. Nothing is read from a file before all of them agree.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satori.codebase.place import Place
from satori.errors import DeniedPathError, SatoriError, SourceError
from satori.navigation.live import LiveFile, open_live
from satori.server.describe import absolute
from satori.server.envelope import Action
from satori.server.failures import RefusalError
from satori.server.policy import Policy
from satori.server.reasons import Reason, WarningCode
from satori.server.words import clip, plural
from satori.source.reading import MissingFileError, stamp_of

FRESHNESS_BUDGET_MS = 200.0
SHOWN_CHANGES = 20

if TYPE_CHECKING:
    from satori.navigation.graph import Relations
    from satori.publication.snapshot import FileRow, Snapshot
    from satori.search.engine import SearchEngine
    from satori.server.tools.context import ToolContext
    from satori.server.workbench import Pinned
    from satori.source.reading import SourceReader


@dataclass(frozen=True, slots=True)
class FileFreshness:
    """`changed` are the files that differ from the Publication, sorted; `reason` says why nothing could be verified.

    `of` is what was compared: the whole requested directory, or only the files that the answer shows.
    """

    state: str
    changed: tuple[str, ...] = ()
    reason: str = ""
    of: str = "directory"

    def as_dict(self) -> dict[str, Any]:
        """The envelope's freshness."""
        return {
            "state": self.state,
            "changedFiles": list(self.changed[:SHOWN_CHANGES]),
            "changedCount": len(self.changed),
            "pendingSync": bool(self.changed),
            "of": self.of,
        }


@dataclass(frozen=True, slots=True)
class View:
    """`path` is the request's own; follow-up calls repeat it, so that they stay confined as it was."""

    path: str
    place: Place
    pinned: Pinned
    policy: Policy

    @property
    def snapshot(self) -> Snapshot:
        """The pinned Publication."""
        return self.pinned.snapshot

    @property
    def engine(self) -> SearchEngine:
        """The search engine over it."""
        return self.pinned.engine

    @contextmanager
    def reader(self) -> Iterator[SourceReader]:
        """The reader of this codebase's files, for as long as this block. Raises SourceError when the root is gone."""
        from satori.source.reading import SourceReader

        with SourceReader(self.root) as reader:
            yield reader

    @property
    def root(self) -> str:
        """The codebase's root."""
        return self.place.root

    def publication(self) -> dict[str, Any]:
        """The envelope's publication."""
        info = self.snapshot.info
        return {
            "id": info.id,
            "sequence": info.sequence,
            "activatedAt": info.activated,
            "root": self.place.root,
            "effectiveRoot": self.place.effective,
        }

    def may_name(self, file: str) -> bool:
        """Whether this session may be told of the repository-relative `file`."""
        try:
            self.policy.admit(absolute(self.root, file))
        except DeniedPathError:
            return False
        return self.place.covers(file)

    def file_freshness(self, row: FileRow) -> dict[str, Any]:
        """Freshness of an answer that draws on one file."""
        try:
            with self.reader() as reader:
                live = open_live(self.snapshot, reader, row)
        except SourceError:
            return FileFreshness("changed", (row.path,), of="answer").as_dict()
        return self.live_freshness(live)

    def live_freshness(self, live: LiveFile) -> dict[str, Any]:
        """The same when the file has been read already."""
        state = "changed" if live.changed else "verified"
        return FileFreshness(state, (live.row.path,) * live.changed, of="answer").as_dict()

    def answer_freshness(self, paths: Iterable[str]) -> FileFreshness:
        """Freshness of an answer that shows these files: by their stamps, or bytes where stamps prove nothing."""
        proven = self.snapshot.manifest().proven
        changed = []
        for path in sorted(set(paths)):
            try:
                if proven.get(path) == stamp_of(os.lstat(absolute(self.root, path))):
                    continue
                row = self.snapshot.file(path)
                if row is None or row.skip is not None:
                    continue
                with self.reader() as reader:
                    if not open_live(self.snapshot, reader, row).changed:
                        continue
            except (OSError, SourceError):
                pass
            changed.append(path)
        return FileFreshness("changed" if changed else "verified", tuple(changed), of="answer")

    def freshness(self) -> FileFreshness:
        """Freshness of an answer that draws on the whole effective directory."""
        found = look_at(self.pinned)
        changed = tuple(path for path in found.changed if self.place.covers(path))
        state = "verified" if found.state == "changed" and not changed else found.state
        return FileFreshness(state, changed, found.reason)

    def warnings(self, freshness: FileFreshness) -> list[tuple[str, str]]:
        """What the Publication itself warns of, and why freshness could not be verified."""
        found = list(self.snapshot.info.warnings)
        if self.pinned.successor:
            found.append((WarningCode.EMBEDDER_CHANGED, self.pinned.successor))
        if freshness.state == "unverified":
            found.append(
                (WarningCode.FRESHNESS_UNVERIFIED, freshness.reason or WarningCode.FRESHNESS_UNVERIFIED.explanation)
            )
        if self.snapshot.info.unreadable:
            count = len(self.snapshot.info.unreadable)
            found.append(
                (WarningCode.PARTIAL_SCAN, f"{plural(count, 'path')} could not be read when this was published.")
            )
        return found

    @property
    def relations(self) -> Relations:
        """What the Publication tells of relationships."""
        return self.snapshot

    def calls_capability(self, language: str) -> str:
        """`qualified`, `conservative` or `unsupported`: how exact the language's call edges were measured to be."""
        from satori.relationships.measured import call_support

        return call_support(language).value

    def has_symbols(self, language: str) -> bool:
        """Whether symbols are extracted for this language."""
        return self.symbol_capability(language) != "text"

    def symbol_capability(self, language: str) -> str:
        """`deep`, `outline` or `text`."""
        from satori.languages.registry import language_for

        served = language_for(language)
        return served.capability.symbols if served is not None else "text"


def look_at(pinned: Pinned, budget_ms: float = FRESHNESS_BUDGET_MS) -> FileFreshness:
    """How the whole codebase on disk relates to the pinned Publication; never raises for the state of the disk."""
    try:
        settings = pinned.lifecycle.settings()
    except SatoriError as error:
        return FileFreshness("unverified", reason=error.message)
    found = pinned.freshness.check(pinned.snapshot.manifest(), settings, budget_ms)
    return FileFreshness(found.state.value, tuple(found.changed_files), found.reason)


@contextmanager
def open_view(context: ToolContext, path: str) -> Iterator[View]:
    """The view for a tool whose `path` is a directory. Raises RefusalError and the Publication's own errors."""
    place = context.workbench.place(context.session, path)
    _exists(place, path)
    if Path(place.effective).is_file():
        raise RefusalError(
            Reason.INVALID_VALUE,
            f"'path' takes a directory; '{clip(path, 200)}' is a file. Give the codebase's directory as 'path'.",
        )
    if place.indexed and context.workbench.catches_up:
        _catch_up(context, place)
    with _pinned(context, place) as pinned:
        yield View(path, place, pinned, context.workbench.policy(context.session))


def _catch_up(context: ToolContext, place: Place) -> None:
    """Publish a small change before this request pins, when that takes a moment; otherwise the answer says so."""
    if context.workbench.mutation_block is not None and context.workbench.mutation_block() is not None:
        return
    # What is wrong with the Publication is said when it is pinned for the answer.
    with suppress(SatoriError), context.workbench.pinned(place.root) as pinned:
        manifest, settings = pinned.snapshot.manifest(), pinned.lifecycle.settings()
        found = pinned.freshness.check(manifest, settings, FRESHNESS_BUDGET_MS)
        if pinned.lifecycle.catch_up(pinned.snapshot, found):
            with context.workbench.pinned(place.root) as fresh:
                fresh.freshness.follow(found, fresh.snapshot.manifest())


@contextmanager
def open_file(context: ToolContext, path: str) -> Iterator[tuple[View, LiveFile]]:
    """The view and the live file for a tool whose `path` is a file of the source manifest."""
    place = context.workbench.place(context.session, path)
    if place.indexed and not place.prefix:
        raise RefusalError(
            Reason.INVALID_VALUE,
            f"'path' takes a file; '{clip(path, 200)}' is the codebase's root. Give a file inside it.",
        )
    with _pinned(context, place) as pinned:
        # From here on the codebase's root is the scope: the path itself named the one file.
        whole = Place(place.root, place.root, place.root)
        view = View(place.root, whole, pinned, context.workbench.policy(context.session))
        row = _row(view, place.prefix)
        try:
            with view.reader() as reader:
                live = open_live(view.snapshot, reader, row)
        except MissingFileError as error:
            raise _gone(view, row.path) from error
        yield view, live


def indexed_row(view: View, file: str) -> FileRow:
    """The manifest row of `file`, relative to the root and inside the effective directory. Raises RefusalError."""
    relative = file
    if file.startswith("/"):
        # Agents often hold the absolute path of a file inside the codebase; anything else is not relative to it.
        inside = [base for base in (view.root, view.path) if file.startswith(base.rstrip("/") + "/")]
        if not inside:
            raise RefusalError(
                Reason.INVALID_VALUE, f"'file' is relative to the codebase's root; '{clip(file, 200)}' is absolute."
            )
        relative = absolute("", file[len(inside[0].rstrip("/")) + 1 :])[1:]
    row = _row(view, relative)
    if not view.place.covers(row.path):
        raise RefusalError(
            Reason.FILE_NOT_INDEXED,
            f"'{clip(row.path, 200)}' lies outside the requested directory '{clip(view.place.prefix, 200)}'.",
            action=Action("file_outline", {"path": view.root, "file": row.path}, "Ask with the codebase's root."),
        )
    return row


def _row(view: View, file: str) -> FileRow:
    row = view.snapshot.file(file)
    if row is None:
        raise RefusalError(
            Reason.FILE_NOT_INDEXED,
            f"'{clip(file, 200)}' is not in the source manifest of {clip(view.root, 200)}.",
            action=Action(
                "manage_index",
                {"action": "sync", "path": view.root},
                "If the file exists and is not ignored, a sync picks it up.",
            ),
        )
    if row.skip is not None:
        raise RefusalError(
            Reason.FILE_SKIPPED,
            f"'{clip(row.path, 200)}' is not indexed ({row.skip.value}): {row.skip.explanation}",
            action=Action(
                "manage_index",
                {"action": "status", "path": view.root, "detail": "diagnostics"},
                "See what is skipped and why.",
            ),
        )
    return row


def _gone(view: View, file: str) -> RefusalError:
    return RefusalError(
        Reason.FILE_MISSING,
        f"'{clip(file, 200)}' was indexed and is no longer on disk.",
        action=Action("manage_index", {"action": "sync", "path": view.root}, "Publish the deletion."),
    )


def _exists(place: Place, path: str) -> None:
    if not Path(place.effective).exists() and not place.indexed:
        raise RefusalError(Reason.PATH_MISSING, f"'{clip(path, 200)}' does not exist.")


@contextmanager
def _pinned(context: ToolContext, place: Place) -> Iterator[Pinned]:
    if not place.indexed:
        if not Path(place.effective).exists():
            raise RefusalError(Reason.PATH_MISSING, f"'{clip(place.effective, 200)}' does not exist.")
        raise RefusalError(
            Reason.NOT_INDEXED,
            f"Nothing is indexed for {clip(place.suggested, 200)}.",
            action=Action("manage_index", {"action": "create", "path": place.suggested}, "Index it first."),
        )
    with context.workbench.pinned(place.root) as pinned:
        yield pinned
