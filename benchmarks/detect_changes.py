"""Check detect_changes against an oracle on real commits: `python benchmarks/detect_changes.py REPOSITORY [-n 10]`.

For each of the last commits that change source, the symbols that Satori says the commit touches are compared with those
of an oracle that shares only the symbol extractor with it: the oracle reads the +/- lines of the patch, takes the
smallest symbol around each line, and matches old symbols to new ones by kind and qualified name instead of by key.
Prints one line a commit and the time that the mapping took. REPOSITORY needs history; it is only read.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from satori.chunks.lines import LineIndex
from satori.facts.extract import extract_facts
from satori.model.symbol import Symbol
from satori.navigation.changeset import Changeset
from satori.navigation.diff import compare_refs, read_changes
from satori.publication.lifecycle import Lifecycle
from satori.source.filetypes import classify
from satori.symbols.identify import identify

Names = set[tuple[str, str, str, int]]


def git(root: Path, *arguments: str) -> bytes:
    """The output of a plain git command."""
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True).stdout


def lines_of(root: Path, commit: str) -> dict[tuple[str, str], tuple[list[int], list[int]]]:
    """(old path, new path) -> (removed line numbers, added line numbers), read off the patch's own lines."""
    patch = git(root, "-c", "core.quotePath=false", "diff", "-U0", "-M", "--no-color", f"{commit}^", commit)
    found: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    old = new = ""
    removed: list[int] = []
    added: list[int] = []
    at_old = at_new = 0
    for line in patch.decode("utf-8", "surrogateescape").split("\n"):
        if line.startswith("diff --git "):
            removed, added, old, new, at_old = [], [], "", "", 0
        elif not at_old and not at_new and line.startswith("--- "):
            old = line[6:].rstrip("\t") if line != "--- /dev/null" else ""
        elif not at_old and not at_new and line.startswith("+++ "):
            new = line[6:].rstrip("\t") if line != "+++ /dev/null" else ""
            found[old, new] = (removed, added)
        elif match := re.match(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@", line):
            at_old, at_new = int(match[1]), int(match[2])
        elif line.startswith("-"):
            removed.append(at_old)
            at_old += 1
        elif line.startswith("+"):
            added.append(at_new)
            at_new += 1
        if line.startswith("diff --git "):
            at_old = at_new = 0
    return found


def smallest(symbols: list[Symbol], data: bytes, numbers: list[int]) -> list[Symbol]:
    """The smallest symbol around each non-blank line; nothing for lines outside all symbols."""
    lines = LineIndex(data)
    found = []
    for number in numbers:
        if number > len(lines) or not data[lines.start_of(number) : lines.end_of(number)].strip():
            continue
        around = [s for s in symbols[1:] if s.span.start_line <= number <= s.span.end_line]
        if around:
            found.append(min(around, key=lambda s: (s.span.end - s.span.start, -s.index)))
    return found


def named(symbols: list[Symbol]) -> dict[tuple[str, str, str, int], Symbol]:
    """Symbols by path, kind, qualified name and number among equals."""
    seen: Counter[tuple[str, str, str]] = Counter()
    result = {}
    for symbol in symbols[1:]:
        place = (symbol.path, symbol.kind.value, symbol.qualified_name)
        result[(*place, seen[place])] = symbol
        seen[place] += 1
    return result


def symbols_at(root: Path, commit: str, path: str, as_path: str) -> tuple[list[Symbol], bytes]:
    """The symbols of a file at a commit, under the path it is known by."""
    data = git(root, "show", f"{commit}:{path}")
    language = classify(as_path, data[:8192]).language
    return identify(as_path, extract_facts(language, data), data), data


def oracle(root: Path, commit: str, mapped: set[str]) -> tuple[Names, Names]:
    """(touched, deleted) of the files that Satori mapped."""
    touched: Names = set()
    deleted: Names = set()
    for (old, new), (removed, added) in lines_of(root, commit).items():
        path = new or old
        if path not in mapped:
            continue
        new_names: dict[tuple[str, str, str, int], Symbol] = {}
        if new:
            symbols, data = symbols_at(root, commit, new, path)
            new_names = named(symbols)
            names = {id(symbol): name for name, symbol in new_names.items()}
            touched |= {names[id(symbol)] for symbol in smallest(symbols, data, added)}
        if old:
            symbols, data = symbols_at(root, f"{commit}^", old, path)
            names = {id(symbol): name for name, symbol in named(symbols).items()}
            for symbol in smallest(symbols, data, removed):
                name = names[id(symbol)]
                (touched if name in new_names else deleted).add(name)
    return touched, deleted


def main() -> None:
    """Compare commit by commit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("-n", type=int, default=10, help="how many commits")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="satori-changes-") as scratch:
        root = Path(scratch) / "clone"
        subprocess.run(["git", "clone", "-q", "--shared", str(options.repository), str(root)], check=True)
        lifecycle = Lifecycle(Path(scratch) / "state", root)
        lifecycle.sync()
        commits = git(root, "rev-list", "--no-merges", "-n", "400", "HEAD").decode().split()
        equal = checked = 0
        seconds = []
        with lifecycle.pin() as snapshot:
            for commit in commits:
                if checked == options.n:
                    break
                began = time.perf_counter()
                comparison = compare_refs(str(root), f"{commit}^...{commit}")
                changes = read_changes(str(root), comparison)
                mapped = Changeset(str(root), snapshot, lifecycle.settings(), comparison).map(changes)
                took = time.perf_counter() - began
                files = {one.change.path for one in mapped if not one.why and one.change.hunks}
                ours: Names = set()
                for one in mapped:
                    names = {id(symbol): name for name, symbol in named(list(one.new)).items()}
                    ours |= {names[id(one.new[index])] for index in one.touched.seeds}
                if not files or not ours:
                    continue
                checked += 1
                seconds.append(took)
                theirs, _ = oracle(root, commit, files)
                same = ours == theirs
                equal += same
                verdict = "equal" if same else "DIFFERENT"
                counted = f"files {len(files):3} seeds {len(ours):4} oracle {len(theirs):4} {took * 1000:7.1f} ms"
                print(f"{commit[:10]} {counted} {verdict}")
                if not same:
                    print("   only ours  ", sorted(ours - theirs)[:6])
                    print("   only oracle", sorted(theirs - ours)[:6])
        middle = sorted(seconds)[len(seconds) // 2] * 1000 if seconds else 0.0
        print(f"{options.repository}: {equal} of {checked} commits equal; median {middle:.0f} ms")


if __name__ == "__main__":
    main()
