"""Who a process is, in a way that a reused process number cannot forge, and who is at the other end of a socket.

Reads /proc on Linux and asks `ps` elsewhere. Ends processes only through `end_process`, which verifies first.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

_LOCAL_PEERCRED = 0x001
_SOL_LOCAL = 0


def start_time(pid: int) -> str | None:
    """When the process began, in the system's own words; None when there is no such (living) process."""
    if sys.platform.startswith("linux"):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] in ("Z", "X") else fields[19]
    try:
        shown = subprocess.run(
            ["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return shown.stdout.strip() or None


def end_process(pid: int, started: str, *, patience: float = 5.0) -> bool:
    """Ask the process to end, then make it; True when it is gone.

    Nothing is sent unless the process still is the one that `started` then.
    """
    for number, seconds in ((signal.SIGTERM, patience), (signal.SIGKILL, 2.0)):
        if start_time(pid) != started:
            return True
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if start_time(pid) != started:
                return True
            time.sleep(0.02)
    return start_time(pid) != started


def peer_user(end: socket.socket) -> int | None:
    """The user id at the other end of a Unix socket, by the kernel's word; None when the kernel does not say."""
    try:
        if hasattr(socket, "SO_PEERCRED"):
            credentials = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            user: int = struct.unpack("3i", credentials)[1]
            return user
        credentials = end.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 76)
        return int(struct.unpack_from("=II", credentials)[1])
    except OSError:
        return None
