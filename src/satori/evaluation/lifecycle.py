"""What happens to an index when its directory lives on: an edit, a deletion, a second repository beside it.

Works on a copy of a directory, which it spoils. Both engines go through the same events; what is reported was observed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from satori.evaluation.engine import Engine, NaiveEngine, SatoriEngine

MARKER = "zebra_marker_of_the_comparison"
_LIMIT = 10


@dataclass(frozen=True, slots=True)
class Update:
    """An engine after one line was added to one file: `files` it embedded again, out of `of` files, in `seconds`; what
    it said of its age before that ("": nothing); whether the new line was then found."""

    files: int
    of: int
    seconds: float
    age: str
    found: bool


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """One engine's life: the update, results that still cite a deleted file, results from a neighbour repository."""

    engine: str
    update: Update
    cites_deleted: int
    from_neighbour: int


def live_on(copy: Path, file: str, satori: SatoriEngine) -> tuple[Lifecycle, Lifecycle]:
    """Add a line to `file`, delete the file, put it back and put a neighbour that has the line beside `copy`; return
    what the baseline and Satori did when asked for that line each time.

    `satori` has indexed `copy`, whose parent directory holds nothing else.
    """
    place = copy / file
    original = place.read_bytes()
    edited = original + f"\n{MARKER}\n".encode()

    place.write_bytes(edited)
    age = satori.age()
    started = time.perf_counter()
    embedded, files = satori.sync()
    satori_update = Update(embedded, files, time.perf_counter() - started, age, _cites(satori, file) > 0)
    naive = NaiveEngine(copy)
    count = len(naive.rag.documents)
    naive_update = Update(count, count, naive.index_seconds, "", _finds_marker(naive, file))

    place.unlink()
    satori.sync()
    cites = _cites(naive, file), _cites(satori, file)

    place.write_bytes(original)
    satori.sync()
    alone = satori.ask(MARKER, _LIMIT).results
    neighbour = copy.parent / "neighbour"
    (neighbour / file).parent.mkdir(parents=True)
    (neighbour / file).write_bytes(edited)
    satori.index_neighbour(neighbour)
    both = NaiveEngine(copy.parent).ask(MARKER, _LIMIT).results
    strangers = sum(found.path.startswith("neighbour/") for found in both)
    changed = sum(found not in alone for found in satori.ask(MARKER, _LIMIT).results)
    return (
        Lifecycle("naive", naive_update, cites[0], strangers),
        Lifecycle("satori", satori_update, cites[1], changed),
    )


def _cites(engine: Engine, file: str) -> int:
    return sum(found.path == file for found in engine.ask(MARKER, _LIMIT, "mixed").results)


def _finds_marker(naive: NaiveEngine, file: str) -> bool:
    hits = naive.rag.search(MARKER, _LIMIT)
    return any(hit.path == file and MARKER in naive.rag.text_of(hit) for _, hit in hits)
