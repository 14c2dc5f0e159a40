"""What is asked of a worker and what it answers: plain values that cross a pipe.

A result holds everything that a file contributes, already packed for storage, so that the process that writes only
moves bytes. Nothing here computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from satori.source.manifest import ManifestEntry


class Problem(StrEnum):
    """Why a file is served as text although its language has a parser."""

    TIMEOUT = "parse_timeout"
    CRASHED = "parser_crashed"


@dataclass(frozen=True, slots=True)
class WorkSettings:
    """What all jobs of a run share. `cache` is the cache directory, or "" to compute everything anew; `versions` and
    `model` are the parts of cache keys that decide their values beside the content."""

    root: str
    cache: str
    versions: str
    model: str


@dataclass(frozen=True, slots=True)
class FileJob:
    """One file to analyse; `entry` is its manifest entry, `problem` why its parser must not see it."""

    number: int
    entry: ManifestEntry
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file's contribution. When the file could not be read as the entry says (it changed, or vanished, or defeats
    even the plain-text path), `failure` says so and everything else is empty.

    `content`, `symbols`, `chunks` and `part` are packed; `keys` and `names` list the symbols' keys and names by
    position (the file's own symbol has no name here). `facts` is the packed value to cache, or None when it came from
    there;
    `vectors` are (projection hash, int8 bytes) computed now; `renewed` are cache keys to keep.
    """

    number: int
    failure: str = ""
    problem: str = ""
    language: str = ""
    lines: int = 0
    chunk_count: int = 0
    content: bytes = b""
    symbols: bytes = b""
    chunks: bytes = b""
    part: bytes = b""
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    facts: tuple[bytes, bytes] | None = None
    vectors: tuple[tuple[bytes, bytes], ...] = ()
    renewed: tuple[tuple[bytes, ...], tuple[bytes, ...]] = ((), ())

    @classmethod
    def given_up(cls, job: FileJob, problem: Problem) -> FileResult:
        """The file killed its worker twice, the second time as plain text."""
        return cls(job.number, failure=problem.value, problem=problem.value)
