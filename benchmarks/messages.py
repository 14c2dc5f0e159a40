"""Pasted error messages: how often the first answer is the owner that says it.

    python -m benchmarks.messages --trees DIR [--only NAME ...] [--each 10]

`--trees` holds meta.json (name, root) and repos/NAME. Messages are drawn with a fixed seed from string literals of five
words or more beside words of failure (`raise`, `throw`, `Error`, `panic`, ...), outside tests; placeholders are filled
with `foo`. A message that the repository has twice is left out. Nothing is fitted here.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from satori import Codebase
from satori.search.engine import SearchEngine
from satori.search.owners import Candidate
from satori.search.request import SearchRequest

_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.){20,160})"|\'((?:[^\'\\\n]|\\.){20,160})\'|`([^`\n]{20,160})`')
_FAILURE = re.compile(r"raise |throw |[Ee]rror|[Pp]anic|[Ff]ail|abort|die\b")
_PLACEHOLDER = re.compile(r"\$\{[^}]*\}|#\{[^}]*\}|\{[^}]*\}|%[-\d.]*[a-zA-Z]|%[({]\w+[)}]\w?")
_SUFFIXES = frozenset(".py .js .ts .go .java .c .h .cc .rb .rs .ex .php .kt .scala .zig .lua .hs".split())
_LARGEST = 400_000
_WORDS, _SPACES = 5, 4


@dataclass(frozen=True, slots=True)
class Message:
    """A message as a person would paste it, and the line that says it."""

    text: str
    file: str
    line: int


def messages(root: Path) -> Iterator[Message]:
    """All messages of a tree that it has once, by path and line."""
    found: dict[str, list[Message]] = {}
    for path in sorted(root.rglob("*")):
        wanted = path.is_file() and path.suffix in _SUFFIXES and "test" not in str(path.relative_to(root)).lower()
        if not wanted or path.stat().st_size > _LARGEST:
            continue
        lines = path.read_text("utf-8", "replace").split("\n")
        for number, line in enumerate(lines, 1):
            if not _FAILURE.search(" ".join(lines[max(0, number - 2) : number])):
                continue
            for match in _LITERAL.finditer(line):
                text = match.group(1) or match.group(2) or match.group(3)
                if (
                    len(re.findall("[A-Za-z]{2,}", text)) >= _WORDS
                    and text.count(" ") >= _SPACES
                    and "http" not in text
                ):
                    asked = _PLACEHOLDER.sub("foo", text).replace("\\n", " ").replace('\\"', '"')
                    found.setdefault(text, []).append(Message(asked, str(path.relative_to(root)), number))
    return (same[0] for same in found.values() if len(same) == 1)


def owns(engine: SearchEngine, candidate: Candidate, message: Message) -> bool:
    """Whether a candidate is a symbol, or text outside symbols, around the message's line."""
    if engine.index.paths[candidate.file] != message.file:
        return False
    span = engine.snapshot.symbols(engine.index.file_id(candidate.file))[candidate.owner].span
    chunk = engine.chunk_span(candidate)
    first, last = (span.start_line, span.end_line) if candidate.owner else (chunk["first"], chunk["last"])
    return first <= message.line <= last


def main() -> None:
    """Draw, ask, and print one line over all repositories."""
    parser = argparse.ArgumentParser(description="Pasted error messages over satori.Codebase.")
    parser.add_argument("--trees", type=Path, required=True, help="directory with meta.json and repos/")
    parser.add_argument("--only", nargs="*", help="names of repositories")
    parser.add_argument("--each", type=int, default=10, help="messages a repository")
    args = parser.parse_args()
    counted: Counter[str] = Counter()
    for entry in json.loads((args.trees / "meta.json").read_text()):
        if args.only and entry["name"] not in args.only:
            continue
        root = args.trees / "repos" / entry["name"] / entry["root"]
        drawn = list(messages(root))
        random.Random(7).shuffle(drawn)
        with tempfile.TemporaryDirectory(prefix="satori-messages-") as state, Codebase.open(root, state) as codebase:
            codebase.sync()
            with codebase.serving() as engine:
                for message in drawn[: args.each]:
                    candidates = engine.answer(SearchRequest(query=message.text)).candidates
                    right = [owns(engine, candidate, message) for candidate in candidates[:3]]
                    counted["all"] += 1
                    counted["refused"] += not candidates
                    counted["file"] += bool(candidates) and engine.index.paths[candidates[0].file] == message.file
                    counted["first"] += any(right[:1])
                    counted["three"] += any(right)
    total = counted["all"]
    print(
        f"n={total}  file@1={counted['file'] / total:.3f}  owner@1={counted['first'] / total:.3f}  "
        f"owner@3={counted['three'] / total:.3f}  refused={counted['refused']}"
    )


if __name__ == "__main__":
    main()
