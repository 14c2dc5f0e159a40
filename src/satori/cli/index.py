"""`satori index`: create a codebase's index or bring it up to date, in this process, with progress on the terminal."""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from satori.cli.output import existing_directory, interactive, print_json, quoted
from satori.errors import SourceError

if TYPE_CHECKING:
    from satori.publication.lifecycle import Lifecycle, SyncSummary
    from satori.publication.progress import Operation, Progress
    from satori.source.settings import SourceSettings

WAIT_SECONDS = 1.0


@click.command()
@click.argument("path", default=".")
@click.option("--force", is_flag=True, help="Build everything anew, also over damaged or incompatible state.")
@click.option(
    "--profile",
    type=click.Choice(["default", "minimal", "all-text"]),
    help="How wide to index; remembered for later syncs.",
)
@click.option("--ignore", multiple=True, metavar="PATTERN", help="Leave out, in .gitignore's syntax; repeatable.")
@click.option("--yes", is_flag=True, help="Do not ask before source text is sent to a chosen service.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def index(path: str, force: bool, profile: str | None, ignore: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Index PATH (default: the current directory), or publish what changed in it.

    Nothing is written in PATH. What was indexed before is served until the new Publication is complete.
    """
    from satori.publication.choice import SettingsChoice
    from satori.publication.state import default_state_root
    from satori.server import consent
    from satori.server.eligible import look
    from satori.server.policy import Policy
    from satori.server.workbench import Workbench
    from satori.source.root import resolve_root

    asked = existing_directory(path)
    workbench = Workbench(default_state_root())
    Policy.build(workbench.state_root, None).admit_resolved(asked)
    root = resolve_root(asked)
    choice = SettingsChoice(profile=profile, ignore=ignore or None)
    chosen = choice if profile is not None or ignore else None
    if str(root) not in workbench.known_roots():
        found = look(root, choice.resolve(root))
        if not found.any:
            raise SourceError(
                f"{root} holds no file that can be indexed: {found.why_none}.",
                next_step=f"Nothing was created. To widen it: satori index --profile all-text {quoted(asked)}",
            )
    lifecycle = workbench.lifecycle(str(root))
    _tell_cost(lifecycle, choice.resolve(root), ask=not yes)
    with _progress(root, quiet=as_json) as watch:
        summary = lifecycle.sync(
            chosen,
            action="reindex" if force else "sync",
            force=force,
            wait_seconds=WAIT_SECONDS,
            begun=_stoppable,
            listener=watch.see,
        )
    consent.grant(workbench.state_root, str(root))
    told = _summary(lifecycle, summary, watch)
    if as_json:
        print_json(told)
    else:
        _tell(told)


def _tell_cost(lifecycle: Lifecycle, settings: SourceSettings, *, ask: bool) -> None:
    """Before a service is sent a whole codebase: about how much that is; asked about in a terminal only."""
    from satori.publication.estimate import first_build

    found = first_build(lifecycle, settings)
    if found is None:
        return
    click.echo(f"A first build with this embedder: {found}", err=True)
    if ask and sys.stdin.isatty() and sys.stderr.isatty():
        click.confirm("Send it?", abort=True, err=True)


def _stoppable(progress: Progress) -> None:
    """The first SIGINT or SIGTERM cancels the operation, so that its record says so; the second stops at once."""

    def stop(number: int, _frame: object) -> None:
        progress.cancel()
        signal.signal(number, signal.default_int_handler)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)


class Watch:
    """Sees an operation's progress: times its phases and, on a terminal, draws a bar."""

    def __init__(self, bar: Any = None, task: Any = None) -> None:
        self.bar = bar
        self.task = task
        self.phases: dict[str, float] = {}
        self._phase = ""
        self._since = time.perf_counter()

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *exception: object) -> None:
        self._count()

    def see(self, operation: Operation) -> None:
        """One look at the operation."""
        if operation.phase.value != self._phase:
            self._count()
            self._phase = operation.phase.value
        if self.bar is not None:
            self.bar.update(
                self.task,
                description=operation.phase.value,
                completed=operation.done,
                total=operation.total or None,
            )

    def _count(self) -> None:
        now = time.perf_counter()
        if self._phase:
            self.phases[self._phase] = self.phases.get(self._phase, 0.0) + now - self._since
        self._since = now


class _Drawn(Watch):
    """A watch that draws; the bar lives as long as the block."""

    def __enter__(self) -> Watch:
        self.bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self.bar.stop()


def _progress(root: Path, *, quiet: bool) -> Watch:
    if quiet or not interactive():
        return Watch()
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        TextColumn(f"{root.name}: {{task.description}}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    return _Drawn(bar, bar.add_task("starting", total=None))


def _summary(lifecycle: Lifecycle, summary: SyncSummary, watch: Watch) -> dict[str, Any]:
    info = summary.info
    with lifecycle.pin() as snapshot:
        rows = snapshot.files()
        languages = Counter(row.language for row in rows if row.skip is None)
        skipped = Counter(row.skip.value for row in rows if row.skip is not None)
        problems = [row.path for row in rows if row.problem]
    return {
        "root": info.root,
        "action": summary.action,
        "published": summary.published,
        "full": summary.full,
        "publication": {"id": info.id, "sequence": info.sequence, "activatedAt": info.activated},
        "files": {"indexed": info.counts.indexed, "skipped": info.counts.skipped},
        "languages": dict(sorted(languages.items(), key=lambda item: (-item[1], item[0]))),
        "skipped": dict(sorted(skipped.items(), key=lambda item: (-item[1], item[0]))),
        "symbols": info.counts.symbols,
        "chunks": info.counts.chunks,
        "changed": len(summary.changed),
        "removed": len(summary.removed),
        "seconds": round(summary.seconds, 3),
        "phases": {name: round(seconds, 3) for name, seconds in watch.phases.items()},
        "fileProblems": len(problems),
        "warnings": [{"code": code, "message": message} for code, message in info.warnings],
    }


def _tell(told: dict[str, Any]) -> None:
    if not told["published"]:
        headline = "Up to date"
    elif told["full"]:
        headline = "Indexed"
    else:
        headline = f"Synced ({told['changed']} changed, {told['removed']} removed)"
    click.echo(f"{headline}: {told['root']}")
    click.echo(f"  {_counted(told['languages'], 8)}")
    click.echo(
        f"  {told['files']['indexed']:,} files, {told['symbols']:,} symbols, {told['chunks']:,} chunks"
        f" in {told['seconds']:.2f} s ({_seconds(told['phases'])})"
    )
    if told["skipped"]:
        click.echo(f"  skipped: {_counted(told['skipped'], 8)}")
    if told["fileProblems"]:
        click.echo(f"  {told['fileProblems']} files are served as text only; see: satori status {quoted(told['root'])}")
    for warning in told["warnings"]:
        click.echo(f"  warning: {warning['message']}")
    click.echo(f"  publication {told['publication']['id']}")


def _counted(counts: dict[str, int], limit: int) -> str:
    shown = [f"{name} {count:,}" for name, count in list(counts.items())[:limit]]
    rest = len(counts) - limit
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def _seconds(phases: dict[str, float]) -> str:
    return ", ".join(f"{name} {seconds:.2f}" for name, seconds in phases.items() if seconds >= 0.005)
