"""Every rule of every language: fixtures for what it proves and for where it abstains."""

from __future__ import annotations

import pytest

from satori.model.relationship import ClaimStatus, RelationKind
from tests.relationships.cases import FIXTURES, case_names, differences, resolve_case


@pytest.mark.parametrize("name", case_names())
def test_each_line_is_resolved_as_it_says(name: str) -> None:
    """A fixture's marked lines end exactly as they say: rule and target, or status and reason."""
    found, said = differences(resolve_case(FIXTURES / name))
    assert said
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", case_names())
def test_every_edge_is_sound(name: str) -> None:
    """Sites lie inside their caller's span, byte for byte; endpoints exist; only resolved claims are edges."""
    case = resolve_case(FIXTURES / name)
    for path, resolution in case.resolutions.items():
        calls = [relation for relation in resolution.relations if relation.kind is RelationKind.CALLS]
        resolved = [claim for claim in resolution.claims if claim.status is ClaimStatus.RESOLVED]
        assert sorted((r.start, r.target) for r in calls) == sorted((c.start, t) for c in resolved for t in c.targets)
        for relation in (*resolution.relations, *resolution.candidates):
            source = case.keys[relation.source]
            assert relation.target in case.keys
            assert source.path == path
            assert source.span.start <= relation.start < relation.end <= source.span.end
        for claim in resolution.claims:
            if claim.name:
                assert case.files[path][claim.start : claim.end].decode() == claim.name
