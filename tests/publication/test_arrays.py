"""Array blocks come back as they went in, and damage is noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from satori.errors import DamagedError
from satori.publication.arrays import map_file, pack, unpack


def block() -> bytes:
    return pack({"a": np.arange(5, dtype=np.int32), "b": np.zeros((0, 4), np.int8)}, {"paths": ["é", "x\ny"]})


def test_arrays_and_meta_round_trip() -> None:
    """Types, shapes (empty ones too), values and meta survive."""
    arrays, meta = unpack(block(), verify=True)
    assert arrays["a"].tolist() == [0, 1, 2, 3, 4]
    assert arrays["a"].dtype == np.int32
    assert arrays["b"].shape == (0, 4)
    assert meta == {"paths": ["é", "x\ny"]}


def test_equal_input_gives_equal_bytes() -> None:
    """Blocks are compared by bytes, so nothing in them may vary."""
    assert block() == block()


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: b"", "not an array block"),
        (lambda data: b"garbage" * 20, "not an array block"),
        (lambda data: data[:60], "header"),
        (lambda data: data[:-1], "bytes instead"),
        (lambda data: data[:40] + b"\xff" + data[41:], "header"),
    ],
)
def test_damage_is_refused(damage: object, reason: str) -> None:
    """A block that is empty, foreign, truncated or altered in its header is never read."""
    with pytest.raises(DamagedError, match=reason):
        unpack(damage(block()))  # type: ignore[operator]


def test_altered_content_is_found_by_verification() -> None:
    """`verify` reads every byte, so a flipped one is refused."""
    data = bytearray(block())
    data[-1] ^= 1
    with pytest.raises(DamagedError, match="hash"):
        unpack(bytes(data), verify=True)


def test_a_missing_file_is_damage(tmp_path: Path) -> None:
    """A segment that is gone is reported as damage with a way out."""
    with pytest.raises(DamagedError, match="satori index --force"):
        map_file(tmp_path / "none.segment")
