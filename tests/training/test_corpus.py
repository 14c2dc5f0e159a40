"""The corpus manifest: permissive, pinned, broad, and free of what evaluations use."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from training import corpus

PERMISSIVE = {"MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "Zlib", "PSF-2.0", "Unlicense"}


def test_manifest_is_pinned_permissive_and_clear_of_evaluations() -> None:
    """150 or more repositories, each with a full revision and a permissive licence, none that an evaluation uses."""
    entries = corpus.load()
    assert len(entries) >= 150
    assert len({e.repository.lower() for e in entries}) == len(entries)
    assert all(re.fullmatch(r"[0-9a-f]{40}", e.revision) for e in entries)
    assert {e.licence for e in entries} <= PERMISSIVE
    assert not {e.repository.lower().split("/")[1] for e in entries} & corpus.EXCLUDED
    assert sum(e.held_out for e in entries) >= 10


@pytest.mark.parametrize(
    ("path", "first_party", "test"),
    [
        ("src/app.py", True, False),
        ("vendor/lib/app.go", False, False),
        ("third_party/fmt/core.h", False, False),
        ("web/jquery.min.js", False, False),
        ("tests/test_app.py", True, True),
        ("pkg/app_test.go", True, True),
        ("src/app.spec.ts", True, True),
        ("spec/app_spec.rb", True, True),
        ("src/latest.py", True, False),
    ],
)
def test_paths_are_sorted_by_convention(path: str, first_party: bool, test: bool) -> None:
    """Vendored and minified files are out; tests are told from sources."""
    assert corpus.is_first_party(path, 100) is first_party
    assert corpus.is_test(path) is test
    assert not corpus.is_first_party(path, corpus.MAX_FILE_BYTES + 1)


def _clone(folder: Path, licence: str) -> Path:
    tree = folder / "tree"
    tree.mkdir(parents=True)
    (tree / "LICENSE").write_text(licence)
    (tree / "app.py").write_text('"""An app."""\n')
    git = ["git", "-C", str(tree), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    return tree / ".git"


def test_licences_are_read_from_the_clone(tmp_path: Path) -> None:
    """A permissive text is recognised, wherever its lines break; a GNU text or none is refused."""
    mit = "Copyright\nPermission is hereby granted, free of\n charge, to any person obtaining a copy of this"
    entry = corpus.describe(_clone(tmp_path / "a", mit), "one/a", "python", ("pairs",))
    assert entry.licence == "MIT"
    assert len(entry.revision) == 40
    with pytest.raises(ValueError, match="no permissive"):
        corpus.describe(_clone(tmp_path / "b", "GNU GENERAL PUBLIC LICENSE Version 3"), "one/b", "python", ("pairs",))
    with pytest.raises(ValueError, match="no permissive"):
        corpus.describe(_clone(tmp_path / "c", "All rights reserved."), "one/c", "python", ("pairs",))
    with pytest.raises(ValueError, match="evaluation"):
        corpus.describe(tmp_path / "a" / "tree" / ".git", "pallets/flask", "python", ("pairs",))
