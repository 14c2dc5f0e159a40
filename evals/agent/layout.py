"""Lay the trees out: `python -m evals.agent.layout CLONES TREES`.

CLONES holds a clone of each repository that tasks.json names, bare or not, as NAME, OWNER+NAME, OWNER/NAME, any of them
with .git or a directory `repo` inside; TREES gets one directory a tree, at the commit named. Nothing is downloaded and
nothing that exists is overwritten.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

from evals.agent.task import Tree, load_tasks


def lay_out(clones: Path, trees: Path) -> list[str]:
    """Lay out what is missing; returns a line for each tree that could not be."""
    failures = []
    for tree in load_tasks()[0].values():
        target = trees / tree.name
        if target.exists():
            continue
        clone = _clone_of(clones, tree)
        if clone is None:
            failures.append(f"{tree.name}: no clone of https://github.com/{tree.repository}.git under {clones}")
            continue
        target.mkdir(parents=True)
        archive = subprocess.Popen(["git", "-C", str(clone), "archive", tree.commit], stdout=subprocess.PIPE)
        unpacked = subprocess.run(["tar", "-x", "-C", str(target)], stdin=archive.stdout, check=False)
        if archive.wait() or unpacked.returncode:
            target.rmdir()
            failures.append(f"{tree.name}: {clone} has no commit {tree.commit}: git fetch origin {tree.commit}")
    return failures


def _clone_of(clones: Path, tree: Tree) -> Path | None:
    owner, _, name = tree.repository.partition("/")
    for base in (name, f"{name}.git", f"{owner}+{name}", f"{owner}/{name}", f"{owner}/{name}.git"):
        for candidate in (clones / base / "repo", clones / base):
            if candidate.is_dir():
                return candidate
    return None


def main() -> None:
    """Lay out and say what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("trees", type=Path)
    options = parser.parse_args()
    failures = lay_out(options.clones, options.trees)
    raise SystemExit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
