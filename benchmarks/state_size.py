"""What takes the room in a codebase's state: tables, arrays, vectors and caches as multiples of the indexed source.

    python benchmarks/state_size.py TREE [--all]

Builds TREE in a state root of its own. `--all` also lists every table, index and array.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from satori.publication.arrays import map_file
from satori.publication.lifecycle import Lifecycle
from satori.publication.status import disk_bytes
from satori.source.root import resolve_root

_PARTS = {
    "contents, symbols, chunks, units": ("stored", "part"),
    "claims and edges": ("resolution", "relation", "descent", "ground"),
    "names and keys": ("symbol_name", "symbol_key", "member", "package"),
    "manifest": ("file", "publication", "superseded"),
}
_ARRAYS = {
    "vectors in the segment": ("chunk_vector", "file_vector"),
    "postings and lengths": ("posting_chunk", "posting_packed", "terms", "offsets", "chunk_lengths"),
}


def main() -> int:
    """Build one tree and list what its state holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="satori-size-") as home:
        measure(Lifecycle(Path(home), resolve_root(arguments.tree)), everything=arguments.all)
    return 0


def measure(lifecycle: Lifecycle, *, everything: bool) -> None:
    """Print the table for one codebase, which is built first."""
    info = lifecycle.sync().info
    source = info.counts.bytes
    generation = lifecycle.paths.generation(info.generation)

    def tell(name: str, size: int) -> None:
        print(f"{name:40} {size:12,} {size / source:7.3f}")

    connection = sqlite3.connect(generation.database)
    tables = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    owners = dict(connection.execute("SELECT name, tbl_name FROM sqlite_master"))
    connection.close()
    arrays, _ = map_file(generation.base(info.base_sequence))
    tell("indexed source", source)
    for name, wanted in _PARTS.items():
        tell(name, sum(size for table, size in tables.items() if owners.get(table, table) in wanted))
    tell("SQLite in all", generation.database.stat().st_size)
    for name, wanted in _ARRAYS.items():
        tell(name, sum(arrays[one].nbytes for one in wanted))
    tell("segment in all", generation.base(info.base_sequence).stat().st_size)
    tell("vectors in LanceDB", disk_bytes(generation.vectors))
    tell("state", disk_bytes(lifecycle.paths.directory))
    for name in ("facts", "vectors"):
        tell(f"{name} cache", (lifecycle.state.cache / f"{name}.sqlite").stat().st_size)
    if everything:
        for table, size in sorted(tables.items(), key=lambda item: -item[1]):
            tell(f"table {table}", size)
        for array, values in sorted(arrays.items(), key=lambda item: -item[1].nbytes):
            tell(f"array {array} {values.dtype}", values.nbytes)


if __name__ == "__main__":
    sys.exit(main())
