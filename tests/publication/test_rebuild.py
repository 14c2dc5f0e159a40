"""The rebuild that starts by itself: when, how often, and when not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.equality import description, differences
from satori.errors import IncompatibleError
from satori.facts.versions import EXTRACTOR_VERSION
from satori.publication.fingerprint import Fingerprint
from satori.publication.lifecycle import Lifecycle
from satori.publication.progress import OperationState
from satori.publication.rebuild import MAXIMUM_ATTEMPTS, needs_rebuild, rebuild_if_incompatible
from satori.publication.status import CodebaseState
from satori.publication.versions import SCHEMA_VERSION


@pytest.fixture
def older(lifecycle: Lifecycle, monkeypatch: pytest.MonkeyPatch) -> Lifecycle:
    """A codebase that another schema version published."""
    with monkeypatch.context() as patched:
        patched.setattr("satori.publication.versions.SCHEMA_VERSION", SCHEMA_VERSION + 1_000)
        lifecycle.sync()
    return lifecycle


def test_a_mismatch_is_rebuilt_once_by_itself(older: Lifecycle, tmp_path: Path) -> None:
    """Rule: reads refuse with both values, one child rebuilds, and afterwards what a clean build gives is served."""
    with pytest.raises(IncompatibleError, match=f"schemaVersion is {SCHEMA_VERSION + 1_000} .* and {SCHEMA_VERSION} "):
        older.pin()
    running = rebuild_if_incompatible(older.state.path, older.root, older.fingerprint)
    assert running is not None
    done = running.wait(60)
    assert done is not None and done.state is OperationState.COMPLETED
    assert older.status().state is CodebaseState.READY
    assert rebuild_if_incompatible(older.state.path, older.root, older.fingerprint) is None
    clean = Lifecycle(tmp_path / "clean", older.root)
    clean.sync()
    with older.pin() as rebuilt, clean.pin() as made:
        assert differences(description(rebuilt), description(made)) == []


def test_another_extractor_gives_what_a_clean_build_gives(
    lifecycle: Lifecycle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule: facts cached under the extractor before are not used again; the rebuilt sets equal a clean build's."""
    lifecycle.sync()
    monkeypatch.setattr("satori.facts.versions.EXTRACTOR_VERSION", EXTRACTOR_VERSION + 1_000)
    assert lifecycle.sync().full
    clean = Lifecycle(tmp_path / "clean", lifecycle.root)
    clean.sync()
    with lifecycle.pin() as rebuilt, clean.pin() as made:
        assert rebuilt.info.fingerprint.extractor_version == str(EXTRACTOR_VERSION + 1_000)
        assert differences(description(rebuilt), description(made)) == []


def test_attempts_are_bounded(older: Lifecycle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule: three attempts for one pair of fingerprints; another pair starts anew."""
    started: list[str] = []
    monkeypatch.setattr("satori.publication.operations.start", lambda *_: started.append("child"))
    for _ in range(MAXIMUM_ATTEMPTS + 3):
        rebuild_if_incompatible(older.state.path, older.root, older.fingerprint)
    assert len(started) == MAXIMUM_ATTEMPTS
    rebuild_if_incompatible(older.state.path, older.root, replace(older.fingerprint, parser_version="77"))
    assert len(started) == MAXIMUM_ATTEMPTS + 1


def test_a_failure_that_would_repeat_is_not_retried(older: Lifecycle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule: after a deterministic failure nothing starts by itself; a passing one is tried again."""
    started: list[str] = []
    monkeypatch.setattr("satori.publication.operations.start", lambda *_: started.append("child"))
    rebuild_if_incompatible(older.state.path, older.root, older.fingerprint)
    _record_failure(older, "verification_failed")
    assert rebuild_if_incompatible(older.state.path, older.root, older.fingerprint) is None
    assert len(started) == 1
    _record_failure(older, "state_full")
    rebuild_if_incompatible(older.state.path, older.root, older.fingerprint)
    assert len(started) == 2


def test_damage_and_absence_start_nothing(lifecycle: Lifecycle) -> None:
    """Rule: only a fingerprint (or an older state format) is a reason."""
    assert not needs_rebuild(lifecycle.paths, lifecycle.fingerprint)
    lifecycle.sync()
    assert not needs_rebuild(lifecycle.paths, lifecycle.fingerprint)
    lifecycle.paths.current.write_bytes(b"garbage")
    assert not needs_rebuild(lifecycle.paths, lifecycle.fingerprint)


def test_the_fingerprint_has_exactly_ten_fields_under_their_names(lifecycle: Lifecycle) -> None:
    """Rule: the ten fields, in their order; a document read back is equal, a missing field differs."""
    document = lifecycle.fingerprint.document()
    assert list(document) == [
        "embeddingProvider",
        "embeddingModel",
        "embeddingDimension",
        "vectorStoreProvider",
        "schemaVersion",
        "parserVersion",
        "extractorVersion",
        "relationshipVersion",
        "embeddingProjectionVersion",
        "lexicalProjectionVersion",
    ]
    assert Fingerprint.from_document(document) == lifecycle.fingerprint
    del document["parserVersion"]
    different = Fingerprint.from_document(document).differences(lifecycle.fingerprint)
    assert [difference.field for difference in different] == ["parserVersion"]


def _record_failure(lifecycle: Lifecycle, code: str) -> None:
    from satori.errors import BuildError
    from satori.publication.progress import Progress

    progress = Progress(lifecycle.paths, "sync", lifecycle.version)
    progress.begin()
    progress.end(BuildError("It failed.", code=code))
