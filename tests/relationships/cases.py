"""Reads fixture repositories whose lines say what their call sites must be resolved to.

`tests/relationships/fixtures/LANGUAGE/CASE/` is one small repository. A line that ends in a comment with `=>` says what
every call site on it ends as, in order, separated by `;`:

    => RULE TARGET [<- CALLER]     resolved; TARGET is `path:qualified.name` (path omitted: this file)
    => STATUS [WORDS]              another status; WORDS must occur in the claim's note

CALLER is the qualified name of the symbol that owns the site, or `file`. Lines without the mark say nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from satori.facts.extract import extract_facts
from satori.model.relationship import Claim, ClaimStatus
from satori.model.symbol import Symbol
from satori.relationships.resolve import Resolution
from satori.relationships.unit import Body, Unit, pack_unit
from satori.relationships.whole import resolve_all
from satori.source.filetypes import classify
from satori.symbols.identify import identify

FIXTURES = Path(__file__).with_name("fixtures")
_MARK = re.compile(r"(?://|#|/\*)\s*=>\s*(.*?)\s*(?:\*/)?\s*$")
_STATUSES = {status.value for status in ClaimStatus}


@dataclass(frozen=True, slots=True)
class Resolved:
    """A resolved tree: symbols and resolutions by path, symbols by key."""

    files: dict[str, bytes]
    symbols: dict[str, list[Symbol]]
    keys: dict[str, Symbol]
    resolutions: dict[str, Resolution]

    def name_of(self, key: str) -> str:
        """`path:qualified.name` of a symbol."""
        symbol = self.keys[key]
        return f"{symbol.path}:{symbol.qualified_name}"


def resolve_files(files: dict[str, bytes]) -> Resolved:
    """Extract, identify and resolve files given by path, as a build does."""
    symbols: dict[str, list[Symbol]] = {}
    units: dict[str, Unit] = {}
    bodies: dict[str, Body] = {}
    for path, data in sorted(files.items()):
        language = classify(path, data[:512]).language
        facts = extract_facts(language, data)
        assert not facts.problem, f"{path}: {facts.problem}"
        symbols[path] = identify(path, facts, data)
        packed = pack_unit(symbols[path], facts)
        if packed is not None:
            units[path] = Unit(path, language, packed.interface)
            bodies[path] = Body(packed.body)
    _, resolutions = resolve_all(list(files), units, bodies)
    return Resolved(files, symbols, {s.key: s for items in symbols.values() for s in items}, resolutions)


@cache
def resolve_case(directory: Path) -> Resolved:
    """One fixture repository, resolved."""
    return resolve_files(
        {
            path.relative_to(directory).as_posix(): path.read_bytes()
            for path in sorted(directory.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts
        }
    )


def case_names() -> list[str]:
    """LANGUAGE/CASE of every fixture repository."""
    return sorted(f"{path.parent.name}/{path.name}" for path in FIXTURES.glob("*/*") if path.is_dir())


def differences(case: Resolved) -> tuple[list[str], int]:
    """What a case's lines say and its claims do not, and how many sites were said something about."""
    found: list[str] = []
    said = 0
    for path, data in case.files.items():
        resolution = case.resolutions.get(path)
        for number, line in enumerate(data.decode().splitlines(), start=1):
            mark = _MARK.search(line)
            if mark is None:
                continue
            wanted = [part.strip() for part in mark.group(1).split(";")]
            claims = [claim for claim in resolution.claims if claim.line == number] if resolution else []
            said += len(wanted)
            if len(wanted) != len(claims):
                shown = ", ".join(f"{claim.receiver}.{claim.name}" for claim in claims)
                found.append(f"{path}:{number}: {len(wanted)} sites expected, found {len(claims)} ({shown})")
                continue
            for text, claim in zip(wanted, claims, strict=True):
                problem = _problem(case, path, text, claim)
                if problem:
                    found.append(f"{path}:{number} {claim.name}: wanted `{text}`, {problem}")
    return found, said


def _problem(case: Resolved, path: str, text: str, claim: Claim) -> str:
    wanted, _, caller = (part.strip() for part in text.partition("<-"))
    owner = case.symbols[path][claim.owner]
    if caller and caller != (owner.qualified_name or "file"):
        return f"called by {owner.qualified_name or 'file'}"
    first, _, rest = wanted.partition(" ")
    said = f"{claim.status.value} {claim.rule} {[case.name_of(key) for key in claim.targets]} ({claim.note})"
    if first in _STATUSES:
        return "" if claim.status.value == first and rest in claim.note else f"got {said}"
    target = rest if ":" in rest else f"{path}:{rest}"
    if claim.status is not ClaimStatus.RESOLVED or claim.rule != first:
        return f"got {said}"
    return "" if target in (case.name_of(key) for key in claim.targets) else f"got {said}"
