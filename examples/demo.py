"""Index this repository in a temporary state root, ask one question, and show the answer.

This is what `make demo` runs. It leaves nothing behind and uses no network.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from satori import Codebase

REPOSITORY = Path(__file__).resolve().parent.parent
QUESTION = "where are secrets in source masked before they are shown"
# This very file holds the next question, so it may not answer it.
NONSENSE = "-path:examples/** which wine goes with grilled salmon"


def main() -> None:
    """Build, ask, print."""
    with tempfile.TemporaryDirectory(prefix="satori-demo-") as state, Codebase.open(REPOSITORY, state) as codebase:
        started = time.perf_counter()
        summary = codebase.sync()
        counts = summary.info.counts
        print(
            f"Indexed {counts.indexed} files of {REPOSITORY.name}: {counts.symbols} symbols, {counts.chunks} chunks, "
            f"{time.perf_counter() - started:.1f} s.\n"
        )
        print(f"Question: {QUESTION}")
        answer = codebase.answer(QUESTION, limit=5)
        print(f"Relevance: {answer.relevance.value}\n")
        with codebase.serving() as engine:
            for rank, group in enumerate(engine.render(answer, answer.candidates), 1):
                owner = group.symbol.qualified_name or group.file
                print(f"{rank}. {group.file}:{group.chunk.start_line}  {group.symbol.kind.value} {owner}")
                print(f"   why: {', '.join(group.why)} ({', '.join(group.preview.matched)})")
                if rank == 1:
                    print("\n".join(f"   | {line}" for line in group.preview.text.splitlines()))
        refused = codebase.answer(NONSENSE)
        print(f"\nQuestion: {NONSENSE}")
        shown, searched = len(refused.candidates), refused.coverage.files
        print(f"Relevance: {refused.relevance.value}; {shown} results, {searched} files searched")


if __name__ == "__main__":
    main()
