"""Mutated source files, and what must hold for the facts of any bytes: shared by the tests and the long fuzz run.

Deterministic: case `index` of a language is the same bytes on every machine. Nothing here measures time or survives a
crash; `benchmarks/fuzz_grammars.py` runs the cases in a process of their own.
"""

from __future__ import annotations

import random
from pathlib import Path

from satori.model.definition import FileFacts
from satori.source.filetypes import HEAD_BYTES, classify

FIXTURES = Path(__file__).parent / "fixtures"
MAX_SEED_BYTES = 4_096
MAX_CASE_BYTES = 65_536
# What grammars and their hand-written scanners stumble over.
_WORDS = r"""
{ } ( ) [ ] < > " ' ` /* */ // # -- \ ${ #{ $( %w[ \u{ &&&& | ; : :: = => -> end do class def fn if 0x
1e999 \n\ <script> --- ``` <<EOF EOF =begin =end
"""
_TOKENS = (
    *_WORDS.encode().split(),
    *(b"\n", b"\r\n", b"\r", b"\t", b" ", b"\n---\n", b"\n```\n", b"\n=begin\n", b"\n=end\n", b"<<EOF\n", b"\nEOF\n"),
    *(b"\xef\xbb\xbf", b"\0", b"\xff\xfe", b"\xc3", b"\xf0\x9f\x98\x80", b"\xe2\x80\xae", b"'''", b'"""'),
)


def seeds_of(language: str, roots: list[Path]) -> list[bytes]:
    """The files under `roots` that are of the language, each cut to `MAX_SEED_BYTES`, in path order."""
    found: list[bytes] = []
    for root in roots:
        for path in sorted(root.rglob("*")):
            if not path.is_file() or path.is_symlink():
                continue
            with path.open("rb") as stream:
                head = stream.read(MAX_SEED_BYTES)
            if classify(path.as_posix(), head[:HEAD_BYTES]).language == language and head.strip():
                found.append(head)
    return found


def case(language: str, index: int, seeds: list[bytes]) -> bytes:
    """The mutated file number `index` of a language."""
    rng = random.Random(f"{language}:{index}")
    data = bytearray(seeds[index % len(seeds)])
    for _ in range(rng.choice((1, 1, 2, 3, 5, 8, 20))):
        _mutate(rng, data, seeds)
    return bytes(data[:MAX_CASE_BYTES])


def _mutate(rng: random.Random, data: bytearray, seeds: list[bytes]) -> None:
    size = len(data)
    at = rng.randrange(size + 1)
    until = min(size, at + int(rng.expovariate(1 / 40)) + 1)
    match rng.randrange(12):
        case 0:
            data[at:at] = rng.choice(_TOKENS)
        case 1:
            del data[at:until]
        case 2:
            data[at:at] = data[at:until] * rng.choice((1, 2, 5, 30))
        case 3:
            if at < size:
                data[at] = rng.randrange(256)
        case 4:
            del data[at:]
        case 5:
            other = rng.choice(seeds)
            start = rng.randrange(len(other))
            data[at:until] = other[start : start + rng.randrange(1, 400)]
        case 6:
            data[at:at] = rng.choice(_TOKENS) * rng.choice((2, 10, 100, 1_000))
        case 7:
            lines = bytes(data).split(b"\n")
            rng.shuffle(lines)
            data[:] = b"\n".join(lines)
        case 8:
            data[:] = bytes(data).replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b" ")))
        case 9:
            data[:] = bytes(data).replace(b"    ", rng.choice((b"\t", b"", b" ")))
        case 10:
            data[:0] = rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"#!/bin/x\n", b"\n" * 50))
        case _:
            data[at:until] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 40)))
    del data[MAX_CASE_BYTES:]


def broken_rule(data: bytes, facts: FileFacts) -> str:
    """The first rule that the facts of `data` break, in words; empty when they keep all of them."""
    open_: list[int] = []
    previous = 0
    for index, definition in enumerate(facts.definitions):
        span = definition.span
        if not 0 <= span.start < span.end <= len(data):
            return f"{definition.name}: the span is not in the file"
        if span.start < previous:
            return f"{definition.name}: definitions are not in source order"
        previous = span.start
        while open_ and facts.definitions[open_[-1]].span.end <= span.start:
            open_.pop()
        owner = open_[-1] if open_ else -1
        if definition.parent != owner:
            return f"{definition.name}: the parent is not the innermost definition around it"
        if owner >= 0 and span.end > facts.definitions[owner].span.end:
            return f"{definition.name}: crosses its owner"
        open_.append(index)
        if not span.start <= definition.name_start < definition.name_end <= span.end:
            return f"{definition.name}: the name token is not in the span"
        if not span.start <= definition.body_start <= span.end:
            return f"{definition.name}: the body is not in the span"
        first, last = data.count(b"\n", 0, span.start) + 1, data.count(b"\n", 0, span.end - 1) + 1
        if (span.start_line, span.end_line) != (first, last):
            return f"{definition.name}: lines are not those of the bytes"
        if not definition.name or not definition.qualified_name:
            return f"a definition at {span.start} has no name"
        if len(definition.signature) > 300 or len(definition.documentation) > 2_000 or "\n" in definition.signature:
            return f"{definition.name}: the signature or documentation is out of bounds"
    if any(not 0 <= start < end <= len(data) for start, end in facts.comments):
        return "a comment is not in the file"
    return ""
