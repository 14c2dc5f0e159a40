"""The supervised child: one operation in a process of its own. Run as a module, never imported.

It ends when its standard input closes, which also happens when whoever started it dies, and on SIGTERM and SIGINT; in
each case the operation is cancelled and what was served stays served. Its outcome is in the operation's record; the
exit status is 0 when it completed, 1 when it failed, 2 when it was cancelled.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from satori.errors import CancelledError, SatoriError
from satori.remote.keys import use_environment

if TYPE_CHECKING:
    from satori.publication.progress import Progress

_LAST_SECONDS = 3.0


def main() -> int:
    """Run the operation that the arguments name."""
    parser = argparse.ArgumentParser(prog="satori.publication.child")
    for name in ("state-root", "root", "action", "operation"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--choice", default="")
    # A person's shell command waits for this child, which may then use that shell's keys too.
    parser.add_argument("--shell", action="store_true")
    arguments = parser.parse_args()
    if arguments.shell:
        use_environment(os.environ)

    from satori.publication.choice import SettingsChoice
    from satori.publication.lifecycle import Lifecycle

    lifecycle = Lifecycle(Path(arguments.state_root), Path(arguments.root))
    choice = SettingsChoice.from_document(json.loads(arguments.choice)) if arguments.choice else None

    def begun(progress: Progress) -> None:
        _stop_when_told(progress)

    try:
        if arguments.action == "clear":
            lifecycle.clear(operation_id=arguments.operation, begun=begun)
        elif arguments.action == "reindex":
            lifecycle.reindex(choice, operation_id=arguments.operation, begun=begun)
        else:
            lifecycle.sync(choice, action=arguments.action, operation_id=arguments.operation, begun=begun)
    except CancelledError as error:
        print(error, file=sys.stderr)
        return 2
    except SatoriError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _stop_when_told(progress: Progress) -> None:
    def stop(*_: object) -> None:
        progress.cancel()
        threading.Thread(target=_die_later, daemon=True).start()

    def wait_for_the_end_of_input() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    threading.Thread(target=wait_for_the_end_of_input, daemon=True).start()


def _die_later() -> None:
    # Whatever it is at, dying here is as safe as any kill: activation is one step.
    time.sleep(_LAST_SECONDS)
    os._exit(2)


if __name__ == "__main__":
    sys.exit(main())
