"""A short run of the crash harness; `make crash N=1000` is the long one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def test_a_short_run_of_the_crash_harness_finds_nothing(tmp_path: Path) -> None:
    """Rule: after kills and failed calls, the old or the new Publication is served, and a sync equals a clean build."""
    report = tmp_path / "report.json"
    arguments = ["--rounds", "3", "--faults", "5", "--disks", "0", "--seed", "3", "--output", str(report)]
    done = subprocess.run(
        [sys.executable, str(_ROOT / "benchmarks/crash.py"), *arguments],
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(report.read_text())["violations"] == []
