"""The only way in which git is run: read-only commands, with everything that a repository could make it execute off.

Hooks, the file system monitor, external diffs, text conversion, filter drivers, signature programs, pagers, prompts,
remote helpers and lazy fetching are switched off by options that beat the repository's configuration. Time and output
are bounded. Nothing here goes through a shell, and arguments that come from outside pass `resolve_commit` first.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from satori.errors import SourceError, UsageError

#: Seconds that one command may take, and bytes that it may answer.
TIME_LIMIT = 15.0
OUTPUT_LIMIT = 64 * 1024 * 1024

_COMMANDS = frozenset(
    "cat-file check-ignore config diff diff-tree for-each-ref log ls-files ls-tree merge-base rev-list rev-parse show"
    " symbolic-ref version".split()
)
_DIFFS = frozenset({"diff", "diff-tree", "log", "show"})
_OVERRIDES = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.askPass=",
    "core.sshCommand=false",
    "core.alternateRefsCommand=",
    "core.quotePath=true",
    "core.commitGraph=true",
    "credential.helper=",
    "diff.external=",
    "diff.ignoreSubmodules=all",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.renames=true",
    "diff.orderFile=/dev/null",
    "log.showSignature=false",
    "log.mailmap=false",
    "log.follow=false",
    "gpg.program=false",
    "protocol.allow=never",
    "color.ui=false",
    "submodule.recurse=false",
)
_KEPT_VARIABLES = ("PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_REVISION = re.compile(r"[^\s\x00-\x20\x7f:?*\[\\;|&$`<>\"'()-][^\s\x00-\x20\x7f:?*\[\\;|&$`<>\"'()]*")


class GitError(SourceError):
    """A git command failed, took too long or answered too much."""

    default_code = "git_failed"


def run_git(
    directory: str | os.PathLike[str],
    arguments: Sequence[str],
    *,
    work_tree: str | os.PathLike[str] | None = None,
    standard_input: bytes = b"",
    time_limit: float = TIME_LIMIT,
    output_limit: int = OUTPUT_LIMIT,
    accepted: Sequence[int] = (0,),
) -> bytes:
    """What `git <arguments>` prints when run in `directory`.

    The first argument must be one of the allowed read-only commands. Commands that diff get `--no-ext-diff
    --no-textconv --ignore-submodules=all` and run with every configured filter driver switched off. `work_tree`
    beats the repository's own core.worktree. `accepted` are the exit codes that count as success. Raises GitError.
    """
    command = arguments[0]
    if command not in _COMMANDS:
        raise ValueError(f"git {command} is not among the commands that are run")
    line = ["git", "--no-pager", "--no-optional-locks", "--literal-pathspecs"]
    for override in _OVERRIDES:
        line += ["-c", override]
    environment = _environment(work_tree)
    if command in _DIFFS:
        for driver in _filter_drivers(directory, environment):
            for key in ("clean", "smudge", "process"):
                line += ["-c", f"filter.{driver}.{key}="]
            line += ["-c", f"filter.{driver}.required=false"]
        line += [command, "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", *arguments[1:]]
    else:
        line += arguments
    code, output, complaint = _run(line, directory, environment, standard_input, time_limit, output_limit)
    if code not in accepted:
        words = complaint.decode("utf-8", "replace").strip().splitlines()
        raise GitError(
            f"git {command} failed: {words[0][:300] if words else f'exit code {code}'}.",
            next_step="Run it in a terminal to see more.",
        )
    return output


def resolve_commit(directory: str | os.PathLike[str], revision: str) -> str:
    """The full object name of the commit that `revision` names.

    Raises UsageError for anything that is not plainly a revision (options, white space, shell characters, ranges)
    and for revisions that do not exist.
    """
    advice = "Give a branch, tag or commit, such as HEAD~1 or main."
    if len(revision) > 1000 or ".." in revision or not _REVISION.fullmatch(revision):
        raise UsageError(f"{revision[:200]!r} is not a revision.", next_step=advice)
    try:
        output = run_git(directory, ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"])
    except GitError as error:
        raise UsageError(f"There is no commit {revision!r} here.", next_step=advice) from error
    return output.decode("ascii").strip()


def _environment(work_tree: str | os.PathLike[str] | None) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    kept.update(
        LC_ALL="C",
        GIT_TERMINAL_PROMPT="0",
        GIT_OPTIONAL_LOCKS="0",
        GIT_NO_LAZY_FETCH="1",
        GIT_ALLOW_PROTOCOL="",
        GIT_ASKPASS="false",
        SSH_ASKPASS="false",
        GIT_PAGER="cat",
        GIT_EDITOR="false",
        GIT_ATTR_NOSYSTEM="1",
    )
    if work_tree is not None:
        kept["GIT_WORK_TREE"] = os.fspath(work_tree)
    return kept


def _filter_drivers(directory: str | os.PathLike[str], environment: dict[str, str]) -> list[str]:
    line = ["git", "config", "--name-only", "-z", "--get-regexp", r"^filter\."]
    code, output, _ = _run(line, directory, environment, b"", TIME_LIMIT, 1024 * 1024)
    if code != 0:
        return []
    names = {key.split(".", 1)[1].rpartition(".")[0] for key in os.fsdecode(output).split("\0") if key.count(".") >= 2}
    unsafe = [name for name in names if "=" in name or "\n" in name]
    if unsafe:
        raise GitError(
            f"The repository configures a filter driver {unsafe[0][:80]!r}, which cannot be switched off.",
            next_step="Remove it from the repository's configuration.",
        )
    return sorted(names)


def _run(
    line: Sequence[str],
    directory: str | os.PathLike[str],
    environment: dict[str, str],
    standard_input: bytes,
    time_limit: float,
    output_limit: int,
) -> tuple[int, bytes, bytes]:
    with tempfile.TemporaryFile() as complaints, tempfile.TemporaryFile() as given:
        if standard_input:
            given.write(standard_input)
            given.seek(0)
        try:
            process = subprocess.Popen(
                line,
                cwd=directory,
                env=environment,
                stdin=given if standard_input else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,
            )
        except OSError as error:
            raise GitError(f"git cannot be run: {error.strerror}.", next_step="Install git.") from error
        overdue = threading.Event()

        def end() -> None:
            overdue.set()
            _kill(process)

        timer = threading.Timer(time_limit, end)
        timer.start()
        try:
            assert process.stdout is not None
            output = process.stdout.read(output_limit + 1)
            if len(output) > output_limit:
                _kill(process)
            process.stdout.close()
            code = process.wait()
        finally:
            timer.cancel()
            if process.poll() is None:
                _kill(process)
                process.wait()
        if overdue.is_set():
            raise GitError(f"git took longer than {time_limit:g} seconds.", next_step="Try again.")
        if len(output) > output_limit:
            raise GitError(f"git answered more than {output_limit} bytes.", next_step="Ask for less.")
        complaints.seek(0)
        return code, output, complaints.read(4096)


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()


def git_path(path: bytes) -> str:
    """A path that git printed with `-z`, as the file system spells it."""
    return os.fsdecode(path)


def top_level(directory: Path) -> Path | None:
    """The top of the work tree that `directory` lies in according to git itself, or None."""
    try:
        output = run_git(directory, ["rev-parse", "--show-toplevel"])
    except GitError:
        return None
    return Path(os.fsdecode(output.rstrip(b"\n"))) if output.strip() else None
