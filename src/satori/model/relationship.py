"""Relationships and claims: what calls, imports, exports or tests what, and what a call site was resolved to.

A relationship is an edge that a named rule proves; everything a rule could not prove is a claim with another status, so
that nothing is silently missing. How both are found is in `satori.relationships`; here are only the shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RelationKind(StrEnum):
    """What an edge says. TESTS edges are the CALLS edges whose source is a test or stands in a test file."""

    CALLS = "CALLS"
    IMPORTS = "IMPORTS"
    EXPORTS = "EXPORTS"
    TESTS = "TESTS"


class ClaimStatus(StrEnum):
    """How a call site ends. Only RESOLVED is an edge; EXTERNAL leaves the repository under its imported name."""

    RESOLVED = "resolved"
    EXTERNAL = "external"
    AMBIGUOUS = "ambiguous"
    UNRESOLVED = "unresolved"
    UNSUPPORTED = "unsupported"


class CallForm(StrEnum):
    """How a callee is written at the call site."""

    BARE = "bare"
    MEMBER = "member"
    SELF = "self"
    SUPER = "super"
    CONSTRUCT = "construct"
    CHAIN = "chain"
    DYNAMIC = "dynamic"


@dataclass(frozen=True, slots=True)
class Relation:
    """One edge. `source` and `target` are symbol keys; `path` is the file that holds the site, which is the bytes
    `start:end` (the callee's name, or the import) on 1-based `line`, inside the source's span.

    `rule` names the rule that proved it; `proof` is one line about this very site. `test` says that the source is a
    test or stands in a test file.
    """

    kind: RelationKind
    source: str
    target: str
    path: str
    start: int
    end: int
    line: int
    rule: str
    proof: str
    test: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """What one call site was resolved to.

    `owner` is the index of the calling symbol in its file (0: the file itself); `name` the callee's name as written,
    after its receiver; `start:end` the bytes of that name, on 1-based `line`. `targets` are symbol keys: the one target
    of a resolved claim, the candidates of an ambiguous one (at most `CANDIDATE_LIMIT` of `candidates`). `rule` is empty
    unless resolved; `note` says why not, or names the external thing.
    """

    owner: int
    name: str
    receiver: str
    start: int
    end: int
    line: int
    form: CallForm
    status: ClaimStatus
    rule: str
    targets: tuple[str, ...]
    candidates: int
    note: str


CANDIDATE_LIMIT = 8


@dataclass(frozen=True, slots=True)
class ClaimCounts:
    """How many call sites ended how, in a file, a language or a Publication."""

    resolved: int = 0
    external: int = 0
    ambiguous: int = 0
    unresolved: int = 0
    unsupported: int = 0

    @property
    def total(self) -> int:
        """All call sites."""
        return self.resolved + self.external + self.ambiguous + self.unresolved + self.unsupported

    def __add__(self, other: ClaimCounts) -> ClaimCounts:
        return ClaimCounts(
            self.resolved + other.resolved,
            self.external + other.external,
            self.ambiguous + other.ambiguous,
            self.unresolved + other.unresolved,
            self.unsupported + other.unsupported,
        )
