"""Whether a directory holds anything to index, asked before its first build so that an empty one creates nothing."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from satori.errors import SourceError
from satori.source.reading import SourceReader
from satori.source.scan import list_files, read_entry
from satori.source.settings import SourceSettings

LOOK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Eligibility:
    """`any`: at least one file can be indexed, or the look ran out of time; `skipped` counts why others cannot."""

    any: bool
    skipped: dict[str, int]

    @property
    def why_none(self) -> str:
        """The counted reasons in one phrase."""
        if not self.skipped:
            return "it is empty"
        return ", ".join(f"{reason} {count:,}" for reason, count in sorted(self.skipped.items()))


def look(root: Path, settings: SourceSettings) -> Eligibility:
    """Look until the first eligible file. Raises SourceError when the root cannot be opened."""
    ends = time.monotonic() + LOOK_SECONDS
    listing = list_files(root, settings, time_limit=LOOK_SECONDS)
    skipped: Counter[str] = Counter()
    with SourceReader(root) as reader:
        for file in listing.files:
            if time.monotonic() > ends:
                return Eligibility(True, dict(skipped))
            try:
                entry, _ = read_entry(reader, file, listing.profile)
            except SourceError:
                skipped["unreadable"] += 1
                continue
            if entry.skip is None:
                return Eligibility(True, dict(skipped))
            skipped[entry.skip.value] += 1
    return Eligibility(not listing.complete, dict(skipped))
