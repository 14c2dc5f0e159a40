"""How relationships are stored: units by file version, resolutions with rows of their own, claims as packed columns.

A *unit* hangs on a file version and never changes. A *resolution* of the same file can change when another file does,
so it has its own `born` and `died`; its edges, candidates and bases hang on it. Numbers in `relation.kind` are those of
`KINDS`: the last one marks candidates, which are never edges. Nothing here resolves.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import zlib
from array import array
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b
from typing import Any

from satori.model.relationship import CallForm, Claim, ClaimCounts, ClaimStatus, Relation, RelationKind
from satori.publication.rows import LEVEL, distances, places, stored_key
from satori.relationships.resolve import Bases, Resolution
from satori.relationships.unit import PackedUnit

TABLES = """
CREATE TABLE member (name TEXT NOT NULL, file_id INTEGER NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (name, file_id, position)) WITHOUT ROWID;
CREATE TABLE package (language TEXT NOT NULL, name TEXT NOT NULL, file_id INTEGER NOT NULL,
    PRIMARY KEY (language, name, file_id)) WITHOUT ROWID;
CREATE TABLE resolution (
    resolution_id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL,
    born INTEGER NOT NULL,
    died INTEGER,
    resolved INTEGER NOT NULL,
    external INTEGER NOT NULL,
    ambiguous INTEGER NOT NULL,
    unresolved INTEGER NOT NULL,
    unsupported INTEGER NOT NULL,
    claims BLOB NOT NULL,
    asked_bases BLOB NOT NULL,
    asked BLOB NOT NULL
);
CREATE TABLE ground (ground INTEGER PRIMARY KEY, rule TEXT NOT NULL, proof TEXT NOT NULL);
CREATE TABLE relation (
    resolution_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    source BLOB NOT NULL,
    target BLOB NOT NULL,
    kind INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    line INTEGER NOT NULL,
    ground INTEGER NOT NULL,
    test INTEGER NOT NULL,
    PRIMARY KEY (resolution_id, place)
) WITHOUT ROWID;
CREATE TABLE descent (resolution_id INTEGER NOT NULL, heir BLOB NOT NULL, base BLOB NOT NULL, place INTEGER NOT NULL);
"""
INDEXES = """
CREATE INDEX resolution_file ON resolution (file_id);
CREATE INDEX resolution_died ON resolution (died) WHERE died IS NOT NULL;
CREATE INDEX relation_source ON relation (source, kind);
CREATE INDEX relation_target ON relation (target, kind);
CREATE INDEX descent_heir ON descent (heir);
CREATE INDEX descent_base ON descent (base);
CREATE INDEX descent_resolution ON descent (resolution_id);
"""
# A resolution lives from the publication that bore it until the one in which it died, as a file version does.
LIVE = "resolution.born <= :sequence AND (resolution.died IS NULL OR resolution.died > :sequence)"
KINDS = (RelationKind.CALLS, RelationKind.IMPORTS, RelationKind.EXPORTS)
CANDIDATE = len(KINDS)
_KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
_FORMS = {form.value: form for form in CallForm}
_STATUSES = {status.value: status for status in ClaimStatus}
_LEVEL = 1
QUESTION_TYPE = "<u4"


def packed_unit(unit: PackedUnit) -> tuple[bytes, bytes, bytes]:
    """Its digest, and its interface and body as they are stored."""
    return unit.digest, zlib.compress(unit.interface, _LEVEL), zlib.compress(unit.body, _LEVEL)


def write_unit_names(connection: sqlite3.Connection, units: Iterable[tuple[int, str, PackedUnit]]) -> None:
    """What is looked up by name in the units of new file versions, given as (file id, language, unit)."""
    members: list[tuple[str, int, int]] = []
    packages: list[tuple[str, str, int]] = []
    for file_id, language, unit in units:
        members.extend((name, file_id, at) for at, name in unit.members)
        if unit.package:
            packages.append((language, unit.package, file_id))
    members.sort()
    packages.sort()
    connection.executemany("INSERT INTO member VALUES (?, ?, ?)", members)
    connection.executemany("INSERT INTO package VALUES (?, ?, ?)", packages)


def write_resolutions(
    connection: sqlite3.Connection, born: int, found: Iterable[tuple[int, Bases, Sequence[tuple[str, str]], Resolution]]
) -> None:
    """Resolutions of publication `born`, as (file id, stage one, its (heir key, base key) pairs, stage two)."""
    last = connection.execute("SELECT max(resolution_id) FROM resolution").fetchone()[0] or 0
    resolutions: list[tuple[Any, ...]] = []
    relations: list[tuple[Any, ...]] = []
    grounds: dict[tuple[str, str], int] = {}
    descents: list[tuple[int, bytes, bytes, int]] = []
    for number, (file_id, bases, pairs, resolution) in enumerate(found, start=last + 1):
        counts = count_claims(resolution.claims)
        resolutions.append(
            (
                number,
                file_id,
                born,
                counts.resolved,
                counts.external,
                counts.ambiguous,
                counts.unresolved,
                counts.unsupported,
                pack_claims(resolution.claims),
                pack_questions(bases.questions),
                pack_questions(resolution.questions),
            )
        )
        edges = [(_KIND_NUMBER[item.kind], item) for item in resolution.relations]
        edges += [(CANDIDATE, item) for item in resolution.candidates]
        for at, (kind, item) in enumerate(edges):
            said = (item.rule, item.proof)
            ground = grounds[said] if said in grounds else grounds.setdefault(said, _ground(*said))
            relations.append((number, at, *_relation_row(kind, item), ground, int(item.test)))
        descents.extend((number, stored_key(heir), stored_key(base), place) for place, (heir, base) in enumerate(pairs))
    connection.executemany(
        "INSERT INTO resolution (resolution_id, file_id, born, resolved, external, ambiguous, unresolved, unsupported, "
        "claims, asked_bases, asked) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        resolutions,
    )
    connection.executemany(
        "INSERT OR IGNORE INTO ground VALUES (?, ?, ?)", [(number, *said) for said, number in grounds.items()]
    )
    connection.executemany("INSERT INTO relation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", relations)
    connection.executemany("INSERT INTO descent VALUES (?, ?, ?, ?)", descents)


def end_resolutions(connection: sqlite3.Connection, file_ids: Collection[int], died: int) -> None:
    """End the living resolutions of these file versions with publication `died`."""
    connection.executemany(
        "UPDATE resolution SET died = ? WHERE file_id = ? AND died IS NULL",
        [(died, file_id) for file_id in sorted(file_ids)],
    )


def sweep_relations(connection: sqlite3.Connection) -> None:
    """Delete every resolution that no publication row can see."""
    dead = connection.execute(
        "SELECT resolution_id FROM resolution WHERE died IS NOT NULL AND NOT EXISTS (SELECT 1 FROM publication "
        "WHERE sequence >= resolution.born AND sequence < resolution.died)"
    ).fetchall()
    for table in ("relation", "descent", "resolution"):
        connection.executemany(f"DELETE FROM {table} WHERE resolution_id = ?", dead)  # noqa: S608 (constant names)


def delete_unit_names(connection: sqlite3.Connection, file_id: int, packed: bytes) -> None:
    """Delete what `write_unit_names` wrote for a file version with this stored interface."""
    from satori.relationships.unit import Unit

    unit = Unit("", "", zlib.decompress(packed))
    names = {name for at in unit.types for name in unit.member_names(at)}
    connection.executemany("DELETE FROM member WHERE name = ? AND file_id = ?", [(name, file_id) for name in names])
    if unit.package:
        connection.execute("DELETE FROM package WHERE name = ? AND file_id = ?", (unit.package, file_id))


def _relation_row(kind: int, item: Relation) -> tuple[Any, ...]:
    return stored_key(item.source), stored_key(item.target), kind, item.start, item.end, item.line


def _ground(rule: str, proof: str) -> int:
    """The number under which a rule and its proof are stored once for all edges that rest on them: 64 bits of their
    hash, so that nothing has to be looked up to write one."""
    said = f"{rule}\0{proof}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(said, digest_size=8, person=b"satori-ground").digest(), "little", signed=True)


def sweep_grounds(connection: sqlite3.Connection) -> None:
    """Delete what no edge rests on any more. Looks at every edge, so it is done when a base segment is written."""
    connection.execute("DELETE FROM ground WHERE ground NOT IN (SELECT ground FROM relation)")


def count_claims(claims: Sequence[Claim]) -> ClaimCounts:
    """How many ended how."""
    counts = dict.fromkeys(ClaimStatus, 0)
    for claim in claims:
        counts[claim.status] += 1
    return ClaimCounts(*(counts[status] for status in ClaimStatus))


def pack_claims(claims: Sequence[Claim]) -> bytes:
    """One file's claims, in source order."""
    columns = [
        [c.owner for c in claims],
        [c.name for c in claims],
        [c.receiver for c in claims],
        distances([c.start for c in claims]),
        [c.end - c.start for c in claims],
        distances([c.line for c in claims]),
        [c.form.value for c in claims],
        [c.status.value for c in claims],
        [c.rule for c in claims],
        [" ".join(c.targets) for c in claims],
        [c.candidates for c in claims],
        [c.note for c in claims],
    ]
    return zlib.compress(json.dumps(columns, separators=(",", ":")).encode("ascii"), LEVEL)


def unpack_claims(packed: bytes) -> list[Claim]:
    """The inverse of `pack_claims`; raises ValueError on damaged bytes."""
    try:
        columns = json.loads(zlib.decompress(packed))
    except (zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"stored claims are damaged: {error}") from error
    columns[3], columns[5] = places(columns[3]), places(columns[5])
    return [
        Claim(
            owner,
            name,
            receiver,
            start,
            start + length,
            line,
            _FORMS[form],
            _STATUSES[status],
            rule,
            tuple(targets.split()),
            candidates,
            note,
        )
        for owner, name, receiver, start, length, line, form, status, rule, targets, candidates, note in zip(
            *columns, strict=True
        )
    ]


def pack_questions(questions: Collection[int]) -> bytes:
    """Question numbers, sorted, of type QUESTION_TYPE."""
    numbers = array("I", sorted(questions))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
