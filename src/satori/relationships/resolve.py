"""One file's resolution: its edges, its claims, and everything it depended on.

Two stages, since what may replace a method can only be known once every type's bases are: first the bases of each
file's types, then links and calls. A stage's questions say when it must be run again. One file's failure is that file's
unsupported claims and never the build's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from satori.model.relationship import CANDIDATE_LIMIT, CallForm, Claim, ClaimStatus, Relation, RelationKind
from satori.relationships.registry import rules_for
from satori.relationships.repository import Repository
from satori.relationships.rules.base import Link, Outcome, Rules
from satori.relationships.unit import Body, Ref, Unit

_FORMS = tuple(CallForm)


@dataclass(frozen=True, slots=True)
class Bases:
    """Stage one of a file: (type, its bases in the repository), and the questions asked."""

    rows: tuple[tuple[int, tuple[Ref, ...]], ...]
    questions: frozenset[int]


@dataclass(frozen=True, slots=True)
class Resolution:
    """Stage two of a file: edges and candidates (the sites that may mean a symbol) ordered by place, claims in source
    order, and the questions asked."""

    relations: tuple[Relation, ...]
    candidates: tuple[Relation, ...]
    claims: tuple[Claim, ...]
    questions: frozenset[int]


class Resolver:
    """Both stages over one repository. Not for several threads at once."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._rules: dict[str, Rules | None] = {}

    def bases(self, unit: Unit) -> Bases:
        """Stage one."""
        rules = self._rules_of(unit)
        self._repository.begin()
        rows: list[tuple[int, tuple[Ref, ...]]] = []
        for at in unit.types if rules is not None else ():
            try:
                found = tuple(rules.bases(unit, at)) if rules is not None else ()
            except (RecursionError, LookupError, ValueError, TypeError, AttributeError):
                found = ()
            if found:
                rows.append((at, found))
        return Bases(tuple(rows), self._repository.asked())

    def resolve(self, unit: Unit, body: Body) -> Resolution:
        """Stage two, once every file's stage one is known to the store."""
        rules = self._rules_of(unit)
        if rules is None:
            return Resolution((), (), (), frozenset())
        self._repository.begin()
        try:
            links = rules.links(unit)
            outcomes = rules.calls(unit, body)
            writer = _Writer(self._repository, rules, unit)
            return writer.written(links, body, outcomes)
        except (RecursionError, LookupError, ValueError, TypeError, AttributeError) as error:
            return self._failed(unit, body, f"the rules failed on this file: {type(error).__name__}")

    def _failed(self, unit: Unit, body: Body, why: str) -> Resolution:
        claims = tuple(
            Claim(
                site.owner + 1,
                site.name,
                site.receiver,
                site.start,
                site.end,
                site.line,
                _FORMS[site.form],
                ClaimStatus.UNSUPPORTED,
                "",
                (),
                0,
                why,
            )
            for site in body.sites
        )
        return Resolution((), (), claims, self._repository.asked())

    def _rules_of(self, unit: Unit) -> Rules | None:
        if unit.language not in self._rules:
            made = rules_for(unit.language)
            self._rules[unit.language] = made(self._repository) if made is not None else None
        return self._rules[unit.language]


class _Writer:
    """Outcomes of one file as edges and claims."""

    def __init__(self, repository: Repository, rules: Rules, unit: Unit) -> None:
        self.repository = repository
        self.rules = rules
        self.unit = unit
        self.test_file = rules.is_test_file(unit)
        self.tested: dict[int, bool] = {}

    def written(self, links: Sequence[Link], body: Body, outcomes: Sequence[Outcome]) -> Resolution:
        unit = self.unit
        relations = [
            Relation(
                link.kind,
                unit.key,
                self.repository.key_of(link.target),
                unit.path,
                link.start,
                link.end,
                link.line,
                link.rule,
                link.note,
                self.test_file,
            )
            for link in links
            if self.repository.key_of(link.target)
        ]
        candidates: list[Relation] = []
        claims: list[Claim] = []
        for site, outcome in zip(body.sites, outcomes, strict=True):
            keys = tuple(self.repository.key_of(ref) for ref in outcome.targets[:CANDIDATE_LIMIT])
            claims.append(
                Claim(
                    site.owner + 1,
                    site.name,
                    site.receiver,
                    site.start,
                    site.end,
                    site.line,
                    _FORMS[site.form],
                    outcome.status,
                    outcome.rule,
                    keys,
                    outcome.total,
                    outcome.note,
                )
            )
            if not keys:
                continue
            rows = relations if outcome.status is ClaimStatus.RESOLVED else candidates
            source = unit.key_of(site.owner)
            test = self._is_test(site.owner)
            for key in keys:
                rows.append(
                    Relation(
                        RelationKind.CALLS,
                        source,
                        key,
                        unit.path,
                        site.start,
                        site.end,
                        site.line,
                        outcome.rule,
                        outcome.note,
                        test,
                    )
                )
        return Resolution(tuple(relations), tuple(candidates), tuple(claims), self.repository.asked())

    def _is_test(self, owner: int) -> bool:
        known = self.tested.get(owner)
        if known is None:
            known = self.tested[owner] = self.test_file or self.rules.is_test(self.unit, owner)
        return known
