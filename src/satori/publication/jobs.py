"""What is asked of a worker and what it answers: plain values that cross a pipe.

A result holds everything that a file contributes, already packed for storage, so that the process that writes only
moves bytes. Nothing here reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from satori.embedding.registry import SHIPPED
from satori.model.definition import FileFacts
from satori.relationships.unit import PackedUnit
from satori.settings.choice import EmbedderChoice
from satori.source.listing import ListedFile
from satori.source.manifest import ManifestEntry
from satori.source.profile import Profile


class Problem(StrEnum):
    """Why a file is served as text although its language has a parser."""

    TIMEOUT = "parse_timeout"
    CRASHED = "parser_crashed"


@dataclass(frozen=True, slots=True)
class WorkSettings:
    """What all jobs of a run share. `cache` is the cache directory, or "" to compute everything anew; `versions` and
    `model` are the parts of cache keys that decide their values beside the content. `embedder` is what a worker makes
    vectors with; `deferred`, when not 0, is the dimension of vectors that it leaves to the process that asked."""

    root: str
    profile: Profile
    cache: str
    versions: str
    model: str
    embedder: EmbedderChoice = SHIPPED
    deferred: int = 0


@dataclass(frozen=True, slots=True)
class FileJob:
    """One file to read and analyse; `problem` says why its parser must not see it."""

    number: int
    file: ListedFile
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file's contribution. `entry` describes exactly the bytes that were analysed; it is None when the file is
    gone, could not be read, or defeats even the plain-text path, and `failure` then says which. A skipped file has an
    entry and nothing else.

    `content`, `symbols`, `chunks` and `part` are packed; `keys` and `names` list the symbols' keys and names by
    position (the file's own symbol has no name here). `facts` is the packed value to cache, or None when it came from
    there; `unit` is what resolution needs of the file, None when its references are not read;
    `vectors` are (projection hash, int8 bytes) computed now; `renewed` are cache keys to keep. `texts` are the
    projections, (hash, text), whose vectors were left out of `part`, the file's own last.
    """

    number: int
    entry: ManifestEntry | None = None
    failure: str = ""
    problem: str = ""
    lines: int = 0
    chunk_count: int = 0
    content: bytes = b""
    symbols: bytes = b""
    chunks: bytes = b""
    part: bytes = b""
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    facts: tuple[bytes, bytes] | None = None
    unit: PackedUnit | None = None
    vectors: tuple[tuple[bytes, bytes], ...] = ()
    renewed: tuple[tuple[bytes, ...], tuple[bytes, ...]] = ((), ())
    texts: tuple[tuple[bytes, str], ...] = ()

    @classmethod
    def given_up(cls, job: FileJob, problem: Problem) -> FileResult:
        """The file killed its worker twice, the second time as plain text."""
        return cls(job.number, failure=problem.value, problem=problem.value)


def text_only_facts(language: str, problem: str) -> FileFacts | None:
    """Facts for a file that its parser must not see, or None when `problem` is not of that kind."""
    if problem in list(Problem):
        return FileFacts(language, (), parsed=False, problem=problem)
    return None
