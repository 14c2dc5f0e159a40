"""The baseline: ripgrep for the task's content words, then 100-line reads around the hits.

Fixed before anything was measured, and kept generous: it stops at the very read that shows the last place of the
answer, its reads go first to where most different words stand together, and of ripgrep's output no more than 16 KiB is
counted, though all of it is used. A symbol that the question names is searched for by its name alone.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from evals.agent.outcome import Outcome
from evals.agent.task import Line, Task

WINDOW = 100
MOST_READS = 12
OUTPUT_BYTES = 16 * 1024
_STOP_WORDS = frozenset(
    """
    about after again against all also and another any are asks before between both but calls can code come
    comes could does down each else for from get gets give given gives got had has have here how if in into is
    it its just like made make makes many more most much not nothing of off on one only or other out over
    raises said same says should so some something starting step such than that the their them then there
    these they thing this those through to too two under until up used using very was way what when where
    which while who whom whose why will with without would
    """.split()
)


def content_words(question: str, symbol: tuple[str, str] | None) -> tuple[str, ...]:
    """What is searched for: the named symbol's own name, or the words that carry meaning, in their order."""
    if symbol is not None:
        return (symbol[1].rpartition(".")[2],)
    words = dict.fromkeys(word.lower() for word in re.findall(r"[A-Za-z][A-Za-z0-9_]{2,}", question))
    return tuple(word for word in words if word not in _STOP_WORDS)


def run(task: Task, root: Path) -> Outcome:
    """Work on the task as the baseline does."""
    outcome = Outcome()
    wanted = task.wanted(root)
    words = content_words(task.question, task.symbol)
    hits, shown, size = _grep(words, root)
    outcome.add(f"rg {' '.join(words)}", size, shown)
    if wanted and not outcome.missing(wanted):
        outcome.solved = True
        return outcome
    windows = _windows(hits, words)
    if not wanted:
        # To say that nothing does it, every place where half of the words stand together must have been read.
        windows = [one for one in windows if one[0] * 2 >= len(words)]
    for _, file, first in windows[:MOST_READS]:
        lines = (root / file).read_bytes().split(b"\n")[first - 1 : first - 1 + WINDOW]
        size = sum(len(line) + 1 for line in lines)
        outcome.add(f"read {file}:{first}", size, ((file, first + at) for at in range(len(lines))))
        if wanted and not outcome.missing(wanted):
            outcome.solved = True
            return outcome
    outcome.solved = not wanted and len(windows) <= MOST_READS
    return outcome


def _grep(words: tuple[str, ...], root: Path) -> tuple[dict[Line, frozenset[str]], set[Line], int]:
    """All hits with the words on their line; the lines within the counted output; its bytes."""
    command = ["rg", "--line-number", "--no-heading", "--ignore-case", "--sort", "path", "--max-columns", "400"]
    for word in words:
        command += ["-e", re.escape(word)]
    output = subprocess.run([*command, "."], cwd=root, capture_output=True, check=False).stdout
    hits: dict[Line, frozenset[str]] = {}
    shown: set[Line] = set()
    size = 0
    for line in output.split(b"\n"):
        match = re.match(rb"\./(.+?):(\d+):(.*)$", line)
        if match is None:
            continue
        text = match[3].decode("utf-8", "replace").lower()
        place = (match[1].decode("utf-8", "replace"), int(match[2]))
        hits[place] = frozenset(word for word in words if word in text)
        if size + len(line) + 1 <= OUTPUT_BYTES:
            size += len(line) + 1
            shown.add(place)
    return hits, shown, size


def _windows(hits: dict[Line, frozenset[str]], words: tuple[str, ...]) -> list[tuple[int, str, int]]:
    """(different words, file, first line) of 100-line windows around hits, the most words first, none overlapping."""
    by_file: dict[str, list[int]] = {}
    for file, line in sorted(hits):
        by_file.setdefault(file, []).append(line)
    candidates = []
    for file, lines in by_file.items():
        for line in lines:
            first = max(1, line - WINDOW // 2)
            within = [hits[file, at] for at in lines if first <= at < first + WINDOW]
            candidates.append((len(frozenset().union(*within)), sum(map(len, within)), file, first))
    chosen: list[tuple[int, str, int]] = []
    for different, _, file, first in sorted(candidates, key=lambda one: (-one[0], -one[1], one[2], one[3])):
        if all(other != file or abs(first - start) >= WINDOW // 2 for _, other, start in chosen):
            chosen.append((different, file, first))
    return chosen
