"""References as bytes and back: one table of distinct strings, and columns of integers that point into it.

Like `satori.facts.packing` it is no format for others: it changes with EXTRACTOR_VERSION. Unpacking checks shape, not
truth; damaged bytes raise ValueError.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from satori.model.reference import Base, Binding, CallSite, Export, Import, Mark, References, Signature

_HEADER = struct.Struct("<4sII")
_MAGIC = b"SR1\n"


class Shape(NamedTuple):
    """A kind of record and how many leading integer fields a record has; the rest are strings."""

    record: Any
    integers: int


SHAPES = (
    Shape(Import, 5),
    Shape(Export, 4),
    Shape(Base, 1),
    Shape(Mark, 1),
    Shape(Signature, 3),
    Shape(Binding, 6),
    Shape(CallSite, 6),
)


def pack_references(references: References) -> bytes:
    """`references` as bytes; equal references give equal bytes."""
    return pack_records(
        SHAPES,
        references.package,
        (
            references.imports,
            references.exports,
            references.bases,
            references.marks,
            references.signatures,
            references.bindings,
            references.sites,
        ),
    )


def unpack_references(packed: bytes) -> References:
    """The references that `pack_references` was given; raises ValueError when the bytes are not whole."""
    package, lists = unpack_records(SHAPES, packed)
    return References(package, *lists)


def pack_records(shapes: Sequence[Shape], package: str, lists: Sequence[Sequence[Any]]) -> bytes:
    """One list of records for each of `shapes`, and one text."""
    numbers = array("i", [0])
    table: dict[str, int] = {package: 0}
    texts = [package]
    for shape, records in zip(shapes, lists, strict=True):
        numbers.append(len(records))
        if not records:
            continue
        columns = list(zip(*records, strict=True))
        for column in columns[: shape.integers]:
            numbers.extend(column)
        for column in columns[shape.integers :]:
            for text in column:
                place = table.get(text)
                if place is None:
                    place = table[text] = len(texts)
                    texts.append(text)
                numbers.append(place)
    if sys.byteorder == "big":
        numbers.byteswap()
    encoded = "\0".join(texts).encode("utf-8", "surrogatepass")
    return _HEADER.pack(_MAGIC, len(numbers), len(encoded)) + numbers.tobytes() + encoded


def unpack_records(shapes: Sequence[Shape], packed: bytes) -> tuple[str, list[tuple[Any, ...]]]:
    """The inverse of `pack_records`; raises ValueError when the bytes are not whole."""
    try:
        magic, count, size = _HEADER.unpack_from(packed)
        text_start = _HEADER.size + count * 4
        if magic != _MAGIC or len(packed) != text_start + size:
            raise ValueError("packed references are damaged: the header does not fit the bytes")
        numbers = array("i")
        numbers.frombytes(packed[_HEADER.size : text_start])
        if sys.byteorder == "big":
            numbers.byteswap()
        texts = packed[text_start:].decode("utf-8", "surrogatepass").split("\0")
        return texts[numbers[0]], _lists(shapes, numbers, texts)
    except (struct.error, IndexError, TypeError, UnicodeDecodeError) as error:
        raise ValueError(f"packed references are damaged: {error}") from error


def _lists(shapes: Sequence[Shape], numbers: array[int], texts: list[str]) -> list[tuple[Any, ...]]:
    lists: list[tuple[Any, ...]] = []
    at = 1
    for shape in shapes:
        rows = numbers[at]
        at += 1
        columns: list[Iterable[Any]] = []
        for index in range(len(shape.record._fields)):
            column = numbers[at : at + rows]
            at += rows
            columns.append(column if index < shape.integers else [texts[place] for place in column])
        lists.append(tuple(map(shape.record._make, zip(*columns, strict=True))))
    if at != len(numbers):
        raise ValueError("packed references are damaged: integers are left over")
    return lists
