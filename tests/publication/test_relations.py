"""Stored relationships: both directions agree, candidates are no edges, and a sync changes what an edit changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from satori.model.relationship import ClaimStatus, RelationKind
from satori.publication.lifecycle import Lifecycle
from satori.publication.snapshot import Snapshot
from satori.publication.vectorstore import VectorStore
from satori.relationships.resolve import Resolution, Resolver
from satori.relationships.unit import Body, Unit
from tests.publication.conftest import write

BASE = "class Base:\n    def run(self):\n        self.step()\n\n    def step(self):\n        pass\n"
USE = "from base import Base\n\n\ndef test_it():\n    Base().run()\n"
HEIR = "from base import Base\n\n\nclass Heir(Base):\n    def step(self):\n        pass\n"


def _key(snapshot: Snapshot, name: str, path: str) -> str:
    (symbol,) = [symbol for symbol in snapshot.symbols_named(name) if symbol.path == path]
    return symbol.key


def _callers(snapshot: Snapshot, name: str, path: str) -> list[tuple[str, int]]:
    return [(item.path, item.line) for item in snapshot.relations_to(_key(snapshot, name, path))]


def _lifecycle(tmp_path: Path, store: VectorStore) -> tuple[Lifecycle, Path]:
    root = tmp_path / "tree"
    write(root, "base.py", BASE)
    write(root, "test_use.py", USE)
    return Lifecycle(tmp_path / "state", root, store=store), root


def test_both_directions_say_the_same(tmp_path: Path, store: VectorStore) -> None:
    """Callers, callees, counts, tests and imports are views of the same edges."""
    lifecycle, _ = _lifecycle(tmp_path, store)
    lifecycle.sync()
    with lifecycle.pin() as snapshot:
        run, step = _key(snapshot, "run", "base.py"), _key(snapshot, "step", "base.py")
        (edge,) = snapshot.relations_to(step)
        assert (edge.source, edge.rule, edge.path, edge.line) == (run, "python.self-function", "base.py", 3)
        assert snapshot.relations_from(run) == [edge]
        (test,) = snapshot.relations_to(run, (RelationKind.TESTS,))
        assert test.source == _key(snapshot, "test_it", "test_use.py") and test.kind is RelationKind.TESTS
        row = snapshot.file("base.py")
        assert row is not None
        counts = snapshot.call_counts(row.file_id)
        assert counts[step] == (1, 0) and counts[run] == (1, 1)
        assert ("test_use.py", "base.py", RelationKind.IMPORTS, 1) in snapshot.file_relations()
        assert snapshot.claim_counts().resolved == 3
        assert set(snapshot.claim_counts_by_language()) == {"python"}


def test_an_override_elsewhere_turns_an_edge_into_a_candidate_and_back(tmp_path: Path, store: VectorStore) -> None:
    """A new descendant changes the claim of a file that nobody edited; its removal changes it back."""
    lifecycle, root = _lifecycle(tmp_path, store)
    lifecycle.sync()
    write(root, "heir.py", HEIR)
    lifecycle.sync()
    with lifecycle.pin() as snapshot:
        step = _key(snapshot, "step", "base.py")
        assert snapshot.relations_to(step) == []
        (candidate,) = snapshot.candidates_for(step)
        assert (candidate.path, candidate.line) == ("base.py", 3)
        row = snapshot.file("base.py")
        assert row is not None
        (claim,) = snapshot.claims(row.file_id)
        assert claim.status is ClaimStatus.AMBIGUOUS and claim.targets == (step,)
    (root / "heir.py").unlink()
    lifecycle.sync()
    with lifecycle.pin() as snapshot:
        assert _callers(snapshot, "step", "base.py") == [("base.py", 3)]
        assert snapshot.candidates_for(_key(snapshot, "step", "base.py")) == []


def test_a_reader_keeps_the_edges_it_pinned(tmp_path: Path, store: VectorStore) -> None:
    """Edges of a pinned publication stay while later ones come and go."""
    lifecycle, root = _lifecycle(tmp_path, store)
    lifecycle.sync()
    with lifecycle.pin() as before:
        write(root, "heir.py", HEIR)
        lifecycle.sync()
        write(root, "test_use.py", "")
        lifecycle.sync()
        assert _callers(before, "step", "base.py") == [("base.py", 3)]
        assert _callers(before, "run", "base.py") == [("test_use.py", 5)]
        with lifecycle.pin() as after:
            assert _callers(after, "run", "base.py") == []


def test_only_what_an_edit_can_affect_is_resolved(
    tmp_path: Path, store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit inside a function resolves its file alone; a new name resolves those that had asked about the file."""
    resolved: list[str] = []
    resolve = Resolver.resolve

    def counting(self: Resolver, unit: Unit, body: Body) -> Resolution:
        resolved.append(unit.path)
        return resolve(self, unit, body)

    monkeypatch.setattr(Resolver, "resolve", counting)
    lifecycle, root = _lifecycle(tmp_path, store)
    write(root, "stranger.py", "def alone():\n    print(1)\n")
    lifecycle.sync()
    assert sorted(resolved) == ["base.py", "stranger.py", "test_use.py"]
    resolved.clear()
    write(root, "base.py", BASE.replace("        pass\n", "        print(2)\n"))
    lifecycle.sync()
    assert resolved == ["base.py"]
    resolved.clear()
    write(root, "base.py", BASE + "\n    def more(self):\n        pass\n")
    lifecycle.sync()
    assert resolved == ["base.py", "test_use.py"]
