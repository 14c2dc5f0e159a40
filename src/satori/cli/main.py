"""The `satori` command: which commands there are, and nothing else.

A command's module is imported when the command runs, so that `satori --version` and `--help` cost next to nothing.
Exit codes: 0 done, 1 it could not be done, 2 the command was used wrongly, 3 a protocol-level failure of a tool call.
"""

from __future__ import annotations

import contextlib
import os
import sys

# command: (module and function, one line of help)
COMMANDS: dict[str, tuple[str, str]] = {
    "index": ("satori.cli.index:index", "Index a directory, or bring its index up to date."),
    "search": ("satori.cli.search:search", "Find the code that answers a question."),
    "status": ("satori.cli.status:status", "Show the state of one codebase."),
    "list": ("satori.cli.codebases:list_command", "List every indexed codebase."),
    "compare": ("satori.cli.measure:compare", "Show the naive baseline and Satori side by side."),
    "eval": ("satori.cli.measure:evaluate", "Measure both on a question set or a directory."),
    "clear": ("satori.cli.codebases:clear", "Delete one codebase's index."),
    "tools": ("satori.cli.tools:tools", "List the MCP tools."),
    "tool": ("satori.cli.tools:tool", "Call an MCP tool from the shell."),
    "install": ("satori.cli.install:install", "Give agents Satori's tools."),
    "uninstall": ("satori.cli.install:uninstall", "Take Satori out of agents again."),
    "config": ("satori.cli.config:config", "Show or change the settings of this user."),
    "doctor": ("satori.cli.install:doctor", "Check the installation, the agents and the indexes."),
    "upgrade": ("satori.cli.runtime:upgrade", "Switch to a newer version, verified first."),
    "terminate": ("satori.cli.runtime:terminate", "End the running runtimes; indexes stay."),
    "serve": ("satori.cli.serve:serve", "Serve MCP on standard input and output."),
}


def main() -> None:
    """The console script."""
    if sys.argv[1:] == ["--version"]:
        from satori import __version__

        sys.stdout.write(f"satori {__version__}\n")
        return
    for stream in (sys.stdout, sys.stderr):
        # A terminal or pipe in another encoding must not turn a result into a traceback.
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    # One processor's worth of arithmetic is enough for a question; numpy's threads would only spin beside it.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    from satori.cli.group import run

    sys.exit(run())


if __name__ == "__main__":
    main()
