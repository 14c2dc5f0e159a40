"""Ends a process that is certainly the one meant, and tells who is at the other end of a socket.

Who a process is comes from `satori.publication.process`. Nothing is ever sent to a process number alone.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import time

from satori.publication.process import start_time

_LOCAL_PEERCRED = 0x001
_SOL_LOCAL = 0


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
