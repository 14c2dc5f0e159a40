"""Length-prefixed pickles between this package's own processes, over private pipes.

Both ends are the same installed version of this package, started by one another; nothing from outside is ever read.
"""

from __future__ import annotations

import pickle
import struct
from typing import IO, Any

_LENGTH = struct.Struct("<Q")


def send(stream: IO[bytes], value: Any) -> None:
    """Write one value and flush. Raises OSError (BrokenPipeError) when the other end is gone."""
    body = pickle.dumps(value, protocol=5)
    stream.write(_LENGTH.pack(len(body)))
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one value. Raises EOFError when the other end closed or died, also in the middle of a value."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return pickle.loads(_exactly(stream, length))  # noqa: S301 (see the module's docstring)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise EOFError
    return data
