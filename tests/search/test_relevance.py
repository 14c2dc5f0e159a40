from __future__ import annotations

from pathlib import Path

from satori.codebase.codebase import Codebase


def test_a_compound_identifier_that_stands_in_one_place_is_never_refused(tmp_path: Path) -> None:
    """An error code that occurs once, typed exactly, is too rare to move any mean, and is what was asked for."""
    root = tmp_path / "tree"
    root.mkdir()
    filler = ("# " + "n" * 67 + "\n") * 10
    body = "".join(f"    total += weights[{number}] * number\n" for number in range(10))
    (root / "wait.py").write_text("def raise_deadline():\n    raise TimeoutError\n\n# zebra_marker_of_the_tests\n")
    (root / "engine.py").write_text(
        f"{filler}def weigh_numbers(number, weights):\n    total = 0\n{body}    return total\n{filler}"
    )
    with Codebase.open(root, state_root=tmp_path / "state") as codebase:
        codebase.sync()
        assert codebase.search("zebra_marker_of_the_tests")[0].path == "wait.py"
        assert codebase.search("qqzzxx_elsewhere_only") == []
